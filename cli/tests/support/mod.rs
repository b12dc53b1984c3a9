//! What the tests of the program share: the real binary as processes that end with their test.

#![allow(dead_code)] // Each test file uses its part of this.

pub(crate) mod naive;

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use queens::enumerate::Order;
use serde_json::Value;

/// Far more than anything here takes; only a test that has failed waits so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns a command that runs the program, whatever environment the tests run in.
pub(crate) fn nqueens(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("NQUEENS_") {
            command.env_remove(name);
        }
    }
    command.args(args.split_whitespace());
    command
}

/// Runs the program to its end.
pub(crate) fn output(args: &str) -> Output {
    let mut command = assert_cmd::Command::from_std(nqueens(args));
    command.timeout(PATIENCE).output().expect("the program starts")
}

/// Runs the program, which must succeed, and returns its stdout.
pub(crate) fn stdout(args: &str) -> Vec<u8> {
    let output = output(args);
    assert!(output.status.success(), "nqueens {args}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Runs the program, which must succeed, and returns its stdout as JSON.
pub(crate) fn json(args: &str) -> Value {
    serde_json::from_slice(&stdout(args)).expect("the output is JSON")
}

/// A process whose log is read; killed when dropped.
pub(crate) struct Process {
    child: Child,
    log: Receiver<String>,
}

impl Process {
    pub(crate) fn start(args: &str) -> Self {
        let mut child = nqueens(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let (lines, log) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = lines.send(line);
            }
        });
        Self { child, log }
    }

    /// Waits for a log line with `words` and returns what comes after them.
    pub(crate) fn wait_for(&self, words: &str) -> String {
        loop {
            let line =
                self.log.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no log line has {words:?}"));
            if let Some((_, rest)) = line.split_once(words) {
                return rest.to_owned();
            }
        }
    }

    /// Waits for the end of the log and returns the lines that nobody has read.
    pub(crate) fn rest_of_log(&self) -> Vec<String> {
        self.log.iter().collect()
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("the process is known").is_some()
    }

    /// Waits until the process ends, and returns how, and what it wrote to stdout.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut written = String::new();
        let stdout = self.child.stdout.take();
        stdout.expect("stdout is a pipe").read_to_string(&mut written).expect("stdout is text");
        (self.child.wait().expect("the process ends"), written)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A coordinator and its workers, each a process of its own.
pub(crate) struct Cluster {
    pub(crate) coordinator: Process,
    pub(crate) workers: Vec<Process>,
    /// What to put behind a command to have it use this cluster.
    pub(crate) flag: String,
}

impl Cluster {
    pub(crate) fn start(workers: usize) -> Self {
        let coordinator = Process::start("coordinator --listen 127.0.0.1:0 --ledger :memory:");
        let address = coordinator.wait_for("listening on ");
        let flag = format!(" --coordinator http://{address}");
        let mut cluster = Self { coordinator, workers: Vec::new(), flag };
        (0..workers).for_each(|_| cluster.add_worker());
        cluster
    }

    pub(crate) fn add_worker(&mut self) {
        let name = format!("worker-{}", self.workers.len() + 1);
        self.workers.push(Process::start(&format!("worker --threads 1 --name {name}{}", self.flag)));
    }

    /// Returns the states of the workers, as far as the coordinator knows them.
    pub(crate) fn worker_states(&self) -> Vec<(u64, String)> {
        let workers = self.json("workers list --json");
        let states = workers.as_array().expect("an array").iter();
        states.map(|worker| (number(&worker["worker_id"]), text(&worker["state"]))).collect()
    }

    pub(crate) fn command(&self, args: &str) -> String {
        format!("{args}{}", self.flag)
    }

    pub(crate) fn json(&self, args: &str) -> Value {
        json(&self.command(args))
    }
}

/// Asks again until `ready` says so.
pub(crate) fn eventually(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !ready() {
        assert!(begun.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// Checks the boards of n = 1 to 9, in every format and both orders, against every textbook algorithm.
pub(crate) fn equals_the_textbook(flags: &str) {
    for n in 1..=9 {
        for (name, order) in [("ascending", Order::Ascending), ("descending", Order::Descending)] {
            let listings = naive::listings(n, order);
            for format in ["leetcode", "text", "numbered", "columns", "ndjson", "fen"] {
                let args = format!("boards {n} --format {format} --order {name} {flags}");
                let listed = String::from_utf8(stdout(&args)).expect("text");
                for (algorithm, boards) in &listings {
                    assert!(listed == naive::format(format, boards, 0), "{args} differs from {algorithm}");
                }
            }
        }
    }
}
