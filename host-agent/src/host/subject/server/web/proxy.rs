//! Routes with content of other servers: downloaded once, and cached.
//!
//! ```text
//! other server --> scratch file --> all clients that ask for this URL in the meantime
//!                       `--when complete--> cache
//! ```
//!
//! A download ends when no client waits for it any more. It checks for free space first (`spool.rs`), and content that
//! does not fit into the cache is passed on but not kept (`cache.rs`).

use super::Open;
use super::answer::{answered, content_type, plain};
use super::cache::Cache;
use crate::host::errno::{io_failed, io_words};
use crate::host::spool::SpoolFile;
use crate::host::{Shared, fs};
use crate::lock::Mutex;
use crate::network::http::client::{self, Question, Reply};
use crate::network::http::{Body, Bytes, Method, Response, StatusCode, header};
use mclive_base::vocab::{Attributes, HostError, HostErrorKind, Power};
use std::collections::BTreeMap;
use std::io::Seek;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

/// Bytes read at a time.
const PIECE: u64 = 128 << 10;
/// The maximum number of concurrent downloads of one server; each has a connection and a file.
const MOST_PULLS: usize = 32;
/// The kind that the policy and the audit log use for writes to the cache.
const KIND: &str = "http:server:proxy";

/// The downloads in progress, by URL.
#[derive(Clone, Default)]
pub(super) struct Pulls {
    on_their_way: Arc<Mutex<BTreeMap<String, Arc<Pull>>>>,
    cache: Arc<Cache>,
}

/// Where a body is cached.
pub(super) struct CacheEntry {
    /// The directory of the cache.
    pub(super) dir: String,
    pub(super) path: String,
}

struct Pull {
    file: SpoolFile,
    progress: watch::Sender<Progress>,
}

#[derive(Clone, Default)]
struct Progress {
    head: Option<Head>,
    n_written: u64,
    end: Option<Result<(), HostError>>,
}

#[derive(Clone, Copy)]
struct Head {
    status: StatusCode,
    modified: Option<SystemTime>,
    length: Option<u64>,
}

/// The answer for content that is not cached.
pub(super) async fn answer(
    open: &Open,
    method: &Method,
    path: &str,
    url: &str,
    entry: Option<CacheEntry>,
) -> Response<Body> {
    let (pull, mut progress) = match open.pulls.find_or_begin(&open.shared, method, url, entry) {
        Ok(pull) => pull,
        Err(status) => return plain(status),
    };
    let known = progress.wait_for(|now| now.head.is_some() || now.end.is_some()).await;
    let Ok(now) = known.map(|now| now.clone()) else { return plain(StatusCode::BAD_GATEWAY) };
    let head = match (now.head, now.end) {
        (Some(head), _) => head,
        (None, Some(Err(error))) if error.kind == HostErrorKind::Refused => return plain(StatusCode::FORBIDDEN),
        (None, _) => return plain(StatusCode::BAD_GATEWAY),
    };
    if head.status != StatusCode::OK {
        return plain(StatusCode::NOT_FOUND);
    }
    let shown = head.modified.map(httpdate::fmt_http_date);
    let mut headers: Vec<_> = shown.iter().map(|shown| (header::LAST_MODIFIED, shown.as_str())).collect();
    headers.push((header::CONTENT_TYPE, content_type(path, None)));
    if method == Method::HEAD {
        let length = head.length.map(|length| length.to_string());
        headers.extend(length.iter().map(|length| (header::CONTENT_LENGTH, length.as_str())));
        return answered(StatusCode::OK, &headers, "");
    }
    let (send, pieces) = mpsc::channel(2);
    tokio::spawn(hand_on(pull, progress, send));
    answered(StatusCode::OK, &headers, Body::pieces(pieces, head.length))
}

impl Pulls {
    /// A download in progress, or a new one. Errors: there are too many, or there is no room.
    fn find_or_begin(
        &self,
        shared: &Arc<Shared>,
        method: &Method,
        url: &str,
        entry: Option<CacheEntry>,
    ) -> Result<(Arc<Pull>, watch::Receiver<Progress>), StatusCode> {
        let key = format!("{method} {url}");
        let mut pulls = self.on_their_way.lock();
        if let Some(pull) = pulls.get(&key) {
            return Ok((pull.clone(), pull.progress.subscribe()));
        }
        if pulls.len() >= MOST_PULLS {
            return Err(StatusCode::SERVICE_UNAVAILABLE);
        }
        let file = SpoolFile::new(shared.state.prefix()).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        let pull = Arc::new(Pull { file, progress: watch::Sender::new(Progress::default()) });
        let waits = pull.progress.subscribe();
        pulls.insert(key.clone(), pull.clone());
        let (all, of, shared) = (self.clone(), pull.clone(), shared.clone());
        let question = Question::new(method.clone(), url.to_owned());
        tokio::spawn(async move {
            tokio::select! {
                end = of.clone().run(&all, shared, question, entry) => {
                    all.on_their_way.lock().remove(&key);
                    of.progress.send_modify(|now| now.end = Some(end));
                }
                () = all.is_left(&key, &of) => {}
            }
        });
        Ok((pull, waits))
    }

