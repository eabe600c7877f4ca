//! DaemonSets: one pod on each node that accepts it, also on new nodes, and updates node by node.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, DaemonSets, Kubelet, Nodes, Scheduler};

use crate::world::{World, run, s, template};

const SETS: &str = "/apis/apps/v1/namespaces/default/daemonsets";

fn cluster() -> Cluster {
    Cluster::new().with(DaemonSets).with(Nodes::new(3)).with(Scheduler).with(Kubelet::new().ready_after(s(5)))
}

fn set(image: &str) -> Value {
    json!({
        "metadata": { "name": "agent" },
        "spec": { "selector": { "matchLabels": { "app": "agent" } }, "template": template("agent", image) },
    })
}

/// The node and the image of each pod, sorted.
fn pods(world: &World) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pods = world.list("pods").into_iter().filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
    let mut found: Vec<_> = pods
        .map(|pod| (text(&pod["spec"]["nodeName"]), text(&pod["spec"]["containers"][0]["image"])))
        .collect();
    found.sort();
    found
}

fn on(nodes: &[&str], image: &str) -> Vec<(String, String)> {
    nodes.iter().map(|node| ((*node).to_owned(), image.to_owned())).collect()
}

fn status(world: &World) -> Value {
    world.object("daemonsets.apps", "agent").unwrap()["status"].clone()
}

#[tokio::test(start_paused = true)]
async fn every_node_that_accepts_it_has_one_pod() {
    run(cluster(), async |world| {
        let tainted = json!({
            "metadata": { "name": "tainted" },
            "spec": { "taints": [{ "key": "gpu", "effect": "NoSchedule" }] },
        });
        world.create("/api/v1/nodes", tainted).await;
        world.create(SETS, set("v1")).await;
        world.until("three are available", |world| status(world)["numberAvailable"] == 3).await;
        assert_eq!(pods(world), on(&["node-1", "node-2", "node-3"], "v1"));
        assert_eq!(status(world)["desiredNumberScheduled"], 3);
        world.create("/api/v1/nodes", json!({ "metadata": { "name": "node-4" } })).await;
        world.until("four are available", |world| status(world)["numberAvailable"] == 4).await;
        world.patch("/api/v1/nodes/tainted", json!({ "spec": { "taints": null } })).await;
        world.until("five are available", |world| status(world)["numberAvailable"] == 5).await;
        let only = json!({ "spec": { "template": { "spec": { "nodeSelector": { "kubernetes.io/hostname": "node-2" } } } } });
        world.patch(&format!("{SETS}/agent"), only).await;
        world.until("one is left", |world| pods(world) == on(&["node-2"], "v1") && status(world)["numberAvailable"] == 1).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_update_replaces_one_pod_at_a_time() {
    run(cluster(), async |world| {
        world.create(SETS, set("v1")).await;
        world.until("three are available", |world| status(world)["numberAvailable"] == 3).await;
        world
            .patch(&format!("{SETS}/agent"), json!({ "spec": { "template": template("agent", "v2") } }))
            .await;
        for _ in 0..400 {
            assert!(status(world)["numberAvailable"].as_i64() >= Some(2), "{}", status(world));
            world.pass(std::time::Duration::from_millis(50)).await;
        }
        world.until("all are updated", |world| status(world)["updatedNumberScheduled"] == 3).await;
        assert_eq!(pods(world), on(&["node-1", "node-2", "node-3"], "v2"));
    })
    .await;
}
