//! One line of statistics at the end, for scripts and benchmarks.

use std::time::Duration;

use serde_json::json;
use tidings::ListMode;

use crate::query::PreparedQuery;

/// The format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    /// One JSON object.
    Json,
}

/// The values that only the watcher knows.
pub(super) struct WatchReport {
    pub(super) sync: Option<Duration>,
    pub(super) updates: u64,
    /// From the first sync to the last update.
    pub(super) updating: Option<Duration>,
}

impl WatchReport {
    pub(super) fn written(&self, form: ReportFormat, query: &PreparedQuery) -> String {
        let ReportFormat::Json = form;
        let stats = query.informer.stats();
        let streams = query.informer.health().streams;
        let list_mode = streams.iter().find_map(|stream| stream.list_mode);
        let wire = streams.iter().find_map(|stream| stream.wire);
        let per_second = self.updating.filter(|time| !time.is_zero());
        json!({
            "objects": stats.objects,
            "sync_seconds": self.sync.map(|time| time.as_secs_f64()),
            "list_mode": list_mode.map(|mode| match mode {
                ListMode::Streaming => "streaming",
                ListMode::Chunked => "chunked",
            }),
            "wire": wire.map(|wire| wire.to_string()),
            "events": self.updates,
            "events_per_second": per_second.map_or(0.0, |time| self.updates as f64 / time.as_secs_f64()),
            "relists": stats.requests.relists,
            "resident_bytes": resident_bytes(),
            "packed_bytes": stats.memory.packed_bytes,
            "decoded_bytes": stats.memory.decoded_bytes_estimate,
        })
        .to_string()
    }
}

/// The resident memory of this process, on Linux.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
