//! Controllers of derived collections.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use k8s_openapi::api::apps::v1::Deployment;
use kube_core::params::{Patch, PatchParams};
use parking_lot::Mutex;
use serde_json::json;
use tidings::SharedInformerFactory;
use tidings::controller::{
    Action, Context, Controller, ControllerError, ControllerHandle, Request, RequestReason,
};
use tidings::derived::{Collection, CollectionFault, Feed, Graph, GraphTask};
use tidings_apiserver::ApiServer;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

type Pair = (String, u32);
type Log = Arc<Mutex<Vec<(String, Option<u32>)>>>;

/// A collection that the test feeds, and a controller that records each request with the value that it reads.
struct Fixture {
    graph: Graph,
    feed: Feed<Pair>,
    fed: Collection<Pair>,
    factory: SharedInformerFactory,
    faults: Arc<Mutex<Vec<CollectionFault>>>,
    log: Log,
    server: ApiServer,
}

struct Running {
    handle: ControllerHandle,
    stop: CancellationToken,
    tasks: JoinSet<Result<(), ControllerError>>,
}

impl Fixture {
    async fn new() -> (Fixture, GraphTask) {
        let server = ApiServer::start().await;
        let factory = SharedInformerFactory::new(server.client());
        let faults = Arc::new(Mutex::new(Vec::new()));
        let reported = Arc::clone(&faults);
        let (graph, task) =
            Graph::builder("test").seed(1).on_fault(move |fault| reported.lock().push(fault.clone())).build();
        let (feed, fed) = graph.feed("fed");
        let log = Arc::default();
        (Fixture { graph, feed, fed, factory, faults, log, server }, task)
    }

    fn controller(&self) -> Controller {
        let (lister, log) = (self.fed.lister(), Arc::clone(&self.log));
        Controller::for_collection("publish", &self.fed).reconcile(move |request: Request, _: Context| {
            let value = lister.get(request.as_str()).map(|value| value.1);
            log.lock().push((request.to_string(), value));
            async { Ok(Action::await_change()) }
        })
    }

    fn start(&self) -> Running {
        self.start_controller(self.controller())
    }

    fn start_controller(&self, controller: Controller) -> Running {
        let (handle, task) = controller.attach(&self.factory).unwrap();
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        tasks.spawn(task.run(stop.clone()));
        Running { handle, stop, tasks }
    }

    fn set(&self, key: &str, value: u32) {
        self.feed.set((key.to_owned(), value));
    }

    /// The requests since the last call, when everything is idle: the paused clock advances only then.
    async fn requests(&self) -> Vec<(String, Option<u32>)> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        std::mem::take(&mut self.log.lock())
    }
}

impl Running {
    fn count(&self, reason: RequestReason) -> u64 {
        let requests = self.handle.stats().requests;
        let counted = requests.iter().filter(|one| one.source == "fed" && one.reason == reason);
        counted.map(|one| one.count).sum()
    }

    async fn ended(&mut self) -> Result<(), ControllerError> {
        let ended = tokio::time::timeout(Duration::from_secs(60), self.tasks.join_next()).await;
        ended.expect("it ends").unwrap().unwrap()
    }
}

fn read(key: &str, value: impl Into<Option<u32>>) -> (String, Option<u32>) {
    (key.to_owned(), value.into())
}

// holds: V26
#[tokio::test(start_paused = true)]
async fn workers_start_when_the_collection_has_synced_and_every_key_is_requested() {
    let (fixture, task) = Fixture::new().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    let running = fixture.start();
    fixture.set("shop/web", 1);
    fixture.set("shop/pay", 2);
    assert_eq!(fixture.requests().await, []);
    assert!(!running.handle.is_synced());
    // A request of another source waits too.
    running.handle.request(Request::new(Some("shop"), "web").unwrap());
    assert_eq!(fixture.requests().await, []);
    fixture.feed.complete();
    running.handle.synced().await.unwrap();
    let mut requests = fixture.requests().await;
    requests.sort();
    assert_eq!(requests, [read("shop/pay", 2), read("shop/web", 1)]);
    assert_eq!(running.count(RequestReason::Initial), 2);
}

