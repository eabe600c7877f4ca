//! The trace of a simulation, line by line. Without a sink nothing is recorded.

use std::fmt;

use tokio::time::Instant;

use crate::Sink;

/// Where the lines of a trace are written to.
#[derive(Clone)]
pub struct Trace {
    started: Instant,
    sink: Option<Sink>,
}

impl Trace {
    /// Records nothing.
    pub fn silent() -> Self {
        Trace { started: Instant::now(), sink: None }
    }

    /// Calls `sink` with every line.
    pub fn to(sink: Sink) -> Self {
        Trace { started: Instant::now(), sink: Some(sink) }
    }

    /// Simulated time since the start.
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    /// Simulated time from the start to `at`.
    pub(crate) fn since_start(&self, at: Instant) -> std::time::Duration {
        at.duration_since(self.started)
    }

    /// Records a line if there is a sink.
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
