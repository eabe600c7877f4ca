//! What one object costs: reading its identity, packing, unpacking, decoding, reading a field, pruning.
//!
//! `cargo bench -p tidings-object`

mod specimen;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use k8s_openapi::api::core::v1::Pod;
use tidings_object::{
    Budget, FieldPath, Intake, Kind, KnownObjects, NothingKnown, RawObject, Transform, identity,
};

criterion_group!(benches, arrival, reading);
criterion_main!(benches);

const PODS: u64 = 2_000;

/// An intake with a dictionary, and its pods packed with it.
fn pods(budget: Budget) -> (Intake, Vec<Arc<RawObject>>) {
    let intake = Intake::new(Pod::resource(), Arc::new(budget));
    let mut cached: Vec<_> = (0..PODS).map(|n| take(&intake, &specimen::pod(n))).collect();
    intake.adopt(intake.training_due().expect("there are enough pods").run());
    for object in &mut cached {
        *object = intake.repacked(object).expect("a pod gains by a dictionary");
    }
    (intake, cached)
}

fn take(intake: &Intake, frame: &str) -> Arc<RawObject> {
    intake.json(frame.as_bytes(), &NothingKnown).expect("a pod is a pod")
}

struct Same(Arc<RawObject>);

impl KnownObjects for Same {
    fn known(&self, _: &str) -> Option<Arc<RawObject>> {
        Some(Arc::clone(&self.0))
    }
}

fn arrival(c: &mut Criterion) {
    let frame = specimen::pod(7_777);
    let mut group = c.benchmark_group("arrival");
    group.throughput(Throughput::Bytes(frame.len() as u64));
    group.bench_function("identity", |b| {
        b.iter(|| identity::scan(black_box(frame.as_bytes())).map(|i| i.rest_at))
    });
    let plain = Intake::new(Pod::resource(), Arc::default());
    group.bench_function("kept plain", |b| b.iter(|| take(&plain, black_box(&frame))));
    let (intake, cached) = pods(Budget::default());
    group.bench_function("packed with a dictionary", |b| b.iter(|| take(&intake, black_box(&frame))));
    let known = Same(take(&intake, &frame));
    group.bench_function("unchanged", |b| b.iter(|| intake.json(black_box(frame.as_bytes()), &known)));
    let prune = Transform::drop_managed_fields();
    group.bench_function("pruned of managed fields", |b| b.iter(|| prune.apply(black_box(frame.as_bytes()))));
    group.finish();

    tell_sizes(&intake);
    drop(cached);
}

#[allow(clippy::print_stderr, reason = "criterion tells times only")]
fn tell_sizes(intake: &Intake) {
    let stats = intake.pack_stats();
    let each = |bytes: u64| bytes / stats.objects;
    let (raw, packed, memory) = (each(stats.raw_bytes), each(stats.packed_bytes), each(stats.memory_bytes));
    eprintln!(
        "{} pods: {raw} bytes raw, {packed} packed, {memory} in all, dictionary {}",
        stats.objects, stats.dictionary_bytes
    );
}

fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("reading");
    let (_intake, cached) = pods(Budget::bytes(0));
    let mut turns = cached.iter().cycle();
    let mut next = move || Arc::clone(turns.next().expect("a cycle has no end"));
    group.bench_function("json", |b| b.iter(|| next().json().map(|json| json.len())));
    let phase = FieldPath::parse(".status.phase").expect("a path");
    group.bench_function("field", |b| b.iter(|| next().field_at(&phase)));
    group.bench_function("decoded cold", |b| b.iter(|| next().decoded::<Pod>()));

    let (_intake, kept) = pods(Budget::unlimited());
    kept.iter().for_each(|object| drop(object.decoded::<Pod>()));
    let mut turns = kept.iter().cycle();
    group.bench_function("decoded kept", |b| {
        b.iter(|| turns.next().expect("a cycle has no end").decoded::<Pod>())
    });
    group.finish();
}
