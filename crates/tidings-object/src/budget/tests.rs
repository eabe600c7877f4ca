//! Which values stay decoded, and which are evicted.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use k8s_openapi::api::core::v1::Pod;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::*;
use crate::{Intake, Kind, NothingKnown, ReadError};

fn pods(budget: &Arc<Budget>, names: std::ops::Range<usize>) -> Vec<Arc<RawObject>> {
    let intake = Intake::new(Pod::resource(), Arc::clone(budget));
    let take = |n| {
        let frame = format!(r#"{{"metadata":{{"name":"p-{n}","uid":"u-{n}","resourceVersion":"{n}"}}}}"#);
        intake.json(frame.as_bytes(), &NothingKnown).unwrap()
    };
    names.map(take).collect()
}

#[test]
fn a_value_is_kept_for_each_type_until_its_object_is_dropped() {
    let budget = Arc::new(Budget::default());
    let pods = pods(&budget, 0..1);
    let first = pods[0].decoded::<Pod>().unwrap();
    assert!(Arc::ptr_eq(&first, &pods[0].decoded::<Pod>().unwrap()));
    let tree = pods[0].decoded::<Value>().unwrap();
    assert!(Arc::ptr_eq(&tree, &pods[0].decoded::<Value>().unwrap()));
    assert!(Arc::ptr_eq(&first, &pods[0].decoded::<Pod>().unwrap()));
    let expected = pods[0].decoded_bytes_estimate::<Pod>() + pods[0].decoded_bytes_estimate::<Value>();
    assert_eq!(budget.used_bytes_estimate(), expected);
    assert_eq!((budget.hits(), budget.misses(), budget.evictions()), (3, 2, 0));
    drop(pods);
    assert_eq!(budget.used_bytes_estimate(), 0);
    assert_eq!((Arc::strong_count(&first), Arc::strong_count(&tree)), (1, 1));
}

#[test]
fn a_budget_of_zero_keeps_nothing() {
    let budget = Arc::new(Budget::bytes(0));
    let pods = pods(&budget, 0..1);
    let first = pods[0].decoded::<Pod>().unwrap();
    assert!(!Arc::ptr_eq(&first, &pods[0].decoded::<Pod>().unwrap()));
    assert_eq!((budget.used_bytes_estimate(), Arc::strong_count(&first)), (0, 1));
    assert_eq!(budget.evictions(), 0, "nothing was kept even for a moment");
}

#[test]
fn an_object_of_the_size_of_the_budget_is_kept_and_a_larger_one_is_not() {
    let bytes = pods(&Arc::default(), 0..1)[0].decoded_bytes_estimate::<Pod>();
    for (limit_bytes, is_kept) in [(bytes, true), (bytes - 1, false)] {
        let budget = Arc::new(Budget::bytes(limit_bytes));
        let pods = pods(&budget, 0..1);
        let decoded: Vec<_> = (0..3).map(|_| pods[0].decoded::<Pod>().unwrap()).collect();
        assert_eq!(Arc::ptr_eq(&decoded[1], &decoded[2]), is_kept, "{limit_bytes} of {bytes}");
        assert_eq!(budget.evictions(), 0);
    }
}

#[test]
fn an_unlimited_budget_keeps_everything() {
    let budget = Arc::new(Budget::unlimited());
    let pods = pods(&budget, 0..500);
    let decoded: Vec<_> = pods.iter().map(|pod| pod.decoded::<Pod>().unwrap()).collect();
    assert!(pods.iter().zip(&decoded).all(|(pod, first)| Arc::ptr_eq(&pod.decoded().unwrap(), first)));
    assert_eq!((budget.evictions(), budget.cache.queue_len()), (0, 0), "nothing is queued for eviction");
}

/// A budget for so many pods.
fn budget_for(pods_max: u64) -> Arc<Budget> {
    let one = pods(&Arc::default(), 0..1)[0].decoded_bytes_estimate::<Pod>() + 100;
    Arc::new(Budget::bytes(pods_max * one))
}

#[test]
fn values_stay_within_the_limit_and_evicted_ones_are_dropped() {
    let budget = budget_for(10);
    let pods = pods(&budget, 0..200);
    let twice = |pod: &Arc<RawObject>| {
        drop(pod.decoded::<Pod>());
        Arc::downgrade(&pod.decoded::<Pod>().unwrap())
    };
    let decoded: Vec<_> = pods.iter().map(twice).collect();
    assert!(budget.used_bytes_estimate() <= budget.limit_bytes());
    let kept = decoded.iter().filter(|pod| pod.upgrade().is_some()).count();
    assert!((9..=11).contains(&kept), "{kept}");
    assert_eq!(budget.evictions(), 200 - kept as u64);
}

#[test]
fn without_room_a_value_is_kept_from_its_second_decoding_on() {
    let budget = budget_for(10);
    let pods = pods(&budget, 0..200);
    pods.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    assert_eq!(budget.evictions(), 0, "a single decoding evicts nothing");
    let once = pods[199].decoded::<Pod>().unwrap();
    assert!(Arc::ptr_eq(&once, &pods[199].decoded::<Pod>().unwrap()));
    assert_eq!((budget.hits(), budget.misses()), (1, 201));
}

#[test]
fn a_scan_of_the_cache_does_not_evict_values_that_are_read_often() {
    let budget = budget_for(40);
    let pods = pods(&budget, 0..1_000);
    let (hot, cold) = pods.split_at(20);
    for _ in 0..3 {
        hot.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    }
    cold.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    let misses = budget.misses();
    hot.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    assert_eq!(budget.misses(), misses);
}

#[test]
fn a_value_that_was_read_again_is_evicted_after_those_that_were_not() {
    let budget = budget_for(10);
    let pods = pods(&budget, 0..15);
    let (filling, later) = pods.split_at(10);
    filling.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    let read_again = &filling[..3];
    read_again.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    (0..2).for_each(|_| later.iter().for_each(|pod| drop(pod.decoded::<Pod>())));
    assert!(budget.evictions() >= 5, "{}", budget.evictions());
    let misses = budget.misses();
    read_again.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    assert_eq!(budget.misses(), misses);
}

#[test]
fn the_default_limit_is_what_the_cached_objects_take_between_1_and_64_mib() {
    let budget = Arc::new(Budget::default());
    assert_eq!(budget.limit_bytes(), Budget::DEFAULT_BYTES_MIN);
    let first = pods(&budget, 0..1);
    assert_eq!(budget.limit_bytes(), Budget::DEFAULT_BYTES_MIN);
    let bytes = first[0].origin().stats().memory_bytes;
    let many = pods(&budget, 0..usize::try_from((2 << 20) / bytes).unwrap());
    let limit = budget.limit_bytes();
    assert!((3 << 19..3 << 20).contains(&limit), "{limit} is not about 2 MiB");
    drop((first, many));
    assert_eq!(budget.limit_bytes(), Budget::DEFAULT_BYTES_MIN);
}

#[test]
fn the_queue_drops_the_entries_of_dropped_objects() {
    let budget = Arc::new(Budget::default());
    for round in 0..50 {
        for pod in pods(&budget, round * 100..(round + 1) * 100) {
            pod.decoded::<Pod>().unwrap();
        }
    }
    assert_eq!(budget.used_bytes_estimate(), 0);
    assert!(budget.cache.queue_len() < 1_000, "{}", budget.cache.queue_len());
}

#[test]
fn entries_of_dropped_objects_are_removed_when_they_are_more_than_half_of_the_queue() {
    let budget = Arc::new(Budget::default());
    let mut pods = pods(&budget, 0..2);
    pods.iter().for_each(|pod| drop(pod.decoded::<Pod>()));
    pods.pop();
    assert_eq!(budget.cache.queue_len(), 2, "one of two");
    pods.pop();
    assert_eq!(budget.cache.queue_len(), 0);
    drop(self::pods(&budget, 2..3)[0].decoded::<Pod>());
    assert_eq!(budget.cache.queue_len(), 0, "one of one");
}

#[test]
fn the_ratio_of_a_kind_is_that_of_its_group_too() {
    let percent = |group: &'static str, kind: &'static str| {
        let resource = ResourceKind { group: group.into(), kind: kind.into(), ..Pod::resource() };
        let growth = DecodedGrowth::of(&resource);
        (growth.percent(Wire::Json), growth.percent(Wire::Protobuf))
    };
    assert_eq!(percent("coordination.k8s.io", "Lease"), (550, 700));
    let default = percent("example.com", "Widget");
    for kind in ["Pod", "Secret", "ConfigMap"] {
        assert_ne!(percent("", kind), default, "{kind}");
        assert_eq!(percent("example.com", kind), default, "{kind}");
    }
}

#[test]
fn debug_output_shows_the_limit_and_the_use() {
    let budget = Budget::bytes(77);
    assert_eq!(format!("{budget:?}"), "Budget { limit_bytes: 77, used_bytes_estimate: 0, .. }");
}

struct Slow;

static DECODINGS: AtomicUsize = AtomicUsize::new(0);

impl<'de> Deserialize<'de> for Slow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DECODINGS.fetch_add(1, Ordering::Relaxed);
        std::thread::yield_now();
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Slow)
    }
}

#[test]
fn concurrent_readers_share_one_decoding() {
    let budget = Arc::new(Budget::default());
    let pods = pods(&budget, 0..1);
    let seen: Vec<_> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8).map(|_| scope.spawn(|| pods[0].decoded::<Slow>().unwrap())).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert!(seen.iter().all(|slow| Arc::ptr_eq(slow, &seen[0])));
    assert_eq!(DECODINGS.load(Ordering::Relaxed), 1);
}

#[derive(Debug)]
struct Panics;

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("not today")
    }
}

#[test]
fn a_panic_in_deserialize_is_an_error_of_that_reader_only() {
    let pods = pods(&Arc::default(), 0..1);
    for _ in 0..2 {
        let error = pods[0].decoded::<Panics>().unwrap_err();
        assert!(matches!(&error, ReadError::Panicked { message, .. } if message == "not today"), "{error}");
    }
    assert!(pods[0].view::<Panics>().is_err());
    assert_eq!(pods[0].decoded::<Pod>().unwrap().metadata.name.as_deref(), Some("p-0"));
}
