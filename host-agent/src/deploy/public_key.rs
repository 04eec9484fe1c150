//! [`PublicKey`]: the public half of an operator's key. Hosts are given it as a line: `mclive-ed25519 KEY NAME`.

use super::Sum;
use super::text_form::text_form;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// The first word of the line.
const KIND: &str = "mclive-ed25519";
/// The longest name of an operator. Units: bytes.
const LONGEST: usize = 320;
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
        format!("{KIND} {self} {name}").trim_end().to_owned()
    }

    /// The key and the name of such a line; the name may be empty. `None`: it is another line.
    pub(crate) fn of_line(line: &str) -> Option<(PublicKey, String)> {
        let rest = line.trim().strip_prefix(KIND)?.strip_prefix([' ', '\t'])?.trim_start();
        let (key, name) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let name = name.trim();
        is_name(name).then_some(())?;
        Some((PublicKey::parse(key)?, name.to_owned()))
    }

    /// The keys of a list with their names, a line each; empty lines and comments do not count. `name`: what follows a
    /// key, in the words of errors. Errors: what is wrong with the text, for a sentence.
    pub(crate) fn of_list(
        text: &str,
        name: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Vec<(PublicKey, String)>, String> {
        let mut keys = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // The line is not repeated: it may be of a private key.
            let named = PublicKey::of_line(line).filter(|(_, found)| fits(found));
            keys.push(named.ok_or_else(|| {
                format!("line {}: expected `mclive-ed25519 KEY {name}`, as `mclive key show` prints it", n + 1)
            })?);
        }
        if keys.is_empty() {
            return Err("it has no public key; add the lines that `mclive key show` prints".into());
        }
        Ok(keys)
    }

    fn parse(text: &str) -> Option<PublicKey> {
        STANDARD.decode(text).ok().and_then(|bytes| PublicKey::new(&bytes))
    }
}

/// Whether a text can be the name of an operator.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= LONGEST && !text.chars().any(char::is_control)
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
