//! A computed collection: evaluates its function for each input key, and again when something changes that the
//! evaluation has read.
//!
//! One round of work, after the collections below are done:
//!
//! 1. `mark`: find the slots (input keys) that the changes of the collections below affect.
//! 2. `evaluate` each of them once. Dependencies are updated at once, outputs are kept aside.
//! 3. `apply`: outputs change owners and values, and each output key that differs from before is one change. So an
//!    output key that moves from one input to another is one update.

mod outputs;
mod route;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use smallvec::SmallVec;
use tidings_util::panic_message;
use tokio::time::Instant;

use crate::change::AnyChange;
use crate::dependency::{Dependency, NodeId, ReverseMaps, SlotId};
use crate::element::{Element, Value};
use crate::error::{CollectionFault, FaultKind};
use crate::evaluation_context::EvaluationContext;
use crate::node::output::Output;
use crate::node::{AnyNode, AnyTable, RoundContext, WorkProgress};
use crate::reads::{ReadSetId, ReadTable};
use crate::recorder::{Recorded, Recorder};
use crate::shared::NodeShared;
use crate::table::Table;
use outputs::Owners;
pub(crate) use route::{Route, RouteKeys};

/// How many evaluations are made before other tasks may run.
const EVALUATIONS_PER_SLICE: usize = 16;

/// Evaluates the function for one input key. `None` means that the input is gone.
pub(crate) type Evaluate<O> =
    Box<dyn Fn(&EvaluationContext<'_>, &str) -> Option<Result<Outputs<O>, String>> + Send>;

/// What happens to the outputs of a key whose evaluation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnFailure {
    /// The outputs of the last evaluation that succeeded stay.
    #[default]
    KeepLast,
    /// The key has no outputs until an evaluation succeeds.
    Remove,
}

/// The outputs of one key.
pub(crate) type Outputs<O> = SmallVec<[Value<O>; 1]>;

/// A computed collection.
pub(crate) struct Transform<O: Element> {
    id: NodeId,
    output: Output<O>,
    route: Route,
    evaluate: Evaluate<O>,
    on_failure: OnFailure,
    slots: Vec<Option<Slot<O>>>,
    free: Vec<SlotId>,
    slot_by_key: HashMap<Arc<str>, SlotId, foldhash::fast::RandomState>,
    /// The slots that depend on each other collection.
    reverse: BTreeMap<NodeId, ReverseMaps>,
    owners: Owners,
    /// The slots whose last evaluation failed.
    failed: BTreeSet<SlotId>,
    /// The slots that wait for a collection that has not synced.
    blocked: BTreeMap<SlotId, NodeId>,
    /// What was read of the input, and of each other collection.
    reads_seen: BTreeSet<(Option<NodeId>, ReadSetId)>,
    reads_reported: usize,
    round: Round<O>,
}

/// One input key.
struct Slot<O> {
    key: Arc<str>,
    outputs: Outputs<O>,
    input_reads: ReadSetId,
    dependencies: Box<[(Dependency, ReadSetId)]>,
    is_marked: bool,
}

/// The work of one round.
struct Round<O> {
    is_marked: bool,
    /// The slots to evaluate.
    queue: Vec<SlotId>,
    next: usize,
    /// The new outputs of the slots that were evaluated. `None` if the input is gone.
    evaluated: Vec<(SlotId, Option<Outputs<O>>)>,
    faults: Vec<CollectionFault>,
    counts: RoundCounts,
}

#[derive(Default)]
pub(crate) struct RoundCounts {
    evaluations: u64,
    failures: u64,
    unchanged: u64,
}

impl<O> Default for Round<O> {
    fn default() -> Self {
        Round {
            is_marked: false,
            queue: Vec::new(),
            next: 0,
            evaluated: Vec::new(),
            faults: Vec::new(),
            counts: RoundCounts::default(),
        }
    }
}

impl<O: Element> Transform<O> {
    pub(crate) fn new(
        shared: Arc<NodeShared>,
        route: Route,
        evaluate: Evaluate<O>,
        on_failure: OnFailure,
        seed: u64,
    ) -> Self {
        Transform {
            id: shared.id(),
            output: Output::new(shared, Table::own(Output::<O>::hasher(seed))),
            route,
            evaluate,
            on_failure,
            slots: Vec::new(),
            free: Vec::new(),
            slot_by_key: HashMap::default(),
            reverse: BTreeMap::new(),
            owners: Owners::default(),
            failed: BTreeSet::new(),
            blocked: BTreeMap::new(),
            // Of the input, at least the existence counts.
            reads_seen: BTreeSet::from([(None, ReadSetId::PRESENCE)]),
            reads_reported: 0,
            round: Round::default(),
        }
    }

