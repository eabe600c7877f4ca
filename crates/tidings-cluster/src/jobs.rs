//! Jobs: runs pods until enough have succeeded, or too many have failed.
//!
//! Every pod has a finalizer until its end is counted in the status, so that no end is lost and none is counted twice,
//! wherever the controller stops: see [`tracking`]. A finished Job is deleted after `ttlSecondsAfterFinished`.

mod indexes;
mod tracking;
mod verdict;

use std::time::Duration;

use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_client::api::{DeleteParams, PropagationPolicy};
use serde_json::{Map, Value, json};
use tidings::controller::{Action, Context, Controller, Error, NewEvent, Request};

use crate::claim::claim;
use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::condition;
use crate::object::{count, is_deleting, name, part, set_count, status_of, uid, write_status};
use crate::{pods, template};
use indexes::Indexes;
use tracking::{FinishedPods, has_tracking_finalizer};

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

/// The delay before a failed pod is replaced; it doubles with each failure.
const BACKOFF_FIRST: Duration = Duration::from_secs(10);
const BACKOFF_MAX: Duration = Duration::from_secs(600);

/// Imitates the Job controller and the one that deletes finished Jobs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jobs;

impl StandIn for Jobs {
    fn name(&self) -> &'static str {
        "jobs"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        vec![
            Controller::for_kind::<Job>("job-controller")
                .owns::<Pod>()
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

/// A Job during one reconcile.
struct Run<'a> {
    context: &'a Context,
    clock: &'a Clock,
    job: &'a Job,
    spec: &'a JobSpec,
    pods: Vec<Pod>,
    status: Map<String, Value>,
    finished: FinishedPods,
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(job) = context.get::<Job>(&request).await? else { return Ok(Action::await_change()) };
    let Some(spec) = part::<JobSpec>(&job.spec) else { return Ok(Action::await_change()) };
    if spec.managed_by.as_deref().is_some_and(|manager| manager != "kubernetes.io/job-controller") {
        return Ok(Action::await_change());
    }
    let selector = spec.selector.clone().unwrap_or_else(|| selector_of(&job));
    let pods: Vec<Pod> = claim(&context, &*job, &selector).await?;
    let status = status_of(&*job)?;
    if verdict::is_finished(&status) || is_deleting(&*job) {
        for pod in &pods {
            tracking::release(&context, pod).await?;
        }
        return expire(&context, &job, spec, &status, &clock).await;
    }
    let finished = FinishedPods::read(&status, spec, &pods);
    let mut run = Run { context: &context, clock: &clock, job: &job, spec, pods, status, finished };
    run.start();
    verdict::decide(&mut run);
    let next = run.manage().await?;
    run.report().await?;
    Ok(next.map_or_else(Action::await_change, Action::requeue_after))
}

/// Deletes a finished Job when its time to live is over.
async fn expire(
    context: &Context,
    job: &Job,
    spec: &JobSpec,
    status: &Map<String, Value>,
    clock: &Clock,
) -> Result<Action, Error> {
    let (Some(ttl), Some(finished)) = (spec.ttl_seconds_after_finished, verdict::finished_at(status)) else {
        return Ok(Action::await_change());
    };
    if is_deleting(job) {
        return Ok(Action::await_change());
    }
    let ttl = Duration::from_secs(u64::try_from(ttl).unwrap_or(0));
    if let Some(rest) = clock.until(&finished, ttl) {
        return Ok(Action::requeue_after(rest));
    }
    let only_this = kube_client::api::Preconditions { uid: job.metadata.uid.clone(), resource_version: None };
    let params = DeleteParams {
        propagation_policy: Some(PropagationPolicy::Foreground),
        preconditions: Some(only_this),
        ..DeleteParams::default()
    };
    context.api::<Job>().delete_with(name(job), &params).await?;
    Ok(Action::await_change())
}

impl Run<'_> {
    fn is_suspended(&self) -> bool {
        self.spec.suspend == Some(true)
    }

    fn is_indexed(&self) -> bool {
        self.spec.completion_mode.as_deref() == Some("Indexed")
    }

    /// How many pods may run at a time.
    fn parallelism(&self) -> usize {
        self.spec.parallelism.map_or(1, |number| count(Some(number)))
    }

    fn active(&self) -> Vec<&Pod> {
        self.pods.iter().filter(|pod| pods::is_active(pod)).collect()
    }

    /// Records when the Job started, or that it is suspended.
    fn start(&mut self) {
        let now = self.clock.text();
        let is_suspended = self.is_suspended();
        let was_suspended = condition::is_true(&self.status, "Suspended");
        if is_suspended != was_suspended {
            let (status, reason, message) = match is_suspended {
                true => ("True", "JobSuspended", "Job suspended"),
                false => ("False", "JobResumed", "Job resumed"),
            };
            let new = condition::NewCondition { kind: "Suspended", status, reason, message };
            condition::set(&mut self.status, &new, &now, &["lastProbeTime"]);
        }
        if is_suspended {
            self.status.remove("startTime");
        } else if !self.status.contains_key("startTime") {
            self.status.insert("startTime".to_owned(), json!(now));
        }
    }

