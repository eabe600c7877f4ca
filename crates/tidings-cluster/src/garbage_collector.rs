//! Garbage collection: deletes objects whose owners are gone, in the background or in the foreground, or orphans them.
//!
//! The API server only sets finalizers (`foregroundDeletion`, `orphan`); everything else happens here, later. A request
//! is the uid of an object, because owner references are uids. Before an object is deleted because an owner is missing
//! in a cache, the server is asked for the owner: caches of different kinds are not equally current.

mod graph;
mod owners;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{
    ConfigMap, Endpoints, Node, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount,
};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube_client::Client;
use kube_client::api::{DeleteParams, Patch, PatchParams, Preconditions, PropagationPolicy};
use kube_client::discovery::{Discovery, verbs};
use kube_core::dynamic::DynamicObject;
use serde_json::json;
use tidings::controller::{Action, Context, Controller, Error, Predicate, Request, Watched};
use tidings::{Kind, Object, ResourceKind};

use crate::cluster::{Setup, StandIn};
use graph::{FOREGROUND, Graph, Node as GraphNode, ORPHAN};
use owners::Owners;

/// How long an owner that the server has and its cache does not is left alone before it is asked for again.
const UNSEEN_RECHECK: Duration = Duration::from_secs(1);

/// Imitates the garbage collector. Start the API server with `GarbageCollection::External`, otherwise it has nothing to
/// do.
///
/// It watches the built-in kinds that usually own or are owned. Name custom resources with
/// [`resource`](Self::resource), or let [`discovered`](Self::discovered) find everything that the server has now.
#[derive(Clone, Debug)]
pub struct GarbageCollector {
    resources: Vec<ResourceKind>,
}

impl GarbageCollector {
    /// A garbage collector of the usual built-in kinds.
    pub fn new() -> Self {
        let resources = vec![
            Pod::resource(),
            ReplicaSet::resource(),
            Deployment::resource(),
            StatefulSet::resource(),
            DaemonSet::resource(),
            ControllerRevision::resource(),
            Job::resource(),
            CronJob::resource(),
            ConfigMap::resource(),
            Secret::resource(),
            Service::resource(),
            Endpoints::resource(),
            EndpointSlice::resource(),
            ServiceAccount::resource(),
            PersistentVolumeClaim::resource(),
            Lease::resource(),
            Ingress::resource(),
            NetworkPolicy::resource(),
            PodDisruptionBudget::resource(),
            Role::resource(),
            RoleBinding::resource(),
            Node::resource(),
        ];
        GarbageCollector { resources }
    }

    /// A garbage collector of these resources only. Fewer resources are fewer watches.
    pub fn only(resources: impl IntoIterator<Item = ResourceKind>) -> Self {
        GarbageCollector { resources: resources.into_iter().collect() }
    }

    /// A garbage collector of everything that the server has now and that can be watched and deleted.
    pub async fn discovered(client: &Client) -> kube_client::Result<Self> {
        let discovery = Discovery::new(client.clone()).run().await?;
        let mut resources = Vec::new();
        for group in discovery.groups() {
            for (api, capabilities) in group.recommended_resources() {
                let can = |verb| capabilities.supports_operation(verb);
                // Events have no dependents, and there are many of them.
                if can(verbs::LIST) && can(verbs::WATCH) && can(verbs::DELETE) && api.kind != "Event" {
                    resources.push(ResourceKind::from((&api, &capabilities)));
                }
            }
        }
        Ok(GarbageCollector { resources })
    }

    /// Whether it follows this resource.
    pub(crate) fn follows(&self, group: &str, plural: &str) -> bool {
        self.resources.iter().any(|own| own.group == group && own.plural == plural)
    }

    /// Adds a resource, for example a custom one. Its definition must exist when the controllers start.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<ResourceKind>) -> Self {
        let resource = resource.into();
        if !self.resources.contains(&resource) {
            self.resources.push(resource);
        }
        self
    }
}

impl Default for GarbageCollector {
    fn default() -> Self {
        GarbageCollector::new()
    }
}

impl StandIn for GarbageCollector {
    fn name(&self) -> &'static str {
        "gc"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let Some(first) = self.resources.first() else { return Vec::new() };
        let graph = Arc::new(Graph::new(setup.factory(), &self.resources));
        // A controller requests the objects of its own kind by key. Here a request is a uid, so that all come from
        // maps.
        let none = Predicate::new(|_| false);
        let mut builder =
            Controller::for_resource("garbage-collector-controller", first.clone()).predicate(none);
        for resource in &self.resources {
            let graph = Arc::clone(&graph);
            let map = move |notification: &_| graph.requests(notification);
            builder = builder.watches_with(Watched::resource(resource.clone(), map));
        }
        vec![builder.reconcile(move |request, context| reconcile(request, context, Arc::clone(&graph)))]
    }
}

