//! Storing, replacing, publishing, and building indexes.

use tidings_object::{KnownObjects, Version};
use tidings_source::StreamScope;

use super::*;

// holds: S4
#[test]
fn upsert_adds_or_updates_and_removing_an_absent_key_changes_nothing() {
    let (mut writer, reader) = indexer();
    let (first, second) = (thing("a/x").built(), thing("a/x").version(2).built());
    assert!(writer.upsert(Arc::clone(&first)).is_none());
    assert!(Arc::ptr_eq(&writer.upsert(Arc::clone(&second)).unwrap(), &first));
    assert!(writer.remove("a/y").is_none());
    writer.publish(None);
    assert_eq!((reader.len(), writer.len()), (1, 1));
    assert_eq!(reader.get("a/x").unwrap().version(), &Version::from(2));
    assert!(reader.get("a/y").is_none());
    assert!(Arc::ptr_eq(&writer.remove("a/x").unwrap(), &second));
    writer.publish(None);
    assert!(reader.is_empty() && reader.get("a/x").is_none());
}

// holds: S7
#[test]
fn readers_share_the_stored_object_without_copying_it() {
    let (mut writer, reader) = indexer();
    let object = thing("a/x").built();
    writer.upsert(Arc::clone(&object));
    writer.publish(None);
    for read in [reader.get("a/x").unwrap(), reader.list().remove(0), reader.namespace("a").remove(0)] {
        assert!(Arc::ptr_eq(&read, &object));
    }
    assert!(Arc::ptr_eq(&reader.known("a/x").unwrap(), &object));
}

// holds: S5, S6, S16, X17
#[test]
fn a_batch_is_invisible_until_it_is_published_and_then_wholly_visible() {
    let (mut writer, reader) = cache_of(&[thing("a/old"), thing("b/old")]);
    writer.upsert(thing("a/new").built());
    writer.remove("b/old");
    let (written, published) = (writer.iter().cloned().collect::<Vec<_>>(), reader.list());
    assert_eq!(keys(&written), ["a/new", "a/old"]);
    assert!(writer.get("a/new").is_some() && writer.get("b/old").is_none());
    assert_eq!(keys(&published), ["a/old", "b/old"]);
    assert_eq!(reader.index_values("namespace").unwrap(), ["a", "b"]);
    writer.publish(Some(Version::from(7)));
    assert_eq!(keys(&reader.list()), ["a/new", "a/old"]);
    assert_eq!(reader.index_values("namespace").unwrap(), ["a"]);
    assert_eq!(reader.version(), Some(Version::from(7)));
}

// holds: S5, X14
#[test]
fn a_list_adds_updates_and_removes_objects_and_keeps_unchanged_ones() {
    let only_the_body_differs = thing("a/touched").spec(serde_json::json!({"n": 1}));
    let (mut writer, reader) =
        cache_of(&[thing("a/same"), thing("a/touched"), thing("a/newer"), thing("b/gone")]);
    let cached = reader.get("a/same").unwrap();
    let list = [thing("c/added"), only_the_body_differs, thing("a/same"), thing("a/newer").version(2)];
    let replaced = writer.replace(&StreamScope::All, list.iter().map(Thing::built).collect());
    writer.publish(None);

    assert_eq!(keys(&replaced.removed), ["b/gone"]);
    let changed = replaced.changed.iter().map(|(old, new)| {
        let what = if old.is_some() { "updated" } else { "added" };
        format!("{what} {}@{}", new.key(), new.version())
    });
    let changed = changed.collect::<Vec<_>>();
    let in_list_order = ["added c/added@1", "updated a/touched@1", "updated a/newer@2"];
    assert_eq!(changed, in_list_order);
    assert_eq!(replaced.unchanged, 1);
    assert!(Arc::ptr_eq(&reader.get("a/same").unwrap(), &cached));
    assert_eq!(keys(&reader.list()), ["a/newer", "a/same", "a/touched", "c/added"]);
    assert_eq!(reader.index_values("namespace").unwrap(), ["a", "c"]);
}

// holds: X14
#[test]
fn an_object_without_uid_never_counts_as_unchanged() {
    let (mut writer, _reader) = cache_of(&[thing("a/x").uid("")]);
    let replaced = writer.replace(&StreamScope::All, vec![thing("a/x").uid("").built()]);
    assert_eq!((replaced.unchanged, replaced.changed.len()), (0, 1));
}

