//! A controller like the one of ReplicaSets: each `PodSet` has a number of pods.
//!
//! The controller creates missing pods, deletes surplus pods, and adopts pods that have its label and no controller. It
//! writes through `context.api`, so that the next reconcile of a PodSet waits until the cache contains these writes.
//! Without that, a late cache would make it create a pod twice.
//!
//! Without arguments it runs a short scenario against an API server in this process. With `--cluster` it runs in the
//! cluster of your kubeconfig until Ctrl-C:
//!
//! ```sh
//! cargo run -p tidings --example pod_set
//! cargo run -p tidings --example pod_set -- --cluster
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

#[path = "support/run.rs"]
pub(crate) mod support;

use std::time::Duration;

use anyhow::bail;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
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

use self::support::{install, run_while};

/// The label that assigns a pod to a PodSet of the same namespace.
pub(crate) const LABEL: &str = "tidings.example/pod-set";
const SECONDS_10: Duration = Duration::from_secs(10);
/// How many pods one reconcile creates or deletes at most. The next reconcile continues.
const PODS_AT_ONCE: usize = 100;

/// What the user wants.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "tidings.example",
    version = "v1",
    kind = "PodSet",
    namespaced,
    status = "PodSetStatus",
    crates(kube_core = "::kube_core")
)]
pub(crate) struct PodSetSpec {
    /// The number of pods.
    pub(crate) replicas: usize,
    /// The container image of the pods.
    pub(crate) image: String,
}

/// What the controller reports.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PodSetStatus {
    /// The number of active pods.
    pub(crate) replicas: usize,
}

/// The controller. A change of a pod requests a reconcile of the PodSet that controls the pod (`owns`), or of the
/// PodSet that the label of an orphan names (`watches`).
pub(crate) fn controller() -> Controller {
    Controller::for_kind::<PodSet>("pod-set")
        .owns::<Pod>()
        .watches::<Pod>(pod_set_of_orphan)
        .workers(2)
        .reconcile(reconcile)
}

fn pod_set_of_orphan(notification: &Notification<Pod>) -> Vec<Request> {
    let orphans = notification.objects().filter(|pod| pod.controller_uid().is_none());
    orphans.filter_map(|pod| Request::new(pod.namespace(), pod.labels().value(LABEL)?).ok()).collect()
}

async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(pod_set) = context.get::<PodSet>(&request).await? else {
        return Ok(Action::await_change()); // It was deleted, and the garbage collector deletes its pods.
    };
    if pod_set.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let uid = pod_set.uid().unwrap_or_default();
    let labelled = LabelSelector::parse(&format!("{LABEL}={}", pod_set.name_any()))?;
    let pods =
        context.list::<Pod>().namespace(request.namespace().unwrap_or_default()).select(labelled).await?;
    let (orphans, owned): (Vec<_>, Vec<_>) =
        pods.into_iter().filter(is_active).partition(|pod| pod.controller_uid().is_none());
    if !orphans.is_empty() {
        return adopt(&context, &pod_set, orphans).await;
    }
    let owned: Vec<_> = owned.into_iter().filter(|pod| pod.controller_uid() == Some(&uid)).collect();
    let (actual, wanted) = (owned.len(), pod_set.spec.replicas);
    context.status(&*pod_set).fields(&PodSetStatus { replicas: actual }).write().await?; // if it changed
    if actual < wanted {
        create(&context, &pod_set, (wanted - actual).min(PODS_AT_ONCE)).await?;
    } else if actual > wanted {
        delete(&context, &pod_set, owned, actual - wanted).await?;
    }
    Ok(Action::await_change()) // The writes above request the next reconcile.
}

/// Whether the pod has neither ended nor a deletion timestamp.
fn is_active(pod: &Object<Pod>) -> bool {
    let phase = pod.field(".status.phase").map(|phase| phase.to_string()).unwrap_or_default();
    pod.deletion_timestamp().is_none() && phase != "Succeeded" && phase != "Failed"
}

/// Makes the PodSet the controller of pods that have none. It reads the PodSet from the server first, because a deleted
/// PodSet must adopt nothing and the cache may be stale.
async fn adopt(context: &Context, pod_set: &PodSet, orphans: Vec<Object<Pod>>) -> Result<Action, Error> {
    let pod_sets: Api<PodSet> =
        Api::namespaced(context.client().clone(), &pod_set.namespace().unwrap_or_default());
    let fresh = pod_sets.get_opt(&pod_set.name_any()).await?.filter(|fresh| fresh.uid() == pod_set.uid());
    let Some(fresh) = fresh.filter(|fresh| fresh.metadata.deletion_timestamp.is_none()) else {
        return Ok(Action::await_change());
    };
    for orphan in orphans {
        let patch = adoption_patch(&*orphan.decoded()?, &fresh)?;
        let pod = context.api::<Pod>().patch(orphan.name(), &PatchParams::default(), &patch).await?;
        let note = format!("adopted pod {}", pod.name());
        context.recorder().event(pod_set, NewEvent::normal("Adopted", note).related(&pod.decoded()?));
    }
    Ok(Action::await_change())
}

