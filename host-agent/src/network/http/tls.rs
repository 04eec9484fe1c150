//! Encrypted connections to servers. [`Trust`] decides which servers are trusted; by default the host's certificates, or
//! the file in `SSL_CERT_FILE`.

use super::trust::Trust;
use mclive_base::unicode::visible;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, Error};
use std::io::ErrorKind;
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Parts of errors, for those who can say what to do about them.
pub(crate) const UNKNOWN_AUTHORITY: &str = "the server's certificate is not signed by a trusted authority";
pub(crate) const EXPIRED: &str = "the server's certificate has expired";
pub(crate) const OTHER_NAME: &str = "the server's certificate is not valid for ";
/// The other side ends the connection for a reason.
pub(crate) const ALERT: &str = "received fatal alert: ";
/// What comes from a server without TLS.
pub(crate) const NOT_TLS: &str = "the server does not use TLS on this port";
pub(crate) const CLOSED: &str = "the server closed the connection during the handshake";

pub(super) async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
    host: &str,
    stream: S,
    trust: Option<&Trust>,
) -> Result<TlsStream<S>, String> {
    let config = match trust {
        Some(trust) => trust.config(),
        None => usual().await?,
    };
    let name = ServerName::try_from(host.to_owned()).map_err(|_| format!("`{host}` is not a valid host name"))?;
    let connected = TlsConnector::from(config).connect(name, stream).await;
    connected.map_err(|error| format!("cannot set up TLS: {}", words(host, &error)))
}

/// The authorities of the system, read at first use.
async fn usual() -> Result<Arc<ClientConfig>, String> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    // Reads files, so not on the network's thread.
    let read = tokio::task::spawn_blocking(|| Trust::read(None, None));
    let config = read.await.map_err(|error| error.to_string())??.config();
    Ok(CONFIG.get_or_init(|| config).clone())
}

/// Why the connection to this host could not be set up.
fn words(host: &str, error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        // A server that does not understand the greeting may leave it unread: then the system resets the connection.
        None if is_end(error.kind()) => CLOSED.to_owned(),
        None => crate::host::io_words(error),
        // A signature that does not fit: the authority was made again under its old name.
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature)) => {
            UNKNOWN_AUTHORITY.to_owned()
        }
        Some(Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. })) => {
            EXPIRED.to_owned()
        }
        Some(Error::InvalidCertificate(
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. },
        )) => "the server's certificate is not valid yet: check the clock of this host".to_owned(),
        Some(Error::InvalidCertificate(CertificateError::NotValidForName)) => format!("{OTHER_NAME}`{host}`"),
        Some(Error::InvalidCertificate(CertificateError::NotValidForNameContext { presented, .. })) => {
            match presented.is_empty() {
                true => format!("{OTHER_NAME}`{host}`: it has no subjectAltName"),
                false => format!("{OTHER_NAME}`{host}`, only for {}", names(presented)),
            }
        }
        Some(Error::InvalidMessage(_)) => NOT_TLS.to_owned(),
        // From our own verifier.
        Some(Error::General(why)) => why.clone(),
        Some(error) => error.to_string(),
    }
}

fn is_end(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe)
}

/// The names of a certificate, which are given as `DnsName("host")` and `IpAddress(10.0.0.1)`.
fn names(presented: &[String]) -> String {
    let name = |text: &String| {
        let inner = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        visible(inner.unwrap_or(text).trim_matches('"')).into_owned()
    };
    presented.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::UnixTime;

    #[test]
    fn however_a_server_ends_the_handshake_it_is_told_alike() {
        for kind in [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe] {
            assert_eq!(words("db", &kind.into()), CLOSED);
        }
    }

    #[test]
    fn a_certificate_that_is_not_accepted_has_its_reason() {
        let said = |why: CertificateError| words("db", &std::io::Error::other(Error::InvalidCertificate(why)));
        let at = |seconds| UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        for unknown in [CertificateError::UnknownIssuer, CertificateError::BadSignature] {
            assert_eq!(said(unknown), UNKNOWN_AUTHORITY);
        }
        assert_eq!(said(CertificateError::ExpiredContext { time: at(2), not_after: at(1) }), EXPIRED);
        let early = said(CertificateError::NotValidYetContext { time: at(1), not_before: at(2) });
        assert_eq!(early, "the server's certificate is not valid yet: check the clock of this host");
        let other = |presented: &[&str]| {
            let expected = ServerName::try_from("db".to_owned()).unwrap();
            let presented = presented.iter().map(|name| (*name).to_owned()).collect();
            said(CertificateError::NotValidForNameContext { expected, presented })
        };
        let names = ["DnsName(\"etcd1\")", "IpAddress(10.0.0.1)"];
        assert_eq!(other(&names), "the server's certificate is not valid for `db`, only for etcd1, 10.0.0.1");
        assert_eq!(other(&[]), "the server's certificate is not valid for `db`: it has no subjectAltName");
    }
}
