//! Workloads: Deployment with Service, StatefulSet, DaemonSet and Job, until all of their pods do what they should.

use kubernetes_tests::Built;
use serde_json::{Value, json};

use crate::differences;
use crate::objects::Objects;
use crate::scene::{Controllers, run};

const APPS: &str = "/apis/apps/v1/namespaces/default";
const CORE: &str = "/api/v1/namespaces/default";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

/// The objects that the real controllers leave behind are those of the stand-ins, but for listed differences.
pub(crate) async fn are_the_same(built: &Built) {
    let real = run(Controllers::Real(built), work).await;
    let ours = run(Controllers::StandIns, work).await;
    differences::check(&real, &ours);
}

fn workload(name: &str, spec: Value) -> Value {
    let mut object = json!({"metadata": {"name": name}, "spec": spec});
    object["spec"]["selector"] = json!({"matchLabels": {"app": name}});
    object["spec"]["template"] = json!({
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": "i:1", "ports": [{"containerPort": 80}]}]},
    });
    object
}

fn number(object: &Value, field: &str) -> i64 {
    object["status"][field].as_i64().unwrap_or(0)
}

fn is_observed(object: &Value) -> bool {
    object["status"]["observedGeneration"] == object["metadata"]["generation"]
}

/// Creates and changes workloads, and returns all objects of the namespace.
async fn work(objects: &Objects) -> Vec<Value> {
    let account = format!("{CORE}/serviceaccounts/default");
    objects.until(&account, |account| account.is_some()).await;
    deploy(objects).await;
    objects.create(&format!("{APPS}/statefulsets"), workload("db", json!({"replicas": 2}))).await;
    objects.create(&format!("{APPS}/daemonsets"), workload("agent", json!({}))).await;
    let job = json!({"metadata": {"name": "sum"}, "spec": {"completions": 2, "parallelism": 2, "template": {
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i:1"}]},
    }}});
    objects.create(JOBS, job).await;
    let is_ready = |set: &Value| is_observed(set) && number(set, "availableReplicas") == 2;
    objects.until_is(&format!("{APPS}/statefulsets/db"), is_ready).await;
    let is_ready = |set: &Value| is_observed(set) && number(set, "numberAvailable") == 2;
    objects.until_is(&format!("{APPS}/daemonsets/agent"), is_ready).await;
    let is_complete = |job: &Value| job["status"]["completionTime"].is_string();
    objects.until_is(&format!("{JOBS}/sum"), is_complete).await;
    let mut all = Vec::new();
    for list in [APPS, CORE].into_iter().flat_map(|group| {
        let plurals: &[&str] = if group == APPS {
            &["deployments", "replicasets", "statefulsets", "daemonsets", "controllerrevisions"]
        } else {
            &["pods"]
        };
        plurals.iter().map(move |plural| format!("{group}/{plural}"))
    }) {
        all.extend(objects.list(&list).await);
    }
    all.extend(objects.list(JOBS).await);
    all.extend(objects.list(SLICES).await);
    all
}

/// A Deployment becomes available, is updated and scaled, and the Service has the addresses of its pods.
async fn deploy(objects: &Objects) {
    let service =
        json!({"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}});
    objects.create(&format!("{CORE}/services"), service).await;
    objects.create(&format!("{APPS}/deployments"), workload("web", json!({"replicas": 3}))).await;
    let web = format!("{APPS}/deployments/web");
    let has = |replicas: i64| {
        move |web: &Value| {
            let counts = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"];
            is_observed(web) && counts.iter().all(|count| number(web, count) == replicas)
        }
    };
    objects.until_is(&web, has(3)).await;
    let image = json!([{"name": "main", "image": "i:2"}]);
    objects.patch(&web, json!({"spec": {"template": {"spec": {"containers": image}}}})).await;
    objects.until_is(&web, has(3)).await;
    objects.patch(&format!("{web}/scale"), json!({"spec": {"replicas": 2}})).await;
    objects.until_is(&web, has(2)).await;
    let pods = format!("{CORE}/pods?labelSelector=app%3Dweb");
    let count = |list: &Value, field: &str| list[field].as_array().map_or(0, Vec::len);
    objects.until_is(&pods, |pods| count(pods, "items") == 2).await;
    let slices = format!("{SLICES}?labelSelector=kubernetes.io%2Fservice-name%3Dweb");
    let has_both = |slices: &Value| {
        let endpoints = slices["items"][0]["endpoints"].as_array();
        endpoints.is_some_and(|endpoints| {
            endpoints.len() == 2 && endpoints.iter().all(|endpoint| endpoint["conditions"]["ready"] == true)
        })
    };
    objects.until_is(&slices, has_both).await;
}
