//! Tasks with names, so that the error of a task says which one it was.

use std::collections::HashMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use crate::worker::join_error_message;

/// A [runnable](super::Manager::runnable) that has not started.
pub(super) struct Runnable {
    pub(super) name: String,
    start: Box<dyn FnOnce(CancellationToken) -> BoxFuture<'static, Result<(), ManagerError>> + Send>,
}

impl Runnable {
    pub(super) fn new<F, E>(name: String, run: impl FnOnce(CancellationToken) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let error_name = name.clone();
        let start = move |stop| {
            // `run` is called inside the task, so that a panic of `run` itself is a panic of the runnable.
            let result = async move { run(stop).await };
            let to_error = |error: E| ManagerError::Runnable { name: error_name, source: error.into() };
            result.map(|result| result.map_err(to_error)).boxed()
        };
        Runnable { name, start: Box::new(start) }
    }

    pub(super) fn start(self, stop: CancellationToken) -> BoxFuture<'static, Result<(), ManagerError>> {
        (self.start)(stop)
    }
}

/// Tasks with names. Dropping it aborts them.
#[derive(Default)]
pub(super) struct NamedTasks {
    tasks: JoinSet<Result<(), ManagerError>>,
    names: HashMap<Id, String>,
}

impl NamedTasks {
    pub(super) fn spawn(
        &mut self,
        name: impl Into<String>,
        task: impl Future<Output = Result<(), ManagerError>> + Send + 'static,
    ) {
        let id = self.tasks.spawn(task).id();
        self.names.insert(id, name.into());
    }

    /// Spawns a task that must run until `stop` is cancelled. If it ends earlier, that is its error.
    pub(super) fn spawn_until(
        &mut self,
        name: &str,
        stop: CancellationToken,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let error_name = name.to_owned();
        self.spawn(name, async move {
            task.await;
            if stop.is_cancelled() { Ok(()) } else { Err(ManagerError::Ended { name: error_name }) }
        });
    }

    /// Waits for the first task that ends with an error; for ever, if none does.
    pub(super) async fn failed(&mut self) -> ManagerError {
        while let Some(joined) = self.tasks.join_next_with_id().await {
            if let Err(error) = self.result_of(joined) {
                return error;
            }
        }
        std::future::pending().await
    }

    /// Waits until all tasks have ended. Errors are only logged: the manager is stopping for another reason.
    pub(super) async fn ended(&mut self) {
        while let Some(joined) = self.tasks.join_next_with_id().await {
            if let Err(error) = self.result_of(joined) {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a task failed while the manager stopped"
                );
            }
        }
    }

    /// Drops the tasks at their next await, and waits until they are dropped.
    pub(super) async fn abort(&mut self) {
        self.tasks.abort_all();
        self.ended().await;
    }

    /// The names of the tasks that have not ended.
    pub(super) fn names(&self) -> Vec<&str> {
        self.names.values().map(String::as_str).collect()
    }

    fn result_of(
        &mut self,
        joined: Result<(Id, Result<(), ManagerError>), JoinError>,
    ) -> Result<(), ManagerError> {
        let id = joined.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let name = self.names.remove(&id).unwrap_or_default();
        match joined {
            Ok((_, result)) => result,
            Err(error) if error.is_cancelled() => Ok(()),
            Err(error) => Err(ManagerError::Panicked { name, message: join_error_message(error) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // holds: X31
    #[tokio::test(start_paused = true)]
    async fn a_task_that_ends_before_its_stop_or_panics_has_failed_under_its_name() {
        let mut tasks = NamedTasks::default();
        let minute = std::time::Duration::from_secs(60);
        tasks.spawn_until("early", CancellationToken::new(), async {});
        let error = tokio::time::timeout(minute, tasks.failed()).await.expect("it ended early");
        assert!(matches!(&error, ManagerError::Ended { name } if name == "early"), "{error}");

        tasks.spawn_until("broken", CancellationToken::new(), async { panic!("scripted panic") });
        let error = tasks.failed().await;
        assert_eq!(error.to_string(), "\"broken\" panicked: scripted panic");

        let stop = CancellationToken::new();
        tasks.spawn_until("stopped", stop.clone(), async move { stop.cancel() });
        let failed = tokio::time::timeout(minute, tasks.failed()).await;
        assert!(failed.is_err(), "a task that ends after its stop has not failed");
    }
}
