//! The cache of decoded objects in thousands of interleavings of readers, evictions and drops.

use std::sync::{Arc, Weak};

use shuttle::thread;

use decoded_cache::{Cacheable, DecodedCache, DecodedSlot};

#[path = "decoded_cache.rs"]
#[allow(clippy::duplicate_mod, reason = "the same code over other locks")]
#[allow(dead_code, reason = "the gauges are the budget's")]
mod decoded_cache;
use super::s3_fifo;
#[path = "../sync/shuttled.rs"]
#[allow(dead_code, reason = "the budget needs less than the crate")]
mod sync;

/// An object that gives its decoded_slot back when dropped, as a `RawObject` does.
struct TestObject {
    this: Weak<TestObject>,
    cache: Arc<DecodedCache<TestObject>>,
    decoded_slot: DecodedSlot,
    was_read: sync::AtomicBool,
    number: u64,
}

const BYTES: u64 = 10;

impl TestObject {
    fn new(cache: &Arc<DecodedCache<TestObject>>, number: u64) -> Arc<TestObject> {
        Arc::new_cyclic(|this| TestObject {
            this: Weak::clone(this),
            cache: Arc::clone(cache),
            decoded_slot: DecodedSlot::default(),
            was_read: sync::AtomicBool::new(false),
            number,
        })
    }

    fn decoded<K: Send + Sync + 'static>(&self, decode: impl FnOnce() -> K) -> Arc<K> {
        let decoded: Result<_, std::convert::Infallible> = self.cache.decoded(self, || Ok(decode()));
        decoded.unwrap_or_else(|never| match never {})
    }

    /// Is decoded until it is kept, room or not.
    fn decode_until_cached(&self) {
        (0..2).for_each(|_| drop(self.decoded(|| self.number)));
    }
}

impl Cacheable for TestObject {
    fn decoded_slot(&self) -> &DecodedSlot {
        &self.decoded_slot
    }

    fn was_read(&self) -> &sync::AtomicBool {
        &self.was_read
    }

    fn this(&self) -> &Weak<TestObject> {
        &self.this
    }

    fn bytes_estimate(&self, _: usize) -> u64 {
        BYTES
    }

    fn fingerprint(&self) -> u64 {
        self.number
    }
}

impl Drop for TestObject {
    fn drop(&mut self) {
        if let Some(kept) = self.decoded_slot.take() {
            self.cache.release(self, kept);
        }
    }
}

/// Threads decode two types of four things within room for two, and drop things meanwhile.
fn decode_evict_and_drop() {
    let cache = Arc::new(DecodedCache::new(2 * BYTES));
    let things: Vec<_> = (0..3).map(|number| TestObject::new(&cache, number)).collect();
    let threads: Vec<_> = (0..3_usize)
        .map(|offset| {
            let things = things.clone();
            thread::spawn(move || {
                for turn in 0..3 {
                    let thing = &things[(turn + offset) % 3];
                    assert_eq!(*thing.decoded(|| thing.number), thing.number);
                    assert_eq!(*thing.decoded(|| thing.number.to_string()), thing.number.to_string());
                }
            })
        })
        .collect();
    drop(things);
    threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
    assert_eq!(cache.used_bytes(), 0, "all things are gone, and with them what they used");
}

#[test]
fn what_is_used_is_given_back_whatever_the_interleaving() {
    shuttle::check_random(decode_evict_and_drop, 500);
    shuttle::check_pct(decode_evict_and_drop, 500, 3);
}

#[test]
fn at_rest_what_is_kept_fits_the_limit_whatever_the_interleaving() {
    shuttle::check_random(
        || {
            let cache = Arc::new(DecodedCache::new(2 * BYTES));
            let things: Vec<_> = (0..4).map(|number| TestObject::new(&cache, number)).collect();
            let threads: Vec<_> = (0..2)
                .map(|half| {
                    let things = things.clone();
                    thread::spawn(move || {
                        things[half * 2..][..2].iter().for_each(|thing| thing.decode_until_cached());
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
            assert!(cache.used_bytes() <= 2 * BYTES);
        },
        500,
    );
}

#[test]
fn a_thing_that_ends_while_the_queue_looks_at_it_ends_without_the_queues_lock() {
    shuttle::check_random(
        || {
            let cache = Arc::new(DecodedCache::new(BYTES));
            let [ending, other] = [0, 1].map(|number| TestObject::new(&cache, number));
            ending.decoded(|| ending.number);
            // Once already, so that it comes in while the other one ends.
            other.decoded(|| other.number);
            let thread = thread::spawn(move || drop(ending));
            other.decoded(|| other.number);
            thread.join().expect("no thread panics");
            assert!(cache.used_bytes() <= BYTES);
        },
        500,
    );
}

#[test]
fn a_thing_is_decoded_once_for_all_who_ask_whatever_the_interleaving() {
    shuttle::check_random(
        || {
            let cache = Arc::new(DecodedCache::new(u64::MAX));
            let thing = TestObject::new(&cache, 0);
            let decodings = Arc::new(sync::AtomicU64::new(0));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let (thing, decodings) = (Arc::clone(&thing), Arc::clone(&decodings));
                    thread::spawn(move || {
                        thing.decoded(|| decodings.fetch_add(1, sync::Ordering::Relaxed));
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
            assert_eq!(decodings.load(sync::Ordering::Relaxed), 1);
        },
        300,
    );
}

/// The check can find something: a counter that is read and written in two steps loses counts.
#[test]
#[should_panic(expected = "lost a count")]
fn a_deliberately_broken_variant_is_found() {
    shuttle::check_random(
        || {
            let used = Arc::new(sync::AtomicU64::new(0));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let used = Arc::clone(&used);
                    thread::spawn(move || {
                        let before = used.load(sync::Ordering::Relaxed);
                        used.store(before + 1, sync::Ordering::Relaxed);
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
            assert_eq!(used.load(sync::Ordering::Relaxed), 2, "lost a count");
        },
        500,
    );
}
