//! A sorted set of slot numbers: a B+ tree with path copying (the nodes are shared between clones).
//!
//! One value of an index may have a hundred thousand objects, and a write must not copy all of them: it copies one node
//! per level. Most values have up to four objects; these are stored inline, without an allocation.
//!
//! Example with the real limits (64 slots per leaf, 16 branches per node):
//!
//! ```text
//! {7}                  one inline leaf
//! 0..=63               one full leaf
//! 0..=64               branches: [0: leaf 0..=63] [64: leaf 64]      (ascending inserts keep the left leaf full)
//! clone, insert 65     the clone shares the left leaf; only the branches and the right leaf are copied
//! remove 0..=47        a quarter of the left leaf remains: it is merged with its right neighbour, into one leaf
//! ```

use std::sync::Arc;

use smallvec::SmallVec;

const LEAF_MAX: usize = 64;
const BRANCHES_MAX: usize = 16;

/// A set of slots.
#[derive(Debug, Clone)]
pub(super) struct SlotSet {
    root: Node,
    len: u32,
}

#[derive(Debug, Clone)]
enum Node {
    Leaf(SmallVec<[u32; 4]>),
    Branches(Vec<Branch>),
}

/// Everything in `node` is at least `lowest`, everything in the branches before it is less.
#[derive(Debug, Clone)]
struct Branch {
    lowest: u32,
    node: Arc<Node>,
}

impl SlotSet {
    pub(super) fn new() -> Self {
        SlotSet { root: Node::Leaf(SmallVec::new()), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(slots) => return slots.binary_search(&slot).is_ok(),
                Node::Branches(branches) => node = &branches[branch_of(branches, slot)].node,
            }
        }
    }

    /// Adds a slot, if it is absent.
    pub(super) fn insert(&mut self, slot: u32) {
        if self.contains(slot) {
            return;
        }
        self.len += 1;
        if let Some(right) = self.root.insert(slot) {
            let left = std::mem::replace(&mut self.root, Node::Branches(Vec::with_capacity(2)));
            let left = Branch { lowest: 0, node: Arc::new(left) };
            self.root = Node::Branches(vec![left, right]);
        }
    }

    /// Removes a slot, if it is present.
    pub(super) fn remove(&mut self, slot: u32) {
        if !self.contains(slot) {
            return;
        }
        self.len -= 1;
        self.root.remove(slot);
        while let Node::Branches(branches) = &mut self.root
            && branches.len() == 1
        {
            let only = branches.pop().expect("a node of one branch has one");
            self.root = Arc::unwrap_or_clone(only.node);
        }
    }

    /// The slots in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        Iter { above: SmallVec::new(), leaf: [].iter() }.down(&self.root)
    }

    /// An estimate of its allocated bytes.
    pub(super) fn bytes(&self) -> usize {
        match self.len() {
            0..=4 => 0,
            few @ ..=LEAF_MAX => few * size_of::<u32>(),
            many => many * 6,
        }
    }
}

/// The branch that contains `slot`, or would contain it. The first branch also takes slots below its `lowest`.
fn branch_of(branches: &[Branch], slot: u32) -> usize {
    branches.partition_point(|branch| branch.lowest <= slot).saturating_sub(1)
}

impl Node {
    /// Adds a slot that is absent. If the node overflows, it returns the upper part as a new right neighbour.
    fn insert(&mut self, slot: u32) -> Option<Branch> {
        match self {
            Node::Leaf(slots) => {
                let at = slots.partition_point(|own| *own < slot);
                if slots.len() < LEAF_MAX {
                    slots.insert(at, slot);
                    return None;
                }
                // Slots are usually assigned in ascending order. An insert at the end therefore leaves this leaf full
                // and begins a new one.
                let cut = if at == LEAF_MAX { LEAF_MAX } else { LEAF_MAX / 2 };
                let mut right = slots.drain(cut..).collect::<SmallVec<[u32; 4]>>();
                slots.shrink_to_fit();
                if at >= cut {
                    right.insert(at - cut, slot)
                } else {
                    slots.insert(at, slot)
                }
                Some(Branch { lowest: right[0], node: Arc::new(Node::Leaf(right)) })
            }
            Node::Branches(branches) => {
                let at = branch_of(branches, slot);
                branches[at].lowest = branches[at].lowest.min(slot);
                let right = Arc::make_mut(&mut branches[at].node).insert(slot)?;
                branches.insert(at + 1, right);
                if branches.len() <= BRANCHES_MAX {
                    return None;
                }
                let cut = if at + 2 == branches.len() { BRANCHES_MAX } else { BRANCHES_MAX / 2 };
                let right = branches.split_off(cut);
                Some(Branch { lowest: right[0].lowest, node: Arc::new(Node::Branches(right)) })
            }
        }
    }

