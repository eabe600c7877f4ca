//! The fuzz targets: functions that accept any bytes and must not panic. `cargo test` runs them over the files of
//! `corpus/`, and the crate in `fuzz/` runs them with a fuzzer.

use std::sync::Arc;

use serde::de::IgnoredAny;
use tidings_protobuf::TypeMeta;

use crate::body::{Body, Codec, Wire};
use crate::identity::Identity;
use crate::json::JsonCursor;
use crate::{FieldPath, FieldSelector, Intake, LabelSelector, NothingKnown, ResourceKind, Scope, Transform};

/// The name of a target, which is also its folder in `corpus/`, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 7] = [
    ("identity", identity),
    ("message", message),
    ("field_path", field_path),
    ("field_read", field_read),
    ("selector", selector),
    ("prune", prune),
    ("unpack", unpack),
];

/// Reads an identity. If it is accepted, the rest must be the rest of an object. A value that the checking scanner
/// accepts must be accepted, and must end at the same byte.
pub fn identity(bytes: &[u8]) {
    if let Ok(identity) = Identity::from_json(bytes) {
        let rest = [b"{", &bytes[identity.rest_at..]].concat();
        assert!(Identity::from_json(&rest).is_ok(), "the rest is the rest of an object");
    }
    let Ok(cursor) = JsonCursor::new(bytes) else { return };
    let (mut skipping, mut checking) = (cursor.clone(), cursor);
    let is_skipped = skipping.skip_value().is_ok();
    if checking.skip_checked().is_ok() {
        assert!(is_skipped && skipping.offset() == checking.offset(), "both scanners find the same end");
        let is_object = bytes.trim_ascii_start().starts_with(b"{");
        if is_object && checking.expect_end().is_ok() {
            assert!(Identity::from_json(bytes).is_ok(), "a well-formed object has an identity");
        }
    }
}

/// Takes in the protobuf of a pod. If it is accepted, its identity must equal that of its JSON, pruned or not.
pub fn message(bytes: &[u8]) {
    let pods = ResourceKind {
        group: "".into(),
        version: "v1".into(),
        kind: "Pod".into(),
        plural: "pods".into(),
        scope: Scope::Namespaced,
    };
    let paths = [".metadata.managedFields", ".spec.containers[*].env", ".status.conditions[*]"];
    let paths = paths.map(|path| FieldPath::parse(path).expect("a constant path"));
    let plain = Intake::new(pods.clone(), Arc::default());
    let pruning = Intake::new(pods, Arc::default()).with_transform(Transform::prune(paths));
    for intake in [plain, pruning] {
        let Ok(object) = intake.protobuf(TypeMeta::default(), bytes, &NothingKnown) else { return };
        let _ = object.field(".spec.containers[*].env[*].name");
        let Ok(json) = object.json() else { continue };
        let expected = Identity::from_json(&json).expect("a converted object is JSON");
        let expected = Identity { kind: None, api_version: None, rest_at: 0, ..expected };
        assert_eq!(Identity::from_protobuf(bytes).ok(), Some(expected), "both wires have the same identity");
        assert_eq!(
            object.view::<IgnoredAny>().ok(),
            Some(IgnoredAny),
            "an object that converts also decodes"
        );
    }
}

/// Parses a path. If it is accepted, its text must parse to an equal path.
pub fn field_path(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(path) = FieldPath::parse(text) {
        assert_eq!(FieldPath::parse(&path.to_string()), Ok(path));
    }
}

/// Reads fields from any bytes.
pub fn field_read(bytes: &[u8]) {
    for path in [".metadata.labels['a.b/c']", ".spec.containers[*].image", "[*][0].a", ".a.a.a"] {
        let path = FieldPath::parse(path).expect("a constant path");
        let _ = path.read(bytes);
    }
}

/// Parses label and field selectors. If one is accepted, its text must parse to an equal selector.
pub fn selector(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(selector) = LabelSelector::parse(text) {
        assert_eq!(LabelSelector::parse(&selector.to_string()), Ok(selector));
    }
    if let Ok(selector) = FieldSelector::parse(text) {
        assert_eq!(FieldSelector::parse(&selector.to_string()), Ok(selector));
    }
}

/// Prunes any bytes. The result must be well-formed, and pruning it again must change nothing.
pub fn prune(bytes: &[u8]) {
    let paths = [".metadata.managedFields", ".spec.containers[*].env", ".a[*]", "[*].a", ".status", "[1].b"];
    let paths = paths.map(|path| FieldPath::parse(path).expect("a constant path"));
    let prune = Transform::prune(paths);
    if let Ok(pruned) = prune.apply(bytes) {
        assert_eq!(prune.apply(&pruned).ok().as_ref(), Some(&pruned), "pruning is idempotent");
    }
}

/// Unpacks any bytes to the length that they claim; then packs and unpacks them.
pub fn unpack(bytes: &[u8]) {
    let codec = Arc::new(Codec::new(Arc::default(), None));
    let claimed = bytes.first().map_or(0, |first| usize::from(*first) * 16);
    let _ = codec.unpack(bytes, &mut vec![0; claimed]);
    let body = Body::packed(Wire::Json, bytes, &codec);
    assert_eq!(body.unpacked().ok().as_deref(), Some(bytes));
}
