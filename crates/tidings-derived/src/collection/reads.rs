//! Reads of a collection from outside of the graph: the newest published state, or one state that stays.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use tidings_object::LabelSelector;

use super::{Collection, CollectionIndex};
use crate::element::{Element, Value};
use crate::error::DerivedError;
use crate::state::{GraphState, InputVersion};
use crate::table::Table;

/// Reads the newest published state of a collection. Reads never wait. Before the collection has synced, there is
/// nothing to read: [`Collection::is_synced`] says so. It keeps the collection running.
pub struct CollectionLister<E> {
    collection: Collection<E>,
}

/// One published state of a collection. Snapshots that were taken of one [`GraphSnapshot`](crate::GraphSnapshot) are of
/// the same round.
pub struct CollectionSnapshot<E> {
    state: Arc<GraphState>,
    collection: Collection<E>,
}

impl<E: Element> Collection<E> {
    /// Reads the newest published state.
    pub fn lister(&self) -> CollectionLister<E> {
        CollectionLister { collection: self.clone() }
    }

    /// The newest published state, which stays as it is. It is an error if the collection has not synced.
    pub fn snapshot(&self) -> Result<CollectionSnapshot<E>, DerivedError> {
        self.snapshot_of(self.graph.published.load())
    }

    pub(crate) fn snapshot_of(&self, state: Arc<GraphState>) -> Result<CollectionSnapshot<E>, DerivedError> {
        match state.table(self.id()) {
            Some(_) => Ok(CollectionSnapshot { state, collection: self.clone() }),
            None => Err(self.not_synced()),
        }
    }
}

impl<E: Element> CollectionLister<E> {
    fn read<R: Default>(&self, read: impl FnOnce(CollectionSnapshot<E>) -> R) -> R {
        self.collection.snapshot().map(read).unwrap_or_default()
    }

    /// The value with this key.
    pub fn get(&self, key: &str) -> Option<Value<E>> {
        self.read(|snapshot| snapshot.get(key))
    }

    /// All values, sorted by key.
    pub fn list(&self) -> Vec<Value<E>> {
        self.read(|snapshot| snapshot.list())
    }

    /// The values that have this value in an index, sorted by key.
    pub fn by_index(&self, index: &CollectionIndex<E>, value: &str) -> Vec<Value<E>> {
        self.read(|snapshot| snapshot.by_index(index, value))
    }

    /// The values whose labels match, sorted by key.
    pub fn select(&self, selector: &LabelSelector) -> Vec<Value<E>> {
        self.read(|snapshot| snapshot.select(selector))
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.read(|snapshot| snapshot.len())
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<E: Element> CollectionSnapshot<E> {
    /// `None` is impossible: the snapshot was made with the table.
    fn table(&self) -> Option<&Table<E>> {
        self.state.table(self.collection.id())?.downcast_ref()
    }

    fn rows(&self, read: impl FnOnce(&Table<E>) -> Vec<Value<E>>) -> Vec<Value<E>> {
        let mut rows = self.table().map(read).unwrap_or_default();
        rows.sort_unstable_by(|one, other| one.key().cmp(&other.key()));
        rows
    }

    /// The value with this key.
    pub fn get(&self, key: &str) -> Option<Value<E>> {
        self.table()?.get(key)
    }

    /// All values, sorted by key.
    pub fn list(&self) -> Vec<Value<E>> {
        self.rows(Table::list)
    }

    /// The values that have this value in an index, sorted by key. An index that was added after this state finds
    /// nothing.
    pub fn by_index(&self, index: &CollectionIndex<E>, value: &str) -> Vec<Value<E>> {
        if index.collection.id() != self.collection.id()
            || index.collection.graph_id() != self.collection.graph_id()
        {
            return Vec::new();
        }
        let rows = self.table().into_iter().flat_map(|table| table.by_index(index.number, value));
        rows.cloned().collect()
    }

    /// The values whose labels match, sorted by key.
    pub fn select(&self, selector: &LabelSelector) -> Vec<Value<E>> {
        self.rows(|table| table.select(None, selector).into_iter().map(Cow::into_owned).collect())
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.table().map_or(0, Table::len)
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the round that published this state.
    pub fn round(&self) -> u64 {
        self.state.round
    }

    /// The versions of the informers in this state.
    pub fn versions(&self) -> &[InputVersion] {
        &self.state.versions
    }
}

impl<E> Clone for CollectionLister<E> {
    fn clone(&self) -> Self {
        CollectionLister { collection: self.collection.clone() }
    }
}

impl<E> Clone for CollectionSnapshot<E> {
    fn clone(&self) -> Self {
        CollectionSnapshot { state: Arc::clone(&self.state), collection: self.collection.clone() }
    }
}

impl<E> fmt::Debug for CollectionLister<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectionLister").field("collection", &self.collection).finish()
    }
}

impl<E> fmt::Debug for CollectionSnapshot<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let collection = &self.collection;
        f.debug_struct("CollectionSnapshot")
            .field("collection", collection)
            .field("round", &self.state.round)
            .finish()
    }
}
