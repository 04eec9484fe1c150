//! The HTTP server. `serve`, the metrics and the servers of programs are [`Site`]s on it.
//!
//! ```text
//! listener -> slot (how many at once, who leaves first) -> hyper -> request (strict and whole) -> Site::answer
//! ```
//!
//! hyper implements the protocol. This module adds the limits: connections, headers, bodies, and their times. If a
//! server is full, the connection that has been idle longest is closed for a new one.

mod body;
pub(crate) mod client;
mod doorway;
pub(crate) mod keep_alive;
mod line;
mod pem;
mod pinned;
mod request;
mod secrets;
mod slots;
mod stream;
pub(crate) mod talk;
pub(crate) mod tls;
mod trust;

pub(crate) use body::Body;
pub(crate) use hyper::body::Bytes;
pub(crate) use hyper::{HeaderMap, Method, Request, Response, StatusCode, header};
pub(crate) use secrets::Secrets;
pub(crate) use slots::network_of;
pub(crate) use trust::Trust;

use super::Network;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use rustix::process::{Resource, getrlimit};
use slots::{Slot, Slots};
use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use stream::Guarded;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};

/// The maximum size of a request's head, and the maximum number of its fields.
const LARGEST_HEAD: usize = 32 << 10;
const MOST_HEADERS: usize = 64;
const MOST_CONNECTIONS: usize = 256;
/// The limit of a site that does not hold requests.
pub(crate) const LONGEST_THOUGHT: Duration = Duration::from_secs(60);
/// The longest round trip of a client that began to connect when the door was shut.
const HANDSHAKE: Duration = Duration::from_millis(250);
/// The reactor reports what sockets contain before any timer that has run out.
const TURN: Duration = Duration::from_millis(1);
/// How long a connection without a request in progress stays when the server ends: one that is in use gets its next
/// request answered, and reads that it was the last. A request to a connection that is closed at once would be lost.
const PARTING: Duration = Duration::from_millis(250);
/// The answer to a new connection when all others are active.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The content of a server.
pub(crate) trait Site: Send + Sync + 'static {
    fn limits(&self) -> Limits;

    /// Answers a complete request. Must not block.
    fn answer(&self, request: Request<Bytes>) -> impl Future<Output = Response<Body>> + Send;

    /// Whether to read the body of a request. Errors: how long its client has to wait.
    fn admit(&self, _head: &Request<()>) -> Result<(), Duration> {
        Ok(())
    }

    /// Whose request this is: the large bodies that one party sends at once are few.
    fn party(&self, head: &Request<()>) -> IpAddr {
        head.extensions().get::<Peer>().map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.address.ip())
    }

    /// Reports a request whose head cannot be read: hyper has answered it with this status, and closed the connection.
    fn unread(&self, _peer: Peer, _status: StatusCode) {}

    /// The answer to a request that was not read completely, after which the connection is closed.
    fn refuse(&self, _head: &Request<()>, refusal: &Refusal) -> Response<Body> {
        request::refuse(refusal.why.status())
    }
}

/// Why and when a request was refused.
pub(crate) struct Refusal {
    pub(crate) why: Why,
    /// How much of its body was read.
    pub(crate) n_bytes: usize,
    pub(crate) took: Duration,
}

/// Why a request was not read completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// It can be read in several ways, or its body is broken.
    Unclear,
    /// The site did not admit it; with the time to wait.
    TooOften(Duration),
    /// With the limit, in bytes.
    TooLarge(usize),
    TooSlow,
    /// Too many others send large bodies.
    Busy,
}

impl Why {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Why::Unclear => StatusCode::BAD_REQUEST,
            Why::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
            Why::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Why::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Why::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// The origin of a request, as one of its extensions: the other end of the connection, which may be a proxy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// The connection is encrypted.
    pub(crate) is_secret: bool,
}

