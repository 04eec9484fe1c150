//! [`SealingKey`] and [`OpeningKey`]: the public and the private key of a host for values that are sealed for it (X25519).
//! Others are given the public one as a line: `mclive-x25519 KEY HOST`. The private one follows from the key with which the
//! host signs, so both are in one file; a hash is between them, so that the use of one says nothing about the other.

use crate::deploy::is_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_box::aead::OsRng;
use crypto_box::{PublicKey, SecretKey};
use sha2::{Digest, Sha256};

/// The first word of the line.
const KIND: &str = "mclive-x25519";
/// What is hashed with the key for signatures: never the same bytes as for another purpose.
const PURPOSE: &[u8] = b"mclive-x25519-v1\0";

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SealingKey([u8; 32]);

impl SealingKey {
    /// The line for those who seal values.
    pub(crate) fn line(&self, host: &str) -> String {
        format!("{KIND} {} {host}", STANDARD.encode(self.0)).trim_end().to_owned()
    }

    /// The key and the host of such a line; the host may be empty. `None`: it is another line.
    pub(crate) fn of_line(line: &str) -> Option<(SealingKey, String)> {
        let rest = line.trim().strip_prefix(KIND)?.strip_prefix([' ', '\t'])?.trim_start();
        let (key, host) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let (key, host) = (STANDARD.decode(key).ok()?, host.trim());
        is_name(host).then_some(())?;
        Some((SealingKey(key.try_into().ok()?), host.to_owned()))
    }

    /// A box with this message that only the private key opens. `None`: it cannot be made.
    pub(super) fn seal(&self, message: &[u8]) -> Option<Vec<u8>> {
        PublicKey::from_bytes(self.0).seal(&mut OsRng, message).ok()
    }
}

#[derive(Clone)]
pub(crate) struct OpeningKey(SecretKey);

impl OpeningKey {
    /// `seed`: that of the key with which the host signs.
    pub(crate) fn of_seed(seed: &[u8]) -> OpeningKey {
        let hash: [u8; 32] = Sha256::new().chain_update(PURPOSE).chain_update(seed).finalize().into();
        OpeningKey(SecretKey::from_bytes(hash))
    }

    pub(crate) fn public(&self) -> SealingKey {
        SealingKey(self.0.public_key().to_bytes())
    }

    /// What is in a box. `None`: it is for another key, or was changed.
    pub(super) fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.0.unseal(sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealing_key_comes_back_from_its_line() {
        let key = OpeningKey::of_seed(&[7; 32]).public();
        for host in ["", "web1"] {
            let line = key.line(host);
            assert_eq!(SealingKey::of_line(&format!(" {line}\r")), Some((key.clone(), host.to_owned())), "{line}");
        }
        let good = key.line("web1");
        assert!(good.starts_with("mclive-x25519 ") && good.ends_with("= web1"), "{good}");
        for (from, to) in [("x25519", "ed25519"), ("x25519 ", "x25519"), ("= ", " "), ("web1", "a\u{1b}")] {
            assert_eq!(SealingKey::of_line(&good.replacen(from, to, 1)), None, "{to}");
        }
    }

    #[test]
    fn only_the_private_key_opens_a_box_and_only_a_whole_one() {
        let [own, other] = [1, 2].map(|byte| OpeningKey::of_seed(&[byte; 32]));
        let sealed = own.public().seal(b"hush").unwrap();
        assert_eq!(own.open(&sealed).as_deref(), Some(&b"hush"[..]));
        assert_eq!(other.open(&sealed), None);
        for length in 0..sealed.len() {
            assert_eq!(own.open(&sealed[..length]), None, "{length}");
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(own.open(&changed), None, "{at}");
        }
        assert_ne!(own.public().seal(b"hush"), Some(sealed));
    }
}