    /// Resolves when no client waits for an incomplete download, which is then removed.
    async fn is_left(&self, key: &str, pull: &Pull) {
        loop {
            pull.progress.closed().await;
            if pull.is_all_there() {
                // It is moved to the cache.
                return std::future::pending().await;
            }
            if self.leaves_out(key, pull) {
                return;
            }
        }
    }

    /// Removes a download without waiting clients. `false`: there is one again.
    fn leaves_out(&self, key: &str, pull: &Pull) -> bool {
        let mut pulls = self.on_their_way.lock();
        let is_left = pull.progress.receiver_count() == 0;
        if is_left {
            pulls.remove(key);
        }
        is_left
    }
}

impl Pull {
    fn is_all_there(&self) -> bool {
        let now = self.progress.borrow();
        now.head.and_then(|head| head.length).is_some_and(|length| now.n_written >= length)
    }

    async fn run(
        self: Arc<Pull>,
        pulls: &Pulls,
        shared: Arc<Shared>,
        question: Question,
        entry: Option<CacheEntry>,
    ) -> Result<(), HostError> {
        let entry = entry.filter(|_| question.method == Method::GET);
        let policy = shared.clone();
        let judge = move |url: &str| {
            let refused = |why| HostError::new(HostErrorKind::Refused, why);
            policy.policy.power(&Power::Ask(url.into())).map_err(refused)
        };
        let of_head = self.clone();
        let herald = move |reply: &Reply| {
            let head = Head { status: reply.status, modified: reply.modified, length: reply.length };
            of_head.progress.send_modify(|now| now.head = Some(head));
        };
        let into = self.clone();
        let sink: Arc<client::Sink> = Arc::new(move |bytes: &[u8]| {
            // A body that is too large is not received.
            let now = into.progress.borrow().clone();
            let length = now.head.and_then(|head| head.length);
            into.file.has_room(length.map_or(0, |length| length.saturating_sub(now.n_written)))?;
            into.file.add(bytes)?;
            into.progress.send_modify(|now| now.n_written += bytes.len() as u64);
            Ok(())
        });
        let pulled = client::ask(question, &judge, &herald, sink).await;
        let whole = pulled.as_ref().ok().filter(|reply| reply.status == StatusCode::OK && reply.has_end);
        if let Some((entry, (modified, size))) = entry.zip(whole.map(|reply| (reply.modified, reply.size))) {
            let (pull, cache) = (self.clone(), pulls.cache.clone());
            // A disk may block, and the network's thread must not.
            let _ = spawn_blocking(move || pull.keep(&shared, &cache, &entry, size, modified)).await;
        }
        pulled.map(drop)
    }

    /// Moves a complete body to the cache. On failure, which the audit log records, the next request downloads it
    /// again.
    fn keep(&self, shared: &Shared, cache: &Cache, entry: &CacheEntry, size: u64, modified: Option<SystemTime>) {
        let path = entry.path.as_str();
        let began = Instant::now();
        let changes = || shared.policy.changes();
        let dir = path.rsplit_once('/').map_or("/", |(dir, _)| dir);
        let refused = |why| HostError::new(HostErrorKind::Refused, why);
        let kept = shared.policy.function(KIND).map_err(refused).and_then(|()| {
            let _mine = shared.files.lock(path);
            cache.take(shared.policy.reads(), &entry.dir, size)?;
            fs::make_dir(changes(), dir, true, Some(0o700), 0o077)?;
            self.file.file().rewind().map_err(|error| io_failed("read", path, &error))?;
            let bytes = fs::Bytes::Opened { file: self.file.file(), stopped: &|| false };
            fs::write_file(changes(), path, &bytes, &Attributes::default(), shared.umask)?;
            let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            match since.and_then(|since| i64::try_from(since.as_secs()).ok()) {
                Some(at_s) => fs::set_modified(changes(), path, at_s),
                None => Ok(()),
            }
        });
        shared.audit.effect(KIND, &format!("write {path}"), kept.as_ref().err(), began.elapsed());
    }
}

/// Sends a client the received bytes, and those that follow.
async fn hand_on(pull: Arc<Pull>, mut progress: watch::Receiver<Progress>, send: mpsc::Sender<std::io::Result<Bytes>>) {
    let mut at = 0;
    loop {
        let now = tokio::select! {
            now = progress.wait_for(|now| now.n_written > at || now.end.is_some()) => now.map(|now| now.clone()),
            () = send.closed() => return,
        };
        let Ok(now) = now else { return };
        if now.n_written == at {
            if let Some(Err(error)) = now.end {
                let _ = send.send(Err(std::io::Error::other(error.message))).await;
            }
            return;
        }
        let (of, most) = (pull.clone(), (now.n_written - at).min(PIECE));
        let read = spawn_blocking(move || {
            let mut bytes = vec![0; usize::try_from(most).unwrap_or(0)];
            of.file.file().read_exact_at(&mut bytes, at).map(|()| Bytes::from(bytes))
        });
        let read = read.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        at += most;
        let is_broken = read.is_err();
        // The client may have disconnected.
        if send.send(read.map_err(|error| std::io::Error::other(io_words(&error)))).await.is_err() || is_broken {
            return;
        }
    }
}
