//! One look at a URL, and the consequences for the destination.

use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Seen, Sent, Want};
use crate::value::Value;
use crate::vocab::request::{Answer, Finding as Found, Probe as Look, Request, Step as Change, Style};
use crate::vocab::{FileStat, Finding, HostErrorKind, Probe, Step, file, state};

/// The private destination in the state directory.
const PRIVATE: &str = "dst";
/// The state file with the server's modification time of the current content, in seconds since 1970.
const MODIFIED: &str = "dst.modified";
/// The state file with the [`mark`] of the content that was placed last.
const PLACED: &str = "placed.sha256";

/// Where the body is stored; `None`: in the state directory.
pub(super) fn destination(want: &Want) -> Option<String> {
    let file = want.text("file");
    let name = || want.name.starts_with('/') && !want.name.ends_with('/');
    match &*file {
        "" => name().then(|| want.name.to_owned()),
        file => Some(file.to_owned()),
    }
}

/// The content of the destination.
#[derive(Default)]
struct Held {
    stat: Option<FileStat>,
    /// In hexadecimal digits.
    hash: Option<String>,
    /// Of the private one.
    content: Option<Vec<u8>>,
    /// Modification time as reported by the server. Units: seconds since 1970.
    modified_s: Option<i64>,
    /// See [`is_other`].
    is_other: bool,
}

pub(super) fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let style = style(want);
    if style.is_none() && want.meta.poll == 0 {
        return Err(Decision::CannotTell("must use Meta:poll when not using Longpoll".into()));
    }
    let path = destination(want);
    let held = held(want, walk, path.as_deref())?;
    let sha256 = want.text("sha256");
    if !seen.refresh && held.hash.as_deref().is_some_and(|hash| hash == sha256) {
        return Ok(Decision::InState(publish(walk, path, held)?));
    }
    let request = request(want, &held);
    let is_conditional = request.since_s.is_some();
    let is_safe = is_safe(&request);
    let answer = match style {
        Some(_) if !is_safe => {
            return Err(Decision::CannotTell("`longpoll` only works with the methods GET and HEAD".into()));
        }
        // A notification needs an answer now, which a server that holds a conditional request does not give.
        Some(style) if !seen.refresh || style == Style::Redirect => {
            match answered(walk, open_request(want), held.stat.is_some())? {
                Some(answer) => answer,
                None => return Ok(Decision::InState(publish(walk, path, held)?)),
            }
        }
        _ if is_safe => look(walk, Look::Ask(request))?,
        _ => {
            walk.act(vec![Change::Send(request).into()])?;
            look(walk, Look::Last)?
        }
    };
    match answer.status {
        200 => {}
        304 if is_conditional => return Ok(Decision::InState(publish(walk, path, held)?)),
        status => return Err(Decision::CannotTell(format!("unexpected status: {}", status_text(status)))),
    }
    let hash = hex(&answer.hash);
    if !sha256.is_empty() && *sha256 != *hash {
        return Err(Decision::CannotTell(format!("sha256 mismatch: got {hash}, expected {sha256}")));
    }
    let sent = sends(answer.content.as_deref());
    if held.hash.as_ref() == Some(&hash) && !held.is_other {
        let is_done = !seen.outcomes.is_empty();
        return Ok(if is_done { Decision::Mended(sent) } else { Decision::InState(sent) });
    }
    // The same content of another URL is placed again for its date, which counts from then on.
    let mut steps = place(want, path, &answer)?;
    // It comes last: if the run ends before it, the content counts as that of another URL.
    steps.push(keep_mark(want, &hash));
    walk.act(steps)?;
    Ok(Decision::Mended(sent))
}

/// The server's style of holding a request, with `longpoll`.
pub(super) fn style(want: &Want) -> Option<Style> {
    let style = if want.bool("longpoll_redirect") { Style::Redirect } else { Style::Conditional };
    want.bool("longpoll").then_some(style)
}

/// Whether it is safe, that is without side effects.
pub(super) fn is_safe(request: &Request) -> bool {
    matches!(request.method.as_str(), "GET" | "HEAD")
}

/// The request that is kept open.
pub(super) fn open_request(want: &Want) -> Request {
    Request { since_s: None, ..request(want, &Held::default()) }
}

/// The answer to the request that is kept open; `None` while it is pending and there is content.
fn answered(walk: &mut Walk, open: Request, is_there: bool) -> Result<Option<Answer>, Decision> {
    match &walk.look(vec![Probe::from(Look::Held(open))])?[0] {
        Finding::Request(Found::Answer(answer)) => Ok(Some(answer.clone())),
        Finding::Request(Found::Held) if is_there => Ok(None),
        Finding::Request(Found::Held) => {
            Err(Decision::CannotTell("the server has not answered the blocking request yet".into()))
        }
        other => Err(cannot_tell(other)),
    }
}

fn request(want: &Want, held: &Held) -> Request {
    let method = want.text("method");
    // If the content is known to be wrong, its age does not matter.
    let sha256 = want.text("sha256");
    let is_wrong = !sha256.is_empty() && held.hash.as_deref() != Some(&*sha256);
    let since_s = held.modified_s.filter(|_| want.bool("mtime_check") && !is_wrong);
    Request {
        method: if method.is_empty() { "GET".into() } else { method.into_owned() },
        url: want.text("url").into_owned(),
        body: want.set("body").map(|_| want.bytes("body").to_vec()),
        since_s,
    }
}

