//! What comes with a program: shell completions and a manual page, made of its own description.

use std::io::Write as _;

use clap::CommandFactory as _;

use crate::Arguments;
use crate::failure::Done;

/// What scripts can tell from the exit code.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0  it did what was asked
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

pub(crate) fn completions(arguments: &CompletionsArguments) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "tidings", &mut text);
    Ok(std::io::stdout().write_all(&text)?)
}

pub(crate) fn manual() -> Done {
    let mut text = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut text)?;
    Ok(std::io::stdout().write_all(&text)?)
}
