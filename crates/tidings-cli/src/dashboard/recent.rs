//! Recent history of the dashboard: notifications since the last sample, samples of the last minutes, and the last change of
//! each object. Each part is bounded; the oldest entries are evicted first.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use kube_core::dynamic::DynamicObject;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tidings::Notification;
use tokio::time::Instant;

use crate::diff;
use crate::format::{CachedObject, value};

/// How many notifications one sample contains. The rest are only counted.
const NOTIFICATIONS_MAX: usize = 50;
/// How many changed fields a notification lists.
const FIELDS_MAX: usize = 3;
/// How many samples a page receives when it is opened: five minutes.
const SAMPLES_MAX: usize = 300;
const SAMPLES_BYTES_MAX: usize = 4 << 20;
/// For how many objects the previous version is kept, to show their last change.
const CHANGES_MAX: usize = 2_000;
const CHANGES_BYTES_MAX: usize = 16 << 20;

/// The recent history, shared by the sampler and the HTTP handlers.
#[derive(Default)]
pub(super) struct Recent {
    state: Mutex<RecentState>,
}

/// The last change of an object.
#[derive(Clone)]
pub(super) struct LastChange {
    pub(super) old: CachedObject,
    pub(super) new: CachedObject,
    pub(super) at: Instant,
}

/// The notifications since the last sample.
#[derive(Default)]
pub(super) struct RecentNotifications {
    pub(super) notifications: Vec<Value>,
    pub(super) omitted: u64,
}

#[derive(Default)]
struct RecentState {
    fresh: RecentNotifications,
    samples: VecDeque<Arc<str>>,
    samples_bytes: usize,
    changes: LastChanges,
}

impl Recent {
    /// Records a notification about an object of `resource`.
    pub(super) fn record(&self, resource: &str, event: &Notification<DynamicObject>) {
        let notification = match event {
            Notification::Added { is_initial: true, .. } => return,
            Notification::Added { object, .. } => {
                self.state.lock().changes.forget(resource, object.key().as_str());
                json!({ "event": "add", "resource": resource, "key": object.key().as_str() })
            }
            // A resync delivers the same version again.
            Notification::Updated { old, new, .. } if old.version() == new.version() => return,
            Notification::Updated { old, new, .. } => {
                let change = LastChange { old: old.clone(), new: new.clone(), at: Instant::now() };
                let mut state = self.state.lock();
                state.changes.keep(resource, change);
                if state.fresh.is_full() {
                    state.fresh.omitted += 1;
                    return;
                }
                drop(state);
                json!({
                    "event": "update", "resource": resource, "key": new.key().as_str(),
                    "changes": fields(old, new),
                })
            }
            Notification::Deleted { object: gone, .. } => {
                self.state.lock().changes.forget(resource, gone.key().as_str());
                json!({ "event": "delete", "resource": resource, "key": gone.key().as_str() })
            }
        };
        self.state.lock().fresh.push(notification);
    }

    /// Takes the notifications since the previous call.
    pub(super) fn take_notifications(&self) -> RecentNotifications {
        std::mem::take(&mut self.state.lock().fresh)
    }

    /// Stores a sample for pages that are opened later.
    pub(super) fn keep_sample(&self, sample: Arc<str>) {
        let mut state = self.state.lock();
        state.samples_bytes += sample.len();
        state.samples.push_back(sample);
        while state.samples.len() > SAMPLES_MAX || state.samples_bytes > SAMPLES_BYTES_MAX {
            let Some(oldest) = state.samples.pop_front() else { break };
            state.samples_bytes -= oldest.len();
        }
    }

    /// The stored samples, oldest first.
    pub(super) fn samples(&self) -> Vec<Arc<str>> {
        self.state.lock().samples.iter().cloned().collect()
    }

    /// The last change of an object, if it is still stored.
    pub(super) fn last_change(&self, resource: &str, key: &str) -> Option<LastChange> {
        self.state.lock().changes.of(resource, key)
    }
}

/// The first fields that changed.
fn fields(old: &CachedObject, new: &CachedObject) -> Vec<String> {
    let (old, new) = (value(old), value(new));
    diff::between(&old, &new).iter().take(FIELDS_MAX).map(ToString::to_string).collect()
}

impl RecentNotifications {
    fn is_full(&self) -> bool {
        self.notifications.len() >= NOTIFICATIONS_MAX
    }

    fn push(&mut self, notification: Value) {
        if self.is_full() {
            self.omitted += 1;
        } else {
            self.notifications.push(notification);
        }
    }
}

/// The last change of each object, in order of age. `ages` finds the entry of an object.
#[derive(Default)]
struct LastChanges {
    by_age: BTreeMap<u64, (ObjectId, LastChange)>,
    ages: HashMap<ObjectId, u64>,
    next_age: u64,
    bytes: usize,
}

/// A resource and a key.
type ObjectId = (String, String);

impl LastChanges {
    fn keep(&mut self, resource: &str, change: LastChange) {
        self.forget(resource, change.new.key().as_str());
        let place = (resource.to_owned(), change.new.key().as_str().to_owned());
        self.bytes += bytes(&change);
        self.ages.insert(place.clone(), self.next_age);
        self.by_age.insert(self.next_age, (place, change));
        self.next_age += 1;
        while self.by_age.len() > CHANGES_MAX || self.bytes > CHANGES_BYTES_MAX {
            let Some((_, (oldest, change))) = self.by_age.pop_first() else { break };
            self.ages.remove(&oldest);
            self.bytes -= bytes(&change);
        }
    }

    fn forget(&mut self, resource: &str, key: &str) {
        let age = self.ages.remove(&(resource.to_owned(), key.to_owned()));
        if let Some((_, change)) = age.and_then(|age| self.by_age.remove(&age)) {
            self.bytes -= bytes(&change);
        }
    }

    fn of(&self, resource: &str, key: &str) -> Option<LastChange> {
        let age = self.ages.get(&(resource.to_owned(), key.to_owned()))?;
        self.by_age.get(age).map(|(_, change)| change.clone())
    }
}

fn bytes(change: &LastChange) -> usize {
    change.old.memory_bytes() + change.new.memory_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_samples_are_evicted_when_there_are_too_many_or_they_are_too_large() {
        let recent = Recent::default();
        for number in 0..SAMPLES_MAX + 2 {
            recent.keep_sample(number.to_string().into());
        }
        let kept = recent.samples();
        assert_eq!((kept.len(), &*kept[0]), (SAMPLES_MAX, "2"));
        recent.keep_sample("x".repeat(SAMPLES_BYTES_MAX).into());
        assert_eq!(recent.samples().len(), 1);
        recent.keep_sample("y".into());
        assert_eq!(recent.samples(), [Arc::from("y")]);
    }

    #[test]
    fn notifications_beyond_the_limit_are_counted() {
        let mut fresh = RecentNotifications::default();
        for number in 0..NOTIFICATIONS_MAX + 3 {
            fresh.push(json!(number));
        }
        assert_eq!((fresh.notifications.len(), fresh.omitted), (NOTIFICATIONS_MAX, 3));
    }
}
