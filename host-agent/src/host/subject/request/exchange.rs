//! [`Exchange`]: one request of a resource and the destination of its body.
//!
//! The last answer is kept with the entity tag of the server: the next request is conditional on it, and if nothing is
//! new, the kept answer is used again. An interrupted body is kept as well, and only the rest is requested.

use super::super::refused;
use super::{RequestState, Requests};
use crate::host::spool::SpoolFile;
use crate::host::{Shared, io_failed};
use crate::lock::Mutex;
use crate::network::http::client::{self, Question, Reply};
use crate::network::http::{HeaderMap, Method, StatusCode, header};
use mclive_base::vocab::request::{Answer, LONGEST_VALUE, Request, shown};
use mclive_base::vocab::{HostError, HostErrorKind, Power};
use sha2::{Digest, Sha256};
use std::io::{Read, Seek};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An answer with its body.
pub(super) struct Last {
    pub(super) answer: Answer,
    pub(super) body: Arc<SpoolFile>,
    url: String,
    etag: Option<String>,
}

/// An interrupted body.
pub(super) struct Part {
    url: String,
    spool: Spool,
}

/// The destination of a body while it arrives.
struct Spool {
    file: Arc<SpoolFile>,
    hash: Sha256,
    size: u64,
    /// The strong entity tag of the whole body.
    etag: Option<String>,
    /// Why the answer is rejected.
    wrong: Option<String>,
}

impl Spool {
    fn new(shared: &Shared) -> Result<Spool, HostError> {
        let file = Arc::new(SpoolFile::new(shared.state.prefix())?);
        Ok(Spool { file, hash: Sha256::new(), size: 0, etag: None, wrong: None })
    }

    /// An answer starts.
    fn begin(&mut self, reply: &Reply) {
        let etag = reply.etag.clone().filter(|etag| etag.starts_with('"'));
        match reply.from {
            Some(from) if from == self.size => {}
            Some(_) => self.wrong = Some("it sent a different range than requested".into()),
            None => {
                let emptied = self.file.empty();
                self.wrong = emptied.err().map(|_| "the earlier part cannot be discarded".into());
                (self.hash, self.size, self.etag) = (Sha256::new(), 0, etag);
            }
        }
        // A body that is too large is not received.
        if let Err(error) = self.file.has_room(reply.length.unwrap_or(0)) {
            self.wrong = Some(error.to_string());
        }
    }

    fn take(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if let Some(wrong) = self.wrong.clone() {
            return Err(std::io::Error::other(wrong));
        }
        // A download that is interrupted between the file and its checksum is not resumed.
        self.wrong = Some("the part that was downloaded before is incomplete".into());
        self.file.add(bytes)?;
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
        self.wrong = None;
        Ok(())
    }
}

pub(super) struct Exchange {
    uid: String,
    url: String,
    question: Question,
    spool: Arc<Mutex<Spool>>,
    /// The entity tag of the last answer was sent.
    is_marked: bool,
    is_get: bool,
}

impl Exchange {
    pub(super) fn new(shared: &Shared, uid: &str, request: &Request) -> Result<Exchange, HostError> {
        let other = |why: String| HostError::new(HostErrorKind::Other, why);
        let method: Method =
            request.method.parse().map_err(|_| other(format!("`{}` is not a valid method", request.method)))?;
        let is_get = method == Method::GET && request.body.is_none();
        let since = request.since_s.and_then(time);
        let mut question = Question { body: request.body.clone(), since, ..Question::new(method, request.url.clone()) };
        let (mark, part) = shared.subjects.request.with(uid, |state| match is_get {
            true => (state.mark(&request.url), state.part.take().filter(|part| part.url == request.url)),
            false => (None, None),
        });
        let is_marked = mark.is_some();
        if let Some(mark) = mark {
            // It is more precise than a time.
            question.since = None;
            put(&mut question.headers, header::IF_NONE_MATCH, &mark);
        }
        let spool = match part {
            Some(Part { spool, .. }) => {
                put(&mut question.headers, header::RANGE, &format!("bytes={}-", spool.size));
                put(&mut question.headers, header::IF_RANGE, spool.etag.as_deref().unwrap_or_default());
                spool
            }
            None => Spool::new(shared)?,
        };
        let (uid, url, spool) = (uid.to_owned(), request.url.clone(), Arc::new(Mutex::new(spool)));
        Ok(Exchange { uid, url, question, spool, is_marked, is_get })
    }

