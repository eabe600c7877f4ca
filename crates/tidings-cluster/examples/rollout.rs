//! A rolling update in a cluster that is one process: API server, controllers, scheduler and kubelet.
//!
//! Time is paused, so that the minutes of the rollout take milliseconds. Each line shows the ReplicaSets after a
//! change.
//!
//! ```sh
//! cargo run -p tidings-cluster --example rollout
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{from_value, json};
use tidings::controller::{Condition, await_condition_on};
use tidings::{Key, SharedInformerFactory};
use tidings_apiserver::{ApiServer, GarbageCollection, Kubelet as ServerKubelet};
use tidings_cluster::{Cluster, Deployments, GarbageCollector, Kubelet, Nodes, Scheduler};
use tokio::time::Instant;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let server = ApiServer::builder()
        .garbage_collection(GarbageCollection::External)
        .kubelet(ServerKubelet::Absent)
        .start()
        .await;
    let cluster = Cluster::new()
        .with(Deployments)
        .with(GarbageCollector::new())
        .with(Nodes::new(3))
        .with(Scheduler)
        .with(Kubelet::new().start_after(Duration::from_secs(2)).ready_after(Duration::from_secs(5)));
    let factory = SharedInformerFactory::new(server.client());
    let mut result = Ok(());
    cluster.manager(factory.clone()).run_until(async { result = scenario(&factory).await }).await?;
    result
}

async fn scenario(factory: &SharedInformerFactory) -> anyhow::Result<()> {
    let deployments: Api<Deployment> = Api::default_namespaced(factory.client().clone());
    println!("create a Deployment of four pods");
    deployments.create(&PostParams::default(), &from_value(web("v1"))?).await?;
    follow(factory, Condition::is_complete()).await?;

    println!("change its image");
    let patch = Patch::Merge(web("v2"));
    deployments.patch("web", &PatchParams::default(), &patch).await?;
    follow(factory, Condition::is_complete()).await?;

    println!("delete it");
    let deleted = deployments.delete("web", &DeleteParams::foreground()).await?;
    let uid = deleted.left().and_then(|deployment| deployment.metadata.uid).unwrap_or_default();
    follow(factory, Condition::is_deleted(uid)).await
}

/// Prints the ReplicaSets whenever one changes, until the condition holds.
async fn follow(factory: &SharedInformerFactory, until: Condition<Deployment>) -> anyhow::Result<()> {
    let sets = factory.informer::<ReplicaSet>();
    let mut changes = sets.notifications()?;
    let started = Instant::now();
    let key = Key::parse("default/web")?;
    let mut done = std::pin::pin!(await_condition_on(factory.client(), &key, &until, HOUR));
    let mut last = String::new();
    loop {
        tokio::select! {
            result = &mut done => return Ok(result.map(|_| ())?),
            Some(_) = changes.next() => {}
        }
        let mut line = Vec::new();
        for set in sets.lister().list() {
            let set: serde_json::Value = set.view()?;
            let image =
                set["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap_or_default();
            let ready = set["status"]["readyReplicas"].as_i64().unwrap_or(0);
            line.push(format!("{image}: {ready} of {} ready", set["spec"]["replicas"]));
        }
        line.sort();
        let line = line.join(", ");
        if line != last {
            println!("  {:>4.1} s  {line}", started.elapsed().as_secs_f64());
        }
        last = line;
    }
}

fn web(image: &str) -> serde_json::Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 4,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": image }] },
            },
        },
    })
}
