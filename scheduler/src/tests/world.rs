//! A world around the scheduler: a ledger that keeps events, workers that hold jobs and compute them, and a clock that is
//! turned by hand. It does what a coordinator does, and checks after every step all that should hold.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use queens::{
    Size, plain,
    split::{Job, Work},
};

use crate::*;

/// How runs are split here.
pub(crate) const SPLIT: Split = Split::new(Duration::from_secs(5));

/// The ledger: events, and what they come to.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) events: Vec<Event>,
    recorded: BTreeMap<JobId, (u64, WorkerId)>,
    checked: BTreeSet<(JobId, WorkerId)>,
}

impl Ledger {
    fn write(&mut self, event: Event) {
        match &event {
            Event::ResultAdded { job, count, worker, .. } => {
                assert!(self.recorded.insert(*job, (*count, *worker)).is_none(), "{job} was added twice");
            }
            Event::AlarmSettled { job, count, worker, was, .. } => {
                let before = self.recorded.insert(*job, (*count, *worker));
                assert_eq!(before.map(|(count, _)| count), Some(*was));
            }
            Event::CheckPassed { job, worker } | Event::AuditPassed { job, worker } => {
                self.checked.insert((*job, *worker));
            }
            _ => {}
        }
        self.events.push(event);
    }

    pub(crate) fn recorded(&self, job: JobId, reporter: WorkerId) -> Option<Recorded> {
        let &(count, worker) = self.recorded.get(&job)?;
        Some(Recorded { count, worker, repeated: self.checked.contains(&(job, reporter)) })
    }

    /// Returns what is known about every job that the worker computed or confirmed.
    fn supports(&self, worker: WorkerId) -> Vec<Support> {
        let mut supports = BTreeMap::new();
        for event in &self.events {
            match event {
                Event::ResultAdded { job, worker, count, .. } => {
                    supports.insert(*job, Support::new(*job, *worker, *count));
                }
                Event::CheckPassed { job, .. }
                | Event::AuditPassed { job, .. }
                | Event::AlarmRaised { job, .. }
                | Event::AlarmSettled { job, .. } => supports.get_mut(job).unwrap().hear(event),
                _ => {}
            }
        }
        supports.into_values().filter(|support| support.workers().any(|by| by == worker)).collect()
    }

    pub(crate) fn results(&self, run: RunId) -> usize {
        self.recorded.keys().filter(|job| job.run == run).count()
    }

    pub(crate) fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|event| is(event)).count()
    }
}

/// A job in the hands of a worker.
#[derive(Clone, Debug)]
pub(crate) struct Lent {
    pub(crate) job: Job,
    pub(crate) audit: bool,
}

/// A worker process.
pub(crate) struct FakeWorker {
    pub(crate) id: WorkerId,
    pub(crate) who: NewWorker,
    pub(crate) lies: bool,
    /// What it adds to every result of the columns algorithm, and to every audit of the cross algorithm: a mistake.
    pub(crate) mistake: u64,
    /// It is stopped: it gives no sign of life and does nothing.
    pub(crate) frozen: bool,
    pub(crate) connected: bool,
    pub(crate) held: VecDeque<(JobId, Lent)>,
    pub(crate) dismissed: bool,
}

