//! Copy-on-write chunks: a sparse vector as a radix tree whose nodes are shared between clones (path copying, as in
//! persistent data structures).
//!
//! A clone copies one pointer, because a clone is a snapshot. A write copies the chunks on the path from the root to
//! the written position, and only those that another clone still holds. A batch of writes between two clones therefore
//! copies each chunk once. Chunks that become empty are freed.
//!
//! Example with chunks of 8 and two levels. Position 19 is `0b010_011`: child 2 of the root, child 3 of the leaf.
//!
//! ```text
//! before:        root ─── leaf 0 (0..8)   leaf 1 (8..16)   leaf 2 (16..24)
//! then the vector is cloned, and position 19 of the original is written:
//! the clone:     root ─── leaf 0          leaf 1           leaf 2
//! the original:  root' ── leaf 0          leaf 1           leaf 2'       two chunks are copied, two are shared
//! ```

use std::sync::Arc;

/// A sparse vector in chunks of `FAN` positions. `FAN` is a power of two.
///
/// The cost of a write is the copy of a chunk: it increments the reference count of every value in the chunk, and each
/// count may be a cache miss. Wider chunks make writes more expensive and the tree shallower for reads.
#[derive(Debug)]
pub(super) struct CowChunks<V, const FAN: usize> {
    root: Option<Arc<Chunk<V, FAN>>>,
    /// The number of branch levels above the leaves.
    height: u32,
    chunks: usize,
}

#[derive(Debug)]
enum Chunk<V, const FAN: usize> {
    Branches([Option<Arc<Chunk<V, FAN>>>; FAN]),
    Leaf([Option<V>; FAN]),
}

impl<V: Clone, const FAN: usize> CowChunks<V, FAN> {
    const BITS: u32 = FAN.trailing_zeros();

    pub(super) fn new() -> Self {
        CowChunks { root: None, height: 0, chunks: 0 }
    }

    pub(super) fn get(&self, at: u32) -> Option<&V> {
        if !self.reaches(at) {
            return None;
        }
        let mut chunk = self.root.as_ref()?;
        let mut shift = self.height * Self::BITS;
        loop {
            match &**chunk {
                Chunk::Branches(below) => chunk = below[child::<FAN>(at, shift)].as_ref()?,
                Chunk::Leaf(values) => return values[child::<FAN>(at, 0)].as_ref(),
            }
            shift -= Self::BITS;
        }
    }

    /// The position `at`, for writing. Copies the chunks on its path that a clone shares.
    pub(super) fn entry(&mut self, at: u32) -> &mut Option<V> {
        while !self.reaches(at) {
            self.height += 1;
            if let Some(root) = self.root.take() {
                let mut below = [const { None }; FAN];
                below[0] = Some(root);
                self.root = Some(Arc::new(Chunk::Branches(below)));
                self.chunks += 1;
            }
        }
        let CowChunks { root, height, chunks } = self;
        let mut slot = root;
        let mut level = *height;
        loop {
            let chunk = slot.get_or_insert_with(|| {
                *chunks += 1;
                Arc::new(Chunk::empty(level))
            });
            match Arc::make_mut(chunk) {
                Chunk::Branches(below) => slot = &mut below[child::<FAN>(at, level * Self::BITS)],
                Chunk::Leaf(values) => return &mut values[child::<FAN>(at, 0)],
            }
            level -= 1;
        }
    }

    pub(super) fn remove(&mut self, at: u32) -> Option<V> {
        self.get(at)?;
        let taken = take(&mut self.root, at, self.height, &mut self.chunks);
        if self.root.is_none() {
            self.height = 0;
        }
        taken
    }

    /// The values with their positions, in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        Iter { stack: self.root.iter().map(|root| (&**root, 0, 0)).collect(), height: self.height }
    }

    /// Calls `show` with the position, the value in `earlier` and the value in `self`, of every position whose chunk
    /// differs. Chunks that both share are skipped, so the cost is that of what was written in between. Values that are
    /// equal may be shown, if they are in a chunk that was copied.
    pub(super) fn for_each_difference<'a>(
        &'a self,
        earlier: &'a Self,
        show: &mut impl FnMut(u32, Option<&'a V>, Option<&'a V>),
    ) {
        let (before, now) = (earlier.root.as_ref(), self.root.as_ref());
        differences::<V, FAN>(before, now, (earlier.height, self.height), 0, show);
    }

    /// The bytes of its chunks, without what the values point to.
    pub(super) fn bytes(&self) -> usize {
        self.chunks * (size_of::<Chunk<V, FAN>>() + 2 * size_of::<usize>())
    }

    fn reaches(&self, at: u32) -> bool {
        at.checked_shr((self.height + 1) * Self::BITS).unwrap_or(0) == 0
    }
}

