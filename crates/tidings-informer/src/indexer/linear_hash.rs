//! From a hash to the slots it may belong to: linear hashing over copy-on-write chunks.
//!
//! Buckets are split and joined one at a time as entries come and go, so no single write ever pays for a
//! rehash. A bucket is immutable and written anew: sixteen entries on average, one allocation. Slots are only
//! candidates: whoever asks compares keys.

use std::sync::Arc;

use super::cow_chunks::CowChunks;

/// With how many entries a bucket begins; it holds up to twice as many until it is split.
const BUCKET_LOAD: usize = 12;

/// A multimap from hashes to slots.
#[derive(Debug, Clone)]
pub(super) struct LinearHash {
    buckets: CowChunks<Arc<[Entry]>, 32>,
    /// Buckets `0..count` exist; an empty one takes no memory.
    count: u32,
    len: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    hash: u32,
    slot: u32,
}

impl LinearHash {
    pub(super) fn new() -> Self {
        LinearHash { buckets: CowChunks::new(), count: 1, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The slots that were put under this hash.
    pub(super) fn candidates(&self, hash: u32) -> impl Iterator<Item = u32> {
        let bucket = self.buckets.get(bucket_of(hash, self.count)).map_or(&[][..], |bucket| bucket);
        bucket.iter().filter(move |entry| entry.hash == hash).map(|entry| entry.slot)
    }

    pub(super) fn insert(&mut self, hash: u32, slot: u32) {
        let bucket = self.buckets.place(bucket_of(hash, self.count));
        let before = bucket.as_deref().unwrap_or_default();
        *bucket = Some(before.iter().copied().chain([Entry { hash, slot }]).collect());
        self.len += 1;
        if self.len > self.count as usize * BUCKET_LOAD {
            self.split();
        }
    }

    pub(super) fn remove(&mut self, hash: u32, slot: u32) {
        let at = bucket_of(hash, self.count);
        let gone = Entry { hash, slot };
        let Some(before) = self.buckets.get(at).filter(|bucket| bucket.contains(&gone)) else { return };
        let rest = before.iter().copied().filter(|entry| *entry != gone).collect::<Vec<_>>();
        self.put(at, &rest);
        self.len -= 1;
        // Half the load at which it would grow: what comes and goes at the bound does not split and join.
        if self.len < self.count as usize * BUCKET_LOAD / 2 {
            self.join();
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.buckets.bytes() + self.count as usize * 2 * size_of::<usize>() + self.len * size_of::<Entry>()
    }

    /// Adds a bucket, which takes its share from the one bucket that its entries were in so far.
    fn split(&mut self) {
        let Some(count) = self.count.checked_add(1) else { return };
        let from = bucket_of(self.count, self.count);
        let Some(whole) = self.buckets.get(from).cloned() else {
            self.count = count;
            return;
        };
        let (stay, go) =
            whole.iter().partition::<Vec<Entry>, _>(|entry| bucket_of(entry.hash, count) == from);
        self.put(from, &stay);
        self.put(self.count, &go);
        self.count = count;
    }

    /// Gives the last bucket back to the one it was split from.
    fn join(&mut self) {
        if self.count == 1 {
            return;
        }
        self.count -= 1;
        let into = bucket_of(self.count, self.count);
        if let Some(last) = self.buckets.remove(self.count) {
            let bucket = self.buckets.place(into);
            let before = bucket.as_deref().unwrap_or_default();
            *bucket = Some(before.iter().chain(last.iter()).copied().collect());
        }
    }

    fn put(&mut self, at: u32, entries: &[Entry]) {
        if entries.is_empty() {
            self.buckets.remove(at);
        } else {
            *self.buckets.place(at) = Some(entries.into());
        }
    }
}

/// The bucket of a hash when there are `count`: its low bits, one bit less where that bucket is still to come.
fn bucket_of(hash: u32, count: u32) -> u32 {
    let mask = u32::MAX.checked_shr(count.leading_zeros()).unwrap_or(0);
    match hash & mask {
        bucket if bucket < count => bucket,
        bucket => bucket & (mask >> 1),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_hash_finds_its_slots_however_the_buckets_grew_and_shrank(
            steps in prop::collection::vec((any::<bool>(), 0u32..40, 0u32..400), 0..800),
        ) {
            let mut lookup = LinearHash::new();
            let mut model = BTreeSet::new();
            for (add, hash, slot) in steps {
                let hash = hash.wrapping_mul(0x9E37_79B1);
                if add && model.insert((hash, slot)) {
                    lookup.insert(hash, slot);
                } else if !add {
                    model.remove(&(hash, slot));
                    lookup.remove(hash, slot);
                }
            }
            prop_assert_eq!(lookup.len(), model.len());
            for hash in (0..40u32).map(|hash| hash.wrapping_mul(0x9E37_79B1)) {
                let mut found = lookup.candidates(hash).collect::<Vec<_>>();
                found.sort_unstable();
                let expected = model.iter().filter(|(h, _)| *h == hash).map(|(_, slot)| *slot);
                prop_assert!(found.into_iter().eq(expected));
            }
        }
    }

    #[test]
    fn buckets_come_and_go_with_their_entries() {
        let mut lookup = LinearHash::new();
        for slot in 0..10_000u32 {
            lookup.insert(slot.wrapping_mul(0x9E37_79B1), slot);
        }
        assert!((700..=10_000).contains(&lookup.count), "{}", lookup.count);
        for slot in 0..10_000u32 {
            assert_eq!(lookup.candidates(slot.wrapping_mul(0x9E37_79B1)).collect::<Vec<_>>(), [slot]);
            lookup.remove(slot.wrapping_mul(0x9E37_79B1), slot);
        }
        assert_eq!((lookup.count, lookup.len()), (1, 0));
    }
}
