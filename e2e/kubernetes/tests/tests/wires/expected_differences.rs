//! The differences between the wires that can't be avoided, each with its reason. No difference that a reader of
//! protobuf could fix may be listed here.

use serde_json::Value;

use crate::difference::Difference;
use crate::seeded_server::is_release_of_fixtures;

/// Nested objects whose `kind` and `apiVersion` are in JSON but not in protobuf, where only the outermost object has an
/// envelope. Path segments are members; `*` means every item.
const UNNAMED_WITHIN: &[(&str, &[&str])] = &[
    ("PartialObjectMetadataList", &["items", "*"]),
    ("StatefulSet", &["spec", "volumeClaimTemplates", "*"]),
    ("StatefulSetList", &["items", "*", "spec", "volumeClaimTemplates", "*"]),
];

/// Members that the release of the table always writes and the tested release does not know.
const NEWER: &[(&str, &str)] = &[("CSINode", ".status"), ("DeviceTaintRule", ".status")];

/// Removes from JSON what protobuf can't represent.
pub(crate) fn take_unsaid(message: &str, json: &mut Value) {
    for (_, steps) in UNNAMED_WITHIN.iter().filter(|(name, _)| *name == message) {
        take_names(json, steps);
    }
}

fn take_names(value: &mut Value, steps: &[&str]) {
    match (steps, value) {
        ([], Value::Object(members)) => ["kind", "apiVersion"].into_iter().for_each(|name| {
            members.remove(name);
        }),
        (["*", rest @ ..], Value::Array(items)) => items.iter_mut().for_each(|item| take_names(item, rest)),
        ([name, rest @ ..], Value::Object(members)) => {
            members.get_mut(*name).into_iter().for_each(|member| take_names(member, rest));
        }
        _ => {}
    }
}

/// Whether two values are equal. Releases differ in which empty members are null or absent, and the table is of one
/// release.
pub(crate) fn is_same(json: Option<&Value>, protobuf: Option<&Value>) -> bool {
    let is_nothing = |value: Option<&Value>| value.is_none_or(Value::is_null);
    json == protobuf || (!is_release_of_fixtures() && is_nothing(json) && is_nothing(protobuf))
}

/// Whether the member exists only because the table is newer than the server.
pub(crate) fn is_newer(message: &str, difference: &Difference) -> bool {
    NEWER.contains(&(message, difference.path.as_str()))
}
