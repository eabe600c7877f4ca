//! What `start` returns: it owns the tasks of the informers that it started.

use std::fmt;
use std::time::Duration;

use tidings_informer::informer::{InformerError, InformerTask, Unsynced, WaitError, WeakInformer};
use tokio::task::JoinSet;

use crate::roster::Run;

/// Informers that run. Dropping it ends them at once; [`shutdown`](Self::shutdown) lets handlers finish.
///
/// ```
/// use std::time::Duration;
/// use tidings_factory::SharedInformerFactory;
///
/// # async fn example(factory: &SharedInformerFactory) {
/// let running = factory.start();
/// if let Err(late) = running.synced_within(Duration::from_secs(30)).await {
///     eprintln!("{late}"); // which informers, and why
/// }
/// running.shutdown().await;
/// # }
/// ```
#[must_use = "dropping it stops the informers: keep it as long as they shall run"]
pub struct Running {
    tasks: JoinSet<()>,
    informers: Vec<WeakInformer>,
    /// Until it ends.
    run: Run,
}

impl Running {
    pub(crate) fn start(run: Run, started: Vec<(WeakInformer, InformerTask)>) -> Running {
        let mut tasks = JoinSet::new();
        let mut informers = Vec::new();
        for (informer, task) in started {
            tasks.spawn(task.run());
            informers.push(informer);
        }
        Running { tasks, informers, run }
    }

    /// Waits until the caches of all of them are filled. It waits as long as that takes: an informer that may
    /// not list goes on trying. An informer that has been stopped is an error.
    pub async fn synced(&self) -> Result<(), WaitError> {
        let mut unsynced = Vec::new();
        for informer in &self.informers {
            match informer.synced().await {
                Ok(()) => {}
                Err(WaitError::NotSynced { informers }) => unsynced.extend(informers),
                Err(error) => return Err(error),
            }
        }
        unless_empty(unsynced)
    }

    /// As [`synced`](Self::synced), but no longer than this: then it says which did not sync, and why.
    pub async fn synced_within(&self, deadline: Duration) -> Result<(), WaitError> {
        match tokio::time::timeout(deadline, self.synced()).await {
            Ok(done) => done,
            Err(_) => unless_empty(self.informers.iter().filter_map(WeakInformer::unsynced).collect()),
        }
    }

    /// Waits until one of them no longer follows the server although nobody stopped it: its task panicked, or one of its
    /// lists and watches panicked or gave up. It waits for ever if that never happens.
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

    /// Whether none runs any more.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Stops the informers: watches end, what is pending is delivered to the handlers within each informer's
    /// deadline, and nothing is left running. From now on the probes of `tidings-endpoints` fail, unless another
    /// `Running` of the same factory goes on.
    pub async fn shutdown(mut self) {
        drop(self.run);
        self.informers.iter().for_each(WeakInformer::stop);
        while self.tasks.join_next().await.is_some() {}
    }

    /// Waits until every informer has stopped by itself, because nobody needs it any more.
    pub async fn finished(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

fn unless_empty(mut informers: Vec<Unsynced>) -> Result<(), WaitError> {
    informers.sort_by(|a, b| a.name.cmp(&b.name));
    if informers.is_empty() { Ok(()) } else { Err(WaitError::NotSynced { informers }) }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("informers", &self.len()).finish()
    }
}
