//! The election's task: does what the contest decides, over the API, and tells who leads.
//!
//! It runs nobody's code but a hook for work that has outlasted its lease, waits for no answer past the moment the
//! contest names, and whatever way it ends, its term ends with it.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube_client::Api;
use kube_core::params::PostParams;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::contest::{Answer, Contest, Moment, Request, Step};
use super::leadership::Office;
use super::term::Tenure;
use crate::sync::Ordering;

/// The election itself: nothing happens unless it is run.
#[derive(Debug)]
#[must_use = "an election does nothing unless its task is run"]
pub struct ElectionTask {
    contest: Contest,
    api: Api<Lease>,
    office: Arc<Office>,
    on_stop: OnStop,
    /// Our term, as told to the handles.
    tenure: Option<(u64, Arc<Tenure>)>,
    /// Terms that are over and have work going on.
    former: Vec<Arc<Tenure>>,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnStop {
    Release,
    Keep,
}

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    /// The term is over for everybody; the lease is kept from others while work goes on.
    Retiring,
    /// Nothing goes on any more.
    Leaving,
}

impl ElectionTask {
    pub(super) fn new(contest: Contest, api: Api<Lease>, office: Arc<Office>, on_stop: OnStop) -> Self {
        let (tenure, former, stage) = (None, Vec::new(), Stage::Running);
        ElectionTask { contest, api, office, on_stop, tenure, former, stage }
    }

