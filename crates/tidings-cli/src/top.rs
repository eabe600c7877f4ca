//! `tidings top`: informers and queues in a terminal, live. What is shown is a pure function of a state, and so is what
//! a key does to it; this file only joins them with a clock, a keyboard and a screen.

mod columns;
mod draw;
mod figures;
mod keys;
mod screen;
mod state;

use std::io::IsTerminal as _;
use std::pin::pin;
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;

use crate::diagnostics_source::{DiagnosticsSource, InformerSelection, LocalInformers, RemoteProgram};
use crate::failure::{CliResult, Failure};
use crate::interrupt::interrupted;
use screen::Screen;
use state::TopState;

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// What to show.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Shows a running program that serves tidings-endpoints, instead of informers of its own.
    #[arg(long, value_name = "URL", conflicts_with_all = ["resources", "namespace", "kubeconfig", "context", "server", "demo"])]
    url: Option<String>,
    #[command(flatten)]
    selection: InformerSelection,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    if let Some(url) = &arguments.url {
        let program = RemoteProgram::new(url)?;
        let title = program.host().to_owned();
        return view(&DiagnosticsSource::RemoteProgram(program), title).await;
    }
    if arguments.selection.demo {
        return demo(arguments.selection.seed).await;
    }
    let local = LocalInformers::of(&arguments.selection).await?;
    let running = local.factory.start();
    let seen =
        view(&DiagnosticsSource::LocalInformers(Box::new(local)), "this program's informers".to_owned())
            .await;
    running.shutdown().await;
    seen
}

/// A cluster in this process.
async fn demo(seed: u64) -> CliResult {
    let (local, living) = LocalInformers::demo(seed).await?;
    let running = local.factory.start();
    let source = DiagnosticsSource::LocalInformers(Box::new(local));
    let seen = tokio::select! {
        seen = view(&source, "a small cluster in this process".to_owned()) => seen,
        ended = living => ended,
    };
    running.shutdown().await;
    seen
}

/// Shows it until somebody has seen enough. What can't be looked at once is not shown at all; what can't be looked at
/// any more is shown as it was, with the reason.
async fn view(source: &DiagnosticsSource, title: String) -> CliResult {
    let first = source.diagnostics().await?;
    if !std::io::stdout().is_terminal() {
        let advice =
            "top needs a terminal, and standard output is none; for scripts there is /informers of a program";
        return Err(Failure::usage(advice));
    }
    let mut state = TopState::new(title).with_sample(Instant::now(), Ok(first));
    let mut samples = pin!(stream::unfold((), |()| async move {
        tokio::time::sleep(POLL_INTERVAL).await;
        Some((source.diagnostics().await, ()))
    }));
    let mut interrupted = pin!(interrupted());
    let mut screen = Screen::open()?;
    let mut events = EventStream::new();
    while !state.is_ended() {
        screen.draw(&state)?;
        tokio::select! {
            query = &mut interrupted => return Ok(query?),
            Some(sample) = samples.next() => {
                state = state.with_sample(Instant::now(), sample.map_err(|failure| failure.to_string()));
            }
            event = events.next() => match event {
                Some(Ok(Event::Key(key))) => state = state.after_key(key),
                // Another size: it is drawn anew.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(()),
            },
        }
    }
    Ok(())
}
