//! A controller that is attached: the handle that looks at it, and the task that is it.

use std::fmt;
use std::sync::{Arc, Weak};

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use tidings_informer::informer::{InformerFailure, Registration, SharedInformer, Unsynced, WeakInformer};
use tidings_workqueue::WorkQueue;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::ControllerError;
use super::stats::{ControllerStats, Reason};
use crate::enqueue::Inlet;
use crate::recorder::RecorderTask;
use crate::request::Request;
use crate::shard::Shares;
use crate::worker::{Arrivals, Signals, Tally, Work, panic_message};

/// Looks at a controller, and asks it for more. It keeps no informer alive.
///
/// ```
/// use tidings_controller::{ControllerHandle, Request};
///
/// # fn example(controller: &ControllerHandle) -> Result<(), Box<dyn std::error::Error>> {
/// controller.request(Request::new(Some("default"), "web-0")?); // now, whatever has happened
/// println!("{} has {} requests waiting", controller.name(), controller.stats().queue.waiting);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ControllerHandle {
    name: Arc<str>,
    workers: usize,
    tally: Arc<Tally>,
    synced: Arc<[Synced]>,
}

/// The controller itself. It works while it [runs](Self::run); dropping it removes its handlers from the informers.
#[must_use = "a controller does nothing unless its task runs"]
pub struct ControllerTask {
    handle: ControllerHandle,
    inlet: Inlet,
    work: Arc<Work>,
    /// Taken when it works.
    arrivals: Option<Arrivals>,
    /// Goes with the task.
    handlers: Handlers,
    /// Unless someone else runs it.
    recorder: Option<RecorderTask>,
}

/// What one source's being synced depends on.
#[derive(Clone)]
pub(super) enum Synced {
    /// The handler has returned from the whole initial list.
    Handler(Registration),
    /// The cache is filled.
    Cache(WeakInformer),
}

/// The handlers of a controller, which go with it, and the informers that it reads.
#[derive(Default)]
pub(super) struct Handlers {
    synced: Vec<Synced>,
    informers: Vec<WeakInformer>,
}

impl Handlers {
    pub(super) fn push(&mut self, registration: Option<Registration>, informer: &SharedInformer<()>) {
        let cache = || Synced::Cache(informer.downgrade());
        self.synced.push(registration.map_or_else(cache, Synced::Handler));
        self.informers.push(informer.downgrade());
    }

    pub(super) fn synced(&self) -> Arc<[Synced]> {
        self.synced.clone().into()
    }

    /// Waits until one of the informers no longer follows the server. It needs nothing of the controller.
    fn failed(&self) -> impl Future<Output = InformerFailure> + Send + use<> {
        let failed =
            self.informers.clone().into_iter().map(|informer| async move { informer.failed().await }.boxed());
        let failed: Vec<_> = failed.collect();
        async move {
            match failed.is_empty() {
                true => std::future::pending().await,
                false => select_all(failed).await.0,
            }
        }
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        for synced in &self.synced {
            if let Synced::Handler(registration) = synced {
                // It is removed at once; only waiting for its last call takes awaiting, and nobody needs that.
                drop(registration.remove_now());
            }
        }
    }
}

impl Synced {
    async fn wait(&self) -> Result<(), Unsynced> {
        match self {
            Synced::Handler(registration) => registration.synced().await,
            Synced::Cache(informer) => informer.synced().await,
        }
    }

    fn is(&self) -> bool {
        match self {
            Synced::Handler(registration) => registration.is_synced(),
            Synced::Cache(informer) => informer.is_needed() && informer.unsynced().is_none(),
        }
    }
}

impl ControllerHandle {
    pub(super) fn new(name: String, workers: usize, tally: Arc<Tally>, synced: Arc<[Synced]>) -> Self {
        ControllerHandle { name: name.into(), workers, tally, synced }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its queue.
    pub fn queue(&self) -> &WorkQueue<Request> {
        &self.tally.queue
    }

    /// Asks for a reconcile now, whatever has happened.
    pub fn request(&self, request: Request) {
        self.tally.own.count(Reason::Asked);
        self.tally.queue.add(request);
    }

    /// Whether its caches are filled, and everything that was there has made its requests.
    pub fn is_synced(&self) -> bool {
        self.synced.iter().all(Synced::is)
    }

    /// Waits until [`is_synced`](Self::is_synced). A cache that will never be filled says so.
    pub async fn synced(&self) -> Result<(), ControllerError> {
        for synced in &*self.synced {
            synced.wait().await.map_err(|source| {
                let controller = self.name().to_owned();
                ControllerError::NotSynced { controller, source }
            })?;
        }
        Ok(())
    }

    /// Its figures.
    pub fn stats(&self) -> ControllerStats {
        self.tally.stats(&self.name, self.workers)
    }

    pub(super) fn weak(&self) -> WeakController {
        WeakController {
            name: Arc::clone(&self.name),
            workers: self.workers,
            tally: Arc::downgrade(&self.tally),
        }
    }
}

/// A controller that this does not keep alive.
pub(super) struct WeakController {
    name: Arc<str>,
    workers: usize,
    tally: Weak<Tally>,
}

impl WeakController {
    pub(super) fn is_alive(&self) -> bool {
        self.tally.strong_count() > 0
    }

