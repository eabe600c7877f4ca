//! An attached controller: its handle and its task.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use tidings_informer::{InformerError, KeySubscription, Registration, SharedInformer, WeakInformer};
use tidings_workqueue::WorkQueue;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::map_context::MapFailure;
use super::schema_check::SchemaCheck;
use super::stats::{ControllerStats, RequestReason};
use crate::causes::Cause;
use crate::enqueue::RequestQueue;
use crate::error::ControllerError;
use crate::recorder::RecorderTask;
use crate::request::Request;
use crate::shard::Shard;
use crate::worker::{
    ControllerState, ParkedReceiver, Signals, WaitReceiver, WorkerShared, join_error_message,
};

/// Observes a controller, and adds requests. It keeps no informer alive.
///
/// ```
/// use tidings_controller::{ControllerHandle, Request};
///
/// # fn example(controller: &ControllerHandle) -> Result<(), Box<dyn std::error::Error>> {
/// controller.request(Request::new(Some("default"), "web-0")?); // even if nothing has changed
/// println!("{} has {} requests waiting", controller.name(), controller.stats().queue.waiting);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ControllerHandle {
    pub(super) name: Arc<str>,
    pub(super) workers: usize,
    pub(super) state: Arc<ControllerState>,
    synced: Arc<[SyncedSource]>,
}

/// The task of a controller. It works while it [runs](Self::run). Dropping it removes its handlers from the informers.
#[must_use = "a controller does nothing unless its task runs"]
pub struct ControllerTask {
    handle: ControllerHandle,
    request_queue: RequestQueue,
    shared: Arc<WorkerShared>,
    /// Taken when the task runs.
    start: Option<TaskStart>,
    handlers: ControllerHandlers,
    /// Set unless the caller runs the recorder's task.
    recorder: Option<RecorderTask>,
}

/// What a task needs once, when it starts to run.
pub(super) struct TaskStart {
    pub(super) parked: ParkedReceiver,
    pub(super) waits: WaitReceiver,
    pub(super) schema_check: Option<SchemaCheck>,
    pub(super) map_failure: MapFailure,
}

/// What must be synced for one source.
#[derive(Clone)]
pub(super) enum SyncedSource {
    /// The handler has returned from all notifications of the initial list.
    Handler(Registration),
    /// The cache is filled.
    Cache(WeakInformer),
    /// The collection has synced, and every key was requested.
    Keys(Arc<dyn KeySubscription>),
}

/// The handlers of a controller, which it removes when it is dropped, and the informers that it reads.
#[derive(Default)]
pub(super) struct ControllerHandlers {
    synced: Vec<SyncedSource>,
    informers: Vec<WeakInformer>,
}

impl ControllerHandlers {
    pub(super) fn push(&mut self, registration: Option<Registration>, informer: &SharedInformer<()>) {
        let cache = || SyncedSource::Cache(informer.downgrade());
        self.synced.push(registration.map_or_else(cache, SyncedSource::Handler));
        self.informers.push(informer.downgrade());
    }

    pub(super) fn push_keys(&mut self, subscription: Arc<dyn KeySubscription>) {
        self.synced.push(SyncedSource::Keys(subscription));
    }

    pub(super) fn synced(&self) -> Arc<[SyncedSource]> {
        self.synced.clone().into()
    }

    /// Waits until one of the informers, or the collection, fails. The future borrows nothing.
    fn failed(&self) -> impl Future<Output = SourceFailure> + Send + use<> {
        let informers = self.informers.clone().into_iter();
        let informers =
            informers.map(|informer| async move { SourceFailure::Informer(informer.failed().await) }.boxed());
        let keys = self.synced.iter().filter_map(|synced| match synced {
            SyncedSource::Keys(keys) => Some(keys.failed().map(SourceFailure::Keys).boxed()),
            SyncedSource::Handler(_) | SyncedSource::Cache(_) => None,
        });
        let failed: Vec<_> = informers.chain(keys).collect();
        async move {
            match failed.is_empty() {
                true => std::future::pending().await,
                false => select_all(failed).await.0,
            }
        }
    }
}

/// What no longer follows its inputs.
enum SourceFailure {
    Informer(InformerError),
    Keys(Box<dyn std::error::Error + Send + Sync>),
}

impl Drop for ControllerHandlers {
    fn drop(&mut self) {
        for synced in &self.synced {
            match synced {
                // `remove_now` removes the handler immediately. Its future only waits for the last call to return.
                SyncedSource::Handler(registration) => drop(registration.remove_now()),
                SyncedSource::Keys(subscription) => subscription.remove(),
                SyncedSource::Cache(_) => {}
            }
        }
    }
}

