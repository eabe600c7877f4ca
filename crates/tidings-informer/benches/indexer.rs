//! The time of reads and writes of the cache, and the bytes per object besides the object itself.
//!
//! Keys are read in random order, so that the processor's caches miss as they do in production.

#![allow(clippy::print_stdout, reason = "criterion reports times only, not bytes")]
#![allow(missing_docs, reason = "a program")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use tidings_informer::indexer::{Index, Reader, Writer, indexer_with_seed};
use tidings_object::{Budget, Intake, NothingKnown, RawObject, ResourceKind, Scope, Version};
use tidings_source::StreamScope;

const SEED: u64 = 7;
const OBJECTS_PER_NAMESPACE: usize = 1_000;
const OBJECTS_PER_APP: usize = 100;

fn objects(count: usize, version: u64) -> Vec<Arc<RawObject>> {
    let pods = ResourceKind {
        group: "".into(),
        version: "v1".into(),
        kind: "Pod".into(),
        plural: "pods".into(),
        scope: Scope::Namespaced,
    };
    let intake = Intake::new(pods, Arc::new(Budget::bytes(0)));
    let object = |n: usize| {
        let namespace = n / OBJECTS_PER_NAMESPACE;
        let app = n * 7_919 % count.div_ceil(OBJECTS_PER_APP);
        let json = format!(
            r#"{{"metadata":{{"name":"pod-{n:07}","namespace":"namespace-{namespace}","uid":"{n:036}","resourceVersion":"{version}","labels":{{"app":"app-{app}"}}}}}}"#
        );
        intake.json(json.as_bytes(), &NothingKnown).expect("a pod")
    };
    (0..count).map(object).collect()
}

fn cache(objects: &[Arc<RawObject>]) -> (Writer, Reader) {
    let (mut writer, reader) = indexer_with_seed(SEED);
    reader.add_index(Index::label("app", "app")).expect("a new index");
    writer.replace(&StreamScope::All, objects.to_vec());
    writer.publish(Some(Version::from(1)));
    (writer, reader)
}

/// The resident memory of this process, where the system reports it.
fn resident_bytes() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    pages.split(' ').nth(1)?.parse::<usize>().ok().map(|pages| pages * 4096)
}

fn reads(c: &mut Criterion) {
    let all = objects(100_000, 1);
    let (_writer, reader) = cache(&all);
    let mut keys = all.iter().map(|object| object.key().as_str().to_owned()).collect::<Vec<_>>();
    keys.shuffle(&mut SmallRng::seed_from_u64(SEED));
    let mut next = keys.iter().cycle();
    c.bench_function("get in random order, of 100k", |b| {
        b.iter(|| reader.get(black_box(next.next().expect("a cycle does not end"))));
    });
    let snapshot = reader.snapshot();
    let mut next = keys.iter().cycle();
    c.bench_function("get from a snapshot in random order, of 100k", |b| {
        b.iter(|| snapshot.get(black_box(next.next().expect("a cycle does not end"))));
    });
    let mut rng = SmallRng::seed_from_u64(SEED);
    c.bench_function("by index, 100 of 100k", |b| {
        b.iter(|| {
            let found = reader.by_index("app", &format!("app-{}", rng.random_range(0..1_000)));
            assert_eq!(found.expect("an index").len(), 100);
        });
    });
    c.bench_function("namespace, 1,000 of 100k", |b| {
        b.iter(|| {
            let found = reader.namespace(&format!("namespace-{}", rng.random_range(0..100)));
            assert_eq!(found.len(), 1_000);
        });
    });
    c.bench_function("list, 100k", |b| b.iter(|| reader.list()));
    c.bench_function("snapshot", |b| b.iter(|| reader.snapshot()));
}

fn writes(c: &mut Criterion) {
    for (count, name) in [(10_000, "10k"), (100_000, "100k"), (1_000_000, "1M")] {
        let all = objects(count, 1);
        let before = resident_bytes();
        let (mut writer, reader) = cache(&all);
        if let (Some(before), Some(after)) = (before, resident_bytes()) {
            let estimated = reader.memory().index_bytes / count;
            let measured = after.saturating_sub(before) / count;
            println!(
                "{name}: {measured} bytes per object (namespace and label index), estimated as {estimated}"
            );
        }
        let mut positions = (0..count).collect::<Vec<_>>();
        positions.shuffle(&mut SmallRng::seed_from_u64(SEED));
        positions.truncate(10_000);
        let newer = objects(count, 2);
        let mut versions = [&newer, &all].into_iter().cycle();
        let mut version = versions.next().expect("a cycle does not end");
        let mut at = 0;
        c.bench_function(&format!("update and publish, of {name}"), |b| {
            b.iter(|| {
                if at == positions.len() {
                    at = 0;
                    version = versions.next().expect("a cycle does not end");
                }
                let old = writer.upsert(Arc::clone(&version[positions[at]]));
                writer.publish(Some(Version::from(at as u64)));
                at += 1;
                old
            });
        });
        let mut at = 0;
        c.bench_function(&format!("delete, publish, add, publish, of {name}"), |b| {
            b.iter(|| {
                at = (at + 1) % positions.len();
                let removed = writer.remove(&all[positions[at]].key()).expect("the object is cached");
                writer.publish(None);
                writer.upsert(removed);
                writer.publish(None);
            });
        });
    }
}

fn lists(c: &mut Criterion) {
    let all = objects(100_000, 1);
    let (mut writer, _reader) = cache(&all);
    let again = objects(100_000, 1);
    c.bench_function("replace by the same 100k", |b| {
        b.iter_batched(
            || again.clone(),
            |again| {
                let replaced = writer.replace(&StreamScope::All, again);
                assert_eq!(replaced.unchanged, 100_000);
                writer.publish(None);
            },
            BatchSize::PerIteration,
        );
    });
    c.bench_function("first list of 100k, two indexes", |b| {
        b.iter_batched(|| (), |()| cache(&all), BatchSize::PerIteration);
    });
}

criterion_group! {
    name = indexer;
    config = Criterion::default().sample_size(20);
    targets = reads, writes, lists
}
criterion_main!(indexer);
