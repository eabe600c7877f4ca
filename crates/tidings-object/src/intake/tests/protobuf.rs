//! The same for protobuf.

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_protobuf::{encode, message};

use super::*;
use crate::Wire;

fn pod() -> Value {
    json!({
        "metadata": {"name": "web-0", "namespace": "shop", "uid": "u-1", "resourceVersion": "7"},
        "spec": {"containers": [{"name": "web", "image": "web:1", "resources": {}}], "nodeName": "node-1"},
        "status": {"phase": "Running"},
    })
}

fn bytes(object: &Value) -> Vec<u8> {
    encode(message("", "v1", "Pod").unwrap(), object).unwrap()
}

const NO_TYPE: TypeMeta<'static> = TypeMeta { api_version: None, kind: None };

fn of_type(api_version: &'static str, kind: &'static str) -> TypeMeta<'static> {
    TypeMeta { api_version: Some(api_version), kind: Some(kind) }
}

fn intake_protobuf(
    intake: &Intake,
    type_meta: TypeMeta<'_>,
    message: &[u8],
) -> Result<Arc<RawObject>, IntakeError> {
    intake.protobuf(type_meta, message, &NothingKnown)
}

fn as_value(object: &RawObject) -> Value {
    serde_json::from_slice(&object.json().unwrap()).unwrap()
}

// holds: X14, X23
#[test]
fn a_list_item_that_the_watch_sent_before_is_the_cached_object() {
    let (intake, message) = (intake(), bytes(&pod()));
    let watched = intake_protobuf(&intake, of_type("v1", "Pod"), &message).unwrap();
    assert_eq!((watched.wire(), watched.wire_bytes()), (Wire::Protobuf, message.len()));
    for type_meta in [NO_TYPE, of_type("", "")] {
        let listed = intake.protobuf(type_meta, &message, &Cache::of(&watched)).unwrap();
        assert!(Arc::ptr_eq(&watched, &listed));
    }
    let mut changed = pod();
    changed["spec"]["nodeName"] = "node-2".into();
    let changed = intake.protobuf(NO_TYPE, &bytes(&changed), &Cache::of(&watched)).unwrap();
    assert!(!Arc::ptr_eq(&watched, &changed));
}

#[test]
fn an_object_reads_the_same_from_list_and_watch_with_its_kind_added() {
    for type_meta in [NO_TYPE, of_type("v1", "Pod")] {
        let object = intake_protobuf(&intake(), type_meta, &bytes(&pod())).unwrap();
        assert_eq!(as_value(&object)["kind"], "Pod");
        assert_eq!(as_value(&object)["apiVersion"], "v1");
        for (path, text) in [
            (".kind", "Pod"),
            (".apiVersion", "v1"),
            (".kind.name", "<none>"),
            (".kind[*]", "<none>"),
            (".spec.containers[*].image", "web:1"),
        ] {
            assert_eq!(object.field(path).unwrap().to_string(), text, "{path}");
        }
        assert_eq!(object.decoded::<Pod>().unwrap().spec.as_ref().unwrap().containers[0].name, "web");
        assert_eq!(object.view::<Value>().unwrap(), as_value(&object));
    }
}

// holds: X37
#[test]
fn the_same_version_on_another_wire_is_the_cached_object() {
    let as_json = |object: &Value| object.to_string();
    let transforms = [None, Some(Transform::json(|object| object["seen"] = true.into()))];
    for transform in transforms {
        let intake = match transform {
            Some(transform) => intake().with_transform(transform),
            None => intake(),
        };
        let json = intake_json(&intake, &as_json(&pod())).unwrap();
        let protobuf = intake_protobuf(&intake, NO_TYPE, &bytes(&pod())).unwrap();
        assert!(protobuf.is_unchanged(&json) && json.is_unchanged(&protobuf));
        assert_eq!(as_value(&protobuf), as_value(&json));
        let again = intake.protobuf(NO_TYPE, &bytes(&pod()), &Cache::of(&json)).unwrap();
        assert!(Arc::ptr_eq(&json, &again));
        let again = intake.json(as_json(&pod()).as_bytes(), &Cache::of(&protobuf)).unwrap();
        assert!(Arc::ptr_eq(&protobuf, &again));

        let mut changed = pod();
        changed["spec"]["nodeName"] = "node-2".into();
        assert!(
            !json.is_unchanged(&intake_json(&intake, &as_json(&changed)).unwrap()),
            "on one wire the hash of the body decides"
        );
        assert!(!protobuf.is_unchanged(&intake_protobuf(&intake, NO_TYPE, &bytes(&changed)).unwrap()));
        for (field, value) in [("uid", "u-2"), ("resourceVersion", "8"), ("uid", ""), ("resourceVersion", "")]
        {
            let mut other = pod();
            other["metadata"][field] = value.into();
            let other = intake_json(&intake, &as_json(&other)).unwrap();
            assert!(!protobuf.is_unchanged(&other), "{field} {value:?}");
        }
    }
}

