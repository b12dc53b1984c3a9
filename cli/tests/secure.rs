//! Encryption, identity and what is refused without them, with the real program.

mod support;

use std::{fs, path::Path, process::Output};

use support::{Process, eventually, json, output, stdout};
use tempfile::TempDir;

/// Certificates and tokens for a trial, and a coordinator that wants one of them.
struct Trial {
    folder: TempDir,
    coordinator: Process,
    url: String,
    http: String,
}

impl Trial {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("trial");
        stdout(&format!("certs init {}", dir.display()));
        let coordinator = Process::start(&format!(
            "coordinator --listen 127.0.0.1:0 --http 127.0.0.1:0 --ledger :memory: --tls-cert {0}/coordinator/cert.pem \
             --tls-key {0}/coordinator/key.pem --client-ca {0}/ca.pem --tokens {0}/coordinator/tokens",
            dir.display()
        ));
        let address = coordinator.wait_for("listening on ");
        let http = coordinator.wait_for("metrics at ");
        Self { folder, coordinator, url: format!("https://{address}"), http }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join("trial").join(name).display().to_string()
    }

    /// Returns a command with the certificate of a role.
    fn with_certificate(&self, command: &str, role: &str) -> String {
        let [ca, cert, key] =
            ["ca.pem", "cert.pem", "key.pem"].map(|name| self.file(&format!("{role}/{name}")));
        format!("{command} --coordinator {} --ca {ca} --cert {cert} --key {key}", self.url)
    }

    /// Returns a command with the token of a role.
    fn with_token(&self, command: &str, role: &str) -> String {
        let [ca, token] = ["ca.pem", "token"].map(|name| self.file(&format!("{role}/{name}")));
        format!("{command} --coordinator {} --ca {ca} --token-file {token}", self.url)
    }
}

/// Checks the exit code and that stderr has all of `words`.
fn refused(args: &str, code: i32, words: &[&str]) {
    let Output { status, stderr, .. } = output(args);
    let said = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(code), "nqueens {args}: {said}");
    assert!(words.iter().all(|word| said.contains(word)), "nqueens {args}: {said}");
}

#[test]
fn by_default_only_this_machine_is_listened_to() {
    let help = String::from_utf8(stdout("coordinator --help")).expect("text");
    assert!(help.contains("[default: 127.0.0.1:7117]") && help.contains("NQUEENS_HTTP"), "{help}");
    for address in ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"] {
        for flag in ["--listen", "--http"] {
            let args = format!("coordinator --ledger :memory: --listen 127.0.0.1:0 {flag} {address}");
            let args = if flag == "--listen" { args.replace("--listen 127.0.0.1:0 ", "") } else { args };
            refused(&args, 2, &[flag, address, "--tls-cert", "certs init", "--insecure"]);
        }
    }
}

#[test]
fn half_of_it_is_not_enough() {
    let trial = Trial::start();
    let tls = format!(
        "--tls-cert {} --tls-key {}",
        trial.file("coordinator/cert.pem"),
        trial.file("coordinator/key.pem")
    );
    let tokens = format!("--tokens {}", trial.file("coordinator/tokens"));
    let listen = "coordinator --ledger :memory: --listen 0.0.0.0:0";
    refused(&format!("{listen} {tls}"), 2, &["without asking who calls", "--client-ca"]);
    refused(&format!("{listen} {tokens}"), 2, &["without encryption", "--tls-key"]);
    let both = Process::start(&format!("{listen} {tls} {tokens}"));
    both.wait_for("listening on 0.0.0.0:");
    refused("coordinator --tls-cert cert.pem", 2, &["--tls-key"]);
    let missing = "coordinator --listen 127.0.0.1:0 --ledger :memory: --tokens /nowhere/tokens";
    refused(missing, 1, &["cannot read /nowhere/tokens"]);
}

#[test]
fn insecure_is_said_at_each_start() {
    let open = Process::start("coordinator --ledger :memory: --listen 0.0.0.0:0 --insecure");
    open.wait_for("insecure: other machines can reach 0.0.0.0:0");
    open.wait_for("listening on 0.0.0.0:");
}

#[test]
fn a_cluster_works_behind_certificates_and_tokens() {
    let trial = Trial::start();
    let by_certificate = Process::start(&trial.with_certificate("worker --threads 1 --name one", "worker"));
    let by_token = Process::start(&trial.with_token("worker --threads 1 --name two", "worker"));
    by_certificate.wait_for("joined the coordinator");
    by_token.wait_for("joined the coordinator");
    let counted = stdout(&trial.with_certificate("count 12", "client"));
    assert_eq!(counted, b"Q(12) = 14200\nU(12) = 1787\n");
    let workers = json(&trial.with_token("workers list --json", "viewer"));
    assert_eq!(workers.as_array().map(Vec::len), Some(2));

    let why = "this call needs the role client";
    refused(&trial.with_token("runs create count 8", "viewer"), 1, &["line 4", "viewer", why]);
    refused(&trial.with_certificate("runs create count 8", "viewer"), 1, &["viewer", why]);
    refused(&trial.with_token("worker", "client"), 1, &["this call needs the role worker"]);
    trial.coordinator.wait_for("call refused peer=");
    assert!(trial.http.starts_with("https://"), "{}", trial.http);
}

#[test]
fn who_is_not_believed_is_told_so_at_once() {
    let (trial, other) = (Trial::start(), Trial::start());
    let unknown_server = trial.with_token("runs list", "viewer").replace(&trial.url, &other.url);
    refused(&unknown_server, 1, &["TLS failed", "UnknownIssuer", "--ca"]);
    let ca = other.file("ca.pem");
    let unknown_client = other.with_certificate("runs list", "viewer");
    let unknown_client = unknown_client.replace(&other.file("viewer"), &trial.file("viewer"));
    let unknown_client = unknown_client.replace(&trial.file("viewer/ca.pem"), &ca);
    refused(&unknown_client, 1, &["TLS failed", "--cert"]);
    other.coordinator.wait_for("connection refused peer=");
    let nobody = format!("runs list --coordinator {} --ca {ca}", other.url);
    refused(&nobody, 1, &["show a token"]);
    refused(&format!("runs list --coordinator {}", other.url), 2, &["needs --ca"]);
}

#[test]
fn health_is_an_exit_code() {
    let trial = Trial::start();
    let ca = trial.file("ca.pem");
    assert_eq!(stdout(&format!("health --coordinator {} --ca {ca}", trial.url)), b"serving\n");
    let url = trial.url.clone();
    trial.coordinator.signal("KILL");
    trial.coordinator.end();
    refused(&format!("health --coordinator {url} --ca {ca}"), 1, &["connection to the coordinator was lost"]);
}

#[test]
fn a_hangup_has_the_files_read_again() {
    let trial = Trial::start();
    stdout(&trial.with_token("runs list", "viewer"));
    let tokens = trial.file("coordinator/tokens");
    let only_client: String = fs::read_to_string(&tokens)
        .expect("the tokens")
        .lines()
        .filter(|line| line.starts_with("client"))
        .map(|line| format!("{line}\n"))
        .collect();
    replace(Path::new(&tokens), &only_client);
    trial.coordinator.signal("HUP");
    eventually("an end of the viewer's rights", || {
        !output(&trial.with_token("runs list", "viewer")).status.success()
    });
    stdout(&trial.with_token("runs list", "client"));
}

fn replace(file: &Path, text: &str) {
    let draft = file.with_extension("draft");
    fs::write(&draft, text).expect("a file");
    fs::rename(draft, file).expect("a file");
}
