//! Measures the memory of a controller that refers to 10 of 10,000 Secrets: with whole Secrets in its cache, and with
//! the metadata of all and the bodies of the referenced ones.
//!
//! ```sh
//! cargo run -p tidings-controller --example referenced_memory
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it measures")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Action, Context, Controller, Error, Reference, Request};
use tidings_factory::SharedInformerFactory;
use tidings_object::{Key, Kind as _};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const SECRETS: usize = 10_000;
const REFERENCED: usize = 10;
/// The bytes of each Secret's data, which do not compress.
const DATA_BYTES: usize = 2048;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = ApiServer::start().await;
    let mut random = SmallRng::seed_from_u64(7);
    for at in 0..SECRETS {
        let data: String = (0..DATA_BYTES).map(|_| char::from(random.random_range(b'a'..=b'z'))).collect();
        server.put("secrets", json!({ "metadata": { "name": format!("s-{at}") }, "data": { "key": data } }));
    }
    for at in 0..REFERENCED {
        let map = json!({ "metadata": { "name": format!("m-{at}") }, "data": { "ref": format!("s-{at}") } });
        server.put("configmaps", map);
    }
    let whole = Reference::<Secret>::new().at(".data.ref");
    measure("whole Secrets", &server, |builder| builder.refers_to_with(whole)).await?;
    let referenced = Reference::<Secret>::with_referenced_bodies().at(".data.ref");
    measure("metadata and referenced bodies", &server, |builder| builder.refers_to_with(referenced)).await?;
    Ok(())
}

async fn measure(
    name: &str,
    server: &ApiServer,
    with: impl FnOnce(
        tidings_controller::ControllerBuilder<ConfigMap>,
    ) -> tidings_controller::ControllerBuilder<ConfigMap>,
) -> Result<(), Box<dyn std::error::Error>> {
    let factory = SharedInformerFactory::new(server.client());
    let (read, bodies) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, bytes) = (Arc::clone(&read), Arc::clone(&bodies));
    let controller = with(Controller::for_kind::<ConfigMap>("memory")).reconcile(
        move |request: Request, context: Context| {
            let (counted, bytes) = (Arc::clone(&counted), Arc::clone(&bytes));
            async move {
                let key = Key::new(request.namespace(), &request.name().replace("m-", "s-"))?;
                let secret = context.get::<Secret>(&key).await?.ok_or("it exists")?;
                bytes.fetch_add(serde_json::to_vec(&*secret)?.len(), Ordering::Relaxed);
                counted.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Error>(Action::await_change())
            }
        },
    );
    let (_, task) = controller.attach(&factory)?;
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    tasks.spawn(task.run(stop.clone()));
    let running = factory.start();
    while read.load(Ordering::Relaxed) < REFERENCED {
        tokio::task::yield_now().await;
    }
    let stats = factory
        .stats()
        .into_iter()
        .find(|stats| stats.resource == Secret::resource())
        .ok_or("no informer")?;
    let cache = stats.memory.object_bytes + stats.memory.index_bytes;
    println!(
        "{name}: cache {:.1} MB for {} objects; the {REFERENCED} bodies as JSON: {} kB",
        cache as f64 / 1e6,
        stats.objects,
        bodies.load(Ordering::Relaxed) / 1000
    );
    stop.cancel();
    tasks.join_all().await;
    running.shutdown().await;
    Ok(())
}
