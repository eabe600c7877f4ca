//! A controller over 10,000 objects in an API server in the process: how long it takes until every object has its copy, and
//! the controller has looked at each again because of it, beside what the same writes cost alone. The aim: within 1.2 times.
//! And beside what they cost while someone is sent all that happens and throws it away: no controller costs less. And by how
//! many changes the cache was behind the server at worst, looked at every millisecond, while the workers kept the processors busy.
//!
//! Through both doors of the server: the one in the process, where a write costs least, and HTTP over loopback, as a
//! controller's client speaks it. All have the same client, as many writers, the same server, and jemalloc, as the programs of
//! the comparison have.
//!
//! `cargo bench -p tidings-controller --bench steady_state`

#![expect(clippy::print_stdout, reason = "what it measures is for people")]

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

/// How the server is reached.
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
            "{transport:?}, {OBJECTS} objects, {workers} workers: median ratio {over_alone:.2}, of a watcher that throws all away {watched:.2}; \
             the cache {behind} changes behind at worst, in the median round"
        );
    }
}

/// What each took.
struct Round {
    alone: Duration,
    watched: Duration,
    controller: Duration,
    /// The most changes that were written and not yet in the cache.
    behind: u64,
}

fn round(number: usize, transport: Transport, workers: usize) -> Round {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let Round { alone, watched, controller, behind } = runtime.block_on(async {
        let alone = writes_alone(&BenchCluster::new(transport).await, workers).await;
        let watched = writes_watched(&BenchCluster::new(transport).await, workers).await;
        let (controller, behind) = with_controller(&BenchCluster::new(transport).await, workers).await;
        Round { alone, watched, controller, behind }
    });
    println!(
        "round {number}: writes alone {alone:.2?}, beside a watcher that throws all away {watched:.2?}, \
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
    /// Dropped last, both end what serves the client.
    server: ApiServer,
    _open: Option<(Listening, JoinSet<()>)>,
}

impl BenchCluster {
    async fn new(transport: Transport) -> BenchCluster {
        let server = ApiServer::start().await;
        server.load("configmaps", OBJECTS, |at| {
            json!({ "metadata": { "name": format!("map-{at:05}"), "namespace": "default" }, "data": { "wish": at.to_string() } })
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

/// The same copies, made by as many tasks, of objects that are there already.
async fn writes_alone(cluster: &BenchCluster, workers: usize) -> Duration {
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

/// The same writes, while someone is sent what a controller must know: the objects that are there, and then their copies, as
/// they come. Nothing is done with it.
async fn writes_watched(cluster: &BenchCluster, workers: usize) -> Duration {
    let started = Instant::now();
    throw_away(cluster.client(), "/api/v1/configmaps").await;
    let listed = started.elapsed();
    let mut watcher = JoinSet::new();
    watcher.spawn(throw_away(cluster.client(), "/api/v1/secrets?watch=1"));
    let written = writes_alone(cluster, workers).await;
    watcher.shutdown().await;
    listed + written
}

/// Reads an answer to its end, on the wire that an informer prefers.
async fn throw_away(client: Client, path: &str) {
    let request =
        http::Request::get(path).header(ACCEPT, "application/vnd.kubernetes.protobuf, application/json");
    let request = request.body(Vec::new()).expect("a request");
    let mut sent = Box::pin(client.request_stream(request).await.expect("an answer"));
    while let Some(bytes) = sent.fill_buf().await.ok().map(<[u8]>::len).filter(|bytes| *bytes > 0) {
        sent.consume_unpin(bytes);
    }
}

/// From the start of the informers until every object has its copy, and nothing is left to do; and the most changes that were
/// written and not yet in the cache meanwhile.
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
    // The queue is looked at last: what a handler has returned from has made its requests.
    let has_heard_of_all = || {
        copies.lister().len() == OBJECTS
            && copies.stats().handlers.iter().all(|handler| handler.delivered == OBJECTS as u64)
    };
    let has_nothing_to_do = || {
        let queue = handle.queue().stats();
        queue.waiting + queue.dirty + queue.working == 0
    };
    let is_steady = || has_heard_of_all() && has_nothing_to_do();
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
    let Some(map) = context.lister::<ConfigMap>().get(&request) else { return Ok(Action::await_change()) };
    if context.lister::<Secret>().get(&request).is_some() {
        return Ok(Action::await_change());
    }
    context.api::<Secret>().create(&copy_of(&*map.decoded()?)?).await?;
    Ok(Action::await_change())
}