impl SyncedSource {
    async fn wait(&self, controller: &str) -> Result<(), ControllerError> {
        let controller = || controller.to_owned();
        let synced = match self {
            SyncedSource::Handler(registration) => registration.synced().await,
            SyncedSource::Cache(informer) => informer.synced().await,
            SyncedSource::Keys(keys) => {
                let synced = keys.synced().await;
                return synced
                    .map_err(|source| ControllerError::KeySource { controller: controller(), source });
            }
        };
        synced.map_err(|source| ControllerError::NotSynced { controller: controller(), source })
    }

    fn is(&self) -> bool {
        match self {
            SyncedSource::Handler(registration) => registration.is_synced(),
            SyncedSource::Cache(informer) => informer.is_needed() && informer.unsynced().is_none(),
            SyncedSource::Keys(keys) => keys.unsynced().is_none(),
        }
    }
}

impl ControllerHandle {
    pub(super) fn new(
        name: String,
        workers: usize,
        state: Arc<ControllerState>,
        synced: Arc<[SyncedSource]>,
    ) -> Self {
        ControllerHandle { name: name.into(), workers, state, synced }
    }

    /// The name of the controller.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The queue of the controller.
    pub fn queue(&self) -> &WorkQueue<Request> {
        &self.state.queue
    }

    /// Requests a reconcile, even if nothing has changed.
    pub fn request(&self, request: Request) {
        self.state.own.count(RequestReason::Manual);
        self.state.causes.add(&request, Cause::of(RequestReason::Manual));
        self.state.queue.add(request);
    }

    /// Whether the caches are filled and the initial lists have added their requests.
    pub fn is_synced(&self) -> bool {
        self.synced.iter().all(SyncedSource::is)
    }

    /// Waits until [`is_synced`](Self::is_synced). It is an error if a cache will never be filled.
    pub async fn synced(&self) -> Result<(), ControllerError> {
        for synced in &*self.synced {
            synced.wait(&self.name).await?;
        }
        Ok(())
    }

    /// Keeps the last 256 reconciles with their causes and writes, from now on, for [`status`](Self::status). A manager
    /// with endpoints does so for its controllers.
    #[cfg(feature = "endpoints")]
    pub fn record_history(&self) {
        self.state.causes.record_history();
    }

    /// The loops that the controller reported, and its last reconciles: which changes requested them, what they wrote,
    /// and which reconciles these writes requested. `/controllers` shows it.
    #[cfg(feature = "endpoints")]
    pub fn status(&self, filter: tidings_endpoints::ReconcileFilter<'_>) -> serde_json::Value {
        self.state.causes.status(&self.name, filter)
    }

    /// Why its collection has not synced. `None` if it has, or if the controller has none.
    pub(crate) fn unsynced_keys(&self) -> Option<String> {
        self.synced.iter().find_map(|synced| match synced {
            SyncedSource::Keys(keys) => keys.unsynced(),
            SyncedSource::Handler(_) | SyncedSource::Cache(_) => None,
        })
    }

    /// The statistics of the controller.
    pub fn stats(&self) -> ControllerStats {
        self.state.stats(&self.name, self.workers)
    }
}

impl ControllerState {
    pub(super) fn stats(&self, name: &str, workers: usize) -> ControllerStats {
        let counters = &self.counters;
        ControllerStats {
            name: name.to_owned(),
            successes: counters.successes.value(),
            requeues: counters.requeues.value(),
            delayed_requeues: counters.delayed_requeues.value(),
            errors: counters.errors.value(),
            terminal_errors: counters.terminal_errors.value(),
            panics: counters.panics.value(),
            timeouts: counters.timeouts.value(),
            abandoned: counters.abandoned.value(),
            not_ours: counters.not_ours.value(),
            write_waits: counters.write_waits.value(),
            write_waits_given_up: counters.write_waits_given_up.value(),
            stale_waits: counters.stale_waits.value(),
            loops: counters.loops.value(),
            read_waits: self.context.read_waits.value(),
            read_waits_given_up: self.context.read_waits_given_up.value(),
            live_reads: self.context.live_reads.value(),
            writes_saved: self.context.writes_saved.value(),
            active_workers: counters.active(),
            workers,
            reconcile_time: counters.reconcile_time.read(),
            requests: self.sources.iter().flat_map(|source| source.read()).chain(self.own.read()).collect(),
            queue: self.queue.stats(),
        }
    }
}

impl ControllerTask {
    pub(super) fn new(
        handle: ControllerHandle,
        request_queue: RequestQueue,
        shared: Arc<WorkerShared>,
        start: TaskStart,
        handlers: ControllerHandlers,
        recorder: Option<RecorderTask>,
    ) -> Self {
        ControllerTask { handle, request_queue, shared, start: Some(start), handlers, recorder }
    }

