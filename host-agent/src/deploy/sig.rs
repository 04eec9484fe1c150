//! [`Sig`]: the 64 bytes of an ed25519 signature, in Base64 as text.

use super::text_form::text_form;
use super::{OperatorKey, PublicKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, UnparsedPublicKey};
use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sig([u8; 64]);

impl Sig {
    /// Signs a message. It begins with its purpose, so that no signature counts for another one.
    pub(crate) fn by(key: &OperatorKey, message: &[u8]) -> Sig {
        Sig(key.sign(message))
    }

    /// Whether it is the signature of this message by the owner of this key.
    pub(crate) fn is_by(&self, key: PublicKey, message: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, key.bytes()).verify(message, &self.0).is_ok()
    }

    fn parse(text: &str) -> Option<Sig> {
        STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok()).map(Sig)
    }
}

impl fmt::Display for Sig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

text_form!(Sig, expected "an ed25519 signature in Base64");
