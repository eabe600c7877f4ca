//! The controllers of a manager: attached to their informers, synced, at work, stopped.

use std::convert::Infallible;
use std::time::Duration;

use tidings_factory::{Running, SharedInformerFactory};
use tidings_informer::{Unsynced, WaitError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use super::leader_elector::LeaderElector;
use super::tasks::NamedTasks;
use crate::controller::{Controller, ControllerHandle, ControllerTask};
use crate::worker::Signals;

#[cfg(test)]
mod tests;

/// The controllers of a manager. Fields are dropped in this order: the workers before the guard of their term.
#[derive(Default)]
pub(super) struct ControllerSet {
    handles: Vec<ControllerHandle>,
    /// Empty once the workers run.
    tasks: Vec<ControllerTask>,
    workers: NamedTasks,
    /// Workers finish their current request and take no new one.
    finish: CancellationToken,
    /// Workers drop their current request.
    abandon: CancellationToken,
    pub(super) elector: Option<LeaderElector>,
    /// The first controller that can't run. It is an error of the start, not of the builder.
    attach_error: Option<ManagerError>,
}

/// Why a controller has not synced, once its caches are filled.
const BEHIND: &str = "its handlers still process the first list";

/// Fails with the names of the controllers that have not synced.
#[cfg(feature = "endpoints")]
pub(super) fn are_synced(handles: &[ControllerHandle]) -> Result<(), String> {
    let behind = handles.iter().filter(|handle| !handle.is_synced());
    let behind: Vec<_> = behind.map(|handle| format!("{} has not synced", handle.name())).collect();
    if behind.is_empty() { Ok(()) } else { Err(behind.join("; ")) }
}

impl ControllerSet {
    #[cfg(test)]
    pub(super) fn with_elector(elector: LeaderElector) -> ControllerSet {
        ControllerSet { elector: Some(elector), ..ControllerSet::default() }
    }

    /// Adds the handlers of this controller to its informers.
    pub(super) fn attach(&mut self, controller: Controller, factory: &SharedInformerFactory) {
        let attached = if self.handle(controller.name()).is_some() {
            Err(ManagerError::SameName { name: controller.name().to_owned() })
        } else {
            controller.attach(factory).map_err(ManagerError::Controller)
        };
        match attached {
            Ok((handle, task)) => {
                self.handles.push(handle);
                self.tasks.push(task);
            }
            Err(error) => {
                self.attach_error.get_or_insert(error);
            }
        }
    }

    /// Fails if one of the controllers could not be attached.
    pub(super) fn check(&mut self) -> Result<(), ManagerError> {
        self.attach_error.take().map_or(Ok(()), Err)
    }

    pub(super) fn handles(&self) -> &[ControllerHandle] {
        &self.handles
    }

    pub(super) fn handle(&self, name: &str) -> Option<&ControllerHandle> {
        self.handles.iter().find(|handle| handle.name() == name)
    }

    /// Waits until all caches are filled and all objects in them have been added to the queues.
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
        let result = tokio::time::timeout(timeout, all).await;
        result.unwrap_or_else(|_| Err(not_synced(WaitError::NotSynced { informers: self.unsynced(factory) })))
    }

    /// The caches that are not filled. If all are, the controllers whose handlers still process the first list.
    fn unsynced(&self, factory: &SharedInformerFactory) -> Vec<Unsynced> {
        let reports = factory.reports().into_iter();
        let caches: Vec<_> = reports.filter_map(|report| report.unsynced).collect();
        if !caches.is_empty() {
            return caches;
        }
        let behind = self.handles.iter().filter(|handle| !handle.is_synced());
        let reason = |handle: &ControllerHandle| handle.unsynced_keys().unwrap_or_else(|| BEHIND.to_owned());
        behind.map(|handle| Unsynced::new(handle.name(), reason(handle))).collect()
    }

    /// Waits for leadership, then runs the workers. It returns only errors. It may be dropped at any await, because
    /// all that it starts is in `self`; [`stop`](Self::stop) ends it.
    pub(super) async fn work(&mut self) -> Result<Infallible, ManagerError> {
        if let Some(elector) = &mut self.elector {
            let term = elector.lead().await?;
            // A child token: the election cancels it directly, without waiting for this task.
            self.abandon = term.lost().child_token();
        }
        for (handle, task) in self.handles.iter().zip(self.tasks.drain(..)) {
            let signals = Signals { stop: self.finish.clone(), abandon: self.abandon.clone() };
            let worked = task.run(signals);
            self.workers.spawn(handle.name(), async move { Ok(worked.await?) });
        }
        tracing::info!(controllers = self.handles.len(), "workers run");
        tokio::select! {
            biased;
            () = self.abandon.cancelled() => Err(self.leadership_lost().await),
            error = self.workers.failed() => Err(error),
        }
    }

    async fn leadership_lost(&mut self) -> ManagerError {
        let elector =
            self.elector.as_mut().expect("before a stop, only a loss of leadership cancels `abandon`");
        elector.lost().await
    }

    /// Lets workers finish until `deadline`, drops the rest, and releases the lease when no worker runs.
    pub(super) async fn stop(&mut self, deadline: Instant) {
        self.tasks.clear();
        self.finish.cancel();
        tokio::select! {
            biased;
            () = self.workers.ended() => {}
            () = self.abandon.cancelled() => {}
            () = tokio::time::sleep_until(deadline) => {
                tracing::warn!(controllers = ?self.workers.names(), "dropping reconciles that have not ended in time");
            }
        }
        self.abandon.cancel();
        self.workers.ended().await;
        if let Some(elector) = &mut self.elector {
            elector.release().await;
        }
    }
}
