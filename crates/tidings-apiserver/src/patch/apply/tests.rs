//! Tests of field ownership after applies, updates and forced applies.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::patch::managed_fields::track;
use crate::patch::merge::tests::json_without_nulls;
use crate::resource::builtin::builtin_resources;

const TIME: &str = "2026-01-01T00:00:00Z";

fn def(kind: &str) -> ResourceDef {
    builtin_resources().into_iter().find(|def| def.kind == kind).expect("a built-in kind")
}

fn writer(manager: &str) -> FieldWriter<'_> {
    FieldWriter { manager, subresource: "", time: TIME }
}

fn apply(kind: &str, live: Option<&Value>, manager: &str, config: Value) -> Result<Value, ApplyError> {
    applied(&def(kind), live, &config, &writer(manager), OnConflict::Refuse)
}

fn force(kind: &str, live: &Value, manager: &str, config: Value) -> Value {
    applied(&def(kind), Some(live), &config, &writer(manager), OnConflict::Force).expect("forced")
}

fn update(kind: &str, live: Option<&Value>, manager: &str, mut new: Value) -> Value {
    track(&def(kind), live, &mut new, &writer(manager));
    new
}

fn deployment(spec: Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
}

fn without_managed_fields(mut object: Value) -> Value {
    object["metadata"].as_object_mut().expect("metadata").remove("managedFields");
    object
}

fn fields_by(object: &Value, manager: &str) -> Value {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    entries
        .into_iter()
        .find(|entry| entry["manager"] == manager)
        .map_or(Value::Null, |entry| entry["fieldsV1"].clone())
}

