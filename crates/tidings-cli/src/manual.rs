//! Shell completions and manual pages, generated from the definition of the command line.

use clap::CommandFactory as _;

use crate::Arguments;
use crate::failure::{CliResult, Failure};
use crate::output;

pub(crate) const EXIT_CODES: &str = "Exit codes:
  0  success
  1  another error, an informer that failed, or a cache that differs from the server
  2  wrong arguments, such as an invalid selector
  3  no configuration, or the server can't be reached or trusted
  4  the server refuses access: 401 or 403
  5  the server has no such resource
  6  the first list was not complete within --timeout";

#[derive(clap::Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

#[derive(clap::Args)]
pub(crate) struct ManualArguments {
    /// The command. Default: the page of the whole program.
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
