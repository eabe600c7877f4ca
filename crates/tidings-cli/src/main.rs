//! The program `tidings`. `watch`, `get`, `top` and `dashboard` read any cluster through informers. `demo` shows informers
//! without a cluster. `serve` runs the in-process API server on a port. `completions` and `man` print documentation.

mod cluster;
mod dashboard;
mod demo;
mod demo_cluster;
mod diagnostics_model;
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
mod safe_yaml;
mod serve;
mod top;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use failure::Failure;

/// Watches, queries and displays Kubernetes resources through informers.
#[derive(Parser)]
#[command(name = "tidings", version, after_long_help = manual::EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs informers and a controller against an API server in this process, and breaks their watches now and then.
    Demo(demo::Arguments),
    /// Watches any resource and prints a line for each object that is added, updated or deleted.
    Watch(watch::Arguments),
    /// Lists any resource into a cache and queries its indexes.
    Get(get::Arguments),
    /// Serves a live web page with informers, queues and cached objects.
    Dashboard(dashboard::Arguments),
    /// Shows informers and queues live in the terminal: of a running program, of a cluster, or of a demo.
    Top(top::Arguments),
    /// Runs the API server on a port of this machine, for kubectl and other clients.
    Serve(serve::Arguments),
    /// Prints the completion script for a shell.
    Completions(manual::CompletionsArguments),
    /// Prints the manual page of the program or of one command.
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

#[allow(clippy::print_stderr, reason = "the error message of a command-line program")]
fn print_failure(failure: &Failure) {
    eprintln!("tidings: {failure}");
}
