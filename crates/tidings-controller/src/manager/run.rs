//! The order of things, forwards and backwards.

use std::convert::Infallible;
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
use super::{Manager, ManagerError};

/// What runnables have for their end, even if the workers took all the time.
const RUNNABLE_STOP_MIN: Duration = Duration::from_secs(1);

/// Runs a manager until `stop` ends, or something in it goes wrong.
pub(super) async fn run(manager: Manager, stop: impl Future<Output = ()>) -> Result<(), ManagerError> {
    let mut running = RunningManager::start(manager).await?;
    let outcome = tokio::select! {
        biased;
        () = stop => Ok(()),
        Err(error) = running.work() => Err(error),
    };
    match &outcome {
        Ok(()) => tracing::info!("stopping"),
        Err(error) => {
            running.probe_state.fail(error);
            tracing::error!(error = error as &dyn std::error::Error, "stopping");
        }
    }
    running.stop().await;
    outcome
}

/// All that a manager runs, in the order in which it is dropped.
struct RunningManager {
    controllers: ControllerSet,
    runnables: NamedTasks,
    /// Tells those runnables.
    stop_runnables: CancellationToken,
    running: Running,
    endpoints: EndpointServer,
    /// What probes are told.
    probe_state: Arc<ProbeState>,
    factory: SharedInformerFactory,
    sync_timeout: Duration,
    graceful_shutdown_timeout: Duration,
}

impl RunningManager {
    /// Everything that can go wrong at once does so before anything runs.
    async fn start(manager: Manager) -> Result<RunningManager, ManagerError> {
        let factory = manager.factory;
        let elector = |election| LeaderElector::new(election, factory.client().clone(), manager.on_overrun);
        let elector = manager.election.map(elector).transpose()?;
        let controllers = ControllerSet::attach(manager.controllers, &factory, elector)?;
        let (probe_state, stop_runnables) = (Arc::new(ProbeState::default()), CancellationToken::new());
        let endpoints = manager.endpoints.open(&factory, &controllers, &probe_state).await?;
        let mut runnables = NamedTasks::default();
        for runnable in manager.runnables {
            runnables.spawn(runnable.name.clone(), runnable.start(stop_runnables.clone()));
        }
        let running = factory.start();
        Ok(RunningManager {
            controllers,
            runnables,
            stop_runnables,
            running,
            endpoints,
            probe_state,
            factory,
            sync_timeout: manager.sync_timeout,
            graceful_shutdown_timeout: manager.graceful_shutdown_timeout,
        })
    }

    /// Fills the caches, waits for leadership, works.
    async fn work(&mut self) -> Result<Infallible, ManagerError> {
        let RunningManager { controllers, runnables, running, factory, endpoints, .. } = self;
        let forwards = async {
            controllers.synced(running, factory, self.sync_timeout).await?;
            tracing::info!("caches are filled");
            controllers.work().await
        };
        tokio::select! {
            biased;
            error = runnables.failed() => Err(error),
            failure = running.failed() => Err(ManagerError::Informer(failure)),
            error = endpoints.failed() => Err(error),
            ended = forwards => ended,
        }
    }

    async fn stop(mut self) {
        let deadline = clock::from_now(self.graceful_shutdown_timeout);
        self.probe_state.stopping.cancel();
        self.controllers.stop(deadline).await;
        self.stop_runnables.cancel();
        let deadline = deadline.max(Instant::now() + RUNNABLE_STOP_MIN);
        if tokio::time::timeout_at(deadline, self.runnables.ended()).await.is_err() {
            tracing::warn!(runnables = ?self.runnables.names(), "dropping what has not ended");
            self.runnables.abort().await;
        }
        // Its handles keep informers alive no longer than this.
        drop(self.controllers);
        self.running.shutdown().await;
        self.endpoints.close().await;
    }
}
