//! The scheduler and the nodes: pods spread over nodes that fit, and wait if none does.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, Kubelet, Nodes, Scheduler};

use crate::world::{PODS, World, condition, run, s};

fn pod(name: &str, spec: Value) -> Value {
    let mut pod = json!({ "metadata": { "name": name }, "spec": spec });
    pod["spec"]["containers"] =
        json!([{ "name": "main", "image": "i", "resources": spec_requests(&pod["spec"]) }]);
    pod
}

fn spec_requests(spec: &Value) -> Value {
    match spec["cpu"].as_str() {
        Some(cpu) => json!({ "requests": { "cpu": cpu } }),
        None => json!({}),
    }
}

fn node_of(world: &World, name: &str) -> Option<String> {
    world.object("pods", name)?["spec"]["nodeName"].as_str().map(str::to_owned)
}

#[tokio::test(start_paused = true)]
async fn pods_spread_over_the_nodes_and_run() {
    run(Cluster::new().with(Nodes::new(3)).with(Scheduler).with(Kubelet::new()), async |world| {
        for number in 0..9 {
            world.create(PODS, pod(&format!("p{number}"), json!({}))).await;
        }
        world.pass(s(1)).await;
        let mut nodes: Vec<_> = (0..9).filter_map(|number| node_of(world, &format!("p{number}"))).collect();
        nodes.sort();
        let each = |node: &str| nodes.iter().filter(|other| *other == node).count();
        assert_eq!([each("node-1"), each("node-2"), each("node-3")], [3, 3, 3]);
        assert!(world.list("pods").iter().all(|pod| pod["status"]["phase"] == "Running"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_fits_nowhere_says_why_and_runs_when_a_node_comes() {
    run(Cluster::new().with(Nodes::new(2)).with(Scheduler), async |world| {
        world.create(PODS, pod("picky", json!({ "nodeSelector": { "disk": "ssd" } }))).await;
        world.pass(s(1)).await;
        let picky = world.object("pods", "picky").unwrap();
        let scheduled = condition(&picky, "PodScheduled").unwrap();
        assert_eq!(scheduled["reason"], "Unschedulable");
        let message = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
        assert_eq!(scheduled["message"], message);
        world
            .create("/api/v1/nodes", json!({ "metadata": { "name": "big", "labels": { "disk": "ssd" } } }))
            .await;
        world.until("it has a node", |world| node_of(world, "picky").as_deref() == Some("big")).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn room_that_a_pod_leaves_is_used_by_the_next() {
    run(Cluster::new().with(Nodes::new(1)).with(Scheduler).with(Kubelet::new()), async |world| {
        let mut first = pod("first", json!({ "restartPolicy": "Never" }));
        first["spec"]["containers"][0]["resources"] = json!({ "requests": { "cpu": "20" } });
        let mut second = first.clone();
        first["metadata"]["annotations"] = json!({ "tidings.dev/kubelet": "exit-after=30s" });
        second["metadata"]["name"] = json!("second");
        world.create(PODS, first).await;
        world.create(PODS, second).await;
        world.pass(s(20)).await;
        assert_eq!((node_of(world, "first").is_some(), node_of(world, "second")), (true, None));
        let waiting = world.object("pods", "second").unwrap();
        assert_eq!(
            condition(&waiting, "PodScheduled").unwrap()["message"],
            "0/1 nodes are available: 1 Insufficient cpu."
        );
        world.pass(s(20)).await;
        assert!(node_of(world, "second").is_some());
    })
    .await;
}
