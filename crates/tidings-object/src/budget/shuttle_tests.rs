//! Tests the cache of decoded values in thousands of interleavings of readers, evictions and drops.

use std::sync::{Arc, Weak};

use shuttle::thread;

use decoded_cache::{Cacheable, DecodedCache, DecodedSlot};

#[path = "decoded_cache.rs"]
#[allow(clippy::duplicate_mod, reason = "the same code over other locks")]
#[allow(dead_code, reason = "the gauges are the budget's")]
mod decoded_cache;
use super::s3_fifo;
#[path = "../sync/shuttled.rs"]
#[allow(dead_code, reason = "the cache does not use all of it")]
mod sync;

/// An object that releases its slot when it is dropped, as a `RawObject` does.
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

    /// Decodes the object twice: then it is cached, even without room.
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

/// Threads decode two types of three objects within a limit for two values, and drop objects meanwhile.
fn decode_evict_and_drop() {
    let cache = Arc::new(DecodedCache::new(2 * BYTES));
    let objects: Vec<_> = (0..3).map(|number| TestObject::new(&cache, number)).collect();
    let threads: Vec<_> = (0..3_usize)
        .map(|offset| {
            let objects = objects.clone();
            thread::spawn(move || {
                for turn in 0..3 {
                    let object = &objects[(turn + offset) % 3];
                    assert_eq!(*object.decoded(|| object.number), object.number);
                    assert_eq!(*object.decoded(|| object.number.to_string()), object.number.to_string());
                }
            })
        })
        .collect();
    drop(objects);
    threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
    assert_eq!(cache.used_bytes(), 0, "all objects are dropped");
}

#[test]
fn the_used_bytes_return_to_zero_in_every_interleaving() {
    shuttle::check_random(decode_evict_and_drop, 500);
    shuttle::check_pct(decode_evict_and_drop, 500, 3);
}

#[test]
fn at_rest_the_values_fit_the_limit_in_every_interleaving() {
    shuttle::check_random(
        || {
            let cache = Arc::new(DecodedCache::new(2 * BYTES));
            let objects: Vec<_> = (0..4).map(|number| TestObject::new(&cache, number)).collect();
            let threads: Vec<_> = (0..2)
                .map(|half| {
                    let objects = objects.clone();
                    thread::spawn(move || {
                        objects[half * 2..][..2].iter().for_each(|object| object.decode_until_cached());
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
fn an_object_that_is_dropped_during_an_eviction_is_dropped_without_the_queue_lock() {
    shuttle::check_random(
        || {
            let cache = Arc::new(DecodedCache::new(BYTES));
            let [dropped, other] = [0, 1].map(|number| TestObject::new(&cache, number));
            dropped.decoded(|| dropped.number);
            // The first decoding. The second one caches it while the other object is dropped.
            other.decoded(|| other.number);
            let thread = thread::spawn(move || drop(dropped));
            other.decoded(|| other.number);
            thread.join().expect("no thread panics");
            assert!(cache.used_bytes() <= BYTES);
        },
        500,
    );
}

#[test]
fn an_object_is_decoded_once_in_every_interleaving() {
    shuttle::check_random(
        || {
            let cache = Arc::new(DecodedCache::new(u64::MAX));
            let object = TestObject::new(&cache, 0);
            let decodings = Arc::new(sync::AtomicU64::new(0));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let (object, decodings) = (Arc::clone(&object), Arc::clone(&decodings));
                    thread::spawn(move || {
                        object.decoded(|| decodings.fetch_add(1, sync::Ordering::Relaxed));
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
            assert_eq!(decodings.load(sync::Ordering::Relaxed), 1);
        },
        300,
    );
}

/// Shows that shuttle finds races: a counter that is read and written in two steps loses counts.
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
