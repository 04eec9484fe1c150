//! Encrypted connections. Whom to trust is told by the host: its certificates, or the file that `SSL_CERT_FILE` names.

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub(super) async fn connect<S: AsyncRead + AsyncWrite + Unpin>(host: &str, stream: S) -> Result<TlsStream<S>, String> {
    let config = config().await?;
    let name = ServerName::try_from(host.to_owned()).map_err(|_| format!("`{host}` is no name of a host"))?;
    TlsConnector::from(config).connect(name, stream).await.map_err(|error| format!("no encrypted connection: {error}"))
}

/// Read once: the first time that somebody needs it.
async fn config() -> Result<Arc<ClientConfig>, String> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    // Files are read: not on the network's thread.
    let config = tokio::task::spawn_blocking(load).await.map_err(|error| error.to_string())??;
    Ok(CONFIG.get_or_init(|| config).clone())
}

fn load() -> Result<Arc<ClientConfig>, String> {
    let mut roots = rustls::RootCertStore::empty();
    let (n_good, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if n_good == 0 {
        return Err("this host trusts no certificates: install the package `ca-certificates`".into());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
