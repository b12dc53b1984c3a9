//! How the program ends: the exit codes that scripts rely on, and the one sentence that says why.

use std::{error::Error, fmt, io, process::ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The work failed.
const FAILED: u8 = 1;
/// The command line was wrong.
const USAGE: u8 = 2;
/// A signal asked the program to stop before it was done.
const INTERRUPTED: u8 = 130;

/// A signal asked the program to stop before it was done. What it displays is a hint for the user, or empty.
#[derive(Debug, Default)]
pub(crate) struct Interrupted(pub(crate) String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Interrupted {}

/// What was asked for makes no sense, or is refused, whatever the cluster does: a sentence that says what to do.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Usage {}

/// Turns what a command came to into the exit code, and says on stderr what went wrong.
pub(crate) fn code(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if is_broken_pipe(&error) {
        // Whoever read our output has had enough.
        return ExitCode::SUCCESS;
    }
    if let Some(Interrupted(hint)) = error.downcast_ref() {
        if !hint.is_empty() {
            eprintln!("{hint}");
        }
        return INTERRUPTED.into();
    }
    eprintln!("error: {error:#}");
    if error.is::<Usage>() { USAGE.into() } else { FAILED.into() }
}

/// Prints help where it was asked for, or what is wrong with the command line, and returns the exit code.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    match sentence(error) {
        Some(sentence) => eprintln!("error: {sentence}"),
        None => drop(error.print()),
    }
    if error.use_stderr() { USAGE.into() } else { ExitCode::SUCCESS }
}

/// Returns the sentence for a flag with a wrong value, or `None` where clap's own text says it best.
fn sentence(error: &clap::Error) -> Option<String> {
    let text = |kind| error.get(kind).map(ContextValue::to_string);
    let what = || {
        Some(format!(
            "{:?} is wrong for {}",
            text(ContextKind::InvalidValue)?,
            text(ContextKind::InvalidArg)?
        ))
    };
    match error.kind() {
        ErrorKind::ValueValidation => Some(format!("{}: {}", what()?, error.source()?)),
        ErrorKind::InvalidValue => {
            Some(format!("{}: choose one of: {}", what()?, text(ContextKind::ValidValue)?))
        }
        _ => None,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds.into_iter().any(|kind| kind == io::ErrorKind::BrokenPipe)
}
