//! The status of a Deployment: its counts, and the conditions Available and Progressing.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tidings::controller::{Action, Error};

use super::sets::{Sets, actual, available, ready, size};
use crate::clock::Clock;
use crate::condition::{self, NewCondition};
use crate::object::{name, replace_status, status_of};

/// The fields of a condition of a Deployment that contain the time of its last change.
const STAMPS: [&str; 1] = ["lastUpdateTime"];

/// `progressDeadlineSeconds` that means "no deadline".
const NO_DEADLINE: i32 = i32::MAX;

/// Writes the status, if it changed. Requests the next reconcile for the progress deadline.
pub(super) async fn report(mut sets: Sets<'_>, clock: &Clock) -> Result<Action, Error> {
    let before = status_of(&sets.deployment)?;
    set_counts(&mut sets);
    set_available(&mut sets, clock);
    let deadline = set_progress(&mut sets, &before, clock);
    let Sets { context, deployment, status, is_annotated, .. } = sets;
    if status != before || is_annotated {
        replace_status(context, &deployment, status).await?;
    }
    Ok(deadline.map_or_else(Action::await_change, Action::requeue_after))
}

fn set_counts(sets: &mut Sets<'_>) {
    let sum = |of: fn(&k8s_openapi::api::apps::v1::ReplicaSet) -> i64| sets.all().map(of).sum::<i64>();
    let updated = sets.new.as_ref().map_or(0, actual);
    let counts = [
        ("replicas", sum(actual)),
        ("updatedReplicas", updated),
        ("readyReplicas", sum(ready)),
        ("availableReplicas", sum(available)),
        ("unavailableReplicas", (sum(size) - sum(available)).max(0)),
    ];
    for (field, count) in counts {
        crate::object::set_count(&mut sets.status, field, usize::try_from(count).unwrap_or(0));
    }
    sets.status.insert("observedGeneration".to_owned(), json!(sets.deployment.metadata.generation));
}

fn set_available(sets: &mut Sets<'_>, clock: &Clock) {
    let is_available = number(&sets.status, "availableReplicas") >= sets.wanted() - sets.limits().unavailable;
    let new = if is_available {
        NewCondition {
            kind: "Available",
            status: "True",
            reason: "MinimumReplicasAvailable",
            message: "Deployment has minimum availability.",
        }
    } else {
        NewCondition {
            kind: "Available",
            status: "False",
            reason: "MinimumReplicasUnavailable",
            message: "Deployment does not have minimum availability.",
        }
    };
    condition::set(&mut sets.status, &new, &clock.text(), &STAMPS);
}

/// Sets the condition Progressing, and returns when the deadline must be checked.
fn set_progress(sets: &mut Sets<'_>, before: &Map<String, Value>, clock: &Clock) -> Option<Duration> {
    let deadline = sets.spec.progress_deadline_seconds.unwrap_or(600);
    if deadline == NO_DEADLINE {
        return None;
    }
    let count = |field| number(&sets.status, field);
    let reason = condition::find(before, "Progressing").map_or(Value::Null, |found| found["reason"].clone());
    if reason == "NewReplicaSetAvailable" && count("replicas") == count("updatedReplicas") {
        return None; // it completed before, and a lost pod does not make it a rollout again
    }
    let wanted = sets.wanted();
    let subject = match &sets.new {
        Some(new) => format!("ReplicaSet \"{}\"", name(new)),
        None => format!("Deployment \"{}\"", name(&sets.deployment)),
    };
    let is_complete =
        ["updatedReplicas", "replicas", "availableReplicas"].iter().all(|field| count(field) == wanted);
    if is_complete {
        set_progressing(
            sets,
            "NewReplicaSetAvailable",
            &format!("{subject} has successfully progressed."),
            clock,
        );
        return None;
    }
    if has_progressed(before, &sets.status) {
        // The time of the last progress counts for the deadline, so the condition is written anew.
        let transition =
            condition::find(before, "Progressing").map(|found| found["lastTransitionTime"].clone());
        condition::remove(&mut sets.status, "Progressing");
        set_progressing(sets, "ReplicaSetUpdated", &format!("{subject} is progressing."), clock);
        if let (Some(transition), Some(found)) = (transition, progressing_mut(&mut sets.status)) {
            found["lastTransitionTime"] = transition;
        }
    }
    let deadline = Duration::from_secs(u64::try_from(deadline).unwrap_or(0));
    let rest = rest_until_deadline(&sets.status, deadline, clock)?;
    if rest.is_zero() {
        let late = format!("{subject} has timed out progressing.");
        let new = NewCondition {
            kind: "Progressing",
            status: "False",
            reason: "ProgressDeadlineExceeded",
            message: &late,
        };
        condition::set(&mut sets.status, &new, &clock.text(), &STAMPS);
        return None;
    }
    Some(rest)
}

fn progressing_mut(status: &mut Map<String, Value>) -> Option<&mut Value> {
    let conditions = status.get_mut("conditions")?.as_array_mut()?;
    conditions.iter_mut().find(|condition| condition["type"] == "Progressing")
}

fn rest_until_deadline(status: &Map<String, Value>, deadline: Duration, clock: &Clock) -> Option<Duration> {
    let found = condition::find(status, "Progressing").filter(|found| found["status"] == "True")?;
    let updated: Timestamp = found["lastUpdateTime"].as_str()?.parse().ok()?;
    let passed = Duration::try_from(clock.now().duration_since(updated)).unwrap_or_default();
    Some(deadline.saturating_sub(passed))
}

/// Whether pods were replaced or became ready since the last status.
fn has_progressed(before: &Map<String, Value>, after: &Map<String, Value>) -> bool {
    let old = |status| number(status, "replicas") - number(status, "updatedReplicas");
    let grew = |field| number(after, field) > number(before, field);
    grew("updatedReplicas") || old(after) < old(before) || grew("readyReplicas") || grew("availableReplicas")
}

pub(super) fn set_progressing(sets: &mut Sets<'_>, reason: &str, message: &str, clock: &Clock) {
    if sets.spec.progress_deadline_seconds == Some(NO_DEADLINE) {
        return;
    }
    let new = NewCondition { kind: "Progressing", status: "True", reason, message };
    condition::set(&mut sets.status, &new, &clock.text(), &STAMPS);
}

fn number(status: &Map<String, Value>, field: &str) -> i64 {
    status.get(field).and_then(Value::as_i64).unwrap_or(0)
}
