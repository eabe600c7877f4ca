//! The workers of a controller: each takes a request from the queue, calls the reconciler, and applies its result.
//!
//! A reconcile that returns an error, panics or hangs affects only its own request: the worker continues with the next
//! request, and the failed one is retried after a delay that grows. A request that was taken is either finished or back
//! on the queue.
//!
//! If the caches do not yet show the writes of a request's last reconcile, the request is [parked](parking), and the
//! worker continues with the next one.

mod object_waits;
mod on_error;
mod outcome;
mod parking;
mod shard_filter;
mod signals;
mod stale_caches;

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tidings_object::Object;
use tidings_util::clock;
use tidings_workqueue::{AddOptions, ItemGuard, WorkQueue};
use tokio::time::Instant;
use tracing::{Instrument, Level, Span};

use crate::action::{Action, ObjectWait};
#[cfg(feature = "endpoints")]
use crate::causes::EndedReconcile;
use crate::causes::{Cause, CauseBuffer, CauseLog, Causes};
use crate::context::{Context, SharedContext, StalenessLimit};
use crate::controller::stats::{ContextCounters, ReconcileCounters, RequestCounters, RequestReason};
use crate::error::ControllerError;
use crate::reconciler::{AnyReconciler, Error};
use crate::request::Request;
use crate::sync::{AtomicU64, Ordering};
use crate::writes::writes_shown;
pub(crate) use object_waits::{ObjectWaits, WaitReceiver};
pub(crate) use on_error::OnError;
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
    pub(crate) staleness_limit: Option<StalenessLimit>,
    pub(crate) on_error: Option<OnError>,
    /// Set if several replicas share the keys.
    pub(crate) shard_filter: Option<ShardFilter>,
    pub(crate) parking: Parking,
    pub(crate) object_waits: ObjectWaits,
    pub(crate) next_id: AtomicU64,
}

enum NextRequest {
    Queued(ItemGuard<Request>),
    Parked(ClaimedRequest, WritesShown),
}

/// The queue and the counters of a controller. Handles keep it alive after the workers have ended.
pub(crate) struct ControllerState {
    pub(crate) queue: WorkQueue<Request>,
    pub(crate) counters: ReconcileCounters,
    /// Counted by the contexts of reconciles.
    pub(crate) context: Arc<ContextCounters>,
    /// Requests that the controller itself adds.
    pub(crate) own: RequestCounters,
    /// Requests from notifications, by source.
    pub(crate) sources: Vec<Arc<RequestCounters>>,
    /// Why requests are on the queue.
    pub(crate) causes: Arc<CauseLog>,
}

impl WorkerShared {
    /// Runs one worker until a signal is given or the queue has ended.
    pub(crate) async fn run(self: Arc<Self>, signals: Signals) {
        // A handle of this worker's own: the queue counts the items in work for each handle.
        let queue = self.state.queue.clone();
        let (mut waits, mut buffer) = (SignalWaits::new(signals), CauseBuffer::default());
        while let Some(Some(next)) = waits.unless_ended(self.next(&queue)).await {
            let (claimed, shown) = match next {
                NextRequest::Parked(claimed, shown) => (claimed, shown),
                NextRequest::Queued(working) => {
                    let Some(claimed) = self.permitted(working) else { continue };
                    let Some(claimed) = self.put_off_if_stale(claimed) else { continue };
                    let Some(ready) = self.ready_or_parked(claimed) else { continue };
                    ready
                }
            };
            let ClaimedRequest { working, permit, causes } = claimed;
            let causes = buffer.fill(causes);
            if let Some(permit) = &permit {
                waits.lose_with(Some(permit.lost().clone()));
            }
            self.work_on(&working, shown, causes, &mut waits).await;
            if permit.is_some() {
                waits.lose_with(None);
            }
            buffer.clear();
            // The next replica may work on the key only after this one has released it.
            drop(working);
            drop(permit);
        }
    }

