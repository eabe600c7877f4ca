//! Deleted namespaces: their content goes first, and finalizers hold both.

use serde_json::json;
use tidings_cluster::{Cluster, Deployments, GarbageCollector, Kubelet, Namespaces, Nodes, Scheduler};

use crate::world::{condition, deployment, run, s};

#[tokio::test(start_paused = true)]
async fn a_deleted_namespace_empties_itself_and_goes() {
    let cluster = Cluster::new()
        .with(Namespaces)
        .with(GarbageCollector::new())
        .with(Deployments)
        .with(Nodes::new(1))
        .with(Scheduler)
        .with(Kubelet::new());
    run(cluster, async |world| {
        world.create("/api/v1/namespaces", json!({ "metadata": { "name": "shop" } })).await;
        let maps = "/api/v1/namespaces/shop/configmaps";
        world
            .create(maps, json!({ "metadata": { "name": "held", "finalizers": ["example.com/hold"] } }))
            .await;
        world.create("/apis/apps/v1/namespaces/shop/deployments", deployment("web", 2, "v1")).await;
        world
            .until("pods run", |world| {
                let pods = world.server.list_versions("pods").into_keys();
                let phase =
                    |key: String| world.server.object("pods", &key).unwrap()["status"]["phase"].clone();
                pods.map(phase).filter(|phase| phase == "Running").count() == 2
            })
            .await;
        world.delete("/api/v1/namespaces/shop", json!({})).await;
        world.pass(s(60)).await;
        let shop = world.server.object("namespaces", "shop").expect("its content holds it");
        assert_eq!(shop["status"]["phase"], "Terminating");
        let held = condition(&shop, "NamespaceFinalizersRemaining").unwrap();
        assert_eq!((&held["status"], &held["reason"]), (&json!("True"), &json!("SomeFinalizersRemain")));
        assert!(world.server.list_versions("pods").is_empty(), "the rest is gone already");
        world.patch(&format!("{maps}/held"), json!({ "metadata": { "finalizers": null } })).await;
        world
            .until("the namespace is gone", |world| world.server.object("namespaces", "shop").is_none())
            .await;
    })
    .await;
}
