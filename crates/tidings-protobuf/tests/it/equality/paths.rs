//! Paths: at every path of every object, `values_at` finds what the JSON has there.

use std::collections::HashSet;

use serde_json::Value;
use tidings_protobuf::{PathStep, values_at};

use crate::equality::pairs::pairs;

/// Every path that leads to a value or to a value inside it, with `[*]` and with indexes.
pub(crate) fn all_paths(value: &Value) -> HashSet<Vec<PathStep<'static>>> {
    let mut found = HashSet::from([vec![]]);
    let mut open = vec![(vec![], value)];
    while let Some((path, value)) = open.pop() {
        let parts: Vec<(PathStep<'static>, &Value)> = match value {
            Value::Object(members) => {
                members.iter().map(|(name, value)| (PathStep::Member(name.clone().into()), value)).collect()
            }
            Value::Array(items) => (0..)
                .zip(items)
                .flat_map(|(index, item)| [(PathStep::Each, item), (PathStep::Index(index), item)])
                .collect(),
            _ => vec![],
        };
        for (step, value) in parts {
            let path = [path.clone(), vec![step]].concat();
            found.insert(path.clone());
            open.push((path, value));
        }
    }
    found
}

fn expected<'a>(value: &'a Value, path: &[PathStep<'_>]) -> Vec<&'a Value> {
    match (path.split_first(), value) {
        (_, Value::Null) => vec![],
        (None, value) => vec![value],
        (Some((PathStep::Member(name), rest)), Value::Object(members)) => {
            members.get(&**name).map(|member| expected(member, rest)).unwrap_or_default()
        }
        (Some((PathStep::Each, rest)), Value::Array(items)) => {
            items.iter().flat_map(|item| expected(item, rest)).collect()
        }
        (Some((PathStep::Index(index), rest)), Value::Array(items)) => {
            items.get(*index).map(|item| expected(item, rest)).unwrap_or_default()
        }
        _ => vec![],
    }
}

#[test]
fn each_path_reads_from_protobuf_what_it_reads_from_json() {
    let mut paths = 0;
    for pair in pairs() {
        let value = pair.value();
        for path in all_paths(&value) {
            let found = values_at(pair.message, &pair.protobuf, &path)
                .unwrap_or_else(|error| panic!("{} {path:?}: {error}", pair.name()));
            let found: Vec<&Value> = found.iter().collect();
            assert_eq!(found, expected(&value, &path), "{} {path:?}", pair.name());
            paths += 1;
        }
    }
    assert!(paths > 20_000, "only {paths} paths");
}

#[test]
fn a_path_that_leads_nowhere_finds_nothing() {
    let member = |name: &'static str| PathStep::Member(name.into());
    for path in [
        vec![member("nothing")],
        vec![member("spec"), member("nothing")],
        vec![member("spec"), PathStep::Each],
        vec![member("spec"), PathStep::Index(0)],
        vec![PathStep::Each],
        vec![PathStep::Index(0)],
        vec![member("metadata"), member("finalizers"), PathStep::Index(1_000)],
        vec![member("metadata"), member("finalizers"), PathStep::Index(usize::MAX)],
        vec![member("metadata"), member("labels"), PathStep::Index(0)],
        vec![member("metadata"), member("name"), member("more")],
        vec![member("metadata"), member("labels"), member("absent")],
        vec![member("metadata"), member("labels"), PathStep::Each],
        vec![member("kind")],
    ] {
        for pair in pairs().iter().filter(|pair| pair.kind == "Pod") {
            let found = values_at(pair.message, &pair.protobuf, &path).expect("a pod");
            assert_eq!(found, Vec::<Value>::new(), "{path:?}");
        }
    }
}
