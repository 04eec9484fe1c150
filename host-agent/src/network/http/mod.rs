//! The one HTTP server. `serve`, the metrics and the servers of programs are [`Site`]s on it.
//!
//! ```text
//! listener -> seat (how many at once, who leaves first) -> hyper -> request (strict and whole) -> Site::answer
//! ```
//!
//! hyper reads and writes the protocol. Here are the bounds: connections, heads, bodies, and the time that each of
//! them may take. Where a server is full, who has kept it waiting longest makes room for who comes.

mod body;
pub(crate) mod client;
mod request;
mod seats;
mod stream;
pub(crate) mod talk;
mod tls;

pub(crate) use body::Body;
pub(crate) use hyper::body::Bytes;
pub(crate) use hyper::{HeaderMap, Method, Request, Response, StatusCode, header};
pub(crate) use tls::Secrets;

use super::Network;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use rustix::process::{Resource, getrlimit};
use seats::{Seat, Seats};
use std::convert::Infallible;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use stream::Guarded;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;

/// Bytes of a request's head, and how many fields it may have.
const LARGEST_HEAD: usize = 32 << 10;
const MOST_HEADERS: usize = 64;
const MOST_CONNECTIONS: usize = 256;
/// A site that neither answers nor holds requests is given up after this.
pub(crate) const LONGEST_THOUGHT: Duration = Duration::from_secs(60);
/// Said to who comes while everybody else is being served.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// What is served.
pub(crate) trait Site: Send + Sync + 'static {
    fn limits(&self) -> Limits;

    /// Answers a request that has arrived whole. Must not block.
    fn answer(&self, request: Request<Bytes>) -> impl Future<Output = Response<Body>> + Send;
}

/// Whom a request came from, as one of its extensions: the other end of the connection, which may be a proxy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// The connection is encrypted.
    pub(crate) is_secret: bool,
}

/// How long clients may take, and how much they may send.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// For the head of a request, also the next one on a connection, and again for its body.
    pub(crate) receive: Duration,
    /// For a whole answer. `None`: as long as the client goes on taking it.
    pub(crate) answer: Option<Duration>,
    /// For the head of an answer, where none is set for the whole. `None`: the site holds requests.
    pub(crate) thought: Option<Duration>,
    /// Bytes of a body.
    pub(crate) body: usize,
}

impl Limits {
    /// Of a site that only answers.
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
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// What is under way may end, within this time. `None`: within its own limits.
    Closing(Option<Duration>),
}

/// Begins to serve.
pub(crate) fn serve(network: &Network, listener: TcpListener, site: Arc<impl Site>) -> std::io::Result<Server> {
    serve_with(network, listener, None, site)
}

/// The same; with secrets, every connection is encrypted.
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
    runtime.spawn(accept(accepting, secrets, site, stages));
    Ok(Server { stage, listener })
}

impl Server {
    /// Takes no further request and waits until those that are under way are answered, at most for the grace.
    pub(crate) fn finish(self, network: &Network, grace: Duration) {
        self.stage.send_replace(Stage::Closing(Some(grace)));
        let stage = self.stage.clone();
        // Each connection listens to the stage until it ends.
        let _ = network.wait(grace + Duration::from_secs(1), async move { stage.closed().await }, |_| {});
    }

    /// Takes no further request; the address is free when this returns.
    pub(crate) fn close(self, grace: Option<Duration>) -> Closing {
        self.stage.send_replace(Stage::Closing(grace));
        Closing(self.stage.clone())
    }
}

/// A server that takes no further request.
pub(crate) struct Closing(watch::Sender<Stage>);

impl Closing {
    /// Everybody who asked has an answer.
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
        // The other descriptor is closed on the network's thread, in its own time.
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
    }
}

async fn accept(
    listener: tokio::net::TcpListener,
    secrets: Option<Secrets>,
    site: Arc<impl Site>,
    mut stages: watch::Receiver<Stage>,
) {
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    let all_stages = stages.clone();
    let seats = Arc::new(Seats::new((files.unwrap_or(MOST_CONNECTIONS * 8) / 8).clamp(4, MOST_CONNECTIONS)));
    let welcome = |stream: TcpStream, address| match Seats::take(&seats) {
        Some(seat) => {
            let (secrets, site, stages) = (secrets.clone(), site.clone(), all_stages.clone());
            drop(tokio::spawn(connection(stream, address, secrets, site, seat, stages)));
        }
        None => drop(stream.try_write(FULL)),
    };
    loop {
        let accepted = tokio::select! {
            biased;
            grace = closing(&mut stages) => {
                // Who is connected and was not accepted yet has perhaps asked already.
                while grace != Some(Duration::ZERO) && let Some(Ok((stream, address))) = at_once(listener.accept()).await {
                    welcome(stream, address);
                }
                let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
                return;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => welcome(stream, address),
            // Too many open files, or a peer that left at once.
            Err(_) => {
                seats.make_room();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// What a future has now, without waiting for it.
async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Waits until the server is closed: how long what is under way may still take.
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
    seat: Arc<Seat>,
    stages: watch::Receiver<Stage>,
) {
    let _ = stream.set_nodelay(true);
    let Some(secrets) = secrets else {
        let peer = Peer { address, is_secret: false };
        return converse(stream, peer, site, seat, stages).await;
    };
    // Whoever does not finish the handshake keeps us waiting like one who does not finish a request.
    let secured = tokio::select! {
        secured = tokio::time::timeout(site.limits().receive, secrets.accept(stream)) => secured,
        () = seat.is_asked_to_leave() => return,
    };
    if let Ok(Ok(stream)) = secured {
        converse(stream, Peer { address, is_secret: true }, site, seat, stages).await;
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Send + Unpin>(
    stream: S,
    peer: Peer,
    site: Arc<impl Site>,
    seat: Arc<Seat>,
    mut stages: watch::Receiver<Stage>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(site.limits().receive);
    http.max_headers(MOST_HEADERS).max_header_size(LARGEST_HEAD).max_buf_size(LARGEST_HEAD);
    // Who has said all may close its side and wait for the answer.
    http.half_close(true).title_case_headers(true);
    let answers = seat.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (site, seat) = (site.clone(), answers.clone());
        request.extensions_mut().insert(peer);
        async move { Ok::<_, Infallible>(request::answer(&*site, &seat, request).await) }
    });
    let mut connection = pin!(http.serve_connection(Guarded::new(stream, seat.clone()), service));
    // How a connection ends is the client's concern: it was told what was wrong, or it has left.
    let grace = tokio::select! {
        _ = connection.as_mut() => return,
        () = seat.is_asked_to_leave() => return,
        grace = closing(&mut stages) => grace,
    };
    connection.as_mut().graceful_shutdown();
    match grace {
        Some(grace) => drop(tokio::time::timeout(grace, connection).await),
        None => drop(connection.await),
    }
}

#[cfg(test)]
mod tests;
