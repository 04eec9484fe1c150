//! Requests with one answer. If the store has forgotten who asks, the user logs in again, once, and the request is
//! repeated: it had no effect.

use super::login::{self, Token};
use super::{Failure, Gateway, LIMIT, odd, rights};
use crate::network::http::talk::{self, Message};
use crate::network::http::{Method, StatusCode};
use serde_json::Value;
use std::time::Duration;

/// What Go's servers say to a client that does not encrypt.
const WANTS_TLS: &[u8] = b"HTTP request to an HTTPS server";

/// An answer that is an error.
pub(super) struct Fault {
    /// A code of gRPC; 0: none.
    pub(super) code: i64,
    pub(super) why: String,
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
        let answer = talk::say(None, message).await.map_err(|error| self.away(&error))?;
        let Ok(told) = serde_json::from_slice::<Value>(&answer.body) else {
            let wants_tls = answer.body.windows(WANTS_TLS.len()).any(|part| part == WANTS_TLS);
            return Err(odd(&url, if wants_tls { "the store requires https" } else { "an unexpected response" }));
        };
        if answer.status == StatusCode::OK {
            return Ok(Ok(told));
        }
        // etcd 3.6 has no `error`.
        let why = told["error"].as_str().or(told["message"].as_str()).unwrap_or("an unexpected response").to_owned();
        Ok(Err(Fault { code: told["code"].as_i64().unwrap_or_default(), why }))
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
