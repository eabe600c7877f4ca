//! The last reconciles of a controller: what requested each one, what it wrote, and which reconciles its writes
//! requested in turn. It is recorded only for controllers whose endpoints are served.
//!
//! The number of reconciles is bounded. The bodies of changed objects are kept for the last few of them, so that a
//! reader can compare their fields; nothing is compared before.

use std::collections::VecDeque;
use std::time::Duration;

use tidings_endpoints::ReconcileFilter;
use tidings_endpoints::diagnostics::{
    CauseStatus, ControllerStatus, LoopObjectStatus, LoopStatus, ReconcileStatus, WriteStatus,
};
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

    /// The reported loops and the last reconciles, the newest last.
    pub(crate) fn status(&self, controller: &str, filter: ReconcileFilter<'_>) -> ControllerStatus {
        let mut status = ControllerStatus::default();
        status.name = controller.to_owned();
        status.loops = self.history.lock().loops.iter().map(loop_status).collect();
        if filter == ReconcileFilter::Nothing {
            return status;
        }
        // A copy, so that no reconcile waits while fields are compared.
        let records: Vec<_> = self.history.lock().reconciles.iter().cloned().collect();
        let is_wanted = |record: &&ReconcileRecord| match filter {
            ReconcileFilter::Key(key) => record.request.as_str() == key,
            _ => true,
        };
        let wanted = records.iter().filter(is_wanted);
        status.reconciles = wanted.map(|record| reconcile_status(record, &records)).collect();
        status
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

fn reconcile_status(record: &ReconcileRecord, all: &[ReconcileRecord]) -> ReconcileStatus {
    let mut status = ReconcileStatus::default();
    status.id = record.id;
    status.key = record.request.to_string();
    status.age_seconds = record.ended.elapsed().as_secs_f64();
    status.duration_seconds = record.took.as_secs_f64();
    status.result = record.result.to_owned();
    status.causes = record.causes.iter().map(cause_status).collect();
    status.omitted_causes = record.causes.omitted();
    status.writes = record.writes.iter().map(|write| write_status(write, all)).collect();
    status
}

fn write_status(write: &WriteRecord, all: &[ReconcileRecord]) -> WriteStatus {
    let is_requested = |record: &&ReconcileRecord| record.causes.contains(write.change);
    let mut status = WriteStatus::default();
    status.resource = write.resource.clone();
    status.key = write.key.as_ref().map(ToString::to_string).unwrap_or_default();
    status.version = write.version.clone();
    status.requested = all.iter().filter(is_requested).map(|record| record.id).collect();
    status
}

fn cause_status(cause: &Cause) -> CauseStatus {
    let mut status = CauseStatus::default();
    status.reason = cause.reason().as_str().to_owned();
    status.resource = cause.resource().map(ToString::to_string);
    status.key = cause.key().map(|key| key.to_string());
    status.old_version = cause.old_version().map(ToString::to_string);
    status.version = cause.version().map(ToString::to_string);
    status.count = cause.count().into();
    status.fields = cause.fields();
    status.written_by = cause.written_by();
    status
}

fn loop_status((at, report): &(Instant, LoopReport)) -> LoopStatus {
    let object = |object: &LoopObject| {
        let mut status = LoopObjectStatus::default();
        status.resource = object.resource.clone();
        status.key = object.key.to_string();
        status.fields = object.fields.clone();
        status
    };
    let mut status = LoopStatus::default();
    status.key = report.request.to_string();
    status.wakes = report.wakes.into();
    status.within_seconds = report.within.as_secs_f64();
    status.age_seconds = at.elapsed().as_secs_f64();
    status.objects = report.objects.iter().map(object).collect();
    status
}
