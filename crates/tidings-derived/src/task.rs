//! The task of a graph. It is the only writer of all collections.
//!
//! One round:
//!
//! ```text
//! begin       every input takes its state; nothing else is read in this round
//! work        each collection, in the order in which they were made, so that everything below it is done (a topological
//!             order: a collection can only read those that were made before it)
//! publish     one atomic store makes all collections of the round visible
//! deliver     handlers are notified
//! ```
//!
//! If inputs change while a round runs, the next round takes all of these changes together.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tidings_informer::WaitError;
use tidings_util::panic_message;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::dependency::NodeId;
use crate::error::DerivedError;
use crate::node::{LabelRequests, NodeEntry, RoundContext, WorkProgress};
use crate::reads::ReadTable;
use crate::shared::{GraphShared, KeepAlive, NodeShared, WatchedInformer};
use crate::state::GraphState;

/// How long handlers may take for pending notifications after the graph was stopped.
const STOP_DEADLINE: Duration = Duration::from_secs(30);

/// The task of a graph. Nothing happens before it runs. Dropping it stops the graph at once.
#[must_use = "a graph does nothing until its task runs"]
pub struct GraphTask {
    shared: Arc<GraphShared>,
    graph_keep_alive: Weak<KeepAlive>,
    /// By number.
    nodes: Vec<NodeEntry>,
    users: BTreeMap<NodeId, (Weak<KeepAlive>, Arc<NodeShared>)>,
    reads: RefCell<ReadTable>,
    label_requests: LabelRequests,
    informers: FuturesUnordered<BoxFuture<'static, InformerChange>>,
    handlers: JoinSet<()>,
    state: GraphState,
    /// Whether a collection was removed since the last publication.
    is_smaller: bool,
    /// The last field: it is dropped after the others, and then reports the end.
    _end: EndOnDrop,
}

