//! Callers with any credentials, on both ports, and how they are answered.

use std::{error::Error as _, sync::Arc, time::Duration};

use nqueens_proto::v1::{
    DrainWorkerRequest, GetClusterRequest, WorkRequest, cluster_service_client::ClusterServiceClient,
    worker_service_client::WorkerServiceClient,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};
use tonic::{
    Code, Request, Status,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Error, Identity},
};

use crate::{cluster::Cluster, material::Pair};

/// Far more than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What a caller has to show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    pub(crate) token: Option<String>,
    pub(crate) pair: Option<Pair>,
}

/// What a caller wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    Steer,
    Work,
}

/// How a caller is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    In,
    Unauthenticated,
    Forbidden,
    NoConnection,
}

impl Cluster {
    pub(crate) async fn channel(&self, caller: &Caller) -> Result<Channel, Error> {
        let scheme = if self.encrypted { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://localhost:{}", self.grpc))?;
        if !self.encrypted {
            return endpoint.connect().await;
        }
        let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&self.authority.pem));
        if let Some(Pair { cert, key }) = &caller.pair {
            tls = tls.identity(Identity::from_pem(cert, key));
        }
        endpoint.tls_config(tls)?.connect().await
    }

    pub(crate) async fn over_grpc(&self, caller: &Caller, call: Call) -> Answer {
        let Ok(channel) = self.channel(caller).await else { return Answer::NoConnection };
        let mut itself = ClusterServiceClient::new(channel.clone());
        let status = match call {
            Call::Read => itself.get_cluster(caller.shows(GetClusterRequest {})).await.err(),
            // There is no such worker, which only those learn who may drain one.
            Call::Steer => {
                itself.drain_worker(caller.shows(DrainWorkerRequest { worker_id: 999 })).await.err()
            }
            // A session without a hello, of which only those are told who may have one.
            Call::Work => {
                let nothing = caller.shows(tokio_stream::empty::<WorkRequest>());
                WorkerServiceClient::new(channel).work(nothing).await.err()
            }
        };
        answer(status)
    }

    /// Asks over HTTP; returns the head of the answer, or nothing if there is no connection.
    pub(crate) async fn http(
        &self,
        caller: &Caller,
        method: &str,
        path: &str,
        headers: &str,
    ) -> Option<String> {
        let authorization = caller.token.as_ref().map(|token| format!("authorization: Bearer {token}\r\n"));
        let host = if headers.contains("host:") { "" } else { "host: localhost\r\n" };
        let request =
            format!("{method} {path} HTTP/1.0\r\n{host}{}{headers}\r\n", authorization.unwrap_or_default());
        let mut stream = self.stream(caller).await?;
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        // The other side need not say goodbye in due form.
        let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("an answer");
        let answer = String::from_utf8(answer).unwrap();
        (!answer.is_empty()).then_some(answer)
    }

    pub(crate) async fn over_http(&self, caller: &Caller, call: Call) -> Answer {
        let (method, path) = match call {
            Call::Read => ("GET", "/api/v1/cluster"),
            Call::Steer => ("POST", "/api/v1/workers/999/drain"),
            Call::Work => unreachable!("sessions are gRPC"),
        };
        let Some(answer) = self.http(caller, method, path, "").await else { return Answer::NoConnection };
        let problem = answer.contains("content-type: application/problem+json");
        match answer.split(' ').nth(1).expect("a status") {
            "200" if call == Call::Read => Answer::In,
            "404" if call == Call::Steer => Answer::In,
            "401" if problem && answer.contains("www-authenticate: Bearer") => Answer::Unauthenticated,
            "403" if problem => Answer::Forbidden,
            other => panic!("{other}: {answer}"),
        }
    }

    async fn stream(&self, caller: &Caller) -> Option<Box<dyn Stream>> {
        let tcp = TcpStream::connect(("127.0.0.1", self.http)).await.unwrap();
        if !self.encrypted {
            return Some(Box::new(tcp));
        }
        let name = "localhost".try_into().unwrap();
        let connected = TlsConnector::from(Arc::new(self.config(caller))).connect(name, tcp).await;
        connected.ok().map(|tls| Box::new(tls) as Box<dyn Stream>)
    }

    pub(crate) fn config(&self, caller: &Caller) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.authority.pem.as_bytes()).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        match &caller.pair {
            None => builder.with_no_client_auth(),
            Some(Pair { cert, key }) => {
                let chain = vec![CertificateDer::from_pem_slice(cert.as_bytes()).unwrap()];
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                builder.with_client_auth_cert(chain, key).unwrap()
            }
        }
    }
}

impl Caller {
    pub(crate) fn shows<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token {
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        request
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

fn answer(status: Option<Status>) -> Answer {
    let Some(status) = status else { return Answer::In };
    if status.source().is_some() {
        return Answer::NoConnection;
    }
    match status.code() {
        Code::Unauthenticated => Answer::Unauthenticated,
        Code::PermissionDenied => Answer::Forbidden,
        Code::NotFound | Code::InvalidArgument => Answer::In,
        _ => panic!("{status}"),
    }
}
