//! The published state of a whole graph: all collections of one round. It is replaced in one step, so that a reader
//! never sees one branch of a diamond before the other.

use std::sync::Arc;

use tidings_object::Version;

use crate::dependency::NodeId;
use crate::node::AnyTable;

/// A published state. The default is the state before the first round.
#[derive(Default, Clone)]
pub(crate) struct GraphState {
    /// The number of the round.
    pub(crate) round: u64,
    /// The collections that have synced, by number.
    pub(crate) tables: Vec<(NodeId, AnyTable)>,
    pub(crate) versions: Arc<[InputVersion]>,
}

/// The version of one informer in one state of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InputVersion {
    /// The name of the collection over the informer.
    pub collection: String,
    /// The version up to which the informer's changes are in this state. `None` if its streams have no common version.
    pub version: Option<Version>,
}

impl GraphState {
    pub(crate) fn table(&self, id: NodeId) -> Option<&AnyTable> {
        let at = self.tables.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.tables[at].1)
    }
}
