//! How the first list is coming along, for people at a terminal: objects, bytes, rate, or why there is none yet. It
//! stays on standard error, and silent where nobody looks.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use tokio::time::Instant;

use crate::escape::escaped;
use crate::failure::CliResult;
use crate::query::PreparedQuery;

const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// What is drawn while the first list comes.
pub(crate) struct Progress<'a> {
    query: &'a PreparedQuery,
    started: Instant,
    bar: Option<ProgressBar>,
}

/// A spinner, if somebody looks.
pub(crate) fn shown(query: &PreparedQuery, started: Instant) -> Progress<'_> {
    let bar = std::io::stderr().is_terminal().then(|| {
        let style = ProgressStyle::with_template("{spinner} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        ProgressBar::new_spinner().with_style(style)
    });
    Progress { query, started, bar }
}

/// Takes away what is drawn, for good.
pub(crate) struct ProgressClearer(Option<ProgressBar>);

impl ProgressClearer {
    /// A line that is printed below it would leave it standing.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.0.as_ref().filter(|bar| !bar.is_finished()) {
            bar.finish_and_clear();
        }
    }
}

impl Progress<'_> {
    /// What takes it away before it ends by itself.
    pub(crate) fn clearer(&self) -> ProgressClearer {
        ProgressClearer(self.bar.clone())
    }

    /// Draws until that has ended.
    pub(crate) async fn through(self, synced: impl Future<Output = CliResult>) -> CliResult {
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
            Some(failing) => escaped(&format!("trying again: {}", failing.error)).into_owned(),
            None => self.come(),
        });
        bar.tick();
    }

    /// What has come.
    fn come(&self) -> String {
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
