//! The informer's task. It takes batches of deltas from the queue, applies them to the cache, publishes the new state,
//! and dispatches notifications to the handlers. It is the only writer of the cache, so everything that must not race
//! with a write happens here: starting and stopping streams, the initial list of a new handler, resyncs, maintenance.
//!
//! One batch, in this order:
//!
//! ```text
//! applier.apply(delta)      cache changed, not yet visible; notifications collected
//! applier.publish()         readers see the whole batch at once
//! dispatch(notifications)   each handler's mailbox gets its copy
//! publish_progress()        waiters for a version wake up
//! ```

pub(crate) mod maintenance;
pub(crate) mod shutdown;
pub(crate) mod signals;

use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::FutureExt;
use tidings_object::{KnownObjects, TrainedDictionary};
use tidings_source::{ListWatch, StreamScope};
use tidings_util::panic_message;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::delta::{Batch, Delta, DeltaReceiver, DeltaSender, QueueOrder, StreamId};
use crate::informer::apply::{Applier, overlap};
use crate::informer::deliver::dispatch::dispatch;
use crate::informer::deliver::mailbox::{Mailbox, run_handler};
use crate::informer::deliver::resync::{PendingResyncs, ResyncSchedule};
use crate::informer::notification::RawNotification;
use crate::informer::observe::fault::InformerFault;
use crate::informer::observe::monitor::StreamMonitor;
use crate::informer::run::maintenance::Maintenance;
use crate::informer::run::shutdown::EndInformerOnDrop;
use crate::informer::run::signals::{TaskSignal, TaskSignals};
use crate::informer::shared::{Lifecycle, Shared};
use crate::reflector::{Reflector, StopReason};

/// Opens a source for each scope that an informer lists and watches.
pub trait Sources: Send + Sync {
    /// A source for one namespace, or for all. The source uses `known` to recognise objects that are already cached.
    fn open(&self, scope: &StreamScope, known: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch>;
}

/// The task of one informer. Nothing happens before it runs. Dropping it stops the informer at once.
#[must_use = "an informer does nothing until its task runs"]
pub struct InformerTask {
    pub(crate) shared: Arc<Shared>,
    sources: Arc<dyn Sources>,
    pub(crate) sender: DeltaSender,
    pub(crate) receiver: DeltaReceiver,
    applier: Applier,
    streams: Vec<(StreamId, StreamScope, CancellationToken)>,
    /// Streams that were cancelled and whose last delta is not yet applied.
    stopping_streams: Vec<(StreamId, StreamScope)>,
    next_stream: u32,
    resyncs: ResyncSchedule,
    pending_resyncs: PendingResyncs,
    maintenance: Maintenance,
    /// One task per stream. Each runs a reflector.
    pub(crate) reflectors: JoinSet<()>,
    /// One task per handler.
    pub(crate) handler_tasks: JoinSet<()>,
    notifications: Vec<RawNotification>,
    /// Indexes were added or removed.
    index_requests: Arc<Notify>,
    /// The last field: it is dropped after the others, and then reports the end.
    _ended: EndInformerOnDrop,
}

impl InformerTask {
    pub(crate) fn new(
        shared: Arc<Shared>,
        sources: Arc<dyn Sources>,
        (sender, receiver): (DeltaSender, DeltaReceiver),
        applier: Applier,
    ) -> Self {
        InformerTask {
            maintenance: Maintenance::new(Arc::clone(&shared.intake)),
            index_requests: applier.writer.index_requests(),
            _ended: EndInformerOnDrop(Arc::clone(&shared)),
            shared,
            sources,
            sender,
            receiver,
            applier,
            streams: Vec::new(),
            stopping_streams: Vec::new(),
            next_stream: 0,
            resyncs: ResyncSchedule::default(),
            pending_resyncs: PendingResyncs::default(),
            reflectors: JoinSet::new(),
            handler_tasks: JoinSet::new(),
            notifications: Vec::new(),
        }
    }

