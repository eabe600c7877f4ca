//! The election's task: does what the machine decides, over the API, and tells who leads.
//!
//! It runs nobody's code but a hook for work that has outlasted its lease, waits for no answer past the read_clocks the
//! machine names, and whatever way it ends, its term ends with it.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube_client::Api;
use kube_core::params::PostParams;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::leadership::SharedElection;
use super::state_machine::{ElectionAction, ElectionStateMachine, LeaseRequest, LeaseResponse, Now};
use super::term::SharedTerm;
use crate::sync::Ordering;

/// The election itself: nothing happens unless it is run.
#[derive(Debug)]
#[must_use = "an election does nothing unless its task is run"]
pub struct ElectionTask {
    machine: ElectionStateMachine,
    api: Api<Lease>,
    shared: Arc<SharedElection>,
    on_stop: OnStop,
    /// Our term, as told to the handles.
    term_state: Option<(u64, Arc<SharedTerm>)>,
    /// Terms that are over and have work going on.
    former_terms: Vec<Arc<SharedTerm>>,
    stop_phase: StopPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnStop {
    Release,
    Keep,
}

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopPhase {
    Running,
    /// The term is over for everybody; the lease is kept from others while work goes on.
    Draining,
    /// Nothing goes on any more.
    Stopped,
}

impl ElectionTask {
    pub(super) fn new(
        machine: ElectionStateMachine,
        api: Api<Lease>,
        shared: Arc<SharedElection>,
        on_stop: OnStop,
    ) -> Self {
        let (term_state, former_terms, stop_phase) = (None, Vec::new(), StopPhase::Running);
        ElectionTask { machine, api, shared, on_stop, term_state, former_terms, stop_phase }
    }

