//! Table cells of Jobs and CronJobs.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;

fn has_condition(job: &Value, kind: &str) -> bool {
    let conditions = job["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
}

pub(super) fn job_status(job: &Value) -> Value {
    let status = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"]
        .into_iter()
        .find(|kind| has_condition(job, kind));
    json!(match status {
        _ if !job["metadata"]["deletionTimestamp"].is_null() => "Terminating",
        Some(status) => status,
        None => "Running",
    })
}

/// Completed and desired completions, such as `1/3`.
pub(super) fn completions(job: &Value) -> Value {
    let succeeded = job["status"]["succeeded"].as_i64().unwrap_or(0);
    let parallelism = job["spec"]["parallelism"].as_i64().unwrap_or(1);
    json!(match job["spec"]["completions"].as_i64() {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    })
}

/// How long a job ran, or runs until now.
pub(super) fn job_duration(job: &Value, now: Timestamp) -> Value {
    let (start, end) = (&job["status"]["startTime"], &job["status"]["completionTime"]);
    json!(match (start.is_null(), end.is_null()) {
        (true, _) => String::new(),
        (false, true) => age::since(Some(start), now),
        (false, false) => age::between(start, end).unwrap_or_default(),
    })
}

pub(super) fn is_suspended(cron_job: &Value) -> Value {
    json!(if cron_job["spec"]["suspend"] == true { "True" } else { "False" })
}

/// The number of running jobs.
pub(super) fn active(cron_job: &Value) -> Value {
    json!(cron_job["status"]["active"].as_array().map_or(0, Vec::len))
}

/// The age of the last scheduled run.
pub(super) fn last_schedule(cron_job: &Value, now: Timestamp) -> Value {
    match &cron_job["status"]["lastScheduleTime"] {
        Value::Null => json!("<none>"),
        time => json!(age::since(Some(time), now)),
    }
}
