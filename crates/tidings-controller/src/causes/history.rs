//! The last reconciles of a controller: what requested each one, what it wrote, and which reconciles its writes
//! requested in turn. It is recorded only for controllers whose endpoints are served.
//!
//! The number of reconciles is bounded. The bodies of changed objects are kept for the last few of them, so that a
//! reader can compare their fields; nothing is compared before.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};
use tidings_endpoints::ReconcileFilter;
use tidings_object::Key;
use tokio::time::Instant;

use super::{Cause, CauseLog, Causes, ChangeId, LoopObject, LoopReport};
use crate::request::Request;
use crate::sync::Ordering;
use crate::writes::{TrackedWrite, WriteEffect};

/// How many reconciles of a controller are kept.
const RECONCILES_MAX: usize = 256;

/// For how many of these the bodies of changed objects are kept.
const WITH_BODIES_MAX: usize = 32;

/// How many writes of one reconcile are kept, and how many of reconciles that run.
const WRITES_MAX: usize = 64;
const RUNNING_WRITES_MAX: usize = 4096;

/// How many reports of loops are kept.
const LOOPS_MAX: usize = 16;

#[derive(Default)]
pub(super) struct History {
    /// The oldest first.
    reconciles: VecDeque<ReconcileRecord>,
    /// Writes of reconciles that still run.
    running: Vec<(u64, WriteRecord)>,
    loops: VecDeque<(Instant, LoopReport)>,
}

#[derive(Clone)]
struct ReconcileRecord {
    id: u64,
    request: Request,
    ended: Instant,
    took: Duration,
    result: &'static str,
    causes: Causes,
    writes: Vec<WriteRecord>,
}

#[derive(Clone)]
struct WriteRecord {
    resource: String,
    key: Option<Key>,
    version: Option<String>,
    change: ChangeId,
}

/// A reconcile that has ended.
pub(crate) struct EndedReconcile<'a> {
    pub(crate) id: u64,
    pub(crate) request: &'a Request,
    pub(crate) took: Duration,
    pub(crate) result: &'static str,
    pub(crate) causes: &'a Causes,
}

impl CauseLog {
    /// Records the last reconciles from now on.
    pub(crate) fn record_history(&self) {
        self.has_history.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_history(&self) -> bool {
        self.has_history.load(Ordering::Relaxed)
    }

    pub(crate) fn record_write(&self, reconcile: u64, write: &TrackedWrite) {
        if !self.has_history() {
            return;
        }
        let mut history = self.history.lock();
        // Writes after the end of their reconcile would stay.
        if history.running.len() == RUNNING_WRITES_MAX {
            history.running.remove(0);
        }
        history.running.push((reconcile, WriteRecord::of(write)));
    }

    pub(crate) fn record_reconcile(&self, ended: EndedReconcile<'_>) {
        if !self.has_history() {
            return;
        }
        let EndedReconcile { id, request, took, result, causes } = ended;
        let mut history = self.history.lock();
        let own = history.running.extract_if(.., |(by, _)| *by == id);
        let mut writes: Vec<_> = own.map(|(_, write)| write).collect();
        writes.truncate(WRITES_MAX);
        let (request, causes) = (request.clone(), causes.clone());
        let record = ReconcileRecord { id, request, ended: Instant::now(), took, result, causes, writes };
        history.push(record);
    }

    pub(crate) fn record_loop(&self, report: &LoopReport) {
        let mut history = self.history.lock();
        if history.loops.len() == LOOPS_MAX {
            history.loops.pop_front();
        }
        history.loops.push_back((Instant::now(), report.clone()));
    }

    /// The reported loops and the last reconciles, the newest last. It has keys, versions and the paths of fields, and no
    /// values.
    pub(crate) fn status(&self, controller: &str, filter: ReconcileFilter<'_>) -> Value {
        let is_wanted = |request: &Request| match filter {
            ReconcileFilter::Key(key) => request.as_str() == key,
            _ => true,
        };
        let history = self.history.lock();
        let loops = history.loops.iter().filter(|(_, report)| is_wanted(&report.request));
        let loops: Vec<_> = loops.map(loop_status).collect();
        if filter == ReconcileFilter::Nothing {
            return json!({ "name": controller, "loops": loops });
        }
        // A copy, so that no reconcile waits while fields are compared.
        let records: Vec<_> = history.reconciles.iter().cloned().collect();
        drop(history);
        let wanted = records.iter().filter(|record| is_wanted(&record.request));
        let reconciles: Vec<_> = wanted.map(|record| reconcile_status(record, &records)).collect();
        json!({ "name": controller, "loops": loops, "reconciles": reconciles })
    }
}

impl History {
    fn push(&mut self, record: ReconcileRecord) {
        if self.reconciles.len() == RECONCILES_MAX {
            self.reconciles.pop_front();
        }
        self.reconciles.push_back(record);
        if let Some(at) = self.reconciles.len().checked_sub(WITH_BODIES_MAX + 1) {
            self.reconciles[at].causes.release_bodies();
        }
    }
}

impl WriteRecord {
    fn of(write: &TrackedWrite) -> Self {
        let resource = write.resource.to_string();
        let change = write.effect.change();
        match &write.effect {
            WriteEffect::Written { version, meta } => {
                let name = meta.name.as_deref().unwrap_or_default();
                let key = Key::new(meta.namespace.as_deref(), name).ok();
                WriteRecord { resource, key, version: Some(version.to_string()), change }
            }
            WriteEffect::Deleted { key, .. } => {
                WriteRecord { resource, key: Some(key.clone()), version: None, change }
            }
        }
    }
}

fn reconcile_status(record: &ReconcileRecord, all: &[ReconcileRecord]) -> Value {
    json!({
        "id": record.id,
        "key": record.request.as_str(),
        "ageSeconds": record.ended.elapsed().as_secs_f64(),
        "durationSeconds": record.took.as_secs_f64(),
        "result": record.result,
        "causes": record.causes.iter().map(cause_status).collect::<Vec<_>>(),
        "omittedCauses": record.causes.omitted(),
        "writes": record.writes.iter().map(|write| write_status(write, all)).collect::<Vec<_>>(),
    })
}

fn write_status(write: &WriteRecord, all: &[ReconcileRecord]) -> Value {
    let requested = all.iter().filter(|record| record.causes.contains(write.change));
    json!({
        "resource": write.resource,
        "key": write.key.as_ref().map(Key::as_str).unwrap_or_default(),
        "version": write.version,
        "requested": requested.map(|record| record.id).collect::<Vec<_>>(),
    })
}

fn cause_status(cause: &Cause) -> Value {
    json!({
        "reason": cause.reason().as_str(),
        "resource": cause.resource().map(ToString::to_string),
        "key": cause.key().map(|key| key.to_string()),
        "oldVersion": cause.old_version().map(ToString::to_string),
        "version": cause.version().map(ToString::to_string),
        "count": cause.count(),
        "fields": cause.fields(),
        "writtenBy": cause.written_by(),
    })
}

fn loop_status((at, report): &(Instant, LoopReport)) -> Value {
    let object = |object: &LoopObject| json!({ "resource": object.resource, "key": object.key.as_str(), "fields": object.fields });
    json!({
        "key": report.request.as_str(),
        "wakes": report.wakes,
        "withinSeconds": report.within.as_secs_f64(),
        "ageSeconds": at.elapsed().as_secs_f64(),
        "objects": report.objects.iter().map(object).collect::<Vec<_>>(),
    })
}
