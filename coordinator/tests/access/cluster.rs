//! A coordinator whose doors are shut.

use std::time::Duration;

use coordinator::{Access, AccessFiles, Coordinator, LedgerPlace, Limits, Settings, TlsFiles};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::material::{Authority, Files, all_tokens};

/// What a coordinator wants of its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    Nothing,
    Token,
    TokenOverTls,
    Certificate,
    CertificateOrToken,
}

/// A coordinator that serves until this is dropped.
pub(crate) struct Cluster {
    pub(crate) grpc: u16,
    pub(crate) http: u16,
    pub(crate) authority: Authority,
    pub(crate) files: Files,
    pub(crate) access: Access,
    pub(crate) encrypted: bool,
    _stop: DropGuard,
}

impl Cluster {
    pub(crate) async fn start(wants: Wants) -> Self {
        Self::with(wants, Limits::default()).await
    }

    pub(crate) async fn with(wants: Wants, limits: Limits) -> Self {
        use Wants::{Certificate, CertificateOrToken, Token, TokenOverTls};
        let (authority, files) = (Authority::new(), Files::new());
        files.write_server(&authority.server());
        let client_ca = files.write("client-ca.pem", &authority.pem);
        let tokens = files.write("tokens", &all_tokens());
        let encrypted = matches!(wants, TokenOverTls | Certificate | CertificateOrToken);
        let tls = TlsFiles {
            cert: files.path("cert.pem"),
            key: files.path("key.pem"),
            client_ca: matches!(wants, Certificate | CertificateOrToken).then_some(client_ca),
        };
        let access = Access::load(AccessFiles {
            tls: encrypted.then_some(tls),
            tokens: matches!(wants, Token | TokenOverTls | CertificateOrToken).then_some(tokens),
        });
        let access = access.unwrap();
        let listen = async || TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (grpc, http) = (listen().await, listen().await);
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let ports = (port(&grpc), port(&http));
        let stop = CancellationToken::new();
        let settings = Settings {
            ledger: LedgerPlace::Memory,
            lease_ttl: Duration::from_secs(5),
            limits,
            ..Settings::default()
        };
        let coordinator = Coordinator::open(settings).unwrap().with_access(access.clone()).with_http(http);
        tokio::spawn(coordinator.serve(grpc, stop.clone()));
        let _stop = stop.drop_guard();
        Self { grpc: ports.0, http: ports.1, authority, files, access, encrypted, _stop }
    }
}