    /// Takes part until `stop` is cancelled, losing and acquiring as it goes. Then its term ends; when no work is
    /// guarded any more the lease is released, and the task ends. Until then the lease is still renewed, so that
    /// nobody else takes it: cancel `stop`, and wait for the task. If it is dropped instead, its term ends at once, the
    /// lease is left to expire, and only the guards' own threads go on to watch.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            if stop.is_cancelled() {
                self.retire();
            }
            let now = moment();
            let step = self.contest.step(now);
            self.publish();
            match step {
                Step::Ask { request, until } => {
                    let answer = self.ask(request, until, &stop).await;
                    self.contest.answer(answer, now.at, Instant::now());
                }
                Step::Rest { until } => self.rest(until, &stop).await,
                Step::Over => break,
            }
        }
        self.see_off().await;
    }

    /// Asks the server, and waits no longer than `until`.
    async fn ask(&mut self, request: Request, until: Instant, stop: &CancellationToken) -> Answer {
        let may_abandon = self.stage == Stage::Running && !self.contest.is_writing();
        let mut answer =
            std::pin::pin!(timeout_at(until, send(self.api.clone(), Arc::clone(&self.office), request)));
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer.unwrap_or_else(|_| {
                    tracing::warn!(lease = %self.office.lease, "no answer in time");
                    Answer::Failed
                }),
                () = overrun(&self.former) => self.bark(),
                () = stop.cancelled(), if may_abandon => return Answer::Failed,
            }
        }
    }

    async fn rest(&mut self, until: Instant, stop: &CancellationToken) {
        let tenure = self.tenure.as_ref().map(|(_, tenure)| Arc::clone(tenure));
        let stage = self.stage;
        let idle = async {
            match (stage, &tenure) {
                (Stage::Retiring, Some(tenure)) => tenure.idle().await,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled(), if self.stage == Stage::Running => {}
            () = idle => {}
            () = sleep_until(until) => {}
            () = overrun(&self.former) => self.bark(),
        }
    }

    /// A stop was asked for. First everybody is told, then work comes to its end, then the lease is given back.
    fn retire(&mut self) {
        if self.stage == Stage::Running {
            self.stage = Stage::Retiring;
        }
        if self.contest.belief().is_none() && self.stage != Stage::Leaving {
            // A candidate, or a holder that has lost: there is nothing to give back.
            self.stage = Stage::Leaving;
            self.contest.leave(Instant::now());
        }
        if let Some((_, tenure)) = &self.tenure {
            tenure.end();
        }
        let is_idle = self.tenure.as_ref().is_none_or(|(_, tenure)| tenure.is_idle());
        if self.stage == Stage::Retiring && is_idle {
            self.stage = Stage::Leaving;
            match self.on_stop {
                OnStop::Release => self.contest.release(Instant::now()),
                OnStop::Keep => self.contest.leave(Instant::now()),
            }
        }
    }

    /// Tells handles what the contest knows.
    fn publish(&mut self) {
        let now = Instant::now();
        self.office.slow_paths.store(self.contest.slow_paths(), Ordering::Relaxed);
        if let (Some(belief), Some((term, tenure))) = (self.contest.belief(), &self.tenure)
            && *term == self.contest.term()
        {
            if self.stage == Stage::Retiring {
                tenure.keep(belief);
            } else if !tenure.renew(belief, now) {
                // A guard's thread ended the term while the answer was on its way to us.
                self.contest.lose(now);
            }
        }
        match (self.contest.belief(), self.contest.term()) {
            (Some(_), term) if self.tenure.as_ref().is_some_and(|(ours, _)| *ours == term) => {}
            (Some(belief), term) if self.stage == Stage::Running => {
                self.end_tenure();
                let tenure = Arc::new(Tenure::new(Arc::clone(&self.office.lease), belief));
                tracing::info!(lease = %self.office.lease, identity = %self.office.identity, "leading");
                self.tenure = Some((term, tenure));
            }
            _ => self.end_tenure(),
        }
        let holder = self.contest.holder();
        let changed_at = self.contest.changed_at();
        let tenure = self.tenure.as_ref().map(|(_, tenure)| tenure);
        self.office.view.send_if_modified(|view| {
            let is_new_holder = view.holder.as_deref() != holder;
            let is_new_term = view.tenure.as_ref().map(Arc::as_ptr) != tenure.map(Arc::as_ptr);
            if is_new_holder {
                view.holder = holder.map(Arc::from);
            }
            view.changed_at = changed_at;
            view.tenure = tenure.cloned();
            is_new_holder || is_new_term
        });
    }

    fn end_tenure(&mut self) {
        let Some((_, tenure)) = self.tenure.take() else { return };
        tracing::info!(lease = %self.office.lease, identity = %self.office.identity, "no longer leading");
        tenure.end();
        if !tenure.is_idle() {
            self.former.push(tenure);
        }
    }

    /// Waits until the last work has ended, or has outlasted its lease.
    async fn see_off(&mut self) {
        while let Some(tenure) = self.former.first().cloned() {
            tokio::select! {
                () = tenure.idle() => self.former.retain(|tenure| !tenure.is_idle()),
                () = overrun(&self.former) => self.bark(),
            }
        }
    }

    /// Acts on work that has outlasted its lease.
    fn bark(&mut self) {
        let now = Instant::now();
        let (over, going): (Vec<_>, Vec<_>) =
            self.former.drain(..).partition(|tenure| now >= tenure.belief().expires_at);
        self.former = going;
        over.iter().flat_map(|tenure| tenure.guards()).for_each(|guard| guard.overrun());
    }
}

impl Drop for ElectionTask {
    fn drop(&mut self) {
        self.end_tenure();
        self.office.view.send_modify(|view| {
            view.tenure = None;
            view.is_ended = true;
        });
    }
}

/// Ends when one of these terms, all over, has expired.
async fn overrun(former: &[Arc<Tenure>]) {
    match former.iter().map(|tenure| tenure.belief().expires_at).min() {
        Some(expires_at) => sleep_until(expires_at).await,
        None => std::future::pending().await,
    }
}

async fn send(api: Api<Lease>, office: Arc<Office>, request: Request) -> Answer {
    let (name, post) = (&office.name, PostParams::default());
    let answer = match &request {
        Request::Read => api.get(name).await,
        Request::Create(lease) => api.create(&post, lease).await,
        Request::Replace(lease) => api.replace(name, &post, lease).await,
    };
    match answer {
        Ok(lease) => Answer::Lease(Box::new(lease)),
        Err(kube_client::Error::Api(status)) if status.code == 404 => Answer::Missing,
        Err(kube_client::Error::Api(status)) if status.code == 409 => Answer::Conflict,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, lease = %office.lease, "asking for a lease");
            Answer::Failed
        }
    }
}

/// The one place of elections where the wall clock is read: a lease carries times, for people.
fn moment() -> Moment {
    Moment { at: Instant::now(), wall: Timestamp::now() }
}
