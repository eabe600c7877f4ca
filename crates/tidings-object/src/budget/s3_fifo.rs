//! The eviction policy of the budget: S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP
//! 2023). It has three FIFO queues, and needs no lock or clock.
//!
//! ```text
//!  new item ──> small queue ──read since──> main queue ──read since──> back of the main queue
//!                    │                          │
//!                not read: evicted          not read: evicted
//!                    │
//!              ghost queue (fingerprints only): if the item is pushed again, it goes to the main queue
//! ```
//!
//! Example: a handler reads the objects a and b all the time, so that they are in the main queue. A scan decodes 10,000
//! objects once. Each passes through the small queue and is evicted there; a and b stay.

use std::collections::{HashMap, VecDeque};

/// The items that can be evicted.
#[derive(Debug)]
pub(crate) struct S3Fifo<T> {
    small: VecDeque<Entry<T>>,
    small_bytes: u64,
    main: VecDeque<Entry<T>>,
    ghosts: GhostQueue,
}

#[derive(Debug)]
struct Entry<T> {
    item: T,
    bytes: u64,
    fingerprint: u64,
}

/// The small queue has 1/10 of the limit.
const SMALL_FRACTION: u64 = 10;

impl<T> S3Fifo<T> {
    pub(crate) fn new() -> Self {
        S3Fifo {
            small: VecDeque::new(),
            small_bytes: 0,
            main: VecDeque::new(),
            ghosts: GhostQueue::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.small.len() + self.main.len()
    }

    /// Adds an item. Its fingerprint identifies the object that it is a version of.
    pub(crate) fn push(&mut self, item: T, bytes: u64, fingerprint: u64) {
        let entry = Entry { item, bytes, fingerprint };
        if self.ghosts.take(fingerprint) {
            self.main.push_back(entry);
        } else {
            self.small_bytes += bytes;
            self.small.push_back(entry);
        }
    }

    /// Removes the item to evict. `was_read` returns whether an item was read since it was last called for it.
    pub(crate) fn pop(&mut self, limit_bytes: u64, mut was_read: impl FnMut(&T) -> bool) -> Option<(T, u64)> {
        // Readers may read items faster than this loop checks them. So after two rounds the next item is evicted.
        let mut reprieves = 2 * self.len();
        loop {
            let is_small = self.small_bytes > limit_bytes / SMALL_FRACTION || self.main.is_empty();
            let entry = if is_small { self.small.pop_front() } else { self.main.pop_front() }?;
            if is_small {
                self.small_bytes -= entry.bytes;
            }
            if reprieves > 0 && was_read(&entry.item) {
                reprieves -= 1;
                self.main.push_back(entry);
                continue;
            }
            if is_small {
                self.ghosts.add(entry.fingerprint, self.len());
            }
            return Some((entry.item, entry.bytes));
        }
    }

    /// Removes the items that are not alive.
    pub(crate) fn retain(&mut self, is_alive: impl Fn(&T) -> bool) {
        self.small.retain(|entry| is_alive(&entry.item));
        self.main.retain(|entry| is_alive(&entry.item));
        self.small_bytes = self.small.iter().map(|entry| entry.bytes).sum();
        self.small.shrink_to(self.small.len() * 2);
        self.main.shrink_to(self.main.len() * 2);
    }
}

/// Fingerprints of evicted items, oldest first.
#[derive(Debug, Default)]
struct GhostQueue {
    /// Each fingerprint with the sequence number of its eviction.
    order: VecDeque<(u64, u64)>,
    /// The last eviction of each fingerprint. A fingerprint that is taken stays in `order` until it is the oldest.
    last_evicted: HashMap<u64, u64>,
    sequence: u64,
}

/// The least number of ghosts, even if the cache has fewer items.
const GHOSTS_MIN: usize = 64;

impl GhostQueue {
    fn add(&mut self, fingerprint: u64, cached: usize) {
        self.sequence += 1;
        self.order.push_back((fingerprint, self.sequence));
        self.last_evicted.insert(fingerprint, self.sequence);
        while self.order.len() > cached.max(GHOSTS_MIN) {
            let Some((oldest, sequence)) = self.order.pop_front() else { break };
            if self.last_evicted.get(&oldest) == Some(&sequence) {
                self.last_evicted.remove(&oldest);
            }
        }
    }

