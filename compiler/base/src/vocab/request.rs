//! Requests of HTTP client resources, and their answers.

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::Range;

/// A request without side effects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Answer`: sends a request and keeps the body until the resource's next request. Only for safe methods.
    Ask(Request),
    /// → `Answer`: the resource's last answer.
    Last,
    /// → `Answer` or `Held`: the last answer to the request that [`Watch::Held`] keeps open, or a new request if there
    /// is no such watch.
    Held(Request),
    /// → `Content`: publishes the content at a path, or these bytes, as the resource's result.
    Publish { path: Option<String>, content: Option<Vec<u8>> },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// An answer.
    Answer(Answer),
    /// The server has not answered yet.
    Held,
    /// The content; `None`: it is longer than a value may be.
    Content(Option<Vec<u8>>),
}

/// A request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The HTTP method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The body, if any.
    pub body: Option<Vec<u8>>,
    /// Request only changes since then (`If-Modified-Since`). Units: seconds since 1970.
    pub since_s: Option<i64>,
}

/// The final answer, after redirects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// SHA-256 of the body.
    pub hash: [u8; 32],
    /// Bytes of the body.
    pub size: u64,
    /// The server's `Last-Modified`. Units: seconds since 1970.
    pub modified_s: Option<i64>,
    /// The body; `None` if it is longer than a value may be.
    pub content: Option<Vec<u8>>,
}

/// The maximum number of bytes of an answer that fit into a value.
pub const LONGEST_VALUE: u64 = 8 << 20;

/// A change by HTTP.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Step {
    /// Sends a request with possible side effects; [`Probe::Last`] returns the answer.
    Send(Request),
    /// Writes the body of the last answer to a file.
    Place { path: String, url: String, size: u64, modified_s: Option<i64> },
}

/// A watch of answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Watch {
    /// A new answer for a resource.
    Answer { uid: String },
    /// Long polling: keeps a request open; each answer is a change. In place when the first answer has come, or the
    /// request is being held.
    Held { uid: String, request: Request, style: Style },
}

/// The server's style of long polling.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Style {
    /// It redirects when there is news.
    Redirect,
    /// It answers a conditional request when the condition is met, and is asked to wait for that.
    Conditional,
}

/// The result of a request.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Struct { status Int, output Bytes }`: the state of the HTTP client resource of this name; 0 and empty if
    /// unknown, -1 if there was no answer. Reported again on change.
    Last { uid: String },
}

/// `host:port` of a URL, as in the policy; empty if there is none.
pub fn authority(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return String::new() };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
    if has_port { host } else { format!("{host}:{}", usual_port(scheme)) }
}

/// The port where a URL names none. libvirt has the way to a host after a plus sign, `qemu+ssh`, otherwise TLS or, for
/// VMware, HTTPS.
fn usual_port(scheme: &str) -> u16 {
    let scheme = scheme.to_ascii_lowercase();
    match scheme.split_once('+').map_or(&*scheme, |(_, way)| way) {
        "http" => 80,
        "https" | "esx" | "gsx" | "vpx" => 443,
        "ssh" | "libssh" | "libssh2" => 22,
        "tcp" => 16509,
        _ => 16514,
    }
}

/// The replacement for a secret.
pub const HIDDEN: &str = "•••";

/// Parts of the name of a parameter whose value is a secret, and names that are one as a whole word: `key`, not `keyword`.
const SECRET_PARTS: [&str; 7] = ["token", "secret", "passw", "signature", "credential", "session", "apikey"];
const SECRET_WORDS: [&str; 6] = ["key", "sig", "auth", "pass", "pwd", "code"];
/// A parameter of this length is more likely a token than something that a person wrote.
const LONG_VALUE: usize = 24;

/// The secrets in a URL, in order: the one of its authority, and the values of parameters that look like tokens.
pub fn secrets(url: &str) -> Vec<Range<usize>> {
    let query = url.find('?').map_or(url.len(), |at| at + 1)..url.find('#').unwrap_or(url.len());
    let mut at = query.start;
    let parameters = url.get(query).unwrap_or_default().split(['&', ';']).filter_map(|parameter| {
        let start = at;
        at += parameter.len() + 1;
        let (name, value) = parameter.split_once('=')?;
        let name_lower = name.to_ascii_lowercase();
        let mut words = name_lower.split(|c: char| !c.is_ascii_alphanumeric());
        let is_secret = value.len() >= LONG_VALUE
            || SECRET_PARTS.iter().any(|part| name_lower.contains(part))
            || words.any(|word| SECRET_WORDS.contains(&word));
        let value = start + name.len() + 1..start + parameter.len();
        (is_secret && !value.is_empty()).then_some(value)
    });
    authority_secret(url).into_iter().chain(parameters).collect()
}

