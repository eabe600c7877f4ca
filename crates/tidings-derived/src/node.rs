//! One collection inside the task of its graph, without the type of its elements. Only the task has these; users have
//! handles.

pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod transform;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::Instant;

use crate::change::AnyChange;
use crate::dependency::NodeId;
use crate::reads::ReadTable;
use crate::shared::NodeShared;

/// A collection with its number.
pub(crate) struct NodeEntry {
    pub(crate) id: NodeId,
    pub(crate) node: Box<dyn AnyNode>,
}

/// What a collection needs to work in a round.
pub(crate) struct RoundContext<'a> {
    /// The collections with lower numbers. Their work in this round is done.
    pub(crate) lower: &'a [NodeEntry],
    pub(crate) reads: &'a RefCell<ReadTable>,
    pub(crate) graph: usize,
    /// Runs each function twice and compares the results.
    pub(crate) checks_purity: bool,
    pub(crate) label_requests: &'a LabelRequests,
}

/// Labels by which an index would help the selectors of functions, with their collections. The task adds the indexes
/// between two slices of work, when no function runs.
pub(crate) type LabelRequests = RefCell<BTreeSet<(NodeId, String)>>;

/// Whether a collection has more to do in this round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkProgress {
    Done,
    More,
}

/// A published state: a `Table<E>`.
pub(crate) type AnyTable = Arc<dyn Any + Send + Sync>;

/// A collection inside the task.
pub(crate) trait AnyNode: Send {
    fn shared(&self) -> &Arc<NodeShared>;

    /// Whether its table may be read.
    fn is_synced(&self) -> bool;

    /// Its working state: a `Table<E>`.
    fn table(&self) -> &dyn Any;

    fn keys(&self) -> Vec<Arc<str>>;

    fn index_values(&self, index: u32) -> Vec<Arc<str>>;

    /// Adds an index: an `Arc<IndexSpec<E>>`.
    fn add_index(&mut self, spec: Box<dyn Any + Send>);

    fn drop_unused_indexes(&mut self);

    /// Adds an index by a label, for selectors. It changes no value.
    fn add_label_index(&mut self, label: &str);

    /// Adds an `Arc<Mailbox<E>>` or an `Arc<KeyReceiver>`. It receives the working state as initial additions.
    fn add_receiver(&mut self, receiver: Box<dyn Any + Send>, now: Instant);

    /// Takes the inputs of a round. All collections do this before the first one works.
    fn begin(&mut self);

    /// Works, for at most a slice of time. Called until it is done.
    fn work(&mut self, round: &RoundContext<'_>) -> WorkProgress;

    fn change_count(&self) -> usize;

    fn change(&self, at: usize) -> &dyn AnyChange;

    /// The state to publish, if it has changed in this round.
    fn publish(&mut self) -> Option<AnyTable>;

    /// Passes the changes of the round to the receivers, and forgets them.
    fn deliver(&mut self, now: Instant);

    /// The version of the informer in this round.
    fn version(&self) -> Option<crate::state::InputVersion> {
        None
    }

    /// Updates what operators see.
    fn report(&mut self, reads: &ReadTable, names: &dyn Fn(NodeId) -> String);
}
