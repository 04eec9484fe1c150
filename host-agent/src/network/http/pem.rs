//! Certificates and keys in PEM files. An error names the file and what is wrong with it, and shows nothing of a key.

use crate::host::{io_words, read_small};
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;

/// The largest file; a system's whole bundle of authorities has a quarter of a MiB. Units: bytes.
const LARGEST: u64 = 4 << 20;

/// All certificates of a file, in its order.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let text = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| invalid(path, &error))?;
    if found.is_empty() { Err(wrong(path, "it contains no PEM certificate")) } else { Ok(found) }
}

/// The first key of a file.
pub(super) fn key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| match error {
        Error::NoItemsFound => wrong(path, "it contains no PEM private key without a passphrase"),
        error => invalid(path, &error),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    read_small(path, LARGEST).map_err(|error| wrong(path, &io_words(&error)))
}

pub(super) fn wrong(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

fn invalid(path: &Path, error: &Error) -> String {
    wrong(path, &format!("it is not valid PEM: {error}"))
}
