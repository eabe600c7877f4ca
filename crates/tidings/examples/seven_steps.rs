//! The first program of many informer tutorials, in seven steps: client, factory, informer, handler, start, wait for
//! sync, list. It runs against an API server in this process and needs no cluster. With `--cluster` it uses your
//! kubeconfig.
//!
//! ```sh
//! cargo run -p tidings --example seven_steps
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::{Api, Client};
use tidings::{Handler, SharedInformerFactory};
use tidings_apiserver::ApiServer;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // 1. Create a client: from your kubeconfig, or from the service account of the pod that the program runs in.
    let on_cluster = std::env::args().any(|argument| argument == "--cluster");
    let server = ApiServer::start().await;
    let client = if on_cluster { Client::try_default().await? } else { server.client() };

    // 2. Create a factory. Every 30 seconds it delivers all objects to each handler again (a resync).
    let factory = SharedInformerFactory::builder(client.clone()).resync(Duration::from_secs(30)).build();

    // 3. Create an informer for pods. Further calls return the same informer, with one watch and one cache.
    let pods = factory.informer::<Pod>();

    // 4. Add a handler.
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
            .on_delete(|pod| println!("[DELETE] Pod {}", pod.key())),
    )?;

    // 5. Start the informers.
    let running = factory.start();

    // 6. Wait until the cache contains all pods.
    running.synced().await?;

    // 7. List from the cache. This sends no request to the server.
    println!("{} pods are cached", pods.lister().list().len());

    if !on_cluster {
        make_changes(&client, &pods).await?;
        let pod = pods.lister().require("default/web-1")?.decoded()?;
        println!(
            "{} pod is cached; its decoded form has the name {:?}",
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

/// Creates two pods, starts one of them and deletes it.
async fn make_changes(client: &Client, pods: &tidings::SharedInformer<Pod>) -> anyhow::Result<()> {
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
