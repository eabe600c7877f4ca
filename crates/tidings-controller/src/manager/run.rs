//! Starts all parts of a manager in order, waits for the first failure or the stop, and stops them in the opposite
//! order.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tidings_factory::{Running, SharedInformerFactory};
use tidings_util::clock;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::controllers::ControllerSet;
use super::endpoints::EndpointServer;
use super::leader_elector::LeaderElector;
use super::probes::ProbeState;
use super::tasks::NamedTasks;
use super::{ErrorHook, Manager, ManagerError};

#[cfg(all(test, feature = "endpoints"))]
mod tests;

/// Runnables get this time to stop even if the workers used the whole graceful shutdown timeout.
const RUNNABLE_STOP_MIN: Duration = Duration::from_secs(1);

/// All parts of a manager. Fields are dropped in this order.
pub(super) struct RunningManager {
    controllers: ControllerSet,
    runnables: NamedTasks,
    stop_runnables: CancellationToken,
    informers: Running,
    endpoints: EndpointServer,
    probe_state: Arc<ProbeState>,
    on_error: Option<ErrorHook>,
    factory: SharedInformerFactory,
    sync_timeout: Duration,
    graceful_shutdown_timeout: Duration,
}

impl RunningManager {
    /// Checks all options before it starts anything.
    pub(super) async fn start(manager: Manager) -> Result<RunningManager, ManagerError> {
        let Manager { factory, mut controllers, .. } = manager;
        let elector = |election| LeaderElector::new(election, factory.client().clone(), manager.on_overrun);
        controllers.elector = manager.election.map(elector).transpose()?;
        controllers.check()?;
        let (probe_state, stop_runnables) = (Arc::new(ProbeState::default()), CancellationToken::new());
        let endpoints = manager.endpoints.serve(&factory, &controllers, &probe_state).await?;
        let mut runnables = NamedTasks::default();
        for runnable in manager.runnables {
            runnables.spawn(runnable.name.clone(), runnable.start(stop_runnables.clone()));
        }
        let informers = factory.start();
        Ok(RunningManager {
            controllers,
            runnables,
            stop_runnables,
            informers,
            endpoints,
            probe_state,
            on_error: manager.on_error,
            factory,
            sync_timeout: manager.sync_timeout,
            graceful_shutdown_timeout: manager.graceful_shutdown_timeout,
        })
    }

    /// Runs until `stop` ends or a part fails, then stops everything.
    pub(super) async fn run_until(mut self, stop: impl Future<Output = ()>) -> Result<(), ManagerError> {
        let result = tokio::select! {
            biased;
            () = stop => Ok(()),
            Err(error) = self.work() => Err(error),
        };
        match &result {
            Ok(()) => tracing::info!("the manager stops"),
            Err(error) => self.report(error),
        }
        self.stop().await;
        result
    }

    /// Fills the caches, waits for leadership, runs the workers. It returns only errors.
    async fn work(&mut self) -> Result<Infallible, ManagerError> {
        let RunningManager { controllers, runnables, informers, factory, endpoints, .. } = self;
        let work = async {
            controllers.synced(informers, factory, self.sync_timeout).await?;
            tracing::info!("the caches are filled");
            controllers.work().await
        };
        tokio::select! {
            biased;
            error = runnables.failed() => Err(error),
            failure = informers.failed() => Err(ManagerError::Informer(failure)),
            error = endpoints.failed() => Err(error),
            result = work => result,
        }
    }

    /// Reports an error to the probes, the log and the hook.
    fn report(&self, error: &ManagerError) {
        self.probe_state.fail(error);
        tracing::error!(error = error as &dyn std::error::Error, "the manager stops because of an error");
        if let Some(hook) = &self.on_error
            && catch_unwind(AssertUnwindSafe(|| hook(error))).is_err()
        {
            tracing::error!("the manager's error hook panicked");
        }
    }

    async fn stop(mut self) {
        let deadline = clock::from_now(self.graceful_shutdown_timeout);
        self.probe_state.stopping.cancel();
        self.controllers.stop(deadline).await;
        self.stop_runnables.cancel();
        let deadline = deadline.max(Instant::now() + RUNNABLE_STOP_MIN);
        if tokio::time::timeout_at(deadline, self.runnables.ended()).await.is_err() {
            tracing::warn!(runnables = ?self.runnables.names(), "dropping runnables that have not ended in time");
            self.runnables.abort().await;
        }
        // The controllers keep informers alive.
        drop(self.controllers);
        self.informers.shutdown().await;
        self.endpoints.close().await;
    }
}