async fn reconcile(request: Request, context: Context, graph: Arc<Graph>) -> Result<Action, Error> {
    let Some(node) = graph.find(request.name()) else { return Ok(Action::await_change()) };
    if node.is_deleting() {
        if node.has_finalizer(ORPHAN)? {
            orphan_dependents(&context, &graph, &node).await?;
        } else if node.has_finalizer(FOREGROUND)? && graph.blocking_dependents(&node)?.is_empty() {
            remove_finalizer(&context, &node, FOREGROUND).await?;
        }
        return Ok(Action::await_change());
    }
    let owners = Owners::of(&context, &graph, &node).await?;
    if owners.is_empty() || owners.is_unknown {
        return Ok(Action::await_change());
    }
    let next = match owners.is_unseen {
        // If the owner is deleted before its cache shows it, no notification requests this object again:
        //   1. the cache of the owners lags, and this reconcile finds the owner on the server
        //   2. the owner is deleted
        //   3. the cache of the owners lists again, and never had the owner
        true => Action::requeue_after(UNSEEN_RECHECK),
        false => Action::await_change(),
    };
    if !owners.solid.is_empty() {
        // It has an owner that stays. References to owners in deletion are removed, so that it does not block them.
        if !owners.missing.is_empty() || !owners.waiting.is_empty() {
            let going: Vec<&str> = owners.missing.iter().chain(&owners.waiting).map(String::as_str).collect();
            remove_owners(&context, &node, &going).await?;
        }
    } else if !owners.waiting.is_empty() && !graph.dependents(node.uid()).is_empty() {
        delete(&context, &node, PropagationPolicy::Foreground).await?;
    } else if node.has_finalizer(ORPHAN)? {
        delete(&context, &node, PropagationPolicy::Orphan).await?;
    } else if node.has_finalizer(FOREGROUND)? {
        delete(&context, &node, PropagationPolicy::Foreground).await?;
    } else {
        delete(&context, &node, PropagationPolicy::Background).await?;
    }
    Ok(next)
}

/// Removes the owner from all its dependents, then its finalizer, which deletes it.
async fn orphan_dependents(context: &Context, graph: &Graph, owner: &GraphNode) -> Result<(), Error> {
    for dependent in graph.dependents(owner.uid()) {
        remove_owners(context, &dependent, &[owner.uid()]).await?;
    }
    remove_finalizer(context, owner, ORPHAN).await
}

async fn remove_owners(context: &Context, node: &GraphNode, uids: &[&str]) -> Result<(), Error> {
    let mut references = node.metadata()?.owner_references.unwrap_or_default();
    let before = references.len();
    references.retain(|reference| !uids.contains(&reference.uid.as_str()));
    if references.len() < before {
        patch(context, node, json!({ "ownerReferences": references })).await?;
    }
    Ok(())
}

async fn remove_finalizer(context: &Context, node: &GraphNode, finalizer: &str) -> Result<(), Error> {
    let mut finalizers = node.metadata()?.finalizers.unwrap_or_default();
    finalizers.retain(|name| name != finalizer);
    patch(context, node, json!({ "finalizers": finalizers })).await
}

/// Patches the metadata of an object that has not changed since it was read.
async fn patch(context: &Context, node: &GraphNode, metadata: serde_json::Value) -> Result<(), Error> {
    let api = context.api_of(node.resource.clone()).if_unchanged(&node.object);
    let patch = Patch::Merge(json!({ "metadata": metadata }));
    absent_is_done(api.patch(&PatchParams::default(), &patch).await.map(|_| ()))
}

async fn delete(context: &Context, node: &GraphNode, policy: PropagationPolicy) -> Result<(), Error> {
    let preconditions = Preconditions {
        uid: Some(node.uid().to_owned()),
        resource_version: Some(node.object.version().to_string()),
    };
    let params = DeleteParams {
        propagation_policy: Some(policy),
        preconditions: Some(preconditions),
        ..DeleteParams::default()
    };
    let mut api = context.api_of(node.resource.clone());
    if let Some(namespace) = node.object.namespace() {
        api = api.namespace(namespace);
    }
    absent_is_done(api.delete_with(node.object.name(), &params).await.map(|_| ()))
}

/// The result of a deletion or patch, where an object that does not exist any more is a success.
fn absent_is_done(result: kube_client::Result<()>) -> Result<(), Error> {
    match result {
        Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
        result => Ok(result?),
    }
}

/// The view of a cached object without a type.
type Untyped = Object<DynamicObject>;