    /// Waits until the caches are filled, then works until `stop`: workers take no new requests and finish their
    /// reconciles. `abandon` drops running reconciles at their next await. When this returns, requests that were taken
    /// and not finished are back on the queue, the queue is shut down, and the handlers are removed.
    ///
    /// It returns an error if one of its informers fails, or if a worker or the recorder panics outside of a reconcile.
    /// Running reconciles are then dropped at their next await.
    pub async fn run(mut self, signals: impl Into<Signals>) -> Result<(), ControllerError> {
        let signals = signals.into();
        let synced = tokio::select! {
            biased;
            () = signals.stop.cancelled() => Ok(()),
            () = signals.abandon.cancelled() => Ok(()),
            synced = self.handle.synced() => synced,
        };
        let result = match synced {
            Ok(()) => self.run_workers(&signals).await,
            Err(error) => Err(error),
        };
        self.handle.state.queue.shut_down();
        result
    }

    /// Runs the workers, and the recorder until it has written their events.
    async fn run_workers(&mut self, signals: &Signals) -> Result<(), ControllerError> {
        let mut recorder_tasks = JoinSet::new();
        let recorder_stop = CancellationToken::new();
        if let Some(recorder) = self.recorder.take() {
            recorder_tasks.spawn(recorder.run(recorder_stop.clone()));
        }
        let TaskStart { parked, waits, schema_check, mut map_failure } =
            self.start.take().expect("a task runs once");
        let (mut parked_waiter, mut object_waiter) = (parked.into_waiter(), waits.into_waiter());
        let mut wrong_path = std::pin::pin!(async {
            match schema_check {
                Some(check) => check.wrong_path().await,
                None => std::future::pending().await,
            }
        });
        let mut workers = JoinSet::new();
        for _ in 0..self.handle.workers {
            workers.spawn(Arc::clone(&self.shared).run(signals.clone()));
        }
        let mut shard = self.shared.shard_filter.as_ref().map(|shard_filter| shard_filter.shard().clone());
        let failed = self.handlers.failed();
        let mut failed = std::pin::pin!(failed);
        let result = loop {
            tokio::select! {
                biased;
                result = workers.join_next() => match result {
                    Some(Ok(())) => {}
                    Some(Err(error)) => break Err(self.panicked("a worker", error)),
                    None => break Ok(()),
                },
                Some(Err(error)) = recorder_tasks.join_next() => break Err(self.panicked("its recorder", error)),
                failure = &mut failed => break Err(self.source_failed(failure)),
                () = changed(&mut shard) => self.enqueue_all(),
                () = parked_waiter.turn(&self.shared, signals) => {}
                () = object_waiter.turn(&self.shared) => {}
                error = &mut wrong_path => break Err(error),
                error = map_failure.first() => break Err(error),
            }
        };
        // After an error some workers still run. None may run after this function has returned.
        workers.shutdown().await;
        parked_waiter.close(&self.shared).await;
        recorder_stop.cancel();
        tokio::select! {
            biased;
            () = signals.abandon.cancelled() => {}
            () = async { while recorder_tasks.join_next().await.is_some() {} } => {}
        }
        result
    }

    fn panicked(&self, part: &'static str, error: JoinError) -> ControllerError {
        let controller = self.handle.name().to_owned();
        ControllerError::Panicked { controller, part, message: join_error_message(error) }
    }

    fn source_failed(&self, failure: SourceFailure) -> ControllerError {
        let controller = self.handle.name().to_owned();
        match failure {
            SourceFailure::Informer(source) => {
                ControllerError::Informer { controller, source: Box::new(source) }
            }
            SourceFailure::Keys(source) => ControllerError::KeySource { controller, source },
        }
    }

    /// Requests every object, after the shard of this replica has changed.
    fn enqueue_all(&self) {
        let WorkerShared { shard_filter, context, state, .. } = &*self.shared;
        let candidates =
            shard_filter.as_ref().map(|shard_filter| shard_filter.candidates(context.caches.own()));
        for request in candidates.into_iter().flatten() {
            state.own.count(RequestReason::ShardChanged);
            self.request_queue.add(request, Cause::of(RequestReason::ShardChanged));
        }
    }
}

/// Completes when the shard changes. Pending if there is none.
async fn changed(shard: &mut Option<Shard>) {
    match shard {
        Some(shard) => shard.changed().await,
        None => std::future::pending().await,
    }
}

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerHandle")
            .field("name", &self.name)
            .field("is_synced", &self.is_synced())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ControllerTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerTask").field("name", &self.handle.name).finish_non_exhaustive()
    }
}
