//! The controller of the demo cluster: keeps as many pods as each deployment wants.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube_core::params::DeleteParams;
use serde_json::json;
use tidings::Object;
use tidings::controller::{Action, Context, Controller, Error, Request, controller_reference};

/// The controller. It calls `report` after each reconcile that changed something.
pub(crate) fn controller(report: impl Fn(&Request, &str) + Send + Sync + 'static) -> Controller {
    let report = Arc::new(report);
    Controller::for_kind::<Deployment>("replicas")
        .owns::<Pod>()
        .workers(2)
        .reconcile(move |request, context| reconcile(request, context, Arc::clone(&report)))
}

async fn reconcile(
    request: Request,
    context: Context,
    report: Arc<impl Fn(&Request, &str)>,
) -> Result<Action, Error> {
    // The server's garbage collector deletes the pods of a deleted deployment by their owner references.
    let Some(deployment) = context.lister::<Deployment>()?.get(&request) else {
        return Ok(Action::await_change());
    };
    let pods = context.lister::<Pod>()?.namespace(request.namespace().unwrap_or_default()).list();
    let mut pods: Vec<Object<Pod>> =
        pods.into_iter().filter(|pod| pod.controller_uid() == Some(deployment.uid())).collect();
    let deployment = deployment.decoded()?;
    let wanted = deployment.spec.replicas.unwrap_or(1).max(0) as usize;

    let api = context.api::<Pod>();
    let mut failed = Vec::new();
    for pod in &pods {
        if pod.field(".status.phase")?.text().as_deref() == Some("Failed") {
            api.delete_with(pod.name(), &DeleteParams::default().grace_period(0)).await?;
            failed.push(pod.name().to_owned());
        }
    }
    pods.retain(|pod| !failed.iter().any(|name| name == pod.name()));
    let had = pods.len();
    for surplus in pods.iter().skip(wanted) {
        api.delete_with(surplus.name(), &DeleteParams::default().grace_period(0)).await?;
    }
    for _ in had..wanted {
        api.create(&pod_of(&deployment)?).await?;
    }
    match failed.len() {
        0 if had == wanted => {}
        0 => report(&request, &format!("{had} -> {wanted} pods")),
        failed => report(&request, &format!("{had} -> {wanted} pods, {failed} failed")),
    }
    Ok(Action::await_change())
}

fn pod_of(deployment: &Deployment) -> Result<Pod, Error> {
    let template = &deployment.spec.template;
    let mut pod: Pod = serde_json::from_value(json!({ "status": { "phase": "Pending" } }))?;
    pod.metadata.generate_name = deployment.metadata.name.as_ref().map(|name| format!("{name}-"));
    pod.metadata.labels = template.metadata.as_ref().and_then(|metadata| metadata.labels.clone());
    pod.metadata.owner_references = Some(vec![controller_reference(deployment)?]);
    pod.spec = template.spec.clone();
    Ok(pod)
}
