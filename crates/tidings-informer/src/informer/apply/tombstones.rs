//! Which objects went not long ago. An event about one of them that is older than its end is a replay: nobody may
//! see it come back to life.
//!
//! A uid alone does not tell: an object that leaves a selector is told as deleted, and may enter it again later.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use tidings_object::RawObject;

/// How many are remembered. Replays follow closely on what they repeat.
const GRAVES_MAX: usize = 1024;

const HASHER: FixedState = FixedState::with_seed(0);

/// The last objects that went, with the version at which each did.
#[derive(Debug, Default)]
pub(crate) struct Graves {
    ends: HashMap<u64, u64>,
    oldest_first: VecDeque<u64>,
}

impl Graves {
    /// Remembers that an object went. One without a uid or an order of versions can't be told from another.
    pub(crate) fn bury(&mut self, object: &RawObject) {
        let (Some(end), false) = (object.version().number(), object.uid().is_empty()) else { return };
        let uid = HASHER.hash_one(object.uid());
        if self.ends.insert(uid, end).is_none() {
            self.oldest_first.push_back(uid);
        }
        if self.oldest_first.len() > GRAVES_MAX
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.ends.remove(&oldest);
        }
    }

    /// Whether an event about this object is older than its end.
    pub(crate) fn is_replay(&self, object: &RawObject) -> bool {
        if self.ends.is_empty() {
            return false;
        }
        let end = self.ends.get(&HASHER.hash_one(object.uid()));
        end.zip(object.version().number()).is_some_and(|(end, version)| version <= *end)
    }

    /// A server that was restored gives versions out again.
    pub(crate) fn forget(&mut self) {
        *self = Graves::default();
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
    fn what_is_older_than_an_objects_end_is_a_replay_and_nothing_else_is() {
        let mut graves = Graves::default();
        graves.bury(&pod("a", 7));
        assert!(graves.is_replay(&pod("a", 5)) && graves.is_replay(&pod("a", 7)));
        assert!(!graves.is_replay(&pod("a", 8)), "it entered a selector again");
        assert!(!graves.is_replay(&pod("b", 5)));
        graves.bury(&pod("", 7));
        assert!(!graves.is_replay(&pod("", 5)));
        graves.forget();
        assert!(!graves.is_replay(&pod("a", 5)));
    }

    #[test]
    fn only_so_many_are_remembered() {
        let mut graves = Graves::default();
        for version in 0..5000 {
            graves.bury(&pod(&format!("uid-{version}"), version));
            graves.bury(&pod(&format!("uid-{version}"), version));
        }
        assert_eq!((graves.ends.len(), graves.oldest_first.len()), (GRAVES_MAX, GRAVES_MAX));
        assert!(graves.is_replay(&pod("uid-4999", 1)) && !graves.is_replay(&pod("uid-1", 1)));
    }
}
