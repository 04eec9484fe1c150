//! [`Trust`]: which servers a client trusts, and the certificate that it identifies itself with.

use super::pem;
use super::pinned::Pinned;
use rustls::{ClientConfig, Error, RootCertStore};
use std::path::Path;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Trust(Arc<ClientConfig>);

impl Trust {
    /// `authorities`: a PEM file with certificates of authorities, instead of the system's. `own`: PEM files with the
    /// client's certificate, followed by those between it and an authority, and with its key. Errors: the file and what
    /// is wrong with it.
    pub(crate) fn read(authorities: Option<&Path>, own: Option<(&Path, &Path)>) -> Result<Trust, String> {
        let roots = authorities.map_or_else(of_the_system, in_file)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots);
        let config = match own {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => builder
                .with_client_auth_cert(pem::certificates(certificate)?, pem::key(key)?)
                .map_err(|error| unfit(certificate, key, &error))?,
        };
        Ok(Trust(Arc::new(config)))
    }

    /// Only the server whose certificate has this SHA-256, regardless of who signed it.
    pub(crate) fn pinned(sha256: [u8; 32]) -> Result<Trust, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier = Arc::new(Pinned { sha256, algorithms });
        let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        Ok(Trust(Arc::new(config)))
    }

    /// Whether both are of one reading.
    pub(super) fn is_same(&self, other: &Trust) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(super) fn config(&self) -> Arc<ClientConfig> {
        self.0.clone()
    }
}

/// The authorities of this host, or those of the file in `SSL_CERT_FILE`.
fn of_the_system() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let (n_good, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if n_good == 0 {
        return Err("no trusted CA certificates on this host: install the package `ca-certificates`".into());
    }
    Ok(roots)
}

fn in_file(path: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in pem::certificates(path)? {
        let added = roots.add(certificate);
        added.map_err(|_| pem::wrong(path, "it contains a certificate that cannot be used as an authority"))?;
    }
    Ok(roots)
}

/// Why a certificate and a key cannot be used together.
fn unfit(certificate: &Path, key: &Path, error: &Error) -> String {
    match error {
        Error::InconsistentKeys(_) => {
            pem::wrong(key, &format!("the key does not belong to the certificate in {}", certificate.display()))
        }
        Error::InvalidCertificate(_) => pem::wrong(certificate, "it is not a valid X.509 certificate"),
        error => pem::wrong(key, &error.to_string()),
    }
}