    /// Takes part until `stop` is cancelled, losing and acquiring as it goes. Then its term ends; when no work is
    /// guarded any more the lease is released, and the task ends. Until then the lease is still renewed, so that
    /// nobody else takes it: cancel `stop`, and wait for the task. If it is dropped instead, its term ends at once, the
    /// lease is left to expire, and only the guards' own threads go on to watch.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            if stop.is_cancelled() {
                self.begin_stop();
            }
            let now = read_clocks();
            let step = self.machine.step(now);
            self.publish();
            match step {
                ElectionAction::Send { request, until } => {
                    let answer = self.ask(request, until, &stop).await;
                    self.machine.answer(answer, now.at, Instant::now());
                }
                ElectionAction::Wait { until } => self.rest(until, &stop).await,
                ElectionAction::Stop => break,
            }
        }
        self.wait_for_guards().await;
    }

    /// Asks the server, and waits no longer than `until`.
    async fn ask(
        &mut self,
        request: LeaseRequest,
        until: Instant,
        stop: &CancellationToken,
    ) -> LeaseResponse {
        let may_abandon = self.stop_phase == StopPhase::Running && !self.machine.is_writing();
        let mut answer =
            std::pin::pin!(timeout_at(until, send(self.api.clone(), Arc::clone(&self.shared), request)));
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer.unwrap_or_else(|_| {
                    tracing::warn!(lease = %self.shared.lease, "no answer in time");
                    LeaseResponse::Failed
                }),
                () = overrun(&self.former_terms) => self.act_on_overrun(),
                () = stop.cancelled(), if may_abandon => return LeaseResponse::Failed,
            }
        }
    }

    async fn rest(&mut self, until: Instant, stop: &CancellationToken) {
        let term_state = self.term_state.as_ref().map(|(_, term_state)| Arc::clone(term_state));
        let stop_phase = self.stop_phase;
        let idle = async {
            match (stop_phase, &term_state) {
                (StopPhase::Draining, Some(term_state)) => term_state.idle().await,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled(), if self.stop_phase == StopPhase::Running => {}
            () = idle => {}
            () = sleep_until(until) => {}
            () = overrun(&self.former_terms) => self.act_on_overrun(),
        }
    }

    /// A stop was asked for. First everybody is told, then work comes to its end, then the lease is given back.
    fn begin_stop(&mut self) {
        if self.stop_phase == StopPhase::Running {
            self.stop_phase = StopPhase::Draining;
        }
        if self.machine.validity().is_none() && self.stop_phase != StopPhase::Stopped {
            // A candidate, or a holder that has lost: there is nothing to give back.
            self.stop_phase = StopPhase::Stopped;
            self.machine.leave(Instant::now());
        }
        if let Some((_, term_state)) = &self.term_state {
            term_state.end();
        }
        let is_idle = self.term_state.as_ref().is_none_or(|(_, term_state)| term_state.is_idle());
        if self.stop_phase == StopPhase::Draining && is_idle {
            self.stop_phase = StopPhase::Stopped;
            match self.on_stop {
                OnStop::Release => self.machine.release(Instant::now()),
                OnStop::Keep => self.machine.leave(Instant::now()),
            }
        }
    }

    /// Tells handles what the machine knows.
    fn publish(&mut self) {
        let now = Instant::now();
        self.shared.slow_paths.store(self.machine.slow_paths(), Ordering::Relaxed);
        if let (Some(validity), Some((term, term_state))) = (self.machine.validity(), &self.term_state)
            && *term == self.machine.term()
        {
            if self.stop_phase == StopPhase::Draining {
                term_state.keep(validity);
            } else if !term_state.renew(validity, now) {
                // A guard's thread ended the term while the answer was on its way to us.
                self.machine.lose(now);
            }
        }
        match (self.machine.validity(), self.machine.term()) {
            (Some(_), term) if self.term_state.as_ref().is_some_and(|(ours, _)| *ours == term) => {}
            (Some(validity), term) if self.stop_phase == StopPhase::Running => {
                self.end_term();
                let term_state = Arc::new(SharedTerm::new(Arc::clone(&self.shared.lease), validity));
                tracing::info!(lease = %self.shared.lease, identity = %self.shared.identity, "leading");
                self.term_state = Some((term, term_state));
            }
            _ => self.end_term(),
        }
        let holder = self.machine.holder();
        let changed_at = self.machine.changed_at();
        let term_state = self.term_state.as_ref().map(|(_, term_state)| term_state);
        self.shared.status.send_if_modified(|status| {
            let is_new_holder = status.holder.as_deref() != holder;
            let is_new_term = status.term_state.as_ref().map(Arc::as_ptr) != term_state.map(Arc::as_ptr);
            if is_new_holder {
                status.holder = holder.map(Arc::from);
            }
            status.changed_at = changed_at;
            status.term_state = term_state.cloned();
            is_new_holder || is_new_term
        });
    }

    fn end_term(&mut self) {
        let Some((_, term_state)) = self.term_state.take() else { return };
        tracing::info!(lease = %self.shared.lease, identity = %self.shared.identity, "no longer leading");
        term_state.end();
        if !term_state.is_idle() {
            self.former_terms.push(term_state);
        }
    }

    /// Waits until the last work has ended, or has outlasted its lease.
    async fn wait_for_guards(&mut self) {
        while let Some(term_state) = self.former_terms.first().cloned() {
            tokio::select! {
                () = term_state.idle() => self.former_terms.retain(|term_state| !term_state.is_idle()),
                () = overrun(&self.former_terms) => self.act_on_overrun(),
            }
        }
    }

    /// Acts on work that has outlasted its lease.
    fn act_on_overrun(&mut self) {
        let now = Instant::now();
        let (over, going): (Vec<_>, Vec<_>) =
            self.former_terms.drain(..).partition(|term_state| now >= term_state.validity().expires_at);
        self.former_terms = going;
        over.iter().flat_map(|term_state| term_state.guards()).for_each(|guard| guard.overrun());
    }
}

impl Drop for ElectionTask {
    fn drop(&mut self) {
        self.end_term();
        self.shared.status.send_modify(|status| {
            status.term_state = None;
            status.is_ended = true;
        });
    }
}

/// Ends when one of these terms, all over, has expired.
async fn overrun(former_terms: &[Arc<SharedTerm>]) {
    match former_terms.iter().map(|term_state| term_state.validity().expires_at).min() {
        Some(expires_at) => sleep_until(expires_at).await,
        None => std::future::pending().await,
    }
}

async fn send(api: Api<Lease>, shared: Arc<SharedElection>, request: LeaseRequest) -> LeaseResponse {
    let (name, post) = (&shared.name, PostParams::default());
    let answer = match &request {
        LeaseRequest::Read => api.get(name).await,
        LeaseRequest::Create(lease) => api.create(&post, lease).await,
        LeaseRequest::Replace(lease) => api.replace(name, &post, lease).await,
    };
    match answer {
        Ok(lease) => LeaseResponse::Lease(Box::new(lease)),
        Err(kube_client::Error::Api(status)) if status.code == 404 => LeaseResponse::NotFound,
        Err(kube_client::Error::Api(status)) if status.code == 409 => LeaseResponse::Conflict,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, lease = %shared.lease, "asking for a lease");
            LeaseResponse::Failed
        }
    }
}

/// The one place of elections where the wall clock is read: a lease carries times, for people.
fn read_clocks() -> Now {
    Now { at: Instant::now(), wall: Timestamp::now() }
}
