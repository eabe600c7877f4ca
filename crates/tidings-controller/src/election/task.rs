//! The task of an election: sends the requests that the state machine decides on, and publishes who leads.
//!
//! It never waits for a response longer than the state machine allows. The only foreign code that it calls is the
//! overrun hook. When it ends, in whatever way, its term ends too.

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

/// The task of an election.
#[derive(Debug)]
#[must_use = "an election does nothing unless its task is run"]
pub struct ElectionTask {
    machine: ElectionStateMachine,
    api: Api<Lease>,
    shared: Arc<SharedElection>,
    on_stop: OnStop,
    /// The current term with its number, as published to the handles.
    term: Option<(u64, Arc<SharedTerm>)>,
    /// Terms that have ended and still have guards.
    former_terms: Vec<Arc<SharedTerm>>,
    stop_phase: StopPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnStop {
    Release,
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopPhase {
    Running,
    /// The term has ended. The lease is still renewed while guards exist, so that no other replica takes it.
    Draining,
    Stopped,
}

impl ElectionTask {
    pub(super) fn new(
        machine: ElectionStateMachine,
        api: Api<Lease>,
        shared: Arc<SharedElection>,
        on_stop: OnStop,
    ) -> Self {
        let (term, former_terms, stop_phase) = (None, Vec::new(), StopPhase::Running);
        ElectionTask { machine, api, shared, on_stop, term, former_terms, stop_phase }
    }

    /// Takes part in the election until `stop` is cancelled; it may win and lose many terms. Then the current term
    /// ends, the lease is renewed until all guards are dropped and released after that, and the task ends. So cancel
    /// `stop` and wait for the task. If the task is dropped instead, the term ends at once, the lease expires by
    /// itself, and only the threads of the guards still watch over the work.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            if stop.is_cancelled() {
                self.advance_stop();
            }
            let now = read_clocks();
            let action = self.machine.next_action(now);
            self.publish();
            match action {
                ElectionAction::Send { request, until } => {
                    let response = self.send(request, until, &stop).await;
                    self.machine.on_response(response, now.at, Instant::now());
                }
                ElectionAction::Wait { until } => self.wait(until, &stop).await,
                ElectionAction::Stop => break,
            }
        }
        self.wait_for_guards().await;
    }

    /// Sends a request and waits for the response, but not longer than `until`.
    async fn send(
        &mut self,
        request: LeaseRequest,
        until: Instant,
        stop: &CancellationToken,
    ) -> LeaseResponse {
        let may_abandon = self.stop_phase == StopPhase::Running && !self.machine.is_writing();
        let mut response =
            std::pin::pin!(timeout_at(until, send(self.api.clone(), Arc::clone(&self.shared), request)));
        loop {
            tokio::select! {
                biased;
                response = &mut response => return response.unwrap_or_else(|_| {
                    tracing::warn!(lease = %self.shared.lease, "no response about the lease in time");
                    LeaseResponse::Failed
                }),
                () = overrun(&self.former_terms) => self.act_on_overrun(),
                () = stop.cancelled(), if may_abandon => return LeaseResponse::Failed,
            }
        }
    }

    async fn wait(&mut self, until: Instant, stop: &CancellationToken) {
        let term = self.term.as_ref().map(|(_, term)| Arc::clone(term));
        let stop_phase = self.stop_phase;
        let idle = async {
            match (stop_phase, &term) {
                (StopPhase::Draining, Some(term)) => term.idle().await,
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

    /// Moves a stop forward: the term ends, then its guards are dropped, then the lease is released.
    fn advance_stop(&mut self) {
        if self.stop_phase == StopPhase::Running {
            self.stop_phase = StopPhase::Draining;
        }
        if self.machine.validity().is_none() && self.stop_phase != StopPhase::Stopped {
            // This replica does not hold the lease: there is nothing to release.
            self.stop_phase = StopPhase::Stopped;
            self.machine.stop(Instant::now());
        }
        if let Some((_, term)) = &self.term {
            term.end();
        }
        let is_idle = self.term.as_ref().is_none_or(|(_, term)| term.is_idle());
        if self.stop_phase == StopPhase::Draining && is_idle {
            self.stop_phase = StopPhase::Stopped;
            match self.on_stop {
                OnStop::Release => self.machine.release(Instant::now()),
                OnStop::Keep => self.machine.stop(Instant::now()),
            }
        }
    }

    /// Publishes the state of the machine to the handles.
    fn publish(&mut self) {
        let now = Instant::now();
        self.shared.slow_paths.store(self.machine.slow_paths(), Ordering::Relaxed);
        if let (Some(validity), Some((number, term))) = (self.machine.validity(), &self.term)
            && *number == self.machine.term()
        {
            if self.stop_phase == StopPhase::Draining {
                term.keep(validity);
            } else if !term.renew(validity, now) {
                // A watchdog thread ended the term before this task handled the response that renewed the lease.
                self.machine.lose(now);
            }
        }
        match (self.machine.validity(), self.machine.term()) {
            (Some(_), number) if self.term.as_ref().is_some_and(|(ours, _)| *ours == number) => {}
            (Some(validity), number) if self.stop_phase == StopPhase::Running => {
                self.end_term();
                let term = Arc::new(SharedTerm::new(Arc::clone(&self.shared.lease), validity));
                tracing::info!(lease = %self.shared.lease, identity = %self.shared.identity, "this replica leads");
                self.term = Some((number, term));
            }
            _ => self.end_term(),
        }
        let holder = self.machine.holder();
        let changed_at = self.machine.changed_at();
        let term = self.term.as_ref().map(|(_, term)| term);
        self.shared.status.send_if_modified(|status| {
            let is_new_holder = status.holder.as_deref() != holder;
            let is_new_term = status.term.as_ref().map(Arc::as_ptr) != term.map(Arc::as_ptr);
            if is_new_holder {
                status.holder = holder.map(Arc::from);
            }
            status.changed_at = changed_at;
            status.term = term.cloned();
            is_new_holder || is_new_term
        });
    }

    fn end_term(&mut self) {
        let Some((_, term)) = self.term.take() else { return };
        tracing::info!(lease = %self.shared.lease, identity = %self.shared.identity, "this replica no longer leads");
        term.end();
        if !term.is_idle() {
            self.former_terms.push(term);
        }
    }

    /// Waits until the guards of all former terms are dropped, or their work has outlasted its lease.
    async fn wait_for_guards(&mut self) {
        while let Some(term) = self.former_terms.first().cloned() {
            tokio::select! {
                () = term.idle() => self.former_terms.retain(|term| !term.is_idle()),
                () = overrun(&self.former_terms) => self.act_on_overrun(),
            }
        }
    }

    /// Acts on the work of former terms whose lease has expired.
    fn act_on_overrun(&mut self) {
        let now = Instant::now();
        let (expired, valid): (Vec<_>, Vec<_>) =
            self.former_terms.drain(..).partition(|term| now >= term.validity().expires_at);
        self.former_terms = valid;
        expired.iter().flat_map(|term| term.guards()).for_each(|guard| guard.overrun());
    }
}

impl Drop for ElectionTask {
    fn drop(&mut self) {
        // Before the term ends, so that a reader that is woken by the end of the term finds the reason.
        self.shared.status.send_modify(|status| {
            status.term = None;
            status.is_ended = true;
        });
        self.end_term();
    }
}

/// Waits until the lease of one of these terms expires.
async fn overrun(former_terms: &[Arc<SharedTerm>]) {
    match former_terms.iter().map(|term| term.validity().expires_at).min() {
        Some(expires_at) => sleep_until(expires_at).await,
        None => std::future::pending().await,
    }
}

async fn send(api: Api<Lease>, shared: Arc<SharedElection>, request: LeaseRequest) -> LeaseResponse {
    let (name, post) = (&shared.name, PostParams::default());
    let (verb, response) = match &request {
        LeaseRequest::Read => ("get", api.get(name).await),
        LeaseRequest::Create(lease) => ("create", api.create(&post, lease).await),
        LeaseRequest::Replace(lease) => ("update", api.replace(name, &post, lease).await),
    };
    match response {
        Ok(lease) => LeaseResponse::Lease(Box::new(lease)),
        Err(kube_client::Error::Api(status)) if status.code == 404 => LeaseResponse::NotFound,
        Err(kube_client::Error::Api(status)) if status.code == 409 => LeaseResponse::Conflict,
        Err(error) => {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, lease = %shared.lease, verb, "a request about the lease failed");
            LeaseResponse::Failed
        }
    }
}

/// The only place where elections read the wall clock, which is written into leases for people.
fn read_clocks() -> Now {
    Now { at: Instant::now(), wall: Timestamp::now() }
}
