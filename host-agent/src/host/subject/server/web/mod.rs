//! [`Web`]: the web servers that watches open, on the network's thread.
//!
//! The data of the watch determines the answers (`ServeSpec::take`); `answer` finds the bytes.

mod answer;
mod cache;
mod content;
mod hold;
mod log;
mod page;
mod proxy;

use crate::host::Shared;
use crate::host::subject::SubjectState;
use crate::lock::Mutex;
use crate::network::http::{self, Body, Bytes, Limits, Request, Response, Site, StatusCode};
use hold::Cursors;
use mclive_base::protocol::{Input, Ticket};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, RouteKind, ServeSpec, serve};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The maximum size of a form. Units: bytes.
const LARGEST_FORM: usize = 4 << 20;
const MOST_FIELDS: usize = 1_000;
/// The default and maximum limit of a request.
const LONGEST_REQUEST: Duration = Duration::from_secs(120);

#[derive(Default)]
pub(in crate::host::subject) struct Web {
    servers: Mutex<BTreeMap<Ticket, Running>>,
    /// Servers that still answer their last requests.
    closing: Mutex<Vec<http::Closing>>,
    log: log::RequestLog,
}

struct Running {
    open: Arc<Open>,
    server: http::Server,
}

type Form = Vec<(Vec<u8>, Vec<u8>)>;

/// An open server.
struct Open {
    shared: Arc<Shared>,
    state: Arc<Mutex<Serving>>,
    pulls: proxy::Pulls,
    /// The number of waiting requests.
    n_held: Arc<AtomicUsize>,
}

struct Serving {
    ticket: Ticket,
    spec: Arc<ServeSpec>,
    /// The last form, by the path of its route.
    forms: BTreeMap<String, Form>,
    cursors: Cursors,
    pages: page::Shows,
}

impl Shared {
    /// Errors: the address is unavailable.
    pub(super) fn open_server(self: &Arc<Shared>, ticket: Ticket, spec: ServeSpec) -> Result<(), HostError> {
        self.subjects.server.log.open(self);
        let mut servers = self.subjects.server.servers.lock();
        let takes_over = |running: &Running| {
            let state = running.open.state.lock();
            state.spec.name == spec.name && state.spec.address == spec.address
        };
        let old = servers.iter().find(|(_, running)| takes_over(running)).map(|(old, _)| *old);
        if let Some(running) = old.and_then(|old| servers.remove(&old)) {
            {
                let mut state = running.open.state.lock();
                self.watch_files(ticket, &spec);
                let old = state.spec.clone();
                state.cursors.follow(Some(&old), &spec);
                state.pages.follow(&old.routes, &spec.routes, &**self);
                (state.ticket, state.spec) = (ticket, Arc::new(spec));
            }
            servers.insert(ticket, running);
            return Ok(());
        }
        let failed = |error| {
            let message = format!("could not start listener: listen {}: {error}", spec.address);
            HostError::new(HostErrorKind::Other, message)
        };
        let listener = bind_address(&spec.address, |address| TcpListener::bind(address)).map_err(failed)?;
        self.watch_files(ticket, &spec);
        let mut cursors = Cursors::default();
        cursors.follow(None, &spec);
        let mut pages = page::Shows::default();
        pages.follow(&[], &spec.routes, &**self);
        let state = Serving { ticket, spec: Arc::new(spec.clone()), forms: BTreeMap::new(), cursors, pages };
        let (pulls, n_held) = (proxy::Pulls::default(), Arc::default());
        let open = Arc::new(Open { shared: self.clone(), state: Arc::new(Mutex::new(state)), pulls, n_held });
        let server = http::serve(&self.network, listener, open.clone()).map_err(failed)?;
        servers.insert(ticket, Running { open, server });
        Ok(())
    }

    /// Watches the files of routes that hold requests.
    fn watch_files(&self, ticket: Ticket, spec: &ServeSpec) {
        for route in spec.routes.iter().filter(|route| route.is_held) {
            if let RouteKind::File(path) = &route.what {
                self.watch_file(ticket, path);
            }
        }
    }
}

