//! Namespaces: deletes the content of a deleted namespace, and then the namespace.
//!
//! It reads no caches: which kinds there are is only known at that moment, so it asks the server. Never remove the
//! finalizer of a namespace while anything is left in it.

use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube_client::Api;
use kube_client::api::{DeleteParams, ListParams};
use kube_client::discovery::{Discovery, Scope, verbs};
use kube_core::discovery::ApiResource;
use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings::controller::{Action, Context, Controller, Error, Request};

use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::condition::{self, NewCondition};
use crate::object::{is_deleting, name, status_of, write_status};

/// The delay before a namespace that is not empty is checked again.
const RETRY: Duration = Duration::from_secs(1);

/// The finalizer in `spec` that keeps a namespace until it is empty.
const FINALIZER: &str = "kubernetes";

/// Imitates the namespace controller. Start the API server with `NamespaceDeletion::External`, otherwise it has nothing
/// to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Namespaces;

impl StandIn for Namespaces {
    fn name(&self) -> &'static str {
        "namespaces"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        vec![
            Controller::for_kind::<Namespace>("namespace-controller")
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(namespace) = context.get::<Namespace>(&request).await? else {
        return Ok(Action::await_change());
    };
    let finalizers = namespace.spec.as_ref().and_then(|spec| spec.finalizers.clone()).unwrap_or_default();
    if !is_deleting(&*namespace) || !finalizers.iter().any(|name| name == FINALIZER) {
        return Ok(Action::await_change());
    }
    let left = delete_content(&context, name(&*namespace)).await?;
    report(&context, &namespace, &left, &clock).await?;
    if !left.is_empty() {
        return Ok(Action::requeue_after(RETRY));
    }
    finalize(&context, &namespace).await?;
    Ok(Action::await_change())
}

/// Deletes everything in a namespace. Returns what is left: kind, number of objects, and how many finalizers hold.
async fn delete_content(context: &Context, namespace: &str) -> Result<Vec<Left>, Error> {
    let discovery = Discovery::new(context.client().clone()).run().await?;
    let mut left = Vec::new();
    for group in discovery.groups() {
        for (resource, capabilities) in group.recommended_resources() {
            let can = |verb| capabilities.supports_operation(verb);
            if capabilities.scope == Scope::Namespaced && can(verbs::LIST) && can(verbs::DELETE) {
                left.extend(delete_all(context, namespace, &resource).await?);
            }
        }
    }
    Ok(left)
}

struct Left {
    resource: String,
    objects: usize,
    finalizers: Vec<String>,
}

async fn delete_all(
    context: &Context,
    namespace: &str,
    resource: &ApiResource,
) -> Result<Option<Left>, Error> {
    let api: Api<DynamicObject> = Api::namespaced_with(context.client().clone(), namespace, resource);
    if api.list_metadata(&ListParams::default().limit(1)).await?.items.is_empty() {
        return Ok(None);
    }
    api.delete_collection(&DeleteParams::background(), &ListParams::default()).await?;
    let rest = api.list_metadata(&ListParams::default()).await?.items;
    if rest.is_empty() {
        return Ok(None);
    }
    let finalizers = rest.iter().flat_map(|object| object.metadata.finalizers.clone().unwrap_or_default());
    let mut finalizers: Vec<String> = finalizers.collect();
    finalizers.sort();
    finalizers.dedup();
    let resource = match resource.group.as_str() {
        "" => resource.plural.clone(),
        group => format!("{}.{group}", resource.plural),
    };
    Ok(Some(Left { resource, objects: rest.len(), finalizers }))
}

/// Writes into the status what the namespace waits for.
async fn report(context: &Context, namespace: &Namespace, left: &[Left], clock: &Clock) -> Result<(), Error> {
    let mut status = status_of(namespace)?;
    let names: Vec<String> = left
        .iter()
        .map(|left| format!("{} has {} resource instances", left.resource, left.objects))
        .collect();
    let held: Vec<String> = left.iter().flat_map(|left| left.finalizers.clone()).collect();
    let remaining = format!("Some resources are remaining: {}", names.join(", "));
    let finalizers = format!("Some content in the namespace has finalizers remaining: {}", held.join(", "));
    let all = [
        ("NamespaceContentRemaining", !left.is_empty(), "SomeResourcesRemain", "ContentRemoved", remaining),
        (
            "NamespaceFinalizersRemaining",
            !held.is_empty(),
            "SomeFinalizersRemain",
            "ContentHasNoFinalizers",
            finalizers,
        ),
    ];
    for (kind, is_true, some, none, message) in all {
        let (status_text, reason) = if is_true { ("True", some) } else { ("False", none) };
        let message = if is_true { message } else { "All content successfully removed".to_owned() };
        let new = NewCondition { kind, status: status_text, reason, message: &message };
        condition::set(&mut status, &new, &clock.text(), &[]);
    }
    // A namespace that is empty at once is removed without a report.
    if left.is_empty() && status_of(namespace)?.get("conditions").is_none() {
        return Ok(());
    }
    write_status(context, namespace, status).await
}

/// Removes the finalizer. The server then removes the namespace.
async fn finalize(context: &Context, namespace: &Namespace) -> Result<(), Error> {
    let api: Api<Namespace> = Api::all(context.client().clone());
    // The report changed its version.
    let Some(fresh) = api.get_opt(name(namespace)).await? else { return Ok(()) };
    let mut wanted = serde_json::to_value(fresh)?;
    if let Some(finalizers) = wanted["spec"]["finalizers"].as_array_mut() {
        finalizers.retain(|name| name != FINALIZER);
    }
    wanted["apiVersion"] = json!("v1");
    wanted["kind"] = json!("Namespace");
    let request = http::Request::put(format!("/api/v1/namespaces/{}/finalize", name(namespace)))
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(Value::to_string(&wanted).into_bytes())?;
    context.client().request_text(request).await?;
    Ok(())
}