/// The limits of clients: times and sizes.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// For the head of a request, including the next one on a connection, and again for its body.
    pub(crate) receive: Duration,
    /// For a whole answer. `None`: while the client continues to receive it.
    pub(crate) answer: Option<Duration>,
    /// For the head of an answer, if there is no limit of the whole. `None`: the site holds requests.
    pub(crate) thought: Option<Duration>,
    /// For a body, in bytes.
    pub(crate) body: usize,
}

impl Limits {
    /// The limits of a read-only site.
    pub(crate) const READ_ONLY: Limits = Limits {
        receive: Duration::from_secs(20),
        answer: Some(Duration::from_secs(300)),
        thought: Some(LONGEST_THOUGHT),
        body: 64 << 10,
    };
}

/// A server that listens until it is closed or dropped.
pub(crate) struct Server {
    stage: watch::Sender<Stage>,
    listener: TcpListener,
    /// The connections that were queued when it was closed.
    queued: mpsc::UnboundedSender<Queued>,
}

type Queued = (std::net::TcpStream, SocketAddr);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// Requests in progress may finish within this time. `None`: within their own limits.
    Closing(Option<Duration>),
}

/// Starts to serve.
pub(crate) fn serve(network: &Network, listener: TcpListener, site: Arc<impl Site>) -> std::io::Result<Server> {
    serve_with(network, listener, None, site)
}

/// The same; with `secrets` every connection is encrypted.
pub(crate) fn serve_with(
    network: &Network,
    listener: TcpListener,
    secrets: Option<Secrets>,
    site: Arc<impl Site>,
) -> std::io::Result<Server> {
    let runtime = network.handle()?;
    let (stage, stages) = watch::channel(Stage::Open);
    let own = listener.try_clone()?;
    own.set_nonblocking(true)?;
    let accepting = {
        let _in_runtime = runtime.enter();
        tokio::net::TcpListener::from_std(own)?
    };
    let (queued, late) = mpsc::unbounded_channel();
    runtime.spawn(accept(accepting, secrets, site, stages, late));
    Ok(Server { stage, listener, queued })
}

impl Server {
    /// Accepts no further requests and waits until those in progress are answered, up to the grace period.
    pub(crate) fn finish(self, network: &Network, grace: Duration) {
        doorway::shut(&self.listener);
        let is_here = self.listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
        std::thread::sleep(if is_here { TURN * 10 } else { HANDSHAKE.min(grace) });
        self.close_at(Some(grace));
        let stage = self.stage.clone();
        // Each connection follows the stage until it ends.
        let _ = network.wait(grace.saturating_add(Duration::from_secs(1)), async move { stage.closed().await }, |_| {});
    }

    /// Accepts no further requests; the address is free on return.
    pub(crate) fn close(self, grace: Option<Duration>) -> Closing {
        self.close_at(grace);
        Closing(self.stage.clone())
    }

    /// A connection that is not accepted yet may already contain a request, and the kernel resets it when the listener
    /// is shut down. The reactor may not have reported it yet, so the queue itself is asked.
    fn close_at(&self, grace: Option<Duration>) {
        doorway::shut(&self.listener);
        for queued in std::iter::from_fn(|| self.listener.accept().ok()).take(MOST_CONNECTIONS) {
            let _ = self.queued.send(queued);
        }
        self.stage.send_replace(Stage::Closing(grace));
    }
}

/// A server that accepts no further requests.
pub(crate) struct Closing(watch::Sender<Stage>);

impl Closing {
    /// All requests have been answered.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_closed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stage.send_if_modified(|stage| {
            let is_open = *stage == Stage::Open;
            *stage = if is_open { Stage::Closing(Some(Duration::ZERO)) } else { *stage };
            is_open
        });
        // The other descriptor is closed later, on the network's thread.
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
    }
}

