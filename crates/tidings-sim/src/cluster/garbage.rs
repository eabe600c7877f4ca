//! Deletes objects whose owners are all gone, as the garbage collector of a cluster does.
//!
//! The API server deletes the dependents of a deleted owner itself. What is created for an owner that is already gone is
//! left to this. If the garbage collector is a process of the simulation, this does nothing.

use std::collections::BTreeSet;

use http::Method;
use serde_json::Value;
use tidings_apiserver::GarbageCollection;

use super::Cluster;

impl Cluster {
    /// Deletes objects whose owners do not exist. Returns whether there were any.
    pub(super) async fn collect_garbage(&self) -> bool {
        if self.server.garbage_collection() == GarbageCollection::External {
            return false;
        }
        let objects = self.objects();
        let uids: BTreeSet<&str> =
            objects.iter().filter_map(|(_, object)| object["metadata"]["uid"].as_str()).collect();
        let is_garbage = |object: &Value| {
            let owners = object["metadata"]["ownerReferences"].as_array().filter(|owners| !owners.is_empty());
            let is_gone = |owner: &Value| owner["uid"].as_str().is_none_or(|uid| !uids.contains(uid));
            owners.is_some_and(|owners| owners.iter().all(is_gone))
                && object["metadata"]["deletionTimestamp"].is_null()
        };
        let garbage: Vec<&str> = objects
            .iter()
            .filter(|(_, object)| is_garbage(object))
            .filter_map(|(_, object)| object["metadata"]["uid"].as_str())
            .collect();
        if garbage.is_empty() {
            return false;
        }
        let created = self.created();
        let mut has_deleted = false;
        for uid in garbage {
            let Some(created) = created.iter().find(|created| created.uid == uid) else { continue };
            self.line("", format!("the owner of {} {} is gone", created.resource, created.key));
            self.outside(Method::DELETE, &created.path, Value::Null).await;
            has_deleted = true;
        }
        has_deleted
    }
}
