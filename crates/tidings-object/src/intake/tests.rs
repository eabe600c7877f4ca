//! Which frames become objects, which are errors, and which are recognised as unchanged.

mod protobuf;

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::arbitrary;
use crate::sync::{AtomicU64, Ordering};
use crate::{FieldPath, ReadError, Scope};

fn pods() -> ResourceKind {
    resource("", "v1", "Pod", "pods")
}

fn resource(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> ResourceKind {
    ResourceKind {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        plural: plural.into(),
        scope: Scope::Namespaced,
    }
}

fn intake() -> Intake {
    Intake::new(pods(), Arc::default())
}

fn intake_json(intake: &Intake, frame: &str) -> Result<Arc<RawObject>, IntakeError> {
    intake.json(frame.as_bytes(), &NothingKnown)
}

#[derive(Default)]
struct Cache(HashMap<String, Arc<RawObject>>);

impl Cache {
    fn of(object: &Arc<RawObject>) -> Cache {
        Cache([(object.key().to_string(), Arc::clone(object))].into())
    }
}

impl KnownObjects for Cache {
    fn known(&self, key: &str) -> Option<Arc<RawObject>> {
        self.0.get(key).cloned()
    }
}

const METADATA: &str = r#""metadata":{"name":"web-0","namespace":"shop","uid":"u-1","resourceVersion":"7"}"#;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    // holds: X35
    #[test]
    fn json_with_any_bytes_in_its_strings_is_accepted_as_in_go(
        text in prop::collection::vec(
            any::<u8>().prop_filter("in a string", |b| !b"\"\\".contains(b) && *b >= 0x20),
            0..12,
        ),
    ) {
        let frame = format!(r#"{{{METADATA},"spec":{{"nodeName":"ODD"}}}}"#).replace("u-1", "ODD");
        let mut sent = Vec::new();
        for (number, part) in frame.split("ODD").enumerate() {
            sent.extend_from_slice(if number > 0 { &text } else { b"" });
            sent.extend_from_slice(part.as_bytes());
        }
        let intake = intake();
        let object = intake.json(&sent, &NothingKnown).unwrap();
        let read = repaired_utf8(&text);
        prop_assert_eq!((object.key().as_str(), object.uid()), ("shop/web-0", &*read));
        let whole: Value = object.view().unwrap();
        prop_assert_eq!(whole["spec"]["nodeName"].as_str(), Some(&*read));
        let again = intake.json(&sent, &Cache::of(&object)).unwrap();
        prop_assert!(read.is_empty() || Arc::ptr_eq(&object, &again));
    }

    #[test]
    fn a_prefetched_field_equals_that_of_the_body(text in arbitrary::object_text()) {
        let paths = [".metadata.labels.app", ".a.b", ".spec.a[*]", ".b"].map(|path| FieldPath::parse(path).unwrap());
        let (prefetching, plain) = (intake(), intake());
        paths.iter().for_each(|path| prefetching.origin().prefetch_field(path));
        let objects = (intake_json(&prefetching, &text), intake_json(&plain, &text));
        let (Ok(prefetching), Ok(plain)) = objects else { return Ok(()) };
        for path in &paths {
            let (read, expected) = (prefetching.field_at(path).ok(), plain.field_at(path).ok());
            prop_assert_eq!(read, expected, "{} of {}", path, text);
        }
    }
}

#[test]
fn the_first_four_requested_fields_are_prefetched_and_others_are_read_from_the_body() {
    let (intake, paths) = (intake(), [".a", ".kind", ".b", ".c", ".d", ".a", ".e"]);
    let paths = paths.map(|path| FieldPath::parse(path).unwrap());
    paths.iter().for_each(|path| intake.origin().prefetch_field(path));
    let frame = format!(r#"{{{METADATA},"a":"x","b":["y"],"c":null,"d":true,"e":"z"}}"#);
    let object = intake_json(&intake, &frame).unwrap();
    let texts = |path| object.prefetched_texts(path).map(|texts| texts.collect::<Vec<_>>().join(","));
    let kept: Vec<_> = paths.iter().map(texts).collect();
    let [a, kind, b, c, d, again, e] = kept.try_into().unwrap();
    assert_eq!((a.as_deref(), c.as_deref(), d.as_deref()), (Some("x"), Some(""), Some("true")));
    assert_eq!((kind, b, e), (None, None, None));
    assert_eq!(again, a);
    assert_eq!(
        paths.map(|path| object.field_at(&path).unwrap().to_string()).join(" "),
        r#"x Pod ["y"] <none> true x z"#
    );
}

// holds: X14, X23
#[test]
fn a_list_item_that_the_watch_sent_before_is_the_cached_object() {
    let intake = intake();
    let watched =
        intake_json(&intake, &format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",{METADATA}}}\n")).unwrap();
    let listed = intake.json(format!("{{{METADATA}}}").as_bytes(), &Cache::of(&watched)).unwrap();
    assert!(Arc::ptr_eq(&watched, &listed));
}

// holds: X14
#[test]
fn another_or_an_empty_uid_or_version_or_another_body_is_another_object() {
    let intake = intake();
    let known = intake_json(&intake, &format!("{{{METADATA},\"spec\":{{}}}}")).unwrap();
    for changed in [
        format!("{{{METADATA},\"spec\":{{\"a\":1}}}}"),
        format!("{{{METADATA},\"spec\":{{}}}}").replace("u-1", "u-2"),
        format!("{{{METADATA},\"spec\":{{}}}}").replace("\"7\"", "\"8\""),
    ] {
        let object = intake.json(changed.as_bytes(), &Cache::of(&known)).unwrap();
        assert!(!Arc::ptr_eq(&known, &object), "{changed}");
    }
    for frame in [
        r#"{"metadata":{"name":"a","uid":"","resourceVersion":"7"}}"#,
        r#"{"metadata":{"name":"a","resourceVersion":"7"}}"#,
        r#"{"metadata":{"name":"a","uid":"u-1","resourceVersion":""}}"#,
    ] {
        let first = intake_json(&intake, frame).unwrap();
        let again = intake.json(frame.as_bytes(), &Cache::of(&first)).unwrap();
        assert!(!Arc::ptr_eq(&first, &again), "{frame}");
    }
}

// holds: X8
#[test]
fn a_transform_runs_once_per_version_and_gets_the_same_from_list_and_watch() {
    let runs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&runs);
    let transform = Transform::json(move |object| {
        counted.fetch_add(1, Ordering::Relaxed);
        assert_eq!(object["kind"], "Pod");
        object["seen"] = true.into();
    });
    let intake = intake().with_transform(transform);
    let watch = format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",{METADATA}}}");
    let object = intake_json(&intake, &watch).unwrap();
    assert_eq!(object.field(".seen").unwrap().to_string(), "true");
    for frame in [watch, format!("{{{METADATA}}}")] {
        assert!(Arc::ptr_eq(&object, &intake.json(frame.as_bytes(), &Cache::of(&object)).unwrap()));
    }
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

