//! Certificates for both sides.

use std::{fs, path::PathBuf};

use coordinator::{Access, AccessFiles, TlsFiles};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};
use tempfile::TempDir;
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// An authority, and the files of a coordinator that it signed.
pub(crate) struct Material {
    issuer: Issuer<'static, KeyPair>,
    authority: String,
    folder: TempDir,
}

impl Material {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), authority, folder: tempfile::tempdir().unwrap() }
    }

    /// Returns what wants callers with certificates.
    pub(crate) fn access(&self) -> Access {
        let (cert, key) = self.sign(CertificateParams::new(["localhost".to_owned()]).unwrap());
        let tls = TlsFiles {
            cert: self.write("cert.pem", &cert),
            key: self.write("key.pem", &key),
            client_ca: Some(self.write("ca.pem", &self.authority)),
        };
        Access::load(AccessFiles { tls: Some(tls), tokens: None }).unwrap()
    }

    pub(crate) fn caller(&self, role: &str) -> ClientTlsConfig {
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![SanType::URI(format!("nqueens:{role}").try_into().unwrap())];
        let (cert, key) = self.sign(params);
        ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(&self.authority))
            .identity(Identity::from_pem(cert, key))
    }

    fn sign(&self, params: CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
}
