//! A persistent map from names to values in the order of the names: a B+ tree with path copying. A clone copies a
//! pointer; a write copies the nodes on its path that a clone still shares.
//!
//! The rows of one value of an index are in such a map: a function that reads them gets them sorted, and without a sort
//! in each evaluation. Collections themselves are in a [`PersistentMap`](crate::persistent_map::PersistentMap), which
//! finds a key in fewer steps.
//!
//! Example with at most two values in a node: `a`, `b` and `c` are added, then `b` is replaced in a clone.
//!
//! ```text
//! a        leaf [a]
//! b        leaf [a b]
//! c        inner [leaf [a] leaf [b c]]                  a full leaf is split
//! clone    copies the inner node and the leaf [b c]; the leaf [a] is shared
//! ```

use std::cmp::Ordering;
use std::sync::Arc;

use crate::persistent_map::Named;

/// The most values, or children, of a node.
const NODE_MAX: usize = 32;
/// A node with fewer is joined with a neighbour, if both fit into one.
const NODE_MIN: usize = 8;

/// A map from names to values, sorted by name.
#[derive(Debug)]
pub(crate) struct SortedMap<V> {
    root: Option<Arc<Node<V>>>,
}

#[derive(Debug, Clone)]
enum Node<V> {
    Leaf(Vec<V>),
    /// All children have the same depth.
    Inner(Vec<Arc<Node<V>>>),
}

impl<V: Named + Clone> SortedMap<V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Stores a value under its name, in place of a value with this name.
    pub(crate) fn insert(&mut self, value: V) {
        let Some(root) = &mut self.root else {
            self.root = Some(Arc::new(Node::Leaf(vec![value])));
            return;
        };
        if let Some(right) = Arc::make_mut(root).insert(value) {
            let left = Arc::clone(root);
            *root = Arc::new(Node::Inner(vec![left, right]));
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        let Some(root) = &mut self.root else { return };
        Arc::make_mut(root).remove(name);
        loop {
            let only = match self.root.as_deref() {
                Some(Node::Inner(children)) if children.len() <= 1 => children.first().cloned(),
                Some(Node::Leaf(values)) if values.is_empty() => None,
                _ => return,
            };
            self.root = only;
        }
    }

    /// All values, sorted by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &V> {
        let mut iter = Iter { stack: Vec::new(), leaf: [].iter() };
        if let Some(root) = &self.root {
            iter.enter(root);
        }
        iter
    }
}

impl<V: Named + Clone> Node<V> {
    fn len(&self) -> usize {
        match self {
            Node::Leaf(values) => values.len(),
            Node::Inner(children) => children.len(),
        }
    }

    fn first(&self) -> Option<&V> {
        match self {
            Node::Leaf(values) => values.first(),
            Node::Inner(children) => children.first()?.first(),
        }
    }

    /// The child that has this name, or would have it.
    fn child_of(children: &[Arc<Node<V>>], name: &str) -> usize {
        let is_before = |child: &Arc<Node<V>>| child.first().is_some_and(|first| first.name() <= name);
        children.partition_point(is_before).saturating_sub(1)
    }

    /// Stores a value. A full node is split: the new right one is returned.
    fn insert(&mut self, value: V) -> Option<Arc<Node<V>>> {
        match self {
            Node::Leaf(values) => match values.binary_search_by(|own| own.name().cmp(value.name())) {
                Ok(at) => {
                    values[at] = value;
                    None
                }
                Err(at) => insert_or_split(values, at, value).map(|right| Arc::new(Node::Leaf(right))),
            },
            Node::Inner(children) => {
                let at = Node::child_of(children, value.name());
                let right = Arc::make_mut(&mut children[at]).insert(value)?;
                insert_or_split(children, at + 1, right).map(|right| Arc::new(Node::Inner(right)))
            }
        }
    }

    fn remove(&mut self, name: &str) {
        match self {
            Node::Leaf(values) => {
                if let Ok(at) = values.binary_search_by(|own| own.name().cmp(name)) {
                    values.remove(at);
                }
            }
            Node::Inner(children) => {
                let at = Node::child_of(children, name);
                Arc::make_mut(&mut children[at]).remove(name);
                if children[at].len() < NODE_MIN {
                    join(children, at);
                }
            }
        }
    }
}

/// Inserts an item, or splits a full list and returns the right half.
fn insert_or_split<T>(items: &mut Vec<T>, at: usize, item: T) -> Option<Vec<T>> {
    if items.len() < NODE_MAX {
        items.insert(at, item);
        return None;
    }
    // Names are often added in order. Then the left node stays full.
    let middle = if at == items.len() { NODE_MAX } else { NODE_MAX / 2 };
    let mut right = items.split_off(middle);
    match at.cmp(&middle) {
        Ordering::Less => items.insert(at, item),
        _ => right.insert(at - middle, item),
    }
    Some(right)
}

