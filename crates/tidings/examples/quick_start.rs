//! The shortest tour: an informer with an index and a handler, and reads that decode only what the program looks at.
//!
//! ```sh
//! cargo run -p tidings --example quick_start
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings::{Handler, Index, SharedInformerFactory};
use tidings_apiserver::ApiServer;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // An API server in this process replaces a cluster. For a real one use
    // `SharedInformerFactory::try_default().await?`, which reads your kubeconfig, or the service account of the pod
    // that the program runs in.
    let server = ApiServer::start().await;
    for (name, node) in [("web-0", "node-1"), ("web-1", "node-2"), ("db-0", "node-1")] {
        server.put(
            "pods",
            serde_json::json!({
                "metadata": { "namespace": "default", "name": name },
                "spec": { "nodeName": node, "containers": [{ "name": "main", "image": "nginx" }] },
                "status": { "phase": "Running" },
            }),
        );
    }

    let factory = SharedInformerFactory::builder(server.client()).resync(Duration::from_secs(30)).build();
    let pods = factory.informer::<Pod>(); // a second call returns the same informer
    pods.add_index(Index::field("node", ".spec.nodeName"))?; // reads the field from the JSON bytes
    pods.add_handler(
        Handler::new()
            .on_add(|pod, _is_initial| println!("[ADD] Pod {}", pod.key()))
            .on_update(|old, new| {
                println!("[UPDATE] Pod {} {:?} -> {:?}", new.key(), old.version(), new.version())
            })
            .on_delete(|pod| println!("[DELETE] Pod {}", pod.key())),
    )?;

    let running = factory.start(); // owns the tasks of all informers
    running.synced().await?; // the error names the informers that did not sync, and why

    let on_node_1 = pods.lister().by_index("node", "node-1")?; // decodes nothing
    println!("on node-1: {:?}", on_node_1.iter().map(|pod| pod.name()).collect::<Vec<_>>());

    let phase = on_node_1[0].field(".status.phase")?; // reads one field from the bytes
    println!("its phase: {phase}");

    let pod: Arc<Pod> = pods.lister().require("default/web-0")?.decoded()?; // decodes the pod
    println!("its image: {:?}", pod.spec.as_ref().and_then(|spec| spec.containers[0].image.as_deref()));

    running.shutdown().await;
    Ok(())
}
