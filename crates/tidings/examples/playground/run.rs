//! What the example controllers share: telling the server of a kind, and running controllers while something happens.

use std::future::Future;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{Patch, PatchParams};
use kube_client::{Api, Client};
use kube_core::CustomResourceExt;
use tidings::controller::Controller;
use tidings::controller::condition::{await_condition_on, is_established};
use tidings::{Key, SharedInformerFactory};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Tells the server of a custom kind, and waits until it takes objects of it.
pub(crate) async fn install<K: CustomResourceExt>(client: &Client) -> anyhow::Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("tidings-example").force();
    definitions.patch(K::crd_name(), &params, &Patch::Apply(K::crd())).await?;
    let key = Key::parse(K::crd_name())?;
    await_condition_on(client, &key, &is_established(), Duration::from_secs(10)).await?;
    Ok(())
}

/// Runs controllers until something else has ended, then lets them finish what they do.
pub(crate) async fn run_while(
    factory: &SharedInformerFactory,
    controllers: Vec<Controller>,
    story: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let (stop, abandon) = (CancellationToken::new(), CancellationToken::new());
    let mut tasks = JoinSet::new();
    for controller in controllers {
        let (_, task) = controller.attach(factory)?;
        tasks.spawn(task.run(stop.clone(), abandon.clone()));
    }
    let running = factory.start();
    let ended = story.await;
    stop.cancel();
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    running.shutdown().await;
    ended
}