struct EndOnDrop(Arc<GraphShared>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// An informer has published something, or has stopped.
struct InformerChange {
    node: NodeId,
    watched: WatchedInformer,
    result: Result<(), WaitError>,
}

impl GraphTask {
    pub(crate) fn new(shared: Arc<GraphShared>, graph_keep_alive: Weak<KeepAlive>) -> Self {
        GraphTask {
            _end: EndOnDrop(Arc::clone(&shared)),
            shared,
            graph_keep_alive,
            nodes: Vec::new(),
            users: BTreeMap::new(),
            reads: RefCell::new(ReadTable::new()),
            label_requests: LabelRequests::default(),
            informers: FuturesUnordered::new(),
            handlers: JoinSet::new(),
            state: GraphState::default(),
            is_smaller: false,
        }
    }

    /// As [`run`](Self::run), and stops the graph when `stop` is cancelled. It is an error if the task panics. Made for
    /// a manager: `manager.runnable("graph", |stop| task.run_until(stop))`.
    pub async fn run_until(self, stop: CancellationToken) -> Result<(), DerivedError> {
        let shared = Arc::clone(&self.shared);
        let mut run = std::pin::pin!(self.run());
        tokio::select! {
            biased;
            () = &mut run => {}
            () = stop.cancelled() => {
                shared.stop.cancel();
                run.await;
            }
        }
        match shared.panicked.get() {
            Some(message) => {
                Err(DerivedError::Panicked { graph: shared.config.name.clone(), message: message.clone() })
            }
            None => Ok(()),
        }
    }

    /// Runs the graph until it is stopped, or until nothing uses the graph and its collections any more. Then it
    /// delivers pending notifications.
    pub async fn run(mut self) {
        let result = AssertUnwindSafe(self.run_until_stopped()).catch_unwind().await;
        if let Err(panic) = result {
            let message = panic_message(&*panic);
            tracing::error!("graph {:?} panicked and has stopped: {message}", self.shared.config.name);
            let _ = self.shared.panicked.set(message);
        }
        // Dropping the collections drains the mailboxes of their handlers.
        self.nodes.clear();
        let handlers = &mut self.handlers;
        let all = async { while handlers.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_DEADLINE, all).await.is_err() {
            tracing::warn!(
                "graph {:?}: handlers did not return within {STOP_DEADLINE:?}",
                self.shared.config.name
            );
        }
    }

    async fn run_until_stopped(&mut self) {
        let shared = Arc::clone(&self.shared);
        while !shared.stop.is_cancelled() {
            self.take_requests();
            if self.nodes.is_empty() && self.graph_keep_alive.strong_count() == 0 {
                return;
            }
            self.round().await;
            tokio::select! {
                biased;
                () = shared.stop.cancelled() => return,
                () = shared.wake.notified() => {}
                Some(change) = self.informers.next() => self.informer_changed(change),
            }
        }
    }

    fn informer_changed(&mut self, change: InformerChange) {
        let mut changes = vec![change];
        // All that is ready now, so that one round takes it together.
        while let Some(change) = self.informers.next().now_or_never().flatten() {
            changes.push(change);
        }
        for InformerChange { node, watched, result } in changes {
            match (result, self.users.get(&node)) {
                (Ok(()), Some(_)) => self.watch(node, watched),
                (Err(error), Some((_, collection))) => {
                    if !watched.is_synced {
                        collection.set_failure(error.to_string());
                        self.shared.round.send_modify(|_| {});
                    }
                }
                (_, None) => {}
            }
        }
    }

    fn watch(&mut self, node: NodeId, mut watched: WatchedInformer) {
        let wait = async move {
            let WatchedInformer { publications, informer, is_synced } = &mut watched;
            let synced = async {
                match *is_synced {
                    true => std::future::pending().await,
                    false => informer.synced().await,
                }
            };
            let result = tokio::select! {
                biased;
                synced = synced => {
                    *is_synced = synced.is_ok();
                    synced
                }
                changed = publications.changed() => changed,
            };
            InformerChange { node, watched, result }
        };
        self.informers.push(wait.boxed());
    }

    /// Takes new collections, indexes and handlers, and drops the collections that nothing uses.
    fn take_requests(&mut self) {
        let (nodes, indexes, receivers) = {
            let mut requests = self.shared.requests.lock();
            (
                std::mem::take(&mut requests.new_nodes),
                std::mem::take(&mut requests.new_indexes),
                std::mem::take(&mut requests.new_receivers),
            )
        };
        for new in nodes {
            let id = new.entry.id;
            self.users.insert(id, (new.keep_alive, Arc::clone(new.entry.node.shared())));
            self.nodes.push(new.entry);
            if let Some(watched) = new.watched {
                self.watch(id, watched);
            }
        }
        for (id, spec) in indexes {
            if let Some(node) = find(&mut self.nodes, id) {
                node.node.add_index(spec);
            }
        }
        let now = Instant::now();
        for new in receivers {
            let Some(node) = find(&mut self.nodes, new.node) else { continue };
            new.unused.taken_over();
            node.node.add_receiver(new.receiver, now);
            if let Some(task) = new.task {
                self.handlers.spawn(task);
            }
        }
        while self.handlers.try_join_next().is_some() {}
        self.drop_unused();
    }

    /// From the highest to the lowest: a collection that is dropped drops the handles of those that it read.
    fn drop_unused(&mut self) {
        self.nodes.iter_mut().for_each(|entry| entry.node.drop_unused_indexes());
        for at in (0..self.nodes.len()).rev() {
            let id = self.nodes[at].id;
            if self.users.get(&id).is_none_or(|(keep_alive, _)| keep_alive.strong_count() == 0) {
                self.users.remove(&id);
                drop(self.nodes.remove(at));
                self.state.tables.retain(|(other, _)| *other != id);
                self.is_smaller = true;
            }
        }
    }

    async fn round(&mut self) {
        let started = Instant::now();
        self.nodes.iter_mut().for_each(|entry| entry.node.begin());
        let mut now = Instant::now();
        for at in 0..self.nodes.len() {
            let work_started = now;
            while self.work(at) == WorkProgress::More {
                consume_budget().await;
            }
            now = Instant::now();
            let nanos = nanos(now - work_started);
            self.nodes[at].node.shared().update(|stats| stats.work_nanos += nanos);
        }
        self.publish();
        for entry in &mut self.nodes {
            let changes = entry.node.change_count() as u64;
            entry.node.shared().update(|stats| stats.changes += changes);
            entry.node.deliver(now);
        }
        self.report();
        let mut counters = self.shared.counters.lock();
        counters.rounds += 1;
        counters.round_nanos += nanos(started.elapsed());
    }

    fn work(&mut self, at: usize) -> WorkProgress {
        let (lower, rest) = self.nodes.split_at_mut(at);
        let round = RoundContext {
            lower,
            reads: &self.reads,
            graph: self.shared.id(),
            checks_purity: self.shared.config.checks_purity,
            label_requests: &self.label_requests,
        };
        let progress = rest[0].node.work(&round);
        for (id, label) in std::mem::take(self.label_requests.get_mut()) {
            if let Some(entry) = find(&mut self.nodes, id) {
                entry.node.add_label_index(&label);
            }
        }
        progress
    }

    /// Publishes all collections in one step.
    fn publish(&mut self) {
        let mut is_changed = std::mem::take(&mut self.is_smaller);
        for entry in &mut self.nodes {
            let Some(table) = entry.node.publish() else { continue };
            is_changed = true;
            match self.state.tables.binary_search_by_key(&entry.id, |(id, _)| *id) {
                Ok(at) => self.state.tables[at].1 = table,
                Err(at) => self.state.tables.insert(at, (entry.id, table)),
            }
        }
        if !is_changed {
            return;
        }
        self.state.round += 1;
        self.state.versions = self.nodes.iter().filter_map(|entry| entry.node.version()).collect();
        self.shared.published.store(Arc::new(self.state.clone()));
        self.shared.round.send_replace(self.state.round);
    }

    fn report(&mut self) {
        let users = &self.users;
        let name =
            |id: NodeId| users.get(&id).map_or_else(String::new, |(_, shared)| shared.name().to_owned());
        let reads = self.reads.borrow();
        for entry in &mut self.nodes {
            entry.node.report(&reads, &name);
        }
    }
}

fn find(nodes: &mut [NodeEntry], id: NodeId) -> Option<&mut NodeEntry> {
    nodes.binary_search_by_key(&id, |entry| entry.id).ok().map(|at| &mut nodes[at])
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl std::fmt::Debug for GraphTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphTask").field("graph", &self.shared.config.name).finish_non_exhaustive()
    }
}