async fn create(context: &Context, pod_set: &PodSet, count: usize) -> Result<(), Error> {
    let mut pod: Pod = from_value(json!({
        "metadata": {
            "generateName": format!("{}-", pod_set.name_any()),
            "namespace": pod_set.namespace(),
            "labels": { LABEL: pod_set.name_any() },
        },
        "spec": { "containers": [{ "name": "main", "image": pod_set.spec.image }] },
    }))?;
    set_controller(&mut pod, pod_set)?;
    let pods = context.api::<Pod>();
    try_join_all((0..count).map(|_| pods.create(&pod))).await?;
    let note = format!("created {count} pods");
    context.recorder().event(pod_set, NewEvent::normal("Created", note));
    Ok(())
}

/// Deletes pods that do not run first, then the youngest. `if_unchanged` protects a new pod of the same name.
async fn delete(
    context: &Context,
    pod_set: &PodSet,
    mut pods: Vec<Object<Pod>>,
    surplus: usize,
) -> Result<(), Error> {
    let is_running =
        |pod: &Object<Pod>| pod.field(".status.phase").is_ok_and(|phase| phase.to_string() == "Running");
    pods.sort_by_cached_key(|pod| (is_running(pod), std::cmp::Reverse(pod.version().number())));
    let api = context.api::<Pod>();
    let count = surplus.min(PODS_AT_ONCE);
    try_join_all(pods.iter().take(count).map(async |pod| api.if_unchanged(pod).delete().await)).await?;
    context.recorder().event(pod_set, NewEvent::normal("Deleted", format!("deleted {count} pods")));
    Ok(())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => {
            let server = ApiServer::start().await;
            let factory = SharedInformerFactory::new(server.client());
            install::<PodSet>(factory.client()).await?;
            run_while(&factory, [controller()], scenario(&factory)).await
        }
        Some("--cluster") => {
            let factory = SharedInformerFactory::try_default().await?;
            install::<PodSet>(factory.client()).await?;
            println!("reconciling PodSets until Ctrl-C");
            Ok(Manager::new(factory).controller(controller()).run().await?)
        }
        Some(other) => bail!("unknown argument {other}: the only one is --cluster"),
    }
}

/// Creates a PodSet, changes it and its pods, and waits for the controller after each step.
pub(crate) async fn scenario(factory: &SharedInformerFactory) -> anyhow::Result<()> {
    let client = factory.client();
    let pod_sets: Api<PodSet> = Api::namespaced(client.clone(), "default");
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");

    println!("create a PodSet of three pods");
    let pod_set = PodSet::new("web", PodSetSpec { replicas: 3, image: "nginx".to_owned() });
    pod_sets.create(&PostParams::default(), &pod_set).await?;
    wait_for_replicas(factory, 3).await?;

    println!("delete one of its pods");
    let informer = factory.informer::<Pod>();
    let victim = informer.lister().list().remove(0);
    pods.delete(victim.name(), &DeleteParams::default()).await?;
    informer.wait_for_deletion(&victim.key().to_key(), victim.uid(), SECONDS_10).await?;
    wait_for_replicas(factory, 3).await?;

    println!("create a pod with its label");
    let orphan = json!({
        "metadata": { "name": "orphan", "labels": { LABEL: "web" } },
        "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
    });
    let orphan = pods.create(&PostParams::default(), &from_value(orphan)?).await?;
    informer.wait_for_written(&orphan.metadata, SECONDS_10).await?;
    wait_for_replicas(factory, 3).await?;

    for replicas in [250, 1] {
        println!("scale it to {replicas}");
        let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
        pod_sets.patch("web", &PatchParams::default(), &patch).await?;
        wait_for_replicas(factory, replicas).await?;
    }
    Ok(())
}

/// Waits until the PodSet has this number of active pods, controls all of them, and reports it in its status.
async fn wait_for_replicas(factory: &SharedInformerFactory, replicas: usize) -> anyhow::Result<()> {
    let pods = factory.informer::<Pod>();
    let mut changes = pods.notifications()?;
    let is_complete = || {
        let active: Vec<_> = pods.lister().list().into_iter().filter(is_active).collect();
        active.len() == replicas && active.iter().all(|pod| pod.controller_uid().is_some())
    };
    while !is_complete() {
        timeout(SECONDS_10, changes.next()).await?;
    }
    let status = Some(PodSetStatus { replicas });
    let condition =
        Condition::new(format!("has {replicas} pods"), move |pod_set: &PodSet| pod_set.status == status);
    await_condition(&factory.informer(), &Key::parse("default/web")?, &condition, SECONDS_10).await?;
    println!("  it has {replicas}");
    Ok(())
}
