//! A controller that copies 10,000 objects, against an API server in the process. It measures the time until every
//! object has its copy and was reconciled again because of it, and compares it with:
//!
//! - the same writes without a controller. The goal is a ratio of at most 1.2;
//! - the same writes while a client watches them and discards all events, which is the minimum for any controller.
//!
//! It also reports how many changes the cache was behind the server at most, sampled each millisecond while the workers
//! keep the processors busy.
//!
//! It runs over both transports of the server: in the process, where a write costs least, and HTTP over loopback. All
//! variants use the same client, number of writers, server, and jemalloc.
//!
//! `cargo bench -p tidings-controller --bench steady_state`

#![expect(clippy::print_stdout, reason = "it prints its measurements")]

use std::time::Duration;

use futures_util::AsyncBufReadExt;
use http::header::ACCEPT;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::api::PostParams;
use kube_client::{Api, Client};
use serde_json::json;
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Listen, Listening};
use tidings_controller::{Action, Context, Controller, Error, Request, set_controller};
use tidings_factory::SharedInformerFactory;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const OBJECTS: usize = 10_000;
const WORKERS: [usize; 2] = [1, 8];
const ROUNDS: usize = 9;

/// How the client reaches the server.
#[derive(Debug, Clone, Copy)]
enum Transport {
    InProcess,
    Loopback,
}

fn main() {
    for (transport, workers) in [Transport::InProcess, Transport::Loopback]
        .into_iter()
        .flat_map(|transport| WORKERS.map(|workers| (transport, workers)))
    {
        let rounds: Vec<Round> = (1..=ROUNDS).map(|number| round(number, transport, workers)).collect();
        let over_alone = median(rounds.iter().map(|round| ratio(round.controller, round.alone)));
        let watched = median(rounds.iter().map(|round| ratio(round.watched, round.alone)));
        let behind = median(rounds.iter().map(|round| round.behind as f64));
        println!(
            "{transport:?}, {OBJECTS} objects, {workers} workers: median ratio {over_alone:.2}, \
             of a watcher that discards all {watched:.2}; \
             the cache {behind} changes behind at worst, in the median round"
        );
    }
}

/// The times of one round.
struct Round {
    alone: Duration,
    watched: Duration,
    controller: Duration,
    /// The largest number of changes that the cache was behind the server.
    behind: u64,
}