// holds: V26
#[tokio::test(start_paused = true)]
async fn each_published_change_of_a_key_requests_it_and_so_does_its_deletion() {
    let (fixture, task) = Fixture::new().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    fixture.set("web", 1);
    fixture.feed.complete();
    fixture.fed.synced().await.unwrap();
    // A controller that is attached to a collection that has synced gets its keys too.
    let running = fixture.start();
    assert_eq!(fixture.requests().await, [read("web", 1)]);
    fixture.set("web", 2);
    assert_eq!(fixture.requests().await, [read("web", 2)]);
    fixture.set("web", 2);
    assert_eq!(fixture.requests().await, [], "an equal value is no change");
    fixture.set("web", 1);
    assert_eq!(fixture.requests().await, [read("web", 1)]);
    fixture.feed.remove("web");
    assert_eq!(fixture.requests().await, [read("web", None)]);
    fixture.set("web", 3);
    assert_eq!(fixture.requests().await, [read("web", 3)]);
    let counts = [RequestReason::Updated, RequestReason::Deleted, RequestReason::Added]
        .map(|reason| running.count(reason));
    assert_eq!(counts, [2, 1, 1]);
}

/// A handler of a collection merges the changes that it has not received: to the value that it knows, this is no change.
/// A controller must not use one, because a reconcile may have read what came between. The test runs the rounds itself,
/// the second one inside the reconcile, so that even a prompt handler is called after both.
// holds: V27
#[tokio::test(start_paused = true)]
async fn a_key_is_requested_again_after_a_value_that_a_reconcile_has_read_is_gone() {
    let (fixture, task) = Fixture::new().await;
    let graph = Arc::new(Mutex::new(Box::pin(task.run())));
    let round = move || {
        let _ = graph.lock().as_mut().now_or_never();
    };
    let (lister, log) = (fixture.fed.lister(), Arc::clone(&fixture.log));
    let (feed, round_of_reconcile) = (fixture.feed.clone(), round.clone());
    let controller = Controller::for_collection("publish", &fixture.fed);
    let mut running = fixture.start_controller(controller.reconcile(move |request: Request, _: Context| {
        let value = lister.get(request.as_str()).map(|value| value.1);
        log.lock().push((request.to_string(), value));
        if value == Some(2) {
            feed.set(("web".to_owned(), 1));
            round_of_reconcile();
        }
        async { Ok(Action::await_change()) }
    }));
    let handled = Arc::new(Mutex::new(Vec::new()));
    let prompt = Arc::clone(&handled);
    fixture.fed.add_handler("prompt", move |notified| prompt.lock().push(notified.value().1)).unwrap();
    fixture.set("web", 1);
    fixture.feed.complete();
    round();
    assert_eq!(fixture.requests().await, [read("web", 1)]);
    // The worker is woken before the handler.
    running.handle.request(Request::new(None, "web").unwrap());
    fixture.set("web", 2);
    round();
    assert_eq!(fixture.requests().await, [read("web", 2), read("web", 1)]);
    assert_eq!(*handled.lock(), [1], "for a handler nothing has changed");
    running.stop.cancel();
    running.ended().await.unwrap();
}

// holds: V28
#[tokio::test(start_paused = true)]
async fn a_key_that_is_no_request_is_a_fault_that_names_the_controller_and_the_others_are_reconciled() {
    let (fixture, task) = Fixture::new().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    let _running = fixture.start();
    fixture.set("a/b/c", 1);
    fixture.set("shop/web", 2);
    fixture.feed.complete();
    assert_eq!(fixture.requests().await, [read("shop/web", 2)]);
    let faults: Vec<_> = fixture.faults.lock().iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 1);
    let expected = "controller \"publish\" can't reconcile \"a/b/c\" of collection \"fed\": ";
    assert!(faults[0].starts_with(expected), "{}", faults[0]);
    assert!(faults[0].contains("at most one slash"), "{}", faults[0]);
}

