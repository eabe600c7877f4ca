//! Who goes first when the budget is full: S3-FIFO, three queues without locks or clocks.
//!
//! What comes new waits in a small queue and goes from its end unless it was read again meanwhile: a scan over
//! the whole cache passes through it and leaves the main queue alone. What was read again moves to the main
//! queue, where each reading since the last round buys another round. What went is remembered by fingerprint
//! for a while, and goes straight to the main queue when it comes back.
//! (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.)

use std::collections::{HashMap, VecDeque};

/// The items that may be asked to go.
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

/// The small queue's share of the limit: one part in this many.
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

    /// Takes an item in. The fingerprint tells what the item is a version of.
    pub(crate) fn push(&mut self, item: T, bytes: u64, fingerprint: u64) {
        let entry = Entry { item, bytes, fingerprint };
        if self.ghosts.take(fingerprint) {
            self.main.push_back(entry);
        } else {
            self.small_bytes += bytes;
            self.small.push_back(entry);
        }
    }

    /// Chooses the item to go, and forgets it. `was_read` equals whether an item was read since it was last asked.
    pub(crate) fn pop(&mut self, limit_bytes: u64, mut was_read: impl FnMut(&T) -> bool) -> Option<(T, u64)> {
        // Readers may mark items as fast as they are asked: after two rounds the next one goes.
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
                self.ghosts.remember(entry.fingerprint, self.len());
            }
            return Some((entry.item, entry.bytes));
        }
    }

    /// Forgets the items that are not alive.
    pub(crate) fn retain(&mut self, is_alive: impl Fn(&T) -> bool) {
        self.small.retain(|entry| is_alive(&entry.item));
        self.main.retain(|entry| is_alive(&entry.item));
        self.small_bytes = self.small.iter().map(|entry| entry.bytes).sum();
        self.small.shrink_to(self.small.len() * 2);
        self.main.shrink_to(self.main.len() * 2);
    }
}

/// Fingerprints of what went, oldest first.
#[derive(Debug, Default)]
struct GhostQueue {
    /// Each with the sequence in which it went.
    order: VecDeque<(u64, u64)>,
    /// The last sequence in which each went; taken ones stay in `order` until their sequence has passed.
    last_evicted: HashMap<u64, u64>,
    sequence: u64,
}

/// A few are remembered even while few are kept.
const GHOSTS_MIN: usize = 64;

impl GhostQueue {
    fn remember(&mut self, fingerprint: u64, kept: usize) {
        self.sequence += 1;
        self.order.push_back((fingerprint, self.sequence));
        self.last_evicted.insert(fingerprint, self.sequence);
        while self.order.len() > kept.max(GHOSTS_MIN) {
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
        /// Whether it was kept.
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
                let (ghosts, _) = queue.pop(limit as u64, |item| read.borrow_mut().remove(item)).unwrap();
                self.kept.remove(&ghosts);
            }
            false
        }
    }

    #[test]
    fn a_scan_does_not_push_out_what_is_read_again_and_again() {
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
    fn what_comes_back_soon_stays() {
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
    fn an_item_goes_even_if_every_one_is_always_read() {
        let mut queue = S3Fifo::new();
        (0..10).for_each(|item| queue.push(item, 1, item));
        assert!(queue.pop(5, |_| true).is_some());
        assert_eq!(queue.len(), 9);
    }

    #[test]
    fn what_is_remembered_of_the_gone_is_bounded() {
        let mut ghosts = GhostQueue::default();
        for fingerprint in 0..10_000 {
            ghosts.remember(fingerprint, 100);
            ghosts.take(fingerprint / 2);
        }
        assert!(ghosts.order.len() <= 100 && ghosts.last_evicted.len() <= 100);
    }
}