/// Joins a small child with a neighbour, if both fit into one, and drops an empty child.
fn join<V: Named + Clone>(children: &mut Vec<Arc<Node<V>>>, at: usize) {
    let left = if at + 1 < children.len() { at } else { at.saturating_sub(1) };
    if left + 1 == children.len() {
        // The only child. If it is empty, so is its parent, which is joined with a neighbour in turn.
        children.retain(|child| child.len() > 0);
        return;
    }
    if children[left].len() + children[left + 1].len() > NODE_MAX {
        return;
    }
    let right = children.remove(left + 1);
    match (Arc::make_mut(&mut children[left]), &*right) {
        (Node::Leaf(values), Node::Leaf(more)) => values.extend_from_slice(more),
        (Node::Inner(below), Node::Inner(more)) => below.extend_from_slice(more),
        // Children of one node have the same depth.
        _ => unreachable!("a leaf beside an inner node"),
    }
}

struct Iter<'a, V> {
    stack: Vec<std::slice::Iter<'a, Arc<Node<V>>>>,
    leaf: std::slice::Iter<'a, V>,
}

impl<'a, V> Iter<'a, V> {
    fn enter(&mut self, node: &'a Node<V>) {
        match node {
            Node::Leaf(values) => self.leaf = values.iter(),
            Node::Inner(children) => self.stack.push(children.iter()),
        }
    }
}

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = &'a V;

    fn next(&mut self) -> Option<&'a V> {
        loop {
            if let Some(value) = self.leaf.next() {
                return Some(value);
            }
            match self.stack.last_mut()?.next() {
                Some(node) => self.enter(node),
                None => drop(self.stack.pop()),
            }
        }
    }
}

impl<V> Default for SortedMap<V> {
    fn default() -> Self {
        SortedMap { root: None }
    }
}

/// Clones no value.
impl<V> Clone for SortedMap<V> {
    fn clone(&self) -> Self {
        SortedMap { root: self.root.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Pair(String, u32);

    impl Named for Pair {
        fn name(&self) -> &str {
            &self.0
        }
    }

    fn apply(map: &mut SortedMap<Pair>, model: &mut BTreeMap<String, u32>, writes: &[(u16, Option<u32>)]) {
        for (name, value) in writes {
            let name = (name % 1024).to_string();
            match value {
                Some(value) => {
                    map.insert(Pair(name.clone(), *value));
                    model.insert(name, *value);
                }
                None => {
                    map.remove(&name);
                    model.remove(&name);
                }
            }
        }
    }

    fn check(map: &SortedMap<Pair>, model: &BTreeMap<String, u32>) {
        let found: Vec<_> = map.iter().map(|pair| (&pair.0, &pair.1)).collect();
        assert_eq!(found, model.iter().collect::<Vec<_>>());
        assert_eq!(map.is_empty(), model.is_empty());
        if let Some(root) = &map.root {
            check_depth(root);
        }
    }

    /// All leaves have the same depth, and no node is empty or too large.
    fn check_depth(node: &Node<Pair>) -> usize {
        assert!((1..=NODE_MAX).contains(&node.len()), "{}", node.len());
        match node {
            Node::Leaf(_) => 0,
            Node::Inner(children) => {
                let depths: Vec<_> = children.iter().map(|child| check_depth(child)).collect();
                assert!(depths.iter().all(|depth| *depth == depths[0]), "{depths:?}");
                depths[0] + 1
            }
        }
    }

    proptest! {
        #[test]
        fn a_clone_keeps_its_values_and_the_original_has_the_later_writes(
            before in prop::collection::vec(any::<(u16, Option<u32>)>(), 0..3000),
            after in prop::collection::vec(any::<(u16, Option<u32>)>(), 0..300),
        ) {
            let (mut map, mut model) = (SortedMap::default(), BTreeMap::new());
            apply(&mut map, &mut model, &before);
            let (copy, copied) = (map.clone(), model.clone());
            apply(&mut map, &mut model, &after);
            check(&map, &model);
            check(&copy, &copied);
            let names: Vec<_> = model.keys().cloned().collect();
            for name in names {
                map.remove(&name);
                model.remove(&name);
            }
            check(&map, &model);
        }
    }

    #[test]
    fn names_in_order_fill_their_nodes() {
        let mut map = SortedMap::default();
        for n in 0..10 * NODE_MAX as u32 {
            map.insert(Pair(format!("{n:05}"), n));
        }
        let Some(Node::Inner(leaves)) = map.root.as_deref() else { panic!("ten leaves need an inner node") };
        assert!(leaves.iter().all(|leaf| leaf.len() == NODE_MAX), "{}", leaves.len());
    }
}