/// The child of a chunk that contains position `at`. The low `bits_below` bits of a position belong to the levels
/// below.
const fn child<const FAN: usize>(at: u32, bits_below: u32) -> usize {
    (at >> bits_below) as usize & (FAN - 1)
}

/// Walks two trees from the position `base` on. Their heights differ if one of them has grown in between: then the
/// lower one is compared with the first child of the higher one.
fn differences<'a, V, const FAN: usize>(
    before: Option<&'a Arc<Chunk<V, FAN>>>,
    now: Option<&'a Arc<Chunk<V, FAN>>>,
    heights: (u32, u32),
    base: u32,
    show: &mut impl FnMut(u32, Option<&'a V>, Option<&'a V>),
) {
    match (before, now) {
        (None, None) => return,
        (Some(before), Some(now)) if Arc::ptr_eq(before, now) => return,
        _ => {}
    }
    // An absent tree has the height of the other one.
    let height = match (before.is_some(), now.is_some()) {
        (true, false) => heights.0,
        (false, true) => heights.1,
        _ => heights.0.max(heights.1),
    };
    if height == 0 {
        for at in 0..FAN {
            let (before, now) = (leaf_value(before, at), leaf_value(now, at));
            if before.is_some() || now.is_some() {
                show(base + at as u32, before, now);
            }
        }
        return;
    }
    let span = 1u32.checked_shl(height * FAN.trailing_zeros()).unwrap_or(0);
    for at in 0..FAN {
        let (before, before_height) = child_of(before, heights.0, height, at);
        let (now, now_height) = child_of(now, heights.1, height, at);
        let base = base.wrapping_add(span.wrapping_mul(at as u32));
        differences(before, now, (before_height, now_height), base, show);
    }
}

fn leaf_value<V, const FAN: usize>(chunk: Option<&Arc<Chunk<V, FAN>>>, at: usize) -> Option<&V> {
    match &**chunk? {
        Chunk::Leaf(values) => values[at].as_ref(),
        Chunk::Branches(_) => None,
    }
}

/// The child `at` of a tree seen as one of `height`, with the child's own height.
fn child_of<V, const FAN: usize>(
    chunk: Option<&Arc<Chunk<V, FAN>>>,
    own_height: u32,
    height: u32,
    at: usize,
) -> (Option<&Arc<Chunk<V, FAN>>>, u32) {
    if own_height < height {
        return (chunk.filter(|_| at == 0), own_height);
    }
    let child = chunk.and_then(|chunk| match &**chunk {
        Chunk::Branches(below) => below[at].as_ref(),
        Chunk::Leaf(_) => None,
    });
    (child, height - 1)
}

fn take<V: Clone, const FAN: usize>(
    slot: &mut Option<Arc<Chunk<V, FAN>>>,
    at: u32,
    level: u32,
    chunks: &mut usize,
) -> Option<V> {
    let (taken, is_empty) = match Arc::make_mut(slot.as_mut()?) {
        Chunk::Branches(below) => {
            let taken =
                take(&mut below[child::<FAN>(at, level * FAN.trailing_zeros())], at, level - 1, chunks);
            (taken, below.iter().all(Option::is_none))
        }
        Chunk::Leaf(values) => {
            let taken = values[child::<FAN>(at, 0)].take();
            (taken, values.iter().all(Option::is_none))
        }
    };
    if is_empty {
        *slot = None;
        *chunks -= 1;
    }
    taken
}

impl<V, const FAN: usize> Chunk<V, FAN> {
    fn empty(level: u32) -> Self {
        match level {
            0 => Chunk::Leaf([const { None }; FAN]),
            _ => Chunk::Branches([const { None }; FAN]),
        }
    }
}

impl<V: Clone, const FAN: usize> Clone for Chunk<V, FAN> {
    fn clone(&self) -> Self {
        match self {
            Chunk::Branches(below) => Chunk::Branches(below.clone()),
            Chunk::Leaf(values) => Chunk::Leaf(values.clone()),
        }
    }
}

/// Copies one pointer; no value is cloned.
impl<V, const FAN: usize> Clone for CowChunks<V, FAN> {
    fn clone(&self) -> Self {
        CowChunks { root: self.root.clone(), height: self.height, chunks: self.chunks }
    }
}

/// Depth-first iteration.
struct Iter<'a, V, const FAN: usize> {
    /// The chunks on the path to the next value, each with its first position and its next child.
    stack: Vec<(&'a Chunk<V, FAN>, u32, usize)>,
    height: u32,
}

