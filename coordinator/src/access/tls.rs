//! How connections are encrypted, and which certificates of callers are accepted.

use std::{fmt::Display, path::Path, sync::Arc};

use tokio_rustls::rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{NoServerSessionStorage, WebPkiClientVerifier, danger::ClientCertVerifier},
};

use super::files::{AccessError, TlsContents, TlsFiles};

/// One of the ports that the coordinator serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    Grpc,
    Http,
}

/// How the handshakes of both ports are answered.
pub(crate) struct Tls {
    grpc: Arc<ServerConfig>,
    http: Arc<ServerConfig>,
    /// What callers' certificates have to pass, if they may show any.
    pub(crate) verifier: Option<Arc<dyn ClientCertVerifier>>,
}

impl Tls {
    /// `optional`: callers without a certificate may show a token.
    pub(super) fn new(files: &TlsFiles, contents: &TlsContents, optional: bool) -> Result<Self, AccessError> {
        let verifier = match (&files.client_ca, &contents.client_ca) {
            (Some(path), Some(pem)) => Some(verifier(path, pem, optional)?),
            _ => None,
        };
        let mut config = config(files, contents, verifier.clone())?;
        // A resumed session would not have its certificate verified again.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        let mut http = config.clone();
        http.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self { grpc: Arc::new(config), http: Arc::new(http), verifier })
    }

    pub(crate) fn config(&self, port: Port) -> Arc<ServerConfig> {
        match port {
            Port::Grpc => self.grpc.clone(),
            Port::Http => self.http.clone(),
        }
    }
}

fn config(
    files: &TlsFiles,
    contents: &TlsContents,
    verifier: Option<Arc<dyn ClientCertVerifier>>,
) -> Result<ServerConfig, AccessError> {
    let chain = certificates(&files.cert, &contents.cert)?;
    let key = PrivateKeyDer::from_pem_slice(&contents.key)
        .map_err(|error| AccessError::Pem(files.key.clone(), "private key", error))?;
    let unfit = |error| AccessError::Pair(files.cert.clone(), files.key.clone(), error);
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unfit)?;
    let builder = match verifier {
        Some(verifier) => builder.with_client_cert_verifier(verifier),
        None => builder.with_no_client_auth(),
    };
    builder.with_single_cert(chain, key).map_err(unfit)
}

fn verifier(path: &Path, pem: &[u8], optional: bool) -> Result<Arc<dyn ClientCertVerifier>, AccessError> {
    let unfit = |reason: &dyn Display| AccessError::Authority(path.to_owned(), reason.to_string());
    let mut roots = RootCertStore::empty();
    for authority in certificates(path, pem)? {
        roots.add(authority).map_err(|error| unfit(&error))?;
    }
    let provider = Arc::new(ring::default_provider());
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = if optional { builder.allow_unauthenticated() } else { builder };
    builder.build().map_err(|error| unfit(&error))
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, AccessError> {
    use tokio_rustls::rustls::pki_types::pem::Error::NoItemsFound;
    let wrong = |error| AccessError::Pem(path.to_owned(), "certificate", error);
    let all: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(wrong)?;
    if all.is_empty() { Err(wrong(NoItemsFound)) } else { Ok(all) }
}
