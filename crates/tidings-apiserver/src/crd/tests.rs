//! Tests of definitions: their resources, validation, and the validation of their objects.

use proptest::prelude::*;

use super::*;
use crate::patch::merge::{patched, tests::json_without_nulls};

const TIME: &str = "2026-01-01T00:00:00Z";

fn schema() -> Value {
    let spec = json!({"type": "object", "required": ["color"], "properties": {
        "color": {"type": "string", "enum": ["red", "blue"]},
        "replicas": {"type": "integer", "minimum": 0, "maximum": 10, "default": 1},
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
        "size": {"x-kubernetes-int-or-string": true},
        "parts": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {
            "id": {"type": "string", "default": "x"}, "on": {"type": "boolean", "nullable": true}}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    }});
    let status = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({"type": "object", "required": ["spec"], "properties": {"spec": spec, "status": status}})
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"], "categories": ["all"]},
            "versions": [
                {"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}},
                {"name": "v1alpha1", "served": false, "storage": false,
                    "schema": {"openAPIV3Schema": {"type": "object"}}},
                {"name": "v1", "served": true, "storage": true,
                    "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas"}},
                    "selectableFields": [{"jsonPath": ".spec.color"}],
                    "additionalPrinterColumns": [{"name": "Color", "type": "string", "jsonPath": ".spec.color"}],
                    "schema": {"openAPIV3Schema": schema()}},
            ],
        },
    })
}

fn widget() -> ResourceDef {
    resources(&definition()).remove(0)
}

#[test]
fn each_served_version_is_a_resource_and_all_share_their_objects() {
    let found = resources(&definition());
    let versions: Vec<_> = found.iter().map(|def| def.version.as_ref()).collect();
    assert_eq!(versions, ["v1", "v1beta1"]);
    assert!(found.iter().all(|def| def.storage == "example.com/widgets"));
    let def = &found[0];
    assert_eq!(
        (def.kind.as_ref(), def.list_kind.as_ref(), def.singular.as_ref()),
        ("Widget", "WidgetList", "widget")
    );
    assert_eq!(def.short_names, ["wd"]);
    assert!(def.is_namespaced() && def.has_status() && def.subresource("scale").is_some());
    assert!(!found[1].has_status());
    assert_eq!(def.selectable_fields[0].name, "spec.color");
    let origin = def.custom().expect("a custom resource");
    assert_eq!(origin.printer_columns[0].json_path, ".spec.color");
    assert_eq!(origin.scale.as_ref().map(|scale| scale.spec_replicas.as_str()), Some(".spec.replicas"));
}

#[test]
fn a_valid_definition_is_established_once() {
    let mut crd = definition();
    set_defaults(&mut crd);
    assert_eq!(validate(&crd), []);
    assert_eq!(crd["spec"]["names"]["listKind"], "WidgetList");
    establish(&mut crd, TIME);
    assert_eq!(crd["status"]["storedVersions"], json!(["v1"]));
    assert_eq!(crd["status"]["acceptedNames"]["singular"], "widget");
    let established = crd.clone();
    establish(&mut crd, "2027-01-01T00:00:00Z");
    assert_eq!(crd, established);
}

#[test]
fn an_invalid_definition_is_refused_with_a_cause_per_field() {
    for (patch, expected) in [
        (json!({"metadata": {"name": "other"}}), "metadata.name"),
        (json!({"metadata": {"name": "widgets.example"}, "spec": {"group": "example"}}), "spec.group"),
        (json!({"spec": {"scope": "Everywhere"}}), "spec.scope"),
        (json!({"spec": {"names": {"kind": null}}}), "spec.names.kind"),
        (json!({"spec": {"names": {"singular": "a.b"}}}), "spec.names.singular"),
        (
            json!({"spec": {"versions": [{"name": "v1", "served": true, "storage": true}]}}),
            "spec.versions[0].schema.openAPIV3Schema",
        ),
        (json!({"spec": {"versions": []}}), "spec.versions"),
    ] {
        let causes = validate(&patched(&definition(), &patch));
        assert_eq!(causes[0].field, expected, "{patch}");
        assert!(causes.iter().skip(1).all(|cause| cause.field == "status.storedVersions"), "{causes:?}");
    }
}

