//! Users: etcd exchanges a name and a password for a token, which later requests carry. Tokens expire when they are not
//! used for some time, when it is restarted, and when a user or a role changes.

use super::{Failure, Gateway, LIMIT};
use serde_json::json;
use std::sync::Arc;

/// Sent with each request; never shown.
pub(super) type Token = Arc<str>;

/// Whether the store says that it does not know a token any more. "User name is empty": it forgot it while the request
/// was on its way.
pub(super) fn is_stale(why: &str) -> bool {
    ["invalid auth token", "revision of auth store is old", "user name is empty"].iter().any(|text| why.contains(text))
}

impl Gateway {
    /// What to send as this user. `None`: there is no user.
    pub(super) async fn token(&self) -> Result<Option<Token>, Failure> {
        let Some(user) = self.credentials.user() else { return Ok(None) };
        // Requests that begin in the meantime wait for this one: checking a password takes etcd 0.1 s.
        let mut held = self.token.lock().await;
        if let Some(token) = &*held {
            return Ok(Some(token.clone()));
        }
        let asked = json!({ "name": user.name, "password": user.password().await? });
        let told = match self.ask(LIMIT, "auth/authenticate", &asked, None).await? {
            Ok(told) => told,
            Err(fault) => return Err(self.no_login(user, fault)),
        };
        let token: Token = told["token"].as_str().unwrap_or_default().into();
        *held = Some(token.clone());
        Ok(Some(token))
    }

    /// Makes the next request log in, unless another one has done so since this token was issued. During a login there
    /// is nothing to forget.
    pub(super) fn forget(&self, token: &Token) {
        if let Ok(mut held) = self.token.try_lock()
            && held.as_ref().is_some_and(|held| Arc::ptr_eq(held, token))
        {
            *held = None;
        }
    }

    /// The next request logs in.
    pub(super) fn log_in_again(&self) {
        if let Ok(mut held) = self.token.try_lock() {
            *held = None;
        }
    }
}
