//! Whole clusters: they become quiet, and two runs with the same seed do the same.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, Kubelet, Nodes};

use crate::world::{DEPLOYMENTS, World, deployment, run, s, template};

const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

fn job() -> Value {
    json!({
        "metadata": { "name": "sum" },
        "spec": {
            "completions": 4,
            "parallelism": 2,
            "template": {
                "metadata": { "annotations": { "tidings.dev/kubelet": "exit-after=3s,fail-rate=0.3" } },
                "spec": { "restartPolicy": "Never", "containers": [{ "name": "main", "image": "i" }] },
            },
        },
    })
}

/// One object of each kind that a stand-in looks after.
async fn fill(world: &World) {
    world.create(DEPLOYMENTS, deployment("web", 3, "v1")).await;
    world.create(JOBS, job()).await;
    let selector = json!({ "matchLabels": { "app": "db" } });
    let set = json!({
        "metadata": { "name": "db" },
        "spec": { "replicas": 2, "serviceName": "db", "selector": selector, "template": template("db", "v1") },
    });
    world.create("/apis/apps/v1/namespaces/default/statefulsets", set).await;
    let selector = json!({ "matchLabels": { "app": "agent" } });
    let set = json!({
        "metadata": { "name": "agent" },
        "spec": { "selector": selector, "template": template("agent", "v1") },
    });
    world.create("/apis/apps/v1/namespaces/default/daemonsets", set).await;
    let service = json!({
        "metadata": { "name": "web" },
        "spec": { "selector": { "app": "web" }, "ports": [{ "port": 80 }] },
    });
    world.create("/api/v1/namespaces/default/services", service).await;
}

#[tokio::test(start_paused = true)]
async fn a_complete_cluster_becomes_quiet() {
    let cluster = Cluster::complete().with(Nodes::new(2)).with(Kubelet::new().ready_after(s(1)));
    run(cluster, async |world| {
        fill(world).await;
        world.pass(s(900)).await;
        assert_eq!(world.object("jobs.batch", "sum").unwrap()["status"]["succeeded"], 4);
        let version = world.server.version();
        world.pass(s(3600)).await;
        assert_eq!(world.server.version(), version, "{:?}", world.server.requests().last());
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_writes() {
    let writes = async || {
        let mut writes = Vec::new();
        let cluster = Cluster::complete().with(Nodes::new(2)).seed(7);
        run(cluster, async |world| {
            fill(world).await;
            world.pass(s(120)).await;
            let requests = world.server.requests().into_iter().filter(|request| request.method != "GET");
            writes = requests
                .map(|request| format!("{} {} {:?}", request.method, request.path, request.code))
                .collect();
        })
        .await;
        writes
    };
    let (one, two) = (writes().await, writes().await);
    assert!(one.len() > 50, "{one:#?}");
    assert_eq!(one, two);
}