// holds: X23
#[test]
fn a_list_replaces_only_inside_its_scope() {
    let (mut writer, reader) = cache_of(&[thing("a/x"), thing("a/y"), thing("b/x"), thing("cluster")]);
    let scope = StreamScope::Namespace("a".into());
    let list = vec![thing("a/y").built(), thing("a/z").built(), thing("b/stray").built()];
    let replaced = writer.replace(&scope, list);
    writer.publish(None);
    assert_eq!(keys(&reader.list()), ["a/y", "a/z", "b/x", "cluster"]);
    assert_eq!((keys(&replaced.removed), replaced.unchanged), (vec!["a/x".to_owned()], 1));
    assert_eq!(keys(&replaced.out_of_scope), ["b/stray"]);

    assert_eq!(keys(&writer.remove_scope(&scope)), ["a/y", "a/z"]);
    writer.publish(None);
    assert_eq!(keys(&reader.list()), ["b/x", "cluster"]);
    assert_eq!(keys(&writer.remove_scope(&StreamScope::All)), ["b/x", "cluster"]);
}

// holds: X23
#[test]
fn a_list_without_changes_writes_and_allocates_nothing() {
    let things = (0..100).map(|n| thing(&format!("a/{n}"))).collect::<Vec<_>>();
    let (mut writer, reader) = cache_of(&things);
    let (before, memory) = (reader.list(), reader.memory());
    let replaced = writer.replace(&StreamScope::All, things.iter().map(Thing::built).collect());
    writer.publish(None);
    assert_eq!(replaced.unchanged, 100);
    assert!(before.iter().zip(reader.list()).all(|(old, new)| Arc::ptr_eq(old, &new)));
    assert_eq!(reader.memory(), memory);
}

#[test]
fn a_list_with_several_objects_of_one_key_stores_the_last() {
    let (mut writer, reader) = indexer();
    let list = [thing("a/x"), thing("a/y"), thing("a/x").version(3), thing("a/x").version(2)];
    let replaced = writer.replace(&StreamScope::All, list.iter().map(Thing::built).collect());
    writer.publish(None);
    assert_eq!(replaced.changed.iter().filter(|(old, _)| old.is_none()).count(), 2);
    assert_eq!(replaced.changed.len(), 2);
    assert_eq!(reader.get("a/x").unwrap().version(), &Version::from(2));
}

#[test]
fn a_repacked_object_replaces_the_object_that_it_was_made_from_and_stays_in_the_indexes() {
    let (mut writer, reader) = cache_of(&[thing("a/x").label("app", "web")]);
    reader.add_index(Index::label("app", "app")).unwrap();
    writer.maintain(10);
    let (slot, _) = writer.find(b"a/x").unwrap();
    assert!(writer.exchange(slot, |_| None).is_none());
    let repacked = thing("a/x").label("app", "web").built();
    writer.exchange(slot, |old| {
        assert_eq!(old.key().as_str(), "a/x");
        Some(Arc::clone(&repacked))
    });
    writer.publish(None);
    assert!(Arc::ptr_eq(&reader.by_index("app", "web").unwrap()[0], &repacked));
    writer.remove("a/x");
    assert!(writer.exchange(slot, |_| unreachable!("the slot is empty")).is_none());
}

// holds: S18
#[test]
fn only_a_publication_changes_the_version() {
    let (mut writer, reader) = indexer();
    assert_eq!(reader.version(), None);
    writer.upsert(thing("a/x").version(5).built());
    writer.publish(None);
    assert_eq!(reader.version(), None);
    writer.publish(Some(Version::from(5)));
    let at_five = reader.snapshot();
    writer.remove("a/x");
    writer.publish(None);
    assert_eq!(reader.version(), Some(Version::from(5)));
    writer.publish(Some(Version::new("not a number")));
    assert_eq!(reader.version(), Some(Version::new("not a number")));
    assert_eq!((at_five.version(), at_five.len()), (Some(Version::from(5)), 1));
}

// holds: S13
#[test]
fn an_index_added_to_a_full_cache_is_built_in_slices_and_is_readable_when_complete() {
    let things = (0..100).map(|n| thing(&format!("a/{n}")).label("odd", &(n % 2).to_string()));
    let (mut writer, reader) = cache_of(&things.collect::<Vec<_>>());
    assert!(!writer.needs_maintenance());
    reader.add_index(Index::label("odd", "odd")).unwrap();
    assert!(writer.needs_maintenance());
    assert_eq!(reader.by_index("odd", "1").unwrap_err(), IndexError::Building { name: "odd".into() });
    assert_eq!(reader.index_state("odd"), Some(IndexState::Building));
    assert!(writer.maintain(40));
    // Writes below and above the cursor of the build: each object has its values in the end.
    writer.remove("a/1");
    writer.remove("a/99");
    writer.upsert(thing("a/3").version(2).label("odd", "never").built());
    writer.upsert(thing("a/97").version(2).label("odd", "never").built());
    writer.upsert(thing("b/101").label("odd", "1").built());
    writer.publish(None);
    assert!(writer.maintain(40) && reader.by_index("odd", "1").is_err());
    assert!(!writer.maintain(40), "two slices of forty and the rest");
    assert_eq!(reader.index_state("odd"), Some(IndexState::Ready));
    assert_eq!(reader.by_index("odd", "0").unwrap().len(), 50);
    assert_eq!(reader.by_index("odd", "1").unwrap().len(), 50 - 4 + 1);
    assert_eq!(keys(&reader.by_index("odd", "never").unwrap()), ["a/3", "a/97"]);
}