pub(crate) struct World {
    pub(crate) scheduler: Scheduler,
    pub(crate) ledger: Ledger,
    pub(crate) workers: Vec<FakeWorker>,
    pub(crate) now: Moment,
    /// How often a job was begun for a worker.
    pub(crate) leases: BTreeMap<JobId, u32>,
    /// What was revoked with `stop`.
    pub(crate) stopped: usize,
    /// The most jobs that a worker will hold.
    pub(crate) capacity: u32,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self {
            scheduler: Scheduler::new(settings),
            ledger: Ledger::default(),
            workers: Vec::new(),
            now: Moment::default(),
            leases: BTreeMap::new(),
            stopped: 0,
            capacity: 8,
        }
    }

    /// Makes an event durable and true.
    pub(crate) fn commit(&mut self, event: Event) {
        self.ledger.write(event.clone());
        self.scheduler.apply(&event, self.now);
    }

    /// Does all that is due, and carries out the commands.
    pub(crate) fn settle(&mut self) {
        for round in 0.. {
            assert!(round < 1000, "the scheduler never comes to rest");
            self.scheduler.check();
            while let Some(event) = self.scheduler.due(self.now) {
                self.commit(event);
            }
            while let Some(worker) = self.scheduler.recheck_wanted() {
                self.scheduler.recheck(worker, self.ledger.supports(worker));
            }
            for job in self.scheduler.disputes(self.now) {
                self.referee(job);
            }
            let mut commands = Vec::new();
            self.scheduler.dispatch(self.now, &mut commands);
            self.scheduler.check();
            let is_quiet = commands.is_empty();
            commands.into_iter().for_each(|command| self.carry_out(command));
            if is_quiet && self.scheduler.due(self.now).is_none() && self.scheduler.recheck_wanted().is_none()
            {
                return;
            }
        }
    }

    fn referee(&mut self, job: JobId) {
        let plan = Arc::clone(self.scheduler.plan(job.run).unwrap());
        let count = truth(plan.problem().size, &plan.job(job.index).unwrap().work);
        self.deliver(WorkerId::COORDINATOR, job, count, true);
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Lease { worker, run, jobs, audit } => {
                let held = jobs.into_iter().map(|job| (JobId::new(run, job.index), Lent { job, audit }));
                let fake = self.fake(worker);
                assert!(fake.connected && !fake.dismissed, "worker {worker} is not there");
                let mut ids = Vec::new();
                for (id, lent) in held {
                    ids.push(id);
                    if fake.held.iter().all(|(held, other)| *held != id || other.audit != lent.audit) {
                        fake.held.push_back((id, lent));
                    }
                }
                ids.into_iter().for_each(|id| *self.leases.entry(id).or_default() += 1);
            }
            Command::Revoke { worker, jobs, stop } => self.revoked(worker, jobs, stop),
            Command::Drain { worker } => self.drained(worker),
            Command::Dismiss { worker, .. } => {
                let fake = self.fake(worker);
                fake.dismissed = true;
                fake.connected = false;
                fake.held.clear();
                self.scheduler.leave(worker, self.now, false);
            }
        }
    }

    fn revoked(&mut self, worker: WorkerId, jobs: Vec<JobId>, stop: bool) {
        let fake = self.fake(worker);
        if !fake.connected || fake.frozen {
            return;
        }
        let begun = if stop { 0 } else { fake.who.threads as usize };
        let begun: BTreeSet<JobId> = fake.held.iter().take(begun).map(|(id, _)| *id).collect();
        let before = fake.held.len();
        fake.held.retain(|(id, _)| !jobs.contains(id) || begun.contains(id));
        let dropped = before - fake.held.len();
        if stop {
            self.stopped += dropped;
        } else {
            let back: Vec<JobId> = jobs.into_iter().filter(|id| !begun.contains(id)).collect();
            self.scheduler.hand_back(worker, &back);
        }
    }

    fn drained(&mut self, worker: WorkerId) {
        let held: Vec<JobId> = self.fake(worker).held.drain(..).map(|(id, _)| id).collect();
        self.scheduler.hand_back(worker, &held);
        self.fake(worker).connected = false;
        self.scheduler.leave(worker, self.now, true);
    }

    pub(crate) fn fake(&mut self, worker: WorkerId) -> &mut FakeWorker {
        self.workers.iter_mut().find(|fake| fake.id == worker).unwrap()
    }

    /// Starts a worker process, which joins.
    pub(crate) fn start(&mut self, threads: u32, kernel: &str, lies: bool) -> WorkerId {
        let place = self.workers.len() as u8;
        let who = NewWorker {
            instance: [place; 16],
            name: format!("worker-{place}"),
            host: "host".into(),
            kernel: kernel.into(),
            version: "1".into(),
            threads,
        };
        let Ok(Registered::New(id, event)) = self.scheduler.register(who.clone()) else {
            panic!("it is new")
        };
        self.commit(event);
        let held = VecDeque::new();
        self.workers.push(FakeWorker {
            id,
            who,
            lies,
            mistake: 0,
            frozen: false,
            connected: false,
            held,
            dismissed: false,
        });
        self.join(id);
        id
    }

    /// Lets a worker connect and say what it holds.
    pub(crate) fn join(&mut self, worker: WorkerId) {
        let who = self.fake(worker).who.clone();
        let registered = self.scheduler.register(who);
        let fake = self.fake(worker);
        fake.dismissed |= matches!(registered, Err(Refused::Quarantined { .. }));
        if fake.dismissed {
            assert!(registered.is_err(), "who was dismissed is not taken again");
            fake.held.clear();
            return;
        }
        fake.connected = true;
        fake.frozen = false;
        let named = |(job, lent): &(JobId, Lent)| HeldJob { job: *job, audit: lent.audit };
        let held: Vec<HeldJob> = fake.held.iter().map(named).collect();
        let unwanted = self.scheduler.join(worker, &held, self.now);
        self.fake(worker).held.retain(|(id, _)| !unwanted.contains(id));
        self.scheduler.set_capacity(worker, self.capacity, self.now);
        self.settle();
    }

    /// Cuts a worker's connection. It keeps what it holds.
    pub(crate) fn cut(&mut self, worker: WorkerId) {
        self.fake(worker).connected = false;
        self.scheduler.leave(worker, self.now, false);
        self.settle();
    }

    /// Kills a worker's process: what it held is gone.
    pub(crate) fn kill(&mut self, worker: WorkerId) {
        self.fake(worker).held.clear();
        self.cut(worker);
    }

    pub(crate) fn create(&mut self, n: u64, goal: Goal, depth: u32, audit_share: f64) -> RunId {
        self.create_split(n, goal, &SPLIT.at_depth(depth), audit_share)
    }

    pub(crate) fn create_split(&mut self, n: u64, goal: Goal, split: &Split, audit_share: f64) -> RunId {
        let problem = Problem { size: Size::new(n).unwrap(), goal };
        let plan = Arc::new(RunPlan::choose(problem, split).unwrap());
        let new = NewRun { plan, request_id: String::new(), audit_share, at_ms: 0 };
        let Ok(Created::New(run, event)) = self.scheduler.create(new) else { panic!("it is new") };
        self.commit(event);
        self.settle();
        run
    }

    /// Lets a worker compute the `jobs` oldest jobs that it holds and deliver them, each of which took `each`.
    pub(crate) fn work(&mut self, worker: WorkerId, jobs: usize) {
        for _ in 0..jobs {
            let fake = self.fake(worker);
            let (lies, mistake) = (fake.lies, fake.mistake);
            let next = if fake.connected && !fake.frozen { fake.held.pop_front() } else { None };
            let Some((id, Lent { job, audit })) = next else { break };
            let size = self.scheduler.plan(id.run).unwrap().problem().size;
            let count = truth(size, &job.work) + if lies { 1 + worker.0 } else { 0 };
            let by_columns = match job.work {
                Work::Complete(_) => audit,
                Work::Columns(_) => !audit,
                Work::Turn(_) => false,
            };
            let count = count + if by_columns { mistake } else { 0 };
            self.deliver(worker, id, count, audit);
        }
        self.settle();
    }

    /// Reports a result as a coordinator does.
    pub(crate) fn deliver(&mut self, worker: WorkerId, job: JobId, count: u64, audit: bool) -> Report {
        self.offer(worker, job, count, audit).unwrap()
    }

    /// Reports a result that may be refused.
    pub(crate) fn offer(
        &mut self,
        worker: WorkerId,
        job: JobId,
        count: u64,
        audit: bool,
    ) -> Result<Report, BadResult> {
        self.scheduler.heard(worker, self.now);
        let result = JobResult { job, count, elapsed: Duration::from_millis(100), audit };
        let recorded = self.scheduler.has_result(job).then(|| self.ledger.recorded(job, worker)).flatten();
        let report = self.scheduler.report(worker, &result, recorded.as_ref())?;
        if let Some(event) = report.clone().event() {
            self.commit(event);
        }
        Ok(report)
    }

    /// Lets time pass; workers that are there give signs of life.
    pub(crate) fn pass(&mut self, span: Duration) {
        let end = self.now.plus(span);
        while self.now < end {
            let beat = self.now.plus(Duration::from_secs(5));
            let wake = self.scheduler.next_wake().filter(|&wake| wake > self.now).unwrap_or(end);
            self.now = end.min(beat).min(wake);
            for place in 0..self.workers.len() {
                let fake = &self.workers[place];
                if fake.connected && !fake.frozen {
                    self.scheduler.heard(fake.id, self.now);
                }
            }
            self.scheduler.tick(self.now);
            self.settle();
        }
    }

    /// Kills the coordinator and starts it on its ledger. All connections are gone; with `rejoin`, workers come back.
    pub(crate) fn restart(&mut self, rejoin: bool) {
        let before = self.truth();
        self.scheduler = Scheduler::new(self.scheduler.settings().clone());
        for event in self.ledger.events.clone() {
            self.scheduler.apply(&event, self.now);
        }
        while let Some(worker) = self.scheduler.recheck_wanted() {
            self.scheduler.recheck(worker, self.ledger.supports(worker));
        }
        assert_eq!(self.truth(), before, "replay gives the same truth");
        self.scheduler.recovered(self.now);
        self.scheduler.check();
        let ids: Vec<WorkerId> = self.workers.iter().map(|fake| fake.id).collect();
        for id in ids {
            let was_connected = std::mem::replace(&mut self.fake(id).connected, false);
            if rejoin && was_connected && !self.fake(id).frozen {
                self.join(id);
            }
        }
        self.settle();
    }

    /// What must survive a restart.
    fn truth(&self) -> Vec<(RunState, u64, u128, Option<Answer>, u64, u64)> {
        let views = self.scheduler.runs(None).map(|run| self.view(run));
        let truth = |view: RunView| {
            let progress = view.progress;
            let audits_left = progress.audits_wanted - progress.audits_done;
            (view.state, progress.jobs_done, progress.tally, view.answer, progress.alarms_open, audits_left)
        };
        views.map(truth).collect()
    }

    pub(crate) fn view(&self, run: RunId) -> RunView {
        let view = self.scheduler.run_view(run, self.now).unwrap();
        let progress = view.progress;
        let left = progress.time_left.unwrap_or(TimeLeft { expected_s: 0.0, low_s: 0.0, high_s: 0.0 });
        let numbers = [
            progress.share,
            progress.jobs_per_second,
            progress.solutions_per_second,
            progress.threads_busy,
            progress.job_mean_s,
            left.low_s,
            left.expected_s - left.low_s,
            left.high_s - left.expected_s,
        ];
        assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0), "{progress:?}");
        assert!(progress.share <= 1.0);
        view
    }

    pub(crate) fn state(&self, run: RunId) -> RunState {
        self.view(run).state
    }

    /// Lets all workers work and time pass until all runs are over.
    pub(crate) fn finish(&mut self) {
        for round in 0.. {
            let open: Vec<RunView> = self
                .scheduler
                .runs(None)
                .map(|run| self.view(run))
                .filter(|view| !view.state.is_over())
                .collect();
            if open.is_empty() {
                return;
            }
            assert!(round < 3000, "no end: {open:#?}");
            for place in 0..self.workers.len() {
                self.work(self.workers[place].id, 3);
            }
            self.pass(Duration::from_millis(300) * (1 + round / 50));
        }
    }
}

/// Returns what a job comes to.
pub(crate) fn truth(size: Size, work: &Work) -> u64 {
    plain::count(size, work).unwrap()
}

/// Returns the right answer for small boards.
pub(crate) fn answer(n: u64, goal: Goal) -> Answer {
    let (total, fundamental, half_turn, quarter_turn) = match n {
        4 => (2, 1, 2, 2),
        5 => (10, 2, 2, 2),
        6 => (4, 1, 4, 0),
        7 => (40, 6, 8, 0),
        8 => (92, 12, 4, 0),
        _ => panic!("there is no known answer here for n = {n}"),
    };
    match goal {
        Goal::Count => Answer::Count { total, fundamental, half_turn, quarter_turn },
        Goal::Boards => Answer::Boards { total },
    }
}