impl SubjectState for Web {
    /// Accepts no further requests. Open ones may finish within the configured time.
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        let running = self.servers.lock().remove(&ticket);
        if let Some(Running { open, server }) = running {
            {
                let mut state = open.state.lock();
                state.cursors.clear();
                state.pages = page::Shows::default();
            }
            let closing = server.close(seconds(open.spec().shutdown_timeout_s));
            let mut all = self.closing.lock();
            all.retain(|closing| !closing.is_over());
            all.push(closing);
        }
    }

    /// Whether the requests of all closed servers have been answered.
    fn is_over(&self) -> bool {
        self.closing.lock().iter().all(http::Closing::is_over)
    }

    /// Writes the rest of the log.
    fn finish(&self) {
        self.log.finish();
    }

    /// A watched file of a server's routes changed, which is not an event of its resource. `false`: the ticket belongs
    /// to no server.
    fn file_changed(&self, ticket: Ticket, path: &str) -> bool {
        let servers = self.servers.lock();
        let Some(running) = servers.get(&ticket) else { return false };
        let state = running.open.state.lock();
        state.cursors.file_changed(&state.spec, path);
        true
    }
}

impl Web {
    /// The answer to `Probe::Server(server::Probe::Posted)`.
    pub(super) fn posted(&self, address: &str) -> Option<Datum> {
        let servers = self.servers.lock();
        servers.values().find_map(|running| {
            let state = running.open.state.lock();
            (state.spec.address == address).then(|| {
                let pair = |(key, value): &(Vec<u8>, Vec<u8>)| {
                    Datum::List(vec![Datum::Bytes(key.clone()), Datum::Bytes(value.clone())])
                };
                let form = |form: &Form| Datum::List(form.iter().map(pair).collect());
                Datum::Map(state.forms.iter().map(|(path, of)| (Datum::text(path), form(of))).collect())
            })
        })
    }
}

impl Site for Open {
    fn limits(&self) -> Limits {
        let spec = self.spec();
        let receive = seconds(spec.read_timeout_s).unwrap_or(LONGEST_REQUEST).min(LONGEST_REQUEST);
        let thought = (!spec.routes.iter().any(|route| route.is_held)).then_some(http::LONGEST_THOUGHT);
        Limits { receive, answer: seconds(spec.write_timeout_s), thought, body: LARGEST_FORM }
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let (method, path, began) = (request.method().clone(), request.uri().path().to_owned(), Instant::now());
        let answer = answer::answer(self, request).await;
        self.shared.subjects.server.log.write(&self.spec().name, &method, &path, answer.status(), began.elapsed());
        answer
    }
}

impl Open {
    /// The current one: a connection may be older.
    fn spec(&self) -> Arc<ServeSpec> {
        self.state.lock().spec.clone()
    }

    /// The cursor of the route at a path, and whether it holds requests.
    fn cursor(&self, path: &str) -> Option<(watch::Receiver<u64>, bool)> {
        let state = self.state.lock();
        let route = state.spec.read_at(path)?;
        Some((state.cursors.of(&route.path)?, route.is_held))
    }

    /// Stores a form posted to a route, and reports it. Errors: it has too many fields.
    fn post(&self, route: &str, path: &str, body: &[u8], query: &str) -> Result<(), StatusCode> {
        // Each field takes far more memory than the two bytes that it needs in the text.
        let n_fields = [body, query.as_bytes()].concat().split(|byte| *byte == b'&').count();
        if n_fields > MOST_FIELDS {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let mut form = serve::form(body);
        form.extend(serve::form(query.as_bytes()));
        let mut state = self.state.lock();
        state.forms.insert(route.to_owned(), form);
        self.shared.tell(Input::Fired(state.ticket, Some(format!("POST {path}"))));
        Ok(())
    }
}

/// 0 means no limit.
fn seconds(limit: u64) -> Option<Duration> {
    (limit > 0).then(|| Duration::from_secs(limit))
}

/// Without a host it binds every address, of both families if the machine has both.
pub(in crate::host::subject) fn bind_address<S>(
    address: &str,
    bind: impl Fn(&str) -> std::io::Result<S>,
) -> std::io::Result<S> {
    match address.strip_prefix(':') {
        Some(port) => bind(&format!("[::]:{port}")).or_else(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse | std::io::ErrorKind::PermissionDenied => Err(error),
            _ => bind(&format!("0.0.0.0:{port}")),
        }),
        None => bind(address),
    }
}
