//! Reading: by key, by index, by selector, and from snapshots.

use serde_json::json;
use tidings_object::LabelSelector;

use super::*;

// holds: S6, S8, S10, S11
#[test]
fn an_object_is_found_by_each_of_its_values_and_a_value_without_objects_does_not_exist() {
    let images = |key: &str, images: &[&str]| {
        let containers = images.iter().map(|image| json!({"image": image})).collect::<Vec<_>>();
        thing(key).spec(json!({ "containers": containers }))
    };
    let (mut writer, reader) = indexer();
    reader.add_index(Index::field("image", ".spec.containers[*].image")).unwrap();
    writer.publish(None);
    for thing in [images("b/two", &["web", "log"]), images("a/one", &["log", "log"]), images("c/none", &[])] {
        writer.upsert(thing.built());
    }
    writer.publish(None);
    assert_eq!(reader.index_values("image").unwrap(), ["log", "web"]);
    assert_eq!(
        reader.index_keys("image", "log").unwrap().iter().map(|key| &**key).collect::<Vec<_>>(),
        ["a/one", "b/two"]
    );
    assert_eq!(keys(&reader.by_index("image", "web").unwrap()), ["b/two"]);
    assert!(reader.by_index("image", "db").unwrap().is_empty());

    writer.upsert(images("b/two", &["log", "db"]).version(2).built());
    writer.publish(None);
    assert_eq!(reader.index_values("image").unwrap(), ["db", "log"], "web had no other object");
    writer.remove("a/one");
    writer.publish(None);
    assert_eq!(keys(&reader.by_index("image", "log").unwrap()), ["b/two"], "log has another object");
}

// holds: S8
#[test]
fn an_object_that_shares_several_values_with_another_is_found_once() {
    let (mut writer, reader) = indexer();
    reader.add_index(Index::owner("owner")).unwrap();
    writer.publish(None);
    for thing in
        [thing("a/both").owner("1").owner("2"), thing("a/one").owner("1"), thing("a/three").owner("3")]
    {
        writer.upsert(thing.built());
    }
    writer.publish(None);
    let not_cached = thing("b/not-cached").owner("1").owner("2").built();
    assert_eq!(keys(&reader.by_index_of("owner", &not_cached).unwrap()), ["a/both", "a/one"]);
    assert!(reader.by_index_of("owner", &thing("b/orphan").built()).unwrap().is_empty());
}

// holds: S9
#[test]
fn an_update_moves_an_object_to_its_new_values_and_keeps_it_under_unchanged_ones() {
    let (mut writer, reader) = cache_of(&[]);
    reader.add_index(Index::field("node", ".spec.nodeName")).unwrap();
    writer.publish(None);
    let on =
        |node: &str, version: u64| thing("a/x").version(version).spec(json!({ "nodeName": node })).built();
    for (node, version) in [("one", 1), ("one", 2), ("two", 3)] {
        writer.upsert(on(node, version));
        writer.publish(None);
        assert_eq!(reader.index_values("node").unwrap(), [node]);
        assert_eq!(reader.by_index("node", node).unwrap()[0].version().number(), Some(version));
    }
    writer.upsert(thing("a/x").version(4).spec(json!({ "nodeName": null })).built());
    writer.publish(None);
    assert!(reader.index_values("node").unwrap().is_empty() && reader.len() == 1);
}

