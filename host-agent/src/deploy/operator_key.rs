//! [`OperatorKey`]: the key pair with which an operator signs deploys, or a host its exports. Its file has the line for
//! hosts, then the private key as PKCS#8 in PEM, as `openssl genpkey -algorithm ed25519` writes it (that line may be
//! missing). The key that decrypts values sealed for a host is derived from it.

use super::PublicKey;
use crate::sealed::OpeningKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;

/// The longest line of PEM.
const LINE: usize = 64;
/// What is before the seed in the PKCS#8 of an ed25519 key: an octet string in an octet string.
const BEFORE_SEED: [u8; 4] = [0x04, 0x22, 0x04, 0x20];
const SEED: usize = 32;

pub(crate) struct OperatorKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
    opening: OpeningKey,
    /// Empty: unknown.
    name: String,
}

impl OperatorKey {
    /// A new key, and the text of its file.
    pub(crate) fn generate(name: &str) -> Result<(OperatorKey, String), String> {
        let secret = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let secret = secret.map_err(|_| "cannot create a key: the system has no random numbers")?;
        let key = OperatorKey::of(secret.as_ref(), name).ok_or("cannot create a key")?;
        let encoded = STANDARD.encode(secret.as_ref());
        let mut text = format!("{}\n-----BEGIN PRIVATE KEY-----\n", key.line());
        for part in encoded.as_bytes().chunks(LINE) {
            text.extend(part.iter().map(|byte| char::from(*byte)));
            text.push('\n');
        }
        text.push_str("-----END PRIVATE KEY-----\n");
        Ok((key, text))
    }

    /// The key of a file. `None`: it is something else.
    pub(crate) fn read(text: &str) -> Option<OperatorKey> {
        let secret = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes()).ok()?;
        let key = OperatorKey::of(secret.secret_pkcs8_der(), "")?;
        let named = text.lines().next().and_then(PublicKey::of_line).filter(|(public, _)| *public == key.public);
        let name = named.map(|(_, name)| name).unwrap_or_default();
        Some(OperatorKey { name, ..key })
    }

    fn of(secret: &[u8], name: &str) -> Option<OperatorKey> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(secret).ok()?;
        let public = PublicKey::new(pair.public_key().as_ref())?;
        let seed = secret.windows(BEFORE_SEED.len()).position(|part| part == BEFORE_SEED)? + BEFORE_SEED.len();
        let opening = OpeningKey::of_seed(secret.get(seed..seed + SEED)?);
        Some(OperatorKey { pair, public, opening, name: name.to_owned() })
    }

    pub(crate) fn public(&self) -> PublicKey {
        self.public
    }

    /// Whose key it is, by its file. Empty: unknown.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Opens what is sealed for this host.
    pub(crate) fn opening(&self) -> OpeningKey {
        self.opening.clone()
    }

    /// The line for those who seal values for this host.
    pub(crate) fn sealing_line(&self) -> String {
        self.opening.public().line(&self.name)
    }

    /// The line for hosts.
    pub(crate) fn line(&self) -> String {
        self.public.line(&self.name)
    }

    /// The key, for people.
    pub(crate) fn words(&self) -> String {
        self.public.words(&self.name)
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        let mut sig = [0; 64];
        sig.copy_from_slice(self.pair.sign(message).as_ref());
        sig
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by `openssl genpkey -algorithm ed25519`; the public key is that of `openssl pkey -pubout`.
    const OF_OPENSSL: (&str, &str) = (
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEmKkXTQZmzt/ysssCibegQ9o0bUDH+nNTgKcODZOjz/\n-----END PRIVATE KEY-----\n",
        "wpkdXQp/s9Ec9hE0Qc2u1olwHcEjgIreferUAjrLGy0=",
    );

    #[test]
    fn a_key_comes_back_from_its_file() {
        let (key, text) = OperatorKey::generate("alice@desk").unwrap();
        let read = OperatorKey::read(&text).unwrap();
        assert_eq!((read.public(), read.line()), (key.public(), key.line()));
        assert!(text.starts_with("mclive-ed25519 ") && key.line().ends_with(" alice@desk"), "{}", key.line());
        assert_eq!(read.sign(b"x"), key.sign(b"x"));
        assert_eq!(read.sealing_line(), key.sealing_line());
        // A line of another key says nothing about this one.
        let (other, _) = OperatorKey::generate("bob@desk").unwrap();
        let (_, pem) = text.split_once('\n').unwrap();
        let mixed = OperatorKey::read(&format!("{}\n{pem}", other.line())).unwrap();
        assert_eq!(mixed.line(), key.public().line(""));
    }

    #[test]
    fn a_key_of_openssl_can_be_used_and_other_files_cannot() {
        let (text, public) = OF_OPENSSL;
        assert_eq!(OperatorKey::read(text).unwrap().line(), format!("mclive-ed25519 {public}"));
        let (key, _) = OperatorKey::generate("").unwrap();
        for wrong in ["", &key.line(), &text.replace("MC4", "MC5"), &text.replace("PRIVATE", "PUBLIC")] {
            assert!(OperatorKey::read(wrong).is_none(), "{wrong}");
        }
    }
}
