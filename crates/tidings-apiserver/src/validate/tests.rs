//! Tests of valid and invalid objects, with the causes of the errors.

use proptest::prelude::*;

use super::*;
use crate::patch::merge::tests::json_without_nulls;
use crate::resource::builtin::builtin_resources;

fn def(kind: &str) -> ResourceDef {
    builtin_resources().into_iter().find(|def| def.kind == kind).expect("a built-in kind")
}

/// A valid object of a kind, with a merge patch applied.
fn object(kind: &str, patch: Value) -> Value {
    let pod = json!({"containers": [{"name": "c", "image": "i"}]});
    let template = json!({"metadata": {"labels": {"app": "x"}}, "spec": pod});
    let mut object = match kind {
        "Pod" => json!({"spec": pod}),
        "Deployment" => json!({"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": template}}),
        "Service" => json!({"spec": {"ports": [{"port": 80}]}}),
        _ => json!({}),
    };
    object["metadata"] = json!({"name": "a", "namespace": "default"});
    if matches!(kind, "Namespace" | "ClusterRole") {
        object["metadata"] = json!({"name": "a"});
    }
    crate::patch::merge::patched(&object, &patch)
}

fn check(kind: &str, patch: Value, expected: &[&str]) {
    let object = object(kind, patch);
    let found = match create(&def(kind), &object) {
        Ok(()) => Vec::new(),
        Err(error) => {
            assert_eq!((error.code, error.reason), (422, "Invalid"));
            assert_eq!(error.details.kind, kind);
            error.details.causes.into_iter().map(|cause| cause.field).collect()
        }
    };
    assert_eq!(found, expected, "{object}");
}

#[test]
fn valid_objects_are_accepted() {
    for kind in ["Pod", "Deployment", "Service", "ConfigMap", "Secret", "Namespace", "ClusterRole"] {
        check(kind, json!({}), &[]);
    }
    check("Pod", json!({"metadata": {"name": "a.b-c", "labels": {"example.com/a": "", "b": "C"}}}), &[]);
    check("ClusterRole", json!({"metadata": {"name": "system:A b"}}), &[]);
    check("Service", json!({"spec": {"clusterIP": "None", "ports": null}}), &[]);
    check("Pod", json!({"metadata": {"finalizers": ["orphan", "example.com/x"]}}), &[]);
}

