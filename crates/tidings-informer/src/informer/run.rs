//! The informer's task: it takes deltas from the queue, applies them, publishes, and tells the handlers. It is
//! the only one that writes the cache, so everything that must not race with a write happens here.

pub(crate) mod shutdown;
pub(crate) mod signals;
pub(crate) mod upkeep;

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
use crate::informer::deliver::dispatch::distribute;
use crate::informer::deliver::mailbox::{Mailbox, run_handler};
use crate::informer::deliver::resync::{PendingResyncs, ResyncSchedule};
use crate::informer::notification::RawNotification;
use crate::informer::observe::fault::InformerFault;
use crate::informer::observe::monitor::StreamMonitor;
use crate::informer::run::shutdown::EndOnDrop;
use crate::informer::run::signals::{TaskSignal, TaskSignals};
use crate::informer::run::upkeep::Upkeep;
use crate::informer::shared::{Lifecycle, Shared};
use crate::reflector::{Reflector, StopReason};

/// Opens a source for each part of the resource that an informer shall list and watch.
pub trait Sources: Send + Sync {
    /// A source for one namespace, or all. What is already cached is asked of `known`.
    fn open(&self, scope: &StreamScope, known: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch>;
}

/// The task of one informer. Nothing happens before it runs; dropping it deleted_at everything at once.
#[must_use = "an informer does nothing until its task runs"]
pub struct InformerTask {
    pub(crate) shared: Arc<Shared>,
    sources: Arc<dyn Sources>,
    pub(crate) sender: DeltaSender,
    pub(crate) receiver: DeltaReceiver,
    applier: Applier,
    streams: Vec<(StreamId, StreamScope, CancellationToken)>,
    /// Told to end; what they sent last has not been applied.
    ending: Vec<(StreamId, StreamScope)>,
    next_stream: u32,
    clock: ResyncSchedule,
    pending_resyncs: PendingResyncs,
    upkeep: Upkeep,
    /// Reflectors: they end when their stream does.
    pub(crate) reflectors: JoinSet<()>,
    /// One task a handler.
    pub(crate) listeners: JoinSet<()>,
    told: Vec<RawNotification>,
    /// Indexes were added or removed.
    index_requests: Arc<Notify>,
    /// Last, so that everything above is gone when it says so.
    _ended: EndOnDrop,
}

impl InformerTask {
    pub(crate) fn new(
        shared: Arc<Shared>,
        sources: Arc<dyn Sources>,
        (sender, receiver): (DeltaSender, DeltaReceiver),
        applier: Applier,
    ) -> Self {
        InformerTask {
            upkeep: Upkeep::new(Arc::clone(&shared.intake)),
            index_requests: applier.writer.index_requests(),
            _ended: EndOnDrop(Arc::clone(&shared)),
            shared,
            sources,
            sender,
            receiver,
            applier,
            streams: Vec::new(),
            ending: Vec::new(),
            next_stream: 0,
            clock: ResyncSchedule::default(),
            pending_resyncs: PendingResyncs::default(),
            reflectors: JoinSet::new(),
            listeners: JoinSet::new(),
            told: Vec::new(),
        }
    }

    /// Runs the informer until it is stopped, then delivers what is pending. It never panics: a panic inside it deleted_at the
    /// informer with an [`InformerError::Panicked`](crate::informer::InformerError::Panicked), which its health and every waiter tell.
    pub async fn run(mut self) {
        let ended = AssertUnwindSafe(self.follow_until_stopped()).catch_unwind().await;
        self.end(ended).await;
    }

    async fn follow_until_stopped(&mut self) {
        self.shared.registry.lock().lifecycle = Lifecycle::Started;
        let woken = Arc::downgrade(&self.shared);
        self.shared.intake.on_training_due(move || {
            if let Some(shared) = woken.upgrade() {
                shared.wake.notify_one();
            }
        });
        if !self.shared.stop.is_cancelled() {
            self.handle_requests().await;
            self.run_upkeep();
        }
        let mut signals = TaskSignals::new(&self.shared, &self.index_requests);
        while !self.shared.stop.is_cancelled() {
            match self.next(&mut signals).await {
                NextWork::TaskSignal(TaskSignal::Stop) => {}
                NextWork::TaskSignal(TaskSignal::Requests) => self.handle_requests().await,
                NextWork::TaskSignal(TaskSignal::IndexRequests) | NextWork::Idle => self.run_upkeep(),
                NextWork::Resync => self.resync().await,
                NextWork::Batch(batch) => self.apply(batch).await,
                NextWork::Trained(Ok(trained)) => self.upkeep.adopt(trained, &self.applier),
                NextWork::Trained(Err(message)) => self.shared.reporter.report(&InformerFault::Panicked {
                    part: "the training of a dictionary".to_owned(),
                    message,
                }),
            }
        }
    }

