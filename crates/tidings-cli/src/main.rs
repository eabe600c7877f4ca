//! The program `tidings`: `watch`, `get`, `top` and `dashboard` look at any cluster through informers, `demo` shows what
//! informers do without one, `serve` runs the API server beside it, `completions` and `man` tell shells and people.

mod cluster;
mod dashboard;
mod demo;
mod demo_cluster;
mod diagnostics_source;
mod diff;
mod escape;
mod failure;
mod format;
mod get;
mod interrupt;
mod manual;
mod output;
mod query;
mod redact;
mod serve;
mod top;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use failure::Failure;

/// Informers for Kubernetes: caches what the server sent, decodes what you look at.
#[derive(Parser)]
#[command(name = "tidings", version, after_long_help = manual::EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows informers at work on an API server in this process, and breaks the watch now and then.
    Demo(demo::Arguments),
    /// Watches any resource: a line for each object that comes, changes or goes.
    Watch(watch::Arguments),
    /// Lists any resource into a cache, and asks its indexes.
    Get(get::Arguments),
    /// Shows informers, queues and cached objects as a web page, live.
    Dashboard(dashboard::Arguments),
    /// Shows informers and queues in the terminal, live: a program's, a cluster's or a demo's.
    Top(top::Arguments),
    /// Runs the API server on a port of this machine, for kubectl and other clients.
    Serve(serve::Arguments),
    /// Writes the completions of a shell to standard output.
    Completions(manual::CompletionsArguments),
    /// Writes the manual page of the program or of a command to standard output.
    Man(manual::ManualArguments),
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "off".into()),
        )
        .with_writer(std::io::stderr)
        .init();
    let done = match arguments.command {
        Command::Demo(arguments) => demo::run(arguments).await,
        Command::Watch(arguments) => watch::run(arguments).await,
        Command::Get(arguments) => get::run(arguments).await,
        Command::Dashboard(arguments) => dashboard::run(arguments).await,
        Command::Top(arguments) => top::run(arguments).await,
        Command::Serve(arguments) => serve::run(arguments).await,
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::manual(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_failure(&failure);
            failure.exit_code()
        }
    }
}

/// One line that says what went wrong.
#[allow(clippy::print_stderr, reason = "a program talks to people")]
fn print_failure(failure: &Failure) {
    eprintln!("tidings: {failure}");
}
