//! The running informers that one call of `start` started. It owns their tasks.

use std::fmt;
use std::time::Duration;

use tidings_informer::{InformerError, InformerTask, Unsynced, WaitError, WeakInformer};
use tokio::task::JoinSet;

use crate::registry::RunGuard;

/// Running informers. Dropping it stops them at once; [`shutdown`](Self::shutdown) lets handlers finish first.
///
/// ```
/// use std::time::Duration;
/// use tidings_factory::SharedInformerFactory;
///
/// # async fn example(factory: &SharedInformerFactory) {
/// let running = factory.start();
/// if let Err(error) = running.synced_within(Duration::from_secs(30)).await {
///     eprintln!("{error}"); // which informers, and why
/// }
/// running.shutdown().await;
/// # }
/// ```
#[must_use = "dropping it stops the informers"]
pub struct Running {
    tasks: JoinSet<()>,
    informers: Vec<WeakInformer>,
    run: RunGuard,
}

impl Running {
    pub(crate) fn start(run: RunGuard, started: Vec<(WeakInformer, InformerTask)>) -> Running {
        let mut tasks = JoinSet::new();
        let mut informers = Vec::new();
        for (informer, task) in started {
            tasks.spawn(task.run());
            informers.push(informer);
        }
        Running { tasks, informers, run }
    }

    /// Waits until the caches of all of them are filled, for as long as that takes: an informer that is not allowed to list
    /// continues to try. If an informer stops or fails before it has synced, this is [`WaitError::NotSynced`].
    pub async fn synced(&self) -> Result<(), WaitError> {
        let mut unsynced = Vec::new();
        for informer in &self.informers {
            match informer.synced().await {
                Ok(()) => {}
                Err(WaitError::NotSynced { informers }) => unsynced.extend(informers),
                Err(error) => return Err(error),
            }
        }
        not_synced_unless_empty(unsynced)
    }

    /// Like [`synced`](Self::synced), but waits at most this long. The error names the informers that have not synced, and
    /// why.
    pub async fn synced_within(&self, timeout: Duration) -> Result<(), WaitError> {
        match tokio::time::timeout(timeout, self.synced()).await {
            Ok(done) => done,
            Err(_) => {
                not_synced_unless_empty(self.informers.iter().filter_map(WeakInformer::unsynced).collect())
            }
        }
    }

    /// Waits until one of them no longer follows the server although it was not stopped: its task panicked, or one of its
    /// streams panicked or ended by its stop policy. It waits for ever if that does not happen.
    pub async fn failed(&self) -> InformerError {
        let failed: Vec<_> = self.informers.iter().map(|informer| Box::pin(informer.failed())).collect();
        if failed.is_empty() {
            return std::future::pending().await;
        }
        futures_util::future::select_all(failed).await.0
    }

    /// How many informers still run.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether no informer runs.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Stops the informers: the watches end, and pending notifications are delivered to the handlers within the stop
    /// timeout of each informer. When it returns, no task runs. From now on the probes of `tidings-endpoints` fail, unless
    /// the factory has another `Running`.
    pub async fn shutdown(mut self) {
        drop(self.run);
        self.informers.iter().for_each(WeakInformer::stop);
        while self.tasks.join_next().await.is_some() {}
    }

    /// Waits until every informer has stopped because it is no longer in use.
    pub async fn finished(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

fn not_synced_unless_empty(mut informers: Vec<Unsynced>) -> Result<(), WaitError> {
    informers.sort_by(|a, b| a.name.cmp(&b.name));
    if informers.is_empty() { Ok(()) } else { Err(WaitError::NotSynced { informers }) }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("informers", &self.len()).finish()
    }
}