    fn take(&mut self, fingerprint: u64) -> bool {
        self.last_evicted.remove(&fingerprint).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashSet;

    use super::*;

    /// A cache of `limit` items of one byte each.
    #[derive(Default)]
    struct Cache {
        queue: Option<S3Fifo<u64>>,
        kept: HashSet<u64>,
        read: RefCell<HashSet<u64>>,
    }

    impl Cache {
        /// Returns whether the item was cached.
        fn read(&mut self, item: u64, limit: usize) -> bool {
            if self.kept.contains(&item) {
                self.read.borrow_mut().insert(item);
                return true;
            }
            let queue = self.queue.get_or_insert_with(S3Fifo::new);
            queue.push(item, 1, item);
            self.kept.insert(item);
            while self.kept.len() > limit {
                let read = &self.read;
                let (evicted, _) = queue.pop(limit as u64, |item| read.borrow_mut().remove(item)).unwrap();
                self.kept.remove(&evicted);
            }
            false
        }
    }

    #[test]
    fn a_scan_does_not_evict_items_that_are_read_often() {
        let mut cache = Cache::default();
        for _ in 0..3 {
            (0..50).for_each(|hot| {
                cache.read(hot, 100);
            });
        }
        (1_000..11_000).for_each(|cold| {
            cache.read(cold, 100);
        });
        let kept = (0..50).filter(|hot| cache.kept.contains(hot)).count();
        assert_eq!(kept, 50);
    }

    #[test]
    fn an_item_that_is_pushed_again_soon_stays() {
        let mut cache = Cache::default();
        (0..120).for_each(|item| {
            cache.read(item, 100);
        });
        assert!(!cache.kept.contains(&0));
        assert!(!cache.read(0, 100));
        (2_000..2_500).for_each(|cold| {
            cache.read(cold, 100);
        });
        assert!(cache.kept.contains(&0));
    }

    #[test]
    fn an_item_is_evicted_even_if_all_are_always_read() {
        let mut queue = S3Fifo::new();
        (0..10).for_each(|item| queue.push(item, 1, item));
        let mut checks = 0;
        let evicted = queue.pop(5, |_| {
            checks += 1;
            true
        });
        assert!(evicted.is_some());
        assert_eq!((queue.len(), checks), (9, 20), "after two rounds");
    }

    #[test]
    fn the_small_queue_is_evicted_from_while_it_has_more_than_a_tenth_of_the_limit() {
        for (limit_bytes, expected) in [(100, "main"), (10, "main"), (9, "small")] {
            let mut queue = S3Fifo::new();
            queue.push("main", 1, 1);
            assert_eq!(queue.pop(0, |_| false), Some(("main", 1)));
            // It was evicted before, so it goes to the main queue.
            queue.push("main", 1, 1);
            queue.push("small", 1, 2);
            assert_eq!(queue.pop(limit_bytes, |_| false), Some((expected, 1)), "{limit_bytes}");
        }
    }

    #[test]
    fn the_ghost_queue_is_bounded() {
        let mut ghosts = GhostQueue::default();
        for fingerprint in 0..10_000 {
            ghosts.add(fingerprint, 100);
            ghosts.take(fingerprint / 2);
        }
        assert!(ghosts.order.len() <= 100 && ghosts.last_evicted.len() <= 100);
    }

    #[test]
    fn the_bound_of_the_ghost_queue_follows_the_number_of_cached_items() {
        let mut ghosts = GhostQueue::default();
        (0..200).for_each(|fingerprint| ghosts.add(fingerprint, 200));
        assert_eq!(ghosts.order.len(), 200);
        ghosts.add(200, 0);
        assert_eq!((ghosts.order.len(), ghosts.last_evicted.len()), (GHOSTS_MIN, GHOSTS_MIN));
        let oldest = 201 - GHOSTS_MIN as u64;
        assert!(!ghosts.take(oldest - 1) && ghosts.take(oldest));
    }

    #[test]
    fn an_item_that_was_evicted_twice_is_remembered_from_its_last_eviction_on() {
        let mut ghosts = GhostQueue::default();
        ghosts.add(1, 0);
        assert!(ghosts.take(1));
        (100..).take(GHOSTS_MIN - 2).for_each(|fingerprint| ghosts.add(fingerprint, 0));
        ghosts.add(1, 0);
        // Its first eviction is the oldest one, and leaves the queue.
        ghosts.add(2, 0);
        assert!(ghosts.take(1));
    }
}
