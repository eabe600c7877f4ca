//! CronJobs: creates a Job at each time of a schedule, and deletes old Jobs.
//!
//! Time is that of the cluster's clock: in paused time, a test that waits a day sees a day of Jobs. Schedules are read
//! in UTC; another time zone is reported and runs nothing.

mod schedule;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{CronJob, CronJobSpec, Job};
use kube_client::api::{DeleteParams, PropagationPolicy};
use serde_json::{Value, from_value, json};
use tidings::controller::{
    Action, Context, Controller, Error, NewEvent, Request, controller_reference, is_controlled_by,
};

use crate::clock::{Clock, text};
use crate::cluster::{Setup, StandIn};
use crate::object::{count, in_namespace, is_deleting, name, namespace, part, status_of, uid, write_status};
use schedule::Schedule;

/// The annotation of a Job that contains the time for which it was created.
const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// The largest number of missed times that are examined. With more, the CronJob was stopped for long, and the last one
/// counts.
const MISSED_MAX: usize = 100;

/// Imitates the CronJob controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct CronJobs;

impl StandIn for CronJobs {
    fn name(&self) -> &'static str {
        "cronjobs"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        vec![
            Controller::for_kind::<CronJob>("cronjob-controller")
                .owns::<Job>()
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(cron_job) = context.get::<CronJob>(&request).await? else { return Ok(Action::await_change()) };
    let Some(spec) = part::<CronJobSpec>(&cron_job.spec) else { return Ok(Action::await_change()) };
    if is_deleting(&*cron_job) {
        return Ok(Action::await_change());
    }
    let jobs: Vec<Job> = in_namespace::<Job>(&context)?
        .into_iter()
        .filter(|job| is_controlled_by(job, uid(&*cron_job)) && !is_deleting(job))
        .collect();
    delete_old(&context, spec, &jobs).await?;
    let mut run = Run { context: &context, cron_job: &cron_job, spec, jobs, clock: &clock };
    let next = run.schedule().await?;
    run.report().await?;
    Ok(next.map_or_else(Action::await_change, Action::requeue_after))
}

/// Deletes finished Jobs beyond the limits of the history, the oldest first.
async fn delete_old(context: &Context, spec: &CronJobSpec, jobs: &[Job]) -> Result<(), Error> {
    let limits = [
        ("Complete", spec.successful_jobs_history_limit.map_or(3, |limit| count(Some(limit)))),
        ("Failed", spec.failed_jobs_history_limit.map_or(1, |limit| count(Some(limit)))),
    ];
    for (kind, limit) in limits {
        let mut finished: Vec<&Job> = jobs.iter().filter(|job| end_of(job) == Some(kind)).collect();
        finished.sort_by_key(|job| scheduled_for(job));
        for job in finished.iter().take(finished.len().saturating_sub(limit)) {
            delete(context, job).await?;
        }
    }
    Ok(())
}

async fn delete(context: &Context, job: &Job) -> Result<(), Error> {
    let params =
        DeleteParams { propagation_policy: Some(PropagationPolicy::Background), ..DeleteParams::default() };
    match context.api::<Job>().delete_with(name(job), &params).await {
        Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
        result => result.map(drop).map_err(Error::from),
    }
}

/// `Complete` or `Failed`, if the Job has finished.
fn end_of(job: &Job) -> Option<&'static str> {
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    let is_true = |kind: &str| conditions.iter().any(|own| own.type_ == kind && own.status == "True");
    ["Complete", "Failed"].into_iter().find(|kind| is_true(kind))
}

fn scheduled_for(job: &Job) -> Option<Timestamp> {
    crate::object::annotation(job, SCHEDULED)?.parse().ok()
}

/// A CronJob during one reconcile.
struct Run<'a> {
    context: &'a Context,
    cron_job: &'a CronJob,
    spec: &'a CronJobSpec,
    jobs: Vec<Job>,
    clock: &'a Clock,
}

