//! Whether a Job has succeeded or failed. First the decision is written (`SuccessCriteriaMet`, `FailureTarget`), then
//! the remaining pods stop, and then the Job is finished (`Complete`, `Failed`).

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Map, Value, json};

use super::Run;
use super::tracking::FinishedPods;
use crate::condition::{self, NewCondition};
use crate::object::count;
use crate::pods;

/// The fields of a condition of a Job that contain the time of its last change.
const STAMPS: [&str; 1] = ["lastProbeTime"];

/// Each decision, and what it becomes.
const DECISIONS: [(&str, &str); 2] = [("SuccessCriteriaMet", "Complete"), ("FailureTarget", "Failed")];

pub(super) fn is_finished(status: &Map<String, Value>) -> bool {
    DECISIONS.iter().any(|(_, finished)| condition::is_true(status, finished))
}

pub(super) fn is_decided(status: &Map<String, Value>) -> bool {
    DECISIONS.iter().any(|(decided, _)| condition::is_true(status, decided))
}

/// When a finished Job finished.
pub(super) fn finished_at(status: &Map<String, Value>) -> Option<Time> {
    let found = DECISIONS.iter().find_map(|(_, finished)| condition::find(status, finished))?;
    found["lastTransitionTime"].as_str()?.parse::<Timestamp>().ok().map(Time)
}

/// Decides whether the Job has failed or succeeded, if it is not decided yet.
pub(super) fn decide(run: &mut Run<'_>) {
    if is_decided(&run.status) || run.is_suspended() {
        return;
    }
    let decision = failure(run).map(|(reason, message)| ("FailureTarget", reason, message)).or_else(|| {
        has_succeeded(run).then_some((
            "SuccessCriteriaMet",
            "CompletionsReached",
            "Reached expected number of succeeded pods",
        ))
    });
    if let Some((kind, reason, message)) = decision {
        let new = NewCondition { kind, status: "True", reason, message };
        condition::set(&mut run.status, &new, &run.clock.text(), &STAMPS);
    }
}

fn failure(run: &Run<'_>) -> Option<(&'static str, &'static str)> {
    let limit = run.spec.backoff_limit.map_or(6, |limit| count(Some(limit)));
    if run.finished.failed() > limit || has_restarted_too_often(run, limit) {
        return Some(("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
    }
    let is_late = run.spec.active_deadline_seconds.is_some() && deadline_in(run).is_none();
    is_late.then_some(("DeadlineExceeded", "Job was active longer than specified deadline"))
}

/// Containers that are restarted in their pod count as failures too.
fn has_restarted_too_often(run: &Run<'_>, limit: usize) -> bool {
    let policy = run.spec.template.spec.as_ref().and_then(|spec| spec.restart_policy.as_deref());
    if policy != Some("OnFailure") {
        return false;
    }
    let restarts: i32 = run.active().into_iter().map(|pod: &Pod| pods::restarts(pod)).sum();
    let restarts = count(Some(restarts));
    if limit == 0 { restarts > 0 } else { restarts >= limit }
}

/// The time until `activeDeadlineSeconds`. `None` if there is none, or it is over.
pub(super) fn deadline_in(run: &Run<'_>) -> Option<Duration> {
    let seconds = u64::try_from(run.spec.active_deadline_seconds?).unwrap_or(0);
    let started: Timestamp = run.status.get("startTime")?.as_str()?.parse().ok()?;
    run.clock.until(&Time(started), Duration::from_secs(seconds))
}

fn has_succeeded(run: &Run<'_>) -> bool {
    match run.spec.completions {
        Some(completions) => run.finished.succeeded() >= count(Some(completions)),
        None => run.finished.succeeded() > 0 && run.active().is_empty(),
    }
}

/// Finishes a decided Job when no pod is left and all ends are counted.
pub(super) fn finish(status: &mut Map<String, Value>, left: usize, finished: &FinishedPods, now: &str) {
    if left > 0 || !finished.is_complete() {
        return;
    }
    for (decided, kind) in DECISIONS {
        let Some(decision) = condition::find(status, decided).cloned() else { continue };
        let text = |field: &str| decision[field].as_str().unwrap_or_default().to_owned();
        let (reason, message) = (text("reason"), text("message"));
        let new = NewCondition { kind, status: "True", reason: &reason, message: &message };
        condition::set(status, &new, now, &STAMPS);
        if kind == "Complete" {
            status.insert("completionTime".to_owned(), json!(now));
        }
    }
}
