//! What happened in a cluster, line by line, for workload who replay it. A run that nobody replays keeps nothing.

use std::fmt;

use tokio::time::Instant;

use crate::Sink;

/// Where the lines of a cluster go.
#[derive(Clone)]
pub struct Trace {
    started: Instant,
    sink: Option<Sink>,
}

impl Trace {
    /// Keeps nothing.
    pub fn silent() -> Self {
        Trace { started: Instant::now(), sink: None }
    }

    /// Calls `sink` with every line.
    pub fn to(sink: Sink) -> Self {
        Trace { started: Instant::now(), sink: Some(sink) }
    }

    /// Simulated time since the cluster began.
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    /// When something happened, in simulated time since the cluster began.
    pub(crate) fn since_start(&self, at: Instant) -> std::time::Duration {
        at.duration_since(self.started)
    }

    /// Notes what happened, if somebody reads it.
    pub(crate) fn record(&self, line: impl FnOnce() -> String) {
        if let Some(sink) = &self.sink {
            sink(&format!("{:>10.3}  {}", self.elapsed().as_secs_f64(), line()));
        }
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("is_silent", &self.sink.is_none()).finish_non_exhaustive()
    }
}
