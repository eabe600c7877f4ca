//! Saves and restores the whole state of a store.
//!
//! After a restore the store assigns versions again that it had assigned before, as etcd does after a restore from a
//! backup. For a client's cache this is the hardest case: equal versions do not mean equal objects. Running watches
//! end.

use std::collections::{BTreeSet, HashMap};

use super::object_set::ObjectSet;
use super::{Store, StoreState};

/// The state of a server at one version, for [`ApiServer::restore`](crate::ApiServer::restore). Shares all objects with
/// the server.
#[derive(Clone, Debug)]
pub struct SavedState {
    version: u64,
    objects: HashMap<Box<str>, ObjectSet>,
}

impl SavedState {
    pub(super) fn of(state: &StoreState) -> Self {
        let objects = state.resources.iter().map(|(name, resource)| (name.clone(), resource.objects.clone()));
        SavedState { version: state.version, objects: objects.collect() }
    }

    /// The version at which the state was saved.
    pub fn version(&self) -> u64 {
        self.version
    }
}

impl Store {
    pub(crate) fn save(&self) -> SavedState {
        SavedState::of(&self.state.lock())
    }

    /// Goes back to a saved state and its version, and ends all watches.
    pub(crate) fn restore(&self, saved: &SavedState) {
        let mut state = self.state.lock();
        state.version = saved.version;
        // In a fixed order: watchers are woken in this order, and a simulation must be repeatable.
        let names: BTreeSet<_> = state.resources.keys().chain(saved.objects.keys()).cloned().collect();
        for name in names {
            let objects = saved.objects.get(&name).cloned().unwrap_or_default();
            let resource = state.resource(&name);
            resource.objects = objects;
            resource.history.rewind(saved.version);
            resource.epoch += 1;
            resource.draining = None;
            resource.changed.send_replace(saved.version);
        }
        state.recount_owners();
        self.newest.send_replace(saved.version);
    }
}

impl StoreState {
    fn recount_owners(&mut self) {
        self.owned.clear();
        let owned: Vec<_> = self
            .resources
            .values()
            .flat_map(|r| r.objects.iter())
            .filter(|o| o.has_owners())
            .cloned()
            .collect();
        for object in owned {
            self.count_owners(&object, 1);
        }
    }
}
