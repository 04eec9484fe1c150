//! Keys in the key-value store of Consul, on any server.

use super::password::Secret;
use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// A key, and the server that has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Key {
    /// `http://127.0.0.1:8500`.
    pub server: String,
    /// Whether the program names no server; then `CONSUL_HTTP_ADDR` applies.
    pub is_usual: bool,
    /// The token; empty: `CONSUL_HTTP_TOKEN` if it is set, for the default server only.
    pub token: Secret,
    /// The key.
    pub key: String,
}

/// → `Value`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The key.
    pub key: Key,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The value with its modify index; `None`: the key does not exist.
    Value(Option<(Vec<u8>, u64)>),
}

/// Sets the key, unless it has changed since it was probed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The key.
    pub key: Key,
    /// The new value.
    pub value: Vec<u8>,
    /// The probed value with its modify index.
    pub now: Option<(Vec<u8>, u64)>,
}

/// Any change of the key, and the return of its server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The key.
    pub key: Key,
}

/// The default address of a server.
pub const USUAL: &str = "http://127.0.0.1:8500";
/// The maximum number of characters of a value that are shown.
const SHOWN: usize = 64;

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask((&*self.key.server).into())]
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "set {} at {}: ", self.key.key, self.key.server)?;
        match &self.now {
            Some((value, _)) => shown(f, value)?,
            None => f.write_str("none")?,
        }
        f.write_str(" → ")?;
        shown(f, &self.value)
    }

    fn audit(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "set {} at {}", self.key.key, self.key.server)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask((&*self.key.server).into())]
    }

    fn waits(&self) -> bool {
        true
    }
}

fn shown(f: &mut dyn Write, value: &[u8]) -> fmt::Result {
    match std::str::from_utf8(value) {
        Ok(text) if text.len() <= SHOWN && !text.contains('\n') => write!(f, "\"{text}\""),
        _ => write!(f, "{} bytes", value.len()),
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "the key {} at {}", self.key.key, self.key.server)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask((&*self.key.server).into())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_say_old_and_new_and_no_token() {
        let key = Key { server: USUAL.into(), is_usual: true, token: Secret("hush".into()), key: "a/b".into() };
        let step = Step { key, value: vec![b'x'; 100], now: Some((b"old".to_vec(), 7)) };
        let words = super::super::Step::from(step.clone()).to_string();
        assert_eq!(words, "set a/b at http://127.0.0.1:8500: \"old\" → 100 bytes");
        assert!(!format!("{step:?}").contains("hush"));
        assert_eq!(super::super::Step::from(step).audit(), "set a/b at http://127.0.0.1:8500");
    }
}