    pub(super) fn stats(&self) -> Option<ControllerStats> {
        Some(self.tally.upgrade()?.stats(&self.name, self.workers))
    }
}

impl Tally {
    fn stats(&self, name: &str, workers: usize) -> ControllerStats {
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
        inlet: Inlet,
        work: Arc<Work>,
        arrivals: Arrivals,
        handlers: Handlers,
        recorder: Option<RecorderTask>,
    ) -> Self {
        ControllerTask { handle, inlet, work, arrivals: Some(arrivals), handlers, recorder }
    }

    /// Waits until the caches are filled, then works until `stop`: nothing new is taken, and what runs is
    /// finished. `abandon` drops what runs at its next await. A request that was taken and not finished is back on the
    /// queue when this ends; the queue is shut down then, and the handlers are removed.
    ///
    /// It ends with an error if one of its informers no longer follows the server, or if a worker or the recorder
    /// panics outside of a reconcile: what runs is then dropped at its next await.
    pub async fn run(mut self, signals: impl Into<Signals>) -> Result<(), ControllerError> {
        let signals = signals.into();
        let synced = tokio::select! {
            biased;
            () = signals.stop.cancelled() => Ok(()),
            () = signals.abandon.cancelled() => Ok(()),
            synced = self.handle.synced() => synced,
        };
        let ended = match synced {
            Ok(()) => self.work(&signals).await,
            Err(error) => Err(error),
        };
        self.handle.tally.queue.shut_down();
        ended
    }

    /// Lets the workers work, and the recorder write until it has written what they told.
    async fn work(&mut self, signals: &Signals) -> Result<(), ControllerError> {
        let mut recording = JoinSet::new();
        let all_told = CancellationToken::new();
        if let Some(recorder) = self.recorder.take() {
            recording.spawn(recorder.run(all_told.clone()));
        }
        let mut attendant = self.arrivals.take().expect("a task works once").attended();
        let mut workers = JoinSet::new();
        for _ in 0..self.handle.workers {
            workers.spawn(Arc::clone(&self.work).run(signals.clone()));
        }
        let mut shares = self.work.share.as_ref().map(|share| share.shares().clone());
        let failed = self.handlers.failed();
        let mut failed = std::pin::pin!(failed);
        let worked = loop {
            tokio::select! {
                biased;
                ended = workers.join_next() => match ended {
                    Some(Ok(())) => {}
                    Some(Err(error)) => break Err(self.panicked("a worker", error)),
                    None => break Ok(()),
                },
                Some(Err(error)) = recording.join_next() => break Err(self.panicked("its recorder", error)),
                failure = &mut failed => break Err(self.informer_failed(failure)),
                () = changed(&mut shares) => self.ask_for_all(),
                () = attendant.turn(&self.work, signals) => {}
            }
        };
        // After an error some still work: nothing of them may go on when this has returned.
        workers.shutdown().await;
        attendant.close(&self.work).await;
        all_told.cancel();
        tokio::select! {
            biased;
            () = signals.abandon.cancelled() => {}
            () = async { while recording.join_next().await.is_some() {} } => {}
        }
        worked
    }

    fn panicked(&self, part: &'static str, error: JoinError) -> ControllerError {
        let controller = self.handle.name().to_owned();
        ControllerError::Panicked { controller, part, message: panic_message(error) }
    }

    fn informer_failed(&self, source: InformerFailure) -> ControllerError {
        ControllerError::Informer { controller: self.handle.name().to_owned(), source }
    }

    /// Other keys are ours than before.
    fn ask_for_all(&self) {
        let Work { share, surroundings, tally, .. } = &*self.work;
        let candidates = share.as_ref().map(|share| share.candidates(surroundings.caches.own()));
        for request in candidates.into_iter().flatten() {
            tally.own.count(Reason::Shares);
            self.inlet.add(request, Reason::Shares);
        }
    }
}

/// Never, if the keys are not shared.
async fn changed(shares: &mut Option<Shares>) {
    match shares {
        Some(shares) => shares.changed().await,
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