    /// Runs the informer until it is stopped, then delivers pending notifications. It never panics. A panic inside
    /// ends the informer, and the health of the informer and all its waiters report
    /// [`InformerError::Panicked`](crate::informer::InformerError::Panicked).
    pub async fn run(mut self) {
        let result = AssertUnwindSafe(self.run_until_stopped()).catch_unwind().await;
        self.shut_down(result).await;
    }

    async fn run_until_stopped(&mut self) {
        self.shared.registry.lock().lifecycle = Lifecycle::Started;
        let woken = Arc::downgrade(&self.shared);
        self.shared.intake.on_training_due(move || {
            if let Some(shared) = woken.upgrade() {
                shared.wake.notify_one();
            }
        });
        if !self.shared.stop.is_cancelled() {
            self.handle_requests().await;
            self.run_maintenance();
        }
        let mut signals = TaskSignals::new(&self.shared, &self.index_requests);
        while !self.shared.stop.is_cancelled() {
            match self.next(&mut signals).await {
                NextWork::Signal(TaskSignal::Stop) => {}
                NextWork::Signal(TaskSignal::Requests) => self.handle_requests().await,
                NextWork::Signal(TaskSignal::IndexRequests) | NextWork::Idle => self.run_maintenance(),
                NextWork::Resync => self.resync().await,
                NextWork::Batch(batch) => self.apply(batch).await,
                NextWork::Trained(Ok(trained)) => self.maintenance.adopt(trained),
                NextWork::Trained(Err(message)) => self.shared.reporter.report(&InformerFault::Panicked {
                    part: "the training of a dictionary".to_owned(),
                    message,
                }),
            }
        }
    }

    /// Waits for work. The order is: requests of handles, other signals, resyncs, batches, maintenance. After a wake-up the
    /// batch is polled before the other signals, because a batch is the usual reason for it. Requests of handles are
    /// always first: a handler that was added before a change must receive it as a change, not as part of the initial
    /// list.
    async fn next(&mut self, signals: &mut TaskSignals) -> NextWork {
        let mut resync = pin!(sleep_until(self.resyncs.next()));
        let has_maintenance = self.maintenance.has_work() || self.applier.writer.needs_maintenance();
        let mut idle = pin!(tokio::task::yield_now());
        let mut trained = pin!(self.maintenance.trained());
        let mut batch = pin!(self.receiver.next_batch());
        let mut has_waited = false;
        poll_fn(|cx| {
            if let Poll::Ready(signal) = signals.poll_requests(cx) {
                return Poll::Ready(NextWork::Signal(signal));
            }
            if has_waited && let Poll::Ready(batch) = batch.as_mut().poll(cx) {
                return Poll::Ready(NextWork::Batch(batch.unwrap_or_default()));
            }
            if let Poll::Ready(signal) = signals.poll_others(cx) {
                return Poll::Ready(NextWork::Signal(signal));
            }
            if resync.as_mut().poll(cx).is_ready() {
                return Poll::Ready(NextWork::Resync);
            }
            if !has_waited && let Poll::Ready(batch) = batch.as_mut().poll(cx) {
                return Poll::Ready(NextWork::Batch(batch.unwrap_or_default()));
            }
            if let Poll::Ready(trained) = trained.as_mut().poll(cx) {
                return Poll::Ready(NextWork::Trained(trained));
            }
            has_waited = true;
            if has_maintenance { idle.as_mut().poll(cx).map(|()| NextWork::Idle) } else { Poll::Pending }
        })
        .await
    }

    pub(crate) async fn apply(&mut self, batch: Batch) {
        let taken_at = Instant::now();
        let syncs = batch.iter().filter(|(_, delta)| matches!(delta, Delta::Sync(_))).count();
        for (stream, delta) in batch {
            self.applier.apply(stream, delta, &mut self.notifications);
        }
        self.maintenance.schedule(&self.applier);
        if !self.stopping_streams.is_empty() {
            self.update_streams();
        }
        self.publish(taken_at).await;
        self.pending_resyncs.delivered(syncs);
        self.shared.processing.lock().observe(taken_at.elapsed());
    }

