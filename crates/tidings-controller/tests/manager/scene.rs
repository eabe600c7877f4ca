//! A server, managers over it, and a log of what happened.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Action, Context, Controller, Election, Error, Manager, ManagerError, Request};
use tidings_factory::SharedInformerFactory;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// What happened, in order.
#[derive(Clone)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>, watch::Sender<usize>);

impl Log {
    pub(crate) fn new() -> Log {
        Log(Arc::default(), watch::Sender::new(0))
    }

    pub(crate) fn note(&self, line: impl Into<String>) {
        let mut lines = self.0.lock().unwrap();
        lines.push(line.into());
        self.1.send_replace(lines.len());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until it has so many lines.
    pub(crate) async fn grown_to(&self, lines: usize) {
        let grown = self.1.subscribe().wait_for(|count| *count >= lines).await.map(|count| *count);
        assert!(grown.is_ok());
    }
}

/// Notes when a future is dropped before it has ended.
pub(crate) struct NoteOnDrop(pub(crate) Log, pub(crate) &'static str);

impl Drop for NoteOnDrop {
    fn drop(&mut self) {
        self.0.note(self.1);
    }
}

/// A manager that runs.
pub(crate) struct Play {
    pub(crate) stop: CancellationToken,
    tasks: JoinSet<Result<(), ManagerError>>,
    task: AbortHandle,
}

impl Play {
    pub(crate) fn new(manager: Manager) -> Play {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let stopped = stop.clone();
        let task = tasks.spawn(async move { manager.run_until(stopped.cancelled()).await });
        Play { stop, tasks, task }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    pub(crate) async fn ended(mut self) -> Result<(), ManagerError> {
        self.tasks.join_next().await.expect("it was started").expect("it does not panic")
    }

    pub(crate) async fn end(self) -> Result<(), ManagerError> {
        self.stop.cancel();
        self.ended().await
    }
}

pub(crate) fn factory(server: &ApiServer) -> SharedInformerFactory {
    SharedInformerFactory::new(server.client()).seed(7)
}

pub(crate) fn put(server: &ApiServer, resource: &str, name: &str) {
    server.put(resource, json!({ "metadata": { "namespace": "default", "name": name } }));
}

/// A controller of config maps.
pub(crate) fn maps<F>(reconcile: impl Fn(Request, Context) -> F + Send + Sync + 'static) -> Controller
where
    F: Future<Output = Result<Action, Error>> + Send + 'static,
{
    Controller::for_kind::<ConfigMap>("maps").reconcile(reconcile)
}

/// A controller that notes what it was asked.
pub(crate) fn noting(log: &Log) -> Controller {
    let log = log.clone();
    maps(move |request, _| {
        log.note(request.name());
        async { Ok(Action::await_change()) }
    })
}

pub(crate) fn election(identity: &str) -> Election {
    Election::new("lock").namespace("default").identity(identity).seed(11)
}

/// Who holds the lease, as the server has it; empty if nobody does.
pub(crate) fn holder(server: &ApiServer) -> String {
    let lease = server.object("leases", "default/lock").unwrap_or_default();
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned()
}

/// Long enough for everything that is due to happen.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}
