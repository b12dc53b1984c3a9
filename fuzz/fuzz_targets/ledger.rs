//! A ledger in which any bytes have changed: it is opened or refused, and never is there a panic.
//!
//! `cargo fuzz run ledger -- -max_len=256 -max_total_time=3600`. An input is a list of changes: two bytes say where, one
//! says what; a last single byte cuts the file short.

#![no_main]

use std::{fs, sync::LazyLock};

use coordinator::{Coordinator, LedgerPlace, Settings};
use libfuzzer_sys::fuzz_target;
use nqueens_proto::v1::{CreateRunRequest, Goal, WatchRunRequest, run_service_client::RunServiceClient};
use tempfile::TempDir;
use tokio::{net::TcpListener, runtime};
use tokio_util::sync::CancellationToken;
use worker::{Config, Pool, Stop};

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let runtime = runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(make_ledger()).expect("a ledger")
});

fuzz_target!(|bytes: &[u8]| {
    let mut ledger = WHOLE.clone();
    let len = ledger.len();
    for change in bytes.chunks_exact(3) {
        let at = (usize::from(change[0]) << 8 | usize::from(change[1])) * 3 % len;
        ledger[at] ^= change[2];
    }
    if let &[cut] = bytes.chunks_exact(3).remainder() {
        ledger.truncate(len * usize::from(cut) / 255);
    }
    let path = FOLDER.path().join("fuzzed.db");
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(FOLDER.path().join(format!("fuzzed.db{suffix}")));
    }
    fs::write(&path, ledger).expect("the file can be written");
    drop(Coordinator::open(Settings { ledger: LedgerPlace::File(path), ..Settings::default() }));
});

/// Makes a ledger with one run that is done and one that is not.
async fn make_ledger() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let path = FOLDER.path().join("whole.db");
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let stop = CancellationToken::new();
    let settings = Settings { ledger: LedgerPlace::File(path.clone()), ..Settings::default() };
    let serving = tokio::spawn(Coordinator::open(settings)?.serve(listener, stop.clone()));
    let kernel = queens::kernel::Kernel::Scalar;
    let pool = Pool::threads(std::num::NonZeroUsize::MIN, kernel)?;
    let config = Config::new("fuzz".to_owned(), "here".to_owned(), pool.slots(), kernel);
    let ends = Stop::default();
    let working = tokio::spawn(worker::run(config, worker::client::endpoint(&url)?, pool, ends.clone()));
    let mut runs = RunServiceClient::connect(url).await?;
    let wanted =
        CreateRunRequest { n: 8, goal: Goal::Count.into(), depth: Some(1), ..CreateRunRequest::default() };
    let run_id = runs.create_run(wanted.clone()).await?.into_inner().run.unwrap_or_default().run_id;
    let mut states = runs.watch_run(WatchRunRequest { run_id }).await?.into_inner();
    while states.message().await?.is_some() {}
    ends.drain.cancel();
    working.await??;
    runs.create_run(wanted).await?;
    stop.cancel();
    serving.await??;
    Ok(fs::read(path)?)
}
