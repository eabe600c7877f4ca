//! Tests of strategic merge patches: object, patch, result.

use serde_json::json;

use super::*;
use crate::schema::builtin::schemas;

fn check(kind: (&str, &str, &str), object: Value, patch: Value, expected: Value) {
    let schema = schemas().kind(kind.0, kind.1, kind.2);
    let found = patched(&object, &patch, schema).expect("the patch can be applied");
    assert_eq!(found, expected, "{patch} on {object}");
}

const POD: (&str, &str, &str) = ("", "v1", "Pod");
const DEPLOYMENT: (&str, &str, &str) = ("apps", "v1", "Deployment");

#[test]
fn containers_merge_by_name() {
    check(
        POD,
        json!({"spec": {"containers": [{"name": "a", "image": "1", "args": ["x"]}, {"name": "b"}]}}),
        json!({"spec": {"containers": [{"name": "a", "image": "2"}, {"name": "c", "image": "3"}]}}),
        json!({"spec": {"containers": [
            {"name": "a", "image": "2", "args": ["x"]}, {"name": "c", "image": "3"}, {"name": "b"}]}}),
    );
}

#[test]
fn tolerations_and_arguments_are_replaced() {
    check(
        POD,
        json!({"spec": {"tolerations": [{"key": "a"}], "containers": [{"name": "a", "args": ["x", "y"]}]}}),
        json!({"spec": {"tolerations": [{"key": "b"}], "containers": [{"name": "a", "args": ["z"]}]}}),
        json!({"spec": {"tolerations": [{"key": "b"}], "containers": [{"name": "a", "args": ["z"]}]}}),
    );
}

#[test]
fn environment_and_ports_merge_inside_a_container() {
    check(
        DEPLOYMENT,
        json!({"spec": {"template": {"spec": {"containers": [{"name": "a",
            "env": [{"name": "X", "value": "1"}], "ports": [{"containerPort": 80, "name": "http"}]}]}}}}),
        json!({"spec": {"template": {"spec": {"containers": [{"name": "a",
            "env": [{"name": "Y", "value": "2"}], "ports": [{"containerPort": 81}]}]}}}}),
        json!({"spec": {"template": {"spec": {"containers": [{"name": "a",
            "env": [{"name": "Y", "value": "2"}, {"name": "X", "value": "1"}],
            "ports": [{"containerPort": 81}, {"containerPort": 80, "name": "http"}]}]}}}}),
    );
}

#[test]
fn an_item_is_deleted_by_directive() {
    check(
        POD,
        json!({"spec": {"volumes": [{"name": "a"}, {"name": "b"}]}}),
        json!({"spec": {"volumes": [{"name": "a", "$patch": "delete"}]}}),
        json!({"spec": {"volumes": [{"name": "b"}]}}),
    );
}

#[test]
fn a_list_and_a_map_are_replaced_by_directive() {
    check(
        POD,
        json!({"metadata": {"labels": {"a": "1"}}, "spec": {"containers": [{"name": "a"}]}}),
        json!({"metadata": {"labels": {"b": "2", "$patch": "replace"}},
            "spec": {"containers": [{"$patch": "replace"}, {"name": "b"}]}}),
        json!({"metadata": {"labels": {"b": "2"}}, "spec": {"containers": [{"name": "b"}]}}),
    );
}

#[test]
fn finalizers_merge_as_a_set_and_lose_single_items() {
    check(
        POD,
        json!({"metadata": {"finalizers": ["a/1", "b/2"]}}),
        json!({"metadata": {"finalizers": ["c/3", "b/2"], "$deleteFromPrimitiveList/finalizers": ["a/1"]}}),
        json!({"metadata": {"finalizers": ["c/3", "b/2"]}}),
    );
}

#[test]
fn items_have_the_order_of_the_directive() {
    check(
        POD,
        json!({"spec": {"containers": [{"name": "a"}, {"name": "server"}, {"name": "b"}]}}),
        json!({"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "c"}, {"name": "a"}],
            "containers": [{"name": "c", "image": "1"}]}}),
        json!({"spec": {"containers": [
            {"name": "server"}, {"name": "b"}, {"name": "c", "image": "1"}, {"name": "a"}]}}),
    );
    check(
        POD,
        json!({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}),
        json!({"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}),
        json!({"spec": {"containers": [{"name": "b"}, {"name": "a"}]}}),
    );
}

#[test]
fn only_retained_keys_stay() {
    check(
        DEPLOYMENT,
        json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}),
        json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        json!({"spec": {"strategy": {"type": "Recreate"}}}),
    );
}

#[test]
fn null_removes_and_new_parts_have_no_directives() {
    check(
        POD,
        json!({"metadata": {"labels": {"a": "1", "b": "2"}}}),
        json!({"metadata": {"labels": {"a": null}}, "spec": {"containers": [
            {"name": "x", "$patch": "merge", "env": [{"name": "e", "$patch": "merge", "value": null}]}]}}),
        json!({"metadata": {"labels": {"b": "2"}}, "spec": {"containers": [{"name": "x", "env": [{"name": "e"}]}]}}),
    );
}

#[test]
fn conditions_merge_by_type() {
    check(
        POD,
        json!({"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "x"}]}}),
        json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
        json!({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "x"}]}}),
    );
}

#[test]
fn a_patch_with_a_bad_directive_is_refused() {
    let schema = schemas().kind("", "v1", "Pod");
    for patch in [
        json!({"$patch": "explode"}),
        json!({"$patch": 1}),
        json!({"metadata": {"$retainKeys": "labels"}}),
        json!({"metadata": {"$retainKeys": ["labels"], "annotations": {}}}),
        json!({"metadata": {"$deleteFromPrimitiveList/finalizers": "x"}}),
        json!({"spec": {"containers": [{"image": "no name"}]}}),
        json!({"spec": {"containers": ["text"]}}),
        json!({"spec": {"containers": [{"name": "a"}], "$setElementOrder/containers": 1}}),
    ] {
        let object = json!({"metadata": {"finalizers": ["x"]}, "spec": {"containers": [{"name": "a"}]}});
        assert!(patched(&object, &patch, schema).is_err(), "{patch}");
    }
}
