//! The order of things, forwards and backwards.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tidings_factory::{Running, SharedInformerFactory};
use tidings_source::clock;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::crew::Crew;
use super::door::Door;
use super::office::Office;
use super::vitals::Vitals;
use super::workforce::Workforce;
use super::{Manager, ManagerError};

/// What runnables have for their end, even if the workers took all the time.
const BESIDE_STOP_MIN: Duration = Duration::from_secs(1);

/// Runs a manager until `stop` ends, or something in it goes wrong.
pub(super) async fn run(manager: Manager, stop: impl Future<Output = ()>) -> Result<(), ManagerError> {
    let mut live = Live::start(manager).await?;
    let outcome = tokio::select! {
        biased;
        () = stop => Ok(()),
        Err(error) = live.work() => Err(error),
    };
    match &outcome {
        Ok(()) => tracing::info!("stopping"),
        Err(error) => {
            live.vitals.fail(error);
            tracing::error!(error = error as &dyn std::error::Error, "stopping");
        }
    }
    live.stop().await;
    outcome
}

/// All that a manager runs, in the order in which it is dropped.
struct Live {
    workforce: Workforce,
    beside: Crew,
    /// Tells those beside.
    end_beside: CancellationToken,
    running: Running,
    door: Door,
    /// What probes are told.
    vitals: Arc<Vitals>,
    factory: SharedInformerFactory,
    sync_timeout: Duration,
    graceful_stop: Duration,
}

impl Live {
    /// Everything that can go wrong at once does so before anything runs.
    async fn start(manager: Manager) -> Result<Live, ManagerError> {
        let factory = manager.factory;
        let office = |election| Office::new(election, factory.client().clone(), manager.on_overrun);
        let office = manager.election.map(office).transpose()?;
        let workforce = Workforce::attach(manager.controllers, &factory, office)?;
        let (vitals, end_beside) = (Arc::new(Vitals::default()), CancellationToken::new());
        let door = manager.endpoints.open(&factory, &workforce, &vitals).await?;
        let mut beside = Crew::default();
        for runnable in manager.runnables {
            beside.spawn(runnable.name.clone(), runnable.start(end_beside.clone()));
        }
        let running = factory.start();
        Ok(Live {
            workforce,
            beside,
            end_beside,
            running,
            door,
            vitals,
            factory,
            sync_timeout: manager.sync_timeout,
            graceful_stop: manager.graceful_stop,
        })
    }

    /// Fills the caches, waits for leadership, works.
    async fn work(&mut self) -> Result<Infallible, ManagerError> {
        let Live { workforce, beside, running, factory, door, .. } = self;
        let forwards = async {
            workforce.synced(running, factory, self.sync_timeout).await?;
            tracing::info!("caches are filled");
            workforce.work().await
        };
        tokio::select! {
            biased;
            error = beside.failed() => Err(error),
            failure = running.failed() => Err(ManagerError::Informer(failure)),
            error = door.failed() => Err(error),
            ended = forwards => ended,
        }
    }

    async fn stop(mut self) {
        let deadline = clock::from_now(self.graceful_stop);
        self.vitals.stopping.cancel();
        self.workforce.stop(deadline).await;
        self.end_beside.cancel();
        let deadline = deadline.max(Instant::now() + BESIDE_STOP_MIN);
        if tokio::time::timeout_at(deadline, self.beside.ended()).await.is_err() {
            tracing::warn!(runnables = ?self.beside.names(), "dropping what has not ended");
            self.beside.abort().await;
        }
        // Its handles keep informers alive no longer than this.
        drop(self.workforce);
        self.running.shutdown().await;
        self.door.close().await;
    }
}
