//! [`Pinned`]: trusts only the server with a known certificate, such as a device with a self-signed one.

use crate::network::mac::hex;
use mclive_base::hash::sha256;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

/// The server must have the certificate with this SHA-256 and its key. It needs no other signature, and its names and
/// dates are not checked, since a device may have the wrong ones.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) sha256: [u8; 32],
    pub(super) algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let found = sha256(end_entity);
        if found == self.sha256 {
            return Ok(ServerCertVerified::assertion());
        }
        let (found, expected) = (hex(&found), hex(&self.sha256));
        Err(Error::General(format!("the server's certificate has the fingerprint sha256={found}, not {expected}")))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_certificate_is_trusted() {
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        let pinned = Pinned { sha256: sha256(b"one"), algorithms };
        let verified = |certificate: &[u8]| {
            let name = ServerName::try_from("10.0.0.9").unwrap();
            let now = UnixTime::since_unix_epoch(std::time::Duration::ZERO);
            pinned.verify_server_cert(&CertificateDer::from(certificate.to_vec()), &[], &name, &[], now)
        };
        assert!(verified(b"one").is_ok());
        let Err(Error::General(why)) = verified(b"two") else { panic!("it is another certificate") };
        let (found, expected) = (hex(&sha256(b"two")), hex(&sha256(b"one")));
        assert_eq!(why, format!("the server's certificate has the fingerprint sha256={found}, not {expected}"));
    }
}
