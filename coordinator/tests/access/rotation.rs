//! Credentials that change in the middle of a run.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use coordinator::Renewal;
use nqueens_proto::v1::{
    CreateRunRequest, Goal, Run, RunState, WatchRunRequest, run_service_client::RunServiceClient,
};
use queens::kernel::Kernel;
use tokio::{
    net::TcpStream,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_rustls::TlsConnector;
use tonic::{
    Code, Status,
    metadata::{Ascii, MetadataValue},
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity},
};
use worker::{Config, Dial, Job, Pool, Stop};

use crate::{
    ask::{Answer, Call, Caller, PATIENCE},
    cluster::{Cluster, Wants},
    log,
    material::{Authority, CLIENT, VIEWER, WORKER},
};

const NEWER: &str = "newer-token-0123456789abcdef";

/// How a worker reaches the coordinator, with what it has to show at the time.
#[derive(Clone)]
struct Way {
    port: u16,
    authorities: String,
    caller: Arc<Mutex<Caller>>,
    dialled: Arc<AtomicUsize>,
}

impl Dial for Way {
    async fn dial(&self) -> Result<Channel, worker::Error> {
        self.dialled.fetch_add(1, SeqCst);
        let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&self.authorities));
        if let Some(pair) = self.caller.lock().unwrap().pair.clone() {
            tls = tls.identity(Identity::from_pem(pair.cert, pair.key));
        }
        let endpoint = Endpoint::from_shared(format!("https://localhost:{}", self.port)).unwrap();
        Ok(endpoint.tls_config(tls)?.connect().await?)
    }

    fn authorization(&self) -> Result<Option<MetadataValue<Ascii>>, worker::Error> {
        let token = self.caller.lock().unwrap().token.clone();
        Ok(token.map(|token| format!("Bearer {token}").parse().unwrap()))
    }
}

struct Worker {
    way: Way,
    _running: JoinHandle<Result<(), worker::Error>>,
}

impl Worker {
    fn start(cluster: &Cluster, name: &str, caller: Caller) -> Self {
        let way = Way {
            port: cluster.grpc,
            authorities: cluster.authority.pem.clone(),
            caller: Arc::new(Mutex::new(caller)),
            dialled: Arc::default(),
        };
        let count = |job: &Job| {
            std::thread::sleep(Duration::from_millis(5));
            honest(job)
        };
        let pool = Pool::threads_with(NonZeroUsize::MIN, move || count).unwrap();
        let config = Config::new(name.to_owned(), "here".to_owned(), pool.slots(), Kernel::best());
        let running = tokio::spawn(worker::run(config, way.clone(), pool, Stop::default()));
        Self { way, _running: running }
    }

    fn sessions(&self) -> usize {
        self.way.dialled.load(SeqCst)
    }

    fn gets(&self, caller: Caller) {
        *self.way.caller.lock().unwrap() = caller;
    }
}

fn honest(job: &Job) -> Result<u64, String> {
    queens::plain::count(job.size, &job.work).map_err(|error| error.to_string())
}

/// A run that somebody follows.
struct Followed {
    runs: RunServiceClient<Channel>,
    caller: Caller,
    run: u64,
}

impl Followed {
    async fn create(cluster: &Cluster, caller: Caller) -> Self {
        let mut runs = RunServiceClient::new(cluster.channel(&caller).await.unwrap());
        let wanted = CreateRunRequest {
            n: 12,
            goal: Goal::Count.into(),
            depth: Some(2),
            ..CreateRunRequest::default()
        };
        let created = runs.create_run(caller.shows(wanted)).await.unwrap().into_inner();
        Self { runs, caller, run: created.run.unwrap().run_id }
    }

    /// Waits until `until` holds; an error if the stream ends before.
    async fn watch(&self, until: impl Fn(&Run) -> bool) -> Result<Run, Status> {
        let request = self.caller.shows(WatchRunRequest { run_id: self.run });
        let mut states = self.runs.clone().watch_run(request).await?.into_inner();
        let found = async {
            loop {
                let state = states.message().await?.and_then(|state| state.run);
                let state = state.ok_or_else(|| Status::internal("the stream has ended"))?;
                if until(&state) {
                    return Ok(state);
                }
            }
        };
        timeout(PATIENCE, found).await.expect("the run hangs")
    }

    async fn has_done(&self, jobs: u64) {
        let done = |run: &Run| run.progress.as_ref().is_some_and(|progress| progress.jobs_done >= jobs);
        self.watch(done).await.unwrap();
    }

    async fn is_exact(&self) {
        let run = self.watch(|run| run.state() == RunState::Done).await.unwrap();
        assert_eq!(run.answer.unwrap().total, "14200");
    }
}

fn with_token(token: &str) -> Caller {
    Caller { token: Some(token.to_owned()), pair: None }
}

