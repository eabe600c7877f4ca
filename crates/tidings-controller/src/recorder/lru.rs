//! A bounded map with approximate LRU eviction: when it is full, the least recently used half is evicted. This needs no
//! list in the order of use.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};
use tokio::time::Instant;

pub(super) struct LruMap<K, V> {
    entries: HashMap<K, (Instant, V)>,
    entries_max: usize,
}

impl<K: Eq + Hash, V> LruMap<K, V> {
    pub(super) fn new(entries_max: usize) -> Self {
        LruMap { entries: HashMap::new(), entries_max }
    }

    /// The entry, inserted if it does not exist, and marked as used now.
    pub(super) fn get_or_insert(&mut self, key: K, now: Instant, make: impl FnOnce() -> V) -> &mut V {
        if self.entries.len() >= self.entries_max && !self.entries.contains_key(&key) {
            self.evict_half();
        }
        let (at, value) = self.entries.entry(key).or_insert_with(|| (now, make()));
        *at = now;
        value
    }

    /// Keeps the entries for which this returns true. It gets the time of their last use.
    pub(super) fn retain(&mut self, keep: impl Fn(Instant, &V) -> bool) {
        self.entries.retain(|_, (at, value)| keep(*at, value));
    }

    /// Evicts half of the entries at a time, so that the cost for each inserted entry is constant on average.
    fn evict_half(&mut self) {
        let mut times: Vec<Instant> = self.entries.values().map(|(at, _)| *at).collect();
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable(middle);
        let median = *median;
        let mut surplus = self.entries.len() - middle;
        self.entries.retain(|_, (at, _)| {
            let stays = *at > median || surplus == 0;
            surplus -= usize::from(!stays);
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_least_recently_used_entries_are_evicted_when_it_is_full() {
        let start = Instant::now();
        let mut lru = LruMap::new(100);
        for number in 0..1000_u64 {
            lru.get_or_insert(number, start + Duration::from_secs(number), || number);
            assert!(lru.entries.len() <= 100);
        }
        assert!((950..1000).all(|number| lru.entries.contains_key(&number)));
    }

    #[test]
    fn it_is_bounded_when_all_entries_were_used_at_the_same_time() {
        let now = Instant::now();
        let mut lru = LruMap::new(10);
        for number in 0..1000 {
            lru.get_or_insert(number, now, || ());
            assert!((1..=10).contains(&lru.entries.len()));
        }
    }
}
