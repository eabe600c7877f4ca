//! Linear hashing (W. Litwin, 1980) over copy-on-write chunks: from the hash of a key to the slots that may have it.
//!
//! The table grows and shrinks by one bucket at a time, so no single write pays for a rehash of everything. A bucket is
//! immutable: a write allocates a new one, with about a dozen entries. The returned slots are only candidates; the
//! caller compares keys.
//!
//! Example with three buckets (`count` = 3). Two hash bits are needed, and bucket 3 (`0b11`) does not exist yet, so its
//! entries are in bucket 1 (one bit less):
//!
//! ```text
//! hash ..00 -> 0    hash ..01 -> 1    hash ..10 -> 2    hash ..11 -> 1
//! split: bucket 3 is added and takes the entries ..11 of bucket 1; no other bucket is touched
//! ```

use std::sync::Arc;

use super::cow_chunks::CowChunks;

/// The average number of entries per bucket above which a bucket is added. Buckets that are not split yet have up to
/// twice as many.
const BUCKET_LOAD: usize = 12;

/// A multimap from hashes to slots. A clone copies one pointer.
#[derive(Debug, Clone)]
pub(super) struct LinearHash {
    buckets: CowChunks<Arc<[Entry]>, 32>,
    /// Buckets `0..count` exist. An empty bucket has no allocation.
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

    /// The slots that were inserted with this hash.
    pub(super) fn candidates(&self, hash: u32) -> impl Iterator<Item = u32> {
        let bucket = self.buckets.get(bucket_of(hash, self.count)).map_or(&[][..], |bucket| bucket);
        bucket.iter().filter(move |entry| entry.hash == hash).map(|entry| entry.slot)
    }

    pub(super) fn insert(&mut self, hash: u32, slot: u32) {
        let bucket = self.buckets.entry(bucket_of(hash, self.count));
        let before = bucket.as_deref().unwrap_or_default();
        *bucket = Some(before.iter().copied().chain([Entry { hash, slot }]).collect());
        self.len += 1;
        if self.len > self.count as usize * BUCKET_LOAD {
            self.split();
        }
    }

    pub(super) fn remove(&mut self, hash: u32, slot: u32) {
        let at = bucket_of(hash, self.count);
        let removed = Entry { hash, slot };
        let Some(before) = self.buckets.get(at).filter(|bucket| bucket.contains(&removed)) else { return };
        let rest = before.iter().copied().filter(|entry| *entry != removed).collect::<Vec<_>>();
        self.put(at, &rest);
        self.len -= 1;
        // Hysteresis: it shrinks at half the load at which it grows, so that alternating inserts and removals at the
        // limit do not split and merge each time.
        if self.len < self.count as usize * BUCKET_LOAD / 2 {
            self.merge();
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.buckets.bytes() + self.count as usize * 2 * size_of::<usize>() + self.len * size_of::<Entry>()
    }

    /// Adds a bucket and moves its entries to it. All of them are in one bucket so far.
    fn split(&mut self) {
        let Some(count) = self.count.checked_add(1) else { return };
        let from = bucket_of(self.count, self.count);
        let Some(whole) = self.buckets.get(from).cloned() else {
            self.count = count;
            return;
        };
        let (staying, moving) =
            whole.iter().partition::<Vec<Entry>, _>(|entry| bucket_of(entry.hash, count) == from);
        self.put(from, &staying);
        self.put(self.count, &moving);
        self.count = count;
    }

    /// Moves the entries of the last bucket back to the bucket that it was split from.
    fn merge(&mut self) {
        if self.count == 1 {
            return;
        }
        self.count -= 1;
        let into = bucket_of(self.count, self.count);
        if let Some(last) = self.buckets.remove(self.count) {
            let bucket = self.buckets.entry(into);
            let before = bucket.as_deref().unwrap_or_default();
            *bucket = Some(before.iter().chain(last.iter()).copied().collect());
        }
    }

    fn put(&mut self, at: u32, entries: &[Entry]) {
        if entries.is_empty() {
            self.buckets.remove(at);
        } else {
            *self.buckets.entry(at) = Some(entries.into());
        }
    }
}

/// The bucket of a hash among `count` buckets: the low bits of the hash, or one bit less if that bucket does not exist
/// yet.
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
        fn a_hash_finds_its_slots_after_any_splits_and_merges(
            steps in prop::collection::vec((any::<bool>(), 0u32..40, 0u32..400), 0..800),
        ) {
            let mut table = LinearHash::new();
            let mut model = BTreeSet::new();
            for (add, hash, slot) in steps {
                let hash = hash.wrapping_mul(0x9E37_79B1);
                if add && model.insert((hash, slot)) {
                    table.insert(hash, slot);
                } else if !add {
                    model.remove(&(hash, slot));
                    table.remove(hash, slot);
                }
            }
            prop_assert_eq!(table.len(), model.len());
            for hash in (0..40u32).map(|hash| hash.wrapping_mul(0x9E37_79B1)) {
                let mut found = table.candidates(hash).collect::<Vec<_>>();
                found.sort_unstable();
                let expected = model.iter().filter(|(h, _)| *h == hash).map(|(_, slot)| *slot);
                prop_assert!(found.into_iter().eq(expected));
            }
        }
    }

    #[test]
    fn the_number_of_buckets_follows_the_number_of_entries() {
        let mut table = LinearHash::new();
        for slot in 0..10_000u32 {
            table.insert(slot.wrapping_mul(0x9E37_79B1), slot);
        }
        assert!((700..=10_000).contains(&table.count), "{}", table.count);
        for slot in 0..10_000u32 {
            assert_eq!(table.candidates(slot.wrapping_mul(0x9E37_79B1)).collect::<Vec<_>>(), [slot]);
            table.remove(slot.wrapping_mul(0x9E37_79B1), slot);
        }
        assert_eq!((table.count, table.len()), (1, 0));
    }
}