/// The secret in the authority of a URL: its password; in HTTP, a user without a password, since that is a token.
fn authority_secret(url: &str) -> Option<Range<usize>> {
    let start = url.find("//").map_or(0, |at| at + 2);
    let rest = &url[start..];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let (user, _) = authority.rsplit_once('@')?;
    secret_of_user(&url[..start], user).map(|at| start + at.start..start + at.end)
}

/// The same in `user:password`, after a prefix such as `https://`.
pub fn secret_of_user(prefix: &str, user: &str) -> Option<Range<usize>> {
    let is_http = ["http://", "https://"].iter().any(|scheme| prefix.eq_ignore_ascii_case(scheme));
    let name = user.split_once(':').map_or(user, |(name, _)| name);
    let password = (name.len() + 1).min(user.len())..user.len();
    let range = if password.is_empty() && is_http { 0..name.len() } else { password };
    (!range.is_empty()).then_some(range)
}

/// A URL for display, without its secrets.
pub fn shown(url: &str) -> String {
    let mut shown = String::new();
    let mut done = 0;
    for at in secrets(url) {
        shown.push_str(&url[done..at.start]);
        shown.push_str(HIDDEN);
        done = at.end;
    }
    shown + &url[done..]
}

impl Request {
    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask((&*self.url).into())]
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Ask(request) => request.powers(),
            Probe::Publish { path: Some(path), .. } => vec![Power::Read(path)],
            Probe::Held(request) => request.powers(),
            Probe::Last | Probe::Publish { path: None, .. } => Vec::new(),
        }
    }

    fn waits(&self) -> bool {
        matches!(self, Probe::Ask(_) | Probe::Held(_))
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Send(Request { method, url, .. }) => write!(f, "{method} {}", shown(url)),
            Step::Place { path, url, size, .. } => write!(f, "write {path} ({size} bytes of {})", shown(url)),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Send(request) => request.powers(),
            Step::Place { path, .. } => vec![Power::Write(path)],
        }
    }

    fn waits(&self) -> bool {
        matches!(self, Step::Send(_))
    }

    fn repeats(&self) -> bool {
        matches!(self, Step::Place { .. })
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Watch::Answer { uid } => write!(f, "the response of {uid}"),
            Watch::Held { request, .. } => write!(f, "{}", shown(&request.url)),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Watch::Answer { .. } => Vec::new(),
            Watch::Held { request, .. } => request.powers(),
        }
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Last { uid } = self;
        write!(f, "the response of {uid}")
    }

    fn changes(&self) -> Changes {
        let Fact::Last { uid } = self;
        Changes::With(vec![Watch::Answer { uid: uid.clone() }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_asked_and_what_is_shown_of_it() {
        assert_eq!(authority("http://me:pw@Example.org/a@b:1"), "example.org:80");
        assert_eq!(authority("https://[::1]"), "[::1]:443");
        assert_eq!(authority("https://[::1]:8443/x"), "[::1]:8443");
        assert_eq!(authority("/no/url"), "");
        for (url, expect) in [
            ("HTTPS://h", "h:443"),
            ("qemu+ssh://root@h/system", "h:22"),
            ("qemu+SSH://h:2222/system", "h:2222"),
            ("xen+tcp://h/", "h:16509"),
            ("qemu://h/system", "h:16514"),
            ("lxc+tls://h/", "h:16514"),
            ("vpx://h/dc/cluster", "h:443"),
        ] {
            assert_eq!(authority(url), expect);
        }
        assert_eq!(shown("http://me:pw@h/a"), "http://me:•••@h/a");
        assert_eq!(shown("http://h/a:b@c"), "http://h/a:b@c");
        assert_eq!(shown("HTTPS://token@h/a:b@c"), "HTTPS://•••@h/a:b@c");
        assert_eq!(shown("https://token:@h/"), "https://•••:@h/");
        for open in ["https://@h/", "https://:@h/", "qemu+ssh://root@h/system", "root@h", "/a@b"] {
            assert_eq!(shown(open), open);
        }
    }
}