// holds: V29
#[tokio::test(start_paused = true)]
async fn a_controller_ends_with_an_error_if_the_task_of_its_graph_is_dropped() {
    let (fixture, task) = Fixture::new().await;
    fixture.feed.complete();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    let mut running = fixture.start();
    running.handle.synced().await.unwrap();
    drop(tasks);
    let error = running.ended().await.unwrap_err().to_string();
    assert_eq!(
        error,
        "controller \"publish\" can't follow its collection: collection \"fed\" follows nothing: the task of graph \
         \"test\" has ended: run it until the program stops"
    );
    let error = fixture.controller().attach(&fixture.factory).unwrap_err().to_string();
    assert!(error.contains("the graph has stopped; make a new one"), "{error}");
}

// holds: V29
#[tokio::test(start_paused = true)]
async fn a_controller_that_waits_for_a_graph_that_stops_ends_with_an_error_and_one_that_works_goes_on() {
    let (fixture, task) = Fixture::new().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    let mut waiting = fixture.start();
    fixture.graph.stop();
    let error = waiting.ended().await.unwrap_err().to_string();
    assert!(error.contains("collection \"fed\": it has not synced: its graph has stopped"), "{error}");

    let (fixture, task) = Fixture::new().await;
    tasks.spawn(task.run());
    fixture.feed.complete();
    let mut working = fixture.start();
    working.handle.synced().await.unwrap();
    fixture.graph.stop();
    fixture.graph.stopped().await;
    working.handle.request(Request::new(None, "web").unwrap());
    assert_eq!(fixture.requests().await, [read("web", None)]);
    working.stop.cancel();
    working.ended().await.unwrap();
}

// holds: V26
#[tokio::test(start_paused = true)]
async fn a_controller_keeps_its_collection_running_until_it_ends() {
    let (fixture, task) = Fixture::new().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    fixture.feed.complete();
    let names = || fixture.graph.stats().into_iter().map(|stats| stats.name).collect::<Vec<_>>();
    let doubled = fixture.fed.map("doubled", |_, one| Some((one.key().into_owned(), one.1 * 2)));
    let controller = Controller::for_collection("doubles", &doubled)
        .reconcile(|_: Request, _: Context| async { Ok(Action::await_change()) });
    drop(doubled);
    let (handle, controller) = controller.attach(&fixture.factory).unwrap();
    let stop = CancellationToken::new();
    let mut running = JoinSet::new();
    running.spawn(controller.run(stop.clone()));
    handle.synced().await.unwrap();
    assert_eq!(names(), ["fed", "doubled"]);
    stop.cancel();
    running.join_next().await.unwrap().unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(names(), ["fed"]);
}

// holds: X76
#[tokio::test(start_paused = true)]
async fn a_controller_of_a_collection_that_wakes_itself_is_reported_whatever_it_writes() {
    let (fixture, task) = Fixture::new().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    fixture.feed.complete();
    let labels = json!({ "app": "web" });
    let spec = json!({ "replicas": 0, "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] } } });
    fixture
        .server
        .put("deployments.apps", json!({ "metadata": { "name": "web", "generation": 1 }, "spec": spec }));
    let reports = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&reports);
    // Each write changes the generation of the Deployment. It has the key of the request, but is not its object.
    let controller = Controller::for_collection("scale", &fixture.fed)
        .watches::<Deployment>(|change| vec![Request::from(change.object().key())])
        .loop_limit(20)
        .on_loop(move |report| reported.lock().push(report.to_string()))
        .reconcile(async |request: Request, context: Context| {
            let web = context.get::<Deployment>(&request).await?.ok_or("it exists")?;
            let replicas = web.spec.replicas.unwrap_or(0);
            if replicas < 50 {
                let patch = Patch::Merge(json!({ "spec": { "replicas": replicas + 1 } }));
                context.api::<Deployment>().patch("web", &PatchParams::default(), &patch).await?;
            }
            Ok(Action::await_change())
        });
    let (handle, controller) = controller.attach(&fixture.factory).unwrap();
    let informers = fixture.factory.start();
    let (stop, mut running) = (CancellationToken::new(), JoinSet::new());
    running.spawn(controller.run(stop.clone()));
    handle.synced().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let reports = reports.lock().clone();
    assert_eq!(reports.len(), 1, "{:?}", handle.stats());
    assert!(
        reports[0].contains("deployments.apps default/web at .metadata.generation .spec.replicas"),
        "{reports:?}"
    );
    stop.cancel();
    running.join_next().await.unwrap().unwrap().unwrap();
    informers.shutdown().await;
}
