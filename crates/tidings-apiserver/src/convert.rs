//! Converts objects between the stored API version and the requested one.
//!
//! Versions of a custom resource differ only in `apiVersion`, which is not stored. Of the built-in kinds only Events
//! differ: some fields have other names in `events.k8s.io/v1`. Events are stored with the names of the core group.
//! HorizontalPodAutoscalers are not converted.

use serde_json::{Map, Value};

use crate::resource::ResourceDef;

/// The stored name and the name in `events.k8s.io/v1`.
const EVENT_FIELDS: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// Whether this version has other field names than the stored one.
pub(crate) fn is_converted(def: &ResourceDef) -> bool {
    def.group == "events.k8s.io"
}

/// Converts a stored object to this version.
pub(crate) fn from_storage(def: &ResourceDef, object: Map<String, Value>) -> Map<String, Value> {
    if is_converted(def) { renamed(object, |(stored, requested)| (stored, requested)) } else { object }
}

/// Converts an object of this version to the stored one.
pub(crate) fn to_storage(def: &ResourceDef, object: Map<String, Value>) -> Map<String, Value> {
    if is_converted(def) { renamed(object, |(stored, requested)| (requested, stored)) } else { object }
}

type Names = (&'static str, &'static str);

fn renamed(object: Map<String, Value>, direction: impl Fn(Names) -> Names) -> Map<String, Value> {
    let new_name = |name: String| {
        let found = EVENT_FIELDS.into_iter().map(&direction).find(|(from, _)| *from == name);
        found.map_or(name, |(_, to)| to.to_owned())
    };
    object.into_iter().map(|(name, value)| (new_name(name), value)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::builtin::builtin_resources;

    #[test]
    fn an_event_reads_back_as_it_was_written() {
        let all = builtin_resources();
        let def = all.iter().find(|def| def.group == "events.k8s.io").unwrap();
        let event = json!({"metadata": {"name": "e"}, "note": "hello", "regarding": {"kind": "Pod"}, "reason": "Started"});
        let event = event.as_object().unwrap();
        let stored = to_storage(def, event.clone());
        assert_eq!((&stored["message"], &stored["involvedObject"]["kind"]), (&json!("hello"), &json!("Pod")));
        assert_eq!(&from_storage(def, stored), event);
    }
}