impl Run<'_> {
    /// Creates the Job that is due, if one is. Returns the time until the next one.
    async fn schedule(&mut self) -> Result<Option<Duration>, Error> {
        if self.spec.suspend == Some(true) {
            return Ok(None);
        }
        if !matches!(self.spec.time_zone.as_deref(), None | Some("" | "UTC" | "Etc/UTC")) {
            let note = "only the time zone UTC is imitated".to_owned();
            self.context.recorder().event(self.cron_job, NewEvent::warning("UnknownTimeZone", note));
            return Ok(None);
        }
        let schedule = match Schedule::parse(&self.spec.schedule) {
            Ok(schedule) => schedule,
            Err(error) => {
                let event = NewEvent::warning("UnparseableSchedule", error.to_string());
                self.context.recorder().event(self.cron_job, event);
                return Ok(None);
            }
        };
        let now = self.clock.now();
        if let Some(due) = self.due(&schedule, now) {
            self.start(due).await?;
        }
        let next = schedule.after(now).map(|next| next.duration_since(self.clock.now()));
        Ok(next.map(|next| Duration::try_from(next).unwrap_or_default()))
    }

    /// The last time of the schedule that has passed and has no Job.
    fn due(&self, schedule: &Schedule, now: Timestamp) -> Option<Timestamp> {
        let last = self.cron_job.status.as_ref().and_then(|status| status.last_schedule_time.as_ref());
        let created = self.cron_job.metadata.creation_timestamp.as_ref();
        let of_jobs = self.jobs.iter().filter_map(scheduled_for).max();
        let mut from = last.or(created)?.0.max(of_jobs.unwrap_or(Timestamp::MIN));
        if let Some(deadline) = self.spec.starting_deadline_seconds {
            from = from.max(now.checked_sub(jiff::SignedDuration::from_secs(deadline)).unwrap_or(from));
        }
        let mut due = None;
        for _ in 0..MISSED_MAX {
            let Some(next) = schedule.after(from).filter(|next| *next <= now) else { return due };
            (due, from) = (Some(next), next);
        }
        due
    }

    async fn start(&mut self, due: Timestamp) -> Result<(), Error> {
        let running = self.jobs.iter().filter(|job| end_of(job).is_none());
        match self.spec.concurrency_policy.as_deref() {
            Some("Forbid") if running.clone().next().is_some() => return Ok(()),
            Some("Replace") => {
                for job in running {
                    delete(self.context, job).await?;
                }
                self.jobs.retain(|job| end_of(job).is_some());
            }
            _ => {}
        }
        let job = self.job(due)?;
        match self.context.api::<Job>().create(&job).await {
            Ok(created) => {
                let note = format!("Created job {}", created.name());
                self.context.recorder().event(self.cron_job, NewEvent::normal("SuccessfulCreate", note));
                self.jobs.push(created.decoded()?);
            }
            // It was created for this time, and the cache does not show it yet.
            Err(kube_client::Error::Api(status)) if status.code == 409 => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// The Job for a time. Its name contains the minute, so that a time never has two Jobs.
    fn job(&self, due: Timestamp) -> Result<Job, Error> {
        let template = serde_json::to_value(&self.spec.job_template)?;
        let mut metadata = template["metadata"].clone();
        if !metadata.is_object() {
            metadata = json!({});
        }
        metadata["name"] = json!(format!("{}-{}", name(self.cron_job), due.as_second() / 60));
        metadata["namespace"] = json!(namespace(self.cron_job));
        metadata["annotations"][SCHEDULED] = json!(text(due));
        metadata["ownerReferences"] = json!([controller_reference(self.cron_job)?]);
        Ok(from_value(json!({ "metadata": metadata, "spec": template["spec"] }))?)
    }

    async fn report(&self) -> Result<(), Error> {
        let mut status = status_of(self.cron_job)?;
        let active = self.jobs.iter().filter(|job| end_of(job).is_none()).map(|job| {
            json!({
                "apiVersion": "batch/v1",
                "kind": "Job",
                "namespace": namespace(job),
                "name": name(job),
                "uid": uid(job),
                "resourceVersion": job.metadata.resource_version,
            })
        });
        let mut active: Vec<Value> = active.collect();
        keep_versions(&mut active, status.get("active"));
        if active.is_empty() {
            status.remove("active");
        } else {
            status.insert("active".to_owned(), json!(active));
        }
        let successes = self.jobs.iter().filter(|job| end_of(job) == Some("Complete"));
        let success = successes.filter_map(|job| job.status.as_ref()?.completion_time.clone()).max();
        for (field, time) in [
            ("lastScheduleTime", self.jobs.iter().filter_map(scheduled_for).max()),
            ("lastSuccessfulTime", success.map(|time| time.0)),
        ] {
            let known: Option<Timestamp> = status.get(field).and_then(|known| known.as_str()?.parse().ok());
            if let Some(time) = time.filter(|time| known.is_none_or(|known| known < *time)) {
                status.insert(field.to_owned(), json!(text(time)));
            }
        }
        write_status(self.context, self.cron_job, status).await
    }
}

/// Keeps the version that a Job had when it was first listed as active: it does not change with the Job.
fn keep_versions(active: &mut [Value], known: Option<&Value>) {
    for job in active {
        let listed = known.and_then(Value::as_array).into_iter().flatten();
        if let Some(listed) = listed.into_iter().find(|other| other["uid"] == job["uid"]) {
            job["resourceVersion"] = listed["resourceVersion"].clone();
        }
    }
}
