//! The program that informer tutorials begin with, in seven steps: client, factory, informer, handler, start,
//! wait for sync, list. It runs against an API server in its own process, so that it needs no cluster; with
//! `--cluster` it takes your kubeconfig.
//!
//! ```sh
//! cargo run -p tidings --example seven_steps
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::{Api, Client};
use tidings::{Handler, SharedInformerFactory};
use tidings_apiserver::ApiServer;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // 1. A client: your kubeconfig, or the service account of the pod this runs in.
    let on_cluster = std::env::args().any(|argument| argument == "--cluster");
    let server = ApiServer::start().await;
    let client = if on_cluster { Client::try_default().await? } else { server.client() };

    // 2. A factory, which tells every handler everything again each 30 seconds.
    let factory = SharedInformerFactory::new(client.clone()).resync(Duration::from_secs(30));

    // 3. An informer for pods. Whoever asks for it again gets the same watch and the same cache.
    let pods = factory.informer::<Pod>();

    // 4. A handler.
    let printer = pods.add_handler(
        Handler::new()
            .named("printer")
            .on_add(|pod, _is_initial| println!("[ADD] Pod {}", pod.key()))
            .on_update(|old, new| {
                let phase =
                    |pod: &tidings::Object<Pod>| pod.field(".status.phase").map(|phase| phase.to_string());
                if let (Ok(old), Ok(new_phase)) = (phase(old), phase(new)) {
                    println!("[UPDATE] Pod {} phase {old} -> {new_phase}", new.key());
                }
            })
            .on_delete(|gone| println!("[DELETE] Pod {}", gone.key())),
    )?;

    // 5. Start.
    let running = factory.start();

    // 6. Wait until the cache is filled.
    running.synced().await?;

    // 7. List from the cache: no request is made.
    println!("{} pods are cached", pods.lister().list().len());

    if !on_cluster {
        live_a_little(&client, &pods).await?;
        let pod = pods.lister().require("default/web-1")?.decoded()?;
        println!(
            "{} pod is cached; the API type is there when you ask: {:?}",
            pods.lister().len(),
            pod.metadata.name
        );
        printer.remove().await;
    } else {
        tokio::signal::ctrl_c().await?;
    }
    running.shutdown().await;
    Ok(())
}

/// Something to see: two pods come, one starts and goes.
async fn live_a_little(client: &Client, pods: &tidings::SharedInformer<Pod>) -> anyhow::Result<()> {
    let api: Api<Pod> = Api::namespaced(client.clone(), "default");
    for name in ["web-0", "web-1"] {
        let pod = serde_json::from_value(serde_json::json!({
            "metadata": { "name": name },
            "spec": { "containers": [{ "name": "web", "image": "nginx" }] },
        }))?;
        api.create(&PostParams::default(), &pod).await?;
    }
    let running = Patch::Merge(serde_json::json!({ "status": { "phase": "Running" } }));
    api.patch_status("web-0", &PatchParams::default(), &running).await?;
    let last = api.get("web-0").await?;
    api.delete("web-0", &DeleteParams::default().grace_period(0)).await?;
    let key = tidings::Key::new(Some("default"), "web-0")?;
    let uid = last.metadata.uid.unwrap_or_default();
    pods.wait_for_deletion(&key, &uid, Duration::from_secs(10)).await?;
    Ok(())
}
