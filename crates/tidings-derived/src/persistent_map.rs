//! A persistent map from names to values: a hash array mapped trie (HAMT, see Bagwell, "Ideal Hash Trees") with path
//! copying. A clone copies a pointer; a write copies the nodes on its path that a clone still shares.
//!
//! Collections publish a clone of their map after each round, and readers keep clones as snapshots. The order of
//! iteration depends only on the names and the seed, never on the order of the writes.
//!
//! Example with four bits of a hash, two per level. `a` hashes to `0110`, `b` to `1110`, `c` to `0001`:
//!
//! ```text
//! root, by the low two bits:  01 -> c      10 -> node, by the next two bits:  01 -> a   11 -> b
//! clone, replace c            copies the root; the node with a and b is shared
//! ```

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use smallvec::SmallVec;

/// A write copies the nodes on its path, and a copy counts one more reference to each child, which is a cache miss. With
/// four bits these are half as many as with five, for one more level.
const BITS: u32 = 4;
/// Below this level all bits of the hash are used up: names with equal hashes are in a list.
const LEVELS: u32 = 64 / BITS;

/// A value that a map finds by its name.
pub(crate) trait Named {
    fn name(&self) -> &str;
}

impl<T: Named> Named for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }
}

/// A map from names to values.
#[derive(Debug)]
pub(crate) struct PersistentMap<V> {
    root: Option<Arc<Node<V>>>,
    len: usize,
    hasher: FixedState,
}

#[derive(Debug, Clone)]
struct Node<V> {
    /// Which of the 16 children exist. Unused below the last level.
    bitmap: u32,
    children: Children<V>,
}

/// Most nodes are at the bottom and have few children.
type Children<V> = SmallVec<[Child<V>; 4]>;

#[derive(Debug, Clone)]
enum Child<V> {
    Value(V),
    Node(Arc<Node<V>>),
}

impl<V: Named + Clone> PersistentMap<V> {
    pub(crate) fn new(hasher: FixedState) -> Self {
        PersistentMap { root: None, len: 0, hasher }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        let hash = self.hasher.hash_one(name);
        let mut node = self.root.as_ref()?;
        for level in 0..LEVELS {
            match &node.children[node.position(hash, level).ok()?] {
                Child::Value(value) => return Some(value).filter(|value| value.name() == name),
                Child::Node(below) => node = below,
            }
        }
        node.list().find(|value| value.name() == name)
    }

    /// The value with this name, to be changed. Its name must stay the same.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.get(name)?;
        let hash = self.hasher.hash_one(name);
        let mut node = Arc::make_mut(self.root.as_mut()?);
        for level in 0..LEVELS {
            let at = node.position(hash, level).ok()?;
            match &mut node.children[at] {
                Child::Value(value) => return Some(value),
                Child::Node(below) => node = Arc::make_mut(below),
            }
        }
        node.children.iter_mut().find_map(|child| match child {
            Child::Value(value) if value.name() == name => Some(value),
            _ => None,
        })
    }

    /// Stores a value under its name, and returns the value that had this name before.
    pub(crate) fn insert(&mut self, value: V) -> Option<V> {
        let hash = self.hasher.hash_one(value.name());
        let root = self.root.get_or_insert_with(|| Arc::new(Node::empty()));
        let before = insert(Arc::make_mut(root), hash, 0, value, &self.hasher);
        self.len += usize::from(before.is_none());
        before
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<V> {
        self.get(name)?;
        let hash = self.hasher.hash_one(name);
        let root = self.root.as_mut()?;
        let removed = remove(Arc::make_mut(root), hash, 0, name);
        self.len -= usize::from(removed.is_some());
        if self.len == 0 {
            self.root = None;
        }
        removed
    }

    /// All values. The order is that of the hashes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &V> {
        let stack: Vec<_> = self.root.iter().map(|root| root.children.iter()).collect();
        Iter { stack }
    }
}

fn insert<V: Named + Clone>(
    node: &mut Node<V>,
    hash: u64,
    level: u32,
    value: V,
    hasher: &FixedState,
) -> Option<V> {
    if level == LEVELS {
        let own = node.children.iter_mut().find_map(|child| match child {
            Child::Value(own) if own.name() == value.name() => Some(own),
            _ => None,
        });
        let Some(own) = own else {
            node.children.push(Child::Value(value));
            return None;
        };
        return Some(std::mem::replace(own, value));
    }
    let at = match node.position(hash, level) {
        Ok(at) => at,
        Err((at, bit)) => {
            node.bitmap |= bit;
            node.children.insert(at, Child::Value(value));
            return None;
        }
    };
    match &mut node.children[at] {
        Child::Node(below) => insert(Arc::make_mut(below), hash, level + 1, value, hasher),
        Child::Value(own) if own.name() == value.name() => Some(std::mem::replace(own, value)),
        child @ Child::Value(_) => {
            let mut below = Node::empty();
            let Child::Value(own) = child.clone() else { return None };
            let own_hash = hasher.hash_one(own.name());
            insert(&mut below, own_hash, level + 1, own, hasher);
            insert(&mut below, hash, level + 1, value, hasher);
            *child = Child::Node(Arc::new(below));
            None
        }
    }
}

