//! Pruning: the pruned protobuf reads as the pruned JSON.

use serde_json::Value;
use tidings_protobuf::{PathStep, TypeMeta, from_slice, without};

use crate::equality::pairs::{Pair, pairs};
use crate::equality::paths::all_paths;

/// All paths of a small object are tested, and some of a large one.
const PATHS_PER_OBJECT: usize = 15;

/// Replaces a dropped item until all paths are applied, so that the indexes of later items stay.
const DROPPED: &str = "dropped by a path";

/// Drops the values at a path; an item of a list becomes [`DROPPED`].
fn prune(value: &mut Value, path: &[PathStep<'_>]) {
    match (path, value) {
        ([PathStep::Member(name)], Value::Object(members)) => drop(members.remove(&**name)),
        ([PathStep::Member(name), rest @ ..], Value::Object(members)) => {
            members.get_mut(&**name).into_iter().for_each(|member| prune(member, rest));
        }
        ([PathStep::Each], Value::Array(items)) => items.fill(DROPPED.into()),
        ([PathStep::Index(index)], Value::Array(items)) => {
            items.get_mut(*index).into_iter().for_each(|item| *item = DROPPED.into());
        }
        ([PathStep::Each, rest @ ..], Value::Array(items)) => {
            items.iter_mut().for_each(|item| prune(item, rest));
        }
        ([PathStep::Index(index), rest @ ..], Value::Array(items)) => {
            items.get_mut(*index).into_iter().for_each(|item| prune(item, rest));
        }
        _ => {}
    }
}

/// Removes [`DROPPED`] items, and what protobuf can't distinguish from absence: an empty list or map, and null.
fn without_nothings(value: &mut Value) {
    let is_something = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    };
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(without_nothings);
            members.retain(|_, value| is_something(value));
        }
        Value::Array(items) => {
            items.retain(|item| item != DROPPED);
            items.iter_mut().for_each(without_nothings);
        }
        _ => {}
    }
}

#[track_caller]
fn check(pair: &Pair, paths: &[Vec<PathStep<'_>>]) {
    let left = without(pair.message, &pair.protobuf, paths)
        .unwrap_or_else(|error| panic!("{} {paths:?}: {error}", pair.name()));
    let mut left: Value = from_slice(pair.message, TypeMeta::default(), &left)
        .unwrap_or_else(|error| panic!("{} {paths:?}: {error}", pair.name()));
    let mut wanted = pair.value();
    paths.iter().for_each(|path| prune(&mut wanted, path));
    without_nothings(&mut left);
    without_nothings(&mut wanted);
    assert_eq!(left, wanted, "{} {paths:?}", pair.name());
}

#[test]
fn dropping_any_path_leaves_what_dropping_it_from_the_json_leaves() {
    for pair in pairs() {
        let mut paths: Vec<_> =
            all_paths(&pair.value()).into_iter().filter(|path| !path.is_empty()).collect();
        paths.sort_by_key(|path| format!("{path:?}"));
        let step = paths.len().div_ceil(PATHS_PER_OBJECT).max(1);
        paths.iter().step_by(step).for_each(|path| check(&pair, std::slice::from_ref(path)));
        // Several at once; some contain others.
        let every_third: Vec<_> = paths.into_iter().step_by(3).collect();
        check(&pair, &every_third);
    }
}

#[test]
fn dropping_nothing_changes_no_byte() {
    let nowhere = vec![PathStep::Member("nothing".into()), PathStep::Each];
    for pair in pairs() {
        for paths in [vec![], vec![nowhere.clone()]] {
            let left = without(pair.message, &pair.protobuf, &paths).expect("a message");
            assert!(left == pair.protobuf, "{}", pair.name());
        }
    }
}
