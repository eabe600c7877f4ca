//! The causes of the requests that wait on a controller's queue.
//!
//! A cause is added before its request. So the worker that takes the request finds it, except in one case: a change
//! that arrives in the moment in which a worker takes an earlier request of the same key is a cause of that
//! reconcile, and the next one has none.
//!
//! The number of requests is that of the queue, the number of causes of a request is bounded, and so is the number of
//! bodies that causes keep in memory. Requests are found by a hash of their key. Should two keys have the same hash of
//! 64 bits, their causes are mixed up, and nothing else.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};

use foldhash::fast::RandomState;

#[cfg(feature = "endpoints")]
use super::history::History;
use super::loops::{LoopTable, Wake};
use super::own_writes::OwnWrites;
use super::{Cause, Causes, LoopDetection, LoopObject, LoopReport};
use crate::request::Request;
#[cfg(feature = "endpoints")]
use crate::sync::AtomicBool;
use crate::sync::Mutex;
use crate::writes::TrackedWrite;

/// How many bodies the causes of waiting requests keep in memory, beside those of the caches. Above it, causes keep
/// keys and versions only.
const BODIES_MAX: usize = 1024;

/// A map with room for more requests than this is made smaller when it is empty.
const CAPACITY_KEPT: usize = 1024;

#[derive(Default)]
pub(crate) struct CauseLog {
    hasher: RandomState,
    loops: LoopDetection,
    waiting: Mutex<WaitingCauses>,
    #[cfg(feature = "endpoints")]
    pub(super) has_history: AtomicBool,
    #[cfg(feature = "endpoints")]
    pub(super) history: Mutex<History>,
}

#[derive(Default)]
struct WaitingCauses {
    by_request: HashMap<u64, Causes, RandomState>,
    bodies: usize,
    own_writes: OwnWrites,
    wakes: LoopTable,
}

impl CauseLog {
    pub(crate) fn new(loops: LoopDetection) -> Self {
        CauseLog { loops, ..CauseLog::default() }
    }

    /// Adds a cause of a request. Call it before the request is queued.
    pub(crate) fn add(&self, request: &Request, mut cause: Cause) {
        let hash = self.hash(request);
        let mut waiting = self.waiting.lock();
        if waiting.bodies >= BODIES_MAX {
            cause.release_bodies();
        }
        waiting.change(hash, |causes| causes.merge(cause));
    }

    /// The causes of a request that a worker takes.
    pub(crate) fn take(&self, request: &Request) -> Causes {
        let hash = self.hash(request);
        let mut waiting = self.waiting.lock();
        let Some(mut causes) = waiting.by_request.remove(&hash) else { return Causes::default() };
        waiting.bodies -= causes.bodies();
        if waiting.by_request.is_empty() && waiting.by_request.capacity() > CAPACITY_KEPT {
            waiting.by_request = HashMap::default();
        }
        causes.remove_not_due();
        causes.resolve(|change| waiting.own_writes.reconcile(change));
        causes
    }

    /// Puts the causes of a request back that was taken and not reconciled.
    pub(crate) fn put_back(&self, request: &Request, mut causes: Causes) {
        let hash = self.hash(request);
        let mut waiting = self.waiting.lock();
        if waiting.bodies >= BODIES_MAX {
            causes.release_bodies();
        }
        waiting.change(hash, |waiting| {
            let later = std::mem::replace(waiting, causes);
            waiting.extend(later);
        });
    }

    /// Records a write of a reconcile, to recognize the change that it causes.
    pub(crate) fn wrote(&self, reconcile: u64, write: &TrackedWrite) {
        self.waiting.lock().own_writes.record(write.effect.change(), reconcile);
        #[cfg(feature = "endpoints")]
        self.record_write(reconcile, write);
    }

    /// Counts a reconcile that only the controller's own writes have requested. `true` if it was reported as a loop.
    pub(crate) fn woke_itself(
        &self,
        controller: &str,
        request: &Request,
        generation: Option<i64>,
        causes: &Causes,
    ) -> bool {
        let Some(limit) = self.loops.limit else { return false };
        let hash = self.hash(request);
        let wake = self.waiting.lock().wakes.wake(hash, generation, limit);
        match wake {
            Wake::Counted => false,
            Wake::LastBeforeReport => {
                let objects = LoopObject::of(causes);
                self.waiting.lock().wakes.keep(hash, objects);
                false
            }
            Wake::Loop { wakes, within, objects_before } => {
                let mut objects = LoopObject::of(causes);
                objects.iter_mut().for_each(|object| object.keep_repeated(&objects_before));
                let controller = controller.to_owned();
                let report = LoopReport { controller, request: request.clone(), wakes, within, objects };
                self.report(&report);
                true
            }
        }
    }

    fn report(&self, report: &LoopReport) {
        tracing::warn!("{report}");
        #[cfg(feature = "endpoints")]
        self.record_loop(report);
        if let Some(hook) = &self.loops.hook
            && catch_unwind(AssertUnwindSafe(|| hook(report))).is_err()
        {
            tracing::error!(controller = report.controller, "the controller's hook for loops panicked");
        }
    }

    #[cfg(test)]
    pub(super) fn kept_bodies(&self) -> usize {
        self.waiting.lock().bodies
    }

    fn hash(&self, request: &Request) -> u64 {
        self.hasher.hash_one(request.as_str())
    }
}

impl WaitingCauses {
    /// Changes the causes of a request, and counts the bodies anew.
    fn change(&mut self, request: u64, change: impl FnOnce(&mut Causes)) {
        let causes = self.by_request.entry(request).or_default();
        let before = causes.bodies();
        change(causes);
        self.bodies = self.bodies + causes.bodies() - before;
    }
}
