//! Help, completions and manual pages.

mod support;

use support::{output, stdout};

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(stdout(&format!("completions {shell}"))).expect("text");
        assert!(script.contains("coordinator") && script.contains("offset"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    assert!(stdout("man").starts_with(b".ie"));
    let folder = tempfile::tempdir().expect("a folder");
    stdout(&format!("man --dir {}", folder.path().display()));
    for page in ["nqueens.1", "nqueens-count.1", "nqueens-runs-create.1"] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
}

#[test]
fn help_and_version_are_results() {
    for args in ["--help", "--version", "count --help", "runs create --help"] {
        assert!(!stdout(args).is_empty(), "{args}");
    }
    let nothing = output("");
    assert_eq!(nothing.status.code(), Some(2));
    assert!(nothing.stdout.is_empty());
}