// holds: X5
#[test]
fn a_failed_transform_costs_the_body_but_not_the_identity() {
    let intake = intake().with_transform(Transform::json(|_| panic!("no")));
    let object = intake_json(&intake, &format!("{{{METADATA}}}")).unwrap();
    assert_eq!((object.key().as_str(), object.uid()), ("shop/web-0", "u-1"));
    let error = object.field(".metadata").unwrap_err();
    assert!(matches!(error, ReadError::Transform { .. }), "{error:?}");
    assert_eq!(
        object.view::<Value>().unwrap_err().to_string(),
        "reading pods shop/web-0: transforming the object: it panicked: no"
    );
}

#[test]
fn a_transform_cannot_change_identity() {
    let intake = intake().with_transform(Transform::json(|object| {
        object["metadata"]["name"] = "other".into();
        object["kind"] = "Other".into();
    }));
    let object = intake_json(&intake, &format!("{{{METADATA}}}")).unwrap();
    assert_eq!(object.name(), "web-0");
    assert_eq!(object.field(".metadata.name").unwrap().to_string(), "other");
}

// holds: X5
#[test]
fn an_object_that_does_not_decode_is_an_error_of_its_reader_only() {
    let object = intake_json(&intake(), &format!("{{{METADATA},\"spec\":3}}")).unwrap();
    let error = object.decoded::<k8s_openapi::api::core::v1::Pod>().unwrap_err();
    assert!(matches!(error, ReadError::Json { .. }));
    assert!(error.to_string().starts_with("decoding pods shop/web-0 as k8s_openapi"));
    assert_eq!(object.field(".spec").unwrap().to_string(), "3");
}

