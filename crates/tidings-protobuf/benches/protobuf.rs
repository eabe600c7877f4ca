//! The cost to read a pod from protobuf and from JSON: the whole pod, its JSON text, one field, a pruned copy.
//!
//! `cargo bench -p tidings-protobuf`

#[allow(dead_code, reason = "only pods are used")]
#[path = "../../tidings-object/benches/object/fixture.rs"]
mod fixture;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use k8s_openapi::api::core::v1::Pod;
use serde::de::IgnoredAny;
use tidings_protobuf::{PathStep, TypeMeta, encode, from_slice, message, to_json, values_at, without};

criterion_group!(benches, pod);
criterion_main!(benches);

fn pod(criterion: &mut Criterion) {
    let json = fixture::pod(7);
    let message = message("", "v1", "Pod").expect("a built-in kind");
    let value = serde_json::from_str(&json).expect("a fixture is JSON");
    let bytes = encode(message, &value).expect("a fixture is a pod");
    let none = TypeMeta::default();
    let path = |names: &[&'static str]| -> Vec<PathStep<'static>> {
        names.iter().map(|name| PathStep::Member((*name).into())).collect()
    };
    let phase = path(&["status", "phase"]);
    let managed_fields = [path(&["metadata", "managedFields"])];

    let mut group = criterion.benchmark_group("pod");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("decoded from protobuf", |bencher| {
        bencher.iter(|| from_slice::<Pod>(message, none, black_box(&bytes)).expect("a pod"));
    });
    group.bench_function("ignored in protobuf", |bencher| {
        bencher.iter(|| from_slice::<IgnoredAny>(message, none, black_box(&bytes)).expect("a pod"));
    });
    group.bench_function("protobuf as JSON text", |bencher| {
        bencher.iter(|| to_json(message, none, black_box(&bytes)).expect("a pod"));
    });
    group.bench_function("one field of protobuf", |bencher| {
        bencher.iter(|| values_at(message, black_box(&bytes), &phase).expect("a pod"));
    });
    group.bench_function("protobuf without managed fields", |bencher| {
        bencher.iter(|| without(message, black_box(&bytes), &managed_fields).expect("a pod"));
    });
    group.bench_function("JSON encoded as protobuf", |bencher| {
        bencher.iter(|| encode(message, black_box(&value)).expect("a pod"));
    });
    group.throughput(Throughput::Bytes(json.len() as u64));
    group.bench_function("decoded from JSON", |bencher| {
        bencher.iter(|| serde_json::from_slice::<Pod>(black_box(json.as_bytes())).expect("a pod"));
    });
    group.finish();
}
