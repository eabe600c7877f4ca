//! The progress of the first list: objects, bytes and rate, or the error that delays it. It is drawn on standard error,
//! and only if that is a terminal.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use tokio::time::Instant;

use crate::escape::escaped;
use crate::failure::CliResult;
use crate::query::PreparedQuery;

const DRAW_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct Progress<'a> {
    query: &'a PreparedQuery,
    started: Instant,
    bar: Option<ProgressBar>,
}

/// A spinner if standard error is a terminal.
pub(crate) fn new(query: &PreparedQuery, started: Instant) -> Progress<'_> {
    let bar = std::io::stderr().is_terminal().then(|| {
        let style = ProgressStyle::with_template("{spinner} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        ProgressBar::new_spinner().with_style(style)
    });
    Progress { query, started, bar }
}

/// Removes the progress line for good.
pub(crate) struct ProgressClearer(Option<ProgressBar>);

impl ProgressClearer {
    /// Must be called before a line is printed, or the progress line would stay on the screen.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.0.as_ref().filter(|bar| !bar.is_finished()) {
            bar.finish_and_clear();
        }
    }
}

impl Progress<'_> {
    /// Removes the progress line before the list is complete.
    pub(crate) fn clearer(&self) -> ProgressClearer {
        ProgressClearer(self.bar.clone())
    }

    /// Draws until `synced` completes.
    pub(crate) async fn draw_until(self, synced: impl Future<Output = CliResult>) -> CliResult {
        let mut synced = std::pin::pin!(synced);
        let mut draw = tokio::time::interval(DRAW_INTERVAL);
        loop {
            tokio::select! {
                biased;
                done = &mut synced => {
                    self.clearer().clear();
                    return done;
                }
                _ = draw.tick(), if self.bar.is_some() => self.draw(),
            }
        }
    }

    fn draw(&self) {
        let Some(bar) = self.bar.as_ref().filter(|bar| !bar.is_finished()) else { return };
        let streams = self.query.informer.health().streams;
        bar.set_message(match streams.into_iter().find_map(|stream| stream.failing) {
            Some(failing) => escaped(&format!("retrying: {}", failing.error)).into_owned(),
            None => self.so_far(),
        });
        bar.tick();
    }

    /// What the list has delivered so far.
    fn so_far(&self) -> String {
        let counts = self.query.informer.stats().requests;
        let rate = counts.listed_objects as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        format!(
            "{} objects of {}, {}, {}/s",
            HumanCount(counts.listed_objects),
            self.query.resource,
            HumanBytes(counts.listed_bytes),
            HumanCount(rate as u64),
        )
    }
}
