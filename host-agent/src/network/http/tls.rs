//! Encrypted connections. As a client, the host's certificates decide which servers are trusted, or the file in
//! `SSL_CERT_FILE`. As a server, the certificate and key come from two files ([`Secrets`]).

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ServerConfig};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::client::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

pub(super) async fn connect<S: AsyncRead + AsyncWrite + Unpin>(host: &str, stream: S) -> Result<TlsStream<S>, String> {
    let config = config().await?;
    let name = ServerName::try_from(host.to_owned()).map_err(|_| format!("`{host}` is not a valid host name"))?;
    TlsConnector::from(config).connect(name, stream).await.map_err(|error| format!("cannot set up TLS: {error}"))
}

/// Read at first use.
async fn config() -> Result<Arc<ClientConfig>, String> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    // Reads files, so not on the network's thread.
    let config = tokio::task::spawn_blocking(load).await.map_err(|error| error.to_string())??;
    Ok(CONFIG.get_or_init(|| config).clone())
}

fn load() -> Result<Arc<ClientConfig>, String> {
    let mut roots = rustls::RootCertStore::empty();
    let (n_good, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if n_good == 0 {
        return Err("no trusted CA certificates on this host: install the package `ca-certificates`".into());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// A server's certificates and its key.
#[derive(Clone)]
pub(crate) struct Secrets(TlsAcceptor);

impl Secrets {
    /// Reads the certificates, the server's own first, and the key, both as PEM. Errors: the file and what is wrong
    /// with it.
    pub(crate) fn read(certificates: &Path, key: &Path) -> Result<Secrets, String> {
        let wrong = |path: &Path, why: String| format!("{}: {why}", path.display());
        let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(certificates).and_then(Iterator::collect);
        let chain = chain.map_err(|error| wrong(certificates, error.to_string()))?;
        if chain.is_empty() {
            return Err(wrong(certificates, "it contains no PEM certificate".into()));
        }
        let own = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(chain, own)
            .map_err(|error| wrong(key, error.to_string()))?;
        Ok(Secrets(TlsAcceptor::from(Arc::new(config))))
    }

    pub(super) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> std::io::Result<tokio_rustls::server::TlsStream<S>> {
        self.0.accept(stream).await
    }
}
