//! [`Secrets`]: the certificates and the key of a server, as PEM in two files.
//!
//! Certificates are renewed every few weeks, and if this required a restart, it would be forgotten until clients are
//! rejected. So the files are read again while there are connections. While they cannot be used, for example since only
//! one of them has been replaced, those that were read last stay in use, and an error is logged.

use super::pem;
use crate::lock::Mutex;
use crate::output::tell;
use rustls::pki_types::CertificateDer;
use rustls::{Error, ServerConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const FRESH: Duration = Duration::from_secs(5);

/// A server's certificates and its key. Clones share them.
#[derive(Clone)]
pub(crate) struct Secrets(Arc<Files>);

struct Files {
    certificates: PathBuf,
    key: PathBuf,
    last: Mutex<LastRead>,
}

/// The files as they were read last.
struct LastRead {
    loaded: Loaded,
    looked: Instant,
    /// What was told about the files last.
    wrong: Option<String>,
}

struct Loaded {
    chain: Vec<CertificateDer<'static>>,
    acceptor: TlsAcceptor,
}

impl Secrets {
    /// Reads the certificates, the server's own first, and the key. Errors: the file and what is wrong with it.
    pub(crate) fn read(certificates: &Path, key: &Path) -> Result<Secrets, String> {
        let last = LastRead { loaded: load(certificates, key)?, looked: Instant::now(), wrong: None };
        let (certificates, key) = (certificates.to_owned(), key.to_owned());
        Ok(Secrets(Arc::new(Files { certificates, key, last: Mutex::new(last) })))
    }

    pub(super) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) -> std::io::Result<TlsStream<S>> {
        self.acceptor().accept(stream).await
    }

    /// Those that were read last. If that is long ago, a later connection gets new ones: none waits for a disk.
    fn acceptor(&self) -> TlsAcceptor {
        let mut last = self.0.last.lock();
        if last.looked.elapsed() >= FRESH {
            last.looked = Instant::now();
            let files = self.0.clone();
            drop(tokio::task::spawn_blocking(move || files.look().iter().for_each(|words| tell(words))));
        }
        last.loaded.acceptor.clone()
    }
}

impl Files {
    /// Reads the files again, and returns what the operator must know.
    fn look(&self) -> Option<String> {
        let found = load(&self.certificates, &self.key);
        let mut last = self.last.lock();
        match found {
            // The same ones keep the sessions of their clients.
            Ok(loaded) if loaded.chain == last.loaded.chain => {
                last.wrong = None;
                None
            }
            Ok(loaded) => {
                (last.loaded, last.wrong) = (loaded, None);
                Some(format!("mclive: the new certificate in {} is in use", self.certificates.display()))
            }
            Err(why) if last.wrong.as_ref() == Some(&why) => None,
            Err(why) => {
                let words = format!("mclive: error: {why}; still using the previous certificate");
                last.wrong = Some(why);
                Some(words)
            }
        }
    }
}

fn load(certificates: &Path, key: &Path) -> Result<Loaded, String> {
    let (chain, own) = (pem::certificates(certificates)?, pem::key(key)?);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain.clone(), own)
        .map_err(|error| match error {
            Error::InconsistentKeys(_) => {
                pem::wrong(key, &format!("it is not the key of the certificate in {}", certificates.display()))
            }
            error => pem::wrong(key, &error.to_string()),
        })?;
    Ok(Loaded { chain, acceptor: TlsAcceptor::from(Arc::new(config)) })
}
