//! What the handles of a graph and its task share.

use std::any::Any;
use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use tidings_informer::WeakInformer;
use tidings_util::watch;
use tokio::sync::{Notify, SetOnce};
use tokio_util::sync::CancellationToken;

use crate::dependency::NodeId;
use crate::error::{CollectionFault, DerivedError, FaultKind};
use crate::node::NodeEntry;
use crate::state::GraphState;
use crate::stats::{CollectionStats, NOT_LISTED};
use crate::sync::{AtomicU32, Mutex, Ordering, Published};

/// Called with every fault of a graph.
pub(crate) type FaultHook = Arc<dyn Fn(&CollectionFault) + Send + Sync>;

/// The options of a graph.
#[derive(Clone)]
pub(crate) struct GraphConfig {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) checks_purity: bool,
    pub(crate) on_fault: Option<FaultHook>,
}

/// What the handles of a graph and its task share.
pub(crate) struct GraphShared {
    pub(crate) config: GraphConfig,
    pub(crate) published: Published<GraphState>,
    /// The number of the last published round.
    pub(crate) round: watch::Sender<u64>,
    pub(crate) requests: Mutex<Requests>,
    /// Wakes the task.
    pub(crate) wake: Notify,
    pub(crate) stop: CancellationToken,
    pub(crate) stopped: SetOnce<()>,
    /// The message of the panic that ended the task.
    pub(crate) panicked: SetOnce<String>,
    pub(crate) counters: Mutex<GraphCounters>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GraphCounters {
    pub(crate) rounds: u64,
    pub(crate) round_nanos: u64,
}

/// Requests of handles that the task has not handled yet.
#[derive(Default)]
pub(crate) struct Requests {
    next_id: NodeId,
    pub(crate) new_nodes: Vec<NewNode>,
    pub(crate) new_indexes: Vec<(NodeId, Box<dyn Any + Send>)>,
    pub(crate) new_receivers: Vec<NewReceiver>,
    /// All collections that are in use, for reports.
    pub(crate) collections: Vec<Weak<NodeShared>>,
    has_ended: bool,
}

/// A collection that was made.
pub(crate) struct NewNode {
    pub(crate) entry: NodeEntry,
    pub(crate) keep_alive: Weak<KeepAlive>,
    pub(crate) watched: Option<WatchedInformer>,
}

/// What the task needs to wait for an informer.
pub(crate) struct WatchedInformer {
    pub(crate) publications: tidings_informer::Publications,
    pub(crate) informer: WeakInformer,
    /// Whether the task knows that it has synced.
    pub(crate) is_synced: bool,
}

/// A receiver of changes that was added: a mailbox, or a subscriber to keys.
pub(crate) struct NewReceiver {
    pub(crate) node: NodeId,
    pub(crate) receiver: Box<dyn Any + Send>,
    /// The task that calls a handler. Streams and subscribers have none.
    pub(crate) task: Option<BoxFuture<'static, ()>>,
    /// Ends the receiver if no task takes it over, so that nothing waits for it.
    pub(crate) unused: EndUnused,
}

/// Ends a receiver when it is dropped, unless the receiver was taken over.
pub(crate) struct EndUnused(pub(crate) Option<Box<dyn FnOnce() + Send>>);

impl EndUnused {
    pub(crate) fn taken_over(mut self) {
        self.0 = None;
    }
}

impl Drop for EndUnused {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// Wakes the task when the last user of a collection, or of a graph, is gone.
pub(crate) struct KeepAlive(pub(crate) Arc<GraphShared>);

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.0.wake.notify_one();
    }
}

/// What the handles of one collection and its task share.
pub(crate) struct NodeShared {
    id: NodeId,
    name: String,
    operator: &'static str,
    graph: Weak<GraphShared>,
    synced: SetOnce<()>,
    indexes: AtomicU32,
    stats: Mutex<CollectionStats>,
}

impl GraphShared {
    pub(crate) fn new(config: GraphConfig) -> Self {
        GraphShared {
            config,
            published: Published::new(GraphState::default()),
            round: watch::Sender::new(0),
            requests: Mutex::new(Requests::default()),
            wake: Notify::new(),
            stop: CancellationToken::new(),
            stopped: SetOnce::new(),
            panicked: SetOnce::new(),
            counters: Mutex::default(),
        }
    }

