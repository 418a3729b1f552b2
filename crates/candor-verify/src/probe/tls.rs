//! TLS for probes.
//!
//! On this machine any certificate will do: services under development have one that they signed themselves, and there is
//! nobody in between. Elsewhere those are trusted whom the machine trusts.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Url;

use super::mistake;
use super::outcome::Found;
use super::reach::Place;

/// Speaks TLS over a connection to where a URL leads.
pub(super) async fn connect(
    url: &Url,
    place: &Place,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, Found> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(host.to_owned()).map_err(mistake)?;
    let config = config(place).map_err(|error| Found::unverifiable(format!("no TLS here: {error}")))?;
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    connected.map_err(|error| Found::no_answer(format!("no TLS connection: {error}"), ""))
}

fn config(place: &Place) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions()?;
    Ok(match place {
        Place::Inside(_) => builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider))),
        Place::Outside { .. } => builder.with_platform_verifier()?,
    }
    .with_no_client_auth())
}

/// Trusts whoever holds the key of the certificate that is shown.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