async fn accept(
    listener: tokio::net::TcpListener,
    secrets: Option<Secrets>,
    site: Arc<impl Site>,
    mut stages: watch::Receiver<Stage>,
    mut late: mpsc::UnboundedReceiver<Queued>,
) {
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    let all_stages = stages.clone();
    let slots = Arc::new(Slots::new((files.unwrap_or(MOST_CONNECTIONS * 8) / 8).clamp(4, MOST_CONNECTIONS)));
    let welcome = |stream: TcpStream, address| match Slots::take(&slots) {
        Some(slot) => {
            let (secrets, site, stages) = (secrets.clone(), site.clone(), all_stages.clone());
            drop(tokio::spawn(connection(stream, address, secrets, site, slot, stages)));
        }
        None => drop(stream.try_write(FULL)),
    };
    loop {
        let accepted = tokio::select! {
            biased;
            _ = closing(&mut stages) => {
                while let Ok((stream, address)) = late.try_recv() {
                    if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
                        welcome(stream, address);
                    }
                }
                let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
                return;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => welcome(stream, address),
            // Too many open files, or a peer that disconnected at once.
            Err(_) => {
                slots.make_room();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Waits until the server is closed; returns the time left for requests in progress.
async fn closing(stages: &mut watch::Receiver<Stage>) -> Option<Duration> {
    loop {
        let stage = *stages.borrow_and_update();
        match stage {
            Stage::Closing(grace) => return grace,
            Stage::Open if stages.changed().await.is_err() => return Some(Duration::ZERO),
            Stage::Open => {}
        }
    }
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    secrets: Option<Secrets>,
    site: Arc<impl Site>,
    slot: Arc<Slot>,
    stages: watch::Receiver<Stage>,
) {
    let _ = stream.set_nodelay(true);
    let Some(secrets) = secrets else {
        let peer = Peer { address, is_secret: false };
        return converse(stream, peer, site, slot, stages).await;
    };
    // An incomplete handshake is limited like an incomplete request.
    let secured = tokio::select! {
        secured = tokio::time::timeout(site.limits().receive, secrets.accept(stream)) => secured,
        () = slot.is_asked_to_leave() => return,
    };
    if let Ok(Ok(stream)) = secured {
        converse(stream, Peer { address, is_secret: true }, site, slot, stages).await;
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Send + Unpin>(
    stream: S,
    peer: Peer,
    site: Arc<impl Site>,
    slot: Arc<Slot>,
    mut stages: watch::Receiver<Stage>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(site.limits().receive);
    http.max_headers(MOST_HEADERS).max_header_size(LARGEST_HEAD).max_buf_size(LARGEST_HEAD);
    // A client may close its side after the request and wait for the answer.
    http.half_close(true).title_case_headers(true);
    let (answers, stage, answering) = (slot.clone(), stages.clone(), site.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (site, slot, stage) = (answering.clone(), answers.clone(), stage.clone());
        request.extensions_mut().insert(peer);
        async move {
            let mut answer = request::answer(&*site, &slot, request).await;
            if *stage.borrow() != Stage::Open {
                answer.headers_mut().insert(header::CONNECTION, header::HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let mut connection = pin!(http.serve_connection(Guarded::new(stream, slot.clone()), service));
    // Otherwise the outcome of a connection is ignored: the client got an error, or has disconnected.
    let report = |ended: hyper::Result<()>| match ended {
        Err(why) if why.is_parse_too_large() => site.unread(peer, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
        Err(why) if why.is_parse() => site.unread(peer, StatusCode::BAD_REQUEST),
        Ok(()) | Err(_) => {}
    };
    let grace = tokio::select! {
        ended = connection.as_mut() => return report(ended),
        () = slot.is_asked_to_leave() => return,
        grace = closing(&mut stages) => grace,
    };
    // hyper closes a connection from which it has read nothing, even if a request is already in the socket or on its way.
    let parting = grace.map_or(PARTING, |grace| PARTING.min(grace));
    if !parting.is_zero()
        && let Ok(ended) = tokio::time::timeout(parting, connection.as_mut()).await
    {
        return report(ended);
    }
    connection.as_mut().graceful_shutdown();
    match grace {
        Some(grace) => drop(tokio::time::timeout(grace.saturating_sub(parting), connection).await),
        None => drop(connection.await),
    }
}

#[cfg(test)]
mod tests;
