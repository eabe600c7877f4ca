//! A port of Kubernetes' sample-controller: each `Foo` owns a Deployment.
//!
//! The controller creates the Deployment, sets its replicas to what the Foo wants, and reports the available replicas
//! in the status of the Foo. If another owner has a Deployment of that name, the Foo gets a warning event.
//!
//! Without arguments it runs a short scenario against an API server in this process. With `--cluster` it runs in the
//! cluster of your kubeconfig until Ctrl-C:
//!
//! ```sh
//! cargo run -p tidings --example sample_controller
//! cargo run -p tidings --example sample_controller -- --cluster
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it does")]
#![allow(clippy::disallowed_names, reason = "the kind is called Foo")]

#[path = "support/run.rs"]
pub(crate) mod support;

use std::time::Duration;

use anyhow::{Context as _, bail};
use futures_util::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::events::v1::Event;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::{Api, ResourceExt};
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tidings::controller::{
    Action, Child, Condition, Context, Controller, Error, Manager, NewEvent, Request, await_condition,
};
use tidings::{Key, Object, SharedInformer, SharedInformerFactory};
use tidings_apiserver::ApiServer;

use self::support::{install, run_while};

const SECONDS_10: Duration = Duration::from_secs(10);

/// What the user wants.
#[derive(CustomResource, Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "samplecontroller.example.com",
    version = "v1alpha1",
    kind = "Foo",
    namespaced,
    status = "FooStatus",
    crates(kube_core = "::kube_core")
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    /// The name of the Deployment that the Foo owns.
    pub(crate) deployment_name: String,
    /// The number of replicas of the Deployment.
    pub(crate) replicas: i32,
}

/// What the controller reports.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooStatus {
    /// The number of available replicas.
    pub(crate) available_replicas: i32,
}

/// The controller. A change of a Foo, or of a Deployment that a Foo controls, requests a reconcile of that Foo.
pub(crate) fn controller() -> Controller {
    Controller::for_kind::<Foo>("sample-controller").owns::<Deployment>().workers(2).reconcile(reconcile)
}

async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(foo) = context.get::<Foo>(&request).await? else {
        return Ok(Action::await_change()); // It was deleted, and the garbage collector deletes its Deployment.
    };
    if foo.spec.deployment_name.is_empty() {
        return Err(Error::terminal(format!("{request}: deploymentName must not be empty")));
    }
    // Sends nothing if the cache shows that nothing would change. Deletes a Deployment that has another name now.
    let wanted = deployment_of(&foo)?;
    if let Err(error) = context.apply_all(&*foo, [Child::of(&wanted)]).await {
        let warning = NewEvent::warning("ErrResourceExists", error.to_string()).related(&wanted);
        context.recorder().event(&*foo, warning);
        return Err(error);
    }
    let key = Key::new(request.namespace(), &foo.spec.deployment_name)?;
    let deployment = context.get::<Deployment>(&key).await?; // shows the apply above
    let status = deployment.as_ref().and_then(|deployment| deployment.status.as_ref());
    let available_replicas = status.and_then(|status| status.available_replicas).unwrap_or_default();
    context.status(&*foo).fields(&FooStatus { available_replicas }).write().await?; // if it changed
    context.recorder().event(&*foo, NewEvent::normal("Synced", "Foo synced successfully"));
    Ok(Action::await_change())
}

fn deployment_of(foo: &Foo) -> Result<Deployment, Error> {
    let labels = json!({ "app": "nginx", "controller": foo.name_any() });
    Ok(serde_json::from_value(json!({
        "metadata": { "name": foo.spec.deployment_name },
        "spec": {
            "replicas": foo.spec.replicas,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "nginx", "image": "nginx:latest" }] },
            },
        },
    }))?)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => {
            let server = ApiServer::start().await;
            let factory = SharedInformerFactory::new(server.client());
            install::<Foo>(factory.client()).await?;
            run_while(&factory, [controller(), fake_deployment_controller()], scenario(&factory)).await
        }
        Some("--cluster") => {
            let factory = SharedInformerFactory::try_default().await?;
            install::<Foo>(factory.client()).await?;
            println!("reconciling Foos until Ctrl-C");
            Ok(Manager::new(factory).controller(controller()).run().await?)
        }
        Some(other) => bail!("unknown argument {other}: the only one is --cluster"),
    }
}

/// Replaces the deployment controller of a real cluster: every replica is available at once.
pub(crate) fn fake_deployment_controller() -> Controller {
    Controller::for_kind::<Deployment>("deployment").reconcile(async |request: Request, context: Context| {
        let Some(deployment) = context.get::<Deployment>(&request).await? else {
            return Ok(Action::await_change());
        };
        let replicas = deployment.spec.replicas;
        let counts = json!({ "replicas": replicas, "availableReplicas": replicas });
        let (params, patch) = (PatchParams::default(), Patch::Merge(json!({ "status": counts })));
        context.api::<Deployment>().patch_status(request.name(), &params, &patch).await?;
        Ok(Action::await_change())
    })
}

/// Creates two Foos, changes them, and waits for the controller after each step.
pub(crate) async fn scenario(factory: &SharedInformerFactory) -> anyhow::Result<()> {
    let client = factory.client();
    let foos: Api<Foo> = Api::namespaced(client.clone(), "default");
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    let informer = factory.informer::<Foo>();

    println!("create a Foo with one replica");
    foos.create(&PostParams::default(), &foo("example", "example-deployment", 1)).await?;
    wait_for_available(&informer, 1).await?;

    println!("scale it to three");
    let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    foos.patch("example", &PatchParams::default(), &patch).await?;
    wait_for_available(&informer, 3).await?;

    println!("delete its Deployment");
    let uid = deployments.get("example-deployment").await?.uid().context("a uid")?;
    deployments.delete("example-deployment", &DeleteParams::default()).await?;
    let is_back = Condition::on_object("is back", move |deployment: Option<&Object<Deployment>>| {
        Ok(deployment.is_some_and(|deployment| deployment.uid() != uid))
    });
    let key = Key::parse("default/example-deployment")?;
    await_condition(&factory.informer(), &key, &is_back, SECONDS_10).await?;
    println!("  the controller has created it again");

    println!("create another Foo with the same Deployment");
    foos.create(&PostParams::default(), &foo("second", "example-deployment", 1)).await?;
    println!("  it gets a warning: {}", warning(factory).await?);
    Ok(())
}

fn foo(name: &str, deployment_name: &str, replicas: i32) -> Foo {
    Foo::new(name, FooSpec { deployment_name: deployment_name.to_owned(), replicas })
}

async fn wait_for_available(foos: &SharedInformer<Foo>, replicas: i32) -> anyhow::Result<()> {
    let status = Some(FooStatus { available_replicas: replicas });
    let condition =
        Condition::new(format!("has {replicas} available"), move |foo: &Foo| foo.status == status);
    await_condition(foos, &Key::parse("default/example")?, &condition, SECONDS_10).await?;
    println!("  its status says {replicas} available");
    Ok(())
}

/// The note of the first warning event.
async fn warning(factory: &SharedInformerFactory) -> anyhow::Result<String> {
    let events = factory.informer::<Event>();
    let mut notifications = events.notifications()?;
    let running = factory.start();
    let warning = async {
        loop {
            if let tidings::Notification::Added { object, .. } =
                notifications.next().await.context("the informer has stopped")?
                && object.field(".type")?.text().as_deref() == Some("Warning")
            {
                return anyhow::Ok(object.field(".note")?.to_string());
            }
        }
    };
    let note = tokio::time::timeout(SECONDS_10, warning).await??;
    running.shutdown().await;
    Ok(note)
}
