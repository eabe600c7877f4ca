//! A plan gives the same execution in every process: hashes have another seed in each, and so have tokio's random choices
//! in each runtime. The cluster has many controllers over the same caches, so that an order that is not determined shows.

use std::process::Command;
use std::sync::OnceLock;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube_client::api::{DeleteParams, Patch, PatchParams};
use tidings::Kind as _;
use tidings::controller::set_controller;
use tidings_apiserver::{GarbageCollection, Kubelet as ServerKubelet};
use tidings_cluster::{Clock, Cluster, Deployments, GarbageCollector, Kubelet, Nodes, Scheduler};

use super::*;

/// In a child process: print the timelines.
const IS_CHILD: &str = "TIDINGS_SIM_PRINTS_TIMELINES";
const TEST: &str = "execution::tests::repeats::a_plan_gives_the_same_timeline_in_every_process_and_thread";
const BEGIN: &str = "--- timelines";
const END: &str = "--- end of timelines";

const PLANS: [&str; 6] = [
    "none",
    "crash-after:cluster:6,order:5",
    "crash-before:app:2,stale:cluster:replicasets.apps:1:20",
    "lost:cluster:4,skip:cluster:pods:2,hurry:2",
    "rewind:cluster:9:30",
    "two-leaders:cluster:5,edit:1:/data/replicas",
];

/// Gives each config map with replicas a Deployment and a Secret.
async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(map) = context.get::<ConfigMap>(&request).await? else { return Ok(Action::await_change()) };
    let replicas = map.data.as_ref().and_then(|data| data.get("replicas")?.parse::<u32>().ok());
    let Some(replicas) = replicas else { return Ok(Action::await_change()) };
    let metadata = json!({ "name": request.name(), "namespace": "default" });
    let labels = json!({ "app": request.name() });
    let container = json!({ "name": "main", "image": "web" });
    let mut deployment: Deployment = from_value(json!({
        "metadata": metadata,
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": { "containers": [container] } },
        },
    }))?;
    let mut secret: Secret = from_value(json!({ "metadata": metadata }))?;
    set_controller(&mut deployment, &*map)?;
    set_controller(&mut secret, &*map)?;
    context.api::<Deployment>().apply("app", &deployment).await?;
    context.api::<Secret>().apply("app", &secret).await?;
    Ok(Action::await_change())
}

fn whole_cluster() -> Sim {
    let mut sim = Sim::new();
    sim.server(|server| {
        server.garbage_collection(GarbageCollection::External).kubelet(ServerKubelet::Absent)
    });
    sim.without(Rule::SameFinalState, "only the timelines are compared");
    sim.without(Rule::NoLeftovers, "nodes stay");
    let clock = Arc::new(OnceLock::new());
    sim.process("cluster", move |factory| {
        let start = || Clock::starting_at("2026-01-01T00:00:00Z".parse().expect("a time"));
        let clock: &Clock = clock.get_or_init(start);
        let kinds = [
            ConfigMap::resource(),
            Secret::resource(),
            Deployment::resource(),
            ReplicaSet::resource(),
            Pod::resource(),
            Node::resource(),
        ];
        let cluster =
            Cluster::new().with(Deployments).with(GarbageCollector::only(kinds)).with(Nodes::new(2));
        cluster.with(Scheduler).with(Kubelet::new()).clock(clock.clone()).manager(factory)
    });
    sim.controller(|_| {
        let builder = Controller::for_kind::<ConfigMap>("app").owns::<Deployment>().owns::<Secret>();
        builder.workers(2).reconcile(reconcile)
    });
    sim.scenario(|client| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for name in ["one", "two"] {
            let map = json!({ "metadata": { "name": name }, "data": { "replicas": "2" } });
            maps.create(&PostParams::default(), &from_value(map).expect("a map")).await?;
        }
        let patch = Patch::Merge(json!({ "data": { "replicas": "3" } }));
        maps.patch("one", &PatchParams::default(), &patch).await?;
        maps.delete("one", &DeleteParams::default()).await.map(drop)
    });
    sim
}

/// The timelines of all plans, one after the other.
fn timelines() -> String {
    let mut all = String::new();
    for plan in PLANS {
        let outcome = execute(whole_cluster(), plan.parse().expect("it is a plan"), 5_000, Arc::default());
        let faults = if plan == "none" { 0 } else { plan.split(',').count() };
        assert_eq!((outcome.injected, outcome.violation), (faults, None), "{plan}");
        assert!(outcome.timeline.len() > 100, "{plan}");
        all.push_str(&format!("{plan}\n{}\n", outcome.timeline.join("\n")));
    }
    all
}

/// The timelines that this test prints in a process of its own.
fn timelines_of_a_child() -> String {
    let program = std::env::current_exe().expect("a test knows its program");
    let output = Command::new(program).args(["--exact", TEST, "--nocapture"]).env(IS_CHILD, "yes").output();
    let output = output.expect("a test can start its program");
    let text = String::from_utf8(output.stdout).expect("it prints text");
    let (_, printed) = text.split_once(BEGIN).unwrap_or_else(|| panic!("{text}"));
    let (printed, _) = printed.split_once(END).unwrap_or_else(|| panic!("{text}"));
    printed.trim_start().to_owned()
}

/// Says where two texts differ first.
fn assert_same(one: &str, other: &str, which: &str) {
    let different = one.lines().zip(other.lines()).position(|(one, other)| one != other);
    if let Some(at) = different {
        let around =
            |text: &str| text.lines().skip(at.saturating_sub(8)).take(12).collect::<Vec<_>>().join("\n");
        panic!("{which}: line {at} differs\n{}\n--- and\n{}", around(one), around(other));
    }
    assert_eq!(one.lines().count(), other.lines().count(), "{which}");
}

// holds: Y1
#[test]
#[allow(clippy::print_stdout, reason = "the parent process reads it")]
fn a_plan_gives_the_same_timeline_in_every_process_and_thread() {
    let own = timelines();
    if std::env::var_os(IS_CHILD).is_some() {
        println!("{BEGIN}\n{own}{END}");
        return;
    }
    let other = std::thread::spawn(timelines).join().expect("it has timelines");
    assert_same(&own, &other, "another thread");
    for _ in 0..2 {
        assert_same(&own, &timelines_of_a_child(), "another process");
    }
}
