//! Routes of other servers' content: pulled through once, and kept.
//!
//! ```text
//! other server --> scratch file --> whoever asks for this URL meanwhile
//!                       `--when whole--> cache
//! ```
//!
//! A pull goes on when the client that began it leaves: the next one finds it, or what it kept.

use super::Open;
use super::answer::{answered, content_type, plain};
use crate::host::errno::{io_failed, io_words};
use crate::host::subject::scratch;
use crate::host::{Shared, fs};
use crate::lock::Mutex;
use crate::network::http::client::{self, Question, Reply};
use crate::network::http::{Body, Bytes, Method, Response, StatusCode, header};
use mclive_base::vocab::{Attributes, HostError, HostErrorKind, Power};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

/// Read at a time.
const PIECE: u64 = 128 << 10;
/// Pulls of one server at once; each has a connection and a file.
const MOST_PULLS: usize = 32;
/// The kind, as the policy and the audit log name who writes to the cache.
const KIND: &str = "http:server:proxy";

/// What is on its way, by URL.
#[derive(Default)]
pub(super) struct Pulls(Mutex<BTreeMap<String, Arc<Pull>>>);

struct Pull {
    file: File,
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

/// What is not in the cache.
pub(super) async fn answer(
    open: &Open,
    method: &Method,
    path: &str,
    url: &str,
    cached: Option<String>,
) -> Response<Body> {
    let pull = match open.pulls.find_or_begin(&open.shared, method, url, cached) {
        Ok(pull) => pull,
        Err(status) => return plain(status),
    };
    let mut progress = pull.progress.subscribe();
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
    /// Errors: too many are on their way, or there is no room for one.
    fn find_or_begin(
        &self,
        shared: &Arc<Shared>,
        method: &Method,
        url: &str,
        cached: Option<String>,
    ) -> Result<Arc<Pull>, StatusCode> {
        let key = format!("{method} {url}");
        let mut pulls = self.0.lock();
        pulls.retain(|_, pull| pull.progress.borrow().end.is_none());
        if let Some(pull) = pulls.get(&key) {
            return Ok(pull.clone());
        }
        if pulls.len() >= MOST_PULLS {
            return Err(StatusCode::SERVICE_UNAVAILABLE);
        }
        let file = scratch(shared.state.prefix()).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        let pull = Arc::new(Pull { file, progress: watch::Sender::new(Progress::default()) });
        tokio::spawn(pull.clone().run(shared.clone(), method.clone(), url.to_owned(), cached));
        pulls.insert(key, pull.clone());
        Ok(pull)
    }
}

impl Pull {
    async fn run(self: Arc<Pull>, shared: Arc<Shared>, method: Method, url: String, cached: Option<String>) {
        let cached = cached.filter(|_| method == Method::GET);
        let question = Question::new(method, url);
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
            (&into.file).write_all(bytes)?;
            into.progress.send_modify(|now| now.n_written += bytes.len() as u64);
            Ok(())
        });
        let pulled = client::ask(question, &judge, &herald, sink).await;
        let whole = pulled.as_ref().ok().filter(|reply| reply.status == StatusCode::OK && reply.has_end);
        if let Some((cached, modified)) = cached.zip(whole.map(|reply| reply.modified)) {
            let pull = self.clone();
            // A disk may keep us waiting: not the network's thread.
            let _ = spawn_blocking(move || pull.keep(&shared, &cached, modified)).await;
        }
        self.progress.send_modify(|now| now.end = Some(pulled.map(drop)));
    }

    /// Puts what is whole into the cache. What cannot be kept is asked for again, and told in the audit log.
    fn keep(&self, shared: &Shared, path: &str, modified: Option<SystemTime>) {
        let began = Instant::now();
        let changes = || shared.policy.changes();
        let dir = path.rsplit_once('/').map_or("/", |(dir, _)| dir);
        let refused = |why| HostError::new(HostErrorKind::Refused, why);
        let kept = shared.policy.function(KIND).map_err(refused).and_then(|()| {
            let _mine = shared.files.lock(path);
            fs::make_dir(changes(), dir, true, Some(0o700), 0o077)?;
            (&self.file).rewind().map_err(|error| io_failed("read", path, &error))?;
            let bytes = fs::Bytes::Opened { file: &self.file, stopped: &|| false };
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

/// Hands a client what is there, and what comes.
async fn hand_on(pull: Arc<Pull>, mut progress: watch::Receiver<Progress>, send: mpsc::Sender<std::io::Result<Bytes>>) {
    let mut at = 0;
    loop {
        let now = progress.wait_for(|now| now.n_written > at || now.end.is_some()).await.map(|now| now.clone());
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
            of.file.read_exact_at(&mut bytes, at).map(|()| Bytes::from(bytes))
        });
        let read = read.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        at += most;
        let is_broken = read.is_err();
        // The client may have left.
        if send.send(read.map_err(|error| std::io::Error::other(io_words(&error)))).await.is_err() || is_broken {
            return;
        }
    }
}
