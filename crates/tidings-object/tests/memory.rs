//! Compares reported sizes with the bytes that the allocator counts. It is one test, because the allocator counts all
//! threads.

#[path = "../benches/object/fixture.rs"]
mod fixture;

use std::alloc::System;
use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use serde::de::DeserializeOwned;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject, Wire};
use tidings_protobuf::{TypeMeta, encode, message};
use tidings_test_types as _;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The bytes that `work` allocates and does not free.
fn allocated<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let region = Region::new(ALLOCATOR);
    let result = work();
    let change = region.change();
    (result, change.bytes_allocated - change.bytes_deallocated)
}

/// A fixture as the server sends it.
fn frame<K: Kind>(wire: Wire, fixture: String) -> Vec<u8> {
    match wire {
        Wire::Json => fixture.into_bytes(),
        Wire::Protobuf => {
            let kind = K::resource();
            let table = message(&kind.group, &kind.version, &kind.kind).expect("a built-in kind");
            let object = serde_json::from_str(&fixture).expect("a fixture is JSON");
            encode(table, &object).expect("a fixture is of its kind")
        }
    }
}

fn take_in(intake: &Intake, wire: Wire, frame: &[u8]) -> Arc<RawObject> {
    let object = match wire {
        Wire::Json => intake.json(frame, &NothingKnown),
        Wire::Protobuf => intake.protobuf(TypeMeta::default(), frame, &NothingKnown),
    };
    object.expect("a fixture has an identity")
}

fn check_estimate<K>(wire: Wire, fixture: fn(u64) -> String)
where
    K: Kind + DeserializeOwned + Send + Sync + 'static,
{
    let budget = Arc::new(Budget::unlimited());
    let intake = Intake::new(K::resource(), Arc::clone(&budget));
    let objects: Vec<_> = (0..100).map(|n| take_in(&intake, wire, &frame::<K>(wire, fixture(n)))).collect();
    let ((), bytes) = allocated(|| {
        objects.iter().for_each(|object| drop(object.decoded::<K>().expect("a fixture decodes")));
    });
    let percent = budget.used_bytes_estimate() * 100 / bytes as u64;
    let (kind, each, raw) = (K::resource(), bytes / 100, objects[0].wire_bytes());
    assert!((70..=130).contains(&percent), "{wire} {kind}: {percent} % of {each} bytes, {raw} raw");
}

fn check_memory_bytes_of_objects(wire: Wire) {
    let intake = Intake::new(Pod::resource(), Arc::default());
    let frames: Vec<_> = (0..100).map(|n| frame::<Pod>(wire, fixture::pod(n))).collect();
    let mut objects = Vec::with_capacity(100);
    let ((), bytes) = allocated(|| objects.extend(frames.iter().map(|frame| take_in(&intake, wire, frame))));
    let reported: usize = objects.iter().map(|object| object.memory_bytes()).sum();
    // The difference is the intake's list of samples.
    assert!(bytes.abs_diff(reported) < reported / 100, "{wire}: {bytes} allocated, {reported} reported");
}

fn check_cost_of_a_small_informer(wire: Wire) {
    let frames: Vec<_> = (0..10).map(|n| frame::<Lease>(wire, fixture::lease(n))).collect();
    let ((_intake, objects), bytes) = allocated(|| {
        let intake = Intake::new(Lease::resource(), Arc::default());
        let objects: Vec<_> = frames.iter().map(|frame| take_in(&intake, wire, frame)).collect();
        (intake, objects)
    });
    let own: usize = objects.iter().map(|object| object.memory_bytes()).sum();
    assert!(bytes - own < 16 << 10, "{wire}: {} bytes beyond ten small objects", bytes - own);
}

#[test]
fn reported_sizes_are_those_that_the_allocator_counts() {
    for wire in [Wire::Json, Wire::Protobuf] {
        check_memory_bytes_of_objects(wire);
        check_cost_of_a_small_informer(wire);
        check_estimate::<Pod>(wire, fixture::pod);
        check_estimate::<ConfigMap>(wire, fixture::config_map);
        check_estimate::<Secret>(wire, fixture::secret);
        check_estimate::<Lease>(wire, fixture::lease);
    }
}