    /// Evaluates one slot. Returns whether the collection can go on: before it has synced, it waits for collections
    /// that have not synced.
    fn evaluate_slot(&mut self, at: SlotId, round: &RoundContext<'_>) -> bool {
        let Some(key) = self.slots[at as usize].as_ref().map(|slot| Arc::clone(&slot.key)) else {
            return true;
        };
        let (result, recorded) = self.call(&key, round);
        self.round.counts.evaluations += 1;
        if let Some(node) = recorded.blocked_by
            && !self.output.is_synced
        {
            self.blocked.insert(at, node);
            return false;
        }
        if round.checks_purity {
            self.check_purity(&key, &result, &recorded, round);
        }
        let failure = match (&result, &recorded) {
            (Some(Err(error)), _) => Some(error.clone()),
            (Some(Ok(_)), Recorded { error: Some(error), .. }) => Some(error.clone()),
            (Some(Ok(_)), Recorded { blocked_by: Some(_), .. }) => {
                Some("it reads a collection that has not synced".to_owned())
            }
            _ => None,
        };
        match recorded.blocked_by {
            Some(node) => drop(self.blocked.insert(at, node)),
            None => drop(self.blocked.remove(&at)),
        }
        match failure {
            Some(message) => {
                self.failed.insert(at);
                self.round.counts.failures += 1;
                self.fault(&key, FaultKind::Failed { message });
                if self.on_failure == OnFailure::Remove {
                    self.round.evaluated.push((at, Some(Outputs::new())));
                }
            }
            None => {
                self.failed.remove(&at);
                let outputs = result.map(Result::unwrap_or_default);
                self.round.evaluated.push((at, outputs));
            }
        }
        self.set_dependencies(at, recorded);
        true
    }

    fn call(&self, key: &str, round: &RoundContext<'_>) -> (Option<Result<Outputs<O>, String>>, Recorded) {
        let recorder = Recorder::new(round.reads);
        let cx = EvaluationContext {
            recorder: &recorder,
            lower: round.lower,
            graph: round.graph,
            own: self.id,
            label_requests: round.label_requests,
        };
        let result = catch_unwind(AssertUnwindSafe(|| (self.evaluate)(&cx, key)));
        let result = result
            .unwrap_or_else(|panic| Some(Err(format!("the function panicked: {}", panic_message(&*panic)))));
        (result, recorder.finish())
    }

    /// Calls the function again. A pure function returns and reads the same.
    fn check_purity(
        &mut self,
        key: &Arc<str>,
        result: &Option<Result<Outputs<O>, String>>,
        recorded: &Recorded,
        round: &RoundContext<'_>,
    ) {
        let (again, recorded_again) = self.call(key, round);
        if again != *result || recorded_again != *recorded {
            self.fault(key, FaultKind::Impure);
        }
    }

    fn fault(&mut self, key: &str, kind: FaultKind) {
        let collection = self.output.shared.name().to_owned();
        self.round.faults.push(CollectionFault { collection, key: key.to_owned(), kind });
    }

    /// Replaces the dependencies of a slot. Usually they are the same as before, and then nothing is written.
    fn set_dependencies(&mut self, at: SlotId, recorded: Recorded) {
        let Recorded { input, dependencies, .. } = recorded;
        let Some(slot) = self.slots[at as usize].as_mut() else { return };
        self.reads_seen.insert((None, input));
        slot.input_reads = input;
        if *slot.dependencies == *dependencies {
            return;
        }
        let before = std::mem::replace(&mut slot.dependencies, dependencies.into_iter().collect());
        let now = &mut slot.dependencies;
        for (dependency, _) in &before {
            if now.binary_search_by(|(other, _)| other.cmp(dependency)).is_err() {
                forget(&mut self.reverse, dependency, at);
            }
        }
        for (dependency, reads) in now {
            let known = before.binary_search_by(|(other, _)| other.cmp(dependency));
            if known.is_ok_and(|known| before[known].1 == *reads) {
                continue;
            }
            self.reads_seen.insert((Some(dependency.node), *reads));
            self.reverse.entry(dependency.node).or_default().set(&mut dependency.on, at, *reads);
        }
    }

