//! Certificates of callers: the role that one names, and whether it still holds.

use std::sync::Arc;

use ring::digest::{SHA256, digest};
use tokio_rustls::rustls::{
    pki_types::{CertificateDer, UnixTime},
    server::danger::ClientCertVerifier,
};
use tokio_util::sync::CancellationToken;

use super::role::Role;

/// How the subject alternative name of a certificate names a role: as the URI `nqueens:worker`.
const SCHEME: &str = "nqueens:";

/// The certificate of a caller, which its handshake has proved.
#[derive(Debug)]
pub(crate) struct Certificate {
    chain: Vec<CertificateDer<'static>>,
    /// The role that it names, if it names one and no second.
    pub(crate) role: Option<Role>,
    /// The beginning of its SHA-256 fingerprint: its name in log lines.
    pub(crate) name: String,
    /// Cancelled when the certificate is no longer accepted.
    pub(crate) revoked: CancellationToken,
}

impl Certificate {
    /// Takes the chain of a handshake, the caller's own first; `None` if there is none.
    pub(crate) fn of_chain(chain: &[CertificateDer<'static>]) -> Option<Arc<Self>> {
        let own = chain.first()?;
        let name = digest(&SHA256, own).as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let certificate =
            Self { role: role(own), chain: chain.to_vec(), name, revoked: CancellationToken::new() };
        Some(Arc::new(certificate))
    }

    /// Ends what the caller does here, unless `verifier` would still accept the certificate.
    pub(crate) fn recheck(&self, verifier: Option<&dyn ClientCertVerifier>) {
        let accepted = match (self.chain.split_first(), verifier) {
            (Some((own, between)), Some(verifier)) => {
                verifier.verify_client_cert(own, between, UnixTime::now()).is_ok()
            }
            _ => false,
        };
        if !accepted {
            self.revoked.cancel();
        }
    }
}

fn role(certificate: &CertificateDer<'_>) -> Option<Role> {
    let certificate = webpki::EndEntityCert::try_from(certificate).ok()?;
    let mut roles = certificate.valid_uri_names().filter_map(|uri| uri.strip_prefix(SCHEME)?.parse().ok());
    match (roles.next(), roles.next()) {
        (Some(role), None) => Some(role),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SanType};

    use super::*;

    fn role_of(names: &[&str]) -> Option<Role> {
        let mut params = CertificateParams::default();
        params.subject_alt_names =
            names.iter().map(|name| SanType::URI((*name).try_into().expect("text"))).collect();
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Certificate::of_chain(&[certificate.der().clone()]).expect("a chain").role
    }

    #[test]
    fn a_certificate_names_one_role() {
        assert_eq!(role_of(&["nqueens:worker"]), Some(Role::Worker));
        assert_eq!(role_of(&["spiffe://here/x", "nqueens:viewer"]), Some(Role::Viewer));
        for none in [&[][..], &["worker"], &["nqueens:king"], &["nqueens:worker", "nqueens:client"]] {
            assert_eq!(role_of(none), None, "{none:?}");
        }
    }
}
