//! Garbage collection: background, foreground, orphans, several owners, and owners that never were.

use serde_json::{Value, json};
use tidings_apiserver::{ApiServer, GarbageCollection};
use tidings_cluster::{Cluster, GarbageCollector};

use crate::world::{World, run, s};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn cluster() -> Cluster {
    Cluster::new().with(GarbageCollector::new())
}

async fn map(world: &World, name: &str, owners: &[&Value]) -> Value {
    let references = owners.iter().map(|owner| {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": true,
        })
    });
    let references: Value = references.collect();
    world.create(MAPS, json!({ "metadata": { "name": name, "ownerReferences": references } })).await
}

/// An owner, its dependent, and the dependent of that.
async fn chain(world: &World) {
    let owner = map(world, "owner", &[]).await;
    let child = map(world, "child", &[&owner]).await;
    map(world, "grandchild", &[&child]).await;
    world.pass(s(1)).await;
    assert_eq!(world.names("configmaps"), ["child", "grandchild", "owner"]);
}

#[tokio::test(start_paused = true)]
async fn dependents_of_a_deleted_owner_are_deleted_later() {
    run(cluster(), async |world| {
        chain(world).await;
        world.delete(&format!("{MAPS}/owner"), json!({})).await;
        assert_eq!(
            world.names("configmaps"),
            ["child", "grandchild"],
            "the deletion itself deletes one object"
        );
        world.until("all are gone", |world| world.names("configmaps").is_empty()).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_foreground_deletion_removes_the_owner_last() {
    run(cluster(), async |world| {
        chain(world).await;
        let hold = json!({ "metadata": { "finalizers": ["example.com/hold"] } });
        world.patch(&format!("{MAPS}/grandchild"), hold).await;
        world.delete(&format!("{MAPS}/owner"), json!({ "propagationPolicy": "Foreground" })).await;
        world.pass(s(60)).await;
        assert_eq!(
            world.names("configmaps"),
            ["child", "grandchild", "owner"],
            "the last dependent holds them"
        );
        for name in ["child", "owner"] {
            let map = world.object("configmaps", name).unwrap();
            assert_eq!(map["metadata"]["finalizers"], json!(["foregroundDeletion"]), "{name}");
        }
        world.patch(&format!("{MAPS}/grandchild"), json!({ "metadata": { "finalizers": null } })).await;
        world.until("all are gone", |world| world.names("configmaps").is_empty()).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn orphans_stay_and_lose_their_owner() {
    run(cluster(), async |world| {
        chain(world).await;
        world.delete(&format!("{MAPS}/owner"), json!({ "propagationPolicy": "Orphan" })).await;
        world.until("the owner is gone", |world| world.object("configmaps", "owner").is_none()).await;
        world.pass(s(60)).await;
        assert_eq!(world.names("configmaps"), ["child", "grandchild"]);
        let child = world.object("configmaps", "child").unwrap();
        assert!(child["metadata"]["ownerReferences"].as_array().is_none_or(Vec::is_empty), "{child}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_object_lives_as_long_as_one_of_its_owners() {
    run(cluster(), async |world| {
        let (one, two) = (map(world, "one", &[]).await, map(world, "two", &[]).await);
        map(world, "child", &[&one, &two]).await;
        world.delete(&format!("{MAPS}/one"), json!({ "propagationPolicy": "Foreground" })).await;
        world.until("the first owner is gone", |world| world.object("configmaps", "one").is_none()).await;
        world.pass(s(60)).await;
        let child = world.object("configmaps", "child").unwrap();
        assert_eq!(child["metadata"]["ownerReferences"].as_array().map(Vec::len), Some(1));
        world.delete(&format!("{MAPS}/two"), json!({})).await;
        world.until("the child is gone", |world| world.object("configmaps", "child").is_none()).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_is_its_uid_and_not_its_name() {
    run(cluster(), async |world| {
        map(world, "owner", &[]).await;
        let another =
            json!({ "metadata": { "name": "owner", "uid": "11111111-2222-3333-4444-555555555555" } });
        map(world, "child", &[&another]).await;
        world.until("the child is gone", |world| world.object("configmaps", "child").is_none()).await;
        assert_eq!(world.names("configmaps"), ["owner"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_object_of_an_owner_whose_kind_is_unknown_stays() {
    run(cluster(), async |world| {
        let owner = json!({ "apiVersion": "example.com/v1", "kind": "Greeting", "name": "hi", "uid": "u" });
        world.create(MAPS, json!({ "metadata": { "name": "child", "ownerReferences": [owner] } })).await;
        world.pass(s(600)).await;
        assert_eq!(world.names("configmaps"), ["child"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_object_of_the_cluster_whose_owner_is_in_a_namespace_stays() {
    run(cluster(), async |world| {
        let owner = map(world, "owner", &[]).await;
        let reference = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"],
        });
        let node = json!({ "metadata": { "name": "node", "ownerReferences": [reference] } });
        world.create("/api/v1/nodes", node).await;
        world.delete(&format!("{MAPS}/owner"), json!({})).await;
        world.pass(s(600)).await;
        assert!(
            world.server.object("nodes", "node").is_some(),
            "its owner can't be resolved, as in Kubernetes"
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_object_in_another_namespace_is_no_owner() {
    run(cluster(), async |world| {
        world.create("/api/v1/namespaces", json!({ "metadata": { "name": "other" } })).await;
        let elsewhere = "/api/v1/namespaces/other/configmaps";
        let owner = world.create(elsewhere, json!({ "metadata": { "name": "owner" } })).await;
        world.pass(s(1)).await;
        map(world, "child", &[&owner]).await;
        world.until("the child is gone", |world| world.object("configmaps", "child").is_none()).await;
    })
    .await;
}

fn greetings() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "greetings.example.com" },
        "spec": {
            "group": "example.com",
            "names": { "kind": "Greeting", "plural": "greetings", "singular": "greeting" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    })
}

/// The stand-ins read the resources of the server once, and then again when a definition changes. A definition that is
/// created in between, after the answer of the server and before the stand-ins look for changes, counts as a change.
#[tokio::test(start_paused = true)]
async fn a_definition_that_arrives_while_the_resources_are_read_is_followed() {
    let server = ApiServer::builder().garbage_collection(GarbageCollection::External).start().await;
    let world = World { client: server.client(), server };
    let cluster = Cluster::new().with(GarbageCollector::new());
    let scenario = async {
        while !world.server.requests().iter().any(|request| request.path == "/apis") {
            tokio::task::yield_now().await;
        }
        world.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", greetings()).await;
        let path = "/apis/example.com/v1/namespaces/default/greetings";
        let greeting =
            json!({ "apiVersion": "example.com/v1", "kind": "Greeting", "metadata": { "name": "hi" } });
        let owner = world.create(path, greeting).await;
        let reference = json!({
            "apiVersion": "example.com/v1", "kind": "Greeting", "name": "hi", "uid": owner["metadata"]["uid"],
        });
        world.create(MAPS, json!({ "metadata": { "name": "child", "ownerReferences": [reference] } })).await;
        world.pass(s(10)).await;
        world.delete(&format!("{path}/hi"), json!({})).await;
        world.until("the child is gone", |world| world.object("configmaps", "child").is_none()).await;
    };
    tokio::select! {
        biased;
        ended = cluster.run(world.client.clone()) => panic!("the stand-ins ended: {ended:?}"),
        () = scenario => {}
    }
}
