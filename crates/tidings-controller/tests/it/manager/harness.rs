//! Managers over an in-process API server, and a log of what happened.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{
    Action, Context, Controller, Election, Error, Manager, ManagerError, NewEvent, Request,
};
use tidings_factory::SharedInformerFactory;
use tidings_workqueue::limiter::RateLimiter;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Lines in the order in which they were pushed.
#[derive(Clone)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>, watch::Sender<usize>);

impl Log {
    pub(crate) fn new() -> Log {
        Log(Arc::default(), watch::Sender::new(0))
    }

    pub(crate) fn push(&self, line: impl Into<String>) {
        let mut lines = self.0.lock().unwrap();
        lines.push(line.into());
        self.1.send_replace(lines.len());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until the log has this many lines.
    pub(crate) async fn wait_for_lines(&self, lines: usize) {
        let grown = self.1.subscribe().wait_for(|count| *count >= lines).await.map(|count| *count);
        assert!(grown.is_ok());
    }
}

/// Pushes a line when it is dropped, for instance with the future that holds it.
pub(crate) struct PushOnDrop(pub(crate) Log, pub(crate) &'static str);

impl Drop for PushOnDrop {
    fn drop(&mut self) {
        self.0.push(self.1);
    }
}

/// A controller whose reconciles never end. It logs when one begins, and when it is dropped.
pub(crate) fn hanging_maps(log: &Log) -> Controller {
    let log = log.clone();
    maps(move |_, _| {
        let log = log.clone();
        async move {
            log.push("begins");
            let _on_drop = PushOnDrop(log, "dropped");
            std::future::pending().await
        }
    })
}

/// A user's rate limiter that panics. The worker calls it outside of reconciles.
pub(crate) struct PanickingLimiter;

impl RateLimiter<Request> for PanickingLimiter {
    fn when(&self, _: &Request) -> Duration {
        panic!("scripted panic")
    }
    fn forget(&self, _: &Request) {}
    fn requeues(&self, _: &Request) -> u32 {
        0
    }
}

/// A manager in a task of its own.
pub(crate) struct ManagerRun {
    pub(crate) stop: CancellationToken,
    tasks: JoinSet<Result<(), ManagerError>>,
    task: AbortHandle,
}

impl ManagerRun {
    pub(crate) fn new(manager: Manager) -> ManagerRun {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let stopped = stop.clone();
        let task = tasks.spawn(async move { manager.run_until(stopped.cancelled()).await });
        ManagerRun { stop, tasks, task }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    pub(crate) async fn ended(mut self) -> Result<(), ManagerError> {
        self.tasks.join_next().await.expect("the task was spawned").expect("the manager does not panic")
    }

    pub(crate) async fn end(self) -> Result<(), ManagerError> {
        self.stop.cancel();
        self.ended().await
    }
}

pub(crate) fn factory(server: &ApiServer) -> SharedInformerFactory {
    SharedInformerFactory::builder(server.client()).seed(7).build()
}

/// A factory whose client panics, in the task that sends the request, for each path that contains `resource`.
pub(crate) fn panicking_factory(server: &ApiServer, resource: &'static str) -> SharedInformerFactory {
    factory_with(server, move |path| assert!(!path.contains(resource), "scripted panic"))
}

/// A factory whose client calls `check` with the path of each request, in the task that sends the request.
pub(crate) fn factory_with(
    server: &ApiServer,
    check: impl Fn(&str) + Clone + Send + Sync + 'static,
) -> SharedInformerFactory {
    let service = server.service();
    let forward = move |request: http::Request<Body>| {
        let (service, check) = (service.clone(), check.clone());
        async move {
            check(request.uri().path());
            service.oneshot(request).await
        }
    };
    SharedInformerFactory::builder(Client::new(tower::service_fn(forward), "default")).seed(7).build()
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

/// A controller that pushes the name of each requested object.
pub(crate) fn recording(log: &Log) -> Controller {
    let log = log.clone();
    maps(move |request, _| {
        log.push(request.name());
        async { Ok(Action::await_change()) }
    })
}

/// A controller that records an event for each requested config map.
pub(crate) fn event_recording() -> Controller {
    maps(|request, context| async move {
        let map = ConfigMap {
            metadata: kube_core::ObjectMeta {
                name: Some(request.name().to_owned()),
                namespace: Some("default".to_owned()),
                ..kube_core::ObjectMeta::default()
            },
            ..ConfigMap::default()
        };
        context.recorder().event(&map, NewEvent::normal("Applied", "applied"));
        Ok(Action::await_change())
    })
}

pub(crate) fn election(identity: &str) -> Election {
    Election::new("lock").namespace("default").identity(identity).seed(11)
}

/// The holder of the lease on the server; empty if it was released or does not exist.
pub(crate) fn holder(server: &ApiServer) -> String {
    let lease = server.object("leases", "default/lock").unwrap_or_default();
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned()
}

/// Advances paused time far enough for everything that is due now.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}
