//! Remembers recent deletions. An event about a deleted object that is not newer than its deletion is a replay, and
//! must not bring the object back.
//!
//! The uid alone is not enough: an object that stops matching a selector is reported as deleted, and may match again
//! later, with the same uid and a newer version. Example: after the deletion of uid `a` at version 7, an event of `a`
//! at version 5 or 7 is a replay, and one at version 8 is not.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use tidings_object::RawObject;

/// The number of remembered deletions. Replays follow soon after the events that they repeat.
const TOMBSTONES_MAX: usize = 1024;

const HASHER: FixedState = FixedState::with_seed(0);

/// The last deletions: hash of the uid, and version of the deletion.
#[derive(Debug, Default)]
pub(crate) struct Tombstones {
    deleted_at: HashMap<u64, u64>,
    oldest_first: VecDeque<u64>,
}

impl Tombstones {
    /// Remembers a deletion. An object without a uid, or whose version has no order, can't be recognised and is not
    /// remembered.
    pub(crate) fn insert(&mut self, object: &RawObject) {
        let (Some(end), false) = (object.version().number(), object.uid().is_empty()) else { return };
        let uid = HASHER.hash_one(object.uid());
        if self.deleted_at.insert(uid, end).is_none() {
            self.oldest_first.push_back(uid);
        }
        if self.oldest_first.len() > TOMBSTONES_MAX
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.deleted_at.remove(&oldest);
        }
    }

    /// Whether an event about this object is not newer than its deletion.
    pub(crate) fn is_replay(&self, object: &RawObject) -> bool {
        if self.deleted_at.is_empty() {
            return false;
        }
        let end = self.deleted_at.get(&HASHER.hash_one(object.uid()));
        end.zip(object.version().number()).is_some_and(|(end, version)| version <= *end)
    }

    /// Forgets all. Needed when the server was restored from a backup, because it then uses the same versions again.
    pub(crate) fn clear(&mut self) {
        *self = Tombstones::default();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidings_object::Kind;
    use tidings_source::scripted::object;

    use super::*;

    fn pod(uid: &str, version: u64) -> std::sync::Arc<RawObject> {
        let resource = k8s_openapi::api::core::v1::Pod::resource();
        object(&resource, Some("default"), "web", version, uid, json!({}))
    }

    // holds: X25
    #[test]
    fn only_an_event_not_newer_than_the_deletion_is_a_replay() {
        let mut tombstones = Tombstones::default();
        tombstones.insert(&pod("a", 7));
        assert!(tombstones.is_replay(&pod("a", 5)) && tombstones.is_replay(&pod("a", 7)));
        assert!(!tombstones.is_replay(&pod("a", 8)), "it entered a selector again");
        assert!(!tombstones.is_replay(&pod("b", 5)));
        tombstones.insert(&pod("", 7));
        assert!(!tombstones.is_replay(&pod("", 5)));
        tombstones.clear();
        assert!(!tombstones.is_replay(&pod("a", 5)));
    }

    #[test]
    fn only_so_many_are_remembered() {
        let mut tombstones = Tombstones::default();
        for version in 0..5000 {
            tombstones.insert(&pod(&format!("uid-{version}"), version));
            tombstones.insert(&pod(&format!("uid-{version}"), version));
        }
        assert_eq!(
            (tombstones.deleted_at.len(), tombstones.oldest_first.len()),
            (TOMBSTONES_MAX, TOMBSTONES_MAX)
        );
        assert!(tombstones.is_replay(&pod("uid-4999", 1)) && !tombstones.is_replay(&pod("uid-1", 1)));
    }
}
