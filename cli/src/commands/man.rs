//! `nqueens man`: the manual page on stdout, or the pages of all commands in a folder.

use std::{
    fs,
    io::{self, Write},
};

use anyhow::Context;
use clap::CommandFactory;

use crate::args::{CommandLine, ManArgs};

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<()> {
    let command = CommandLine::command();
    let Some(folder) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return Ok(io::stdout().write_all(&page)?);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write the pages to {}", folder.display()))
}
