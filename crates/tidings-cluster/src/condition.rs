//! Conditions in a status, as JSON: `type`, `status`, `reason`, `message`, and the time of the last transition.
//!
//! As JSON, because k8s-openapi's types of conditions differ between versions of Kubernetes.

use serde_json::{Map, Value, json};

/// A condition to be set.
pub(crate) struct NewCondition<'a> {
    pub(crate) kind: &'a str,
    pub(crate) status: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
}

/// The condition of this type.
pub(crate) fn find<'a>(status: &'a Map<String, Value>, kind: &str) -> Option<&'a Value> {
    status.get("conditions")?.as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// Whether the condition of this type is `True`.
pub(crate) fn is_true(status: &Map<String, Value>, kind: &str) -> bool {
    find(status, kind).is_some_and(|condition| condition["status"] == "True")
}

/// Sets a condition. Nothing changes if it has this status and reason already. The transition time stays if only the
/// reason changes. `stamps` names the fields that contain the time of this change.
pub(crate) fn set(status: &mut Map<String, Value>, new: &NewCondition<'_>, now: &str, stamps: &[&str]) {
    let old = find(status, new.kind).cloned();
    if old.as_ref().is_some_and(|old| old["status"] == new.status && text(old, "reason") == new.reason) {
        return;
    }
    let transition = match &old {
        Some(old) if old["status"] == new.status => old["lastTransitionTime"].clone(),
        _ => json!(now),
    };
    let mut condition = json!({ "type": new.kind, "status": new.status, "lastTransitionTime": transition });
    for (field, text) in [("reason", new.reason), ("message", new.message)] {
        if !text.is_empty() {
            condition[field] = json!(text);
        }
    }
    for stamp in stamps {
        condition[*stamp] = json!(now);
    }
    remove(status, new.kind);
    let conditions = status.entry("conditions").or_insert_with(|| json!([]));
    if let Some(conditions) = conditions.as_array_mut() {
        conditions.push(condition);
    }
}

fn text<'a>(condition: &'a Value, field: &str) -> &'a str {
    condition[field].as_str().unwrap_or_default()
}

/// Removes the condition of this type.
pub(crate) fn remove(status: &mut Map<String, Value>, kind: &str) {
    if let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut) {
        conditions.retain(|condition| condition["type"] != kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready<'a>(status: &'a str, reason: &'a str) -> NewCondition<'a> {
        NewCondition { kind: "Ready", status, reason, message: "" }
    }

    #[test]
    fn the_transition_time_changes_only_with_the_status() {
        let mut status = Map::new();
        set(&mut status, &ready("False", "Starting"), "1", &["lastUpdateTime"]);
        set(&mut status, &ready("False", "Probing"), "2", &["lastUpdateTime"]);
        set(&mut status, &ready("False", "Probing"), "3", &["lastUpdateTime"]);
        let found = find(&status, "Ready").unwrap();
        assert_eq!((&found["lastTransitionTime"], &found["lastUpdateTime"]), (&json!("1"), &json!("2")));
        set(&mut status, &ready("True", "Probing"), "4", &[]);
        assert!(is_true(&status, "Ready"));
        assert_eq!(find(&status, "Ready").unwrap()["lastTransitionTime"], "4");
        remove(&mut status, "Ready");
        assert!(find(&status, "Ready").is_none());
    }
}