/// Removes a value. A node with a single value is replaced by the value, so that the shape depends on the names alone.
fn remove<V: Named + Clone>(node: &mut Node<V>, hash: u64, level: u32, name: &str) -> Option<V> {
    let (at, bit) = if level == LEVELS {
        let is_it = |child: &Child<V>| matches!(child, Child::Value(value) if value.name() == name);
        (node.children.iter().position(is_it)?, 0)
    } else {
        (node.position(hash, level).ok()?, node.bit(hash, level))
    };
    let (removed, is_gone) = match &mut node.children[at] {
        Child::Value(value) if value.name() != name => return None,
        Child::Value(value) => (Some(value.clone()), true),
        child @ Child::Node(_) => {
            let Child::Node(below) = &mut *child else { return None };
            let removed = remove(Arc::make_mut(below), hash, level + 1, name);
            if let [Child::Value(last)] = &below.children[..] {
                *child = Child::Value(last.clone());
            }
            (removed, false)
        }
    };
    if is_gone {
        node.children.remove(at);
        node.bitmap &= !bit;
    }
    removed
}

impl<V> Node<V> {
    fn empty() -> Self {
        Node { bitmap: 0, children: Children::new() }
    }

    fn bit(&self, hash: u64, level: u32) -> u32 {
        1 << ((hash >> (level * BITS)) & ((1 << BITS) - 1))
    }

    /// The position of the child for this hash, or where it would be, with its bit.
    fn position(&self, hash: u64, level: u32) -> Result<usize, (usize, u32)> {
        let bit = self.bit(hash, level);
        let at = (self.bitmap & (bit - 1)).count_ones() as usize;
        if self.bitmap & bit == 0 { Err((at, bit)) } else { Ok(at) }
    }

    /// The values of a node below the last level.
    fn list(&self) -> impl Iterator<Item = &V> {
        self.children.iter().filter_map(|child| match child {
            Child::Value(value) => Some(value),
            Child::Node(_) => None,
        })
    }
}

struct Iter<'a, V> {
    stack: Vec<std::slice::Iter<'a, Child<V>>>,
}

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = &'a V;

    fn next(&mut self) -> Option<&'a V> {
        loop {
            match self.stack.last_mut()?.next() {
                None => drop(self.stack.pop()),
                Some(Child::Value(value)) => return Some(value),
                Some(Child::Node(node)) => self.stack.push(node.children.iter()),
            }
        }
    }
}

/// Clones no value.
impl<V> Clone for PersistentMap<V> {
    fn clone(&self) -> Self {
        PersistentMap { root: self.root.clone(), len: self.len, hasher: self.hasher.clone() }
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

    fn apply(map: &mut PersistentMap<Pair>, model: &mut BTreeMap<String, u32>, writes: &[(u8, Option<u32>)]) {
        for (name, value) in writes {
            let name = name.to_string();
            let before = match value {
                Some(value) => (map.insert(Pair(name.clone(), *value)), model.insert(name, *value)),
                None => (map.remove(&name), model.remove(&name)),
            };
            assert_eq!(before.0.map(|pair| pair.1), before.1);
        }
    }

    fn check(map: &PersistentMap<Pair>, model: &BTreeMap<String, u32>) {
        let found: BTreeMap<_, _> = map.iter().map(|pair| (pair.0.clone(), pair.1)).collect();
        assert_eq!((&found, map.len()), (model, model.len()));
        for name in 0..=u8::MAX {
            let name = name.to_string();
            assert_eq!(map.get(&name).map(|pair| &pair.1), model.get(&name));
        }
    }

    proptest! {
        #[test]
        fn a_clone_keeps_its_values_and_the_original_has_the_later_writes(
            before in prop::collection::vec(any::<(u8, Option<u32>)>(), 0..300),
            after in prop::collection::vec(any::<(u8, Option<u32>)>(), 0..300),
        ) {
            let (mut map, mut model) = (PersistentMap::new(FixedState::with_seed(1)), BTreeMap::new());
            apply(&mut map, &mut model, &before);
            let (copy, copied) = (map.clone(), model.clone());
            apply(&mut map, &mut model, &after);
            check(&map, &model);
            check(&copy, &copied);
        }

        #[test]
        fn the_order_does_not_depend_on_the_order_of_the_writes(
            writes in prop::collection::vec(any::<(u8, Option<u32>)>(), 0..300),
        ) {
            let (mut map, mut model) = (PersistentMap::new(FixedState::with_seed(1)), BTreeMap::new());
            apply(&mut map, &mut model, &writes);
            let mut fresh = PersistentMap::new(FixedState::with_seed(1));
            for (name, value) in &model {
                fresh.insert(Pair(name.clone(), *value));
            }
            prop_assert!(map.iter().eq(fresh.iter()));
        }

        #[test]
        fn a_value_that_is_changed_in_place_stays_the_same_in_a_clone(
            writes in prop::collection::vec(any::<(u8, Option<u32>)>(), 0..300),
            changes in prop::collection::vec(any::<(u8, u32)>(), 0..50),
        ) {
            let (mut map, mut model) = (PersistentMap::new(FixedState::with_seed(1)), BTreeMap::new());
            apply(&mut map, &mut model, &writes);
            let (copy, copied) = (map.clone(), model.clone());
            for (name, value) in changes {
                let (own, expected) = (map.get_mut(&name.to_string()), model.get_mut(&name.to_string()));
                prop_assert_eq!(own.is_some(), expected.is_some());
                if let (Some(own), Some(expected)) = (own, expected) {
                    (own.1, *expected) = (value, value);
                }
            }
            check(&map, &model);
            check(&copy, &copied);
        }
    }
}
