//! The owners of an object, grouped by whether they exist, stay, or wait for the object.

use kube_client::Api;
use kube_core::discovery::ApiResource;
use kube_core::dynamic::DynamicObject;
use tidings::controller::{Context, Error};
use tidings::{ResourceKind, Scope};

use super::graph::{FOREGROUND, Graph, Node};

/// The uids of the owners of one object.
#[derive(Default)]
pub(super) struct Owners {
    /// They exist, and stay.
    pub(super) solid: Vec<String>,
    /// They do not exist, or another object has their name.
    pub(super) missing: Vec<String>,
    /// They are in foreground deletion, and wait for this object.
    pub(super) waiting: Vec<String>,
    /// Whether an owner can't be resolved: its kind is not watched, or it is in a namespace and the object is not.
    /// Nothing is deleted then.
    pub(super) is_unknown: bool,
    /// Whether an owner exists that its cache has not shown yet. It may be deleted before the cache shows it, and then
    /// no notification says so.
    pub(super) is_unseen: bool,
}

impl Owners {
    pub(super) async fn of(context: &Context, graph: &Graph, node: &Node) -> Result<Self, Error> {
        let mut owners = Owners::default();
        for reference in node.metadata()?.owner_references.unwrap_or_default() {
            let Some(resource) = graph.resource(&reference.api_version, &reference.kind) else {
                owners.is_unknown = true;
                continue;
            };
            let uid = reference.uid;
            let namespace = match resource.scope {
                Scope::Namespaced => node.object.namespace(),
                Scope::Cluster => None,
            };
            if resource.scope == Scope::Namespaced && namespace.is_none() {
                owners.is_unknown = true;
                continue;
            }
            // An object of the same uid in another namespace is not the owner.
            let cached = graph.find(&uid).filter(|owner| owner.object.namespace() == namespace);
            let is_waiting = match cached {
                Some(owner) => Some(owner.is_deleting() && owner.has_finalizer(FOREGROUND)?),
                None => {
                    let found = on_server(context, resource, namespace, &reference.name, &uid).await?;
                    owners.is_unseen |= found.is_some();
                    found
                }
            };
            match is_waiting {
                None => owners.missing.push(uid),
                Some(true) => owners.waiting.push(uid),
                Some(false) => owners.solid.push(uid),
            }
        }
        Ok(owners)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.solid.is_empty() && self.missing.is_empty() && self.waiting.is_empty()
    }
}

/// Asks the server for an owner that its cache does not have: `None` if it does not exist, else whether it is in foreground
/// deletion.
async fn on_server(
    context: &Context,
    resource: &ResourceKind,
    namespace: Option<&str>,
    name: &str,
    uid: &str,
) -> Result<Option<bool>, Error> {
    let api_resource = ApiResource {
        group: resource.group.to_string(),
        version: resource.version.to_string(),
        api_version: resource.api_version().into_owned(),
        kind: resource.kind.to_string(),
        plural: resource.plural.to_string(),
    };
    let client = context.client().clone();
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &api_resource),
        None => Api::all_with(client, &api_resource),
    };
    let found = api.get_metadata_opt(name).await?.filter(|found| found.metadata.uid.as_deref() == Some(uid));
    Ok(found.map(|owner| {
        let finalizers = owner.metadata.finalizers.unwrap_or_default();
        owner.metadata.deletion_timestamp.is_some() && finalizers.iter().any(|name| name == FOREGROUND)
    }))
}
