//! What objects take, counted by the allocator itself. One test, since the allocator counts for all threads.

#[path = "../benches/object/specimen.rs"]
mod specimen;

use std::alloc::System;
use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use serde::de::DeserializeOwned;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject, Wire};
use tidings_protobuf::{TypeMeta, encode, message};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many bytes are held at the end of `work` that were not before.
fn held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let region = Region::new(ALLOCATOR);
    let result = work();
    let change = region.change();
    (result, change.bytes_allocated - change.bytes_deallocated)
}

/// What the server sends of a specimen.
fn frame<K: Kind>(wire: Wire, specimen: String) -> Vec<u8> {
    match wire {
        Wire::Json => specimen.into_bytes(),
        Wire::Protobuf => {
            let kind = K::resource();
            let table = message(&kind.group, &kind.version, &kind.kind).expect("a built-in kind");
            let object = serde_json::from_str(&specimen).expect("a specimen is JSON");
            encode(table, &object).expect("a specimen is of its kind")
        }
    }
}

fn take(intake: &Intake, wire: Wire, frame: &[u8]) -> Arc<RawObject> {
    let taken = match wire {
        Wire::Json => intake.json(frame, &NothingKnown),
        Wire::Protobuf => intake.protobuf(TypeMeta::default(), frame, &NothingKnown),
    };
    taken.expect("a specimen has an identity")
}

fn check_estimate<K>(wire: Wire, specimen: fn(u64) -> String)
where
    K: Kind + DeserializeOwned + Send + Sync + 'static,
{
    let budget = Arc::new(Budget::unlimited());
    let intake = Intake::new(K::resource(), Arc::clone(&budget));
    let objects: Vec<_> = (0..100).map(|n| take(&intake, wire, &frame::<K>(wire, specimen(n)))).collect();
    let ((), bytes) = held(|| {
        objects.iter().for_each(|object| drop(object.decoded::<K>().expect("a specimen decodes")));
    });
    let percent = budget.used_bytes_estimate() * 100 / bytes as u64;
    let (kind, each, raw) = (K::resource(), bytes / 100, objects[0].wire_bytes());
    assert!((70..=130).contains(&percent), "{wire} {kind}: {percent} % of {each} bytes, {raw} raw");
}

fn check_memory_bytes_of_objects(wire: Wire) {
    let intake = Intake::new(Pod::resource(), Arc::default());
    let frames: Vec<_> = (0..100).map(|n| frame::<Pod>(wire, specimen::pod(n))).collect();
    let mut objects = Vec::with_capacity(100);
    let ((), bytes) = held(|| objects.extend(frames.iter().map(|frame| take(&intake, wire, frame))));
    let told: usize = objects.iter().map(|object| object.memory_bytes()).sum();
    // The samples' places are the intake's own.
    assert!(bytes.abs_diff(told) < told / 100, "{wire}: {bytes} held, {told} told");
}

fn check_cost_of_a_small_informer(wire: Wire) {
    let frames: Vec<_> = (0..10).map(|n| frame::<Lease>(wire, specimen::lease(n))).collect();
    let ((_intake, objects), bytes) = held(|| {
        let intake = Intake::new(Lease::resource(), Arc::default());
        let objects: Vec<_> = frames.iter().map(|frame| take(&intake, wire, frame)).collect();
        (intake, objects)
    });
    let own: usize = objects.iter().map(|object| object.memory_bytes()).sum();
    assert!(bytes - own < 16 << 10, "{wire}: {} bytes beyond ten small objects", bytes - own);
}

#[test]
fn objects_take_what_they_say() {
    for wire in [Wire::Json, Wire::Protobuf] {
        check_memory_bytes_of_objects(wire);
        check_cost_of_a_small_informer(wire);
        check_estimate::<Pod>(wire, specimen::pod);
        check_estimate::<ConfigMap>(wire, specimen::config_map);
        check_estimate::<Secret>(wire, specimen::secret);
        check_estimate::<Lease>(wire, specimen::lease);
    }
}
