//! A map that remembers the most recently used: bounded, and without a list to keep in order.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};
use tokio::time::Instant;

/// Remembers at the most so many entries; when it is full, the half that was not used for longest goes.
pub(super) struct LruMap<K, V> {
    entries: HashMap<K, (Instant, V)>,
    entries_max: usize,
}

impl<K: Eq + Hash, V> LruMap<K, V> {
    pub(super) fn new(entries_max: usize) -> Self {
        LruMap { entries: HashMap::new(), entries_max }
    }

    /// The entry, made if it is not there, and used now.
    pub(super) fn used(&mut self, key: K, now: Instant, make: impl FnOnce() -> V) -> &mut V {
        if self.entries.len() >= self.entries_max && !self.entries.contains_key(&key) {
            self.make_room();
        }
        let (at, value) = self.entries.entry(key).or_insert_with(|| (now, make()));
        *at = now;
        value
    }

    /// Forgets those that are not worth remembering.
    pub(super) fn retain(&mut self, is_worth: impl Fn(Instant, &V) -> bool) {
        self.entries.retain(|_, (at, value)| is_worth(*at, value));
    }

    /// Half at a time, so that each entry pays for a constant part of the search.
    fn make_room(&mut self) {
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
    fn the_longest_unused_go_when_it_is_full() {
        let start = Instant::now();
        let mut lru = LruMap::new(100);
        for number in 0..1000_u64 {
            lru.used(number, start + Duration::from_secs(number), || number);
            assert!(lru.entries.len() <= 100);
        }
        assert!((950..1000).all(|number| lru.entries.contains_key(&number)));
    }

    #[test]
    fn it_is_bounded_when_all_were_used_at_the_same_time() {
        let now = Instant::now();
        let mut lru = LruMap::new(10);
        for number in 0..1000 {
            lru.used(number, now, || ());
            assert!((1..=10).contains(&lru.entries.len()));
        }
    }
}