fn place(want: &Want, path: Option<String>, answer: &Answer) -> Result<Vec<Step>, Decision> {
    let Answer { size, modified_s, content, .. } = answer;
    match (path, content) {
        (Some(path), _) => {
            let url = want.text("url").into_owned();
            Ok(vec![Change::Place { path, url, size: *size, modified_s: *modified_s }.into()])
        }
        // In between the date is unknown: if the run ends there, the content is fetched again.
        (None, Some(content)) => {
            let forget = state::Step::Remove { name: MODIFIED.into() };
            let keep = state::Step::Write { name: PRIVATE.into(), content: content.clone() };
            let date =
                modified_s.map(|at| state::Step::Write { name: MODIFIED.into(), content: at.to_string().into() });
            Ok([forget, keep].into_iter().chain(date).map(Step::from).collect())
        }
        (None, None) => Err(Decision::CannotTell(format!("a response of {size} bytes requires `file`"))),
    }
}

fn look(walk: &mut Walk, probe: Look) -> Result<Answer, Decision> {
    match &walk.look(vec![Probe::from(probe)])?[0] {
        Finding::Request(Found::Answer(answer)) => Ok(answer.clone()),
        other => Err(cannot_tell(other)),
    }
}

/// Publishes the existing content as the resource's answer.
fn publish(walk: &mut Walk, path: Option<String>, held: Held) -> Result<Sent, Decision> {
    match &walk.look(vec![Probe::from(Look::Publish { path, content: held.content })])?[0] {
        Finding::Request(Found::Content(content)) => Ok(sends(content.as_deref())),
        other => Err(cannot_tell(other)),
    }
}

fn sends(content: Option<&[u8]>) -> Sent {
    vec![("content", content.map(Value::str))]
}

/// Tells content from this URL apart from any other.
fn mark(want: &Want, hash: &str) -> String {
    hex(&crate::hash::sha256(format!("{hash} {}", want.text("url")).as_bytes()))
}

fn keep_mark(want: &Want, hash: &str) -> Step {
    state::Step::Write { name: PLACED.into(), content: mark(want, hash).into() }.into()
}

/// Whether someone has changed the content, or it is that of another URL: its date is not from this server.
fn is_other(want: &Want, placed: &Finding, hash: &str) -> bool {
    matches!(placed, Finding::State(state::Finding::Bytes(placed)) if *placed != mark(want, hash).into_bytes())
}

fn held(want: &Want, walk: &mut Walk, path: Option<&str>) -> Result<Held, Decision> {
    let Some(path) = path else { return held_privately(want, walk) };
    let path = path.to_owned();
    let stat = match &walk.look(vec![file::Probe::Stat { path: path.clone(), follow: true }.into()])?[0] {
        Finding::File(file::Finding::Stat(stat)) => stat.clone(),
        other => return Err(cannot_tell(other)),
    };
    if stat.is_none() {
        return Ok(Held::default());
    }
    let placed = state::Probe::Read { name: PLACED.into() };
    match walk.look(vec![file::Probe::Hash { path }.into(), placed.into()])? {
        [Finding::File(file::Finding::Hash(hash)), placed] => {
            let hash = hex(hash);
            let is_other = is_other(want, placed, &hash);
            let modified_s = stat.as_ref().filter(|_| !is_other).map(|stat| stat.mtime_ns / 1_000_000_000);
            Ok(Held { stat, hash: Some(hash), content: None, modified_s, is_other })
        }
        [Finding::Failed(error), _] if error.kind == HostErrorKind::NotFound => Ok(Held::default()),
        [other, ..] => Err(cannot_tell(other)),
        [] => Err(Decision::CannotTell("the host did not answer".into())),
    }
}

fn held_privately(want: &Want, walk: &mut Walk) -> Result<Held, Decision> {
    let name = || PRIVATE.to_owned();
    let probes = vec![
        state::Probe::Stat { name: name() }.into(),
        state::Probe::Read { name: name() }.into(),
        state::Probe::Read { name: MODIFIED.into() }.into(),
        state::Probe::Read { name: PLACED.into() }.into(),
    ];
    match walk.look(probes)? {
        [Finding::State(state::Finding::Stat(stat)), Finding::State(state::Finding::Bytes(content)), date, placed] => {
            let hash = hex(&crate::hash::sha256(content));
            let is_other = is_other(want, placed, &hash);
            // Without a date from the server the date is unknown: the download's own date would be later than any
            // change before it.
            let modified_s = match date {
                Finding::State(state::Finding::Bytes(date)) if !is_other => {
                    std::str::from_utf8(date).ok().and_then(|at| at.parse().ok())
                }
                _ => None,
            };
            Ok(Held { stat: stat.clone(), hash: Some(hash), content: Some(content.clone()), modified_s, is_other })
        }
        [_, Finding::Failed(error), ..] if error.kind == HostErrorKind::NotFound => Ok(Held::default()),
        [failed @ Finding::Failed(_), ..] | [_, failed, ..] | [failed] => Err(cannot_tell(failed)),
        _ => Err(Decision::CannotTell("the host did not answer".into())),
    }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `404 Not Found`.
fn status_text(status: u16) -> String {
    let reason = match status {
        204 => "No Content",
        206 => "Partial Content",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return status.to_string(),
    };
    format!("{status} {reason}")
}
