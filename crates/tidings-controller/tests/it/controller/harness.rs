//! The fixture of these tests: a server, a factory, a running controller, and a log of its requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;
use tidings_controller::{
    Action, Context, Controller, ControllerError, ControllerHandle, Reconciler, Request, Signals,
};
use tidings_factory::{Running, SharedInformerFactory};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A server and a factory over it.
pub(crate) struct TestCluster {
    pub(crate) server: ApiServer,
    pub(crate) factory: SharedInformerFactory,
}

/// A controller whose task runs.
pub(crate) struct RunningController {
    pub(crate) handle: ControllerHandle,
    pub(crate) stop: CancellationToken,
    pub(crate) abandon: CancellationToken,
    running: Running,
    tasks: JoinSet<Result<(), ControllerError>>,
}

impl TestCluster {
    pub(crate) async fn new() -> TestCluster {
        TestCluster::over(ApiServer::start().await)
    }

    pub(crate) fn over(server: ApiServer) -> TestCluster {
        let factory = SharedInformerFactory::builder(server.client()).seed(7).build();
        TestCluster { server, factory }
    }

    /// Starts the informers and the controller.
    pub(crate) fn start(&self, controller: Controller) -> RunningController {
        let (handle, task) = controller.attach(&self.factory).unwrap();
        let (stop, abandon) = (CancellationToken::new(), CancellationToken::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run(Signals { stop: stop.clone(), abandon: abandon.clone() }));
        RunningController { handle, stop, abandon, running: self.factory.start(), tasks }
    }

    /// Starts the controller, and waits until it has reconciled the initial objects.
    pub(crate) async fn start_synced(&self, controller: Controller) -> RunningController {
        let started = self.start(controller);
        started.handle.synced().await.unwrap();
        settle().await;
        started
    }

    pub(crate) fn put(&self, name: &str) -> u64 {
        self.put_with(name, json!({}))
    }

    pub(crate) fn put_with(&self, name: &str, data: Value) -> u64 {
        self.server.put("configmaps", json!({ "metadata": { "name": name }, "data": data }))
    }

    pub(crate) fn remove(&self, name: &str) {
        assert!(self.server.remove("configmaps", &format!("default/{name}")), "{name} was there");
    }
}

impl RunningController {
    /// Waits until the controller and its informers have ended.
    pub(crate) async fn finished(mut self) {
        self.tasks.join_next().await.expect("it was started").expect("it does not panic").unwrap();
        self.running.shutdown().await;
    }

    pub(crate) async fn shutdown(self) {
        self.stop.cancel();
        self.finished().await;
    }
}

/// Lets all tasks run until they are idle: the paused clock advances only then.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_micros(1)).await;
}

/// A controller of config maps.
pub(crate) fn config_maps() -> tidings_controller::ControllerBuilder<ConfigMap> {
    Controller::for_kind::<ConfigMap>("maps")
}

/// The requests that a reconciler got, with their times.
#[derive(Clone)]
pub(crate) struct RequestLog {
    started: Instant,
    requests: Arc<Mutex<Vec<(Duration, String)>>>,
}

impl RequestLog {
    pub(crate) fn new() -> RequestLog {
        RequestLog { started: Instant::now(), requests: Arc::default() }
    }

    /// The time since the log was created.
    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// A reconciler that only records its requests.
    pub(crate) fn reconciler(&self) -> impl Reconciler + use<> {
        let log = self.clone();
        move |request: Request, _: Context| {
            log.record(&request);
            async { Ok(Action::await_change()) }
        }
    }

    pub(crate) fn record(&self, request: &Request) -> usize {
        let mut requests = self.requests.lock().unwrap();
        requests.push((self.started.elapsed(), request.to_string()));
        requests.iter().filter(|(_, other)| *other == request.as_str()).count()
    }

    /// The requests since the last call, without the namespace.
    pub(crate) fn take(&self) -> Vec<String> {
        let taken = std::mem::take(&mut *self.requests.lock().unwrap());
        taken.into_iter().map(|(_, name)| name.replace("default/", "")).collect()
    }

    /// The times of the requests for an object.
    pub(crate) fn times(&self, name: &str) -> Vec<Duration> {
        let requests = self.requests.lock().unwrap();
        let of_name = requests.iter().filter(|(_, other)| *other == format!("default/{name}"));
        of_name.map(|(at, _)| *at).collect()
    }
}
