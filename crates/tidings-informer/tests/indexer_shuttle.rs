//! Readers and the writer of a cache under random schedules of shuttle. The cache is compiled a second time here, with
//! shuttle's locks and atomics.
//!
//! One test checks the check itself: it must find the error of a cache that publishes objects and indexes in two steps.

#![allow(missing_docs, reason = "tests")]

#[path = "../src/sync/simulated.rs"]
#[allow(unused_imports, reason = "the cache uses only a part of it")]
mod sync;

/// The modules of `src/indexer.rs`.
#[path = "../src/indexer"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "only a part of it is used here")]
mod indexer {
    mod cow_chunks;
    mod index;
    mod inverted;
    mod linear_hash;
    mod reader;
    mod registry;
    mod replace;
    mod slot_set;
    mod snapshot;
    mod table;
    mod writer;

    pub use index::{Index, IndexError};
    pub use reader::{IndexState, Reader};
    pub use snapshot::Snapshot;
    pub use writer::{Writer, indexer_with_seed};
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use indexer::{Index, IndexError, IndexState, Reader, Snapshot, Writer, indexer_with_seed};
use shuttle::thread;
use tidings_object::{Budget, Intake, NothingKnown, RawObject, ResourceKind, Scope, Version};

const SCHEDULES: usize = 2_000;
const BATCHES: u64 = 3;

/// Two objects that every batch writes together.
fn pair(version: u64) -> [Arc<RawObject>; 2] {
    let things = ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Thing".into(),
        plural: "things".into(),
        scope: Scope::Namespaced,
    };
    let intake = Intake::new(things, Arc::new(Budget::bytes(0)));
    ["a/x", "b/y"].map(|key| {
        let (namespace, name) = key.split_once('/').expect("a key with a namespace");
        let json = format!(
            r#"{{"metadata":{{"namespace":"{namespace}","name":"{name}","uid":"{key}","resourceVersion":"{version}","labels":{{"batch":"{version}"}}}}}}"#
        );
        intake.json(json.as_bytes(), &NothingKnown).expect("a valid object")
    })
}

fn batches() -> Arc<[[Arc<RawObject>; 2]]> {
    (1..=BATCHES).map(pair).collect()
}

fn indexed_cache() -> (Writer, Reader) {
    let (mut writer, reader) = indexer_with_seed(7);
    reader.add_index(Index::label("batch", "batch")).expect("a new index");
    writer.publish(None);
    (writer, reader)
}

fn write(writer: &mut Writer, batch: &[Arc<RawObject>; 2]) {
    for object in batch {
        writer.upsert(Arc::clone(object));
    }
}

/// Checks that the state is of one moment: both objects are of one batch, the index contains exactly them, and the
/// version is that of the batch. Returns the version.
fn check(objects: &Snapshot, indexes: &Snapshot) -> u64 {
    let version = objects.version().and_then(|version| version.number()).unwrap_or(0);
    let versions = objects.iter().map(|object| object.version().number()).collect::<Vec<_>>();
    let values = indexes.index_values("batch").expect("an index");
    if version == 0 {
        assert!(versions.is_empty() && values.is_empty(), "nothing was published yet");
        return version;
    }
    assert_eq!(versions, [Some(version); 2]);
    assert_eq!(values, [version.to_string()]);
    assert_eq!(indexes.by_index("batch", &values[0]).expect("an index").len(), 2);
    assert_eq!(indexes.namespace("a").len(), 1);
    version
}

// holds: X17
#[test]
fn a_reader_sees_only_whole_batches_and_never_an_earlier_one_later() {
    let batches = batches();
    shuttle::check_random(
        move || {
            let (mut writer, reader) = indexed_cache();
            let readers = [reader.clone(), reader].map(|reader| {
                thread::spawn(move || {
                    let mut last = 0;
                    for _ in 0..BATCHES {
                        let snapshot = reader.snapshot();
                        let version = check(&snapshot, &snapshot);
                        assert!(version >= last, "the version went back from {last} to {version}");
                        last = version;
                        let read = reader.get("a/x").and_then(|object| object.version().number());
                        assert!(read.unwrap_or(0) >= last);
                    }
                })
            });
            for (batch, version) in batches.iter().zip(1..) {
                write(&mut writer, batch);
                writer.publish(Some(Version::from(version)));
            }
            for reader in readers {
                reader.join().expect("the reader's checks pass");
            }
        },
        SCHEDULES,
    );
}

