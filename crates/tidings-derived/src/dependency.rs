//! What an evaluation depends on, and the reverse: which keys depend on a change.
//!
//! Each collection keeps, for every collection that it reads, four reverse maps: by key, by index value, by selector,
//! and of the whole collection. Example: the key `shop/web-0` of `workloads` read the node `node-1` by key:
//!
//! ```text
//! forward: slot of shop/web-0 -> [nodes by key node-1, read set {label zone}]
//! reverse: nodes: by key: node-1 -> [(slot of shop/web-0, read set {label zone})]
//! ```
//!
//! A selector is filed under the values of one label that it requires (`app=web` under app: web), so that a change looks
//! only at the selectors that could match it. Selectors that require no value are checked for each change.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use tidings_object::{LabelSelector, Operator};

use crate::change::AnyChange;
use crate::reads::{ReadSetId, ReadTable};
use crate::table::IndexChange;

/// Keys come from outside, so that the seed of each map is random. No map is iterated where the order could matter.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// The number of a collection in its graph. A collection reads only collections with lower numbers.
pub(crate) type NodeId = u32;
/// The number of an input key in its collection.
pub(crate) type SlotId = u32;

/// One dependency of one key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dependency {
    pub(crate) node: NodeId,
    pub(crate) on: DependsOn,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DependsOn {
    Key(Arc<str>),
    Index(u32, Arc<str>),
    Selector(Arc<Selection>),
    All,
}

/// A selector, perhaps within one namespace.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) namespace: Option<Arc<str>>,
    pub(crate) selector: LabelSelector,
    /// Namespace and selector, for comparisons.
    text: String,
}

impl Selection {
    pub(crate) fn new(namespace: Option<&str>, selector: &LabelSelector) -> Self {
        let text = format!("{}/{selector}", namespace.unwrap_or_default());
        Selection { namespace: namespace.map(Arc::from), selector: selector.clone(), text }
    }

    fn required(&self) -> Option<(&str, &[String])> {
        required_label(&self.selector)
    }
}

/// The label, and its values, of which a selector requires one. The first such requirement counts.
pub(crate) fn required_label(selector: &LabelSelector) -> Option<(&str, &[String])> {
    selector.requirements().iter().find_map(|requirement| match &requirement.operator {
        Operator::In(values) => Some((&*requirement.key, &**values)),
        _ => None,
    })
}

impl PartialEq for Selection {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Selection {}

impl PartialOrd for Selection {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Selection {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

/// The slots that depend on one thing, sorted, with what each has read.
#[derive(Debug, Default)]
struct Dependants(Vec<(SlotId, ReadSetId)>);

impl Dependants {
    fn set(&mut self, slot: SlotId, reads: ReadSetId) {
        match self.0.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(at) => self.0[at].1 = reads,
            Err(at) => self.0.insert(at, (slot, reads)),
        }
    }

    /// Removes a slot, and returns whether none is left.
    fn remove(&mut self, slot: SlotId) -> bool {
        if let Ok(at) = self.0.binary_search_by_key(&slot, |(slot, _)| *slot) {
            self.0.remove(at);
        }
        if self.0.capacity() > 4 * self.0.len() + 16 {
            self.0.shrink_to(2 * self.0.len());
        }
        self.0.is_empty()
    }

    /// Calls `mark` with the slots that are affected by a change: all of them if the change adds or removes an element,
    /// otherwise those that have read what differs.
    fn affected(
        &self,
        is_moved: bool,
        change: &dyn AnyChange,
        table: &ReadTable,
        mark: &mut dyn FnMut(SlotId),
    ) {
        // Neighbours mostly have the same read set.
        let mut last = None;
        for (slot, reads) in &self.0 {
            let differs = match last {
                _ if is_moved => true,
                Some((last, differs)) if last == *reads => differs,
                _ => change.differs(*reads, table),
            };
            last = Some((*reads, differs));
            if differs {
                mark(*slot);
            }
        }
    }
}

/// The slots of one collection that depend on another collection.
#[derive(Debug, Default)]
pub(crate) struct ReverseMaps {
    by_key: HashMap<Arc<str>, Dependants>,
    by_index: BTreeMap<u32, HashMap<Arc<str>, Dependants>>,
    selectors: SelectorMap,
    all: Dependants,
}

/// The texts of the selectors that require a value of one label, by that value.
type SelectorsByValue = HashMap<Box<str>, Vec<Arc<str>>>;

/// Selectors, filed under the values of a label that they require.
#[derive(Debug, Default)]
struct SelectorMap {
    dependants: HashMap<Arc<str>, (Arc<Selection>, Dependants)>,
    /// By the label that they require.
    by_label: HashMap<Box<str>, SelectorsByValue>,
    general: Vec<Arc<str>>,
}

impl ReverseMaps {
    /// Records a dependency. Equal keys, values and selectors of several slots become one allocation.
    pub(crate) fn set(&mut self, on: &mut DependsOn, slot: SlotId, reads: ReadSetId) {
        match on {
            DependsOn::Key(key) => set_in(&mut self.by_key, key, slot, reads),
            DependsOn::Index(index, value) => {
                set_in(self.by_index.entry(*index).or_default(), value, slot, reads);
            }
            DependsOn::Selector(selection) => self.selectors.set(selection, slot, reads),
            DependsOn::All => self.all.set(slot, reads),
        }
    }