// holds: S12
#[test]
fn an_unknown_index_is_an_error_that_names_the_known_ones() {
    let (_writer, reader) = cache_of(&[thing("a/x")]);
    reader.add_index(Index::owner("owner")).unwrap();
    let error = reader.by_index("node", "n").unwrap_err();
    let known = vec!["namespace".to_owned(), "owner".to_owned()];
    assert_eq!(error, IndexError::Unknown { name: "node".into(), known });
    assert_eq!(error.to_string(), r#"no index "node"; there are ["namespace", "owner"]"#);
    assert!(reader.index_keys("node", "n").is_err() && reader.index_values("node").is_err());
    assert!(reader.by_indexes(&[("namespace", "a"), ("node", "n")]).is_err());
    assert_eq!(reader.index_state("node"), None);
}

// holds: S15
#[test]
fn every_cache_has_the_namespace_index_from_the_start() {
    let (_writer, reader) = cache_of(&[thing("a/x"), thing("b/y"), thing("a/z"), thing("cluster")]);
    assert_eq!((NAMESPACE_INDEX, reader.index_state("namespace")), ("namespace", Some(IndexState::Ready)));
    assert_eq!(keys(&reader.by_index("namespace", "a").unwrap()), ["a/x", "a/z"]);
    assert_eq!(keys(&reader.namespace("a")), ["a/x", "a/z"]);
    assert_eq!(reader.index_values("namespace").unwrap(), ["a", "b"]);
    assert!(reader.namespace("c").is_empty());
    assert_eq!(reader.keys().len(), 4);
}

#[test]
fn a_read_by_several_indexes_gives_the_objects_that_have_all_values() {
    let (mut writer, reader) = cache_of(&[
        thing("a/1").label("app", "web").owner("o"),
        thing("a/2").label("app", "web"),
        thing("b/3").label("app", "web").owner("o"),
        thing("a/4").label("app", "db").owner("o"),
    ]);
    reader.add_index(Index::label("app", "app")).unwrap();
    reader.add_index(Index::owner("owner")).unwrap();
    writer.maintain(100);
    let both = |wanted: &[(&str, &str)]| keys(&reader.by_indexes(wanted).unwrap());
    assert_eq!(both(&[("namespace", "a"), ("app", "web")]), ["a/1", "a/2"]);
    assert_eq!(both(&[("namespace", "a"), ("app", "web"), ("owner", "o")]), ["a/1"]);
    assert_eq!(both(&[("owner", "o")]), ["a/1", "a/4", "b/3"]);
    assert!(both(&[("owner", "o"), ("app", "none")]).is_empty());
    assert_eq!(both(&[]).len(), 4);
}

#[test]
fn an_index_can_be_a_function_of_the_decoded_or_the_raw_object() {
    #[derive(serde::Deserialize)]
    struct Zone {
        spec: Option<std::collections::BTreeMap<String, String>>,
    }
    let (mut writer, reader) = cache_of(&[thing("a/x").spec(json!({"zone": "north"})), thing("b/y")]);
    reader
        .add_index(Index::typed("zone", |z: &Zone| {
            z.spec.iter().flat_map(|spec| spec.get("zone").cloned()).collect()
        }))
        .unwrap();
    reader.add_index(Index::raw("name", |object| vec![object.name().to_owned()])).unwrap();
    writer.maintain(100);
    assert_eq!(keys(&reader.by_index("zone", "north").unwrap()), ["a/x"]);
    assert_eq!(keys(&reader.by_index("name", "y").unwrap()), ["b/y"]);
}

// holds: L1, L2
#[test]
fn a_selection_is_the_same_with_and_without_a_label_index() {
    let apps = ["web", "db", "cache"];
    let things = (0..60).map(|n| {
        let thing = thing(&format!("{}/{n}", ["a", "b"][n % 2])).label("app", apps[n % 3]);
        if n % 5 == 0 { thing.label("canary", "") } else { thing }
    });
    let (mut writer, reader) = cache_of(&things.collect::<Vec<_>>());
    let select = |namespace: Option<&str>, selector: &str| {
        keys(&reader.select(namespace, &LabelSelector::parse(selector).unwrap()))
    };
    let cases = [
        (None, "", 60),
        (Some("a"), "", 30),
        (None, "app=web", 20),
        (Some("a"), "app=web", 10),
        (None, "canary", 12),
        (Some("b"), "app=db,canary", 2),
        (Some("none"), "app=db", 0),
        (None, "app=none", 0),
    ];
    let scanned = cases.map(|(namespace, selector, count)| {
        let found = select(namespace, selector);
        assert_eq!(found.len(), count, "{namespace:?} {selector}");
        found
    });
    reader.add_index(Index::label("by app", "app")).unwrap();
    writer.maintain(100);
    for ((namespace, selector, _), scanned) in cases.into_iter().zip(scanned) {
        assert_eq!(select(namespace, selector), scanned, "{namespace:?} {selector}");
    }
    let in_two = tidings_object::Requirement {
        key: "app".into(),
        operator: tidings_object::Operator::In(vec!["web".into(), "db".into(), "web".into()]),
    };
    assert_eq!(reader.select(None, &LabelSelector::all_of([in_two])).len(), 40, "each object once");
}

// holds: X17
#[test]
fn a_snapshot_does_not_change_when_the_cache_does() {
    let (mut writer, reader) = cache_of(&[thing("a/x").label("app", "web"), thing("b/y")]);
    reader.add_index(Index::label("app", "app")).unwrap();
    writer.maintain(10);
    writer.publish(Some(1.into()));
    let snapshot = reader.snapshot();
    writer.upsert(thing("a/x").version(2).label("app", "db").built());
    writer.remove("b/y");
    writer.upsert(thing("c/z").label("app", "web").built());
    writer.publish(Some(2.into()));

    assert_eq!((snapshot.version(), reader.version()), (Some(1.into()), Some(2.into())));
    assert_eq!(keys(&snapshot.list()), ["a/x", "b/y"]);
    assert_eq!(keys(&snapshot.by_index("app", "web").unwrap()), ["a/x"]);
    assert_eq!(snapshot.index_values("app").unwrap(), ["web"]);
    assert_eq!(snapshot.get("a/x").unwrap().version().number(), Some(1));
    assert!(snapshot.get("c/z").is_none() && snapshot.get("b/y").is_some());
    assert_eq!(keys(&reader.by_index("app", "web").unwrap()), ["c/z"]);
    assert_eq!(snapshot.indexes(), ["namespace", "app"]);
    assert_eq!((snapshot.len(), snapshot.is_empty(), snapshot.keys().len()), (2, false, 2));
}

#[test]
fn both_ends_of_a_cache_can_move_to_other_threads() {
    fn assert_send<T: Send + 'static>() {}
    fn assert_shared<T: Send + Sync + Clone + 'static>() {}
    assert_send::<Writer>();
    assert_shared::<Reader>();
    assert_shared::<Snapshot>();
}

#[test]
fn reading_one_object_by_a_value_gives_any_of_several_and_none_of_none() {
    let (mut writer, reader) = indexer();
    reader.add_index(Index::label("app", "app")).unwrap();
    for key in ["a/x", "a/y"] {
        writer.upsert(thing(key).label("app", "web").built());
    }
    writer.publish(None);
    let found = reader.one_by_index("app", "web").unwrap().expect("there are two");
    assert!(["a/x", "a/y"].contains(&found.key().as_str()));
    assert!(reader.one_by_index("app", "db").unwrap().is_none());
    assert!(matches!(reader.one_by_index("none", "web"), Err(IndexError::Unknown { .. })));
}

#[test]
fn the_changes_between_two_snapshots_are_the_writes_in_between() {
    let (mut writer, reader) = indexer();
    for at in 0..100 {
        writer.upsert(thing(&format!("a/{at}")).built());
    }
    writer.publish(None);
    let before = reader.snapshot();
    writer.upsert(thing("a/1").version(2).built());
    writer.remove("a/2");
    writer.upsert(thing("b/new").built()); // in the slot of a/2
    writer.remove("a/3");
    writer.remove("a/4");
    writer.upsert(thing("a/3").uid("the second").version(9).built()); // in the slot of a/4
    writer.upsert(thing("a/5").built()); // the same object again
    writer.publish(None);
    let now = reader.snapshot();
    let mut changes: Vec<_> = now
        .changes_since(&before)
        .into_iter()
        .map(|change| {
            let key = change.new.as_ref().or(change.old.as_ref()).unwrap().key().to_string();
            let version = |object: Option<Arc<RawObject>>| object.map(|object| object.version().to_string());
            (key, version(change.old), version(change.new))
        })
        .collect();
    changes.sort();
    let change = |key: &str, old: Option<&str>, new: Option<&str>| {
        (key.to_owned(), old.map(str::to_owned), new.map(str::to_owned))
    };
    assert_eq!(
        changes,
        [
            change("a/1", Some("1"), Some("2")),
            change("a/2", Some("1"), None),
            change("a/3", Some("1"), Some("9")),
            change("a/4", Some("1"), None),
            change("b/new", None, Some("1")),
        ]
    );
    assert!(now.changes_since(&now).is_empty());
    assert_eq!(before.changes_since(&now).len(), 5, "backwards too");
}