async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let waited = async {
        while !holds() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, waited).await.unwrap_or_else(|_| panic!("{what} never came"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_change_in_the_middle_of_a_run() {
    let _together = log::together().await;
    log::keep();
    let cluster = Cluster::start(Wants::TokenOverTls).await;
    let followed = Followed::create(&cluster, with_token(CLIENT)).await;
    let stays = Worker::start(&cluster, "stays", with_token(WORKER));
    followed.has_done(3).await;

    // Both tokens for a while: nobody is troubled. The file is seen without a signal.
    let both = format!("worker {WORKER}\nworker {NEWER}\nclient {CLIENT}\nviewer {VIEWER}\n");
    cluster.files.write("tokens", &both);
    while cluster.over_grpc(&with_token(NEWER), Call::Work).await != Answer::In {
        sleep(Duration::from_millis(100)).await;
    }
    let changes = Worker::start(&cluster, "changes", with_token(NEWER));
    eventually("the second worker", || changes.sessions() == 1).await;
    followed.has_done(6).await;

    // A file that makes no sense changes nothing.
    cluster.files.write("tokens", "king without-a-country-123456\n");
    cluster.access.renew();
    assert_eq!(cluster.over_grpc(&with_token(CLIENT), Call::Steer).await, Answer::In);
    eventually("a complaint", || log::text().contains("tokens from before still hold")).await;

    // The newer one goes again, and so does the viewer's, who is watching.
    let viewer = Followed { caller: with_token(VIEWER), runs: followed.runs.clone(), run: followed.run };
    let watching = tokio::spawn(async move { viewer.watch(|run| run.state() == RunState::Done).await });
    followed.has_done(8).await;
    cluster.files.write("tokens", &format!("worker {WORKER}\nclient {CLIENT}\n"));
    cluster.access.renew();
    assert_eq!(watching.await.unwrap().unwrap_err().code(), Code::Unauthenticated);
    eventually("the end of its session", || changes.sessions() > 1).await;
    assert_eq!(cluster.over_grpc(&with_token(NEWER), Call::Work).await, Answer::Unauthenticated);
    assert_eq!(cluster.over_http(&with_token(VIEWER), Call::Read).await, Answer::Unauthenticated);

    // With the right token it comes back by itself.
    changes.gets(with_token(WORKER));
    followed.is_exact().await;
    assert_eq!(stays.sessions(), 1, "a session that was right was dropped");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_change_in_the_middle_of_a_run() {
    let _together = log::together().await;
    let cluster = Cluster::start(Wants::Certificate).await;
    let caller = |authority: &Authority, role| Caller { token: None, pair: Some(authority.caller(role)) };
    let newer = Authority::new();
    let followed = Followed::create(&cluster, caller(&cluster.authority, "client")).await;
    let old = Worker::start(&cluster, "old", caller(&cluster.authority, "worker"));
    followed.has_done(3).await;
    let before = served(&cluster).await;

    // Both authorities for a while, and another certificate of the coordinator.
    cluster.files.write("client-ca.pem", &format!("{}{}", cluster.authority.pem, newer.pem));
    cluster.files.write_server(&cluster.authority.server());
    while !matches!(cluster.access.renew(), Renewal::Unchanged) {}
    assert_ne!(served(&cluster).await, before);
    let new = Worker::start(&cluster, "new", caller(&newer, "worker"));
    eventually("the second worker", || new.sessions() == 1).await;
    followed.has_done(6).await;
    assert_eq!((old.sessions(), new.sessions()), (1, 1));

    // The old authority goes.
    cluster.files.write("client-ca.pem", &newer.pem);
    cluster.access.renew();
    eventually("the end of the old session", || old.sessions() > 1).await;
    let outdated = caller(&cluster.authority, "client");
    assert_eq!(cluster.over_grpc(&outdated, Call::Steer).await, Answer::NoConnection);
    assert_eq!(cluster.over_http(&outdated, Call::Steer).await, Answer::NoConnection);
    // On the connection that it has, too.
    let status = followed.watch(|_| true).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated, "{status}");

    old.gets(caller(&newer, "worker"));
    let client = caller(&newer, "client");
    let runs = RunServiceClient::new(cluster.channel(&client).await.unwrap());
    Followed { runs, caller: client, run: followed.run }.is_exact().await;
    assert_eq!(new.sessions(), 1, "a session that was right was dropped");
}

/// Returns the certificate with which the coordinator answers.
async fn served(cluster: &Cluster) -> Vec<u8> {
    let caller = Caller { token: None, pair: Some(cluster.authority.caller("viewer")) };
    let tcp = TcpStream::connect(("127.0.0.1", cluster.http)).await.unwrap();
    let connector = TlsConnector::from(Arc::new(cluster.config(&caller)));
    let tls = connector.connect("localhost".try_into().unwrap(), tcp).await.unwrap();
    tls.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}