    /// The next request. `None` when the queue has ended and no request is parked.
    async fn next(&self, queue: &WorkQueue<Request>) -> Option<NextRequest> {
        loop {
            if let Some((claimed, shown)) = self.parking.pop() {
                return Some(NextRequest::Parked(claimed, shown));
            }
            let mut changed = pin!(self.parking.changed());
            tokio::select! {
                // Polls the queue first: it usually has an item, and then `changed` is never registered.
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
    fn permitted(&self, working: ItemGuard<Request>) -> Option<ClaimedRequest> {
        let causes = self.state.causes.take(&working);
        let Some(shard_filter) = &self.shard_filter else {
            return Some(ClaimedRequest { working, permit: None, causes });
        };
        let permit = shard_filter.permit(&working, self.context.caches.own());
        if permit.is_none() {
            self.state.counters.not_ours.add_one();
            self.forget(&working);
        }
        Some(ClaimedRequest { working, permit: Some(permit?), causes })
    }

    /// Parks a request if the caches do not show the writes of its last reconcile.
    fn ready_or_parked(&self, claimed: ClaimedRequest) -> Option<(ClaimedRequest, WritesShown)> {
        let SharedContext { pending_writes, caches, .. } = &*self.context;
        let writes = pending_writes.take(&claimed.working);
        if writes.is_empty() || self.write_wait_max.is_zero() {
            return Some((claimed, Ok(())));
        }
        if let Some(shown) = writes_shown(caches, writes.iter(), self.write_wait_max).now_or_never() {
            return Some((claimed, shown));
        }
        self.state.counters.write_waits.add_one();
        self.parking.park(claimed, writes);
        None
    }

    async fn work_on(
        &self,
        working: &ItemGuard<Request>,
        shown: WritesShown,
        causes: Arc<Causes>,
        waits: &mut SignalWaits,
    ) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let span = self.span(working, id, &causes);
        // Pinned on the stack: `instrument` would otherwise move the future for each request.
        let attempt = pin!(async {
            if let Err(error) = shown {
                self.state.counters.write_waits_given_up.add_one();
                tracing::warn!(%error, "reconciling although the caches do not show the request's own writes");
            }
            self.detect_loop(working, &causes);
            let outcome = self.reconcile(working, id, &causes, waits).await;
            outcome.trace();
            if matches!(outcome, ReconcileOutcome::Abandoned) {
                self.state.causes.put_back(working, Causes::clone(&causes));
            }
            self.settle(working, outcome);
        });
        attempt.instrument(span).await;
    }

    /// The span of one reconcile. If no subscriber wants it, its fields are not evaluated.
    fn span(&self, request: &Request, id: u64, causes: &Causes) -> Span {
        if !tracing::span_enabled!(Level::INFO) {
            return Span::none();
        }
        tracing::info_span!(
            "reconcile",
            controller = self.context.controller,
            object.namespace = request.namespace(),
            object.name = request.name(),
            reconcile.id = id,
            reconcile.causes = %causes,
        )
    }

    /// Reports a request for which the controller wakes itself without end.
    fn detect_loop(&self, request: &Request, causes: &Causes) {
        if !causes.are_own_writes() {
            return;
        }
        let generation = self.context.caches.generation(request);
        if self.state.causes.woke_itself(&self.context.controller, request, generation, causes) {
            self.state.counters.loops.add_one();
        }
    }

    async fn reconcile(
        &self,
        request: &Request,
        id: u64,
        causes: &Arc<Causes>,
        waits: &mut SignalWaits,
    ) -> ReconcileOutcome {
        self.object_waits.end(request);
        let counters = &self.state.counters;
        let _active = counters.begin();
        let started = Instant::now();
        let (stop, causes_read) = (waits.signals().stop.clone(), Arc::clone(causes));
        let context = Context::new(Arc::clone(&self.context), request.clone(), stop, id, causes_read);
        let context = context.reading_live(self.reads_live());
        // `catch_unwind` covers the drop of the reconcile too, because destructors of the user's values can panic.
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
        let took = started.elapsed();
        counters.reconcile_time.observe(took);
        #[cfg(feature = "endpoints")]
        self.state.causes.record_reconcile(EndedReconcile {
            id,
            request,
            took,
            result: outcome.as_str(),
            causes,
        });
        outcome
    }

    /// Applies the outcome of a reconcile. The request is still claimed: a request that is added here becomes available
    /// after it is released.
    fn settle(&self, working: &ItemGuard<Request>, outcome: ReconcileOutcome) {
        let counters = &self.state.counters;
        match outcome {
            ReconcileOutcome::Ended(Ok(action)) => self.succeeded(working, action),
            ReconcileOutcome::Ended(Err(error)) if error.is_terminal() => {
                counters.errors.add_one();
                counters.terminal_errors.add_one();
                self.forget(working);
            }
            ReconcileOutcome::Ended(Err(error)) => {
                counters.errors.add_one();
                self.retry(working, RequestReason::Error, || error);
            }
            ReconcileOutcome::TimedOut(limit) => {
                counters.errors.add_one();
                counters.timeouts.add_one();
                let error = || ControllerError::ReconcileTimeout { limit }.into();
                self.retry(working, RequestReason::Timeout, error);
            }
            ReconcileOutcome::Panicked(message) => {
                counters.errors.add_one();
                counters.panics.add_one();
                let error = || ControllerError::ReconcilePanicked { message }.into();
                self.retry(working, RequestReason::Panic, error);
            }
            ReconcileOutcome::Abandoned => {
                counters.abandoned.add_one();
                self.again(working, RequestReason::Abandoned, AddOptions::new());
            }
        }
    }

    fn succeeded(&self, working: &ItemGuard<Request>, action: Action) {
        let counters = &self.state.counters;
        match action {
            Action::AwaitChange => {
                counters.successes.add_one();
                self.forget(working);
            }
            Action::Requeue => {
                counters.requeues.add_one();
                self.reset_failures(working);
                self.again(working, RequestReason::Requeue, AddOptions::new().rate_limited());
            }
            Action::RequeueAfter(delay) => {
                counters.delayed_requeues.add_one();
                self.forget(working);
                let cause = Cause::from_time(RequestReason::RequeueAfter, clock::from_now(delay));
                self.again_because(working, cause, AddOptions::new().after(delay));
            }
            Action::AwaitObject(wait) => self.await_object(working, wait),
        }
    }

    /// Lets a request sleep until an object meets a condition. If it does already, the request is retried after the
    /// delay of the rate limiter: a reconciler that returns this again and again must not spin.
    fn await_object(&self, working: &ItemGuard<Request>, wait: ObjectWait) {
        let counters = &self.state.counters;
        let Some(informer) = wait.informer_in(&self.context.caches) else {
            counters.errors.add_one();
            let error = || wait.not_declared(&self.context.controller).into();
            return self.retry(working, RequestReason::Error, error);
        };
        counters.successes.add_one();
        self.reset_failures(working);
        let cached = informer.reader().get(wait.key()).map(Object::new);
        if informer.is_synced() && wait.holds(cached.as_ref()) {
            return self.again(working, RequestReason::AwaitedObject, AddOptions::new().rate_limited());
        }
        self.state.queue.forget(working);
        self.object_waits.begin(Request::clone(working), informer, wait);
    }

    /// Retries a failed request: as the hook chooses, or as the rate limiter allows.
    fn retry(&self, working: &ItemGuard<Request>, reason: RequestReason, error: impl FnOnce() -> Error) {
        let action = match &self.on_error {
            Some(on_error) => on_error.failed(working, &error()),
            None => Action::Requeue,
        };
        match action {
            Action::AwaitChange => self.state.queue.forget(working),
            Action::AwaitObject(wait) => self.await_object(working, wait),
            Action::Requeue => self.again(working, reason, AddOptions::new().rate_limited()),
            Action::RequeueAfter(delay) => self.again(working, reason, AddOptions::new().after(delay)),
        }
    }

    /// Resets the backoff of a request.
    fn forget(&self, working: &ItemGuard<Request>) {
        self.reset_failures(working);
        self.state.queue.forget(working);
    }

    fn reset_failures(&self, request: &Request) {
        if let Some(on_error) = &self.on_error {
            on_error.reset(request);
        }
    }

    /// Puts a request back that was taken and not finished.
    fn put_back(&self, claimed: ClaimedRequest) {
        self.state.causes.put_back(&claimed.working, claimed.causes);
        self.again(&claimed.working, RequestReason::Abandoned, AddOptions::new());
    }

    /// Adds a request again, with the priority that it had.
    fn again(&self, working: &ItemGuard<Request>, reason: RequestReason, options: AddOptions) {
        self.again_because(working, Cause::of(reason), options);
    }

    fn again_because(&self, working: &ItemGuard<Request>, cause: Cause, options: AddOptions) {
        self.state.own.count(cause.reason());
        self.state.causes.add(working, cause);
        self.state.queue.add_with(Request::clone(working), options.priority(working.priority()));
    }
}
