//! The user: asks for a run, follows it through all outages, and reads what it came to.

use std::{cell::RefCell, future::Future, rc::Rc, sync::Arc, time::Duration};

use nqueens_proto::v1::{
    self, CreateRunRequest, ExportLedgerRequest, GetRunRequest, Order, RecordedResult, Run, RunState,
    StreamBoardsRequest, run_service_client::RunServiceClient,
};
use tokio::time::{sleep, timeout};
use tonic::{Code, Status, transport::Channel};
use tracing::info;

use crate::{
    network,
    scenario::{Goal, Scenario},
};

/// The time between two looks at the run.
const LOOK: Duration = Duration::from_millis(250);
/// How long one answer may take before the user tries again.
const PATIENCE: Duration = Duration::from_secs(4);

/// What the user has seen.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) run: Option<Run>,
    pub(crate) results: Vec<RecordedResult>,
    pub(crate) boards: Vec<u8>,
    pub(crate) violations: Vec<String>,
}

pub(crate) async fn user(scenario: Arc<Scenario>, observed: Rc<RefCell<Observed>>) -> turmoil::Result {
    let mut user = User { channel: None };
    let run_id = user.create(&scenario).await?;
    let run = user.follow(run_id, &observed).await?;
    info!(state = ?run.state(), answer = ?run.answer, "the run is over");
    let is_done = run.state() == RunState::Done;
    observed.borrow_mut().run = Some(run);
    if is_done {
        let results = user.export(run_id).await?;
        observed.borrow_mut().results = results;
    }
    if is_done && scenario.goal == Goal::Boards {
        let boards = user.boards(run_id, scenario.size.index()).await?;
        observed.borrow_mut().boards = boards;
    }
    Ok(())
}

struct User {
    channel: Option<Channel>,
}

impl User {
    async fn create(&mut self, scenario: &Scenario) -> Result<u64, Status> {
        let goal = match scenario.goal {
            Goal::Count => v1::Goal::Count,
            Goal::Boards => v1::Goal::Boards,
        };
        let request = CreateRunRequest {
            n: scenario.size.get(),
            goal: goal.into(),
            request_id: "simulated".to_owned(),
            depth: scenario.depth,
            audit_share: scenario.audit_share,
            algorithm: scenario.algorithm().into(),
            full_audit: scenario.full_audit,
        };
        let created = self.ask(|mut runs| {
            let request = request.clone();
            async move { Ok(runs.create_run(request).await?.into_inner()) }
        });
        Ok(created.await?.run.unwrap_or_default().run_id)
    }

    /// Looks at the run until it is over. What has been seen done must stay done.
    async fn follow(&mut self, run_id: u64, observed: &RefCell<Observed>) -> Result<Run, Status> {
        let mut seen = 0;
        loop {
            let run = self.ask(|mut runs| async move {
                Ok(runs.get_run(GetRunRequest { run_id }).await?.into_inner().run.unwrap_or_default())
            });
            let run = run.await?;
            let done = run.progress.as_ref().map_or(0, |progress| progress.jobs_done);
            if done < seen {
                let violation = format!("{seen} jobs had been done, and later only {done}");
                observed.borrow_mut().violations.push(violation);
            }
            seen = done;
            if !matches!(run.state(), RunState::Running | RunState::Paused) {
                return Ok(run);
            }
            sleep(LOOK).await;
        }
    }

    async fn export(&mut self, run_id: u64) -> Result<Vec<RecordedResult>, Status> {
        let exported = self.ask(|mut runs| async move {
            let mut pages = runs.export_ledger(ExportLedgerRequest { run_id }).await?.into_inner();
            let mut results = Vec::new();
            while let Some(page) = pages.message().await? {
                results.extend(page.results);
            }
            Ok(results)
        });
        exported.await
    }

    /// Reads all boards; after a cut, from where it was cut.
    async fn boards(&mut self, run_id: u64, n: usize) -> Result<Vec<u8>, Status> {
        let read = Rc::new(RefCell::new(Vec::new()));
        let listed = self.ask(|mut runs| {
            let read = Rc::clone(&read);
            async move {
                let offset = (read.borrow().len() / n) as u64;
                let request =
                    StreamBoardsRequest { run_id, order: Order::Ascending.into(), offset, limit: None };
                let mut chunks = runs.stream_boards(request).await?.into_inner();
                while let Some(chunk) = chunks.message().await? {
                    read.borrow_mut().extend_from_slice(&chunk.boards);
                }
                Ok(())
            }
        });
        listed.await?;
        Ok(read.take())
    }

    /// Asks until there is an answer. An error if the answer is a refusal that no repetition will change.
    async fn ask<T, F: Future<Output = Result<T, Status>>>(
        &mut self,
        ask: impl Fn(RunServiceClient<Channel>) -> F,
    ) -> Result<T, Status> {
        loop {
            match timeout(PATIENCE, self.ask_once(&ask)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(status)) if is_for_good(&status) => return Err(status),
                // The connection may be one that nobody has noticed to be dead.
                _ => self.channel = None,
            }
            sleep(LOOK).await;
        }
    }

    async fn ask_once<T, F: Future<Output = Result<T, Status>>>(
        &mut self,
        ask: &impl Fn(RunServiceClient<Channel>) -> F,
    ) -> Result<T, Status> {
        let channel = match &self.channel {
            Some(channel) => channel.clone(),
            None => network::connect().await.map_err(|error| Status::unavailable(error.to_string()))?,
        };
        ask(RunServiceClient::new(self.channel.insert(channel).clone())).await
    }
}

fn is_for_good(status: &Status) -> bool {
    // A status with a cause was made on this side, by a connection that broke.
    if std::error::Error::source(status).is_some() {
        return false;
    }
    let passes =
        matches!(status.code(), Code::Unavailable | Code::Cancelled | Code::DeadlineExceeded | Code::Unknown);
    !passes
}