    /// The same, where the server may hold the answer, and is asked to. Some servers only support times.
    pub(super) fn held(mut self, since_s: Option<i64>, prefers: Option<&str>, patience: Duration) -> Exchange {
        self.question.since = since_s.and_then(time);
        if let Some(prefers) = prefers {
            put(&mut self.question.headers, header::HeaderName::from_static("prefer"), prefers);
        }
        self.question.patience = patience;
        self
    }

    /// Sends the request; dropping the future cancels it. The host may end in the meantime.
    pub(super) fn ask(
        &mut self,
        shared: Weak<Shared>,
    ) -> impl Future<Output = Result<Reply, HostError>> + Send + use<> {
        let question = std::mem::replace(&mut self.question, Question::new(Method::GET, String::new()));
        let (beginning, into) = (self.spool.clone(), self.spool.clone());
        let judge = move |url: &str| match shared.upgrade() {
            Some(shared) => shared.policy.power(&Power::Ask(url.into())).map_err(refused),
            None => Err(HostError::new(HostErrorKind::Cancelled, "the agent is stopping")),
        };
        let herald = move |reply: &Reply| beginning.lock().begin(reply);
        let sink: Arc<client::Sink> = Arc::new(move |bytes: &[u8]| into.lock().take(bytes));
        async move { client::ask(question, &judge, &herald, sink).await }
    }

    /// The outcome. Keeps a good answer, and the received part of an interrupted one. Reads a file.
    pub(super) fn finish(self, requests: &Requests, replied: Result<Reply, HostError>) -> Result<Answer, HostError> {
        let Exchange { uid, url, spool, is_marked, is_get, .. } = self;
        // A server may send less than the rest that was asked for.
        let whole = replied.and_then(|reply| {
            let mut spool = spool.lock();
            let Some(whole) = reply.whole.filter(|whole| *whole != spool.size) else { return Ok(reply) };
            let why = format!("{} of {whole} bytes were received", spool.size);
            if spool.size > whole {
                spool.wrong = Some(why.clone());
            }
            Err(HostError::new(HostErrorKind::Other, format!("{}: {why}", shown(&url))))
        });
        let reply = match whole {
            Ok(reply) => reply,
            Err(error) => {
                let spool = Arc::into_inner(spool).map(Mutex::into_inner);
                let part =
                    spool.filter(|spool| is_get && spool.size > 0 && spool.etag.is_some() && spool.wrong.is_none());
                requests.with(&uid, |state| state.part = part.map(|spool| Part { url, spool }));
                return Err(error);
            }
        };
        if reply.status == StatusCode::NOT_MODIFIED && is_marked {
            let last = requests.with(&uid, |state| state.last.as_ref().map(|last| last.answer.clone()));
            return last.ok_or_else(super::none_kept);
        }
        let spool = spool.lock();
        let failed = |error: std::io::Error| io_failed("read", &url, &error);
        spool.file.file().rewind().map_err(failed)?;
        let mut content = None;
        if spool.size <= LONGEST_VALUE {
            let mut bytes = Vec::new();
            spool.file.file().read_to_end(&mut bytes).map_err(failed)?;
            spool.file.file().rewind().map_err(failed)?;
            content = Some(bytes);
        }
        let seconds =
            |time: SystemTime| time.duration_since(UNIX_EPOCH).ok().and_then(|at| i64::try_from(at.as_secs()).ok());
        let answer = Answer {
            // The rest of an interrupted body completes it.
            status: if reply.from.is_some() { 200 } else { reply.status.as_u16() },
            hash: spool.hash.clone().finalize().into(),
            size: spool.size,
            modified_s: reply.modified.and_then(seconds),
            content,
        };
        if answer.status == 200 {
            let body = spool.file.clone();
            let last = Last { answer: answer.clone(), body, url, etag: reply.etag.filter(|_| is_get) };
            requests.with(&uid, |state| state.last = Some(last));
        }
        Ok(answer)
    }
}

