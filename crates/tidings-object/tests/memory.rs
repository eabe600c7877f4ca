//! What objects take, counted by the allocator itself. One test, since the allocator counts for all threads.

#[path = "../benches/object/specimen.rs"]
mod specimen;

use std::alloc::System;
use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use serde::de::DeserializeOwned;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many bytes are held at the end of `work` that were not before.
fn held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let region = Region::new(ALLOCATOR);
    let result = work();
    let change = region.change();
    (result, change.bytes_allocated - change.bytes_deallocated)
}

fn take(intake: &Intake, frame: &str) -> Arc<RawObject> {
    intake.json(frame.as_bytes(), &NothingKnown).expect("a specimen is of its kind")
}

fn check_estimate<K>(specimen: fn(u64) -> String)
where
    K: Kind + DeserializeOwned + Send + Sync + 'static,
{
    let budget = Arc::new(Budget::unlimited());
    let intake = Intake::new(K::resource(), Arc::clone(&budget));
    let objects: Vec<_> = (0..100).map(|n| take(&intake, &specimen(n))).collect();
    let ((), bytes) = held(|| {
        objects.iter().for_each(|object| drop(object.decoded::<K>().expect("a specimen decodes")));
    });
    let percent = budget.used_bytes_estimate() * 100 / bytes as u64;
    let (each, raw) = (bytes / 100, specimen(0).len());
    assert!((70..=130).contains(&percent), "{}: {percent} % of {each} bytes, {raw} raw", K::resource());
}

fn check_memory_bytes_of_objects() {
    let intake = Intake::new(Pod::resource(), Arc::default());
    let frames: Vec<_> = (0..100).map(specimen::pod).collect();
    let mut objects = Vec::with_capacity(100);
    let ((), bytes) = held(|| objects.extend(frames.iter().map(|frame| take(&intake, frame))));
    let told: usize = objects.iter().map(|object| object.memory_bytes()).sum();
    // The samples' places are the intake's own.
    assert!(bytes.abs_diff(told) < told / 100, "{bytes} held, {told} told");
}

fn check_cost_of_a_small_informer() {
    let frames: Vec<_> = (0..10).map(specimen::lease).collect();
    let ((_intake, objects), bytes) = held(|| {
        let intake = Intake::new(Lease::resource(), Arc::default());
        let objects: Vec<_> = frames.iter().map(|frame| take(&intake, frame)).collect();
        (intake, objects)
    });
    let own: usize = objects.iter().map(|object| object.memory_bytes()).sum();
    assert!(bytes - own < 16 << 10, "{} bytes beyond ten small objects", bytes - own);
}

#[test]
fn objects_take_what_they_say() {
    check_memory_bytes_of_objects();
    check_cost_of_a_small_informer();
    check_estimate::<Pod>(specimen::pod);
    check_estimate::<ConfigMap>(specimen::config_map);
    check_estimate::<Secret>(specimen::secret);
    check_estimate::<Lease>(specimen::lease);
}