// holds: X5
#[test]
fn a_missing_identity_and_malformed_bytes_are_different_errors() {
    let intake = intake();
    for (frame, missing) in [
        ("{}", "metadata.name"),
        (r#"{"metadata":null}"#, "metadata.name"),
        (r#"{"metadata":{"name":3,"resourceVersion":"1"}}"#, "metadata.name"),
        (r#"{"metadata":{"name":"a"}}"#, "metadata.resourceVersion"),
        (r#"{"metadata":{"name":"a","resourceVersion":1}}"#, "metadata.resourceVersion"),
        (r#"{"metadata":{"name":"a/b","resourceVersion":"1"}}"#, "a name that can be a key"),
        (r#"{"metadata":{"name":"a","namespace":"b/c","resourceVersion":"1"}}"#, "a name that can be a key"),
        ("[]", "metadata"),
        ("null", "metadata"),
        ("\"a\"", "metadata"),
    ] {
        assert_eq!(intake_json(&intake, frame).unwrap_err(), IntakeError::NoIdentity { missing }, "{frame}");
    }
    for frame in ["", "{", "<html>", "[}", "null,", r#"{"metadata":{"name":"a","resourceVersion":"1"}"#] {
        assert!(matches!(intake_json(&intake, frame), Err(IntakeError::Malformed(_))), "{frame}");
    }
}

// holds: X5, X35
#[test]
fn json_that_is_broken_inside_a_value_is_an_error_of_its_reader_only() {
    let intake = intake();
    for broken in [r#"{"nodeName":tru}"#, "[1,]", "[01]", r#"{"a" 1}"#, "{a:1}", "[{]]", "[\"\u{1}\"]"] {
        let frame = format!(r#"{{{METADATA},"spec":{broken},"status":{{"phase":"Running"}}}}"#);
        let object = intake_json(&intake, &frame).unwrap();
        assert_eq!(object.key().as_str(), "shop/web-0", "{broken}");
        assert_eq!(object.field(".status.phase").unwrap().to_string(), "Running", "{broken}");
        assert!(object.view::<Value>().is_err(), "{broken}");
        for end in 0..frame.len() {
            let cut = intake_json(&intake, &frame[..end]);
            assert!(matches!(cut, Err(IntakeError::Malformed(_))), "{}", &frame[..end]);
        }
    }
}

// holds: X35
#[test]
fn json_that_is_not_utf8_is_accepted_as_in_go() {
    let frame = |text: &str| format!(r#"{{{METADATA},"spec":{{"nodeName":"{text}"}}}}"#);
    let sent = frame("ODD").replace("u-1", "ODD").into_bytes();
    let sent: Vec<u8> = sent.split(|byte| *byte == b'O').collect::<Vec<_>>().join(&b"\xf0\x9f"[..]);
    let (intake, node) = (intake(), "\u{fffd}\u{fffd}DD");
    let object = intake.json(&sent, &NothingKnown).unwrap();
    assert_eq!((object.key().as_str(), object.uid()), ("shop/web-0", node));
    assert_eq!(object.field(".spec.nodeName").unwrap().to_string(), node);
    let again = intake.json(&sent, &Cache::of(&object)).unwrap();
    assert!(Arc::ptr_eq(&object, &again), "a repaired object is recognised");
    let outside = [frame("x").as_bytes(), b"\xff"].concat();
    assert!(matches!(intake.json(&outside, &NothingKnown), Err(IntakeError::Malformed(_))));
}

// holds: X35
#[test]
fn more_labels_and_owners_than_sixteen_bits_can_count_are_accepted() {
    let count = 66_000;
    let members = |item: fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let labels = members(|n| format!(r#""l-{n}":"v-{n}""#));
    let owners = members(|n| format!(r#"{{"uid":"o-{n}"}}"#));
    let metadata =
        METADATA.replace("{", &format!(r#"{{"labels":{{{labels}}},"ownerReferences":[{owners}],"#));
    let object = intake_json(&intake(), &format!("{{{metadata}}}")).unwrap();
    assert_eq!((object.key().as_str(), object.uid()), ("shop/web-0", "u-1"));
    assert_eq!((object.labels().iter().count(), object.owner_uids().count()), (count, count));
    assert_eq!(object.labels().value("l-65999"), Some("v-65999"));
    assert_eq!(object.owner_uids().last(), Some("o-65999"));
    let long = "n".repeat(70_000);
    let object = intake_json(&intake(), &format!("{{{METADATA}}}").replace("web-0", &long)).unwrap();
    assert_eq!((object.name(), object.namespace()), (&*long, Some("shop")));
}

#[test]
fn only_another_kind_or_group_is_a_wrong_kind() {
    let intake = Intake::new(resource("apps", "v1", "Deployment", "deployments"), Arc::default());
    let frame = |head: &str| format!("{{{head}{METADATA}}}");
    for right in [
        "",
        r#""kind":"Deployment","#,
        r#""apiVersion":"apps/v1","#,
        r#""kind":"Deployment","apiVersion":"apps/v1","#,
        r#""kind":"Deployment","apiVersion":"apps/v1beta1","#,
    ] {
        assert!(intake_json(&intake, &frame(right)).is_ok(), "{right}");
    }
    for wrong in [
        r#""kind":"Pod","#,
        r#""kind":"Status","apiVersion":"v1","#,
        r#""kind":"Deployment","apiVersion":"extensions/v1","#,
        r#""kind":"Deployment","apiVersion":"v1","#,
        r#""kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","#,
    ] {
        assert!(matches!(intake_json(&intake, &frame(wrong)), Err(IntakeError::WrongKind { .. })), "{wrong}");
    }
    let error = intake_json(&intake, &frame(r#""kind":"Status","apiVersion":"v1","#)).unwrap_err();
    assert_eq!(error.to_string(), "expected apps/v1/Deployment, got v1/Status");
}

#[test]
fn an_intake_of_metadata_accepts_partial_and_whole_objects() {
    let intake = intake().with_projection(Projection::Metadata);
    let partial = r#""kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","#;
    let object = intake_json(&intake, &format!("{{{partial}{METADATA}}}")).unwrap();
    assert_eq!(object.field(".kind").unwrap().to_string(), "PartialObjectMetadata");
    let whole =
        intake_json(&intake, &format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",{METADATA}}}")).unwrap();
    assert_eq!(whole.field(".kind").unwrap().to_string(), "Pod");
    assert!(intake_json(&intake, &format!("{{\"kind\":\"Node\",{METADATA}}}")).is_err());
}

#[test]
fn an_object_reads_the_same_from_list_and_watch_with_its_kind_added() {
    let intake = intake();
    for (frame, json) in [
        (format!("{{{METADATA}}}"), format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",{METADATA}}}")),
        (
            format!(" {{ \"kind\":\"Pod\",{METADATA}}} \n"),
            format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",{METADATA}}}"),
        ),
        (
            format!("{{{METADATA},\"kind\":\"Pod\"}}"),
            format!("{{\"apiVersion\":\"v1\",{METADATA},\"kind\":\"Pod\"}}"),
        ),
        (
            format!("{{\"kind\":\"Pod\",{METADATA},\"apiVersion\":\"v1\"}}"),
            format!("{{\"kind\":\"Pod\",{METADATA},\"apiVersion\":\"v1\"}}"),
        ),
        (
            format!("{{\"apiVersion\":\"v2\",{METADATA}}}"),
            format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v2\",{METADATA}}}"),
        ),
    ] {
        let object = intake_json(&intake, &frame).unwrap();
        assert_eq!(str::from_utf8(&object.json().unwrap()).unwrap(), json, "{frame}");
    }
}

#[test]
fn an_object_pruned_to_nothing_still_reads_as_json() {
    let prune = Transform::prune([FieldPath::parse(".metadata").unwrap()]);
    let object = intake_json(&intake().with_transform(prune), &format!("{{{METADATA}}}")).unwrap();
    assert_eq!(&*object.json().unwrap(), br#"{"kind":"Pod","apiVersion":"v1"}"#);
}

#[test]
fn debug_prints_the_identity_and_nothing_of_the_body() {
    let object = intake_json(&intake(), &format!("{{{METADATA},\"data\":\"hidden\"}}")).unwrap();
    let text = format!("{object:?}");
    assert!(text.contains("shop/web-0") && !text.contains("hidden"), "{text}");
}
