//! A sparse vector whose copy costs nothing: a radix tree of small chunks behind `Arc`s, copied where written.
//!
//! A copy and its original share every chunk that neither has written since. A write copies one chunk a level,
//! and none at all where nobody else holds them; so a batch of writes between two copies pays once. CowChunks that
//! become empty are given back. It must never be slow to copy: a copy of it is a snapshot.

use std::sync::Arc;

/// A vector with holes, in chunks of `FAN`, a power of two.
///
/// Copying a chunk touches the reference count of everything in it, and each may be far away: that is what a
/// write costs. Wider chunks make it dearer and reading shallower.
#[derive(Debug)]
pub(super) struct CowChunks<V, const FAN: usize> {
    root: Option<Arc<Chunk<V, FAN>>>,
    /// How many levels of branches stand above the leaves.
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

    /// The place `at`, to be written.
    pub(super) fn place(&mut self, at: u32) -> &mut Option<V> {
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

    /// What stands in it, in order of place.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        Iter { stack: self.root.iter().map(|root| (&**root, 0, 0)).collect(), height: self.height }
    }

    /// How much memory its chunks take, without what the values point to.
    pub(super) fn bytes(&self) -> usize {
        self.chunks * (size_of::<Chunk<V, FAN>>() + 2 * size_of::<usize>())
    }

    fn reaches(&self, at: u32) -> bool {
        at.checked_shr((self.height + 1) * Self::BITS).unwrap_or(0) == 0
    }
}

/// Which child of a chunk leads to `at`, when that many bits of it are the children's own.
const fn child<const FAN: usize>(at: u32, bits_below: u32) -> usize {
    (at >> bits_below) as usize & (FAN - 1)
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

/// No value is touched.
impl<V, const FAN: usize> Clone for CowChunks<V, FAN> {
    fn clone(&self) -> Self {
        CowChunks { root: self.root.clone(), height: self.height, chunks: self.chunks }
    }
}

/// A walk over the tree: the chunks above the next value, each with its first place and its next child.
struct Iter<'a, V, const FAN: usize> {
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
        fn a_copy_keeps_what_it_had_and_the_original_what_was_written(
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
        }
    }

    fn write(chunks: &mut CowChunks<u16, 8>, model: &mut BTreeMap<u32, u16>, writes: &[(u32, Option<u16>)]) {
        for &(at, value) in writes {
            match value {
                Some(value) => assert_eq!(chunks.place(at).replace(value), model.insert(at, value)),
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

    #[test]
    fn what_was_emptied_holds_no_chunk() {
        let mut chunks = CowChunks::<_, 8>::new();
        for at in 0..10_000 {
            *chunks.place(at) = Some(at);
        }
        assert!(chunks.bytes() > 0);
        for at in 0..10_000 {
            chunks.remove(at);
        }
        assert_eq!((chunks.bytes(), chunks.iter().count()), (0, 0));
    }

    #[test]
    fn the_last_place_of_all_can_be_taken() {
        let mut chunks = CowChunks::<_, 8>::new();
        *chunks.place(u32::MAX) = Some(1);
        *chunks.place(0) = Some(2);
        assert_eq!(chunks.iter().collect::<Vec<_>>(), [(0, &2), (u32::MAX, &1)]);
    }
}