#[test]
fn versions_have_the_rank_of_kubernetes() {
    let mut names = ["foo1", "v1alpha2", "v3beta1", "v10", "v2", "v12alpha1", "v11beta2", "v1"];
    names.sort_by_key(|name| std::cmp::Reverse(version_priority(name)));
    assert_eq!(names, ["v10", "v2", "v1", "v11beta2", "v3beta1", "v12alpha1", "v1alpha2", "foo1"]);
}

#[test]
fn unknown_fields_are_dropped_and_defaults_are_set() {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "labels": {}},
        "spec": {"color": "red", "flavour": 1, "parts": [{"extra": 1, "on": null}], "free": {"any": {"thing": 1}},
            "labels": {"a": "b"}, "replicas": null}, "other": 1, "status": {"any": 1}});
    let (dropped, causes) = conform(&widget(), &mut object);
    assert_eq!(dropped, ["other", "spec.flavour", "spec.parts[0].extra"]);
    assert_eq!(causes, []);
    assert_eq!(
        object["spec"],
        json!({"color": "red", "replicas": 1, "parts": [{"id": "x", "on": null}], "free": {"any": {"thing": 1}},
            "labels": {"a": "b"}})
    );
    assert_eq!(object["status"], json!({"any": 1}));
}

#[test]
fn values_are_checked_against_the_schema() {
    for (spec, field, reason) in [
        (json!({}), "spec.color", "FieldValueRequired"),
        (json!({"color": "green"}), "spec.color", "FieldValueNotSupported"),
        (json!({"color": "red", "replicas": "1"}), "spec.replicas", "FieldValueTypeInvalid"),
        (json!({"color": "red", "replicas": 1.5}), "spec.replicas", "FieldValueTypeInvalid"),
        (json!({"color": "red", "replicas": -1}), "spec.replicas", "FieldValueInvalid"),
        (json!({"color": "red", "replicas": 11}), "spec.replicas", "FieldValueInvalid"),
        (json!({"color": "red", "name": "A"}), "spec.name", "FieldValueInvalid"),
        (json!({"color": "red", "name": "abcdef"}), "spec.name", "FieldValueTooLong"),
        (json!({"color": "red", "size": true}), "spec.size", "FieldValueTypeInvalid"),
        (json!({"color": "red", "parts": [{}, {}, {}]}), "spec.parts", "FieldValueTooMany"),
        (json!({"color": "red", "parts": [{"on": "x"}]}), "spec.parts[0].on", "FieldValueTypeInvalid"),
        (json!({"color": "red", "labels": {"a": 1}}), "spec.labels.a", "FieldValueTypeInvalid"),
        (json!({"color": "red", "tags": ["a", "a"]}), "spec.tags[1]", "FieldValueDuplicate"),
    ] {
        let mut object = json!({"spec": spec});
        let (_, causes) = conform(&widget(), &mut object);
        let found: Vec<_> =
            causes.iter().map(|cause| (cause.field.as_str(), cause.reason.as_str())).collect();
        assert_eq!(found, [(field, reason)], "{object}");
    }
}

#[test]
fn an_object_that_is_read_in_another_version_has_that_version() {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget"});
    convert(&resources(&definition())[1], &mut object);
    assert_eq!(object["apiVersion"], "example.com/v1beta1");
}

#[test]
fn the_checked_in_corpus_does_not_panic() {
    crate::fuzz::run_corpus("crd", fuzz, 4);
}

proptest! {
    #[test]
    fn arbitrary_objects_and_schemas_do_not_panic(spec in json_without_nulls(), object in json_without_nulls()) {
        let crd = patched(&definition(), &json!({"spec": spec}));
        fuzz(format!("{crd}\n{object}").as_bytes());
        fuzz(format!("{}\n{}", definition(), json!({"spec": object})).as_bytes());
    }
}
