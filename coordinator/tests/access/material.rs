//! Certificates and tokens, good ones and bad ones.

use std::{fs, path::PathBuf};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};
use tempfile::TempDir;
use time::{Duration, OffsetDateTime};

pub(crate) const WORKER: &str = "worker-token-0123456789abcdef";
pub(crate) const CLIENT: &str = "client-token-0123456789abcdef";
pub(crate) const VIEWER: &str = "viewer-token-0123456789abcdef";
/// All the tokens above, as a file has them.
pub(crate) fn all_tokens() -> String {
    format!("worker {WORKER}\nclient {CLIENT}\nviewer {VIEWER}\n")
}

/// A certificate and its key, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) cert: String,
    pub(crate) key: String,
}

/// Who signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub(crate) fn server(&self) -> Pair {
        self.sign(CertificateParams::new(["localhost".to_owned()]).unwrap())
    }

    /// Returns the certificate of a caller; `role`: what it names.
    pub(crate) fn caller(&self, role: &str) -> Pair {
        self.sign(caller(role))
    }

    pub(crate) fn expired(&self, role: &str) -> Pair {
        let mut params = caller(role);
        params.not_before = OffsetDateTime::now_utc() - Duration::days(2);
        params.not_after = OffsetDateTime::now_utc() - Duration::days(1);
        self.sign(params)
    }

    fn sign(&self, params: CertificateParams) -> Pair {
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap().pem();
        Pair { cert, key: key.serialize_pem() }
    }
}

fn caller(role: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.subject_alt_names = vec![SanType::URI(format!("nqueens:{role}").try_into().unwrap())];
    params
}

/// The files of a coordinator.
pub(crate) struct Files {
    folder: TempDir,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in one step, as those who take care do.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let (path, draft) = (self.path(name), self.path("draft"));
        fs::write(&draft, text).unwrap();
        fs::rename(draft, &path).unwrap();
        path
    }

    pub(crate) fn write_server(&self, pair: &Pair) {
        self.write("key.pem", &pair.key);
        self.write("cert.pem", &pair.cert);
    }
}
