//! JSON requests to a service that contacts the controller. They are signed if there is a password.

use super::{BETWEEN, TO_RETURN, away, is_away, say};
use crate::network::http::Method;
use crate::network::http::talk::Message;
use crate::network::mac::{hex, hmac};
use mclive_base::vocab::controller::Controller;
use mclive_base::vocab::{HostError, HostErrorKind};
use serde_json::{Value, json};
use tokio::time::Instant;

pub(super) struct Rpc<'a> {
    controller: &'a Controller,
}

impl<'a> Rpc<'a> {
    pub(super) fn new(controller: &'a Controller) -> Rpc<'a> {
        Rpc { controller }
    }

    pub(super) async fn power(&self) -> Result<String, HostError> {
        let until = Instant::now() + TO_RETURN;
        let result = loop {
            match self.ask("getPowerState", Value::Null).await {
                Err(error) if error.kind == HostErrorKind::Unavailable && Instant::now() < until => {}
                result => break result?,
            }
            tokio::time::sleep(BETWEEN).await;
        };
        Ok(result.as_str().ok_or_else(|| self.odd("it does not report a state"))?.to_lowercase())
    }

    pub(super) async fn turn(&self, word: &str) -> Result<(), HostError> {
        self.ask("setPowerState", json!({ "state": word })).await.map(drop)
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, HostError> {
        let (address, password) = (self.controller.place(), &self.controller.password);
        let mut question = json!({ "id": 1, "host": address, "method": method });
        if !params.is_null() {
            question["params"] = params;
        }
        let mut message = Message::new(Method::POST, format!("{address}/")).json(&question);
        if !password.0.is_empty() {
            let signature = hex(&hmac(password.0.as_bytes(), &message.body));
            message = message.header("X-BMCLIB-Signature", format!("sha256={signature}"));
        }
        let answer = say(self.controller, message).await?;
        if is_away(&answer) {
            return Err(away(address, &answer));
        }
        let mut told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if !answer.status.is_success() {
            return Err(self.odd(&format!("the service returned {}", answer.status)));
        }
        match told.pointer("/error/message").and_then(Value::as_str).filter(|words| !words.is_empty()) {
            Some(words) => Err(self.odd(&format!("{method}: {words}"))),
            None => Ok(told["result"].take()),
        }
    }

    fn odd(&self, why: &str) -> HostError {
        HostError::new(HostErrorKind::Other, format!("{}: {why}", self.controller.place()))
    }
}
