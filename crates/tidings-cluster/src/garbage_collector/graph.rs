//! Owners and dependents over the caches of all resources, found by uid.
//!
//! The graph stores nothing of its own: it reads indexes of the caches.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::dynamic::DynamicObject;
use serde::Deserialize;
use tidings::controller::{Error, Request};
use tidings::{Index, IndexError, InformerError, Lister, Notification, ResourceKind, SharedInformerFactory};

use super::Untyped;

/// The finalizer of an owner that waits for its dependents.
pub(super) const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of an owner whose dependents are to be kept.
pub(super) const ORPHAN: &str = "orphan";

const BY_UID: &str = "tidings-cluster.uid";
const BY_OWNER: &str = "tidings-cluster.owner";

pub(super) struct Graph {
    caches: Vec<(ResourceKind, Lister<DynamicObject>)>,
}

/// An object, and the resource that it belongs to.
pub(super) struct Node {
    pub(super) resource: ResourceKind,
    pub(super) object: Untyped,
}

#[derive(Deserialize)]
struct OnlyMetadata {
    metadata: ObjectMeta,
}

impl Graph {
    pub(super) fn new(factory: &SharedInformerFactory, resources: &[ResourceKind]) -> Self {
        let mut caches = Vec::new();
        for resource in resources {
            // An invalid resource is reported when the controller is attached, which asks for the same informer.
            let Ok(informer) = factory.dynamic(resource.clone()) else { continue };
            let uid = Index::raw(BY_UID, |object| vec![object.uid().to_owned()]);
            for index in [uid, Index::owner(BY_OWNER)] {
                match informer.add_index(index) {
                    // The name is taken: another garbage collector over the same factory has added it.
                    Ok(()) | Err(InformerError::Index { source: IndexError::Taken { .. }, .. }) => {}
                    Err(error) => {
                        tracing::warn!(%resource, %error, "an index of the garbage collector is missing")
                    }
                }
            }
            caches.push((resource.clone(), informer.lister()));
        }
        Graph { caches }
    }

    /// The object with this uid.
    pub(super) fn find(&self, uid: &str) -> Option<Node> {
        self.by_index(BY_UID, uid, |object| object.uid() == uid).into_iter().next()
    }

    /// The objects that this one owns, sorted by key.
    pub(super) fn dependents(&self, uid: &str) -> Vec<Node> {
        let mut found = self.by_index(BY_OWNER, uid, |object| object.owner_uids().any(|owner| owner == uid));
        found.sort_by(|one, other| one.object.key().as_str().cmp(other.object.key().as_str()));
        found
    }

    fn by_index(&self, index: &str, value: &str, matches: impl Fn(&Untyped) -> bool) -> Vec<Node> {
        let mut found = Vec::new();
        for (resource, cache) in &self.caches {
            let objects = cache.by_index(index, value).unwrap_or_else(|_| {
                // The index is still being built.
                cache.list().into_iter().filter(&matches).collect()
            });
            found.extend(objects.into_iter().map(|object| Node { resource: resource.clone(), object }));
        }
        found
    }

    /// The dependents that an owner in foreground deletion waits for.
    pub(super) fn blocking_dependents(&self, owner: &Node) -> Result<Vec<Node>, Error> {
        let mut blocking = Vec::new();
        for dependent in self.dependents(owner.uid()) {
            let references = dependent.metadata()?.owner_references.unwrap_or_default();
            let blocks = |uid: &str| {
                references.iter().any(|owner| owner.uid == uid && owner.block_owner_deletion == Some(true))
            };
            if blocks(owner.uid()) {
                blocking.push(dependent);
            }
        }
        Ok(blocking)
    }

    /// What must be checked after a change: the object, its owners, and, if it is deleted, its dependents.
    pub(super) fn requests(&self, notification: &Notification<DynamicObject>) -> Vec<Request> {
        let object = notification.object();
        let mut uids: Vec<&str> = notification.objects().flat_map(|object| object.owner_uids()).collect();
        uids.push(object.uid());
        let mut requests: Vec<Request> = uids.into_iter().filter_map(request).collect();
        if notification.new().is_none() || object.deletion_timestamp().is_some() {
            let dependents = self.dependents(object.uid());
            requests.extend(dependents.iter().filter_map(|dependent| request(dependent.uid())));
        }
        requests
    }

    /// The resource of an owner reference, if it is watched.
    pub(super) fn resource(&self, api_version: &str, kind: &str) -> Option<&ResourceKind> {
        let group =
            |version: &str| version.rsplit_once('/').map_or(String::new(), |(group, _)| group.to_owned());
        let wanted = group(api_version);
        self.caches.iter().map(|(resource, _)| resource).find(|own| own.kind == kind && own.group == wanted)
    }
}

fn request(uid: &str) -> Option<Request> {
    Request::new(None, uid).ok()
}

impl Node {
    pub(super) fn uid(&self) -> &str {
        self.object.uid()
    }

    pub(super) fn is_deleting(&self) -> bool {
        self.object.deletion_timestamp().is_some()
    }

    pub(super) fn metadata(&self) -> Result<ObjectMeta, Error> {
        Ok(self.object.view::<OnlyMetadata>()?.metadata)
    }

    pub(super) fn has_finalizer(&self, name: &str) -> Result<bool, Error> {
        Ok(self.metadata()?.finalizers.is_some_and(|names| names.iter().any(|own| own == name)))
    }
}