impl RequestState {
    /// The entity tag of the last answer from a URL.
    fn mark(&self, url: &str) -> Option<String> {
        self.last.as_ref().filter(|last| last.url == url)?.etag.clone()
    }
}

fn time(seconds: i64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// Adds a header; an invalid value is left out.
fn put(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = header::HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;

    #[test]
    fn a_part_of_the_rest_is_no_answer_and_is_gone_on_with() {
        let dir = Scratch::new("request-part");
        let requests = Requests::default();
        let finished = |text: &[u8], whole: Option<u64>| {
            let file = Arc::new(SpoolFile::new(&dir).unwrap());
            file.add(text).unwrap();
            let (mut hash, size) = (Sha256::new(), text.len() as u64);
            hash.update(text);
            let spool = Spool { file, hash, size, etag: Some("\"e\"".into()), wrong: None };
            let (uid, url) = ("a".to_owned(), "http://h/".to_owned());
            let question = Question::new(Method::GET, url.clone());
            let spool = Arc::new(Mutex::new(spool));
            let exchange = Exchange { uid, url, question, spool, is_marked: false, is_get: true };
            let (status, modified, etag, from) = (StatusCode::PARTIAL_CONTENT, None, None, Some(2));
            let (retry_after, length, has_end) = (None, None, true);
            let reply = Reply { status, modified, etag, from, whole, retry_after, size: size - 2, length, has_end };
            let answer = exchange.finish(&requests, Ok(reply));
            let n_kept = requests.with("a", |state| state.part.take().map(|part| part.spool.size));
            (answer.map(|answer| (answer.status, answer.size)).map_err(|error| error.message), n_kept)
        };
        assert_eq!(finished(b"abcd", Some(8)), (Err("http://h/: 4 of 8 bytes were received".into()), Some(4)));
        assert_eq!(finished(b"abcdefgh", Some(8)), (Ok((200, 8)), None));
        assert_eq!(finished(b"abcdefghi", Some(8)), (Err("http://h/: 9 of 8 bytes were received".into()), None));
        assert_eq!(finished(b"abcd", None), (Ok((200, 4)), None));
    }

    #[test]
    fn only_the_answer_that_was_checked_is_moved_to_its_place() {
        let dir = Scratch::new("request-seen");
        let last = |text: &[u8]| {
            let body = Arc::new(SpoolFile::new(&dir).unwrap());
            body.add(text).unwrap();
            let (hash, size) = (Sha256::digest(text).into(), text.len() as u64);
            let answer = Answer { status: 200, hash, size, modified_s: None, content: None };
            Last { answer, body, url: "http://h/".into(), etag: None }
        };
        let requests = Requests::default();
        let comes = |text: &[u8]| requests.with("a", |state| state.last = Some(last(text)));
        let checks = |text: &[u8]| requests.with("a", |state| state.seen = Some(Sha256::digest(text).into()));
        let is_moved = || requests.with("a", |state| state.body().is_some());
        comes(b"good");
        assert!(!is_moved(), "nothing was checked yet");
        checks(b"good");
        assert!(is_moved());
        // The open request receives the next answer before the checked one is in its place.
        comes(b"other");
        assert!(!is_moved());
        checks(b"other");
        assert!(is_moved());
    }
}