    /// Removes a slot that is present. A child that becomes small is merged with a neighbour.
    fn remove(&mut self, slot: u32) {
        match self {
            Node::Leaf(slots) => slots.retain(|own| *own != slot),
            Node::Branches(branches) => {
                let at = branch_of(branches, slot);
                let node = Arc::make_mut(&mut branches[at].node);
                node.remove(slot);
                if node.is_small() {
                    merge(branches, at.saturating_sub(1));
                }
            }
        }
    }

    fn is_small(&self) -> bool {
        match self {
            Node::Leaf(slots) => slots.len() <= LEAF_MAX / 4,
            Node::Branches(branches) => branches.len() <= BRANCHES_MAX / 4,
        }
    }

    fn has_room_for(&self, right: &Node) -> bool {
        match (self, right) {
            (Node::Leaf(a), Node::Leaf(b)) => a.len() + b.len() <= LEAF_MAX,
            (Node::Branches(a), Node::Branches(b)) => a.len() + b.len() <= BRANCHES_MAX,
            _ => false,
        }
    }

    fn append(&mut self, right: Node) {
        match (self, right) {
            (Node::Leaf(a), Node::Leaf(b)) => a.extend(b),
            (Node::Branches(a), Node::Branches(b)) => {
                let last_left = a.len() - 1;
                a.extend(b);
                merge(a, last_left);
            }
            _ => unreachable!("neighbours have the same level"),
        }
    }
}

/// Merges a branch with its right neighbour, if there is one and both fit into one node.
fn merge(branches: &mut Vec<Branch>, left: usize) {
    if left + 1 < branches.len() && branches[left].node.has_room_for(&branches[left + 1].node) {
        let right = branches.remove(left + 1);
        Arc::make_mut(&mut branches[left].node).append(Arc::unwrap_or_clone(right.node));
    }
}

struct Iter<'a> {
    /// The remaining branches of each level, the lowest level last.
    above: SmallVec<[std::slice::Iter<'a, Branch>; 4]>,
    leaf: std::slice::Iter<'a, u32>,
}

impl<'a> Iter<'a> {
    fn down(mut self, node: &'a Node) -> Self {
        self.descend(node);
        self
    }

    fn descend(&mut self, mut node: &'a Node) {
        loop {
            match node {
                Node::Leaf(slots) => {
                    self.leaf = slots.iter();
                    return;
                }
                Node::Branches(branches) => {
                    let mut branches = branches.iter();
                    let Some(first) = branches.next() else { return };
                    self.above.push(branches);
                    node = &first.node;
                }
            }
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(slot) = self.leaf.next() {
                return Some(*slot);
            }
            match self.above.last_mut()?.next() {
                Some(branch) => self.descend(&branch.node),
                None => drop(self.above.pop()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn it_equals_a_model_set_and_a_clone_keeps_its_slots(
            before in prop::collection::vec((any::<bool>(), 0u32..3_000), 0..3_000),
            after in prop::collection::vec((prop::bool::weighted(0.2), 0u32..3_000), 0..3_000),
        ) {
            let (mut set, mut model) = (SlotSet::new(), BTreeSet::new());
            write(&mut set, &mut model, &before);
            let (copy, copied) = (set.clone(), model.clone());
            write(&mut set, &mut model, &after);
            prop_assert!(set.iter().eq(model.iter().copied()));
            prop_assert!(copy.iter().eq(copied.iter().copied()));
            prop_assert_eq!(set.len(), model.len());
            prop_assert!((0..3_000).all(|slot| set.contains(slot) == model.contains(&slot)));
        }
    }

    fn write(set: &mut SlotSet, model: &mut BTreeSet<u32>, writes: &[(bool, u32)]) {
        for &(add, slot) in writes {
            if add {
                set.insert(slot);
                model.insert(slot);
            } else {
                set.remove(slot);
                model.remove(&slot);
            }
        }
    }

    #[test]
    fn a_large_set_is_shallow_and_shrinks_back_to_a_leaf() {
        let mut set = SlotSet::new();
        (0..100_000).for_each(|slot| set.insert(slot));
        assert!(depth(&set.root) <= 5);
        (0..99_999).rev().for_each(|slot| set.remove(slot));
        assert_eq!(set.iter().collect::<Vec<_>>(), [99_999]);
        assert_eq!(depth(&set.root), 1);
        set.remove(99_999);
        assert!(set.is_empty());
    }

    fn depth(node: &Node) -> usize {
        match node {
            Node::Leaf(_) => 1,
            Node::Branches(branches) => 1 + depth(&branches[0].node),
        }
    }
}
