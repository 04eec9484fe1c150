//! A watch: a response that stays open, with a line of JSON per message.

use super::super::mirror::Change;
use super::request::foreign;
use super::{Failure, Gateway, header, int, login, number, odd};
use crate::network::http::StatusCode;
use crate::network::http::talk;
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A watch may be silent forever: `Pulse` decides when it is late.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);
/// The largest message of a watch. Units: bytes.
const LARGEST: usize = 256 << 20;

/// The content of a message of a watch.
pub(in super::super) enum Told {
    /// The watch has begun: the first message. The store is at this revision.
    Begun(i64),
    /// Changes, in order, up to this revision.
    Changes(i64, Vec<Change>),
    Compacted,
}

/// A watch of a range of keys.
pub(in super::super) struct Stream {
    url: String,
    body: Incoming,
    received: Vec<u8>,
    /// Of all answers to this client.
    n_received: Arc<AtomicU64>,
}

impl Gateway {
    /// Follows the keys that hosts follow from a revision.
    pub(in super::super) async fn watch(&self, from: i64) -> Result<Stream, Failure> {
        self.begin(self.all(), from).await
    }

    /// Follows the keys below a prefix from a revision.
    pub(in super::super) async fn watch_below(&self, prefix: &str, from: i64) -> Result<Stream, Failure> {
        self.begin(self.below(prefix), from).await
    }

    async fn begin(&self, mut asked: Value, from: i64) -> Result<Stream, Failure> {
        (asked["start_revision"], asked["progress_notify"]) = (number(from), true.into());
        let (url, token) = (format!("{}/v3/watch", self.url()), self.token().await?);
        let message = self.message(&url, &json!({ "create_request": asked }), token.as_ref()).await?;
        let answer = Box::pin(talk::begin(None, message)).await.map_err(|error| self.away(&error))?;
        if let Some(token) = token.filter(|_| answer.status() == StatusCode::UNAUTHORIZED) {
            self.forget(&token);
        }
        if answer.status() != StatusCode::OK {
            return Err(Failure::Away(format!("{url}: the store returned {}", answer.status())));
        }
        let n_received = self.received.clone();
        Ok(Stream { url, body: answer.into_body(), received: Vec::new(), n_received })
    }

    /// The content of a message of a watch.
    pub(in super::super) fn told(&self, message: &Value) -> Result<Told, Failure> {
        let result = &message["result"];
        if result.is_null() {
            let why = message.pointer("/error/message").and_then(Value::as_str).unwrap_or("an unexpected response");
            return Err(Failure::Away(format!("{}: {}", self.url(), foreign(why))));
        }
        if result["canceled"].as_bool() == Some(true) {
            if int(&result["compact_revision"]) > 0 {
                return Ok(Told::Compacted);
            }
            return Err(self.cancelled(result["cancel_reason"].as_str().unwrap_or("the store ended the watch")));
        }
        if result["created"].as_bool() == Some(true) {
            return header(result).map(|(_, revision)| Told::Begun(revision));
        }
        let events = result["events"].as_array().map(Vec::as_slice).unwrap_or_default();
        // While a watch catches up, the header is ahead of its events.
        let reached = events.iter().map(|event| int(&event["kv"]["mod_revision"])).max();
        let changes = events.iter().filter_map(|event| {
            let is_gone = event["type"].as_str() == Some("DELETE");
            let (key, held) = self.held(&event["kv"])?;
            Some(Change { key, revision: held.modified, held: (!is_gone).then_some(held) })
        });
        let reached = reached.map_or_else(|| header(result).map(|(_, revision)| revision), Ok)?;
        Ok(Told::Changes(reached, changes.collect()))
    }

    /// Why the store has ended a watch.
    fn cancelled(&self, why: &str) -> Failure {
        let why = &foreign(why);
        if login::is_stale(why) {
            self.log_in_again();
        }
        let needed = || format!("read {}*", self.prefix);
        self.refusal(why, needed).unwrap_or_else(|| Failure::Away(format!("{}: {why}", self.url())))
    }
}

impl Stream {
    /// The next message.
    pub(in super::super) async fn next(&mut self) -> Result<Value, Failure> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.received[searched..].iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=searched + end).collect();
                return serde_json::from_slice(&line).map_err(|_| odd(&self.url, "an unexpected response"));
            }
            searched = self.received.len();
            let piece = talk::next(&mut self.body, &self.url, FOR_EVER).await;
            match piece.map_err(|error| Failure::Away(error.message))? {
                Some(bytes) if searched + bytes.len() <= LARGEST => {
                    self.n_received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    self.received.extend_from_slice(&bytes);
                }
                Some(_) => return Err(odd(&self.url, "a message that is too large")),
                None => return Err(Failure::Away(format!("{}: the connection was closed", self.url))),
            }
        }
    }
}
