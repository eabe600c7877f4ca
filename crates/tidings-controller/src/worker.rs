//! Takes a key, calls the reconciler, applies what it returned.
//!
//! Whatever a reconcile does (error, panic, hang), it costs that reconcile only: the worker goes on with the next key, and the key
//! comes again after a delay that grows. A key that was taken is either settled or back on the queue.
//!
//! A key whose own writes the caches do not show yet is parked: the worker goes on with the next one.

mod outcome;
mod parking;
mod shard_filter;
mod signals;

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tidings_workqueue::{AddOptions, WorkQueue, Working};
use tokio::time::Instant;
use tracing::{Instrument, Level, Span};

use crate::action::Action;
use crate::context::{Context, SharedContext};
use crate::controller::stats::{ReconcileCounters, RequestCounters, RequestReason};
use crate::reconciler::AnyReconciler;
use crate::request::Request;
use crate::sync::{AtomicU64, Ordering};
use crate::writes::writes_shown;
use outcome::ReconcileOutcome;
pub(crate) use outcome::join_error_message;
use parking::{ClaimedRequest, WritesShown};
pub(crate) use parking::{ParkedReceiver, Parking};
pub(crate) use shard_filter::ShardFilter;
pub use signals::Signals;
use signals::{Completion, SignalWaits};

/// What the workers of a controller share.
pub(crate) struct WorkerShared {
    pub(crate) reconciler: Box<dyn AnyReconciler>,
    pub(crate) context: Arc<SharedContext>,
    pub(crate) state: Arc<ControllerState>,
    pub(crate) reconcile_timeout: Option<Duration>,
    pub(crate) write_wait_max: Duration,
    /// The keys that are ours, if there are other replicas.
    pub(crate) shard_filter: Option<ShardFilter>,
    pub(crate) parking: Parking,
    pub(crate) next_id: AtomicU64,
}

/// What a worker goes on with.
enum NextRequest {
    Queued(Working<Request>),
    Parked(ClaimedRequest, WritesShown),
}

/// The queue, and what is counted: all that outlives the work itself.
pub(crate) struct ControllerState {
    pub(crate) queue: WorkQueue<Request>,
    pub(crate) counters: ReconcileCounters,
    /// The requests that the controller makes itself.
    pub(crate) own: RequestCounters,
    /// Those that come from changes, by source.
    pub(crate) sources: Vec<Arc<RequestCounters>>,
}

impl WorkerShared {
    /// Works until it is told to stop, or the queue has ended.
    pub(crate) async fn run(self: Arc<Self>, signals: Signals) {
        // A handle of its own: what is in work counts on it.
        let queue = self.state.queue.clone();
        let mut waits = SignalWaits::new(signals);
        while let Some(Some(next)) = waits.unless_ended(self.next(&queue)).await {
            let (claimed, shown) = match next {
                NextRequest::Parked(claimed, shown) => (claimed, shown),
                NextRequest::Queued(working) => {
                    let Some(claimed) = self.permitted(working) else { continue };
                    let Some(ready) = self.ready_or_parked(claimed) else { continue };
                    ready
                }
            };
            match &claimed.permit {
                None => self.work_on(&claimed.working, shown, &mut waits).await,
                Some(permit) => {
                    waits.lose_with(Some(permit.lost().clone()));
                    self.work_on(&claimed.working, shown, &mut waits).await;
                    waits.lose_with(None);
                }
            }
        }
    }

    /// The next request. None when the queue has ended, and nothing is parked either.
    async fn next(&self, queue: &WorkQueue<Request>) -> Option<NextRequest> {
        loop {
            if let Some((claimed, shown)) = self.parking.pop() {
                return Some(NextRequest::Parked(claimed, shown));
            }
            let mut changed = pin!(self.parking.changed());
            tokio::select! {
                // The queue first: mostly it has something, and then nothing is registered with the other.
                biased;
                queued = queue.next() => match queued {
                    Some(working) => return Some(NextRequest::Queued(working)),
                    None if self.parking.is_empty() => return None,
                    None => changed.as_mut().await,
                },
                () = changed.as_mut() => {}
            }
        }
    }

    /// Drops a request that belongs to another replica.
    fn permitted(&self, working: Working<Request>) -> Option<ClaimedRequest> {
        let Some(shard_filter) = &self.shard_filter else {
            return Some(ClaimedRequest { working, permit: None });
        };
        let permit = shard_filter.permit(&working, self.context.caches.own());
        if permit.is_none() {
            self.state.counters.not_ours.add_one();
            self.state.queue.forget(&working);
        }
        Some(ClaimedRequest { working, permit: Some(permit?) })
    }