#[test]
fn only_another_kind_or_group_is_a_wrong_kind() {
    let (intake, message) = (intake(), bytes(&pod()));
    for wrong in [of_type("v1", "Node"), of_type("apps/v1", "Pod"), of_type("v1", "Status")] {
        let error = intake_protobuf(&intake, wrong, &message).unwrap_err();
        assert!(matches!(error, IntakeError::WrongKind { .. }), "{error}");
    }
    let error = intake_protobuf(&intake, of_type("v9", "Pod"), &message).unwrap_err();
    assert_eq!(error, IntakeError::UnknownMessage { found: "v9/Pod".to_owned() });
}

#[test]
fn another_version_of_the_same_group_is_accepted_and_keeps_its_api_version() {
    let intake = Intake::new(resource("apps", "v1", "Deployment", "deployments"), Arc::default());
    let table = message("apps", "v1beta1", "Deployment").unwrap();
    let object = json!({"metadata": {"name": "a", "resourceVersion": "1"}, "spec": {"replicas": 3}});
    let message = encode(table, &object).unwrap();
    let object = intake_protobuf(&intake, of_type("apps/v1beta1", "Deployment"), &message).unwrap();
    assert_eq!(object.field(".apiVersion").unwrap().to_string(), "apps/v1beta1");
    assert_eq!(object.field(".spec.replicas").unwrap().to_string(), "3");
}

#[test]
fn an_intake_of_metadata_accepts_partial_and_whole_objects() {
    let intake = intake().with_projection(Projection::Metadata);
    let partial = of_type("meta.k8s.io/v1", "PartialObjectMetadata");
    for type_meta in [NO_TYPE, partial] {
        let object =
            intake_protobuf(&intake, type_meta, &bytes(&json!({"metadata": pod()["metadata"]}))).unwrap();
        assert_eq!(object.field(".kind").unwrap().to_string(), "PartialObjectMetadata");
        assert_eq!(object.field(".metadata.uid").unwrap().to_string(), "u-1");
    }
    let whole = intake_protobuf(&intake, of_type("v1", "Pod"), &bytes(&pod())).unwrap();
    assert_eq!(whole.field(".kind").unwrap().to_string(), "Pod");
    assert_eq!(whole.field(".status.phase").unwrap().to_string(), "Running");
    assert!(intake_protobuf(&intake, of_type("v1", "Node"), &bytes(&pod())).is_err());
}

#[test]
fn an_intake_accepts_protobuf_if_its_message_is_known() {
    let custom = || Intake::new(resource("example.com", "v1", "Widget", "widgets"), Arc::default());
    assert!(intake().accepts_protobuf());
    assert!(!custom().accepts_protobuf());
    assert!(custom().with_projection(Projection::Metadata).accepts_protobuf());
    for type_meta in [NO_TYPE, of_type("example.com/v1", "Widget")] {
        let error = intake_protobuf(&custom(), type_meta, &bytes(&pod())).unwrap_err();
        assert_eq!(error, IntakeError::UnknownMessage { found: "example.com/v1/Widget".to_owned() });
    }
}

// holds: X5
#[test]
fn a_missing_identity_and_malformed_bytes_are_different_errors() {
    let intake = intake();
    for (object, missing) in [
        (json!({}), "metadata.name"),
        (json!({"metadata": {"name": "a"}}), "metadata.resourceVersion"),
        (json!({"metadata": {"name": "a/b", "resourceVersion": "1"}}), "a name that can be a key"),
    ] {
        let error = intake_protobuf(&intake, NO_TYPE, &bytes(&object)).unwrap_err();
        assert_eq!(error, IntakeError::NoIdentity { missing }, "{object}");
    }
    for bytes in [&b"\x0a\x05"[..], b"{}", b"k8s\0", &bytes(&pod())[..20]] {
        let error = intake_protobuf(&intake, NO_TYPE, bytes).unwrap_err();
        assert!(matches!(error, IntakeError::Malformed(_)), "{bytes:x?} {error}");
    }
}

