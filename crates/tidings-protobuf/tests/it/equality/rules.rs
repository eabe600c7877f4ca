//! Rules of the format that Go's encoder never exercises.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde::Deserialize;
use serde_json::{Value, json};
use tidings_protobuf::{Error, PathStep, TypeMeta, encode, from_slice, message, to_json, values_at, without};

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).expect("a short field");
    assert!(length < 0x80 && number < 16);
    [&[number << 3 | 2, length][..], bytes].concat()
}

fn json_of(group: &str, version: &str, kind: &str, bytes: &[u8]) -> Value {
    let message = message(group, version, kind).expect("a built-in kind");
    let json = to_json(message, TypeMeta::default(), bytes).expect("it can be read");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    let value: Value = from_slice(message, TypeMeta::default(), bytes).expect("it can be read");
    assert_eq!(json, value);
    json
}

#[test]
fn the_last_of_a_single_field_counts_and_nothing_is_merged() {
    let named = |name: &[u8]| field(1, &field(1, name));
    let spaced = field(1, &field(3, b"shop"));
    let bytes = [named(b"a"), named(b"b"), spaced].concat();
    assert_eq!(json_of("", "v1", "Namespace", &bytes), json!({"metadata": {"namespace": "shop"}}));
    let twice = field(1, &[field(1, b"a"), field(1, b"b")].concat());
    assert_eq!(json_of("", "v1", "Namespace", &twice), json!({"metadata": {"name": "b"}}));

    let namespace = message("", "v1", "Namespace").expect("a built-in kind");
    let path = ["metadata", "name"].map(|name| PathStep::Member(name.into()));
    assert_eq!(values_at(namespace, &bytes, &path).expect("it can be read"), Vec::<Value>::new());
    assert_eq!(values_at(namespace, &twice, &path).expect("it can be read"), ["b"]);
}

#[test]
fn the_items_of_a_list_may_be_interleaved_with_other_fields() {
    let finalizer = |name: &[u8]| field(14, name);
    let meta =
        [finalizer(b"a"), field(1, b"web"), finalizer(b"b"), field(2, b"w-"), finalizer(b"c")].concat();
    let wanted = json!({"metadata": {"name": "web", "generateName": "w-", "finalizers": ["a", "b", "c"]}});
    assert_eq!(json_of("", "v1", "Namespace", &field(1, &meta)), wanted);
}

#[test]
fn packed_numbers_read_as_a_list() {
    let groups = [&[0x20, 7][..], &[0x22, 3, 1, 0x96, 0x01], &[0x20, 9]].concat();
    let spec = field(2, &[&[14 << 3 | 2, groups.len() as u8][..], &groups].concat());
    let pod = json_of("", "v1", "Pod", &spec);
    assert_eq!(pod["spec"]["securityContext"]["supplementalGroups"], json!([7, 1, 150, 9]));

    let message = message("", "v1", "Pod").expect("a built-in kind");
    let groups = ["spec", "securityContext", "supplementalGroups"].map(|name| PathStep::Member(name.into()));
    let item = |index| [&groups[..], &[PathStep::Index(index)]].concat();
    for (index, found) in [(0, json!([7])), (2, json!([150])), (3, json!([9])), (4, json!([]))] {
        assert_eq!(json!(values_at(message, &spec, &item(index)).expect("it can be read")), found);
    }
    for (dropped, left) in [
        (vec![0], json!([1, 150, 9])),
        (vec![2], json!([7, 1, 9])),
        (vec![1, 2], json!([7, 9])),
        (vec![3, 9], json!([7, 1, 150])),
    ] {
        let paths: Vec<_> = dropped.into_iter().map(item).collect();
        let pruned = without(message, &spec, &paths).expect("it can be pruned");
        let pod = json_of("", "v1", "Pod", &pruned);
        assert_eq!(pod["spec"]["securityContext"]["supplementalGroups"], left);
    }
}

#[test]
fn a_path_into_the_strings_of_a_schema_prunes_nothing() {
    let message = message("apiextensions.k8s.io", "v1", "CustomResourceDefinition").expect("a built-in kind");
    let schema = json!({"openAPIV3Schema": {"dependencies": {"a": ["b", "c"]}}});
    let crd = json!({"spec": {"versions": [{"name": "v1", "schema": schema}]}});
    let bytes = encode(message, &crd).expect("a definition");
    let member = |name: &'static str| PathStep::Member(name.into());
    let mut path = vec![member("spec"), member("versions"), PathStep::Index(0), member("schema")];
    path.extend(["openAPIV3Schema", "dependencies", "a"].map(member));
    path.extend([PathStep::Each, member("x")]);
    assert_eq!(without(message, &bytes, &[path]).expect("it can be pruned"), bytes);
}

#[test]
fn fields_that_are_newer_than_the_table_are_skipped() {
    let newer = [&[0xf8, 0x7f, 5][..], &[0xfa, 0x7f, 1, 0xff], &[0x7d, 1, 2, 3, 4]].concat();
    let bytes = [newer.clone(), field(1, &[newer, field(1, b"web")].concat())].concat();
    assert_eq!(json_of("", "v1", "Namespace", &bytes), json!({"metadata": {"name": "web"}}));
}

