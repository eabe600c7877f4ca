//! Tasks that go by names, so that whoever fails can be told.

use std::collections::HashMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use crate::worker::join_error_message;

/// Something that runs runnables the controllers, to be started.
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
        let called = name.clone();
        let start = move |stop| {
            // Called inside the task: a panic in it is the runnable's own.
            let ended = async move { run(stop).await };
            let named = |error: E| ManagerError::Runnable { name: called, source: error.into() };
            ended.map(|ended| ended.map_err(named)).boxed()
        };
        Runnable { name, start: Box::new(start) }
    }

    pub(super) fn start(self, stop: CancellationToken) -> BoxFuture<'static, Result<(), ManagerError>> {
        (self.start)(stop)
    }
}

/// Tasks that go by names. Dropping it aborts them.
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

    /// Waits for the first that ends with an error; for ever, if none does.
    pub(super) async fn failed(&mut self) -> ManagerError {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            if let Err(error) = self.outcome(ended) {
                return error;
            }
        }
        std::future::pending().await
    }

    /// The first that has ended with an error by now, if any.
    pub(super) fn has_failed(&mut self) -> Option<ManagerError> {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            if let Err(error) = self.outcome(ended) {
                return Some(error);
            }
        }
        None
    }

    /// Waits until all have ended. What fails on the way out is told to nobody but the log.
    pub(super) async fn ended(&mut self) {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            if let Err(error) = self.outcome(ended) {
                tracing::error!(error = &error as &dyn std::error::Error, "while stopping");
            }
        }
    }

    /// Drops them at their next await.
    pub(super) async fn abort(&mut self) {
        self.tasks.abort_all();
        self.ended().await;
    }

    /// Those that have not ended.
    pub(super) fn names(&self) -> Vec<&str> {
        self.names.values().map(String::as_str).collect()
    }

    fn outcome(
        &mut self,
        ended: Result<(Id, Result<(), ManagerError>), JoinError>,
    ) -> Result<(), ManagerError> {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let name = self.names.remove(&id).unwrap_or_default();
        match ended {
            Ok((_, outcome)) => outcome,
            Err(error) if error.is_cancelled() => Ok(()),
            Err(error) => Err(ManagerError::Panicked { name, message: join_error_message(error) }),
        }
    }
}