    /// A number that differs between the graphs of a process.
    pub(crate) fn id(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self) as usize
    }

    /// Adds a collection. `make` runs under the lock, so it must not run user code.
    pub(crate) fn add_node(
        self: &Arc<Self>,
        name: &str,
        operator: &'static str,
        watched: Option<WatchedInformer>,
        make: impl FnOnce(Arc<NodeShared>) -> Box<dyn crate::node::AnyNode>,
    ) -> (Arc<NodeShared>, Arc<KeepAlive>) {
        let keep_alive = Arc::new(KeepAlive(Arc::clone(self)));
        let mut requests = self.requests.lock();
        let id = requests.next_id;
        requests.next_id += 1;
        requests.collections.retain(|other| other.strong_count() > 0);
        let shared = Arc::new(NodeShared {
            id,
            name: requests.unused_name(name),
            operator,
            graph: Arc::downgrade(self),
            synced: SetOnce::new(),
            indexes: AtomicU32::new(0),
            stats: Mutex::default(),
        });
        requests.collections.push(Arc::downgrade(&shared));
        let entry = NodeEntry { id, node: make(Arc::clone(&shared)) };
        if !requests.has_ended {
            requests.new_nodes.push(NewNode { entry, keep_alive: Arc::downgrade(&keep_alive), watched });
        }
        drop(requests);
        self.wake.notify_one();
        (shared, keep_alive)
    }

    pub(crate) fn add_index(&self, node: &NodeShared, make: impl FnOnce(u32) -> Box<dyn Any + Send>) -> u32 {
        let mut requests = self.requests.lock();
        // Under the lock, so that the task builds the indexes in the order of their numbers.
        let number = node.indexes.fetch_add(1, Ordering::Relaxed);
        let spec = make(number);
        if !requests.has_ended {
            requests.new_indexes.push((node.id, spec));
        }
        drop(requests);
        self.wake.notify_one();
        number
    }

    pub(crate) fn add_receiver(&self, new: NewReceiver, what: String) -> Result<(), DerivedError> {
        let mut requests = self.requests.lock();
        if requests.has_ended || self.stop.is_cancelled() {
            drop(requests);
            return Err(DerivedError::Stopped { graph: self.config.name.clone(), what });
        }
        requests.new_receivers.push(new);
        drop(requests);
        self.wake.notify_one();
        Ok(())
    }

    /// Wakes the task to take values that were fed.
    pub(crate) fn fed(&self) {
        self.wake.notify_one();
    }

    /// Ends the graph: no task will ever take requests.
    pub(crate) fn end(&self) {
        let mut requests = self.requests.lock();
        requests.has_ended = true;
        let dropped = (
            std::mem::take(&mut requests.new_nodes),
            std::mem::take(&mut requests.new_indexes),
            std::mem::take(&mut requests.new_receivers),
        );
        drop(requests);
        // Not under the lock: user code is dropped.
        drop(dropped);
        let _ = self.stopped.set(());
    }

    /// Why the graph has ended, although nobody stopped it.
    pub(crate) fn failure(&self) -> Option<String> {
        let name = &self.config.name;
        match self.panicked.get() {
            Some(message) => Some(format!("graph {name:?} panicked: {message}")),
            None if self.stopped.initialized() && !self.stop.is_cancelled() => {
                Some(format!("the task of graph {name:?} has ended: run it until the program stops"))
            }
            None => None,
        }
    }

    pub(crate) fn collections(&self) -> Vec<Arc<NodeShared>> {
        self.requests.lock().collections.iter().filter_map(Weak::upgrade).collect()
    }

    /// Waits until a collection has synced. It is an error if it never will.
    pub(crate) async fn wait_synced(&self, node: &NodeShared) -> Result<(), DerivedError> {
        let mut rounds = self.round.subscribe();
        loop {
            rounds.mark_unchanged();
            if node.is_synced() {
                return Ok(());
            }
            if self.stopped.initialized() || self.failure_of(node).is_some() {
                return Err(self.not_synced(node));
            }
            tokio::select! {
                biased;
                () = node.wait_synced() => {}
                _ = self.stopped.wait() => {}
                // The failure of an informer is reported this way too.
                _ = rounds.changed() => {}
            }
        }
    }

    /// Why an informer that this collection waits for can never sync.
    fn failure_of(&self, node: &NodeShared) -> Option<String> {
        let all = self.collections();
        let mut at = node.stats();
        // A collection waits for one that was made before it, so this ends.
        loop {
            if let Some(failure) = at.failure {
                return Some(failure);
            }
            let waits_for = at.waits_for?;
            at = all.iter().find(|other| other.name == waits_for)?.stats();
        }
    }

    pub(crate) fn not_synced(&self, node: &NodeShared) -> DerivedError {
        let reason = match (self.stopped.initialized(), self.failure_of(node), node.stats().waits_for) {
            (true, ..) => "its graph has stopped".to_owned(),
            (false, Some(failure), _) => failure,
            (false, None, Some(other)) => format!("it waits for {other}"),
            (false, None, None) => NOT_LISTED.to_owned(),
        };
        DerivedError::NotSynced { collection: node.name.clone(), reason }
    }

    pub(crate) fn report_fault(&self, fault: &CollectionFault) {
        match fault.kind {
            FaultKind::HandlerPanicked { .. } => tracing::error!("{fault}"),
            _ => tracing::warn!("{fault}"),
        }
        if let Some(hook) = &self.config.on_fault {
            hook(fault);
        }
    }
}

impl Requests {
    /// A unique name: `workloads`, `workloads#2`.
    fn unused_name(&self, name: &str) -> String {
        let used: Vec<_> = self.collections.iter().filter_map(Weak::upgrade).collect();
        let is_unused = |name: &str| used.iter().all(|other| other.name != name);
        if is_unused(name) {
            return name.to_owned();
        }
        let mut number = 2;
        loop {
            let numbered = format!("{name}#{number}");
            if is_unused(&numbered) {
                return numbered;
            }
            number += 1;
        }
    }
}

impl NodeShared {
    pub(crate) fn id(&self) -> NodeId {
        self.id
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn is_synced(&self) -> bool {
        self.synced.initialized()
    }

    pub(crate) fn set_synced(&self) {
        self.set_waits_for(None);
        let _ = self.synced.set(());
    }

    pub(crate) async fn wait_synced(&self) {
        self.synced.wait().await;
    }

    pub(crate) fn set_waits_for(&self, collection: Option<String>) {
        self.stats.lock().waits_for = collection;
    }

    /// The informer of this collection can never sync.
    pub(crate) fn set_failure(&self, failure: String) {
        self.stats.lock().failure = Some(failure);
    }

    pub(crate) fn update(&self, update: impl FnOnce(&mut CollectionStats)) {
        update(&mut self.stats.lock());
    }

    pub(crate) fn stats(&self) -> CollectionStats {
        let stats = self.stats.lock().clone();
        CollectionStats {
            name: self.name.clone(),
            operator: self.operator,
            is_synced: self.is_synced(),
            ..stats
        }
    }

    pub(crate) fn report_fault(&self, fault: CollectionFault) {
        if let Some(graph) = self.graph.upgrade() {
            graph.report_fault(&fault);
        }
    }
}
