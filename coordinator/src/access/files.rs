//! The files that say who may come in.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tokio_rustls::rustls;

use super::tokens::BadTokens;

/// The files that say who may come in, and how the coordinator proves who it is.
#[derive(Clone, Debug, Default)]
pub struct AccessFiles {
    /// The coordinator's certificate and key; without them connections are not encrypted.
    pub tls: Option<TlsFiles>,
    /// Lines of a role and a token or its digest; without it no tokens are accepted.
    pub tokens: Option<PathBuf>,
}

/// The files that TLS needs, all of them PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The coordinator's certificate, and those between it and its authority.
    pub cert: PathBuf,
    /// The key of the certificate.
    pub key: PathBuf,
    /// The authorities whose certificates callers may show; without it none are accepted.
    pub client_ca: Option<PathBuf>,
}

/// Why nobody can be let in with these files, in a sentence that says what to do. It never has a secret in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// A file cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, #[source] io::Error),
    /// A file is no PEM file of what it should have.
    #[error("{0} has no {1} in PEM form: {2}")]
    Pem(PathBuf, &'static str, rustls::pki_types::pem::Error),
    /// Certificate and key cannot be used, or not together.
    #[error("{0} and {1} cannot be used as certificate and key: {2}")]
    Pair(PathBuf, PathBuf, rustls::Error),
    /// The authorities of callers cannot be used.
    #[error("{0} cannot be used as the authority of callers: {1}")]
    Authority(PathBuf, String),
    /// The file of tokens cannot be used.
    #[error("{0} is no file of tokens: {1}")]
    Tokens(PathBuf, String),
}

/// What the files hold.
#[derive(PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) tls: Option<TlsContents>,
    pub(super) tokens: Option<String>,
}

/// What the files of TLS hold.
#[derive(PartialEq, Eq)]
pub(super) struct TlsContents {
    pub(super) cert: Vec<u8>,
    pub(super) key: Vec<u8>,
    pub(super) client_ca: Option<Vec<u8>>,
}

impl AccessFiles {
    /// Reads all files.
    pub(super) fn read(&self) -> Result<Contents, AccessError> {
        let tokens = self.tokens.as_deref().map(|path| {
            String::from_utf8(bytes(path)?)
                .map_err(|_| AccessError::Tokens(path.to_owned(), "it is not text".to_owned()))
        });
        Ok(Contents { tls: self.tls.as_ref().map(TlsFiles::read).transpose()?, tokens: tokens.transpose()? })
    }

    pub(super) fn bad_tokens(&self, reason: &BadTokens) -> AccessError {
        AccessError::Tokens(self.tokens.clone().unwrap_or_default(), reason.to_string())
    }
}

impl TlsFiles {
    fn read(&self) -> Result<TlsContents, AccessError> {
        Ok(TlsContents {
            cert: bytes(&self.cert)?,
            key: bytes(&self.key)?,
            client_ca: self.client_ca.as_deref().map(bytes).transpose()?,
        })
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, AccessError> {
    fs::read(path).map_err(|error| AccessError::Read(path.to_owned(), error))
}