fn round(number: usize, transport: Transport, workers: usize) -> Round {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let Round { alone, watched, controller, behind } = runtime.block_on(async {
        let alone = time_of_writes(&BenchCluster::new(transport).await, workers).await;
        let watched = time_of_watched_writes(&BenchCluster::new(transport).await, workers).await;
        let (controller, behind) = with_controller(&BenchCluster::new(transport).await, workers).await;
        Round { alone, watched, controller, behind }
    });
    println!(
        "round {number}: writes alone {alone:.2?}, beside a watcher that discards all {watched:.2?}, \
         controller {controller:.2?}, ratio {:.2}, at most {behind} changes behind",
        ratio(controller, alone)
    );
    Round { alone, watched, controller, behind }
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn median(ratios: impl Iterator<Item = f64>) -> f64 {
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// A server with the objects, and its client.
struct BenchCluster {
    client: Client,
    /// These two keep the server running; they are dropped last.
    server: ApiServer,
    _open: Option<(Listening, JoinSet<()>)>,
}

impl BenchCluster {
    async fn new(transport: Transport) -> BenchCluster {
        let server = ApiServer::start().await;
        server.load("configmaps", OBJECTS, |at| {
            let metadata = json!({ "name": format!("map-{at:05}"), "namespace": "default" });
            json!({ "metadata": metadata, "data": { "wish": at.to_string() } })
        });
        match transport {
            Transport::InProcess => BenchCluster { client: server.client(), server, _open: None },
            Transport::Loopback => {
                let (listening, serve) = server.listen(Listen::plain()).await.expect("a free port");
                let client = Client::try_from(listening.client_config(ADMIN_TOKEN)).expect("a plain client");
                let mut tasks = JoinSet::new();
                tasks.spawn(serve);
                BenchCluster { client, server, _open: Some((listening, tasks)) }
            }
        }
    }

    fn client(&self) -> Client {
        self.client.clone()
    }
}

fn copy_of(map: &ConfigMap) -> Result<Secret, Error> {
    let name = map.metadata.name.as_deref();
    let wish = map.data.as_ref().and_then(|data| data.get("wish"));
    let mut copy: Secret = serde_json::from_value(
        json!({ "metadata": { "name": name, "namespace": "default", "annotations": { "copy": wish } } }),
    )?;
    set_controller(&mut copy, map)?;
    Ok(copy)
}

/// The time to create the same copies, with as many tasks, without a controller.
async fn time_of_writes(cluster: &BenchCluster, workers: usize) -> Duration {
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let maps = maps.list(&Default::default()).await.expect("a list").items;
    let started = Instant::now();
    let mut writers = JoinSet::new();
    for share in maps.chunks(OBJECTS.div_ceil(workers)) {
        let secrets: Api<Secret> = Api::namespaced(cluster.client(), "default");
        let share = share.to_vec();
        writers.spawn(async move {
            for map in share {
                let copy = copy_of(&map).expect("a map that was written");
                secrets.create(&PostParams::default(), &copy).await.expect("a copy that is new");
            }
        });
    }
    writers.join_all().await;
    started.elapsed()
}

/// The same writes, while a client reads what a controller must read: the list of objects, and then the watch of their
/// copies. It discards all data.
async fn time_of_watched_writes(cluster: &BenchCluster, workers: usize) -> Duration {
    let started = Instant::now();
    discard_all(cluster.client(), "/api/v1/configmaps").await;
    let listed = started.elapsed();
    let mut watcher = JoinSet::new();
    watcher.spawn(discard_all(cluster.client(), "/api/v1/secrets?watch=1"));
    let written = time_of_writes(cluster, workers).await;
    watcher.shutdown().await;
    listed + written
}

/// Reads a response to its end, in the encoding that an informer prefers.
async fn discard_all(client: Client, path: &str) {
    let request =
        http::Request::get(path).header(ACCEPT, "application/vnd.kubernetes.protobuf, application/json");
    let request = request.body(Vec::new()).expect("a request");
    let mut sent = Box::pin(client.request_stream(request).await.expect("an answer"));
    while let Some(bytes) = sent.fill_buf().await.ok().map(<[u8]>::len).filter(|bytes| *bytes > 0) {
        sent.consume_unpin(bytes);
    }
}

/// The time from the start of the informers until every object has its copy and the queue is empty, and the largest
/// number of changes that the cache was behind.
async fn with_controller(cluster: &BenchCluster, workers: usize) -> (Duration, u64) {
    let factory = SharedInformerFactory::new(cluster.client());
    let controller =
        Controller::for_kind::<ConfigMap>("copier").owns::<Secret>().workers(workers).reconcile(reconcile);
    let started = Instant::now();
    let (handle, task) = controller.attach(&factory).expect("a fresh factory");
    let running = factory.start();
    let stop = CancellationToken::new();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run(stop.clone()));
    let copies = factory.informer::<Secret>();
    // Checks the queue last: a handler has added its requests before it counts a notification as delivered.
    let has_delivered_all = || {
        copies.lister().len() == OBJECTS
            && copies.stats().handlers.iter().all(|handler| handler.delivered == OBJECTS as u64)
    };
    let is_queue_empty = || {
        let queue = handle.queue().stats();
        queue.waiting + queue.dirty + queue.working == 0
    };
    let is_steady = || has_delivered_all() && is_queue_empty();
    let mut behind = 0;
    while !is_steady() {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let reached = copies.lister().version().and_then(|version| version.number());
        behind = behind.max(reached.map_or(0, |reached| cluster.server.version() - reached));
    }
    let taken = started.elapsed();
    stop.cancel();
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic").expect("no error");
    }
    assert_eq!(handle.stats().errors, 0);
    running.shutdown().await;
    (taken, behind)
}

async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(map) = context.lister::<ConfigMap>()?.get(&request) else { return Ok(Action::await_change()) };
    if context.lister::<Secret>()?.get(&request).is_some() {
        return Ok(Action::await_change());
    }
    context.api::<Secret>().create(&copy_of(&*map.decoded()?)?).await?;
    Ok(Action::await_change())
}
