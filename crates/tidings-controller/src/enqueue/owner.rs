//! Requests for the owners of an object. Whether it has any, and their uids, are known from its identity; which keys these
//! have is known to the controller's own cache. Only if an owner is not in there, its body is read.

use serde::Deserialize;
use tidings_informer::indexer::{Index, Reader};
use tidings_informer::informer::{Notification, SharedInformer};
use tidings_object::{RawObject, ResourceKind, Scope};

use super::RequestMap;
use crate::request::Request;

/// Which of an object's owners are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OwnerSelection {
    /// The one that controls it.
    #[default]
    Controller,
    /// Every one of the right kind.
    Every,
}

/// Finds the owners of one kind.
#[derive(Debug, Clone)]
pub(crate) struct OwnerMap {
    pub(crate) owner: ResourceKind,
    pub(crate) owners: OwnerSelection,
}

/// The index of the controller's own cache by which owners are found.
const UID_INDEX: &str = "tidings-controller/uid";

/// The objects that the controller is for, by uid.
pub(crate) struct CachedOwners(Reader);

/// The part of an object that names its owners.
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
    /// The objects of an informer. The index is shared by all controllers of its kind.
    pub(crate) fn of(own: &SharedInformer<()>) -> Self {
        let uid = |object: &RawObject| match object.uid() {
            "" => Vec::new(),
            uid => vec![uid.to_owned()],
        };
        // Refused if another controller has added it, which is as good, or if the informer has stopped: then nothing is
        // found, and bodies are read.
        let _ = own.add_index(Index::raw(UID_INDEX, uid));
        CachedOwners(own.reader().clone())
    }

    /// A request for the owner of `object` with that uid, unless it is not cached, of another kind, or where it can't own it.
    fn request(&self, uid: &str, object: &RawObject) -> Option<Request> {
        let owner = self.0.one_by_index(UID_INDEX, uid).ok()??;
        let is_near = owner.namespace().is_none_or(|namespace| object.namespace() == Some(namespace));
        is_near.then(|| Request::from(owner.key()))
    }
}

/// Whether both have the same owners, and the same one of them controls both. A uid names one object for ever.
fn have_same_owners(one: &RawObject, other: &RawObject) -> bool {
    one.controller_uid() == other.controller_uid() && one.owner_uids().eq(other.owner_uids())
}

impl OwnerMap {
    /// The owners of what was and of what is: an object that changes hands concerns both.
    pub(crate) fn into_map<K: 'static>(self, cached: CachedOwners) -> RequestMap<K> {
        Box::new(move |notification| {
            let owners_of = |object| self.cached(&cached, object).unwrap_or_else(|| self.named(object));
            let mut requests = match notification {
                // Most changes leave the owners alone, and then there is only one object to look into.
                Notification::Updated { old, new: newest, .. }
                | Notification::Deleted { old, object: newest, .. }
                    if have_same_owners(old, newest) =>
                {
                    owners_of(newest)
                }
                _ => notification.objects().flat_map(|object| owners_of(object)).collect(),
            };
            requests.sort();
            requests.dedup();
            requests
        })
    }

    /// The owners, if all of them are cached.
    fn cached(&self, cached: &CachedOwners, object: &RawObject) -> Option<Vec<Request>> {
        let request = |uid| cached.request(uid, object);
        match self.owners {
            OwnerSelection::Controller => object.controller_uid().into_iter().map(request).collect(),
            OwnerSelection::Every => object.owner_uids().map(request).collect(),
        }
    }

    /// The owners that the body names. Nobody, if it can't be read: the informer has reported that.
    fn named(&self, object: &RawObject) -> Vec<Request> {
        let Ok(owned) = object.view::<OwnedObject>() else { return Vec::new() };
        let references = owned.metadata.owner_references.into_iter();
        references.filter_map(|reference| self.request(object, &reference)).collect()
    }

    fn request(&self, object: &RawObject, reference: &OwnerName) -> Option<Request> {
        // The version may be another one: an object is the same in all versions of its group.
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