    /// The slot of an input key, which is created if there is none.
    fn slot_of<K: AsRef<str> + Clone + Into<Arc<str>>>(&mut self, key: &K) -> SlotId {
        if let Some(at) = self.slot_by_key.get(key.as_ref()) {
            return *at;
        }
        let key: Arc<str> = key.clone().into();
        let slot = Slot {
            key: Arc::clone(&key),
            outputs: Outputs::new(),
            input_reads: ReadSetId::PRESENCE,
            dependencies: Box::default(),
            is_marked: false,
        };
        let at = match self.free.pop() {
            Some(at) => {
                self.slots[at as usize] = Some(slot);
                at
            }
            None => {
                self.slots.push(Some(slot));
                (self.slots.len() - 1) as SlotId
            }
        };
        self.slot_by_key.insert(key, at);
        at
    }

    /// Frees a slot whose input is gone, with its dependencies.
    fn free_slot(&mut self, at: SlotId) {
        let Some(slot) = self.slots[at as usize].take() else { return };
        for (dependency, _) in &slot.dependencies {
            forget(&mut self.reverse, dependency, at);
        }
        self.slot_by_key.remove(&slot.key);
        self.failed.remove(&at);
        self.blocked.remove(&at);
        if self.slot_by_key.is_empty() {
            (self.slots, self.free) = (Vec::new(), Vec::new());
            self.slot_by_key = HashMap::default();
        } else {
            self.free.push(at);
        }
    }

    fn finish_round(&mut self) {
        self.apply();
        if !self.output.is_synced {
            self.output.set_synced();
        }
        self.output.changes.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        self.round.queue = Vec::new();
        self.round.next = 0;
    }

    /// Discards a first evaluation that met a collection that has not synced. It begins again when that has.
    fn discard(&mut self) {
        for at in 0..self.slots.len() {
            self.free_slot(at as SlotId);
            if self.slots.is_empty() {
                break;
            }
        }
        self.round = Round { is_marked: true, ..Round::default() };
    }
}

fn forget(reverse: &mut BTreeMap<NodeId, ReverseMaps>, dependency: &Dependency, slot: SlotId) {
    if let Some(maps) = reverse.get_mut(&dependency.node) {
        maps.remove(&dependency.on, slot);
        if maps.is_empty() {
            reverse.remove(&dependency.node);
        }
    }
}

impl<O: Element> AnyNode for Transform<O> {
    fn begin(&mut self) {
        self.round = Round::default();
    }

    fn work(&mut self, round: &RoundContext<'_>) -> WorkProgress {
        if !std::mem::replace(&mut self.round.is_marked, true) {
            self.mark(round);
        }
        if !self.output.is_synced && self.waits_for(round).is_some() {
            return WorkProgress::Done;
        }
        let end = self.round.queue.len().min(self.round.next + EVALUATIONS_PER_SLICE);
        while self.round.next < end {
            let at = self.round.queue[self.round.next];
            self.round.next += 1;
            if let Some(slot) = self.slots[at as usize].as_mut() {
                slot.is_marked = false;
            }
            if !self.evaluate_slot(at, round) {
                let waits_for = self.blocked.get(&at).copied();
                self.discard();
                self.route.wait_for(waits_for);
                return WorkProgress::Done;
            }
        }
        if self.round.next < self.round.queue.len() {
            return WorkProgress::More;
        }
        self.finish_round();
        WorkProgress::Done
    }

    fn report(&mut self, reads: &ReadTable, names: &dyn Fn(NodeId) -> String) {
        for fault in self.round.faults.drain(..) {
            self.output.shared.report_fault(fault);
        }
        let counts = std::mem::take(&mut self.round.counts);
        let dependencies = (self.reads_reported != self.reads_seen.len()).then(|| {
            self.reads_reported = self.reads_seen.len();
            self.describe_reads(reads, names)
        });
        let (failed, duplicates) = (self.failed.len(), self.owners.duplicates());
        let (values, keys) = (self.output.table.len(), self.slot_by_key.len());
        self.output.shared.update(|stats| {
            stats.values = values;
            stats.input_keys = keys;
            stats.evaluations += counts.evaluations;
            stats.failures += counts.failures;
            stats.unchanged += counts.unchanged;
            stats.failing_keys = failed;
            stats.duplicate_keys = duplicates;
            if let Some(dependencies) = dependencies {
                stats.reads = dependencies;
            }
        });
    }

    super::output::output_methods!();
}
