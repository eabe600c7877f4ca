//! StatefulSets: order, names, claims, updates from the end, partitions.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, Kubelet, Nodes, Scheduler, StatefulSets};

use crate::world::{PODS, World, is_true, run, s, template};

const SETS: &str = "/apis/apps/v1/namespaces/default/statefulsets";

fn cluster() -> Cluster {
    Cluster::new()
        .with(StatefulSets)
        .with(Nodes::new(1))
        .with(Scheduler)
        .with(Kubelet::new().ready_after(s(5)))
}

fn set(replicas: usize, image: &str) -> Value {
    json!({
        "metadata": { "name": "db" },
        "spec": {
            "replicas": replicas,
            "serviceName": "db",
            "selector": { "matchLabels": { "app": "db" } },
            "template": template("db", image),
            "volumeClaimTemplates": [{ "metadata": { "name": "data" }, "spec": { "accessModes": ["ReadWriteOnce"] } }],
        },
    })
}

fn status(world: &World) -> Value {
    world.object("statefulsets.apps", "db").unwrap()["status"].clone()
}

fn images(world: &World) -> Vec<String> {
    let image = |pod: &Value| pod["spec"]["containers"][0]["image"].as_str().unwrap().to_owned();
    world.list("pods").iter().map(image).collect()
}

async fn complete(world: &World, replicas: i64) {
    world
        .until("it is complete", |world| {
            let (status, set) = (status(world), world.object("statefulsets.apps", "db").unwrap());
            status["observedGeneration"] == set["metadata"]["generation"]
                && status["readyReplicas"] == replicas
                && status["replicas"] == replicas
                && status["updatedReplicas"] == replicas
                && status["currentRevision"] == status["updateRevision"]
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn pods_start_in_order_each_after_the_one_before_is_ready() {
    run(cluster(), async |world| {
        world.create(SETS, set(3, "v1")).await;
        world.pass(s(1)).await;
        assert_eq!(world.names("pods"), ["db-0"]);
        world.pass(s(5)).await;
        assert_eq!(world.names("pods"), ["db-0", "db-1"]);
        complete(world, 3).await;
        assert_eq!(world.names("persistentvolumeclaims"), ["data-db-0", "data-db-1", "data-db-2"]);
        let pod = world.object("pods", "db-2").unwrap();
        assert_eq!((&pod["spec"]["hostname"], &pod["spec"]["subdomain"]), (&json!("db-2"), &json!("db")));
        assert_eq!(pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], "data-db-2");
        assert_eq!(pod["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"], "db-2");

        world.patch(&format!("{SETS}/db"), json!({ "spec": { "replicas": 1 } })).await;
        complete(world, 1).await;
        assert_eq!(world.names("pods"), ["db-0"]);
        assert_eq!(world.names("persistentvolumeclaims").len(), 3, "claims outlive their pods");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_update_replaces_the_last_pod_first_and_stops_at_the_partition() {
    run(cluster(), async |world| {
        world.create(SETS, set(3, "v1")).await;
        complete(world, 3).await;
        let change = json!({ "spec": {
            "template": template("db", "v2"),
            "updateStrategy": { "type": "RollingUpdate", "rollingUpdate": { "partition": 1 } },
        }});
        world.patch(&format!("{SETS}/db"), change).await;
        world.pass(s(2)).await;
        assert_eq!(images(world), ["v1", "v1", "v2"]);
        world.until("two are updated", |world| status(world)["updatedReplicas"] == 2).await;
        world.pass(s(60)).await;
        assert_eq!(images(world), ["v1", "v2", "v2"]);
        assert_eq!(status(world)["currentReplicas"], 1);
        world.delete(&format!("{PODS}/db-0"), json!({})).await;
        world.pass(s(20)).await;
        assert_eq!(images(world), ["v1", "v2", "v2"], "a pod below the partition keeps its revision");
        let all = json!({ "spec": { "updateStrategy": { "rollingUpdate": { "partition": 0 } } } });
        world.patch(&format!("{SETS}/db"), all).await;
        complete(world, 3).await;
        assert_eq!(images(world), ["v2", "v2", "v2"]);
        world.patch(&format!("{SETS}/db"), json!({ "spec": { "template": template("db", "v1") } })).await;
        complete(world, 3).await;
        let mut revisions: Vec<_> =
            world.list("controllerrevisions.apps").iter().map(|own| own["revision"].as_i64()).collect();
        revisions.sort();
        assert_eq!(revisions, [Some(2), Some(3)], "a template that comes back has the next number");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn parallel_pods_start_together_and_lost_ones_come_back() {
    run(cluster(), async |world| {
        let mut set = set(3, "v1");
        set["spec"]["podManagementPolicy"] = json!("Parallel");
        world.create(SETS, set).await;
        world.pass(s(1)).await;
        assert_eq!(world.names("pods"), ["db-0", "db-1", "db-2"]);
        complete(world, 3).await;
        let uid = world.object("pods", "db-1").unwrap()["metadata"]["uid"].clone();
        world.delete(&format!("{PODS}/db-1"), json!({})).await;
        world
            .until("it is back", |world| {
                world
                    .object("pods", "db-1")
                    .is_some_and(|pod| pod["metadata"]["uid"] != uid && is_true(&pod, "Ready"))
            })
            .await;
    })
    .await;
}