    /// Parks a request if the caches do not show what its last reconcile wrote.
    fn ready_or_parked(&self, claimed: ClaimedRequest) -> Option<(ClaimedRequest, WritesShown)> {
        let SharedContext { pending_writes, caches, .. } = &*self.context;
        let writes = pending_writes.take(&claimed.working);
        if writes.is_empty() || self.write_wait_max.is_zero() {
            return Some((claimed, Ok(())));
        }
        if let Some(shown) = writes_shown(caches, &writes, self.write_wait_max).now_or_never() {
            return Some((claimed, shown));
        }
        self.state.counters.write_waits.add_one();
        self.parking.park(claimed, writes);
        None
    }

    async fn work_on(&self, working: &Working<Request>, shown: WritesShown, waits: &mut SignalWaits) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        // In its place, as below: what is wrapped would be moved into its wrapping for every request.
        let attempt = pin!(async {
            if let Err(error) = shown {
                self.state.counters.write_waits_given_up.add_one();
                tracing::warn!(%error, "reconciling without having shown its own writes");
            }
            let outcome = self.reconcile(working, waits).await;
            outcome.trace();
            self.settle(working, outcome);
        });
        attempt.instrument(self.span(working, id)).await;
    }

    /// What is told while a request is worked on belongs to it. Where nobody listens, not even its parts are looked for.
    fn span(&self, request: &Request, id: u64) -> Span {
        if !tracing::span_enabled!(Level::INFO) {
            return Span::none();
        }
        tracing::info_span!(
            "reconcile",
            controller = self.context.controller,
            object.namespace = request.namespace(),
            object.name = request.name(),
            reconcile.id = id,
        )
    }

    async fn reconcile(&self, request: &Request, waits: &mut SignalWaits) -> ReconcileOutcome {
        let counters = &self.state.counters;
        let _active = counters.begin();
        let started = Instant::now();
        let context = Context::new(Arc::clone(&self.context), request.clone(), waits.signals().stop.clone());
        // The whole is guarded, not the reconciler alone: what a reconcile that is dropped drops can panic as well.
        let guarded = pin!(async {
            let ended = async { self.reconciler.start(request.clone(), context).await };
            let limit = self.reconcile_timeout.unwrap_or(Duration::MAX);
            match waits.finished_by(started.checked_add(limit), ended).await {
                Completion::Done(ended) => ReconcileOutcome::Ended(ended),
                Completion::Abandoned => ReconcileOutcome::Abandoned,
                Completion::DeadlinePassed => ReconcileOutcome::TimedOut(limit),
            }
        });
        let outcome = AssertUnwindSafe(guarded)
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| ReconcileOutcome::panicked(&*panic));
        counters.reconcile_time.observe(started.elapsed());
        outcome
    }

    /// Applies how a reconcile ended. The key is still held: what is added comes after it is let go.
    fn settle(&self, working: &Working<Request>, outcome: ReconcileOutcome) {
        let ControllerState { queue, counters, .. } = &*self.state;
        let (now, limited) = (AddOptions::new(), AddOptions::new().rate_limited());
        match outcome {
            ReconcileOutcome::Ended(Ok(Action::AwaitChange)) => {
                counters.successes.add_one();
                queue.forget(working);
            }
            ReconcileOutcome::Ended(Ok(Action::Requeue)) => {
                counters.requeues.add_one();
                self.again(working, RequestReason::Requeue, limited);
            }
            ReconcileOutcome::Ended(Ok(Action::RequeueAfter(delay))) => {
                counters.delayed_requeues.add_one();
                queue.forget(working);
                self.again(working, RequestReason::RequeueAfter, now.after(delay));
            }
            ReconcileOutcome::Ended(Err(error)) if error.is_terminal() => {
                counters.errors.add_one();
                counters.terminal_errors.add_one();
                queue.forget(working);
            }
            ReconcileOutcome::Ended(Err(_)) => {
                counters.errors.add_one();
                self.again(working, RequestReason::Error, limited);
            }
            ReconcileOutcome::TimedOut(_) => {
                counters.errors.add_one();
                counters.timeouts.add_one();
                self.again(working, RequestReason::Timeout, limited);
            }
            ReconcileOutcome::Panicked(_) => {
                counters.errors.add_one();
                counters.panics.add_one();
                self.again(working, RequestReason::Panic, limited);
            }
            ReconcileOutcome::Abandoned => {
                counters.abandoned.add_one();
                self.again(working, RequestReason::Abandoned, now);
            }
        }
    }

    /// Puts a request back that was taken and not worked on.
    fn put_back(&self, working: &Working<Request>) {
        self.again(working, RequestReason::Abandoned, AddOptions::new());
    }

    /// Puts a request back with the priority that it came with.
    fn again(&self, working: &Working<Request>, reason: RequestReason, options: AddOptions) {
        self.state.own.count(reason);
        self.state.queue.add_with(Request::clone(working), options.priority(working.priority()));
    }
}