#[test]
fn an_entry_of_a_map_without_its_value_has_an_empty_one() {
    let entry = field(2, &field(1, b"key"));
    assert_eq!(json_of("", "v1", "Secret", &entry), json!({"data": {"key": ""}}));
    assert_eq!(json_of("", "v1", "ConfigMap", &entry), json!({"data": {"key": ""}}));
    let message = message("", "v1", "Secret").expect("a built-in kind");
    let secret: Secret = from_slice(message, TypeMeta::default(), &entry).expect("a secret");
    assert_eq!(secret.data.expect("it has data")["key"].0, Vec::<u8>::new());
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    let entry = |value: &[u8]| field(2, &[field(1, b"key"), field(2, value)].concat());
    let bytes = [entry(b"a"), entry(b"b")].concat();
    let message = message("", "v1", "ConfigMap").expect("a built-in kind");
    let map: ConfigMap = from_slice(message, TypeMeta::default(), &bytes).expect("a config map");
    assert_eq!(map.data.expect("it has data")["key"], "b");
    let path = ["data", "key"].map(|name| PathStep::Member(name.into()));
    assert_eq!(values_at(message, &bytes, &path).expect("it can be read"), ["b"]);
    let left = without(message, &bytes, &[path.to_vec()]).expect("it can be pruned");
    assert_eq!(left, Vec::<u8>::new());
}

#[test]
fn bytes_that_are_not_utf8_read_as_go_writes_them() {
    let bytes = field(1, &field(1, b"a\xf0\x9f\xffb"));
    let wanted = json!({"metadata": {"name": "a\u{fffd}\u{fffd}\u{fffd}b"}});
    assert_eq!(json_of("", "v1", "Namespace", &bytes), wanted);
}

// holds: X35
#[test]
fn json_inside_a_raw_field_that_is_not_utf8_reads_as_in_go() {
    let raw = |json: &[u8]| field(2, &field(1, json));
    let wanted = json!({"data": {"a": "\u{fffd}\u{fffd}b"}});
    assert_eq!(json_of("apps", "v1", "ControllerRevision", &raw(b"{\"a\":\"\xf0\x9fb\"}")), wanted);
    let message = message("apps", "v1", "ControllerRevision").expect("a built-in kind");
    let path = [PathStep::Member("data".into()), PathStep::Member("b".into())];
    let pruned =
        without(message, &raw(b"{\"a\":\"\xf0\x9fb\",\"b\":1}"), &[path.to_vec()]).expect("it can be pruned");
    assert_eq!(json_of("apps", "v1", "ControllerRevision", &pruned), wanted);
    let outside = from_slice::<Value>(message, TypeMeta::default(), &raw(b"{\"a\":1}\xff"));
    assert!(matches!(outside, Err(Error::Raw { .. })), "{outside:?}");
}

#[test]
fn large_numbers_of_a_schema_read_as_in_go() {
    let message = message("apiextensions.k8s.io", "v1", "CustomResourceDefinition").expect("a built-in kind");
    for (text, number) in
        [("1e+25", 1e25), ("1000000", 1e6), ("-1.5e-7", -1.5e-7), ("9223372036854775807", 9.3e18)]
    {
        let schema = json!({"openAPIV3Schema": {"maximum": number}});
        let crd = json!({"spec": {"versions": [{"name": "v1", "schema": schema}]}});
        let bytes = encode(message, &crd).expect("a definition");
        let read: Value = from_slice(message, TypeMeta::default(), &bytes).expect("a definition");
        let maximum = &read["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["maximum"];
        if number == 9.3e18 {
            assert_eq!(maximum.as_f64(), Some(number));
        } else {
            assert_eq!(*maximum, serde_json::from_str::<Value>(text).expect("a number"));
        }
    }
}

#[test]
fn a_custom_type_decodes_as_from_json() {
    #[derive(Debug, PartialEq, Deserialize)]
    enum Policy {
        Always,
        Never,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Spec {
        restart_policy: Policy,
        #[serde(default)]
        node_selector: BTreeMap<u32, bool>,
        priority: Option<i8>,
        tolerations: Option<Vec<Toleration>>,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Toleration(BTreeMap<String, Value>);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Slim {
        kind: String,
        spec: Spec,
    }
    let message = message("", "v1", "Pod").expect("a built-in kind");
    let pod = json!({
        "kind": "Pod",
        "spec": {
            "restartPolicy": "Never", "priority": -7, "nodeSelector": {}, "hostNetwork": true, "containers": null,
            "tolerations": [{"key": "a", "tolerationSeconds": 3}],
        },
    });
    let bytes = encode(message, &pod).expect("a pod");
    let type_meta = TypeMeta { kind: Some("Pod"), api_version: None };
    let slim: Slim = from_slice(message, type_meta, &bytes).expect("a pod");
    assert_eq!(slim, serde_json::from_value(pod).expect("a pod"));
}

#[test]
fn a_type_mismatch_is_reported_without_the_value() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Wrong {
        metadata: Name,
    }
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Name {
        name: u32,
    }
    let message = message("", "v1", "Secret").expect("a built-in kind");
    let bytes = encode(message, &json!({"metadata": {"name": "hunter2"}})).expect("a secret");
    let error = from_slice::<Wrong>(message, TypeMeta::default(), &bytes).expect_err("a name is no number");
    assert!(matches!(&error, Error::Mismatch(text) if !text.contains("hunter2")), "{error}");
    assert_eq!(error.to_string(), "invalid type: a string, expected u32");
}