// holds: X5
#[test]
fn bytes_that_are_broken_inside_are_an_error_of_their_reader_only() {
    // The spec is not a message.
    let message = [bytes(&json!({"metadata": pod()["metadata"]})), b"\x12\x02\xff\xff".to_vec()].concat();
    let object = intake_protobuf(&intake(), NO_TYPE, &message).unwrap();
    assert_eq!(object.field(".metadata.uid").unwrap().to_string(), "u-1");
    let error = object.decoded::<Pod>().unwrap_err();
    assert!(matches!(error, ReadError::Protobuf { .. }), "{error:?}");
    assert!(error.to_string().starts_with("decoding pods shop/web-0 as k8s_openapi"));
    assert!(matches!(object.json().unwrap_err(), ReadError::Protobuf { .. }));
    assert!(matches!(object.field(".spec.nodeName").unwrap_err(), ReadError::Protobuf { .. }));
    let prune = Transform::prune([FieldPath::parse(".spec.nodeName").unwrap()]);
    let pruned = intake_protobuf(&intake().with_transform(prune), NO_TYPE, &message).unwrap();
    assert!(matches!(pruned.refusal(), Some(ReadError::Transform { .. })));
    assert!(matches!(pruned.view::<Value>().unwrap_err(), ReadError::Transform { .. }));
}

// holds: X35
#[test]
fn texts_that_are_not_utf8_and_bytes_that_end_early_do_not_keep_an_object_out() {
    let mut object = pod();
    object["metadata"]["ownerReferences"] = json!([{"uid": "ODD", "controller": true}]);
    let message = bytes(&object).split(|byte| *byte == b'O').collect::<Vec<_>>().join(&b"\xff"[..]);
    let object = intake_protobuf(&intake(), NO_TYPE, &message).unwrap();
    assert_eq!(object.controller_uid(), Some("\u{fffd}DD"));
    assert_eq!(
        object.decoded::<Pod>().unwrap().metadata.owner_references.as_ref().unwrap()[0].uid,
        "\u{fffd}DD"
    );

    let cut = &bytes(&pod())[..bytes(&pod()).len() - 1];
    let object = intake_protobuf(&intake(), NO_TYPE, cut).unwrap();
    assert_eq!((object.key().as_str(), object.uid()), ("shop/web-0", "u-1"));
    assert!(matches!(object.decoded::<Pod>(), Err(ReadError::Protobuf { .. })));
    let again = intake().protobuf(NO_TYPE, cut, &Cache::of(&object)).unwrap();
    assert!(Arc::ptr_eq(&object, &again));
}

#[test]
fn pruning_keeps_protobuf_and_any_other_transform_gives_json() {
    let prune = || Transform::prune([FieldPath::parse(".spec.containers[*].image").unwrap()]);
    let message = bytes(&pod());
    let pruned = intake_protobuf(&intake().with_transform(prune()), NO_TYPE, &message).unwrap();
    assert_eq!(pruned.wire(), Wire::Protobuf);
    assert!(pruned.wire_bytes() < message.len());
    assert!(pruned.field(".spec.containers[*].image").unwrap().is_absent());
    assert_eq!(pruned.field(".spec.containers[*].name").unwrap().to_string(), "web");

    let transform = prune()
        .then(Transform::json(|object| object["status"]["seen"] = object["kind"].clone()))
        .then(Transform::prune([FieldPath::parse(".spec.nodeName").unwrap()]));
    let changed = intake_protobuf(&intake().with_transform(transform), NO_TYPE, &message).unwrap();
    assert_eq!(changed.wire(), Wire::Json);
    let value = as_value(&changed);
    assert_eq!((&value["status"]["seen"], &value["status"]["phase"]), (&"Pod".into(), &"Running".into()));
    assert!(value["spec"]["nodeName"].is_null() && value["spec"]["containers"][0]["image"].is_null());
}

// holds: X5
#[test]
fn a_failed_transform_costs_the_body_but_not_the_identity() {
    let intake = intake().with_transform(Transform::json(|_| panic!("no")));
    let object = intake_protobuf(&intake, NO_TYPE, &bytes(&pod())).unwrap();
    assert_eq!((object.key().as_str(), object.uid()), ("shop/web-0", "u-1"));
    for error in [
        object.field(".metadata").unwrap_err(),
        object.field(".kind").unwrap_err(),
        object.json().unwrap_err(),
        object.view::<Value>().unwrap_err(),
    ] {
        assert!(matches!(error, ReadError::Transform { .. }), "{error:?}");
    }
}

#[test]
fn neither_debug_nor_an_error_quotes_the_body() {
    let secrets = Intake::new(resource("", "v1", "Secret", "secrets"), Arc::default());
    let table = message("", "v1", "Secret").unwrap();
    let object = json!({"metadata": pod()["metadata"], "stringData": {"key": "hidden"}, "type": "hidden"});
    let message = encode(table, &object).unwrap();
    let object = intake_protobuf(&secrets, NO_TYPE, &message).unwrap();
    #[derive(Debug, serde::Deserialize)]
    struct Mistyped {
        #[allow(dead_code, reason = "no test decodes one successfully")]
        r#type: u64,
    }
    let error = object.view::<Mistyped>().unwrap_err();
    for text in [format!("{object:?}"), format!("{error:?}"), error.to_string()] {
        assert!(!text.contains("hidden"), "{text}");
    }
}
