//! [`SealingKey`] and [`OpeningKey`]: the public and the private key of a host for values that are sealed for it
//! (X25519). Others get the public one as a line: `mclive-x25519 KEY HOST`. The private one is derived from the key
//! with which the host signs, so both are in one file; the derivation uses a hash, so that the use of one reveals
//! nothing about the other.

use crate::key_line::KeyLine;
use crypto_box::aead::OsRng;
use crypto_box::{PublicKey, SecretKey};
use sha2::{Digest, Sha256};

/// What is hashed with the key for signatures: never the same bytes as for another purpose.
const PURPOSE: &[u8] = b"mclive-x25519-v1\0";

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SealingKey([u8; 32]);

impl SealingKey {
    /// The line for those who seal values.
    pub(crate) fn line(&self, host: &str) -> String {
        KeyLine::Sealing.write(&self.0, host)
    }

    /// The keys and names of a list of hosts. Errors: what is wrong with the text, for a sentence.
    pub(super) fn of_hosts(text: &str) -> Result<Vec<(SealingKey, String)>, String> {
        let keys = KeyLine::Sealing.read_hosts(text)?;
        Ok(keys.into_iter().map(|(key, host)| (SealingKey(key), host)).collect())
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

    /// The content of a sealed box. `None`: it was sealed to another key, or was modified.
    pub(super) fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.0.unseal(sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
