//! Deletes the objects that a controller applied for an owner and no longer wants.
//!
//! Candidates come from an index of owners, which the first use adds; until it is built, all objects are read. A
//! candidate is deleted if the owner controls it, this controller has applied it, and it is not in the set. Its uid and
//! version are preconditions of the deletion, so that an object that got another owner meanwhile stays.

use std::sync::Arc;

use kube_core::params::{DeleteParams, Preconditions};
use tidings_informer::indexer::{Index, IndexError};
use tidings_object::RawObject;

use super::covers::is_applied_by;
use super::{Owner, json_of};
use crate::caches::ControllerCache;
use crate::context::Context;
use crate::error::ControllerError;

/// The index from the uid of an owner to its objects.
const OWNER_INDEX: &str = "tidings-controller/owner";

impl Context {
    /// The number of objects that were deleted.
    pub(super) async fn prune(
        &self,
        owner: &Owner,
        is_wanted: impl Fn(&ControllerCache, &RawObject) -> bool,
    ) -> Result<usize, ControllerError> {
        let mut deleted = 0;
        for cache in self.caches().owned() {
            for object in owned_objects(cache, &owner.reference.uid) {
                let is_ours = object.controller_uid() == Some(&owner.reference.uid);
                if !is_ours || object.deletion_timestamp().is_some() || is_wanted(cache, &object) {
                    continue;
                }
                let resource = cache.informer.resource();
                let applied = is_applied_by(&json_of(&object)?, self.controller());
                if applied
                    .ok_or_else(|| ControllerError::NoManagedFields { resource: resource.to_string() })?
                {
                    self.delete_object(cache, &object).await?;
                    deleted += 1;
                }
            }
        }
        Ok(deleted)
    }

    /// Deletes one object, if it is still the one in the cache.
    async fn delete_object(
        &self,
        cache: &ControllerCache,
        object: &RawObject,
    ) -> Result<(), ControllerError> {
        let mut api = self.api_of(cache.informer.resource().clone());
        if let Some(namespace) = object.namespace() {
            api = api.namespace(namespace);
        }
        let (uid, version) = (object.uid().to_owned(), object.version().to_string());
        let preconditions = Some(Preconditions { uid: Some(uid), resource_version: Some(version) });
        let params = DeleteParams { preconditions, ..DeleteParams::default() };
        match api.delete_with(object.name(), &params).await {
            Ok(_) => Ok(()),
            // It was deleted, or it has changed. The cache will show that, and the change requests the owner.
            Err(kube_client::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
            Err(source) => Err(ControllerError::ChildRequest {
                verb: "deleting",
                object: format!("{} {}", cache.informer.resource(), object.key()),
                source: Box::new(source),
            }),
        }
    }
}

/// The objects of an owner in one cache.
///
/// The cache may lag. An object that it does not show yet is deleted later: its arrival requests the owner.
fn owned_objects(cache: &ControllerCache, owner_uid: &str) -> Vec<Arc<RawObject>> {
    let reader = cache.informer.reader();
    match reader.by_index(OWNER_INDEX, owner_uid) {
        Ok(objects) => return objects,
        // Another reconcile may add it first. It is built in the background.
        Err(IndexError::Unknown { .. }) => drop(cache.informer.add_index(Index::owner(OWNER_INDEX))),
        Err(_) => {}
    }
    let mut objects = reader.list();
    objects.retain(|object| object.owner_uids().any(|uid| uid == owner_uid));
    objects
}
