//! What HTTP client resources ask, by way of the network's thread, and what they got.

use super::{Backend, Place, refused};
use crate::host::fs::{self, Bytes};
use crate::host::{Host, Shared, io_failed, subscribe};
use crate::network::http::client::{self, Question};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::request::{self as words, Answer, Fact, Finding, LONGEST_VALUE, Probe, Step, Watch};
use mclive_base::vocab::subjects::Request;
use mclive_base::vocab::{Attributes, Datum, HostError, HostErrorKind, Outcome, Power};
use rustix::fs::{CWD, Mode, OFlags, openat};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A whole request takes no longer: the time without a byte is bounded beside it.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What resources got, by name.
#[derive(Default)]
pub(in crate::host) struct Requests {
    answers: Mutex<BTreeMap<String, Kept>>,
    watches: Mutex<BTreeMap<Ticket, String>>,
}

#[derive(Default)]
struct Kept {
    /// The last answer with its body, to be put in its place.
    last: Option<(Answer, Arc<File>)>,
    /// What functions are told.
    told: Option<(i64, Vec<u8>)>,
}

impl Requests {
    pub(in crate::host) fn remove(&self, ticket: Ticket) {
        self.watches.lock().expect("no holder panics").remove(&ticket);
    }

    fn with<R>(&self, uid: &str, with: impl FnOnce(&mut Kept) -> R) -> R {
        with(self.answers.lock().expect("no holder panics").entry(uid.to_owned()).or_default())
    }
}

impl Backend for Request {
    fn probe(at: &Place, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::Ask(request) => ask(at, request).map(Finding::Answer),
            Probe::Last => at.shared.requests.with(&at.id.name, |kept| match &kept.last {
                Some((answer, _)) => Ok(Finding::Answer(answer.clone())),
                None => Err(none_kept()),
            }),
            Probe::Publish { path, content } => {
                let content = match path {
                    None => content.clone(),
                    Some(path) => match fs::read_file(at.shared.policy.reads(), path, LONGEST_VALUE) {
                        Ok(content) => Some(content),
                        Err(_) if is_long(at, path) => None,
                        Err(error) => return Err(error),
                    },
                };
                publish(at.shared, &at.id.name, 200, content.clone().unwrap_or_default());
                Ok(Finding::Content(content))
            }
        }
    }

    fn step(at: &Place, step: &Step) -> Result<Outcome, HostError> {
        match step {
            Step::Send(request) => drop(ask(at, request)?),
            Step::Place { path, modified_s, .. } => {
                let body =
                    at.shared.requests.with(&at.id.name, |kept| kept.last.as_ref().map(|(_, body)| body.clone()));
                let body = body.ok_or_else(none_kept)?;
                let (policy, stopped) = (&at.shared.policy, &|| at.running.is_stopped());
                let _mine = at.shared.files.lock(path);
                let bytes = Bytes::Opened { file: &body, stopped };
                fs::write_file(policy.changes(), path, &bytes, &Attributes::default(), at.shared.umask)?;
                if let Some(modified_s) = modified_s {
                    fs::set_modified(policy.changes(), path, *modified_s)?;
                }
            }
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.shared.requests.watches.lock().expect("no holder panics").insert(ticket, watch.uid.clone());
        Ok(())
    }

    fn fact(shared: &Shared, Fact::Last { uid }: &Fact) -> Result<Datum, HostError> {
        let (status, output) = shared.requests.with(uid, |kept| kept.told.clone()).unwrap_or_default();
        Ok(Datum::Struct(vec![("status".into(), Datum::Int(status)), ("output".into(), Datum::Bytes(output))]))
    }
}

fn none_kept() -> HostError {
    HostError::new(HostErrorKind::Other, "the answer is not kept any more: ask again")
}

fn is_long(at: &Place, path: &str) -> bool {
    let stat = fs::stat(at.shared.policy.reads(), path, true);
    matches!(stat, Ok(Some(stat)) if stat.size > LONGEST_VALUE)
}