    /// Waits for something to do. TaskSignals go before batches and upkeep comes last; but who was woken from a wait looks for a batch
    /// before most calls, since it is mostly for that.
    async fn next(&mut self, signals: &mut TaskSignals) -> NextWork {
        let mut resync = pin!(due(self.clock.next()));
        let has_upkeep = self.upkeep.has_work() || self.applier.writer.needs_maintenance();
        let mut idle = pin!(tokio::task::yield_now());
        let mut trained = pin!(self.upkeep.trained());
        let mut batch = pin!(self.receiver.next_batch());
        let mut has_waited = false;
        poll_fn(|cx| {
            if let Poll::Ready(call) = signals.poll_requests(cx) {
                return Poll::Ready(NextWork::TaskSignal(call));
            }
            if has_waited && let Poll::Ready(batch) = batch.as_mut().poll(cx) {
                return Poll::Ready(NextWork::Batch(batch.unwrap_or_default()));
            }
            if let Poll::Ready(call) = signals.poll_others(cx) {
                return Poll::Ready(NextWork::TaskSignal(call));
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
            if has_upkeep { idle.as_mut().poll(cx).map(|()| NextWork::Idle) } else { Poll::Pending }
        })
        .await
    }

    pub(crate) async fn apply(&mut self, batch: Batch) {
        let taken_at = Instant::now();
        let syncs = batch.iter().filter(|(_, delta)| matches!(delta, Delta::Sync(_))).count();
        for (stream, delta) in batch {
            self.applier.apply(stream, delta, &mut self.told);
        }
        self.upkeep.look(&self.applier);
        if !self.ending.is_empty() {
            self.follow();
        }
        self.publish(taken_at).await;
        self.pending_resyncs.delivered(syncs);
        self.shared.processing.lock().observe(taken_at.elapsed());
    }

    /// Readers see the new state before any handler hears of it.
    async fn publish(&mut self, taken_at: Instant) {
        self.applier.publish();
        *self.shared.applied.lock() = self.applier.counts;
        self.report_unreadable();
        self.report_index_faults();
        distribute(&self.shared, &mut self.told, &self.pending_resyncs, taken_at).await;
        self.publish_progress();
        self.check_synced();
    }

    /// Mostly nobody waits, and then nobody is woken. Whoever begins to wait is counted before it looks, and it looks under
    /// the lock that is held here: it is counted here, or sees what is put here.
    fn publish_progress(&self) {
        let told = &self.shared.progress;
        told.send_if_modified(|progress| {
            progress.clone_from(&self.applier.progress);
            told.receiver_count() > 0
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

    /// One slice of upkeep. Over a small cache new indexes are complete at once; a large one is indexed bit by bit.
    fn run_upkeep(&mut self) {
        self.upkeep.work(&mut self.applier);
        self.report_index_faults();
        // Whoever waits for an index looks again.
        self.shared.progress.send_modify(|_| {});
    }

    fn report_unreadable(&self) {
        for notification in self.told.iter().filter(|notification| !notification.is_resync()) {
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

    /// Does what handles have asked for: new handlers, other namespaces.
    async fn handle_requests(&mut self) {
        self.upkeep.look(&self.applier);
        self.applier.wanted.clone_from(&self.shared.registry.lock().scopes);
        self.follow();
        self.add_new_handlers().await;
        self.check_synced();
    }

    pub(crate) async fn add_new_handlers(&mut self) {
        while let Some((mailbox, callback)) = self.shared.take_new_handler() {
            if let Some(callback) = callback {
                let (shared, mailbox) = (Arc::clone(&self.shared), Arc::clone(&mailbox));
                self.listeners.spawn(async move {
                    let handling = run_handler(mailbox, callback, Arc::clone(&shared.reporter));
                    if let Err(panic) = AssertUnwindSafe(handling).catch_unwind().await {
                        shared.wake.notify_one();
                        std::panic::resume_unwind(panic);
                    }
                });
            }
            self.deliver_initial(&mailbox).await;
        }
        reap(&mut self.listeners);
    }

    /// A handler that comes late is told what is there, then what happens: between the two nothing is applied,
    /// so nothing is missed and nothing told twice.
    async fn deliver_initial(&mut self, mailbox: &Arc<Mailbox>) {
        let there = self.applier.writer.iter().map(Arc::clone);
        let initial = there.map(|object| RawNotification::added(object, true));
        let now = Instant::now();
        mailbox.deliver(initial, now).await;
        if self.shared.synced.initialized() {
            mailbox.initial_complete();
        }
        self.clock.add(mailbox, now);
    }

    /// Begins and deleted_at streams so that they are those that are wanted. One that overlaps a stream on its way out
    /// waits for that one's last delta: an old event that came after the newer list would stay for ever.
    fn follow(&mut self) {
        let wanted = &self.applier.wanted;
        let ending = self.streams.extract_if(.., |(_, scope, _)| !wanted.contains(scope));
        for (id, scope, stop) in ending {
            stop.cancel();
            self.shared.monitors.lock().remove(&id);
            self.shared.failures.forget(id);
            self.ending.push((id, scope));
        }
        self.ending.retain(|(id, _)| self.applier.progress.is_following(*id));
        for scope in wanted.clone() {
            let is_followed = self.streams.iter().any(|(_, following, _)| *following == scope);
            if !is_followed && !self.ending.iter().any(|(_, ending)| overlap(ending, &scope)) {
                self.begin(scope);
            }
        }
        reap(&mut self.reflectors);
    }

    fn begin(&mut self, scope: StreamScope) {
        let id = StreamId(self.next_stream);
        self.next_stream += 1;
        // Not a child of the informer's own token: a stream that deleted_at with its informer keeps what it brought.
        let stop = CancellationToken::new();
        let monitor = Arc::new(StreamMonitor::new(scope.clone(), Arc::clone(&self.shared.reporter)));
        self.shared.monitors.lock().insert(id, Arc::clone(&monitor));
        self.applier.progress.begin(id, scope.clone());
        let source = self.sources.open(&scope, Arc::new(self.shared.reader.clone()));
        let sink = self.sender.stream(id, scope.clone());
        let seed = self.shared.config.seed.wrapping_add(u64::from(id.0));
        let config = self.shared.config.reflector.clone();
        let reflector = Reflector::new(source, sink, config, Arc::clone(&monitor) as _, seed);
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
                // It leaves what it brought, as long as its scope is wanted.
                shared.stream_failed(id, &scope, cause);
                stop.cancelled().await;
            }
            sender.end_stream(id, scope).await;
        });
    }

    /// Per object a resync goes through the queue. In order it is read from the cache; subscribers come last there: a slow one
    /// does not keep others waiting.
    async fn resync(&mut self) {
        let now = Instant::now();
        let mut due = self.clock.take_due(now);
        if self.shared.config.queue_order == QueueOrder::PerObject {
            return self.pending_resyncs.begin(due, self.receiver.resync());
        }
        due.sort_by_key(|mailbox| mailbox.is_subscriber());
        for mailbox in due {
            let there = self.applier.writer.iter().map(Arc::clone);
            mailbox.deliver(there.map(RawNotification::resync), now).await;
        }
    }
}

/// What an informer's task does next.
enum NextWork {
    TaskSignal(TaskSignal),
    Resync,
    Batch(Batch),
    /// A training has ended, or panicked with this message.
    Trained(Result<TrainedDictionary, String>),
    /// Nothing else: a slice of upkeep.
    Idle,
}

/// Forgets tasks that have ended. One that panicked has broken its promise not to: the informer goes with it.
fn reap(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.try_join_next() {
        if let Err(error) = ended
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

/// Ends when that time has come; never without one.
async fn due(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
