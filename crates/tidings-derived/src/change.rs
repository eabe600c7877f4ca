//! The changes of one collection in one round, seen without the type of its elements: what the collections that read it
//! need to find their affected keys.

use std::sync::Arc;

use tidings_informer::KeyChange;
use tidings_object::LabelSelector;

use crate::element::{Element, Value};
use crate::reads::{PathComparison, ReadSetId, ReadTable};
use crate::table::{IndexChange, is_selected};

/// The change of one key. At least one of the two states exists.
pub(crate) struct Change<E> {
    pub(crate) key: Arc<str>,
    pub(crate) old: Option<Value<E>>,
    pub(crate) new: Option<Value<E>>,
    /// The values of the old and of the new state in each index.
    pub(crate) indexes: Vec<IndexChange>,
    pub(crate) paths: PathComparison,
}

impl<E: Element> Change<E> {
    pub(crate) fn new(key: Arc<str>, old: Option<Value<E>>, new: Option<Value<E>>) -> Self {
        Change { key, old, new, indexes: Vec::new(), paths: PathComparison::default() }
    }

    /// What happened to the key.
    pub(crate) fn key_change(&self) -> KeyChange {
        match (&self.old, &self.new) {
            (None, _) => KeyChange::Added,
            (Some(_), Some(_)) => KeyChange::Updated,
            (Some(_), None) => KeyChange::Deleted,
        }
    }
}

/// A [`Change`] without the type of the element.
pub(crate) trait AnyChange {
    fn key(&self) -> &Arc<str>;
    fn existed(&self) -> bool;
    fn exists(&self) -> bool;
    /// The values of the old and of the new state in an index.
    fn index(&self, index: u32) -> Option<&IndexChange>;
    /// Whether the old and the new state match a selector.
    fn is_selected(&self, namespace: Option<&str>, selector: &LabelSelector) -> (bool, bool);
    /// The values of a label of the old and of the new state.
    fn labels(&self, key: &str) -> [Option<&str>; 2];
    /// Whether both states exist and what was read of them differs.
    fn differs(&self, reads: ReadSetId, table: &ReadTable) -> bool;
}

impl<E: Element> AnyChange for Change<E> {
    fn key(&self) -> &Arc<str> {
        &self.key
    }

    fn existed(&self) -> bool {
        self.old.is_some()
    }

    fn exists(&self) -> bool {
        self.new.is_some()
    }

    fn index(&self, index: u32) -> Option<&IndexChange> {
        self.indexes.iter().find(|change| change.index == index)
    }

    fn is_selected(&self, namespace: Option<&str>, selector: &LabelSelector) -> (bool, bool) {
        let matches =
            |row: Option<&Value<E>>| row.is_some_and(|row| is_selected::<E>(row, namespace, selector));
        (matches(self.old.as_ref()), matches(self.new.as_ref()))
    }

    fn labels(&self, key: &str) -> [Option<&str>; 2] {
        [self.old.as_ref().and_then(|row| row.label(key)), self.new.as_ref().and_then(|row| row.label(key))]
    }

    fn differs(&self, reads: ReadSetId, table: &ReadTable) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else { return false };
        match (old.raw_object(), new.raw_object()) {
            (Some(old), Some(new)) => self.paths.differs(old, new, reads, table),
            _ => reads != ReadSetId::PRESENCE,
        }
    }
}