    /// Publishes before it dispatches: readers see the new state before any handler receives it.
    async fn publish(&mut self, taken_at: Instant) {
        self.applier.publish();
        *self.shared.applied.lock() = self.applier.counts;
        self.report_unreadable();
        self.report_index_faults();
        dispatch(&self.shared, &mut self.notifications, &self.pending_resyncs, taken_at).await;
        self.publish_progress();
        self.check_synced();
    }

    /// Skips the wake-up when there are no waiters, which is the usual case. No waiter is missed: it subscribes first,
    /// and then reads under the lock that is held here. So either it is counted here, or it reads the new progress.
    fn publish_progress(&self) {
        let published = &self.shared.progress;
        published.send_if_modified(|progress| {
            progress.clone_from(&self.applier.progress);
            published.receiver_count() > 0
        });
    }

    fn check_synced(&mut self) {
        let has_begun = |scope| self.streams.iter().any(|(_, following, _)| following == scope);
        let has_synced = self.applier.progress.has_synced() && self.applier.wanted.iter().all(has_begun);
        if has_synced && self.shared.synced.set(()).is_ok() {
            self.applier.has_synced = true;
            self.shared.registry.lock().mailboxes.iter().for_each(|mailbox| mailbox.initial_complete());
        }
    }

    /// Runs one slice of maintenance. One slice completes an index over a small cache; a large cache takes several.
    fn run_maintenance(&mut self) {
        self.maintenance.work(&mut self.applier);
        self.report_index_faults();
        // Wakes the waiters for an index.
        self.shared.progress.send_modify(|_| {});
    }

    fn report_unreadable(&self) {
        for notification in self.notifications.iter().filter(|notification| !notification.is_resync()) {
            if let Some(error) = notification.object().refusal() {
                self.shared.reporter.report(&InformerFault::Unreadable(error));
            }
        }
    }

    fn report_index_faults(&mut self) {
        for fault in self.applier.writer.take_index_faults() {
            self.shared.reporter.report(&InformerFault::Index(fault));
        }
    }

    /// Handles the requests of handles: new handlers, other namespaces.
    async fn handle_requests(&mut self) {
        self.maintenance.schedule(&self.applier);
        self.applier.wanted.clone_from(&self.shared.registry.lock().scopes);
        self.update_streams();
        self.add_new_handlers().await;
        self.check_synced();
    }

    pub(crate) async fn add_new_handlers(&mut self) {
        while let Some((mailbox, callback)) = self.shared.take_new_handler() {
            if let Some(callback) = callback {
                let (shared, mailbox) = (Arc::clone(&self.shared), Arc::clone(&mailbox));
                self.handler_tasks.spawn(async move {
                    let handling = run_handler(mailbox, callback, Arc::clone(&shared.reporter));
                    if let Err(panic) = AssertUnwindSafe(handling).catch_unwind().await {
                        shared.wake.notify_one();
                        std::panic::resume_unwind(panic);
                    }
                });
            }
            self.deliver_initial(&mailbox).await;
        }
        reap_finished(&mut self.handler_tasks);
    }

    /// Delivers all cached objects to a new handler. No delta is applied in between, so the handler misses no change
    /// and receives none twice.
    async fn deliver_initial(&mut self, mailbox: &Arc<Mailbox>) {
        let cached = self.applier.writer.iter().map(Arc::clone);
        let initial = cached.map(|object| RawNotification::added(object, true));
        let now = Instant::now();
        mailbox.deliver(initial, now).await;
        if self.shared.synced.initialized() {
            mailbox.initial_complete();
        }
        self.resyncs.add(mailbox, now);
    }

