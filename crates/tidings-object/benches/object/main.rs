//! The cost of one object: to read its identity, pack, unpack, decode, read a field, prune.
//!
//! `cargo bench -p tidings-object`

mod fixture;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use k8s_openapi::api::core::v1::Pod;
use tidings_object::{
    Budget, FieldPath, Identity, Intake, Kind, KnownObjects, NothingKnown, RawObject, Transform,
};
use tidings_protobuf::{TypeMeta, encode, message};

criterion_group!(benches, arrival, arrival_of_protobuf, reading, reading_protobuf);
criterion_main!(benches);

const PODS: u64 = 2_000;

/// An intake with a dictionary, and pods that are packed with it.
fn pods(budget: Budget, take: impl Fn(&Intake, u64) -> Arc<RawObject>) -> (Intake, Vec<Arc<RawObject>>) {
    let intake = Intake::new(Pod::resource(), Arc::new(budget));
    let mut cached: Vec<_> = (0..PODS).map(|n| take(&intake, n)).collect();
    intake.adopt(intake.training_due().expect("there are enough pods").run());
    for object in &mut cached {
        *object = intake.repacked(object).expect("a pod gains by a dictionary");
    }
    (intake, cached)
}

fn take(intake: &Intake, frame: &str) -> Arc<RawObject> {
    intake.json(frame.as_bytes(), &NothingKnown).expect("a pod is a pod")
}

fn take_fixture(intake: &Intake, number: u64) -> Arc<RawObject> {
    take(intake, &fixture::pod(number))
}

fn take_message(intake: &Intake, message: &[u8]) -> Arc<RawObject> {
    intake.protobuf(TypeMeta::default(), message, &NothingKnown).expect("a pod is a pod")
}

fn take_fixture_message(intake: &Intake, number: u64) -> Arc<RawObject> {
    take_message(intake, &fixture_message(number))
}

/// A pod as protobuf.
fn fixture_message(number: u64) -> Vec<u8> {
    let pod = serde_json::from_str(&fixture::pod(number)).expect("a fixture is JSON");
    encode(message("", "v1", "Pod").expect("a built-in kind"), &pod).expect("a fixture is a pod")
}

struct SameObject(Arc<RawObject>);

impl KnownObjects for SameObject {
    fn known(&self, _: &str) -> Option<Arc<RawObject>> {
        Some(Arc::clone(&self.0))
    }
}

fn arrival(c: &mut Criterion) {
    let frame = fixture::pod(7_777);
    let mut group = c.benchmark_group("arrival");
    group.throughput(Throughput::Bytes(frame.len() as u64));
    group.bench_function("identity", |b| {
        b.iter(|| Identity::from_json(black_box(frame.as_bytes())).map(|i| i.rest_at))
    });
    let plain = Intake::new(Pod::resource(), Arc::default());
    group.bench_function("kept plain", |b| b.iter(|| take(&plain, black_box(&frame))));
    let (intake, cached) = pods(Budget::default(), take_fixture);
    group.bench_function("packed with a dictionary", |b| b.iter(|| take(&intake, black_box(&frame))));
    let known = SameObject(take(&intake, &frame));
    group.bench_function("unchanged", |b| b.iter(|| intake.json(black_box(frame.as_bytes()), &known)));
    let prune = Transform::drop_managed_fields();
    group.bench_function("pruned of managed fields", |b| b.iter(|| prune.apply(black_box(frame.as_bytes()))));
    group.finish();

    print_sizes(&intake);
    drop(cached);
}

fn arrival_of_protobuf(c: &mut Criterion) {
    let message = fixture_message(7_777);
    let mut group = c.benchmark_group("arrival of protobuf");
    group.throughput(Throughput::Bytes(message.len() as u64));
    group.bench_function("identity", |b| {
        b.iter(|| Identity::from_protobuf(black_box(&message)).map(|i| i.rest_at))
    });
    let plain = Intake::new(Pod::resource(), Arc::default());
    group.bench_function("kept plain", |b| b.iter(|| take_message(&plain, black_box(&message))));
    let (intake, cached) = pods(Budget::default(), take_fixture_message);
    group.bench_function("packed with a dictionary", |b| {
        b.iter(|| take_message(&intake, black_box(&message)))
    });
    let known = SameObject(take_message(&intake, &message));
    group.bench_function("unchanged", |b| {
        b.iter(|| intake.protobuf(TypeMeta::default(), black_box(&message), &known))
    });
    let pruning =
        Intake::new(Pod::resource(), Arc::default()).with_transform(Transform::drop_managed_fields());
    group.bench_function("pruned of managed fields and kept plain", |b| {
        b.iter(|| take_message(&pruning, black_box(&message)))
    });
    group.finish();

    print_sizes(&intake);
    drop(cached);
}

#[allow(clippy::print_stderr, reason = "criterion prints only times")]
fn print_sizes(intake: &Intake) {
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
    let (_intake, cached) = pods(Budget::bytes(0), take_fixture);
    let mut objects = cached.iter().cycle();
    let mut next = move || Arc::clone(objects.next().expect("a cycle has no end"));
    group.bench_function("json", |b| b.iter(|| next().json().map(|json| json.len())));
    let phase = FieldPath::parse(".status.phase").expect("a path");
    group.bench_function("field", |b| b.iter(|| next().field_at(&phase)));
    group.bench_function("decoded cold", |b| b.iter(|| next().decoded::<Pod>()));

    let (_intake, kept) = pods(Budget::unlimited(), take_fixture);
    kept.iter().for_each(|object| drop(object.decoded::<Pod>()));
    let mut objects = kept.iter().cycle();
    group.bench_function("decoded kept", |b| {
        b.iter(|| objects.next().expect("a cycle has no end").decoded::<Pod>())
    });
    group.finish();
}

fn reading_protobuf(c: &mut Criterion) {
    let mut group = c.benchmark_group("reading protobuf");
    let (_intake, cached) = pods(Budget::bytes(0), take_fixture_message);
    let mut objects = cached.iter().cycle();
    let mut next = move || Arc::clone(objects.next().expect("a cycle has no end"));
    group.bench_function("json", |b| b.iter(|| next().json().map(|json| json.len())));
    let phase = FieldPath::parse(".status.phase").expect("a path");
    group.bench_function("field", |b| b.iter(|| next().field_at(&phase)));
    let nothing = FieldPath::parse(".nothing").expect("a path");
    group.bench_function("no field", |b| b.iter(|| next().field_at(&nothing)));
    group.bench_function("decoded cold", |b| b.iter(|| next().decoded::<Pod>()));
    group.finish();
}
