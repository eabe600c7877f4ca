//! Maps an object to requests for its owners.
//!
//! The identity of an object contains the uids of its owners. The controller's own cache has an index from uid to
//! object, which gives the key of an owner. Only if an owner is not cached, the references are read from the object's
//! body.

use serde::Deserialize;
use tidings_informer::indexer::{Index, Reader};
use tidings_informer::{Notification, SharedInformer};
use tidings_object::{RawObject, ResourceKind, Scope};

use super::RequestMap;
use crate::request::Request;

/// Which of an object's owners are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OwnerSelection {
    /// The controller.
    #[default]
    Controller,
    /// Every owner of the controller's kind.
    Every,
}

#[derive(Debug, Clone)]
pub(crate) struct OwnerMap {
    pub(crate) owner: ResourceKind,
    pub(crate) owners: OwnerSelection,
}

/// The index by uid of the controller's own cache.
const UID_INDEX: &str = "tidings-controller/uid";

/// The objects of the controller's own kind, by uid.
pub(crate) struct CachedOwners(Reader);

/// The part of an object that contains its owner references.
#[derive(Deserialize)]
struct OwnedObject {
    metadata: OwnedMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnedMetadata {
    #[serde(default)]
    owner_references: Vec<OwnerName>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnerName {
    api_version: String,
    kind: String,
    name: String,
    #[serde(default)]
    controller: bool,
}

impl CachedOwners {
    /// Adds the index to an informer. All controllers of one kind share the index.
    pub(crate) fn of(own: &SharedInformer<()>) -> Self {
        let uid = |object: &RawObject| match object.uid() {
            "" => Vec::new(),
            uid => vec![uid.to_owned()],
        };
        // An error if another controller has added the index, which serves as well, or if the informer has stopped.
        // Then no owner is found in the index, and the references are read from the body.
        let _ = own.add_index(Index::raw(UID_INDEX, uid));
        CachedOwners(own.reader().clone())
    }

    /// A request for the owner of `object` with this uid. `None` if it is not cached or in another namespace.
    fn request(&self, uid: &str, object: &RawObject) -> Option<Request> {
        let owner = self.0.one_by_index(UID_INDEX, uid).ok()??;
        let is_same_namespace =
            owner.namespace().is_none_or(|namespace| object.namespace() == Some(namespace));
        is_same_namespace.then(|| Request::from(owner.key()))
    }
}

/// Whether both have the same owners and the same controller.
fn have_same_owners(one: &RawObject, other: &RawObject) -> bool {
    one.controller_uid() == other.controller_uid() && one.owner_uids().eq(other.owner_uids())
}

impl OwnerMap {
    /// Requests the owners of the old and of the new object: a change of the owner concerns both.
    pub(crate) fn into_map<K: 'static>(self, cached: CachedOwners) -> RequestMap<K> {
        Box::new(move |notification| {
            let mut requests = match notification {
                // Most changes keep the owners. Then one of the two objects is enough if the owners are cached. If not,
                // both are read: equal uids may have different names.
                Notification::Updated { old, new: newest, .. }
                | Notification::Deleted { old, object: newest, .. }
                    if have_same_owners(old, newest) =>
                {
                    let by_name = || notification.objects().flat_map(|object| self.named(object)).collect();
                    self.cached(&cached, newest).unwrap_or_else(by_name)
                }
                _ => {
                    let owners_of =
                        |object| self.cached(&cached, object).unwrap_or_else(|| self.named(object));
                    notification.objects().flat_map(|object| owners_of(object)).collect()
                }
            };
            requests.sort();
            requests.dedup();
            requests
        })
    }

    /// Requests for the owners, if all of them are cached.
    fn cached(&self, cached: &CachedOwners, object: &RawObject) -> Option<Vec<Request>> {
        let request = |uid| cached.request(uid, object);
        match self.owners {
            OwnerSelection::Controller => object.controller_uid().into_iter().map(request).collect(),
            OwnerSelection::Every => object.owner_uids().map(request).collect(),
        }
    }

    /// Requests for the owners in the body. None if it can't be read, which the informer has already reported.
    fn named(&self, object: &RawObject) -> Vec<Request> {
        let Ok(owned) = object.view::<OwnedObject>() else { return Vec::new() };
        let references = owned.metadata.owner_references.into_iter();
        references.filter_map(|reference| self.request(object, &reference)).collect()
    }

    fn request(&self, object: &RawObject, reference: &OwnerName) -> Option<Request> {
        // The version may differ: an object is the same in all versions of its API group.
        let group = reference.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let is_kind = group == self.owner.group && reference.kind == self.owner.kind;
        if !is_kind || (self.owners == OwnerSelection::Controller && !reference.controller) {
            return None;
        }
        let namespace = match self.owner.scope {
            Scope::Namespaced => Some(object.namespace()?),
            Scope::Cluster => None,
        };
        Request::new(namespace, &reference.name).ok()
    }
}
