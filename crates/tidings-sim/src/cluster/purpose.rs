//! Counts how many objects exist at the same time for one purpose. More than in the undisturbed execution means that
//! something was created twice.
//!
//! The purpose of an object is its resource, namespace, controlling owner and `generateName`. An object with neither an
//! owner nor a generated name has a purpose of its own, and the server refuses to create it twice.

use std::collections::BTreeMap;

use serde_json::Value;
use tidings_apiserver::ApiServer;

use super::Created;

#[derive(Debug, Default)]
pub(crate) struct Purposes(BTreeMap<String, Purpose>);

#[derive(Debug, Default)]
struct Purpose {
    most: usize,
    /// The keys of the objects that may exist.
    keys: Vec<String>,
}

impl Purposes {
    /// Counts a new object.
    pub(crate) fn created(&mut self, server: &ApiServer, created: &Created, object: &Value) {
        let Some(name) = purpose(created, object) else { return };
        let purpose = self.0.entry(name).or_default();
        if purpose.keys.contains(&created.key) {
            return; // it was deleted and created again
        }
        purpose.keys.push(created.key.clone());
        if purpose.keys.len() <= purpose.most {
            return;
        }
        // Only now is it worth looking which of them still exist.
        purpose.keys.retain(|key| {
            let found = server.object(&created.resource, key);
            found.is_some_and(|object| object["metadata"]["deletionTimestamp"].is_null())
        });
        purpose.most = purpose.most.max(purpose.keys.len());
    }

    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        self.0.iter().map(|(name, purpose)| (name.clone(), purpose.most)).collect()
    }
}

fn purpose(created: &Created, object: &Value) -> Option<String> {
    let metadata = &object["metadata"];
    let owners = metadata["ownerReferences"].as_array();
    let owner = owners.and_then(|owners| owners.iter().find(|owner| owner["controller"] == true));
    let owner = owner.map(|owner| {
        let text = |field: &str| owner[field].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("kind"), text("name"))
    });
    let generated = metadata["generateName"].as_str().filter(|prefix| !prefix.is_empty());
    if owner.is_none() && generated.is_none() {
        return None;
    }
    let namespace = metadata["namespace"].as_str().unwrap_or_default();
    let owner = owner.map(|owner| format!(" of {owner}")).unwrap_or_default();
    let generated = generated.map(|prefix| format!(" ({prefix}*)")).unwrap_or_default();
    Some(format!("{} in {namespace:?}{owner}{generated}", created.resource))
}
