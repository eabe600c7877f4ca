//! Requests for the owners of an object. Whether it has any is known from its identity; who they are is read from its body.

use serde::Deserialize;
use tidings_object::{RawObject, ResourceKind, Scope};

use super::Map;
use crate::predicate::Change;
use crate::request::Request;

/// Which of an object's owners are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Owners {
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
    pub(crate) owners: Owners,
}

/// The part of an object that names its owners.
#[derive(Deserialize)]
struct Owned {
    metadata: Metadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    owner_references: Vec<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    api_version: String,
    kind: String,
    name: String,
    #[serde(default)]
    controller: bool,
}

impl OwnerMap {
    /// The owners of what was and of what is: an object that changes hands concerns both.
    pub(crate) fn into_map<K: 'static>(self) -> Map<K> {
        Box::new(move |change| {
            let mut requests = match change {
                // Most updates leave the owners alone, and then there is only one body to look into.
                Change::Updated { old, new } if old.owner_uids().eq(new.owner_uids()) => self.owners_of(new),
                _ => change.objects().flat_map(|object| self.owners_of(object)).collect(),
            };
            requests.sort();
            requests.dedup();
            requests
        })
    }

    /// Nobody, if the body can't be read: the informer has reported that.
    fn owners_of(&self, object: &RawObject) -> Vec<Request> {
        let has_owner = match self.owners {
            Owners::Controller => object.controller_uid().is_some(),
            Owners::Every => object.owner_uids().next().is_some(),
        };
        if !has_owner {
            return Vec::new();
        }
        let Ok(owned) = object.view::<Owned>() else { return Vec::new() };
        let references = owned.metadata.owner_references.into_iter();
        references.filter_map(|reference| self.request(object, &reference)).collect()
    }

    fn request(&self, object: &RawObject, reference: &Reference) -> Option<Request> {
        // The version may be another one: an object is the same in all versions of its group.
        let group = reference.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let is_kind = group == self.owner.group && reference.kind == self.owner.kind;
        if !is_kind || (self.owners == Owners::Controller && !reference.controller) {
            return None;
        }
        let namespace = match self.owner.scope {
            Scope::Namespaced => Some(object.namespace()?),
            Scope::Cluster => None,
        };
        Request::new(namespace, &reference.name).ok()
    }
}