#[test]
fn invalid_objects_are_refused_with_a_cause_per_field() {
    for (kind, patch, expected) in [
        ("Pod", json!({"metadata": {"name": null}}), &["metadata.name"][..]),
        ("Pod", json!({"metadata": {"name": "A"}}), &["metadata.name"]),
        ("Pod", json!({"metadata": {"namespace": null}}), &["metadata.namespace"]),
        ("Namespace", json!({"metadata": {"name": "a.b"}}), &["metadata.name"]),
        ("Namespace", json!({"metadata": {"namespace": "x"}}), &["metadata.namespace"]),
        ("Service", json!({"metadata": {"name": "a.b"}}), &["metadata.name"]),
        ("ClusterRole", json!({"metadata": {"name": "a/b"}}), &["metadata.name"]),
        (
            "ConfigMap",
            json!({"metadata": {"labels": {"-": "x", "a": "?"}}}),
            &["metadata.labels", "metadata.labels"],
        ),
        ("ConfigMap", json!({"metadata": {"annotations": {"a b": "x"}}}), &["metadata.annotations"]),
        (
            "ConfigMap",
            json!({"metadata": {"annotations": {"a": "x".repeat(256 * 1024)}}}),
            &["metadata.annotations"],
        ),
        ("ConfigMap", json!({"metadata": {"finalizers": ["mine"]}}), &["metadata.finalizers[0]"]),
        (
            "ConfigMap",
            json!({"metadata": {"ownerReferences": [{"kind": "a", "apiVersion": "v1", "name": "x"}]}}),
            &["metadata.ownerReferences[0].uid"],
        ),
        ("ConfigMap", json!({"data": {"a/b": "x"}}), &["data[a/b]"]),
        ("Pod", json!({"spec": {"containers": []}}), &["spec.containers"]),
        (
            "Pod",
            json!({"spec": {"containers": [{}]}}),
            &["spec.containers[0].name", "spec.containers[0].image"],
        ),
        (
            "Pod",
            json!({"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "a", "image": "x"}]}}),
            &["spec.containers[1].name"],
        ),
        (
            "Deployment",
            json!({"spec": {"selector": null}}),
            &["spec.selector", "spec.template.metadata.labels"],
        ),
        (
            "Deployment",
            json!({"spec": {"selector": {"matchLabels": {"app": "y"}}}}),
            &["spec.template.metadata.labels"],
        ),
        ("Deployment", json!({"spec": {"replicas": -1}}), &["spec.replicas"]),
        ("Service", json!({"spec": {"ports": null}}), &["spec.ports"]),
        (
            "Service",
            json!({"spec": {"ports": [{"port": 0}]}}),
            &["spec.ports[0].port", "spec.ports[0].targetPort"],
        ),
    ] {
        check(kind, patch, expected);
    }
}

#[test]
fn the_message_names_object_field_and_value() {
    let error =
        create(&def("Pod"), &object("Pod", json!({"metadata": {"name": "A"}}))).expect_err("upper case");
    assert!(
        error.message.starts_with("Pod \"A\" is invalid: metadata.name: Invalid value: \"A\": "),
        "{error}"
    );
}

#[test]
fn immutable_fields_can_not_change() {
    for (kind, old, new, expected) in [
        ("Pod", json!({"metadata": {"uid": "1"}}), json!({"metadata": {"uid": "2"}}), &["metadata.uid"][..]),
        ("Pod", json!({"metadata": {"uid": "1"}}), json!({}), &[]),
        (
            "ConfigMap",
            json!({"data": {"a": "1"}, "immutable": true}),
            json!({"data": {"a": "2"}, "immutable": true}),
            &["data"],
        ),
        ("Secret", json!({"type": "Opaque"}), json!({"type": "x"}), &["type"]),
        (
            "Deployment",
            json!({}),
            json!({"spec": {"selector": {"matchLabels": {"app": "x", "b": "c"}},
            "template": {"metadata": {"labels": {"b": "c"}}}}}),
            &["spec.selector"],
        ),
        (
            "Pod",
            json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
            json!({"metadata": {"finalizers": ["a/b"]}}),
            &["metadata.finalizers"],
        ),
    ] {
        let found = match update(&def(kind), &object(kind, old), &object(kind, new)) {
            Ok(()) => Vec::new(),
            Err(error) => error.details.causes.into_iter().map(|cause| cause.field).collect(),
        };
        assert_eq!(found, expected, "{kind}");
    }
}

#[test]
fn kind_and_version_are_filled_in_or_must_match() {
    let mut pod = json!({});
    type_meta(&def("Pod"), &mut pod).expect("a built-in kind may leave them out");
    assert_eq!(pod, json!({"kind": "Pod", "apiVersion": "v1"}));
    for mut wrong in [json!({"kind": "Node"}), json!({"apiVersion": "v2"}), json!([])] {
        assert_eq!(type_meta(&def("Pod"), &mut wrong).map_err(|error| error.code), Err(400));
    }
}

#[test]
fn name_and_namespace_match_those_of_the_request() {
    let mut pod = json!({});
    placement(&def("Pod"), &mut pod, "ns", Some("a")).expect("both are filled in");
    assert_eq!(pod, json!({"metadata": {"name": "a", "namespace": "ns"}}));
    for mut wrong in
        [json!({"metadata": {"name": "b"}}), json!({"metadata": {"namespace": "b"}}), json!({"metadata": 1})]
    {
        assert_eq!(placement(&def("Pod"), &mut wrong, "ns", Some("a")).map_err(|error| error.code), Err(400));
    }
}

#[test]
fn wrong_types_are_refused_and_unknown_fields_are_dropped() {
    let mut pod =
        object("Pod", json!({"spec": {"flavour": "x", "containers": [{"name": "a", "colour": 1}]}}));
    let unknown = field_types::conform(&def("Pod"), &mut pod).expect("all types are right");
    assert_eq!(unknown, ["spec.flavour", "spec.containers[0].colour"]);
    assert_eq!(pod["spec"], json!({"containers": [{"name": "a"}]}));
    for (kind, wrong) in [
        ("Pod", json!({"spec": {"containers": "x"}})),
        ("Pod", json!({"metadata": {"labels": ["a"]}})),
        ("Pod", json!({"metadata": {"labels": {"a": 1}}})),
        ("Pod", json!({"spec": {"terminationGracePeriodSeconds": "30"}})),
        ("Pod", json!({"metadata": {"creationTimestamp": "yesterday"}})),
        ("Secret", json!({"data": {"a": "no base64!"}})),
        ("Deployment", json!({"spec": {"replicas": 1.5}})),
    ] {
        let mut object = object(kind, wrong.clone());
        let found = field_types::conform(&def(kind), &mut object).map_err(|error| error.code);
        assert_eq!(found, Err(400), "{wrong}");
    }
}

#[test]
fn values_that_a_go_struct_omits_are_not_stored() {
    let mut pod = object(
        "Pod",
        json!({"metadata": {"labels": {}, "finalizers": [], "creationTimestamp": null}, "spec": {"hostNetwork": false,
            "nodeName": "", "terminationGracePeriodSeconds": 0, "containers": [{"name": "", "resources": {}, "env": []}],
            "volumes": [{"name": "v", "emptyDir": {}}]}}),
    );
    pod["metadata"]["creationTimestamp"] = Value::Null;
    assert_eq!(field_types::conform(&def("Pod"), &mut pod), Ok(vec![]));
    assert_eq!(
        pod,
        json!({"metadata": {"name": "a", "namespace": "default"}, "spec": {"terminationGracePeriodSeconds": 0,
            "containers": [{"name": "", "resources": {}}], "volumes": [{"name": "v", "emptyDir": {}}]}})
    );
}

#[test]
fn the_checked_in_corpus_does_not_panic() {
    crate::fuzz::run_corpus("validate", fuzz, 5);
}

proptest! {
    #[test]
    fn arbitrary_json_does_not_panic(object in json_without_nulls()) {
        fuzz(object.to_string().as_bytes());
    }
}
