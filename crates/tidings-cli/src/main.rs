//! The program `tidings`: `demo` shows what informers do without a cluster, `serve` runs the API server beside it.

mod demo;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Informers for Kubernetes: caches what the server sent, decodes what you look at.
#[derive(Parser)]
#[command(name = "tidings", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows informers at work on an API server in this process, and breaks the watch now and then.
    Demo(demo::Arguments),
    /// Runs the API server on a port of this machine, for kubectl and other clients.
    Serve(serve::Arguments),
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
        Command::Serve(arguments) => serve::run(arguments).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// One line that says what went wrong.
#[allow(clippy::print_stderr, reason = "a program talks to people")]
fn complain(error: &anyhow::Error) {
    eprintln!("tidings: {error:#}");
}
