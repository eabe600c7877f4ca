//! Shared by the example controllers: installs a custom resource, and runs controllers during a scenario.

use std::future::Future;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{Patch, PatchParams};
use kube_client::{Api, Client};
use kube_core::CustomResourceExt;
use tidings::controller::{Condition, Controller, Manager, await_condition_on};
use tidings::{Key, SharedInformerFactory};
use tidings_test_types as _;

/// Installs the definition of a custom resource, and waits until the server accepts objects of it.
pub(crate) async fn install<K: CustomResourceExt>(client: &Client) -> anyhow::Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("tidings-example").force();
    definitions.patch(K::crd_name(), &params, &Patch::Apply(K::crd())).await?;
    let key = Key::parse(K::crd_name())?;
    await_condition_on(client, &key, &Condition::is_established(), Duration::from_secs(10)).await?;
    Ok(())
}

/// Runs the controllers until the scenario is over, then stops them in order.
pub(crate) async fn run_while(
    factory: &SharedInformerFactory,
    controllers: impl IntoIterator<Item = Controller>,
    scenario: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let manager = controllers.into_iter().fold(Manager::new(factory.clone()), Manager::controller);
    let mut result = Ok(());
    manager.run_until(async { result = scenario.await }).await?;
    result
}
