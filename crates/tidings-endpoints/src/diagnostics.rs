//! The response to `/informers`. [docs/diagnostics.md] lists its fields.
//!
//! Its names are stable: fields are only added. It has no data of objects.
//!
//! [docs/diagnostics.md]: https://github.com/tidings-rs/tidings/blob/main/docs/diagnostics.md

#[cfg(feature = "derived")]
mod graphs;
mod informers;

use serde_json::{Value, json};
use tidings_informer::InformerError;
use tidings_workqueue::{QueueMetrics, QueueStats};

#[cfg(feature = "derived")]
pub(crate) use graphs::graph;
pub(crate) use informers::informer;

/// An informer, or one of its streams, that no longer follows the server although it was not stopped.
pub(crate) fn failure(failure: &InformerError) -> Value {
    json!({ "informer": failure.informer(), "cause": failure.reason() })
}

pub(crate) fn queues(queues: &QueueMetrics) -> Vec<Value> {
    queues.stats().iter().map(|(name, stats)| queue(name, stats)).collect()
}

fn queue(name: &str, stats: &QueueStats) -> Value {
    json!({
        "name": name,
        "waiting": stats.waiting + stats.dirty,
        "delayed": stats.delayed,
        "working": stats.working,
        "oldestSeconds": stats.oldest_waiting.as_secs_f64(),
        "retries": stats.retries,
        "adds": stats.adds,
    })
}
