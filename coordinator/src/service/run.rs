//! `nqueens.v1.RunService`: how users ask for runs and read them.

use std::{pin::Pin, sync::Arc, time::Duration};

use nqueens_proto::v1;
use queens::enumerate::Order;
use scheduler::{NewRun, RunId};
use tokio_stream::{Stream, StreamExt, wrappers::WatchStream};
use tonic::{Request, Response, Status};

use super::{boards, convert, export};
use crate::{
    choose,
    driver::{BoardsRequest, Change, Handle, Request as Ask, time_of_day_ms},
};

/// The page size of a caller who names none, and the largest.
const PAGE_DEFAULT: u32 = 50;
const PAGE_MAX: u32 = 1000;

/// Serves `nqueens.v1.RunService`.
pub(crate) struct RunService {
    driver: Handle,
    job_target: Duration,
}

/// A stream of responses.
type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl RunService {
    pub(crate) fn new(driver: Handle, job_target: Duration) -> Self {
        Self { driver, job_target }
    }

    async fn change(&self, run: u64, change: Change) -> Result<Option<v1::Run>, Status> {
        let view = self.driver.ask(|reply| Ask::Change(RunId(run), change, reply)).await?;
        Ok(Some(convert::run(&view)))
    }
}

#[tonic::async_trait]
impl v1::run_service_server::RunService for RunService {
    async fn create_run(
        &self,
        request: Request<v1::CreateRunRequest>,
    ) -> Result<Response<v1::CreateRunResponse>, Status> {
        let request = request.into_inner();
        let wanted = convert::wanted(&request)?;
        let new = NewRun {
            plan: Arc::new(choose::plan(&self.driver, wanted, self.job_target).await?),
            request_id: request.request_id,
            audit_share: request.audit_share,
            at_ms: time_of_day_ms(),
        };
        let view = self.driver.ask(|reply| Ask::Create(new, reply)).await?;
        Ok(Response::new(v1::CreateRunResponse { run: Some(convert::run(&view)) }))
    }

    async fn get_run(
        &self,
        request: Request<v1::GetRunRequest>,
    ) -> Result<Response<v1::GetRunResponse>, Status> {
        let run = RunId(request.into_inner().run_id);
        let view = self.driver.ask(|reply| Ask::Get(run, reply)).await?;
        Ok(Response::new(v1::GetRunResponse { run: Some(convert::run(&view)) }))
    }

    async fn list_runs(
        &self,
        request: Request<v1::ListRunsRequest>,
    ) -> Result<Response<v1::ListRunsResponse>, Status> {
        let request = request.into_inner();
        let older_than = page_token(&request.page_token)?;
        let most =
            if request.page_size == 0 { PAGE_DEFAULT } else { request.page_size.min(PAGE_MAX) } as usize;
        let mut views = self.driver.ask(|reply| Ask::List { older_than, most: most + 1, reply }).await?;
        let more = views.len() > most;
        views.truncate(most);
        let next_page_token = views.last().filter(|_| more).map(|view| view.run.to_string());
        Ok(Response::new(v1::ListRunsResponse {
            runs: views.iter().map(convert::run).collect(),
            next_page_token: next_page_token.unwrap_or_default(),
        }))
    }

    async fn pause_run(
        &self,
        request: Request<v1::PauseRunRequest>,
    ) -> Result<Response<v1::PauseRunResponse>, Status> {
        let run = self.change(request.into_inner().run_id, Change::Pause).await?;
        Ok(Response::new(v1::PauseRunResponse { run }))
    }

    async fn resume_run(
        &self,
        request: Request<v1::ResumeRunRequest>,
    ) -> Result<Response<v1::ResumeRunResponse>, Status> {
        let run = self.change(request.into_inner().run_id, Change::Resume).await?;
        Ok(Response::new(v1::ResumeRunResponse { run }))
    }

    async fn cancel_run(
        &self,
        request: Request<v1::CancelRunRequest>,
    ) -> Result<Response<v1::CancelRunResponse>, Status> {
        let run = self.change(request.into_inner().run_id, Change::Cancel).await?;
        Ok(Response::new(v1::CancelRunResponse { run }))
    }

    type WatchRunStream = Responses<v1::WatchRunResponse>;

    async fn watch_run(
        &self,
        request: Request<v1::WatchRunRequest>,
    ) -> Result<Response<Self::WatchRunStream>, Status> {
        let run = RunId(request.into_inner().run_id);
        let views = self.driver.ask(|reply| Ask::Watch(run, reply)).await?;
        let responses =
            WatchStream::new(views).map(|view| Ok(v1::WatchRunResponse { run: Some(convert::run(&view)) }));
        Ok(Response::new(Box::pin(responses)))
    }

    type StreamBoardsStream = Responses<v1::StreamBoardsResponse>;

    async fn stream_boards(
        &self,
        request: Request<v1::StreamBoardsRequest>,
    ) -> Result<Response<Self::StreamBoardsStream>, Status> {
        let request = request.into_inner();
        let order = match request.order() {
            v1::Order::Unspecified => Order::Ascending,
            order => order.try_into().map_err(convert::invalid)?,
        };
        let wanted =
            BoardsRequest { run: RunId(request.run_id), order, offset: request.offset, limit: request.limit };
        let deliveries = self.driver.ask(|reply| Ask::Boards(wanted, reply)).await?;
        Ok(Response::new(Box::pin(boards::responses(self.driver.clone(), deliveries))))
    }

    type ExportLedgerStream = Responses<v1::ExportLedgerResponse>;

    async fn export_ledger(
        &self,
        request: Request<v1::ExportLedgerRequest>,
    ) -> Result<Response<Self::ExportLedgerStream>, Status> {
        let run = RunId(request.into_inner().run_id);
        // A run that does not exist is an error at once and not an empty stream.
        let plan = self.driver.ask(|reply| Ask::Get(run, reply)).await?.plan;
        Ok(Response::new(Box::pin(export::results(self.driver.clone(), run, plan))))
    }
}

/// Reads a page token: the last run of the page before.
fn page_token(token: &str) -> Result<Option<RunId>, Status> {
    if token.is_empty() {
        return Ok(None);
    }
    let wrong =
        |_| Status::invalid_argument("page_token must be empty or the next_page_token of another page");
    token.parse().map(|run| Some(RunId(run))).map_err(wrong)
}