#[test]
fn the_check_finds_a_cache_that_publishes_objects_and_indexes_in_two_steps() {
    let batches = batches();
    let torn = move || {
        let (mut objects_writer, objects) = indexed_cache();
        let (mut indexes_writer, indexes) = indexed_cache();
        let reader = thread::spawn(move || {
            for _ in 0..BATCHES {
                check(&objects.snapshot(), &indexes.snapshot());
            }
        });
        for (batch, version) in batches.iter().zip(1..) {
            write(&mut objects_writer, batch);
            write(&mut indexes_writer, batch);
            objects_writer.publish(Some(Version::from(version)));
            indexes_writer.publish(Some(Version::from(version)));
        }
        reader.join().expect("the reader's checks pass");
    };
    let found = catch_unwind(AssertUnwindSafe(|| shuttle::check_random(torn, SCHEDULES)));
    assert!(found.is_err(), "the check did not notice the torn state");
}

// holds: S13
#[test]
fn an_index_that_two_threads_add_is_added_once_and_always_built() {
    let batches = batches();
    shuttle::check_random(
        move || {
            let (mut writer, reader) = indexer_with_seed(7);
            write(&mut writer, &batches[0]);
            writer.publish(None);
            let adders = [reader.clone(), reader.clone()].map(|reader| {
                thread::spawn(move || reader.add_index(Index::label("batch", "batch")).is_ok())
            });
            // Slices of one object, interleaved with the two threads. An index added later must stay pending.
            for _ in 0..3 {
                if writer.needs_maintenance() {
                    writer.maintain(1);
                }
            }
            let added = adders.map(|adder| adder.join().expect("the adder does not panic"));
            assert_eq!(added.into_iter().filter(|added| *added).count(), 1);
            while writer.needs_maintenance() {
                writer.maintain(1);
            }
            assert_eq!(reader.index_state("batch"), Some(IndexState::Ready));
            assert_eq!(reader.by_index("batch", "1").expect("an index").len(), 2);
        },
        SCHEDULES,
    );
}

#[test]
fn a_new_index_with_the_name_of_a_removed_one_never_gives_the_old_answers() {
    let batches = batches();
    shuttle::check_random(
        move || {
            let (mut writer, reader) = indexed_cache();
            write(&mut writer, &batches[0]);
            writer.publish(None);
            let other = reader.clone();
            let other = thread::spawn(move || {
                other.remove_index("batch").expect("the index exists");
                other.add_index(Index::raw("batch", |_| vec!["all".to_owned()])).expect("the name is free");
                match other.by_index("batch", "1") {
                    Ok(found) => assert!(found.is_empty(), "an answer of the removed index"),
                    Err(error) => assert!(matches!(error, IndexError::Building { .. }), "{error}"),
                }
            });
            while writer.needs_maintenance() {
                writer.maintain(1);
            }
            other.join().expect("the other thread does not panic");
            while writer.needs_maintenance() {
                writer.maintain(1);
            }
            assert_eq!(reader.by_index("batch", "all").expect("an index").len(), 2);
        },
        SCHEDULES,
    );
}

// holds: S14
#[test]
fn an_index_is_refused_after_the_writer_was_dropped() {
    shuttle::check_random(
        || {
            let (writer, reader) = indexer_with_seed(7);
            let other = reader.clone();
            let other = thread::spawn(move || _ = other.add_index(Index::owner("early")));
            drop(writer);
            let late = reader.add_index(Index::owner("late"));
            assert!(matches!(late, Err(IndexError::Stopped { .. })));
            other.join().expect("the other thread does not panic");
        },
        SCHEDULES,
    );
}
