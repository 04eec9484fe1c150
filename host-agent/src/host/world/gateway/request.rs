//! Requests with one response. If the token has expired, the user logs in again, once, and the request, which had no
//! effect, is repeated.

use super::login::{self, Token};
use super::{Failure, Gateway, LIMIT, odd, rights};
use crate::network::http::keep_alive::IfCut;
use crate::network::http::talk::Message;
use crate::network::http::{Method, StatusCode};
use mclive_base::unicode::visible;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::timeout;

/// What Go's servers say to a client that does not encrypt.
const WANTS_TLS: &str = "HTTP request to an HTTPS server";
/// What etcd's gateway says, once there are users, to a client whose certificate has a common name.
const HAS_NAME: &str = "CommonName of client";
/// The limits of a whole request, however slowly its answer arrives: of keys, and of anything else, which is small.
const WHOLE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(10));
/// The maximum length of foreign text in a message. Units: characters.
const LONGEST: usize = 300;

/// An answer that is an error.
pub(super) struct Fault {
    /// A code of gRPC; 0: none.
    pub(super) code: i64,
    pub(super) why: String,
}

impl Fault {
    /// The error that an answer tells. etcd 3.6 has no `error`; in the answer to a renewal, which could have several parts,
    /// it is an object.
    fn of(told: &Value) -> Fault {
        let part = &told["error"];
        let why = [part, &told["message"], &part["message"]].into_iter().find_map(Value::as_str);
        let code = [&told["code"], &part["code"], &part["grpc_code"]].into_iter().find_map(Value::as_i64);
        Fault { code: code.unwrap_or_default(), why: foreign(why.unwrap_or("an unexpected response")) }
    }
}

/// The response of the store: its beginning, on one line.
pub(super) fn foreign(text: &str) -> String {
    let start: String = text.chars().take(LONGEST).collect();
    visible(&start).into_owned()
}

impl Gateway {
    pub(super) async fn post(&self, path: &str, asked: &Value) -> Result<Value, Failure> {
        self.post_within(LIMIT, path, asked).await
    }

    pub(super) async fn post_within(&self, patience: Duration, path: &str, asked: &Value) -> Result<Value, Failure> {
        let mut has_logged_in = false;
        loop {
            let token = self.token().await?;
            let fault = match self.ask(patience, path, asked, token.as_ref()).await? {
                Ok(told) => return Ok(told),
                Err(fault) => fault,
            };
            if let Some(token) = token.filter(|_| !has_logged_in && login::is_stale(&fault.why)) {
                self.forget(&token);
                has_logged_in = true;
                continue;
            }
            return Err(self.failure(path, asked, fault));
        }
    }

    /// One request to the endpoint in use.
    pub(super) async fn ask(
        &self,
        patience: Duration,
        path: &str,
        asked: &Value,
        token: Option<&Token>,
    ) -> Result<Result<Value, Fault>, Failure> {
        let url = format!("{}/v3/{path}", self.url());
        let message = Message { patience, ..self.message(&url, asked, token).await? };
        let limit = if path.starts_with("kv/") { WHOLE.0 } else { WHOLE.1 };
        // A conversation is large: boxed, it is not part of each future that waits for one.
        let said = timeout(limit, Box::pin(self.keep_alive.say(message, if_cut(path)))).await;
        let said = said.map_err(|_| odd(&url, &format!("the response is incomplete after {} s", limit.as_secs())))?;
        let answer = said.map_err(|error| self.away(&error))?;
        self.received.fetch_add(answer.body.len() as u64, Ordering::Relaxed);
        let Ok(told) = serde_json::from_slice::<Value>(&answer.body) else {
            return Err(odd(&url, &unexpected(&answer.body)));
        };
        if answer.status == StatusCode::OK {
            return Ok(Ok(told));
        }
        Ok(Err(Fault::of(&told)))
    }

    /// A request as this user, over a connection that recognises the store.
    pub(super) async fn message(&self, url: &str, asked: &Value, token: Option<&Token>) -> Result<Message, Failure> {
        let mut message = Message::new(Method::POST, url).json(asked);
        if let Some(token) = token {
            message = message.header("Authorization", &**token);
        }
        let trust = if url.starts_with("https:") { self.credentials.trust().await? } else { None };
        Ok(Message { patience: LIMIT, trust, ..message })
    }

    fn failure(&self, path: &str, asked: &Value, fault: Fault) -> Failure {
        if let Some(refusal) = self.refusal(&fault.why, || rights::needed(path, asked)) {
            return refusal;
        }
        let is_lease = path.starts_with("lease") || fault.why.contains("lease not found");
        let why = format!("{}: {}", self.url(), fault.why);
        match fault.code {
            5 if is_lease => Failure::NoLease,
            11 => Failure::Compacted,
            // Invalid, denied, no room, not known to the store.
            3 | 7 | 8 | 16 => Failure::Refused(why),
            _ => Failure::Away(self.advised(why)),
        }
    }
}

/// A member that has just restarted, or a proxy, may close the connection that the request is sent over. Reading and
/// renewing again does no harm; a write that had its effect would find its conditions broken by itself.
fn if_cut(path: &str) -> IfCut {
    match path {
        "kv/range" | "lease/keepalive" => IfCut::Repeat,
        _ => IfCut::Fail,
    }
}

/// The text of an answer that is not JSON.
fn unexpected(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..4 * LONGEST).unwrap_or(body));
    if text.contains(WANTS_TLS) {
        return "the store requires https".to_owned();
    }
    if text.contains(HAS_NAME) {
        return "etcd does not accept client certificates with a common name once it has users: use a certificate \
            without one (`openssl req -subj /O=hosts`)"
            .to_owned();
    }
    match text.trim() {
        "" => "an unexpected response".to_owned(),
        text => format!("an unexpected response: {}", foreign(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_is_understood_in_each_form() {
        let why = "etcdserver: invalid auth token";
        for told in [
            json!({ "error": why, "message": why, "code": 16 }),
            json!({ "message": why, "code": 16 }),
            json!({ "error": { "message": why, "grpc_code": 16, "http_code": 401 } }),
            json!({ "error": { "message": why, "code": 16, "details": [] } }),
        ] {
            let fault = Fault::of(&told);
            assert!(fault.code == 16 && fault.why == why && login::is_stale(&fault.why), "{told}");
        }
        let odd = Fault::of(&json!({ "error": {} }));
        assert_eq!((odd.code, odd.why.as_str()), (0, "an unexpected response"));
    }

    #[test]
    fn a_foreign_answer_is_told_in_short() {
        assert_eq!(unexpected(b""), "an unexpected response");
        assert_eq!(unexpected(b"<html>\n"), "an unexpected response: <html>");
        assert_eq!(unexpected(b"a\nmclive: error: \x1b[2J"), "an unexpected response: a\\nmclive: error: \\u{1b}[2J");
        assert!(unexpected("x".repeat(100_000).as_bytes()).len() < 400);
        assert!(unexpected(b"Client sent an HTTP request to an HTTPS server.").contains("requires https"));
        let named = b"CommonName of client sending a request against gateway will be ignored and not used as expected";
        assert!(unexpected(named).contains("use a certificate without one"));
    }
}
