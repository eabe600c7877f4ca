//! The controllers of a manager, from filled caches over leadership to the last reconcile.

use std::convert::Infallible;
use std::time::Duration;

use tidings_factory::{NotSynced, Running, SharedInformerFactory};
use tidings_informer::informer::Unsynced;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use super::leader_elector::LeaderElector;
use super::tasks::NamedTasks;
use crate::controller::{Controller, ControllerHandle, ControllerTask};
use crate::worker::Signals;

/// The controllers of a manager. Its fields are in the order in which they are dropped: work before what guards it.
pub(super) struct ControllerSet {
    pub(super) handles: Vec<ControllerHandle>,
    /// Until they work.
    waiting: Vec<ControllerTask>,
    working: NamedTasks,
    /// Take nothing new, and finish what runs.
    finish: CancellationToken,
    /// Drop what runs.
    abandon: CancellationToken,
    pub(super) elector: Option<LeaderElector>,
}

impl ControllerSet {
    /// Adds the handlers of all controllers to their informers.
    pub(super) fn attach(
        controllers: Vec<Controller>,
        factory: &SharedInformerFactory,
        elector: Option<LeaderElector>,
    ) -> Result<ControllerSet, ManagerError> {
        let mut set = ControllerSet {
            handles: Vec::new(),
            waiting: Vec::new(),
            working: NamedTasks::default(),
            finish: CancellationToken::new(),
            abandon: CancellationToken::new(),
            elector,
        };
        for controller in controllers {
            if set.handles.iter().any(|other| other.name() == controller.name()) {
                return Err(ManagerError::SameName { name: controller.name().to_owned() });
            }
            let (handle, task) = controller.attach(factory)?;
            set.handles.push(handle);
            set.waiting.push(task);
        }
        Ok(set)
    }

    /// Waits until every cache is filled and everything in it has made its requests.
    pub(super) async fn synced(
        &self,
        running: &Running,
        factory: &SharedInformerFactory,
        timeout: Duration,
    ) -> Result<(), ManagerError> {
        let started = Instant::now();
        let not_synced = |source| ManagerError::NotSynced { after: started.elapsed(), source };
        let all = async {
            running.synced().await.map_err(not_synced)?;
            for handle in &self.handles {
                handle.synced().await?;
            }
            Ok(())
        };
        let outcome = tokio::time::timeout(timeout, all).await;
        outcome.unwrap_or_else(|_| Err(not_synced(NotSynced { informers: self.unsynced(factory) })))
    }

    fn unsynced(&self, factory: &SharedInformerFactory) -> Vec<Unsynced> {
        let reports = factory.reports().into_iter();
        let caches: Vec<_> = reports.filter_map(|report| report.unsynced).collect();
        if !caches.is_empty() {
            return caches;
        }
        let behind = self.handles.iter().filter(|handle| !handle.is_synced());
        let reason = "its handlers have not returned from the first list";
        behind.map(|handle| Unsynced { name: handle.name().to_owned(), reason: reason.to_owned() }).collect()
    }

    /// Waits for leadership, then works. It ends only with an error, and may be dropped at any await: what was begun
    /// is in `self`, for [`stop`](Self::stop) to end.
    pub(super) async fn work(&mut self) -> Result<Infallible, ManagerError> {
        if let Some(elector) = &mut self.elector {
            let term = elector.lead().await?;
            // A child, so that workers hear of a loss from the election itself.
            self.abandon = term.lost().child_token();
        }
        for (handle, task) in self.handles.iter().zip(self.waiting.drain(..)) {
            let signals = Signals { stop: self.finish.clone(), abandon: self.abandon.clone() };
            let worked = task.run(signals);
            self.working.spawn(handle.name(), async move { Ok(worked.await?) });
        }
        tracing::info!(controllers = self.handles.len(), "working");
        tokio::select! {
            biased;
            () = self.abandon.cancelled() => Err(self.leadership_lost()),
            error = self.working.failed() => Err(error),
        }
    }

    fn leadership_lost(&mut self) -> ManagerError {
        let elector = self.elector.as_mut().expect("only a loss of leadership cancels a manager at work");
        elector.lost()
    }

    /// Lets workers finish within the deadline, drops what has not, and gives the lease back when no work goes on.
    pub(super) async fn stop(&mut self, deadline: Instant) {
        self.waiting.clear();
        self.finish.cancel();
        tokio::select! {
            biased;
            () = self.working.ended() => {}
            () = self.abandon.cancelled() => {}
            () = tokio::time::sleep_until(deadline) => {
                tracing::warn!(controllers = ?self.working.names(), "dropping reconciles that have not ended");
            }
        }
        self.abandon.cancel();
        self.working.ended().await;
        if let Some(elector) = &mut self.elector {
            elector.leave().await;
        }
    }
}
