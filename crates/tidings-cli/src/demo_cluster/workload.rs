//! The workload of the demo cluster: scales deployments, starts pods, adds and removes nodes.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;

use super::NAMESPACE;

const DEPLOYMENTS: [&str; 4] = ["api", "cache", "web", "worker"];
const REPLICAS_MAX: u32 = 5;
const NODES_MIN: usize = 2;
const NODES_MAX: usize = 5;

/// Runs until it is dropped.
pub(crate) async fn run(server: &ApiServer, seed: u64) {
    let mut workload =
        Workload { server, rng: SmallRng::seed_from_u64(seed), nodes: Vec::new(), made_nodes: 0 };
    for _ in 0..NODES_MIN + 1 {
        workload.add_node();
    }
    workload.scale();
    loop {
        let pause = Duration::from_millis(workload.rng.random_range(30..250));
        tokio::time::sleep(pause).await;
        workload.step();
    }
}

struct Workload<'a> {
    server: &'a ApiServer,
    rng: SmallRng,
    nodes: Vec<String>,
    made_nodes: u32,
}

impl Workload<'_> {
    fn step(&mut self) {
        match self.rng.random_range(0..20) {
            0..3 => self.scale(),
            3 => self.delete_deployment(),
            4 if self.nodes.len() < NODES_MAX => self.add_node(),
            5 if self.nodes.len() > NODES_MIN => self.remove_node(),
            6..8 => self.heartbeat(),
            8 => self.finish_pod("Failed"),
            _ => self.start_pod(),
        }
    }

    /// Creates a deployment, or changes its number of replicas.
    fn scale(&mut self) {
        let name = *DEPLOYMENTS.choose(&mut self.rng).expect("there are some");
        let replicas = self.rng.random_range(1..=REPLICAS_MAX);
        if let Some(mut deployment) = self.server.object("deployments.apps", &format!("{NAMESPACE}/{name}")) {
            deployment["spec"]["replicas"] = json!(replicas);
            self.server.put("deployments.apps", deployment);
            return;
        }
        let labels = json!({ "app": name });
        self.server.put(
            "deployments.apps",
            json!({
                "metadata": { "namespace": NAMESPACE, "name": name, "labels": labels },
                "spec": {
                    "replicas": replicas,
                    "selector": { "matchLabels": labels },
                    "template": {
                        "metadata": { "labels": labels },
                        "spec": { "containers": [{ "name": name, "image": format!("registry.example/{name}:1") }] },
                    },
                },
            }),
        );
    }

    fn delete_deployment(&mut self) {
        let name = *DEPLOYMENTS.choose(&mut self.rng).expect("there are some");
        self.server.remove("deployments.apps", &format!("{NAMESPACE}/{name}"));
    }

    fn add_node(&mut self) {
        self.made_nodes += 1;
        let name = format!("node-{}", self.made_nodes);
        self.server.put("nodes", node(&name));
        self.nodes.push(name);
    }

    /// Removes a node and all pods on it.
    fn remove_node(&mut self) {
        let lost = self.rng.random_range(0..self.nodes.len());
        let lost = self.nodes.swap_remove(lost);
        self.server.remove("nodes", &lost);
        for (key, pod) in self.pods() {
            if pod["spec"]["nodeName"] == lost.as_str() {
                self.server.remove("pods", &key);
            }
        }
    }

    /// Updates the status of a node, as a kubelet's heartbeat does. This is the most frequent change in real clusters.
    fn heartbeat(&mut self) {
        let name = self.nodes.choose(&mut self.rng).expect("some are always left");
        let Some(mut node) = self.server.object("nodes", name) else { return };
        node["status"]["conditions"][0]["message"] =
            json!(format!("heartbeat {}", self.rng.random_range(1..1_000_000)));
        self.server.put("nodes", node);
    }

    /// Assigns a node to a pending pod, or starts a pod that has one.
    fn start_pod(&mut self) {
        let waiting: Vec<_> =
            self.pods().into_iter().filter(|(_, pod)| pod["status"]["phase"] != "Running").collect();
        let Some((_, pod)) = waiting.choose(&mut self.rng) else { return };
        let mut pod = pod.clone();
        if pod["spec"]["nodeName"].is_null() {
            let node = self.nodes.choose(&mut self.rng).expect("some are always left");
            pod["spec"]["nodeName"] = json!(node);
        } else {
            let ip = format!("10.0.{}.{}", self.rng.random_range(0..4), self.rng.random_range(2..250));
            pod["status"]["phase"] = json!("Running");
            pod["status"]["podIP"] = json!(ip);
        }
        self.server.put("pods", pod);
    }

    fn finish_pod(&mut self, phase: &str) {
        let pods = self.pods();
        let Some((_, pod)) = pods.choose(&mut self.rng) else { return };
        let mut pod = pod.clone();
        pod["status"]["phase"] = json!(phase);
        self.server.put("pods", pod);
    }

    fn pods(&self) -> Vec<(String, Value)> {
        let keys = self.server.list_versions("pods").into_keys();
        keys.filter_map(|key| self.server.object("pods", &key).map(|pod| (key, pod))).collect()
    }
}

fn node(name: &str) -> Value {
    json!({
        "metadata": { "name": name, "labels": { "kubernetes.io/hostname": name } },
        "status": {
            "capacity": { "cpu": "4", "memory": "16Gi", "pods": "110" },
            "conditions": [{ "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "heartbeat 0" }],
        },
    })
}
