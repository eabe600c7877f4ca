//! Writes to and reads from the cache.

use std::hint::black_box;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::Lister;
use tidings_informer::indexer::{Index, Reader, Writer, indexer_with_seed};
use tidings_object::{Budget, Intake, Kind, RawObject};

use super::{fixture, intake, measured, objects, take_in};

const CACHED: u64 = 4_000;
const BATCH: usize = 100;
const HASH_SEED: u64 = 42;

pub(crate) fn upsert_and_publish_each(times: u64) {
    let (mut writer, _reader, _) = filled();
    let changed = changed(times);
    measured(|| {
        for object in changed {
            black_box(writer.upsert(object));
            writer.publish(None);
        }
    });
}

pub(crate) fn upsert_in_batches(times: u64) {
    let (mut writer, _reader, _) = filled();
    let changed = changed(times);
    measured(|| {
        for batch in changed.chunks(BATCH) {
            for object in batch {
                black_box(writer.upsert(Arc::clone(object)));
            }
            writer.publish(None);
        }
    });
}

pub(crate) fn get(times: u64) {
    let (_writer, reader, objects) = filled();
    let keys = keys(&objects, times);
    measured(|| {
        for key in &keys {
            black_box(reader.get(key).expect("the object is cached"));
        }
    });
}

/// What the comparison measures as a get of a kept object: a get by key, and a read of its decoded value.
pub(crate) fn get_kept(times: u64) {
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::unlimited()));
    let (_writer, reader, objects) = filled_from(&intake);
    for object in &objects {
        object.decoded::<Pod>().expect("a fixture is a pod");
    }
    let keys = keys(&objects, times);
    let lister = Lister::<Pod>::over(reader, Pod::resource());
    measured(|| {
        for key in &keys {
            let pod = lister.get(key).expect("the object is cached");
            black_box(pod.decoded().expect("a fixture is a pod").metadata.name.as_deref());
        }
    });
}

/// Keys in an order that is unrelated to the tables, each object equally often.
fn keys(objects: &[Arc<RawObject>], count: u64) -> Vec<String> {
    let keys = (0..count as usize).map(|n| objects[n * 1_999 % objects.len()].key());
    keys.map(|key| key.to_string()).collect()
}

pub(crate) fn by_index(times: u64) {
    let (_writer, reader, _) = filled();
    let values = reader.index_values("app").expect("the index is there");
    measured(|| {
        for value in values.iter().cycle().take(times as usize) {
            black_box(reader.by_index("app", value).expect("the index is there"));
        }
    });
}

fn filled() -> (Writer, Reader, Vec<Arc<RawObject>>) {
    filled_from(&intake())
}

/// A published cache with the namespace index and one index over a label.
fn filled_from(intake: &Intake) -> (Writer, Reader, Vec<Arc<RawObject>>) {
    let (mut writer, reader) = indexer_with_seed(HASH_SEED);
    reader.add_index(Index::label("app", "app.kubernetes.io/name")).expect("no other index has this name");
    let objects = objects(intake, CACHED);
    for object in &objects {
        writer.upsert(Arc::clone(object));
    }
    while writer.maintain(usize::MAX) {}
    writer.publish(None);
    (writer, reader, objects)
}

/// New versions of cached objects.
fn changed(count: u64) -> Vec<Arc<RawObject>> {
    let intake = intake();
    let changed = (0..count).map(|number| {
        let frame = fixture::pod(number * 3 % CACHED).replace("\"restartCount\":", "\"restartCount\":1");
        take_in(&intake, &frame)
    });
    changed.collect()
}