    pub(crate) fn remove(&mut self, on: &DependsOn, slot: SlotId) {
        match on {
            DependsOn::Key(key) => remove_from(&mut self.by_key, key, slot),
            DependsOn::Index(index, value) => {
                if let Some(by_value) = self.by_index.get_mut(index) {
                    remove_from(by_value, value, slot);
                    if by_value.is_empty() {
                        self.by_index.remove(index);
                    }
                }
            }
            DependsOn::Selector(selection) => self.selectors.remove(selection, slot),
            DependsOn::All => drop(self.all.remove(slot)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
            && self.by_index.is_empty()
            && self.selectors.dependants.is_empty()
            && self.all.0.is_empty()
    }

    /// Calls `mark` with every slot that is affected by a change. A slot may be marked several times.
    pub(crate) fn affected(&self, change: &dyn AnyChange, table: &ReadTable, mark: &mut dyn FnMut(SlotId)) {
        let is_moved = change.existed() != change.exists();
        if let Some(dependants) = self.by_key.get(change.key()) {
            dependants.affected(is_moved, change, table, mark);
        }
        for (index, by_value) in &self.by_index {
            let Some(IndexChange { before, now, .. }) = change.index(*index) else { continue };
            for value in before {
                if let Some(dependants) = by_value.get(value.as_str()) {
                    dependants.affected(!now.contains(value), change, table, mark);
                }
            }
            for value in now.iter().filter(|value| !before.contains(value)) {
                if let Some(dependants) = by_value.get(value.as_str()) {
                    dependants.affected(true, change, table, mark);
                }
            }
        }
        self.selectors.affected(change, table, mark);
        self.all.affected(is_moved, change, table, mark);
    }
}

fn set_in(map: &mut HashMap<Arc<str>, Dependants>, key: &mut Arc<str>, slot: SlotId, reads: ReadSetId) {
    match map.entry(Arc::clone(key)) {
        Entry::Occupied(mut entry) => {
            *key = Arc::clone(entry.key());
            entry.get_mut().set(slot, reads);
        }
        Entry::Vacant(entry) => entry.insert(Dependants::default()).set(slot, reads),
    }
}

fn remove_from(map: &mut HashMap<Arc<str>, Dependants>, key: &Arc<str>, slot: SlotId) {
    if map.get_mut(key).is_some_and(|dependants| dependants.remove(slot)) {
        map.remove(key);
        if map.capacity() > 4 * map.len() + 64 {
            map.shrink_to(2 * map.len());
        }
    }
}

impl SelectorMap {
    fn set(&mut self, selection: &mut Arc<Selection>, slot: SlotId, reads: ReadSetId) {
        if let Some((own, dependants)) = self.dependants.get_mut(&*selection.text) {
            *selection = Arc::clone(own);
            return dependants.set(slot, reads);
        }
        let text: Arc<str> = selection.text.as_str().into();
        match selection.required() {
            None => self.general.push(Arc::clone(&text)),
            Some((label, values)) => {
                let by_value = self.by_label.entry(label.into()).or_default();
                for value in values {
                    by_value.entry(value.as_str().into()).or_default().push(Arc::clone(&text));
                }
            }
        }
        let mut dependants = Dependants::default();
        dependants.set(slot, reads);
        self.dependants.insert(text, (Arc::clone(selection), dependants));
    }

    fn remove(&mut self, selection: &Arc<Selection>, slot: SlotId) {
        let text = &*selection.text;
        if !self.dependants.get_mut(text).is_some_and(|(_, dependants)| dependants.remove(slot)) {
            return;
        }
        self.dependants.remove(text);
        let Some((label, values)) = selection.required() else {
            return self.general.retain(|other| **other != *text);
        };
        let Some(by_value) = self.by_label.get_mut(label) else { return };
        for value in values {
            if let Some(filed) = by_value.get_mut(value.as_str()) {
                filed.retain(|other| **other != *text);
                if filed.is_empty() {
                    by_value.remove(value.as_str());
                }
            }
        }
        if by_value.is_empty() {
            self.by_label.remove(label);
        }
    }

    fn affected(&self, change: &dyn AnyChange, table: &ReadTable, mark: &mut dyn FnMut(SlotId)) {
        if self.dependants.is_empty() {
            return;
        }
        let mut check = |text: &Arc<str>| {
            let Some((selection, dependants)) = self.dependants.get(text) else { return };
            let (before, now) = change.is_selected(selection.namespace.as_deref(), &selection.selector);
            if before || now {
                dependants.affected(before != now, change, table, mark);
            }
        };
        for (label, by_value) in &self.by_label {
            let [old, new] = change.labels(label);
            let filed =
                |value: Option<&str>| value.and_then(|value| by_value.get(value)).into_iter().flatten();
            filed(old).for_each(&mut check);
            if old != new {
                filed(new).for_each(&mut check);
            }
        }
        self.general.iter().for_each(check);
    }
}
