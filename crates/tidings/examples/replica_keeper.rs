//! A controller in the manner of ReplicaSets: each `Keeper` keeps so many pods.
//!
//! Missing pods are created, surplus ones deleted, and pods that carry its label and belong to nobody are adopted. It
//! writes through `context.api`, so that the next reconcile of a Keeper sees what the last one wrote: no pod is created
//! twice because the cache was late. Without arguments a short story is told over an API server in the process; with
//! `--cluster` it works in the cluster of your kubeconfig until Ctrl-C:
//!
//! ```sh
//! cargo run -p tidings --example replica_keeper
//! cargo run -p tidings --example replica_keeper -- --cluster
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

#[path = "playground/run.rs"]
pub(crate) mod playground;

use std::time::Duration;

use anyhow::bail;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube_client::{Api, ResourceExt};
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{from_value, json};
use tidings::controller::{
    Action, Condition, Context, Controller, Error, Manager, NewEvent, Request, adoption_patch,
    await_condition, set_controller,
};
use tidings::{Key, LabelSelector, Notification, Object, SharedInformerFactory};
use tidings_apiserver::ApiServer;
use tokio::time::timeout;

use self::playground::{install, run_while};

/// The label by which a pod says which Keeper of its namespace shall keep it.
pub(crate) const LABEL: &str = "tidings.example/keeper";
const SECONDS_10: Duration = Duration::from_secs(10);
/// Pods that one reconcile creates or deletes at the most; the next goes on.
const PODS_AT_ONCE: usize = 100;

/// What people write: so many pods of an image.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "tidings.example",
    version = "v1",
    kind = "Keeper",
    namespaced,
    status = "KeeperStatus",
    crates(kube_core = "::kube_core")
)]
pub(crate) struct KeeperSpec {
    /// How many pods there shall be.
    pub(crate) replicas: usize,
    /// What they run.
    pub(crate) image: String,
}

/// What the controller writes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct KeeperStatus {
    /// How many pods there are.
    pub(crate) replicas: usize,
}

/// The controller. A pod asks for the Keeper that controls it, or for the one whose label it carries.
pub(crate) fn controller() -> Controller {
    Controller::for_kind::<Keeper>("replica-keeper")
        .owns::<Pod>()
        .watches::<Pod>(keeper_of_orphan)
        .workers(2)
        .reconcile(reconcile)
}

fn keeper_of_orphan(change: &Notification<Pod>) -> Vec<Request> {
    let orphans = change.objects().filter(|pod| pod.controller_uid().is_none());
    orphans.filter_map(|pod| Request::new(pod.namespace(), pod.labels().value(LABEL)?).ok()).collect()
}

async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(keeper) = context.get::<Keeper>(&request).await? else {
        return Ok(Action::await_change()); // It was deleted, and the garbage collector deletes its pods.
    };
    if keeper.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let uid = keeper.uid().unwrap_or_default();
    let labelled = LabelSelector::parse(&format!("{LABEL}={}", keeper.name_any()))?;
    let pods = context.lister::<Pod>().namespace(request.namespace().unwrap_or_default()).select(&labelled);
    let (orphans, owned): (Vec<_>, Vec<_>) =
        pods.into_iter().filter(is_active).partition(|pod| pod.controller_uid().is_none());
    if !orphans.is_empty() {
        return adopt(&context, &keeper, orphans).await;
    }
    let owned: Vec<_> = owned.into_iter().filter(|pod| pod.controller_uid() == Some(&uid)).collect();
    let (has, wants) = (owned.len(), keeper.spec.replicas);
    keep_status(&context, &keeper, has).await?;
    if has < wants {
        create(&context, &keeper, (wants - has).min(PODS_AT_ONCE)).await?;
    } else if has > wants {
        delete(&context, &keeper, owned, has - wants).await?;
    }
    Ok(Action::await_change()) // What was written brings the request back.
}

/// Neither ended nor about to.
fn is_active(pod: &Object<Pod>) -> bool {
    let phase = pod.field(".status.phase").map(|phase| phase.to_string()).unwrap_or_default();
    pod.deletion_timestamp().is_none() && phase != "Succeeded" && phase != "Failed"
}

/// Becomes the controller of pods that have none. The cache may be late: a Keeper that is gone adopts nothing.
async fn adopt(context: &Context, keeper: &Keeper, orphans: Vec<Object<Pod>>) -> Result<Action, Error> {
    let keepers: Api<Keeper> =
        Api::namespaced(context.client().clone(), &keeper.namespace().unwrap_or_default());
    let fresh = keepers.get_opt(&keeper.name_any()).await?.filter(|fresh| fresh.uid() == keeper.uid());
    let Some(fresh) = fresh.filter(|fresh| fresh.metadata.deletion_timestamp.is_none()) else {
        return Ok(Action::await_change());
    };
    for orphan in orphans {
        let patch = adoption_patch(&*orphan.decoded()?, &fresh)?;
        let pod = context.api::<Pod>().patch(orphan.name(), &PatchParams::default(), &patch).await?;
        let note = format!("adopted pod {}", pod.name());
        context.recorder().event(keeper, NewEvent::normal("Adopted", note).related(&pod.decoded()?));
    }
    Ok(Action::await_change())
}

