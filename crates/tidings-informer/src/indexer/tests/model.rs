//! Model test: after any sequence of operations the cache and every kept snapshot equal a plain map, with indexes
//! computed from scratch.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;
use tidings_object::{LabelSelector, Version};
use tidings_source::StreamScope;

use super::*;

type Objects = BTreeMap<String, Arc<RawObject>>;

#[derive(Debug, Clone)]
enum CacheStep {
    Upsert(Thing),
    Remove(String),
    Replace(StreamScope, Vec<Thing>),
    RemoveScope(StreamScope),
    Publish,
    Maintain(usize),
    AddIndex(&'static str),
    RemoveIndex(&'static str),
    KeepSnapshot,
}

const KEYS: [&str; 9] = ["a/1", "a/2", "a/3", "b/1", "b/2", "c/1", "c/2", "d", "e"];
const INDEXES: [&str; 4] = ["app", "owner", "zone", "name"];

fn index(name: &str) -> Index {
    match name {
        "app" => Index::label("app", "app"),
        "owner" => Index::owner("owner"),
        "zone" => Index::field("zone", ".spec.zones[*]"),
        _ => Index::raw("name", |object| vec![object.name().to_owned()]),
    }
}

/// The values of [`index`], computed without the code under test.
fn values(name: &str, object: &RawObject) -> BTreeSet<String> {
    let json = serde_json::from_slice::<serde_json::Value>(&object.json().unwrap()).unwrap();
    let texts = |values: &serde_json::Value, at: &str| {
        let values = values.as_array().into_iter().flatten();
        values.map(|value| value.pointer(at).unwrap().as_str().unwrap().to_owned()).collect()
    };
    match name {
        "namespace" => json["metadata"]["namespace"].as_str().map(str::to_owned).into_iter().collect(),
        "app" => json["metadata"]["labels"]["app"].as_str().map(str::to_owned).into_iter().collect(),
        "owner" => texts(&json["metadata"]["ownerReferences"], "/uid"),
        "zone" => texts(&json["spec"]["zones"], ""),
        _ => [json["metadata"]["name"].as_str().unwrap().to_owned()].into(),
    }
}

fn a_thing(key: &'static str) -> impl Strategy<Value = Thing> {
    let few = || prop::collection::vec(0..3u8, 0..3);
    (0..3u8, 0..3u64, prop::option::of(0..3u8), few(), few()).prop_map(
        move |(uid, version, app, owners, zones)| {
            let zones = zones.into_iter().map(|zone| format!("zone-{zone}")).collect::<Vec<_>>();
            let mut thing =
                thing(key).uid(&format!("{key} {uid}")).version(version).spec(json!({ "zones": zones }));
            thing.labels.extend(app.map(|app| ("app".to_owned(), format!("app-{app}"))));
            thing.owners.extend(owners.into_iter().map(|owner| format!("owner-{owner}")));
            thing
        },
    )
}

fn any_thing() -> impl Strategy<Value = Thing> {
    prop::sample::select(&KEYS).prop_flat_map(a_thing)
}

fn a_scope() -> impl Strategy<Value = StreamScope> {
    prop::option::of(prop::sample::select(&["a", "b", "none"]))
        .prop_map(|namespace| namespace.map_or(StreamScope::All, |n| StreamScope::Namespace(n.into())))
}

fn a_step() -> impl Strategy<Value = CacheStep> {
    prop_oneof![
        8 => any_thing().prop_map(CacheStep::Upsert),
        4 => prop::sample::select(&KEYS).prop_map(|key| CacheStep::Remove(key.to_owned())),
        2 => (a_scope(), prop::collection::vec(any_thing(), 0..9)).prop_map(|(scope, list)| CacheStep::Replace(scope, list)),
        1 => a_scope().prop_map(CacheStep::RemoveScope),
        5 => Just(CacheStep::Publish),
        4 => (1..5usize).prop_map(CacheStep::Maintain),
        3 => prop::sample::select(&INDEXES).prop_map(CacheStep::AddIndex),
        1 => prop::sample::select(&INDEXES).prop_map(CacheStep::RemoveIndex),
        2 => Just(CacheStep::KeepSnapshot),
    ]
}

proptest! {
    // holds: S4, S5, S6, S8, S9, S10, S11, S13, X14, X17, X23
    #[test]
    fn the_cache_and_every_snapshot_equal_a_plain_map(
        steps in prop::collection::vec(a_step(), 0..60),
    ) {
        let (mut writer, reader) = indexer();
        let (mut written, mut published) = (Objects::new(), Objects::new());
        let mut version = 0;
        let mut snapshots = Vec::new();
        for step in steps {
            match step {
                CacheStep::Upsert(thing) => {
                    let object = thing.built();
                    let old = written.insert(thing.key.clone(), Arc::clone(&object));
                    prop_assert!(same(writer.upsert(object).as_ref(), old.as_ref()));
                }
                CacheStep::Remove(key) => {
                    prop_assert!(same(writer.remove(&key).as_ref(), written.remove(&key).as_ref()));
                }
                CacheStep::Replace(scope, list) => {
                    let list = list.iter().map(Thing::built).collect::<Vec<_>>();
                    let summary = writer.replace(&scope, list.clone());
                    check_replaced(&scope, list, &mut written, &summary)?;
                }
                CacheStep::RemoveScope(scope) => {
                    let removed = written.extract_if(.., |_, object| scope.contains(object.namespace()));
                    let removed = removed.map(|(key, _)| key).collect::<Vec<_>>();
                    prop_assert_eq!(keys(&writer.remove_scope(&scope)), removed);
                }
                CacheStep::Publish => {
                    version += 1;
                    published = written.clone();
                    writer.publish(Some(Version::from(version)));
                }
                CacheStep::Maintain(budget) => _ = writer.maintain(budget),
                CacheStep::AddIndex(name) => _ = reader.add_index(index(name)),
                CacheStep::RemoveIndex(name) => _ = reader.remove_index(name),
                CacheStep::KeepSnapshot => snapshots.push((reader.snapshot(), published.clone(), version)),
            }
            check(&reader.snapshot(), &published, version)?;
            prop_assert_eq!(writer.len(), written.len());
            prop_assert!(written.iter().all(|(key, object)| same(writer.get(key), Some(object))));
        }
        for (snapshot, objects, version) in snapshots {
            check(&snapshot, &objects, version)?;
        }
        while writer.maintain(2) {}
        writer.publish(None);
        prop_assert_eq!(reader.snapshot().indexes(), reader.indexes());
        check(&reader.snapshot(), &written, version)?;
    }
}

fn same(a: Option<&Arc<RawObject>>, b: Option<&Arc<RawObject>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Replaces a scope of the map, and compares the changes with the summary of the cache.
fn check_replaced(
    scope: &StreamScope,
    list: Vec<Arc<RawObject>>,
    objects: &mut Objects,
    summary: &ReplaceSummary,
) -> Result<(), TestCaseError> {
    let list = list.into_iter().map(|object| (object.key().to_string(), object)).collect::<Objects>();
    let (inside, outside) = list.into_iter().partition::<Objects, _>(|(_, o)| scope.contains(o.namespace()));
    let removed =
        objects.extract_if(.., |key, object| scope.contains(object.namespace()) && !inside.contains_key(key));
    prop_assert_eq!(keys(&summary.removed), removed.map(|(key, _)| key).collect::<Vec<_>>());
    prop_assert_eq!(keys(&summary.out_of_scope), outside.into_keys().collect::<Vec<_>>());
    let (mut added, mut updated, mut unchanged) = (Vec::new(), Vec::new(), 0);
    for (key, object) in inside {
        match objects.get(&key) {
            None => added.push(key.clone()),
            Some(own) if own.is_unchanged(&object) => {
                unchanged += 1;
                continue;
            }
            Some(_) => updated.push(key.clone()),
        }
        objects.insert(key, object);
    }
    let changed = |is_update| {
        let changed = summary.changed.iter().filter(move |(old, _)| old.is_some() == is_update);
        changed.map(|(_, new)| Arc::clone(new)).collect::<Vec<_>>()
    };
    prop_assert_eq!(
        (keys(&changed(false)), keys(&changed(true)), summary.unchanged),
        (added, updated, unchanged)
    );
    Ok(())
}

/// Compares every read of a snapshot with the map.
fn check(snapshot: &Snapshot, objects: &Objects, version: u64) -> Result<(), TestCaseError> {
    prop_assert_eq!(snapshot.version(), (version > 0).then(|| Version::from(version)));
    prop_assert_eq!(keys(&snapshot.list()), objects.keys().cloned().collect::<Vec<_>>());
    prop_assert_eq!((snapshot.len(), snapshot.memory().objects), (objects.len(), objects.len()));
    let bytes = objects.values().map(|object| object.memory_bytes()).sum::<usize>();
    prop_assert_eq!(snapshot.memory().object_bytes, bytes);
    for key in KEYS {
        prop_assert!(same(snapshot.get(key).as_ref(), objects.get(key)), "{}", key);
    }
    let indexes = snapshot.indexes();
    let mut all = Vec::new();
    for name in &indexes {
        let mut expected = BTreeMap::<String, BTreeSet<String>>::new();
        for (key, object) in objects {
            for value in values(name, object) {
                expected.entry(value).or_default().insert(key.clone());
            }
        }
        prop_assert_eq!(snapshot.index_values(name).unwrap(), expected.keys().cloned().collect::<Vec<_>>());
        for (value, expected) in expected {
            let indexed = snapshot.index_keys(name, &value).unwrap();
            prop_assert!(indexed.iter().map(|key| key.as_str()).eq(expected.iter().map(String::as_str)));
            let read = snapshot.by_index(name, &value).unwrap();
            prop_assert!(read.iter().all(|object| same(Some(object), objects.get(&*object.key()))));
            prop_assert_eq!(read.len(), expected.len());
            all.push((name, value, expected));
        }
    }
    for ((a, x, in_a), (b, y, in_b)) in all.iter().zip(all.iter().rev()) {
        let both = snapshot.by_indexes(&[(a, x), (b, y)]).unwrap();
        prop_assert!(keys(&both).iter().eq(in_a.intersection(in_b)));
    }
    let selector = LabelSelector::parse("app=app-1").unwrap();
    for namespace in [None, Some("a")] {
        let matching = objects.iter().filter(|(_, object)| {
            object.labels().value("app") == Some("app-1")
                && namespace.is_none_or(|namespace| object.namespace() == Some(namespace))
        });
        let matching = matching.map(|(key, _)| key.clone()).collect::<Vec<_>>();
        prop_assert_eq!(keys(&snapshot.select(namespace, &selector)), matching);
    }
    Ok(())
}
