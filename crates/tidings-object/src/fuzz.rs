//! The bodies of the fuzz targets: each takes any bytes and must not panic. `cargo test` runs them over the
//! files of `corpus/`; a fuzzer runs them longer.

use std::sync::Arc;

use serde::de::IgnoredAny;
use tidings_protobuf::TypeMeta;

use crate::body::{Body, Codec, Wire};
use crate::identity::Identity;
use crate::{
    FieldPath, FieldSelector, Intake, LabelSelector, NothingKnown, ResourceKind, Scope, Transform, identity,
};

/// One target: the name of its folder in `corpus/`, and what it runs.
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

/// Reads an identity; what is accepted must be JSON to serde as well, and its rest an object's rest.
pub fn identity(bytes: &[u8]) {
    if let Ok(identity) = identity::scan(bytes) {
        let rest = [b"{", &bytes[identity.rest_at..]].concat();
        assert!(identity::scan(&rest).is_ok(), "the rest of an object is one");
        assert!(serde_json::from_slice::<IgnoredAny>(bytes).is_ok(), "serde reads it too");
    }
}

/// Takes a pod's protobuf in; what is accepted has the identity that its JSON equals, pruned or not.
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
        let told = identity::scan(&json).expect("what is written is JSON");
        let told = Identity { kind: None, api_version: None, rest_at: 0, ..told };
        assert_eq!(identity::scan_protobuf(bytes).ok(), Some(told), "both wires tell the same");
        assert_eq!(object.view::<IgnoredAny>().ok(), Some(IgnoredAny), "what can be written can be read");
    }
}

/// Parses a path; what is accepted reads back as itself.
pub fn field_path(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(path) = FieldPath::parse(text) {
        assert_eq!(FieldPath::parse(&path.to_string()), Ok(path));
    }
}

/// Reads fields of any bytes.
pub fn field_read(bytes: &[u8]) {
    for path in [".metadata.labels['a.b/c']", ".spec.containers[*].image", "[*][0].a", ".a.a.a"] {
        let path = FieldPath::parse(path).expect("a constant path");
        let _ = path.read(bytes);
    }
}

/// Parses selectors of labels and fields; what is accepted reads back as itself.
pub fn selector(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(selector) = LabelSelector::parse(text) {
        assert_eq!(LabelSelector::parse(&selector.to_string()), Ok(selector));
    }
    if let Ok(selector) = FieldSelector::parse(text) {
        assert_eq!(FieldSelector::parse(&selector.to_string()), Ok(selector));
    }
}

/// Prunes any bytes; what comes out is well-formed, and pruning it again changes nothing.
pub fn prune(bytes: &[u8]) {
    let paths = [".metadata.managedFields", ".spec.containers[*].env", ".a[*]", "[*].a", ".status", "[1].b"];
    let paths = paths.map(|path| FieldPath::parse(path).expect("a constant path"));
    let prune = Transform::prune(paths);
    if let Ok(pruned) = prune.apply(bytes) {
        assert_eq!(prune.apply(&pruned).ok().as_ref(), Some(&pruned), "pruning once is enough");
    }
}

/// Unpacks any bytes into a length that they claim; packs them, and takes them out again.
pub fn unpack(bytes: &[u8]) {
    let codec = Arc::new(Codec::new(Arc::default(), None));
    let claimed = bytes.first().map_or(0, |first| usize::from(*first) * 16);
    let _ = codec.unpack(bytes, &mut vec![0; claimed]);
    let body = Body::packed(Wire::Json, bytes, &codec);
    assert_eq!(body.unpacked().ok().as_deref(), Some(bytes));
}
