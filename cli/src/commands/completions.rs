//! `nqueens completions SHELL`: a completion script on stdout.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{CommandLine, CompletionsArgs};

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::command(), "nqueens", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
