//! What comes with a program: shell completions and a manual page, made of its own description.

use clap::CommandFactory as _;

use crate::Arguments;
use crate::failure::{CliResult, Failure};
use crate::output;

/// What scripts can tell from the exit code.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0  it did what was query
  1  it did not; cache and server do not agree
  2  wrong arguments, such as a bad selector
  3  no configuration, or the server can't be reached or trusted
  4  the server refuses: 401 or 403
  5  the server has no such resource
  6  nothing came within --timeout";

/// For which shell.
#[derive(clap::Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Of what.
#[derive(clap::Args)]
pub(crate) struct ManualArguments {
    /// The command; the page of the whole program if not given.
    command: Option<String>,
}

pub(crate) fn completions(arguments: &CompletionsArguments) -> CliResult {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "tidings", &mut text);
    write(&text)
}

pub(crate) fn manual(arguments: &ManualArguments) -> CliResult {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let page = match arguments.command.as_deref() {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            Failure::usage(format!("there is no command {name:?}; `tidings --help` lists them"))
        })?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone()).render(&mut text)?;
    write(&text)
}

fn write(text: &[u8]) -> CliResult {
    output::print(String::from_utf8_lossy(text).trim_end())?;
    Ok(())
}
