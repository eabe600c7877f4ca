//! Writes to and reads from the cache.

use std::hint::black_box;
use std::sync::Arc;

use tidings_informer::indexer::{Index, Reader, Writer, indexer_with_seed};
use tidings_object::RawObject;

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
    // A step that visits every object once, in an order unrelated to the tables.
    let keys = (0..times as usize).map(|n| objects[n * 1_999 % objects.len()].key());
    let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
    measured(|| {
        for key in &keys {
            black_box(reader.get(key).expect("the object is cached"));
        }
    });
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

/// A published cache with the namespace index and one index over a label.
fn filled() -> (Writer, Reader, Vec<Arc<RawObject>>) {
    let (mut writer, reader) = indexer_with_seed(HASH_SEED);
    reader.add_index(Index::label("app", "app.kubernetes.io/name")).expect("no other index has this name");
    let objects = objects(&intake(), CACHED);
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