    /// Starts and stops streams so that they match the wanted scopes. A stream that overlaps a stopping one starts
    /// only after the last delta of that one: an old event that is applied after the newer list would stay in the
    /// cache.
    fn update_streams(&mut self) {
        let wanted = &self.applier.wanted;
        let ending = self.streams.extract_if(.., |(_, scope, _)| !wanted.contains(scope));
        for (id, scope, stop) in ending {
            stop.cancel();
            self.shared.monitors.lock().remove(&id);
            self.shared.failures.forget(id);
            self.stopping_streams.push((id, scope));
        }
        self.stopping_streams.retain(|(id, _)| self.applier.progress.is_following(*id));
        for scope in wanted.clone() {
            let is_followed = self.streams.iter().any(|(_, following, _)| *following == scope);
            if !is_followed && !self.stopping_streams.iter().any(|(_, ending)| overlap(ending, &scope)) {
                self.start_stream(scope);
            }
        }
        reap_finished(&mut self.reflectors);
    }

    fn start_stream(&mut self, scope: StreamScope) {
        let id = StreamId(self.next_stream);
        self.next_stream += 1;
        // Not a child of the informer's token: a stream that is stopped by itself removes its objects from the cache,
        // but the objects must stay readable when the whole informer stops.
        let stop = CancellationToken::new();
        let monitor = Arc::new(StreamMonitor::new(scope.clone(), Arc::clone(&self.shared.reporter)));
        self.shared.monitors.lock().insert(id, Arc::clone(&monitor));
        self.applier.progress.begin(id, scope.clone());
        let source = self.sources.open(&scope, Arc::new(self.shared.reader.clone()));
        let sink = self.sender.stream(id, scope.clone());
        let seed = self.shared.config.seed.wrapping_add(u64::from(id.0));
        let config = self.shared.config.reflector.clone();
        let reflector = Reflector::new(source, sink, config, Arc::clone(&monitor) as _, seed)
            .not_older_than(self.applier.progress.newest());
        let (sender, shared) = (self.sender.clone(), Arc::clone(&self.shared));
        self.streams.push((id, scope.clone(), stop.clone()));
        self.reflectors.spawn(async move {
            let cause = match AssertUnwindSafe(reflector.run(stop.clone())).catch_unwind().await {
                Ok(StopReason::Cancelled) => None,
                Ok(StopReason::GaveUp(error)) => Some(format!("it gave up: {error}")),
                Err(panic) => {
                    let message = panic_message(&*panic);
                    monitor.panicked(&message);
                    Some(format!("it panicked: {message}"))
                }
            };
            if let Some(cause) = cause {
                // Its objects stay in the cache until its scope is no longer wanted.
                shared.stream_failed(id, &scope, cause);
                stop.cancelled().await;
            }
            sender.end_stream(id, scope).await;
        });
    }

    /// Delivers all objects again to the handlers that are due. With the per-object queue a resync passes through the
    /// queue. With the ordered queue it reads the cache, and subscribers are last, so that a slow one does not delay
    /// the others.
    async fn resync(&mut self) {
        let now = Instant::now();
        let mut due = self.resyncs.take_due(now);
        if self.shared.config.queue_order == QueueOrder::PerObject {
            return self.pending_resyncs.begin(due, self.receiver.resync());
        }
        due.sort_by_key(|mailbox| mailbox.is_subscriber());
        for mailbox in due {
            let cached = self.applier.writer.iter().map(Arc::clone);
            mailbox.deliver(cached.map(RawNotification::resync), now).await;
        }
    }
}

/// What the informer's task does next.
enum NextWork {
    Signal(TaskSignal),
    Resync,
    Batch(Batch),
    /// The training of a dictionary has finished, or panicked with this message.
    Trained(Result<TrainedDictionary, String>),
    /// There is only maintenance to do.
    Idle,
}

/// Removes finished tasks from the set. These tasks catch the panics of user code, so a panic here is a bug of ours:
/// it ends the informer.
fn reap_finished(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.try_join_next() {
        if let Err(error) = ended
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

/// Sleeps until that time; for ever without one.
async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