    /// Creates and deletes pods. Returns when the next reconcile is due if nothing changes.
    async fn manage(&mut self) -> Result<Option<Duration>, Error> {
        let active = self.active();
        let wanted = match () {
            () if self.is_suspended() || verdict::is_decided(&self.status) => 0,
            () => self.wanted_active(active.len()),
        };
        if active.len() > wanted {
            let mut surplus = active.clone();
            pods::sort_for_deletion(&mut surplus);
            for pod in surplus.into_iter().take(active.len() - wanted) {
                pods::delete(self.context, pod).await?;
                let note = format!("Deleted pod: {}", name(pod));
                self.context.recorder().event(self.job, NewEvent::normal("SuccessfulDelete", note));
            }
        } else if active.len() < wanted {
            if let Some(rest) = self.backoff() {
                return Ok(Some(rest));
            }
            let mut free = self.free_indexes();
            for _ in active.len()..wanted {
                self.create(free.next()).await?;
            }
        }
        Ok(verdict::deadline_in(self))
    }

    /// How many pods should run now.
    fn wanted_active(&self, active: usize) -> usize {
        match self.spec.completions {
            Some(completions) => {
                let missing = count(Some(completions)).saturating_sub(self.finished.succeeded());
                self.parallelism().min(missing)
            }
            // The pods share a queue: once one has succeeded, no new ones start.
            None if self.finished.succeeded() > 0 => active,
            None => self.parallelism(),
        }
    }

    /// The time until a failed pod may be replaced.
    fn backoff(&self) -> Option<Duration> {
        let ended_at = |pod: &Pod| -> Option<k8s_openapi::apimachinery::pkg::apis::meta::v1::Time> {
            let containers = pod.status.as_ref()?.container_statuses.as_ref()?;
            let ends = containers
                .iter()
                .filter_map(|own| own.state.as_ref()?.terminated.as_ref()?.finished_at.clone());
            ends.max()
        };
        let of_phase = |phase: &'static str| {
            self.pods.iter().filter(move |pod| pods::phase(pod) == phase).filter_map(ended_at)
        };
        let last_success = of_phase("Succeeded").max();
        let failures: Vec<_> = of_phase("Failed").filter(|end| Some(end) > last_success.as_ref()).collect();
        let doublings = u32::try_from(failures.len()).ok()?.checked_sub(1)?;
        let delay = BACKOFF_FIRST.saturating_mul(1 << doublings.min(6)).min(BACKOFF_MAX);
        self.clock.until(failures.iter().max()?, delay)
    }

    /// The completion indexes for new pods: the lowest that have neither succeeded nor run.
    fn free_indexes(&self) -> impl Iterator<Item = usize> + use<> {
        let completions = if self.is_indexed() { count(self.spec.completions) } else { 0 };
        let running: Vec<usize> = self.active().into_iter().filter_map(tracking::index).collect();
        let done: Indexes = self.finished.completed.clone();
        (0..completions).filter(move |index| !done.contains(*index) && !running.contains(index))
    }

    async fn create(&self, index: Option<usize>) -> Result<(), Error> {
        let mut pod = template::pod(&self.spec.template, self.job)?;
        pod.metadata.finalizers.get_or_insert_default().push(tracking::FINALIZER.to_owned());
        let labels = pod.metadata.labels.get_or_insert_default();
        for (key, value) in [
            (CONTROLLER_UID, uid(self.job)),
            ("controller-uid", uid(self.job)),
            (JOB_NAME, name(self.job)),
            ("job-name", name(self.job)),
        ] {
            labels.insert(key.to_owned(), value.to_owned());
        }
        pod.metadata.generate_name = Some(format!("{}-", name(self.job)));
        if let Some(index) = index {
            tracking::set_index(&mut pod, name(self.job), index);
        }
        let created = self.context.api::<Pod>().create(&pod).await?;
        let note = format!("Created pod: {}", created.name());
        self.context.recorder().event(self.job, NewEvent::normal("SuccessfulCreate", note));
        Ok(())
    }

    /// Writes the status, then releases the pods whose ends are in it.
    async fn report(mut self) -> Result<(), Error> {
        let active = self.active();
        let ready = active.iter().filter(|pod| pods::is_ready(pod)).count();
        let is_terminating = |pod: &&Pod| is_deleting(*pod) && !pods::has_ended(pod);
        let terminating = self.pods.iter().filter(is_terminating).count();
        let active = active.len();
        set_count(&mut self.status, "active", active);
        self.status.insert("ready".to_owned(), json!(ready));
        self.status.insert("terminating".to_owned(), json!(terminating));
        self.finished.write(&mut self.status);
        verdict::finish(&mut self.status, active + terminating, &self.finished, &self.clock.text());
        write_status(self.context, self.job, self.status).await?;
        for pod in self
            .pods
            .iter()
            .filter(|pod| self.finished.is_uncounted(uid(*pod)) && has_tracking_finalizer(pod))
        {
            tracking::release(self.context, pod).await?;
        }
        Ok(())
    }
}

/// The selector that Kubernetes gives to Jobs without one.
fn selector_of(job: &Job) -> LabelSelector {
    let labels = [(CONTROLLER_UID.to_owned(), uid(job).to_owned())];
    LabelSelector { match_labels: Some(labels.into()), ..LabelSelector::default() }
}