#[test]
fn an_apply_without_a_live_object_creates_it_and_owns_its_fields() {
    let config = deployment(json!({"replicas": 1, "template": {"spec": {"containers": [
        {"name": "a", "image": "x", "ports": [{"containerPort": 80}], "args": ["1"]}]}}}));
    let object = apply("Deployment", None, "me", config.clone()).expect("nothing conflicts");
    assert_eq!(
        object["metadata"]["managedFields"],
        json!([{
            "manager": "me", "operation": "Apply", "apiVersion": "apps/v1", "time": TIME, "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:containers": {
                "k:{\"name\":\"a\"}": {".": {}, "f:args": {}, "f:image": {}, "f:name": {}, "f:ports": {
                    "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}}}}}}},
        }])
    );
    assert_eq!(without_managed_fields(object), config);
}

#[test]
fn fields_that_are_no_longer_applied_are_removed() {
    let first = deployment(json!({"replicas": 3, "paused": true, "template": {"spec": {"containers": [
        {"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}}}));
    let second = deployment(
        json!({"replicas": 3, "template": {"spec": {"containers": [{"name": "a", "image": "x"}]}}}),
    );
    let live = apply("Deployment", None, "me", first).expect("nothing conflicts");
    let object = apply("Deployment", Some(&live), "me", second.clone()).expect("nothing conflicts");
    assert_eq!(without_managed_fields(object), second);
}

#[test]
fn the_last_label_that_is_no_longer_applied_is_removed_with_its_map() {
    let config = |metadata: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let live =
        apply("ConfigMap", None, "me", config(json!({"name": "a", "labels": {"x": "1"}}))).expect("new");
    let object = apply("ConfigMap", Some(&live), "me", config(json!({"name": "a"}))).expect("mine");
    assert_eq!(object, config(json!({"name": "a"})));
}

#[test]
fn a_field_with_two_owners_stays_when_one_stops_applying_it() {
    let config = deployment(json!({"replicas": 3, "paused": true}));
    let live = apply("Deployment", None, "me", config.clone()).expect("new");
    let live = apply("Deployment", Some(&live), "you", config.clone()).expect("equal values are shared");
    let object = apply("Deployment", Some(&live), "me", deployment(json!({"paused": true}))).expect("mine");
    assert_eq!(object["spec"]["replicas"], 3);
    assert_eq!(fields_by(&object, "me"), json!({"f:spec": {"f:paused": {}}}));
    assert_eq!(fields_by(&object, "you"), json!({"f:spec": {"f:paused": {}, "f:replicas": {}}}));
}

#[test]
fn changing_a_field_of_another_manager_is_a_conflict() {
    let live =
        apply("Deployment", None, "me", deployment(json!({"replicas": 3, "paused": true}))).expect("new");
    let error = apply("Deployment", Some(&live), "you", deployment(json!({"replicas": 4, "paused": true})))
        .expect_err("replicas is theirs")
        .into_api_error();
    assert_eq!((error.code, error.reason), (409, "Conflict"));
    assert_eq!(error.message, "Apply failed with 1 conflict: conflict with \"me\": .spec.replicas");
    assert_eq!(
        error.details.causes,
        [StatusCause::field("FieldManagerConflict", ".spec.replicas", "conflict with \"me\"")]
    );
}

#[test]
fn a_conflict_in_a_list_with_keys_names_the_item() {
    let image = |image: &str| {
        deployment(json!({"template": {"spec": {"containers": [{"name": "a", "image": image}]}}}))
    };
    let live = update("Deployment", None, "kubectl-create", image("x"));
    let error =
        apply("Deployment", Some(&live), "me", image("y")).expect_err("image is theirs").into_api_error();
    assert_eq!(error.details.causes[0].field, ".spec.template.spec.containers[name=\"a\"].image");
    assert_eq!(
        error.details.causes[0].message,
        format!("conflict with \"kubectl-create\" using apps/v1 at {TIME}")
    );
}

#[test]
fn a_forced_field_changes_its_owner() {
    let live =
        apply("Deployment", None, "me", deployment(json!({"replicas": 3, "paused": true}))).expect("new");
    let object = force("Deployment", &live, "you", deployment(json!({"replicas": 4})));
    assert_eq!(object["spec"]["replicas"], 4);
    assert_eq!(fields_by(&object, "me"), json!({"f:spec": {"f:paused": {}}}));
    assert_eq!(fields_by(&object, "you"), json!({"f:spec": {"f:replicas": {}}}));
}

#[test]
fn an_update_takes_the_ownership_of_the_fields_it_changes() {
    let live =
        apply("Deployment", None, "me", deployment(json!({"replicas": 3, "paused": true}))).expect("new");
    let mut scaled = live.clone();
    scaled["spec"]["replicas"] = json!(5);
    let object = update("Deployment", Some(&live), "scaler", scaled);
    assert_eq!(fields_by(&object, "me"), json!({"f:spec": {"f:paused": {}}}));
    assert_eq!(fields_by(&object, "scaler"), json!({"f:spec": {"f:replicas": {}}}));
    let back = apply("Deployment", Some(&object), "me", deployment(json!({"replicas": 3, "paused": true})));
    assert!(matches!(back, Err(ApplyError::Conflicts(found)) if found.len() == 1));
}

#[test]
fn a_field_that_an_update_removes_has_no_owner() {
    let live =
        apply("Deployment", None, "me", deployment(json!({"replicas": 3, "paused": true}))).expect("new");
    let mut less = live.clone();
    less["spec"].as_object_mut().expect("spec").remove("paused");
    let object = update("Deployment", Some(&live), "other", less);
    assert_eq!(fields_by(&object, "me"), json!({"f:spec": {"f:replicas": {}}}));
    assert_eq!(fields_by(&object, "other"), Value::Null);
}

#[test]
fn a_created_object_is_owned_by_its_creator() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": "1"},
        "finalizers": ["a/b"], "ownerReferences": [{"uid": "u", "name": "n", "kind": "K", "apiVersion": "v1"}]},
        "spec": {"containers": [{"name": "c", "image": "i"}], "nodeSelector": {"a": "b"}}});
    let object = update("Pod", None, "kubectl-create", pod);
    let entry = &object["metadata"]["managedFields"][0];
    assert_eq!((&entry["operation"], &entry["apiVersion"]), (&json!("Update"), &json!("v1")));
    assert_eq!(
        entry["fieldsV1"],
        json!({
            "f:metadata": {"f:labels": {".": {}, "f:x": {}}, "f:finalizers": {".": {}, "v:\"a/b\"": {}},
                "f:ownerReferences": {".": {}, "k:{\"uid\":\"u\"}": {}}},
            "f:spec": {"f:containers": {".": {}, "k:{\"name\":\"c\"}": {".": {}, "f:image": {}, "f:name": {}}},
                "f:nodeSelector": {}},
        })
    );
}

#[test]
fn an_object_without_managed_fields_belongs_to_before_first_apply() {
    let live = deployment(json!({"replicas": 3}));
    let error =
        apply("Deployment", Some(&live), "me", deployment(json!({"replicas": 4}))).expect_err("not mine");
    assert!(error.into_api_error().message.contains("before-first-apply"));
}

#[test]
fn an_apply_to_the_object_leaves_status_and_one_to_status_leaves_the_object() {
    let config = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 1}, "status": {"replicas": 9}});
    let object = apply("Deployment", None, "me", config.clone()).expect("new");
    assert_eq!(object["status"], Value::Null);
    let writer = FieldWriter { manager: "me", subresource: "status", time: TIME };
    let mut theirs = config;
    theirs["spec"]["replicas"] = json!(7);
    let object =
        applied(&def("Deployment"), Some(&object), &theirs, &writer, OnConflict::Refuse).expect("apart");
    assert_eq!((&object["spec"]["replicas"], &object["status"]["replicas"]), (&json!(1), &json!(9)));
    assert_eq!(object["metadata"]["managedFields"].as_array().map(Vec::len), Some(2));
}

#[test]
fn items_of_others_keep_their_position_in_a_list_with_keys() {
    let containers = |names: &[&str]| {
        let items: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": items}})
    };
    let live = apply("Pod", None, "injector", containers(&["side", "a"])).expect("new");
    let object = apply("Pod", Some(&live), "me", containers(&["a", "b"])).expect("no conflict");
    assert_eq!(without_managed_fields(object), containers(&["side", "a", "b"]));
}

#[test]
fn a_configuration_may_be_yaml_but_must_be_an_object_without_managed_fields() {
    let config = parsed(b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: \"1\"\n")
        .expect("yaml")
        .value;
    assert_eq!(config["data"]["x"], "1");
    assert!(parsed(b"- a\n- b\n").is_err());
    assert!(parsed(b"a: [").is_err());
    let owned = json!({"metadata": {"name": "a", "managedFields": []}});
    assert!(matches!(apply("ConfigMap", None, "me", owned), Err(ApplyError::ManagedFields)));
    assert!(matches!(apply("ConfigMap", None, "", json!({})), Err(ApplyError::NoManager)));
}

#[test]
fn many_writers_are_kept_as_a_bounded_number_of_entries() {
    let mut live = deployment(json!({"replicas": 1}));
    track(&def("Deployment"), None, &mut live, &writer("creator"));
    for n in 0..30 {
        let mut new = live.clone();
        new["metadata"]["labels"][format!("l{n}")] = json!("x");
        let time = format!("2026-01-01T00:00:{n:02}Z");
        let writer = FieldWriter { manager: &format!("writer-{n}"), subresource: "", time: &time };
        track(&def("Deployment"), Some(&live), &mut new, &writer);
        live = new;
    }
    let entries = live["metadata"]["managedFields"].as_array().expect("entries");
    assert_eq!(entries.len(), 10);
    assert_eq!(entries[0]["manager"], "ancient-changes");
}

#[test]
fn a_client_may_reset_the_entries_of_an_object() {
    let live = apply("Deployment", None, "me", deployment(json!({"replicas": 3}))).expect("new");
    let mut reset = live.clone();
    reset["metadata"]["managedFields"] = json!([{}]);
    let object = update("Deployment", Some(&live), "other", reset);
    assert_eq!(object["metadata"].get("managedFields"), None);
}

#[test]
fn a_manager_without_a_name_gets_the_name_of_its_program() {
    for (field_manager, user_agent, expected) in [
        (Some("me"), Some("kubectl/v1.36"), "me"),
        (None, Some("kubectl/v1.36 (linux)"), "kubectl"),
        (Some(""), None, "unknown"),
    ] {
        assert_eq!(managed_fields::manager_name(field_manager, user_agent), expected);
    }
}

fn pod_like() -> impl Strategy<Value = Value> {
    let containers = prop::collection::btree_map("[a-c]", prop::option::of("[x-z]"), 0..3);
    let labels = prop::collection::btree_map("[a-c]", "[x-z]", 0..3);
    let finalizers = prop::collection::btree_set("[a-c]/[x-z]", 0..3);
    (containers, labels, finalizers, prop::option::of(0..3i64), json_without_nulls()).prop_map(
        |(containers, labels, finalizers, grace, other)| {
            let containers: Vec<_> = containers
                .into_iter()
                .map(|(name, image)| match image {
                    Some(image) => json!({"name": name, "image": image}),
                    None => json!({"name": name}),
                })
                .collect();
            let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": "p", "labels": labels, "finalizers": finalizers},
                "spec": {"containers": containers, "other": other}});
            if let Some(grace) = grace {
                pod["spec"]["terminationGracePeriodSeconds"] = json!(grace);
            }
            pod
        },
    )
}

proptest! {
    #[test]
    fn applying_the_same_configuration_twice_changes_nothing(
        first in pod_like(), others in pod_like(), config in pod_like(),
    ) {
        let live = apply("Pod", None, "me", first).expect("new");
        let live = force("Pod", &live, "you", others);
        let once = force("Pod", &live, "me", config.clone());
        let later = FieldWriter { manager: "me", subresource: "", time: "2027-01-01T00:00:00Z" };
        let twice = applied(&def("Pod"), Some(&once), &config, &later, OnConflict::Refuse).expect("all is mine");
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn one_applier_alone_gets_exactly_its_last_configuration(configs in prop::collection::vec(pod_like(), 1..4)) {
        let last = configs.last().cloned().expect("at least one");
        let object = configs.into_iter().fold(None, |live, config| {
            Some(apply("Pod", live.as_ref(), "me", config).expect("all is mine"))
        });
        let emptied = |mut pod: Value| {
            // A map or list that lost its last item is removed; one that was applied empty stays.
            for (parent, name) in [("metadata", "labels"), ("metadata", "finalizers"), ("spec", "containers")] {
                let is_empty = pod[parent][name] == json!([]) || pod[parent][name] == json!({});
                if is_empty {
                    pod[parent].as_object_mut().expect("an object").remove(name);
                }
            }
            pod
        };
        let object = without_managed_fields(object.expect("at least one"));
        prop_assert_eq!(emptied(object), emptied(last));
    }

    #[test]
    fn arbitrary_objects_never_panic(live in json_without_nulls(), config in json_without_nulls()) {
        let _ = applied(&def("Pod"), Some(&live), &config, &writer("me"), OnConflict::Force);
        let mut new = config;
        track(&def("Pod"), Some(&live), &mut new, &writer("me"));
    }
}
