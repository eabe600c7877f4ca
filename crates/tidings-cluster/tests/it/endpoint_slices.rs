//! EndpointSlices: which pods of a Service they contain, with which ports and conditions.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, EndpointSlices, Kubelet};

use crate::world::{PODS, World, run, s};

const SERVICES: &str = "/api/v1/namespaces/default/services";

fn pod(name: &str, script: &str) -> Value {
    json!({
        "metadata": { "name": name, "labels": { "app": "web" }, "annotations": { "tidings.dev/kubelet": script } },
        "spec": {
            "nodeName": "node-1",
            "containers": [{ "name": "main", "image": "i", "ports": [{ "name": "http", "containerPort": 8080 }] }],
        },
    })
}

/// Name of the pod, and whether it is ready and serving, of each endpoint.
fn endpoints(world: &World) -> Vec<(String, bool, bool)> {
    let slices = world.list("endpointslices.discovery.k8s.io");
    let endpoints =
        slices.iter().flat_map(|slice| slice["endpoints"].as_array().cloned().unwrap_or_default());
    let mut found: Vec<_> = endpoints
        .map(|endpoint| {
            let conditions = &endpoint["conditions"];
            let is = |field: &str| conditions[field].as_bool().unwrap();
            (endpoint["targetRef"]["name"].as_str().unwrap().to_owned(), is("ready"), is("serving"))
        })
        .collect();
    found.sort();
    found
}

#[tokio::test(start_paused = true)]
async fn a_service_has_the_addresses_of_its_pods() {
    run(Cluster::new().with(EndpointSlices).with(Kubelet::new()), async |world| {
        let ports = json!([{ "name": "web", "port": 80, "targetPort": "http" }]);
        let spec = json!({ "selector": { "app": "web" }, "ports": ports });
        world.create(SERVICES, json!({ "metadata": { "name": "web" }, "spec": spec })).await;
        world.pass(s(1)).await;
        assert_eq!(endpoints(world), [], "an empty slice shows that there are none");
        assert_eq!(world.list("endpointslices.discovery.k8s.io").len(), 1);
        world.create(PODS, pod("a", "")).await;
        world.create(PODS, pod("b", "ready-after=10s,stop-after=5s")).await;
        world.pass(s(1)).await;
        assert_eq!(endpoints(world), [("a".to_owned(), true, true), ("b".to_owned(), false, false)]);
        let slice = &world.list("endpointslices.discovery.k8s.io")[0];
        assert_eq!(slice["ports"], json!([{ "name": "web", "port": 8080, "protocol": "TCP" }]));
        assert_eq!(slice["metadata"]["labels"]["kubernetes.io/service-name"], "web");
        let address = &world.object("pods", "a").unwrap()["status"]["podIP"];
        assert!(
            slice["endpoints"].as_array().unwrap().iter().any(|own| own["addresses"] == json!([address]))
        );
        world.pass(s(10)).await;
        world.delete(&format!("{PODS}/b"), json!({})).await;
        world.pass(s(1)).await;
        assert_eq!(endpoints(world), [("a".to_owned(), true, true), ("b".to_owned(), false, true)]);
        world.pass(s(10)).await;
        assert_eq!(endpoints(world), [("a".to_owned(), true, true)]);
        let version = world.server.version();
        world.pass(s(600)).await;
        assert_eq!(world.server.version(), version, "nothing writes any more");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn many_pods_need_several_slices() {
    run(Cluster::new().with(EndpointSlices).with(Kubelet::new()), async |world| {
        for number in 0..150 {
            world.create(PODS, pod(&format!("p{number}"), "")).await;
        }
        let spec = json!({ "selector": { "app": "web" }, "ports": [{ "port": 80 }] });
        world.create(SERVICES, json!({ "metadata": { "name": "web" }, "spec": spec })).await;
        world.until("all are listed", |world| endpoints(world).len() == 150).await;
        world.pass(s(1)).await;
        let slices = world.list("endpointslices.discovery.k8s.io");
        let mut sizes: Vec<_> = slices.iter().map(|own| own["endpoints"].as_array().unwrap().len()).collect();
        sizes.sort();
        assert_eq!(sizes, [50, 100]);
    })
    .await;
}
