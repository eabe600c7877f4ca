//! The record of one execution: the timeline, one line for each event, and the counts from which plans are made.
//!
//! It contains no wall-clock time and no address, so that two runs of the same plan give the same bytes.

use std::collections::BTreeMap;

use tokio::time::Instant;

/// How many lines of the timeline are kept.
const LINES_MAX: usize = 4_000;

/// One write of a process.
#[derive(Debug, Clone)]
pub(crate) struct WriteRecord {
    /// `patch configmaps default/hi`.
    pub(crate) text: String,
    /// Whether it changed the store.
    pub(crate) is_change: bool,
    /// Whether it is a creation that the server never answers with a conflict of versions.
    pub(crate) is_creation: bool,
    /// Whether it created an object that another client can delete.
    pub(crate) is_removable: bool,
    /// The version of the store before it.
    pub(crate) version_before: u64,
}

/// One write of the scenario.
#[derive(Debug, Clone)]
pub(crate) struct StepRecord {
    /// The version of the store before it.
    pub(crate) version_before: u64,
    /// The fields of the written object that another client could change, as JSON pointers.
    pub(crate) fields: Vec<String>,
    /// Whether the object exists after it and can be created again.
    pub(crate) is_creatable: bool,
    /// Whether it belongs to the deletion of everything at the end.
    pub(crate) is_teardown: bool,
}

#[derive(Debug)]
pub(crate) struct ExecutionLog {
    started: Instant,
    lines: Vec<String>,
    left_out: usize,
    /// The writes of each process, in order.
    pub(crate) writes: BTreeMap<String, Vec<WriteRecord>>,
    /// The number of watch events of each process and resource.
    pub(crate) events: BTreeMap<(String, String), u32>,
    pub(crate) steps: Vec<StepRecord>,
    /// All writes that changed the store.
    pub(crate) changes: u64,
    /// All writes of processes that changed the store.
    pub(crate) process_changes: u64,
    pub(crate) requests: u64,
}

impl ExecutionLog {
    pub(crate) fn new() -> ExecutionLog {
        ExecutionLog {
            started: Instant::now(),
            lines: Vec::new(),
            left_out: 0,
            writes: BTreeMap::new(),
            events: BTreeMap::new(),
            steps: Vec::new(),
            changes: 0,
            process_changes: 0,
            requests: 0,
        }
    }

    /// Adds a line to the timeline.
    pub(crate) fn line(&mut self, who: &str, text: &str) {
        if self.lines.len() == LINES_MAX {
            self.left_out += 1;
            return;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.lines.push(format!("{seconds:>9.3}  {who:<14} {text}"));
    }

    /// The timeline.
    pub(crate) fn timeline(&self) -> Vec<String> {
        let left_out = (self.left_out > 0).then(|| format!("{} more lines are left out", self.left_out));
        self.lines.iter().cloned().chain(left_out).collect()
    }

    /// The number of the next write of this process.
    pub(crate) fn next_write(&self, process: &str) -> u32 {
        let writes = self.writes.get(process).map_or(0, Vec::len);
        u32::try_from(writes).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Counts an event and returns its number.
    pub(crate) fn next_event(&mut self, process: &str, resource: &str) -> u32 {
        let count = self.events.entry((process.to_owned(), resource.to_owned())).or_default();
        *count += 1;
        *count
    }
}
