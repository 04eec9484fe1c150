//! The requests of HTTP client resources, on the network's thread, and their results.

mod exchange;
mod held;

use super::{Backend, Context, SubjectState};
use crate::host::fs::{self, Bytes};
use crate::host::spool::SpoolFile;
use crate::host::{Host, Shared, io_failed, subscribe};
use crate::lock::Mutex;
use exchange::{Exchange, Last, Part};
use held::Open;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::request::{self as words, Answer, Fact, Finding, LONGEST_VALUE, Probe, Step, Watch};
use mclive_base::vocab::subjects::Request;
use mclive_base::vocab::{Attributes, Datum, HostError, HostErrorKind, Outcome};
use std::collections::BTreeMap;
use std::io::Seek;
use std::sync::Arc;
use std::time::Duration;

/// The limit of a whole request; the time without a byte is limited separately.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The results of resources, by name.
#[derive(Default)]
pub(super) struct Requests {
    answers: Mutex<BTreeMap<String, RequestState>>,
    watches: Mutex<BTreeMap<Ticket, String>>,
    /// The requests that are kept open.
    open: Mutex<BTreeMap<Ticket, Open>>,
}

#[derive(Default)]
struct RequestState {
    /// To be moved to its place.
    last: Option<Last>,
    /// The hash of the answer that the resource has checked. An open request may have received a later one since.
    seen: Option<[u8; 32]>,
    part: Option<Part>,
    /// The last answer to the open request.
    held: Option<Result<Answer, HostError>>,
    /// The value for functions.
    told: Option<(i64, Vec<u8>)>,
}

impl SubjectState for Requests {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.watches.lock().remove(&ticket);
        self.open.lock().remove(&ticket);
    }
}

impl Requests {
    fn is_open(&self, uid: &str) -> bool {
        self.open.lock().values().any(|open| open.uid == uid)
    }

    /// Notifies the open request of this resource that its answer was read.
    fn looked(&self, uid: &str) {
        let open = self.open.lock();
        open.values().filter(|open| open.uid == uid).for_each(|open| open.looked.notify_one());
    }

    fn with<R>(&self, uid: &str, with: impl FnOnce(&mut RequestState) -> R) -> R {
        with(self.answers.lock().entry(uid.to_owned()).or_default())
    }
}

impl RequestState {
    /// The body of the answer that the resource has checked; `None`: there is none, or a later one has replaced it.
    fn body(&self) -> Option<Arc<SpoolFile>> {
        let last = self.last.as_ref().filter(|last| self.seen == Some(last.answer.hash))?;
        Some(last.body.clone())
    }
}

impl Backend for Request {
    type State = Requests;

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let found = look(at, probe)?;
        if let Finding::Answer(answer) = &found {
            at.shared.subjects.request.with(&at.id.name, |state| state.seen = Some(answer.hash));
        }
        Ok(found)
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        match step {
            Step::Send(request) => drop(ask(at, request)?),
            Step::Place { path, modified_s, .. } => {
                let body = at.shared.subjects.request.with(&at.id.name, |state| state.body()).ok_or_else(none_kept)?;
                // It may have been read before.
                body.file().rewind().map_err(|error| io_failed("read", path, &error))?;
                let (policy, stopped) = (&at.shared.policy, &|| at.running.is_stopped());
                let _mine = at.shared.files.lock(path);
                let bytes = Bytes::Opened { file: body.file(), stopped };
                fs::write_file(policy.changes(), path, &bytes, &Attributes::default(), at.shared.umask)?;
                if let Some(modified_s) = modified_s {
                    fs::set_modified(policy.changes(), path, *modified_s)?;
                }
            }
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        match watch {
            Watch::Answer { uid } => {
                host.shared.subjects.request.watches.lock().insert(ticket, uid.clone());
                Ok(())
            }
            Watch::Held { uid, request, style } => held::begin(host, ticket, uid, request, *style),
        }
    }

    fn fact(shared: &Shared, Fact::Last { uid }: &Fact) -> Result<Datum, HostError> {
        let (status, output) = shared.subjects.request.with(uid, |state| state.told.clone()).unwrap_or_default();
        Ok(Datum::Struct(vec![("status".into(), Datum::Int(status)), ("output".into(), Datum::Bytes(output))]))
    }
}

fn look(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
    match probe {
        Probe::Ask(request) => ask(at, request).map(Finding::Answer),
        Probe::Last => at.shared.subjects.request.with(&at.id.name, |state| match &state.last {
            Some(last) => Ok(Finding::Answer(last.answer.clone())),
            None => Err(none_kept()),
        }),
        // A run that ends at once keeps no requests open.
        Probe::Held(request) if !at.shared.subjects.request.is_open(&at.id.name) => {
            ask(at, request).map(Finding::Answer)
        }
        Probe::Held(_) => {
            let held = at.shared.subjects.request.with(&at.id.name, |state| state.held.clone());
            at.shared.subjects.request.looked(&at.id.name);
            held.map_or(Ok(Finding::Held), |answered| answered.map(Finding::Answer))
        }
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

fn none_kept() -> HostError {
    HostError::new(HostErrorKind::Other, "the response is no longer available: send the request again")
}

fn is_long(at: &Context, path: &str) -> bool {
    let stat = fs::stat(at.shared.policy.reads(), path, true);
    matches!(stat, Ok(Some(stat)) if stat.size > LONGEST_VALUE)
}

/// Records the status of a resource, and notifies facts that use it.
fn publish(shared: &Shared, uid: &str, status: i64, output: Vec<u8>) {
    let is_new = shared.subjects.request.with(uid, |state| {
        let is_new = state.told.as_ref() != Some(&(status, output.clone()));
        state.told = Some((status, output));
        is_new
    });
    if is_new {
        let watches = shared.subjects.request.watches.lock();
        let concerned: Vec<Ticket> =
            watches.iter().filter(|(_, watched)| *watched == uid).map(|(ticket, _)| *ticket).collect();
        drop(watches);
        concerned.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, Some(uid.to_owned())));
    }
}

fn ask(at: &Context, request: &words::Request) -> Result<Answer, HostError> {
    let mut exchange = Exchange::new(at.shared, &at.id.name, request)?;
    let replied = at.running.ask(&at.shared.network, LONGEST, exchange.ask(at.shared.me.clone()));
    let answered = exchange.finish(&at.shared.subjects.request, replied);
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
