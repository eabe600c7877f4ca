//! What a function may read besides its input: other collections. Each read is recorded as a dependency.

use std::borrow::Cow;
use std::sync::Arc;

use tidings_object::LabelSelector;

use crate::collection::{Collection, CollectionIndex};
use crate::dependency::{Dependency, DependsOn, NodeId, Selection};
use crate::element::{Element, Value};
use crate::node::{LabelRequests, NodeEntry};
use crate::recorder::{EntryId, Recorder};
use crate::table::Table;
use crate::tracked::Tracked;

/// Reads other collections inside a function. All reads of one evaluation see one state of all collections.
///
/// Results are sorted by key. A function must read collections through this, never through a lister: a read that is not
/// recorded does not run the function again.
pub struct EvaluationContext<'a> {
    pub(crate) recorder: &'a Recorder<'a>,
    /// The collections that may be read: those that were made before this one.
    pub(crate) lower: &'a [NodeEntry],
    pub(crate) graph: usize,
    /// The collection that is evaluated.
    pub(crate) own: NodeId,
    pub(crate) label_requests: &'a LabelRequests,
}

impl<'a> EvaluationContext<'a> {
    /// The element with this key. The function depends on this key, and of the element on what it reads.
    pub fn get<E: Element>(&self, collection: &Collection<E>, key: &str) -> Option<Tracked<'a, E>> {
        let found = self.table(collection)?.read(key);
        // The key of the element, if there is one, instead of another allocation.
        let key = found.as_ref().map_or_else(|| key.into(), |found| found.shared_key());
        let entry = self.depend(collection, DependsOn::Key(key));
        Some(self.track(found?, entry))
    }

    /// The elements that have this value in an index. The function depends on this value of the index.
    pub fn by_index<E: Element>(&self, index: &CollectionIndex<E>, value: &str) -> Vec<Tracked<'a, E>> {
        let collection = index.collection();
        let Some(table) = self.table(collection) else { return Vec::new() };
        let entry = self.depend(collection, DependsOn::Index(index.number(), value.into()));
        self.track_group(table, index, value, entry)
    }

    /// The elements whose labels match. The function depends on the elements that match. The empty selector matches
    /// everything, and then this is [`list`](Self::list).
    pub fn select<E: Element>(
        &self,
        collection: &Collection<E>,
        selector: &LabelSelector,
    ) -> Vec<Tracked<'a, E>> {
        if selector.is_everything() {
            return self.list(collection);
        }
        self.selection(collection, Selection::new(None, selector))
    }

    /// The elements in one namespace whose labels match. The namespace is the part of the key before the first slash.
    pub fn select_in<E: Element>(
        &self,
        collection: &Collection<E>,
        namespace: &str,
        selector: &LabelSelector,
    ) -> Vec<Tracked<'a, E>> {
        self.selection(collection, Selection::new(Some(namespace), selector))
    }

    /// All elements. The function depends on the whole collection: it runs again for each element that comes or goes, or
    /// changes in what it has read.
    pub fn list<E: Element>(&self, collection: &Collection<E>) -> Vec<Tracked<'a, E>> {
        let Some(table) = self.table(collection) else { return Vec::new() };
        let entry = self.depend(collection, DependsOn::All);
        self.track_all(table.read_all(), entry)
    }

    /// The only element of a [singleton](crate::Graph::singleton).
    pub fn one<E: Element>(&self, collection: &Collection<E>) -> Option<Tracked<'a, E>> {
        self.list(collection).pop()
    }

    fn selection<E: Element>(&self, collection: &Collection<E>, selection: Selection) -> Vec<Tracked<'a, E>> {
        let Some(table) = self.table(collection) else { return Vec::new() };
        let found = table.select(selection.namespace.as_deref(), &selection.selector);
        if let Some(label) = table.missing_label_index(&selection.selector) {
            self.label_requests.borrow_mut().insert((collection.id(), label.to_owned()));
        }
        let entry = self.depend(collection, DependsOn::Selector(Arc::new(selection)));
        self.track_all(found, entry)
    }

    /// The input with this key, for the operators. It is recorded as the input, not as a dependency.
    pub(crate) fn input<E: Element>(&self, collection: &Collection<E>, key: &str) -> Option<Tracked<'a, E>> {
        Some(self.track(self.table(collection)?.read(key)?, EntryId::Input))
    }

    /// The inputs with this value in an index.
    pub(crate) fn input_group<E: Element>(
        &self,
        index: &CollectionIndex<E>,
        value: &str,
    ) -> Vec<Tracked<'a, E>> {
        let Some(table) = self.table(index.collection()) else { return Vec::new() };
        self.track_group(table, index, value, EntryId::Input)
    }

    fn depend<E: Element>(&self, collection: &Collection<E>, on: DependsOn) -> EntryId {
        self.recorder.begin(Dependency { node: collection.id(), on })
    }

    fn track<E: Element>(&self, value: Cow<'a, Value<E>>, entry: EntryId) -> Tracked<'a, E> {
        Tracked::new(value, self.recorder, entry)
    }

    fn track_all<E: Element>(
        &self,
        mut values: Vec<Cow<'a, Value<E>>>,
        entry: EntryId,
    ) -> Vec<Tracked<'a, E>> {
        values.sort_unstable_by(|one, other| one.key().cmp(&other.key()));
        values.into_iter().map(|value| self.track(value, entry)).collect()
    }

    /// The elements that have a value in an index, which are sorted there.
    fn track_group<E: Element>(
        &self,
        table: &'a Table<E>,
        index: &CollectionIndex<E>,
        value: &str,
        entry: EntryId,
    ) -> Vec<Tracked<'a, E>> {
        let rows = table.by_index(index.number(), value);
        rows.map(|row| self.track(Cow::Borrowed(row), entry)).collect()
    }

    /// The state of a collection in this round. If it can't be read, the evaluation fails or waits.
    fn table<E: Element>(&self, collection: &Collection<E>) -> Option<&'a Table<E>> {
        let fail = |problem: &str| {
            self.recorder.fail(format!("reading collection {:?}: {problem}", collection.name()));
            None
        };
        if collection.graph_id() != self.graph {
            return fail("it belongs to another graph; make both collections with one graph");
        }
        if collection.id() >= self.own {
            return fail("it was made after the collection that reads it, so that this would be a cycle");
        }
        let at = self.lower.binary_search_by_key(&collection.id(), |entry| entry.id);
        let Ok(at) = at else { return fail("it was dropped") };
        if !self.lower[at].node.is_synced() {
            self.recorder.block(collection.id());
            return None;
        }
        self.lower[at].node.table().downcast_ref()
    }
}
