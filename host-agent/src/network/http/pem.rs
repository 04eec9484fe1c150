//! Certificates and keys in PEM files. An error names the file and what is wrong with it, and shows nothing of a key.

use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;

/// All certificates of a file, in its order.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found = found.map_err(|error| wrong(path, &words(&error)))?;
    if found.is_empty() { Err(wrong(path, "it contains no PEM certificate")) } else { Ok(found) }
}

/// The first key of a file.
pub(super) fn key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| match error {
        Error::NoItemsFound => wrong(path, "it contains no PEM private key without a passphrase"),
        error => wrong(path, &words(&error)),
    })
}

pub(super) fn wrong(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

fn words(error: &Error) -> String {
    match error {
        Error::Io(error) => crate::host::io_words(error),
        error => format!("it is not valid PEM: {error}"),
    }
}
