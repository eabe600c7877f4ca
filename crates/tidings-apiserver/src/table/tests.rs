//! Tests of the columns and cells of each kind.

use proptest::prelude::*;

use super::*;
use crate::patch::merge::tests::json_without_nulls;
use crate::resource::builtin::builtin_resources;

fn now() -> Timestamp {
    "2026-01-02T00:00:00Z".parse().expect("a time")
}

fn def(kind: &str) -> ResourceDef {
    builtin_resources().into_iter().find(|def| def.kind == kind).expect("a built-in kind")
}

fn headings_and_cells(def: &ResourceDef, mut object: Value) -> (String, Value) {
    object["metadata"]["name"] = json!("a");
    object["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
    let table = table(def, &json!({}), &[object], IncludeObject::Metadata, now());
    let columns = table["columnDefinitions"].as_array().expect("columns");
    let cells = table["rows"][0]["cells"].as_array().expect("cells");
    assert_eq!(columns.len(), cells.len());
    let visible = columns.iter().filter(|column| column["priority"] == 0);
    let headings: Vec<_> =
        visible.map(|column| column["name"].as_str().expect("a name").to_uppercase()).collect();
    let cells: Vec<_> = columns
        .iter()
        .zip(cells)
        .filter(|(column, _)| column["priority"] == 0)
        .map(|(_, cell)| cell)
        .collect();
    (headings.join(" "), json!(cells))
}

#[test]
fn kinds_have_the_columns_of_kubernetes() {
    let template =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for (kind, object, headings, cells) in [
        (
            "Pod",
            json!({"spec": {"containers": [{}, {}]}, "status": {"phase": "Running", "containerStatuses": [
                {"ready": true, "restartCount": 2, "state": {"running": {}},
                    "lastState": {"terminated": {"finishedAt": "2026-01-01T23:55:00Z"}}},
                {"ready": false, "restartCount": 1, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}}),
            "NAME READY STATUS RESTARTS AGE",
            json!(["a", "1/2", "CrashLoopBackOff", "3 (5m ago)", "24h"]),
        ),
        (
            "Deployment",
            json!({"spec": {"replicas": 3, "template": template}, "status": {"readyReplicas": 1, "updatedReplicas": 2}}),
            "NAME READY UP-TO-DATE AVAILABLE AGE",
            json!(["a", "1/3", 2, 0, "24h"]),
        ),
        (
            "Node",
            json!({"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}},
                "spec": {"unschedulable": true}, "status": {"nodeInfo": {"kubeletVersion": "v1.36.0"},
                "conditions": [{"type": "Ready", "status": "True"}]}}),
            "NAME STATUS ROLES AGE VERSION",
            json!(["a", "Ready,SchedulingDisabled", "control-plane", "24h", "v1.36.0"]),
        ),
        (
            "Service",
            json!({"spec": {"clusterIP": "10.0.0.1", "type": "NodePort",
                "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]}}),
            "NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE",
            json!(["a", "NodePort", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP", "24h"]),
        ),
        (
            "CustomResourceDefinition",
            json!({"spec": {"scope": "Cluster", "group": "example.com", "names": {"kind": "App", "shortNames": ["a", "b"]},
                "versions": [{"name": "v2", "served": true, "storage": true}, {"name": "v1", "served": true},
                    {"name": "v0", "served": false}]}}),
            "NAME SCOPE VERSIONS CREATED AT",
            json!(["a", "Cluster", "v1,v2(storage)", "2026-01-01T00:00:00Z"]),
        ),
        (
            "ConfigMap",
            json!({"data": {"x": "1"}, "binaryData": {"y": ""}}),
            "NAME DATA AGE",
            json!(["a", 2, "24h"]),
        ),
        ("Secret", json!({"type": "Opaque"}), "NAME TYPE DATA AGE", json!(["a", "Opaque", 0, "24h"])),
    ] {
        assert_eq!(headings_and_cells(&def(kind), object), (headings.to_owned(), cells), "{kind}");
    }
}

#[test]
fn small_kinds_have_the_columns_of_kubernetes() {
    for (kind, object, headings, cells) in [
        (
            "Namespace",
            json!({"status": {"phase": "Active"}}),
            "NAME STATUS AGE",
            json!(["a", "Active", "24h"]),
        ),
        ("Lease", json!({"spec": {"holderIdentity": "me"}}), "NAME HOLDER AGE", json!(["a", "me", "24h"])),
        (
            "Job",
            json!({"spec": {"completions": 1}, "status": {"succeeded": 1, "startTime": "2026-01-01T00:00:00Z",
                "completionTime": "2026-01-01T00:00:09Z", "conditions": [{"type": "Complete", "status": "True"}]}}),
            "NAME STATUS COMPLETIONS DURATION AGE",
            json!(["a", "Complete", "1/1", "9s", "24h"]),
        ),
        (
            "Event",
            json!({"type": "Normal", "reason": "Started", "involvedObject": {"kind": "Pod", "name": "p"},
                "message": "hello\n", "lastTimestamp": "2026-01-01T23:59:00Z"}),
            "LAST SEEN TYPE REASON OBJECT MESSAGE",
            json!(["60s", "Normal", "Started", "pod/p", "hello"]),
        ),
        ("LimitRange", json!({}), "NAME AGE", json!(["a", "24h"])),
    ] {
        assert_eq!(headings_and_cells(&def(kind), object), (headings.to_owned(), cells), "{kind}");
    }
}

#[test]
fn the_status_of_a_pod_is_the_most_specific_one() {
    for (object, expected) in [
        (json!({"status": {"phase": "Pending"}}), "Pending"),
        (json!({"status": {"phase": "Failed", "reason": "Evicted"}}), "Evicted"),
        (json!({"status": {"phase": "Running"}, "metadata": {"deletionTimestamp": "x"}}), "Terminating"),
        (json!({"status": {"phase": "Succeeded"}, "metadata": {"deletionTimestamp": "x"}}), "Succeeded"),
        (
            json!({"status": {"phase": "Succeeded",
            "containerStatuses": [{"state": {"terminated": {"reason": "Completed"}}}]}}),
            "Completed",
        ),
        (
            json!({"status": {"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 3}}}]}}),
            "ExitCode:3",
        ),
        (
            json!({"spec": {"initContainers": [{}, {}]}, "status": {"phase": "Pending", "initContainerStatuses": [
            {"state": {"terminated": {"exitCode": 0}}}, {"state": {"running": {}}}]}}),
            "Init:1/2",
        ),
        (
            json!({"spec": {"initContainers": [{}]}, "status": {"phase": "Pending", "initContainerStatuses": [
            {"state": {"waiting": {"reason": "ErrImagePull"}}}]}}),
            "Init:ErrImagePull",
        ),
        (json!({}), "Unknown"),
    ] {
        assert_eq!(pod::status(&object), expected, "{object}");
    }
}

#[test]
fn custom_resources_have_the_columns_of_their_definition() {
    let crd = json!({"metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com", "scope": "Cluster",
        "names": {"plural": "widgets", "kind": "Widget"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "additionalPrinterColumns": [
            {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
            {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
            {"name": "Missing", "type": "string", "jsonPath": ".spec.missing"},
            {"name": "Wide", "type": "string", "jsonPath": ".spec.wide", "priority": 1},
            {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}]}});
    let def = crate::crd::resources(&crd).remove(0);
    let object =
        json!({"spec": {"replicas": 3}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let expected = ("NAME READY REPLICAS MISSING SINCE".to_owned(), json!(["a", "True", 3, null, "24h"]));
    assert_eq!(headings_and_cells(&def, object), expected);
}

#[test]
fn a_row_has_as_much_of_its_object_as_requested() {
    let object = json!({"metadata": {"name": "a"}, "data": {}});
    let row = |include| {
        table(&def("ConfigMap"), &json!({}), std::slice::from_ref(&object), include, now())["rows"][0]["object"].clone()
    };
    assert_eq!(row(IncludeObject::None), Value::Null);
    assert_eq!(
        row(IncludeObject::Metadata),
        json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "a"}})
    );
    assert_eq!(
        row(IncludeObject::Object),
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {}})
    );
    assert!(IncludeObject::from_query(Some("Everything")).is_err());
}

#[test]
fn the_checked_in_corpus_does_not_panic() {
    crate::fuzz::run_corpus("table", fuzz, 5);
}

proptest! {
    #[test]
    fn arbitrary_objects_do_not_panic(path in "[.\\[\\]a-c?@='\"*0-9-]{0,12}", object in json_without_nulls()) {
        fuzz(format!("{path}\n{object}").as_bytes());
    }
}
