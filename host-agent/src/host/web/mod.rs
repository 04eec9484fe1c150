//! [`Web`]: the web servers that watches open. Each has a thread that accepts, and one per connection.
//!
//! What is answered is told by the data of the watch (`ServeSpec::take`); here bytes are moved.

mod answer;
mod connection;
mod request;

use super::{Host, Shared};
use mclive_compiler::protocol::{Input, Ticket};
use mclive_compiler::vocab::{Datum, HostError, HostErrorKind, ServeSpec, serve};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Who else asks meanwhile is told to come again.
const MOST_CONNECTIONS: usize = 64;
const STACK: usize = 256 << 10;

#[derive(Default)]
pub(super) struct Web {
    servers: Mutex<BTreeMap<Ticket, Arc<Server>>>,
}

type Form = Vec<(Vec<u8>, Vec<u8>)>;

struct Server {
    listener: TcpListener,
    state: Mutex<State>,
    /// A connection has ended.
    ended: Condvar,
}

struct State {
    ticket: Ticket,
    spec: Arc<ServeSpec>,
    /// The last form, by the path of its route.
    forms: BTreeMap<String, Form>,
    closed: bool,
    connections: BTreeMap<u64, Connection>,
    n_connections: u64,
}

struct Connection {
    stream: TcpStream,
    /// Is it in the middle of a request?
    busy: bool,
}

impl Host {
    /// Errors: the policy forbids it, or the address cannot be had.
    pub(super) fn open_server(&self, ticket: Ticket, spec: ServeSpec) -> Result<(), HostError> {
        let refused = |why| HostError::new(HostErrorKind::Refused, why);
        self.shared.policy.listen(&spec.address).map_err(refused)?;
        let mut servers = self.shared.web.servers.lock().expect("no holder panics");
        let takes_over = |server: &Arc<Server>| {
            let state = server.state.lock().expect("no holder panics");
            state.spec.name == spec.name && state.spec.address == spec.address
        };
        let old = servers.iter().find(|(_, server)| takes_over(server)).map(|(old, _)| *old);
        if let Some(server) = old.and_then(|old| servers.remove(&old)) {
            {
                let mut state = server.state.lock().expect("no holder panics");
                (state.ticket, state.spec) = (ticket, Arc::new(spec));
            }
            servers.insert(ticket, server);
            return Ok(());
        }
        let listener = bind(&spec.address).map_err(|error| {
            HostError::new(HostErrorKind::Other, format!("could not start listener: listen {}: {error}", spec.address))
        })?;
        let state = State {
            ticket,
            spec: Arc::new(spec),
            forms: BTreeMap::new(),
            closed: false,
            connections: BTreeMap::new(),
            n_connections: 0,
        };
        let server = Arc::new(Server { listener, state: Mutex::new(state), ended: Condvar::new() });
        let (accepting, shared) = (server.clone(), self.shared.clone());
        if !self.pool.run_apart(move || accept(&accepting, &shared)) {
            return Err(HostError::new(HostErrorKind::Unavailable, "the system starts no further thread"));
        }
        servers.insert(ticket, server);
        Ok(())
    }
}

impl Web {
    /// Takes no further request. Those that are open may end, within the time that is set for it.
    pub(super) fn close(&self, ticket: Ticket) {
        let Some(server) = self.servers.lock().expect("no holder panics").remove(&ticket) else { return };
        // The thread that accepts wakes up.
        let _ = rustix::net::shutdown(&server.listener, rustix::net::Shutdown::Both);
        let limit_s = {
            let mut state = server.state.lock().expect("no holder panics");
            state.closed = true;
            for connection in state.connections.values().filter(|connection| !connection.busy) {
                let _ = connection.stream.shutdown(Shutdown::Both);
            }
            if state.connections.is_empty() { 0 } else { state.spec.shutdown_timeout_s }
        };
        if limit_s > 0 {
            let thread = std::thread::Builder::new().name("closing".into()).stack_size(STACK);
            let _ = thread.spawn(move || server.close_by_force(Duration::from_secs(limit_s)));
        }
    }

    /// The answer to `Probe::Posted`.
    pub(super) fn posted(&self, address: &str) -> Option<Datum> {
        let servers = self.servers.lock().expect("no holder panics");
        servers.values().find_map(|server| {
            let state = server.state.lock().expect("no holder panics");
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

impl Server {
    fn close_by_force(&self, limit: Duration) {
        let until = Instant::now() + limit;
        let mut state = self.state.lock().expect("no holder panics");
        while !state.connections.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                for connection in state.connections.values() {
                    let _ = connection.stream.shutdown(Shutdown::Both);
                }
                return;
            }
            state = self.ended.wait_timeout(state, left).expect("no holder panics").0;
        }
    }

    /// A form was posted to a route: it is kept, and told.
    fn post(&self, shared: &Shared, route: &str, path: &str, body: &[u8], query: &str) {
        let mut form = serve::form(body);
        form.extend(serve::form(query.as_bytes()));
        let mut state = self.state.lock().expect("no holder panics");
        state.forms.insert(route.to_owned(), form);
        shared.tell(Input::Fired(state.ticket, Some(format!("POST {path}"))));
    }

    /// A connection is in the middle of a request, or between two. `None`: it must end.
    fn set_busy(&self, id: u64, busy: bool) -> Option<Arc<ServeSpec>> {
        let mut state = self.state.lock().expect("no holder panics");
        let closed = state.closed;
        state.connections.get_mut(&id)?.busy = busy;
        (!closed || busy).then(|| state.spec.clone())
    }
}

/// Without a host, every address: of both families where the machine has both.
fn bind(address: &str) -> std::io::Result<TcpListener> {
    match address.strip_prefix(':') {
        Some(port) => TcpListener::bind(format!("[::]:{port}")).or_else(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse | std::io::ErrorKind::PermissionDenied => Err(error),
            _ => TcpListener::bind(format!("0.0.0.0:{port}")),
        }),
        None => TcpListener::bind(address),
    }
}

fn accept(server: &Arc<Server>, shared: &Arc<Shared>) {
    loop {
        let accepted = server.listener.accept();
        if server.state.lock().expect("no holder panics").closed {
            return;
        }
        match accepted {
            Ok((stream, _)) => begin(server, shared, stream),
            // Too many open files, or a peer that left at once.
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn begin(server: &Arc<Server>, shared: &Arc<Shared>, mut stream: TcpStream) {
    let Ok(own) = stream.try_clone() else { return };
    let id = {
        let mut state = server.state.lock().expect("no holder panics");
        if state.connections.len() >= MOST_CONNECTIONS {
            drop(state);
            let busy =
                "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(busy.as_bytes());
            return;
        }
        state.n_connections += 1;
        let id = state.n_connections;
        state.connections.insert(id, Connection { stream: own, busy: false });
        id
    };
    let (serving, shared) = (server.clone(), shared.clone());
    let thread = std::thread::Builder::new().name("request".into()).stack_size(STACK);
    let begun = thread.spawn(move || {
        connection::serve(&serving, &shared, id, stream);
        end(&serving, id);
    });
    if begun.is_err() {
        end(server, id);
    }
}

fn end(server: &Server, id: u64) {
    server.state.lock().expect("no holder panics").connections.remove(&id);
    server.ended.notify_all();
}
