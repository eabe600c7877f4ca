//! Collections that are not computed: the cache of an informer, and values that the program feeds.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use tidings_informer::SharedInformer;
use tidings_object::{Object, RawObject};
use tokio::time::Instant;

use crate::change::AnyChange;
use crate::dependency::NodeId;
use crate::element::{Element, Value};
use crate::node::output::Output;
use crate::node::{AnyNode, AnyTable, RoundContext, WorkProgress};
use crate::reads::ReadTable;
use crate::shared::NodeShared;
use crate::state::InputVersion;
use crate::sync::Mutex;
use crate::table::Table;

/// The cache of an informer. It copies nothing: its state is a snapshot of the cache, and its changes are the
/// differences of two snapshots. So it needs no memory for pending changes, however far the graph is behind.
pub(crate) struct InformerInput<K: 'static> {
    informer: SharedInformer<K>,
    output: Output<Object<K>>,
}

impl<K: 'static> InformerInput<K> {
    pub(crate) fn new(shared: Arc<NodeShared>, informer: SharedInformer<K>, seed: u64) -> Self {
        let hasher = Output::<Object<K>>::hasher(seed);
        let table = Table::cache(informer.reader().snapshot(), Object::new, hasher);
        InformerInput { informer, output: Output::new(shared, table) }
    }
}

impl<K: 'static> AnyNode for InformerInput<K> {
    fn begin(&mut self) {
        // Asked before the snapshot is taken: then the snapshot contains the first lists.
        if !self.output.is_synced && !self.informer.is_synced() {
            return;
        }
        let newer = self.informer.reader().snapshot();
        let output = &mut self.output;
        if !output.is_synced {
            output.table.set_snapshot(newer);
            output.table.rebuild_indexes();
            return output.set_synced();
        }
        let Some(earlier) = output.table.snapshot().cloned() else { return };
        if earlier.version() != newer.version() {
            output.set_dirty();
        }
        let changes = newer.changes_since(&earlier);
        output.table.set_snapshot(newer);
        for change in changes {
            let value = |raw: Option<Arc<RawObject>>| raw.map(|raw| Value::cached(Object::new(raw)));
            let (old, new) = (value(change.old), value(change.new));
            if let Some(key) = new.as_ref().or(old.as_ref()).map(Value::shared_key) {
                output.change(key, old, new);
            }
        }
        output.changes.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    }

    fn work(&mut self, _: &RoundContext<'_>) -> WorkProgress {
        WorkProgress::Done
    }

    fn version(&self) -> Option<InputVersion> {
        Some(InputVersion {
            collection: self.output.shared.name().to_owned(),
            version: self.output.table.snapshot().and_then(|snapshot| snapshot.version()),
        })
    }

    fn report(&mut self, _: &ReadTable, _: &dyn Fn(NodeId) -> String) {
        self.output.shared.update(|stats| stats.values = self.output.table.len());
    }

    super::output::output_methods!();
}

/// The values that a program feeds and that the task has not taken yet: the last one of each key.
pub(crate) struct FeedQueue<E> {
    pending: Mutex<FeedState<E>>,
}

/// Values by key. `None` removes. The order is random: what is observable is sorted when it is taken.
pub(crate) type FeedChanges<E> = HashMap<Arc<str>, Option<Value<E>>, foldhash::fast::RandomState>;

struct FeedState<E> {
    changes: FeedChanges<E>,
    /// Whether everything that is not in `changes` goes.
    replaces_all: bool,
    is_complete: bool,
}

impl<E> FeedQueue<E> {
    pub(crate) fn new() -> Self {
        let state = FeedState { changes: HashMap::default(), replaces_all: false, is_complete: false };
        FeedQueue { pending: Mutex::new(state) }
    }

    pub(crate) fn put(&self, key: Arc<str>, value: Option<Value<E>>) {
        let replaced = self.pending.lock().changes.insert(key, value);
        // Not under the lock: this may run the `Drop` of user code.
        drop(replaced);
    }

    pub(crate) fn replace_all(&self, values: FeedChanges<E>) {
        let mut pending = self.pending.lock();
        let replaced = std::mem::replace(&mut pending.changes, values);
        pending.replaces_all = true;
        drop(pending);
        drop(replaced);
    }

    pub(crate) fn complete(&self) {
        self.pending.lock().is_complete = true;
    }
}

/// Values that the program feeds.
pub(crate) struct FeedInput<E: Element> {
    queue: Arc<FeedQueue<E>>,
    output: Output<E>,
}

impl<E: Element> FeedInput<E> {
    pub(crate) fn new(shared: Arc<NodeShared>, queue: Arc<FeedQueue<E>>, seed: u64) -> Self {
        FeedInput { queue, output: Output::new(shared, Table::own(Output::<E>::hasher(seed))) }
    }
}

impl<E: Element> AnyNode for FeedInput<E> {
    fn begin(&mut self) {
        let mut pending = self.queue.pending.lock();
        if !self.output.is_synced && !pending.is_complete {
            return;
        }
        let mut changes = std::mem::take(&mut pending.changes);
        let replaces_all = std::mem::take(&mut pending.replaces_all);
        drop(pending);
        if replaces_all {
            for key in self.output.table.keys() {
                changes.entry(key).or_insert(None);
            }
        }
        for (key, new) in changes {
            self.output.replace(key, new);
        }
        self.output.changes.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        if !self.output.is_synced {
            self.output.set_synced();
        }
    }

    fn work(&mut self, _: &RoundContext<'_>) -> WorkProgress {
        WorkProgress::Done
    }

    fn report(&mut self, _: &ReadTable, _: &dyn Fn(NodeId) -> String) {
        self.output.shared.update(|stats| stats.values = self.output.table.len());
    }

    super::output::output_methods!();
}
