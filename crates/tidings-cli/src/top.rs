//! `tidings top`: informers and queues, live in a terminal. Drawing and key handling are pure functions of the state.
//! This file connects them to a clock, a keyboard and a screen.

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

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Shows a running program that serves tidings-endpoints, instead of informers of this process.
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

/// Shows a demo cluster that runs in this process.
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

/// Shows the state until the user quits. Returns an error if the first sample fails. If a later sample fails, the last
/// values stay on the screen with the error.
async fn view(source: &DiagnosticsSource, title: String) -> CliResult {
    let first = source.diagnostics().await?;
    if !std::io::stdout().is_terminal() {
        let advice = "top needs a terminal, and standard output is not one; scripts can request /informers of a program";
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
            signal = &mut interrupted => return Ok(signal?),
            Some(sample) = samples.next() => {
                state = state.with_sample(Instant::now(), sample.map_err(|failure| failure.to_string()));
            }
            event = events.next() => match event {
                Some(Ok(Event::Key(key))) => state = state.after_key(key),
                // Another key event or a resize: the loop draws again.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(()),
            },
        }
    }
    Ok(())
}