// holds: S13
#[test]
fn an_index_added_before_the_first_list_is_published_with_it() {
    let (mut writer, reader) = indexer();
    reader.add_index(Index::label("app", "app")).unwrap();
    writer.replace(&StreamScope::All, vec![thing("a/x").label("app", "web").built()]);
    writer.publish(None);
    assert!(!writer.needs_maintenance());
    assert_eq!(keys(&reader.by_index("app", "web").unwrap()), ["a/x"]);
}

#[test]
fn an_index_completed_within_a_batch_is_published_with_the_batch() {
    let (mut writer, reader) = cache_of(&[thing("a/x").label("app", "web")]);
    reader.add_index(Index::label("app", "app")).unwrap();
    writer.upsert(thing("a/y").label("app", "web").built());
    assert!(!writer.maintain(10));
    assert_eq!(reader.len(), 1);
    assert!(matches!(reader.by_index("app", "web"), Err(IndexError::Building { .. })));
    writer.publish(None);
    assert_eq!(keys(&reader.by_index("app", "web").unwrap()), ["a/x", "a/y"]);
}

// holds: S13
#[test]
fn an_index_whose_name_is_taken_or_unusable_is_refused_and_changes_nothing() {
    let (_writer, reader) = indexer();
    reader.add_index(Index::label("app", "app")).unwrap();
    let taken = |name: &str| Err(IndexError::Taken { name: name.to_owned() });
    assert_eq!(reader.add_index(Index::owner("app")), taken("app"));
    assert_eq!(reader.add_index(Index::owner("namespace")), taken("namespace"));
    assert_eq!(reader.add_index(Index::owner("")), Err(IndexError::EmptyName));
    assert_eq!(reader.indexes(), ["namespace", "app"]);
}

#[test]
fn an_index_with_an_invalid_path_is_refused() {
    let (_writer, reader) = indexer();
    let refused = reader.add_index(Index::field("node", ".spec[")).unwrap_err();
    assert!(matches!(refused, IndexError::BadPath { .. }), "{refused:?}");
    assert_eq!(reader.indexes(), ["namespace"]);
}

#[test]
fn a_removed_index_is_unknown_at_once_and_its_name_can_be_reused() {
    let (mut writer, reader) = cache_of(&[thing("a/x").label("app", "web").owner("o")]);
    reader.add_index(Index::label("by", "app")).unwrap();
    writer.maintain(10);
    let snapshot = reader.snapshot();
    reader.remove_index("by").unwrap();
    assert!(matches!(reader.by_index("by", "web"), Err(IndexError::Unknown { .. })));
    assert!(matches!(snapshot.by_index("by", "web"), Err(IndexError::Unknown { .. })));
    reader.add_index(Index::owner("by")).unwrap();
    assert!(matches!(reader.by_index("by", "web"), Err(IndexError::Building { .. })));
    assert!(!writer.maintain(10));
    assert!(reader.by_index("by", "web").unwrap().is_empty());
    assert_eq!(reader.by_index("by", "o").unwrap().len(), 1);
    let unknown = reader.remove_index("nothing");
    assert_eq!(
        unknown,
        Err(IndexError::Unknown { name: "nothing".into(), known: vec!["namespace".into(), "by".into()] })
    );
    assert!(matches!(reader.remove_index("namespace"), Err(IndexError::BuiltIn { .. })));
}

// holds: S14
#[test]
fn an_index_can_be_added_until_the_writer_is_dropped() {
    let (writer, reader) = cache_of(&[thing("a/x")]);
    reader.add_index(Index::owner("owner")).unwrap();
    drop(writer);
    let refused = reader.add_index(Index::label("app", "app"));
    assert_eq!(refused, Err(IndexError::Stopped { name: "app".into() }));
    assert_eq!(reader.len(), 1, "the objects are still readable");
}

