//! Going back in time: a store's whole state, kept to be restored later.
//!
//! After a restore versions are given out again, as after an etcd restored from a backup: the hardest thing that a
//! client's cache can meet. Running watches end.

use std::collections::{BTreeSet, HashMap};

use super::object_set::ObjectSet;
use super::{Store, StoreState};

/// A store's state at one version. Shares all bodies with the store.
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

    /// The version it was saved at.
    pub fn version(&self) -> u64 {
        self.version
    }
}

impl Store {
    /// The state now, to be restored later.
    pub(crate) fn save(&self) -> SavedState {
        SavedState::of(&self.state.lock())
    }

    /// Goes back to an earlier state, its version included, and ends all watches.
    pub(crate) fn restore(&self, saved: &SavedState) {
        let mut state = self.state.lock();
        state.version = saved.version;
        // In an order that does not depend on hashes: watchers end in it.
        let names: BTreeSet<_> = state.resources.keys().chain(saved.objects.keys()).cloned().collect();
        for name in names {
            let objects = saved.objects.get(&name).cloned().unwrap_or_default();
            let resource = state.resource(&name);
            resource.objects = objects;
            resource.history.rewind(saved.version);
            resource.epoch += 1;
            resource.draining = None;
            resource.changed.send(saved.version);
        }
        state.recount_owners();
        self.newest.send(saved.version);
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
