//! Takes a key, calls the reconciler, applies what it returned.
//!
//! Whatever a reconcile does (error, panic, hang), it costs that reconcile only: the worker goes on with the next key, and the key
//! comes again after a delay that grows. A key that was taken is either settled or back on the queue.

mod outcome;
mod share;
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
use crate::context::{Context, Surroundings};
use crate::controller::stats::{Counters, Reason, RequestCounts};
use crate::reconciler::AnyReconciler;
use crate::request::Request;
use crate::sync::{AtomicU64, Ordering};
use crate::writes::{CaughtUp, caught_up};
use outcome::Outcome;
pub(crate) use outcome::panic_message;
pub(crate) use share::Share;
pub use signals::Signals;
use signals::{Finished, Waits};

/// What the workers of a controller share.
pub(crate) struct Work {
    pub(crate) reconciler: Box<dyn AnyReconciler>,
    pub(crate) surroundings: Arc<Surroundings>,
    pub(crate) tally: Arc<Tally>,
    pub(crate) reconcile_timeout: Option<Duration>,
    pub(crate) write_wait_max: Duration,
    /// The keys that are ours, if there are other replicas.
    pub(crate) share: Option<Share>,
    pub(crate) next_id: AtomicU64,
}

/// The queue, and what is counted: all that outlives the work itself.
pub(crate) struct Tally {
    pub(crate) queue: WorkQueue<Request>,
    pub(crate) counters: Counters,
    /// The requests that the controller makes itself.
    pub(crate) own: RequestCounts,
    /// Those that come from changes, by source.
    pub(crate) sources: Vec<Arc<RequestCounts>>,
}

impl Work {
    /// Works until it is told to stop, or the queue has ended.
    pub(crate) async fn run(self: Arc<Self>, signals: Signals) {
        // A handle of its own: what is in work counts on it.
        let queue = self.tally.queue.clone();
        let mut waits = Waits::new(signals);
        while let Some(Some(working)) = waits.unless_ended(queue.next()).await {
            match &self.share {
                None => self.work_on(&working, &mut waits).await,
                Some(share) => match share.permit(&working, self.surroundings.caches.own()) {
                    Some(permit) => {
                        waits.lose_with(Some(permit.lost().clone()));
                        self.work_on(&working, &mut waits).await;
                        waits.lose_with(None);
                    }
                    None => {
                        self.tally.counters.not_ours.add_one();
                        self.tally.queue.forget(&working);
                    }
                },
            }
        }
    }

    async fn work_on(&self, working: &Working<Request>, waits: &mut Waits) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        // In its place, as below: what is wrapped would be moved into its wrapping for every request.
        let attempt = pin!(async {
            if !self.see_own_writes(working, waits).await {
                self.again(working, Reason::Abandoned, AddOptions::new());
                return;
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
            controller = self.surroundings.controller,
            object.namespace = request.namespace(),
            object.name = request.name(),
            reconcile.id = id,
        )
    }

    /// Waits until the caches show what the last reconcile of this request wrote, or the bound has passed. Says whether to
    /// go on: not if the controller ends meanwhile.
    async fn see_own_writes(&self, request: &Request, waits: &mut Waits) -> bool {
        let writes = self.surroundings.ledger.take(request);
        if writes.is_empty() || self.write_wait_max.is_zero() {
            return true;
        }
        let mut seen = pin!(caught_up(&self.surroundings.caches, &writes, self.write_wait_max));
        // What can be seen already holds nobody up, whatever the signals say.
        let seen = match seen.as_mut().now_or_never() {
            Some(seen) => Some(seen),
            None => waits.unless_ended(seen).await,
        };
        let counters = &self.tally.counters;
        match seen {
            None => return false,
            Some(CaughtUp::AtOnce) => {}
            Some(CaughtUp::Later) => counters.write_waits.add_one(),
            Some(CaughtUp::Not(error)) => {
                counters.write_waits.add_one();
                counters.write_waits_given_up.add_one();
                tracing::warn!(%error, "reconciling without having seen its own writes");
            }
        }
        true
    }

    async fn reconcile(&self, request: &Request, waits: &mut Waits) -> Outcome {
        let counters = &self.tally.counters;
        let _active = counters.begin();
        let started = Instant::now();
        let context =
            Context::new(Arc::clone(&self.surroundings), request.clone(), waits.signals().stop.clone());
        // The whole is guarded, not the reconciler alone: what a reconcile that is dropped drops can panic as well.
        let guarded = pin!(async {
            let ended = async { self.reconciler.start(request.clone(), context).await };
            let limit = self.reconcile_timeout.unwrap_or(Duration::MAX);
            match waits.finished_by(started.checked_add(limit), ended).await {
                Finished::Done(ended) => Outcome::Ended(ended),
                Finished::Abandoned => Outcome::Abandoned,
                Finished::Late => Outcome::TimedOut(limit),
            }
        });
        let outcome =
            AssertUnwindSafe(guarded).catch_unwind().await.unwrap_or_else(|panic| Outcome::panicked(&*panic));
        counters.reconcile_time.observe(started.elapsed());
        outcome
    }

    /// Applies how a reconcile ended. The key is still held: what is added comes after it is let go.
    fn settle(&self, working: &Working<Request>, outcome: Outcome) {
        let Tally { queue, counters, .. } = &*self.tally;
        let (now, limited) = (AddOptions::new(), AddOptions::new().rate_limited());
        match outcome {
            Outcome::Ended(Ok(Action::AwaitChange)) => {
                counters.successes.add_one();
                queue.forget(working);
            }
            Outcome::Ended(Ok(Action::Requeue)) => {
                counters.requeues.add_one();
                self.again(working, Reason::Requeue, limited);
            }
            Outcome::Ended(Ok(Action::RequeueAfter(delay))) => {
                counters.delayed_requeues.add_one();
                queue.forget(working);
                self.again(working, Reason::RequeueAfter, now.after(delay));
            }
            Outcome::Ended(Err(error)) if error.is_terminal() => {
                counters.errors.add_one();
                counters.terminal_errors.add_one();
                queue.forget(working);
            }
            Outcome::Ended(Err(_)) => {
                counters.errors.add_one();
                self.again(working, Reason::Error, limited);
            }
            Outcome::TimedOut(_) => {
                counters.errors.add_one();
                counters.timeouts.add_one();
                self.again(working, Reason::Timeout, limited);
            }
            Outcome::Panicked(_) => {
                counters.errors.add_one();
                counters.panics.add_one();
                self.again(working, Reason::Panic, limited);
            }
            Outcome::Abandoned => {
                counters.abandoned.add_one();
                self.again(working, Reason::Abandoned, now);
            }
        }
    }

    /// Puts a request back with the priority that it came with.
    fn again(&self, working: &Working<Request>, reason: Reason, options: AddOptions) {
        self.tally.own.count(reason);
        self.tally.queue.add_with(Request::clone(working), options.priority(working.priority()));
    }
}
