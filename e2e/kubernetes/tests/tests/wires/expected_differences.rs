//! Where the wires differ by nature, each place with its reason. No difference may be hidden here that a reader of
//! protobuf could mend.

use serde_json::Value;

use crate::difference::Difference;
use crate::seeded_server::is_release_of_fixtures;

/// Objects within a message whose `kind` and `apiVersion` JSON says and protobuf does not: they stand in an envelope
/// there, and only the outermost object has one. The steps go down members; `*` is every item.
const UNNAMED_WITHIN: &[(&str, &[&str])] = &[
    ("PartialObjectMetadataList", &["items", "*"]),
    ("StatefulSet", &["spec", "volumeClaimTemplates", "*"]),
    ("StatefulSetList", &["items", "*", "spec", "volumeClaimTemplates", "*"]),
];

/// Members that the release of the table always writes and the tested one does not know.
const NEWER: &[(&str, &str)] = &[("CSINode", ".status"), ("DeviceTaintRule", ".status")];

/// Takes from JSON what protobuf has no place for.
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

/// Whether these are the same. Which empty members are null and which are left out differs between releases, and the
/// table is of one.
pub(crate) fn is_same(json: Option<&Value>, protobuf: Option<&Value>) -> bool {
    let is_nothing = |value: Option<&Value>| value.is_none_or(Value::is_null);
    json == protobuf || (!is_release_of_fixtures() && is_nothing(json) && is_nothing(protobuf))
}

/// Whether it is there because the table knows more than the server.
pub(crate) fn is_newer(message: &str, difference: &Difference) -> bool {
    NEWER.contains(&(message, difference.path.as_str()))
}