async fn create(context: &Context, keeper: &Keeper, count: usize) -> Result<(), Error> {
    let mut pod: Pod = from_value(json!({
        "metadata": {
            "generateName": format!("{}-", keeper.name_any()),
            "namespace": keeper.namespace(),
            "labels": { LABEL: keeper.name_any() },
        },
        "spec": { "containers": [{ "name": "main", "image": keeper.spec.image }] },
    }))?;
    set_controller(&mut pod, keeper)?;
    let pods = context.api::<Pod>();
    try_join_all((0..count).map(|_| pods.create(&pod))).await?;
    let note = format!("created {count} pods");
    context.recorder().event(keeper, NewEvent::normal("Created", note));
    Ok(())
}

/// Deletes those that run least and are youngest, each only if it still is the one that was seen.
async fn delete(
    context: &Context,
    keeper: &Keeper,
    mut pods: Vec<Object<Pod>>,
    surplus: usize,
) -> Result<(), Error> {
    let is_running =
        |pod: &Object<Pod>| pod.field(".status.phase").is_ok_and(|phase| phase.to_string() == "Running");
    pods.sort_by_cached_key(|pod| (is_running(pod), std::cmp::Reverse(pod.version().number())));
    let api = context.api::<Pod>();
    let count = surplus.min(PODS_AT_ONCE);
    try_join_all(pods.iter().take(count).map(async |pod| {
        let preconditions = Preconditions { uid: Some(pod.uid().to_owned()), resource_version: None };
        let only_this = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        api.delete_with(pod.name(), &only_this).await
    }))
    .await?;
    context.recorder().event(keeper, NewEvent::normal("Deleted", format!("deleted {count} pods")));
    Ok(())
}

async fn keep_status(context: &Context, keeper: &Keeper, replicas: usize) -> Result<(), Error> {
    let status = KeeperStatus { replicas };
    if keeper.status.as_ref() != Some(&status) {
        let patch = Patch::Merge(json!({ "status": status }));
        context.api::<Keeper>().patch_status(&keeper.name_any(), &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => {
            let server = ApiServer::start().await;
            let factory = SharedInformerFactory::new(server.client());
            install::<Keeper>(factory.client()).await?;
            run_while(&factory, [controller()], story(&factory)).await
        }
        Some("--cluster") => {
            let factory = SharedInformerFactory::try_default().await?;
            install::<Keeper>(factory.client()).await?;
            println!("watching Keepers; Ctrl-C ends");
            Ok(Manager::new(factory).controller(controller()).run().await?)
        }
        Some(other) => bail!("{other}: the one argument there is is --cluster"),
    }
}

/// What happens to one Keeper and its pods.
pub(crate) async fn story(factory: &SharedInformerFactory) -> anyhow::Result<()> {
    let client = factory.client();
    let keepers: Api<Keeper> = Api::namespaced(client.clone(), "default");
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");

    println!("a Keeper of three pods is created");
    let keeper = Keeper::new("web", KeeperSpec { replicas: 3, image: "nginx".to_owned() });
    keepers.create(&PostParams::default(), &keeper).await?;
    keeps(factory, 3).await?;

    println!("one pod is deleted by someone else");
    let seen = factory.informer::<Pod>();
    let victim = seen.lister().list().remove(0);
    pods.delete(victim.name(), &DeleteParams::default()).await?;
    seen.wait_for_deletion(&victim.key().to_key(), victim.uid(), SECONDS_10).await?;
    keeps(factory, 3).await?;

    println!("a pod with the label appears");
    let orphan = json!({
        "metadata": { "name": "orphan", "labels": { LABEL: "web" } },
        "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
    });
    let orphan = pods.create(&PostParams::default(), &from_value(orphan)?).await?;
    seen.wait_for_written(&orphan.metadata, SECONDS_10).await?;
    keeps(factory, 3).await?;

    for replicas in [250, 1] {
        println!("it is scaled to {replicas}");
        let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
        keepers.patch("web", &PatchParams::default(), &patch).await?;
        keeps(factory, replicas).await?;
    }
    Ok(())
}

/// Waits until there are as many pods as there shall be, each of them the Keeper's, and its status says so.
async fn keeps(factory: &SharedInformerFactory, replicas: usize) -> anyhow::Result<()> {
    let pods = factory.informer::<Pod>();
    let mut changes = pods.notifications()?;
    let is_kept = || {
        let active: Vec<_> = pods.lister().list().into_iter().filter(is_active).collect();
        active.len() == replicas && active.iter().all(|pod| pod.controller_uid().is_some())
    };
    while !is_kept() {
        timeout(SECONDS_10, changes.next()).await?;
    }
    let status = Some(KeeperStatus { replicas });
    let condition =
        Condition::new(format!("keeps {replicas}"), move |keeper: &Keeper| keeper.status == status);
    await_condition(&factory.informer(), &Key::parse("default/web")?, &condition, SECONDS_10).await?;
    println!("  it keeps {replicas}");
    Ok(())
}
