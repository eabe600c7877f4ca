//! A whole reconcile in the steady state: a request is added, a worker takes it, the reconciler reads its object, finds
//! it as wanted, and writes nothing. No request is sent to the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;
use tidings::SharedInformerFactory;
use tidings::controller::{Action, Context, Controller, Error, Reconciler, Request};
use tidings::workqueue::QueueStats;
use tidings_apiserver::ApiServer;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::measured;

/// How many objects are reconciled, again and again.
const OBJECTS: u64 = 100;

/// The object is read with `context.get`, and the status that is already there is written.
pub(crate) fn with_status(times: u64) {
    reconcile(times, async |request: Request, context: Context| {
        let web = context.get::<Deployment>(&request).await?.ok_or("it exists")?;
        let status = context.status(&*web).condition("Ready", true, "AsWanted", "it is as wanted");
        status.observed_generation().write().await?;
        Ok(Action::await_change())
    });
}

/// The object is read with `context.get`, which waits for nothing.
pub(crate) fn with_fresh_read(times: u64) {
    reconcile(times, async |request: Request, context: Context| {
        context.get::<Deployment>(&request).await?.ok_or("it exists")?;
        Ok(Action::await_change())
    });
}

/// The object is read with the lister, which accepts staleness: the least that a reconcile can cost.
pub(crate) fn with_lister(times: u64) {
    reconcile(times, async |request: Request, context: Context| {
        let web = context.lister::<Deployment>()?.get(&request).ok_or("it exists")?;
        web.decoded()?;
        Ok(Action::await_change())
    });
}

/// A reconciler whose reconciles are counted.
struct Counted<R> {
    reconciler: R,
    rounds: Arc<Rounds>,
}

#[derive(Default)]
struct Rounds {
    reconciles: AtomicU64,
    /// All objects are reconciled once more.
    ended: Notify,
}

impl<R: Reconciler> Reconciler for Counted<R> {
    async fn reconcile(&self, request: Request, context: Context) -> Result<Action, Error> {
        let action = self.reconciler.reconcile(request, context).await?;
        if (self.rounds.reconciles.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(OBJECTS) {
            self.rounds.ended.notify_one();
        }
        Ok(action)
    }
}

fn reconcile(times: u64, reconciler: impl Reconciler) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let rounds = Arc::new(Rounds::default());
    let counted = Counted { reconciler, rounds: Arc::clone(&rounds) };
    let started = runtime.block_on(async {
        let server = ApiServer::start().await;
        (0..OBJECTS).for_each(|number| put(&server, number));
        let factory = SharedInformerFactory::builder(server.client()).seed(1).build();
        let controller = Controller::for_kind::<Deployment>("steady").reconcile(counted);
        let (handle, task) = controller.attach(&factory).expect("it has a name and a worker");
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        tasks.spawn(task.run(stop.clone()));
        (server, factory.informer::<Deployment>(), factory.start(), handle, stop, tasks)
    });
    let (server, deployments, running, handle, stop, tasks) = started;
    let round = || {
        rounds.reconciles.store(0, Ordering::Relaxed);
        for number in 0..OBJECTS {
            let request = Request::new(Some("default"), &format!("web-{number}"));
            handle.request(request.expect("a valid name"));
        }
        runtime.block_on(rounds.ended.notified());
    };
    // Before the steady state, the initial list is reconciled, and so are the changes of its writes.
    runtime.block_on(rounds.ended.notified());
    while deployments.reader().version() != Some(server.version().into()) || !is_idle(&handle.queue().stats())
    {
        runtime.block_on(tokio::task::yield_now());
    }
    rounds.ended.notified().now_or_never();
    round();
    measured(|| (0..times / OBJECTS).for_each(|_| round()));
    assert_eq!(handle.stats().errors, 0);
    runtime.block_on(async {
        stop.cancel();
        tasks.join_all().await;
        running.shutdown().await;
    });
}

fn is_idle(queue: &QueueStats) -> bool {
    queue.waiting + queue.dirty + queue.delayed + queue.working == 0
}

fn put(server: &ApiServer, number: u64) {
    let labels = json!({ "app": "web" });
    let containers = json!([{ "name": "c", "image": "registry.example.com/web:1" }]);
    let template = json!({ "metadata": { "labels": labels }, "spec": { "containers": containers } });
    let spec = json!({ "replicas": 3, "selector": { "matchLabels": labels }, "template": template });
    let metadata = json!({ "name": format!("web-{number}"), "generation": 1, "labels": labels });
    server.put("deployments.apps", json!({ "metadata": metadata, "spec": spec }));
}