/// Takes note of how a resource stands, and tells who asks for it.
fn publish(shared: &Shared, uid: &str, status: i64, output: Vec<u8>) {
    let is_new = shared.requests.with(uid, |kept| {
        let is_new = kept.told.as_ref() != Some(&(status, output.clone()));
        kept.told = Some((status, output));
        is_new
    });
    if is_new {
        let watches = shared.requests.watches.lock().expect("no holder panics");
        let concerned: Vec<Ticket> =
            watches.iter().filter(|(_, watched)| *watched == uid).map(|(ticket, _)| *ticket).collect();
        drop(watches);
        concerned.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, Some(uid.to_owned())));
    }
}

fn ask(at: &Place, request: &words::Request) -> Result<Answer, HostError> {
    let answered = exchange(at, request);
    match &answered {
        Ok(answer) if answer.status == 304 => {}
        Ok(answer) => {
            publish(at.shared, &at.id.name, answer.status.into(), answer.content.clone().unwrap_or_default());
        }
        Err(error) if error.kind == HostErrorKind::Cancelled => {}
        Err(_) => publish(at.shared, &at.id.name, -1, Vec::new()),
    }
    answered
}

/// Where a body goes while it comes.
struct Spool {
    file: File,
    hash: Sha256,
}

fn exchange(at: &Place, request: &words::Request) -> Result<Answer, HostError> {
    let other = |why: String| HostError::new(HostErrorKind::Other, why);
    let shared = at.shared.me.upgrade().ok_or_else(|| other("the agent ends".into()))?;
    let spool = Arc::new(Mutex::new(Spool { file: scratch(at.shared.state.prefix())?, hash: Sha256::new() }));
    let question = Question {
        method: request.method.parse().map_err(|_| other(format!("`{}` is no method", request.method)))?,
        url: request.url.clone(),
        body: request.body.clone(),
        since: request.since_s.and_then(|at| UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(at).ok()?))),
    };
    let into = spool.clone();
    let sink: Arc<client::Sink> = Arc::new(move |bytes: &[u8]| {
        let mut spool = into.lock().expect("no holder panics");
        spool.hash.update(bytes);
        spool.file.write_all(bytes)
    });
    let judge = move |url: &str| shared.policy.power(&Power::Ask(url)).map_err(refused);
    let asked = async move { client::ask(question, &judge, &|_| {}, sink).await };
    let reply = at.running.ask(&at.shared.network, LONGEST, asked)?;
    let seconds =
        |time: SystemTime| time.duration_since(UNIX_EPOCH).ok().and_then(|at| i64::try_from(at.as_secs()).ok());
    let mut spool = spool.lock().expect("no holder panics");
    let failed = |error: std::io::Error| io_failed("read", &request.url, &error);
    spool.file.rewind().map_err(failed)?;
    let mut content = None;
    if reply.size <= LONGEST_VALUE {
        let mut bytes = Vec::new();
        spool.file.read_to_end(&mut bytes).map_err(failed)?;
        spool.file.rewind().map_err(failed)?;
        content = Some(bytes);
    }
    let answer = Answer {
        status: reply.status.as_u16(),
        hash: spool.hash.clone().finalize().into(),
        size: reply.size,
        modified_s: reply.modified.and_then(seconds),
        content,
    };
    if answer.status == 200 {
        let body = Arc::new(spool.file.try_clone().map_err(failed)?);
        at.shared.requests.with(&at.id.name, |kept| kept.last = Some((answer.clone(), body)));
    }
    Ok(answer)
}

/// A file without a name, which vanishes by itself.
pub(in crate::host) fn scratch(prefix: &Path) -> Result<File, HostError> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let dirs = [prefix.to_owned(), std::env::temp_dir()];
    let mut opened = dirs.iter().map(|dir| openat(CWD, dir, flags, Mode::from_raw_mode(0o600)));
    match opened.find_map(Result::ok) {
        Some(file) => Ok(file.into()),
        None => Err(HostError::new(HostErrorKind::Unavailable, "there is no directory for temporary files")),
    }
}
