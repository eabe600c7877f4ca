//! The task of a recorder: writes the events that are due, several at a time, and with a growing delay while the server
//! can't be reached.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use kube_client::Client;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tidings_util::backoff::{exponential, jittered};
use tidings_util::clock;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::SharedRecorder;
use super::correlator::{DropReason, DueWrite, SeriesWriteResult};
use super::write::{EventResponse, write};

/// How many writes may be pending.
const WRITES_MAX: usize = 8;
/// The delay before the second attempt. It doubles with each attempt, up to `RETRY_MAX`.
const RETRY_MIN: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(10);
/// Events that are not written this long after the stop are dropped.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// Writes the events of a [`Recorder`](super::Recorder) to the server.
#[must_use = "nothing is written unless the task runs"]
pub struct RecorderTask {
    client: Client,
    shared: Arc<SharedRecorder>,
    /// Cancelled when the last handle is dropped.
    abandoned: CancellationToken,
    rng: SmallRng,
    /// Nothing is written before this time: the server can't be reached, or demands a delay.
    paused_until: Option<Instant>,
    /// While this is not 0, only one write at a time is attempted.
    consecutive_outages: u32,
    /// Only the first dropped event is logged as a warning, because all events may be refused.
    has_warned: bool,
}

impl RecorderTask {
    pub(super) fn new(
        client: Client,
        shared: Arc<SharedRecorder>,
        abandoned: CancellationToken,
        seed: u64,
    ) -> Self {
        let rng = SmallRng::seed_from_u64(seed);
        RecorderTask {
            client,
            shared,
            abandoned,
            rng,
            paused_until: None,
            consecutive_outages: 0,
            has_warned: false,
        }
    }

    /// Writes until `stop` is cancelled or the last handle is dropped. Then it writes the remaining events, for at most
    /// five seconds.
    pub async fn run(mut self, stop: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        let client = self.client.clone();
        let mut writes = FuturesUnordered::new();
        let mut flush_until = None;
        loop {
            while writes.len() < self.writes_max()
                && let Some(due) = self.next()
            {
                writes.push(async { (write(&client, &due.event).await, due) });
            }
            let is_idle = writes.is_empty() && shared.correlator.lock().next_due().is_none();
            if flush_until.is_some() && is_idle {
                return;
            }
            let has_slot = writes.len() < self.writes_max();
            tokio::select! {
                biased;
                Some((answer, due)) = writes.next() => self.settle(&due, answer),
                () = stopped(&stop, &self.abandoned), if flush_until.is_none() => {
                    let now = Instant::now();
                    flush_until = Some(now + FLUSH_TIMEOUT);
                    shared.correlator.lock().close(now);
                }
                () = wait_until(flush_until) => break,
                () = wait_until(self.next_write_at()), if has_slot => {}
                () = shared.wake.notified() => {}
            }
        }
        drop(writes);
        shared.correlator.lock().abandon();
    }

    fn next(&mut self) -> Option<DueWrite> {
        let now = Instant::now();
        if self.paused_until.is_some_and(|until| until > now) {
            return None;
        }
        self.paused_until = None;
        self.shared.correlator.lock().take_due(now)
    }

    fn writes_max(&self) -> usize {
        if self.consecutive_outages > 0 { 1 } else { WRITES_MAX }
    }

    /// When the next write is due, unless an event is recorded before.
    fn next_write_at(&self) -> Option<Instant> {
        let due = self.shared.correlator.lock().next_due()?;
        Some(self.paused_until.map_or(due, |until| until.max(due)))
    }

    fn settle(&mut self, due: &DueWrite, answer: EventResponse) {
        let now = Instant::now();
        let mut refusal = None;
        let written = match answer {
            EventResponse::Written => {
                self.consecutive_outages = 0;
                SeriesWriteResult::Done
            }
            EventResponse::Refused(error) => {
                refusal = Some(error);
                SeriesWriteResult::Refused
            }
            EventResponse::Retry { retry_after, is_outage: false } => {
                SeriesWriteResult::RetryAfter(retry_after.unwrap_or_else(|| self.retry_delay(due.attempts)))
            }
            EventResponse::Retry { retry_after, is_outage: true } => {
                let after = retry_after.unwrap_or_else(|| self.retry_delay(self.consecutive_outages));
                // Writes that were pending at the same time failed because of the same outage: it counts once.
                self.consecutive_outages += u32::from(self.paused_until.is_none());
                // Other writes would waste their attempts on it.
                self.paused_until = self.paused_until.max(Some(clock::after(now, after)));
                SeriesWriteResult::RetryAfter(after)
            }
        };
        let dropped = self.shared.correlator.lock().on_result(due.id, written, now);
        if let Some(why) = dropped {
            self.log_drop(due, why, refusal);
        }
    }

    /// The delay before the next attempt, with up to a quarter more, so that replicas do not send at the same time.
    fn retry_delay(&mut self, attempts: u32) -> Duration {
        jittered(exponential(RETRY_MIN, attempts, RETRY_MAX), 0.25, &mut self.rng)
    }

    fn log_drop(&mut self, due: &DueWrite, why: DropReason, refusal: Option<kube_client::Error>) {
        let reason = due.event.reason.as_deref().unwrap_or_default();
        let namespace = due.event.metadata.namespace.as_deref().unwrap_or_default();
        let error = refusal.as_ref().map(tracing::field::display);
        if self.has_warned {
            tracing::debug!(reason, namespace, error, %why, "dropped an event");
            return;
        }
        self.has_warned = true;
        tracing::warn!(reason, namespace, error, %why, "dropped an event; further ones are logged at debug level");
    }
}

async fn stopped(stop: &CancellationToken, abandoned: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = abandoned.cancelled() => {}
    }
}

/// Waits until this time; for ever, if there is none.
async fn wait_until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