// holds: S12, X2
#[test]
fn an_object_whose_index_function_fails_or_panics_is_missing_from_that_index_only() {
    #[derive(serde::Deserialize)]
    struct Replicas {
        spec: Spec,
    }
    #[derive(serde::Deserialize)]
    struct Spec {
        replicas: u32,
    }
    let (mut writer, reader) = indexer();
    reader
        .add_index(Index::typed("replicas", |r: &Replicas| {
            assert!(r.spec.replicas != 13, "thirteen");
            vec![r.spec.replicas.to_string()]
        }))
        .unwrap();
    writer.publish(None);
    let with = |key: &str, replicas: serde_json::Value| {
        thing(key).spec(serde_json::json!({ "replicas": replicas })).built()
    };
    writer.upsert(with("a/good", 1.into()));
    writer.upsert(with("a/text", "many".into()));
    writer.upsert(with("a/unlucky", 13.into()));
    writer.publish(None);
    assert_eq!(keys(&reader.list()), ["a/good", "a/text", "a/unlucky"]);
    assert_eq!(reader.namespace("a").len(), 3);
    assert_eq!(reader.index_values("replicas").unwrap(), ["1"]);

    let faults = writer.take_index_faults();
    assert_eq!((writer.index_faults_total(), writer.take_index_faults().len()), (2, 0));
    assert!(faults.iter().all(|fault| &*fault.index == "replicas"));
    assert!(matches!((&*faults[0].key, &faults[0].cause), ("a/text", IndexFaultCause::Read(_))));
    let IndexFaultCause::Panicked(message) = &faults[1].cause else { panic!("{:?}", faults[1]) };
    assert_eq!((&*faults[1].key, message.as_str()), ("a/unlucky", "thirteen"));

    // A version that can't be read removes its object from the index; the next readable version adds it again.
    writer.upsert(with("a/good", "none".into()));
    writer.upsert(with("a/unlucky", 12.into()));
    writer.publish(None);
    assert_eq!(reader.index_values("replicas").unwrap(), ["12"]);
}

#[test]
fn untaken_faults_are_bounded_and_all_faults_are_counted() {
    let (mut writer, reader) = indexer();
    reader.add_index(Index::raw("never", |_| panic!("never"))).unwrap();
    writer.publish(None);
    let things = (0..300).map(|n| thing(&format!("a/{n}")).built()).collect();
    writer.replace(&StreamScope::All, things);
    assert_eq!((writer.take_index_faults().len(), writer.index_faults_total()), (256, 300));
}

#[test]
fn an_index_function_with_changing_results_leaves_no_stale_values() {
    let (mut writer, reader) = indexer();
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let changing = Index::raw("changing", move |_| {
        vec![calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string()]
    });
    reader.add_index(changing).unwrap();
    writer.publish(None);
    writer.upsert(thing("a/x").built());
    writer.upsert(thing("a/x").version(2).built());
    writer.publish(None);
    assert_eq!(reader.index_values("changing").unwrap(), ["1"]);
    writer.remove("a/x");
    writer.publish(None);
    assert!(reader.index_values("changing").unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn adding_an_index_notifies_the_writers_task() {
    let (writer, reader) = indexer();
    let requests = writer.index_requests();
    reader.add_index(Index::owner("owner")).unwrap();
    requests.notified().await;
}

#[test]
fn the_memory_figures_follow_added_changed_and_removed_objects() {
    let (mut writer, reader) = indexer();
    let empty = reader.memory();
    assert_eq!((empty.objects, empty.object_bytes, empty.packed_bytes), (0, 0, 0));
    let big = thing("a/x").spec(serde_json::json!({"text": "x".repeat(1_000)})).built();
    writer.upsert(thing("a/x").built());
    writer.upsert(Arc::clone(&big));
    writer.publish(None);
    let one = reader.memory();
    assert_eq!(
        (one.objects, one.object_bytes, one.packed_bytes),
        (1, big.memory_bytes(), big.packed_bytes())
    );
    assert!(one.index_bytes > 0);
    writer.remove("a/x");
    writer.publish(None);
    let none = reader.memory();
    assert_eq!((none.objects, none.object_bytes, none.packed_bytes), (0, 0, 0));
    assert!(none.index_bytes <= one.index_bytes);
}

#[test]
fn two_hundred_thousand_objects_take_less_than_80_bytes_of_index_each() {
    let pattern = thing("a/x").built();
    let intake = Intake::new(pattern.origin().resource.clone(), Arc::default());
    let object = |n: u32| {
        let json = format!(
            r#"{{"metadata":{{"namespace":"n{}","name":"{n}","uid":"{n}","resourceVersion":"1"}}}}"#,
            n / 1_000
        );
        intake.json(json.as_bytes(), &NothingKnown).unwrap()
    };
    let (mut writer, reader) = indexer();
    writer.replace(&StreamScope::All, (0..200_000).map(object).collect());
    writer.publish(Some(Version::from(1)));
    assert_eq!((reader.len(), reader.namespace("n7").len()), (200_000, 1_000));
    assert_eq!(reader.get("n199/199999").unwrap().name(), "199999");
    let bytes_per_object = reader.memory().index_bytes / 200_000;
    assert!(bytes_per_object < 80, "{bytes_per_object}");
}
