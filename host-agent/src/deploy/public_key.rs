//! [`PublicKey`]: the public half of an operator's key. Hosts get it as a line: `mclive-ed25519 KEY NAME`.

use super::Sum;
use super::text_form::text_form;
use crate::key_line::KeyLine;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// The digits of a fingerprint.
const DIGITS: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PublicKey([u8; 32]);

impl PublicKey {
    /// `None`: bytes of another length.
    pub(super) fn new(bytes: &[u8]) -> Option<PublicKey> {
        bytes.try_into().ok().map(PublicKey)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A short fingerprint, to tell keys apart.
    pub(crate) fn id(&self) -> String {
        Sum::of(&self.0).to_string().chars().take(DIGITS).collect()
    }

    /// The key with the name of its operator, for people.
    pub(crate) fn words(&self, name: &str) -> String {
        if name.is_empty() { self.id() } else { format!("{name} ({})", self.id()) }
    }

    /// The line for hosts.
    pub(crate) fn line(&self, name: &str) -> String {
        KeyLine::Signing.write(&self.0, name)
    }

    /// The key and the name of such a line; the name may be empty. `None`: it is another line.
    pub(crate) fn of_line(line: &str) -> Option<(PublicKey, String)> {
        KeyLine::Signing.read(line).map(|(key, name)| (PublicKey(key), name))
    }

    /// The keys and names of a list of operators. Errors: what is wrong with the text, for a sentence.
    pub(super) fn of_operators(text: &str) -> Result<Vec<(PublicKey, String)>, String> {
        let keys = KeyLine::Signing.read_operators(text)?;
        Ok(keys.into_iter().map(|(key, name)| (PublicKey(key), name)).collect())
    }

    /// The keys and names of a list of hosts. Errors: what is wrong with the text, for a sentence.
    pub(crate) fn of_hosts(text: &str) -> Result<Vec<(PublicKey, String)>, String> {
        let keys = KeyLine::Signing.read_hosts(text)?;
        Ok(keys.into_iter().map(|(key, host)| (PublicKey(key), host)).collect())
    }

    fn parse(text: &str) -> Option<PublicKey> {
        STANDARD.decode(text).ok().and_then(|bytes| PublicKey::new(&bytes))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

text_form!(PublicKey, expected "an ed25519 public key in Base64");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_from_its_line() {
        let key = PublicKey([7; 32]);
        for name in ["", "alice@desk", "Alice, on call"] {
            let line = key.line(name);
            assert_eq!(PublicKey::of_line(&format!("  {line} \r")), Some((key, name.to_owned())), "{line}");
        }
        assert_eq!(key.id().len(), DIGITS);
        assert_eq!(key.words(""), key.id());
        let good = key.line("alice");
        let spoilt = |from: &str, to: &str| PublicKey::of_line(&good.replacen(from, to, 1));
        for (from, to) in
            [("mclive-", "ssh-"), ("25519 ", "25519"), ("BwcH", "BwcHBwcH"), ("=", ""), ("alice", "a\u{1b}")]
        {
            assert_eq!(spoilt(from, to), None, "{to}");
        }
    }
}