impl<'a, V, const FAN: usize> Iterator for Iter<'a, V, FAN> {
    type Item = (u32, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let level = (self.height + 1).checked_sub(u32::try_from(self.stack.len()).ok()?)?;
            let (chunk, first, next) = self.stack.last_mut()?;
            let child = *next;
            *next += 1;
            if child == FAN {
                self.stack.pop();
                continue;
            }
            let at = *first + ((child as u32) << (level * FAN.trailing_zeros()));
            match chunk {
                Chunk::Branches(below) => {
                    if let Some(below) = &below[child] {
                        self.stack.push((below, at, 0));
                    }
                }
                Chunk::Leaf(values) => {
                    if let Some(value) = &values[child] {
                        return Some((at, value));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_clone_keeps_its_values_and_the_original_has_the_later_writes(
            before in prop::collection::vec((0u32..5_000, any::<Option<u16>>()), 0..60),
            after in prop::collection::vec((0u32..500_000, any::<Option<u16>>()), 0..60),
        ) {
            let mut chunks = CowChunks::<_, 8>::new();
            let mut model = BTreeMap::new();
            write(&mut chunks, &mut model, &before);
            let (copy, copied) = (chunks.clone(), model.clone());
            write(&mut chunks, &mut model, &after);
            check(&chunks, &model)?;
            check(&copy, &copied)?;
            check_differences((&copy, &copied), (&chunks, &model))?;
            check_differences((&chunks, &model), (&copy, &copied))?;
        }
    }

    fn write(chunks: &mut CowChunks<u16, 8>, model: &mut BTreeMap<u32, u16>, writes: &[(u32, Option<u16>)]) {
        for &(at, value) in writes {
            match value {
                Some(value) => assert_eq!(chunks.entry(at).replace(value), model.insert(at, value)),
                None => assert_eq!(chunks.remove(at), model.remove(&at)),
            }
        }
    }

    fn check(chunks: &CowChunks<u16, 8>, model: &BTreeMap<u32, u16>) -> Result<(), TestCaseError> {
        prop_assert!(chunks.iter().eq(model.iter().map(|(at, value)| (*at, value))));
        for at in model.keys() {
            prop_assert_eq!(chunks.get(*at), model.get(at));
            prop_assert_eq!(chunks.get(at + 1), model.get(&(at + 1)));
        }
        prop_assert_eq!(chunks.get(u32::MAX), None);
        Ok(())
    }

    type WithModel<'a> = (&'a CowChunks<u16, 8>, &'a BTreeMap<u32, u16>);

    fn check_differences(before: WithModel<'_>, now: WithModel<'_>) -> Result<(), TestCaseError> {
        let mut shown = BTreeMap::new();
        now.0.for_each_difference(before.0, &mut |at, old, new| {
            assert!(shown.insert(at, (old.copied(), new.copied())).is_none(), "{at} is shown twice");
        });
        for (at, (old, new)) in &shown {
            prop_assert_eq!((old.as_ref(), new.as_ref()), (before.1.get(at), now.1.get(at)));
        }
        for at in before.1.keys().chain(now.1.keys()) {
            prop_assert!(shown.contains_key(at) || before.1.get(at) == now.1.get(at), "{} is missing", at);
        }
        Ok(())
    }

    #[test]
    fn the_differences_of_two_clones_are_those_of_the_chunks_that_were_written() {
        let mut chunks = CowChunks::<_, 8>::new();
        for at in 0..100_000 {
            *chunks.entry(at) = Some(at);
        }
        let before = chunks.clone();
        *chunks.entry(77) = Some(0);
        chunks.remove(50_000);
        let mut shown = Vec::new();
        chunks.for_each_difference(&before, &mut |at, _, _| shown.push(at));
        assert_eq!(shown, (72..80).chain(50_000..50_008).collect::<Vec<_>>());
    }

    #[test]
    fn an_emptied_vector_has_no_chunks() {
        let mut chunks = CowChunks::<_, 8>::new();
        for at in 0..10_000 {
            *chunks.entry(at) = Some(at);
        }
        assert!(chunks.bytes() > 0);
        for at in 0..10_000 {
            chunks.remove(at);
        }
        assert_eq!((chunks.bytes(), chunks.iter().count()), (0, 0));
    }

    #[test]
    fn the_highest_position_can_be_written() {
        let mut chunks = CowChunks::<_, 8>::new();
        *chunks.entry(u32::MAX) = Some(1);
        *chunks.entry(0) = Some(2);
        assert_eq!(chunks.iter().collect::<Vec<_>>(), [(0, &2), (u32::MAX, &1)]);
    }
}
