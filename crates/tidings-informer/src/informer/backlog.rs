//! What a handler has not been told yet, bounded.
//!
//! Up to `merge_above` notifications all are kept, in order over all objects. Past it, a notification merges
//! into the pending one of the same object, which keeps its place: so the last state is never lost, and a
//! handler that stalls for ever costs at most `merge_above` entries and two for each object.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use tokio::time::Instant;

use super::notification::{Notification, RawNotification};

/// The pending notifications of one handler.
#[derive(Debug)]
pub(super) struct Backlog {
    /// `None` where an addition and its deletion cancelled each other out; never `None` at either end.
    entries: VecDeque<Option<Entry>>,
    /// The number of the first entry; an entry's number never changes.
    first: u64,
    live: usize,
    merge_above: usize,
    merges: u64,
    /// The number of the newest entry of each object. It exists only while the bound is passed: most
    /// handlers keep up, and pay nothing for it.
    newest: Option<HashTable<u64>>,
    /// Seeded by chance: whoever may create objects must not choose names that collide. The table is never iterated, so chance
    /// decides nothing but its layout.
    hasher: RandomState,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) notification: RawNotification,
    /// When the oldest of what was merged into it came in.
    pub(super) since: Instant,
}

/// What became of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pushed {
    /// It waits for its turn.
    Kept,
    /// It became part of one that already waits.
    Merged,
    /// An addition that nobody had heard of yet and its deletion: neither will be told. Says whether the
    /// addition was an initial one.
    Vanished { was_initial: bool },
}

impl Backlog {
    pub(super) fn new(merge_above: usize) -> Self {
        Backlog {
            entries: VecDeque::new(),
            first: 0,
            live: 0,
            merge_above,
            merges: 0,
            newest: None,
            hasher: RandomState::default(),
        }
    }

    /// How many notifications wait.
    pub(super) fn len(&self) -> usize {
        self.live
    }

    /// How many were merged so far.
    pub(super) fn merges(&self) -> u64 {
        self.merges
    }

    /// Since when the oldest waits.
    pub(super) fn oldest_since(&self) -> Option<Instant> {
        self.entries.front().and_then(Option::as_ref).map(|entry| entry.since)
    }

    /// Bytes that it takes, the objects themselves apart.
    pub(super) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Option<Entry>>()
            + self.newest.as_ref().map_or(0, |newest| newest.capacity() * size_of::<u64>())
    }

    pub(super) fn push(&mut self, notification: RawNotification, now: Instant) -> Pushed {
        if self.live < self.merge_above {
            return self.append(notification, now);
        }
        self.remember_newest();
        let Some(number) = self.newest_of(&notification.key()) else { return self.append(notification, now) };
        let at = (number - self.first) as usize;
        let entry = self.entries[at].as_mut().expect("the newest entry of an object is live");
        match merge(&entry.notification, &notification) {
            Merge::Into(merged) => {
                entry.notification = merged;
                self.merges += 1;
                Pushed::Merged
            }
            Merge::Vanish { was_initial } => {
                self.merges += 1;
                self.forget(at, number);
                Pushed::Vanished { was_initial }
            }
            Merge::Apart => self.append(notification, now),
        }
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?.expect("the first entry is live");
        if self.newest.is_some() {
            self.unlink(self.first, &entry.notification);
        }
        self.first += 1;
        self.live -= 1;
        self.trim();
        if self.live * 2 < self.merge_above {
            self.newest = None;
        }
        if self.live == 0 && self.entries.capacity() > self.merge_above.max(64).saturating_mul(4) {
            self.entries = VecDeque::new();
        }
        Some(entry)
    }

    /// Drops everything, and says how much that was.
    pub(super) fn clear(&mut self) -> usize {
        let dropped = self.live;
        *self = Backlog { merges: self.merges, ..Backlog::new(self.merge_above) };
        dropped
    }

    fn append(&mut self, notification: RawNotification, now: Instant) -> Pushed {
        let number = self.first + self.entries.len() as u64;
        if self.newest.is_some() {
            self.unlink_key(&notification.key());
            self.link(number, &notification.key());
        }
        self.entries.push_back(Some(Entry { notification, since: now }));
        self.live += 1;
        Pushed::Kept
    }

    /// Takes out an entry in the middle. Holes are closed once they outnumber what is live: a handler stalled
    /// under creation and deletion would otherwise collect them for ever.
    fn forget(&mut self, at: usize, number: u64) {
        let gone = self.entries[at].take().expect("the newest entry of an object is live");
        self.unlink(number, &gone.notification);
        self.live -= 1;
        self.trim();
        if self.entries.len() > 2 * self.live + 64 {
            self.entries.retain(Option::is_some);
            self.newest = None;
            self.remember_newest();
        }
    }

    fn trim(&mut self) {
        while matches!(self.entries.front(), Some(None)) {
            self.entries.pop_front();
            self.first += 1;
        }
        while matches!(self.entries.back(), Some(None)) {
            self.entries.pop_back();
        }
    }

    fn remember_newest(&mut self) {
        if self.newest.is_some() {
            return;
        }
        self.newest = Some(HashTable::with_capacity(self.live));
        for at in 0..self.entries.len() {
            let number = self.first + at as u64;
            let Some(entry) = &self.entries[at] else { continue };
            let key = entry.notification.object().clone();
            self.unlink_key(&key.key());
            self.link(number, &key.key());
        }
    }

    fn newest_of(&self, key: &str) -> Option<u64> {
        let newest = self.newest.as_ref()?;
        newest.find(self.hasher.hash_one(key), |number| self.key_at(*number) == Some(key)).copied()
    }

    fn key_at(&self, number: u64) -> Option<&str> {
        let at = number.checked_sub(self.first)? as usize;
        self.entries.get(at)?.as_ref().map(|entry| entry.notification.key().as_str())
    }

    fn link(&mut self, number: u64, key: &str) {
        let (first, entries, hasher) = (self.first, &self.entries, &self.hasher);
        if let Some(newest) = &mut self.newest {
            newest.insert_unique(hasher.hash_one(key), number, |number| {
                let entry = entries.get((number - first) as usize).and_then(Option::as_ref);
                hasher.hash_one(entry.map_or("", |entry| entry.notification.key().as_str()))
            });
        }
    }

    fn unlink_key(&mut self, key: &str) {
        let (first, entries) = (self.first, &self.entries);
        let Some(newest) = &mut self.newest else { return };
        let same = |number: &u64| {
            let entry = entries.get((number - first) as usize).and_then(Option::as_ref);
            entry.is_some_and(|entry| entry.notification.key().as_str() == key)
        };
        if let Ok(found) = newest.find_entry(self.hasher.hash_one(key), same) {
            found.remove();
        }
    }

    /// Forgets that `number` is the newest entry of its object. Its entry may be taken out already.
    fn unlink(&mut self, number: u64, notification: &RawNotification) {
        let Some(newest) = &mut self.newest else { return };
        let hash = self.hasher.hash_one(notification.key().as_str());
        if let Ok(found) = newest.find_entry(hash, |found| *found == number) {
            found.remove();
        }
    }
}

enum Merge {
    Into(RawNotification),
    Vanish { was_initial: bool },
    Apart,
}

/// What a pending notification and the next one of the same object become.
fn merge(pending: &RawNotification, next: &RawNotification) -> Merge {
    use Notification::{Added, Deleted, Updated};
    match (pending, next) {
        (Added { is_initial, .. }, Updated { new, .. } | Added { object: new, .. }) => {
            Merge::Into(Added { object: new.clone(), is_initial: *is_initial })
        }
        (Added { is_initial, .. }, Deleted { .. }) => Merge::Vanish { was_initial: *is_initial },
        (Updated { old, is_resync: first, .. }, Updated { new, is_resync: second, .. }) => {
            Merge::Into(Updated { old: old.clone(), new: new.clone(), is_resync: *first && *second })
        }
        (Updated { old, .. }, Deleted { object, is_final_state_unknown, .. }) => Merge::Into(Deleted {
            old: old.clone(),
            object: object.clone(),
            is_final_state_unknown: *is_final_state_unknown,
        }),
        // Deleted then added are two objects: a handler that cleans up must hear both.
        (Deleted { .. }, _) | (Updated { .. }, Added { .. }) => Merge::Apart,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;
    use tidings_object::{Kind, RawObject};
    use tidings_source::scripted::object;

    use super::*;

    fn pod(name: &str, version: u64) -> Arc<RawObject> {
        let resource = k8s_openapi::api::core::v1::Pod::resource();
        object(&resource, Some("default"), name, version, &format!("uid-{name}"), json!({}))
    }

    fn added(name: &str, version: u64) -> RawNotification {
        RawNotification::added(pod(name, version), false)
    }

    fn initial(name: &str, version: u64) -> RawNotification {
        RawNotification::added(pod(name, version), true)
    }

    fn updated(name: &str, old: u64, new: u64) -> RawNotification {
        RawNotification::updated(pod(name, old), pod(name, new))
    }

    fn resync(name: &str, version: u64) -> RawNotification {
        RawNotification::resync(pod(name, version))
    }

    fn deleted(name: &str, old: u64, version: u64) -> RawNotification {
        RawNotification::deleted(pod(name, old), pod(name, version), false)
    }

    #[test]
    fn its_figures_are_of_what_waits() {
        let mut backlog = Backlog::new(2);
        let figures = |backlog: &Backlog| (backlog.len(), backlog.merges(), backlog.oldest_since());
        assert_eq!((figures(&backlog), backlog.memory_bytes()), ((0, 0, None), 0));
        let began = Instant::now();
        let later = began + std::time::Duration::from_secs(1);
        backlog.push(added("a", 1), began);
        backlog.push(added("b", 2), later);
        let queued_bytes = backlog.entries.capacity() * size_of::<Option<Entry>>();
        assert_eq!(backlog.memory_bytes(), queued_bytes, "below the bound nothing is looked for");
        for version in 3..6 {
            backlog.push(updated("a", version - 1, version), later);
        }
        assert_eq!(figures(&backlog), (2, 3, Some(began)));
        let numbers =
            backlog.newest.as_ref().map(HashTable::capacity).expect("what merges is found by its key");
        assert_eq!(backlog.memory_bytes(), queued_bytes + 8 * numbers);
        backlog.push(added("c", 6), later);
        backlog.push(deleted("c", 6, 7), later);
        assert_eq!(figures(&backlog), (2, 4, Some(began)), "what came and went unheard merged too");
        backlog.pop();
        assert_eq!(figures(&backlog), (1, 4, Some(later)));
        assert_eq!((backlog.clear(), figures(&backlog)), (1, (0, 4, None)));
    }

    #[test]
    fn a_handler_that_has_caught_up_costs_what_it_did_before() {
        let mut backlog = Backlog::new(10);
        for name in 0..1_000 {
            backlog.push(added(&name.to_string(), 1), Instant::now());
        }
        while let live @ 1.. = backlog.len() {
            assert_eq!(backlog.newest.is_some(), live >= 5, "{live} wait");
            backlog.pop();
        }
        assert_eq!(backlog.memory_bytes(), 0, "what a burst needed is given back");
        backlog.push(added("a", 2), Instant::now());
        backlog.pop();
        assert_ne!(backlog.memory_bytes(), 0, "what every notification needs is kept");
    }

    #[test]
    fn holes_are_closed_once_they_outnumber_what_is_live() {
        let (mut backlog, now) = (Backlog::new(0), Instant::now());
        let names: Vec<_> = (0..500).map(|name| name.to_string()).collect();
        let first_to_last = ["first"].into_iter().chain(names.iter().map(String::as_str)).chain(["last"]);
        first_to_last.for_each(|name| _ = backlog.push(added(name, 1), now));
        for (gone, name) in names.iter().enumerate() {
            backlog.push(deleted(name, 1, 2), now);
            assert!(
                backlog.entries.len() <= 2 * backlog.len() + 64,
                "after {gone}: {}",
                backlog.entries.len()
            );
            assert!(gone > 250 || backlog.entries.len() == 502, "after {gone} they are still few");
        }
        let left = [backlog.pop(), backlog.pop(), backlog.pop()];
        let left: Vec<_> = left.iter().flatten().map(|entry| shown(&entry.notification)).collect();
        assert_eq!(left, ["add first@1", "add last@1"]);
    }

    fn shown(notification: &RawNotification) -> String {
        match notification {
            Notification::Added { object, is_initial } => {
                format!(
                    "{} {}@{}",
                    if *is_initial { "initial" } else { "add" },
                    object.name(),
                    object.version()
                )
            }
            Notification::Updated { old, new, is_resync } => {
                let word = if *is_resync { "resync" } else { "update" };
                format!("{word} {}@{}->{}", new.name(), old.version(), new.version())
            }
            Notification::Deleted { old, object, .. } => {
                format!("delete {}@{}->{}", object.name(), old.version(), object.version())
            }
        }
    }

    /// What comes out of a backlog that merges above `merge_above`.
    #[track_caller]
    fn check(merge_above: usize, pushed: Vec<RawNotification>, expected: &[&str]) {
        let mut backlog = Backlog::new(merge_above);
        for notification in pushed {
            backlog.push(notification, Instant::now());
        }
        let out: Vec<String> =
            std::iter::from_fn(|| backlog.pop()).map(|entry| shown(&entry.notification)).collect();
        assert_eq!(out, expected);
    }

    // holds: X11
    #[tokio::test]
    async fn up_to_the_bound_every_notification_is_kept_in_order() {
        let pushed =
            vec![added("a", 1), added("b", 2), updated("a", 1, 3), updated("a", 3, 4), deleted("b", 2, 5)];
        check(5, pushed, &["add a@1", "add b@2", "update a@1->3", "update a@3->4", "delete b@2->5"]);
    }

    // holds: X11
    #[tokio::test]
    async fn past_the_bound_notifications_of_one_object_merge_in_the_oldest_place() {
        check(0, vec![added("a", 1), added("b", 2), updated("a", 1, 3)], &["add a@3", "add b@2"]);
        check(
            0,
            vec![updated("a", 1, 2), updated("b", 1, 2), updated("a", 2, 3)],
            &["update a@1->3", "update b@1->2"],
        );
        check(0, vec![updated("a", 1, 2), deleted("a", 2, 3)], &["delete a@1->3"]);
        check(0, vec![added("a", 1), deleted("a", 1, 2)], &[]);
        check(0, vec![deleted("a", 0, 1), added("a", 2), updated("a", 2, 3)], &["delete a@0->1", "add a@3"]);
        check(0, vec![deleted("a", 0, 1), added("a", 2), deleted("a", 2, 3)], &["delete a@0->1"]);
        check(0, vec![resync("a", 1), updated("a", 1, 2)], &["update a@1->2"]);
        check(0, vec![updated("a", 1, 2), resync("a", 2)], &["update a@1->2"]);
        check(0, vec![resync("a", 1), resync("a", 1)], &["resync a@1->1"]);
        check(0, vec![initial("a", 1), updated("a", 1, 2)], &["initial a@2"]);
    }

    // holds: X11
    #[tokio::test]
    async fn a_stalled_handler_costs_no_more_under_creation_and_deletion_without_end() {
        let mut backlog = Backlog::new(8);
        for round in 0..10_000u64 {
            let name = format!("pod-{}", round % 50);
            backlog.push(added(&name, 2 * round), Instant::now());
            backlog.push(deleted(&name, 2 * round, 2 * round + 1), Instant::now());
        }
        assert!(backlog.len() <= 8 + 2 * 50, "{}", backlog.len());
        assert!(backlog.entries.len() <= 2 * backlog.len() + 64, "{}", backlog.entries.len());
    }

    #[test]
    fn two_backlogs_do_not_hash_alike() {
        let hashes = || {
            let backlog = Backlog::new(0);
            ["default/a", "default/b", "default/c", "default/d"].map(|key| backlog.hasher.hash_one(key))
        };
        assert_ne!(hashes(), hashes(), "names that collide in one would collide in every one");
    }

    proptest! {
        // holds: X11
        #[test]
        fn whatever_merges_a_handler_ends_with_the_last_state_and_never_hears_nonsense(
            merge_above in 0usize..6,
            steps in prop::collection::vec((0usize..4, 0u8..6), 0..200),
        ) {
            let mut backlog = Backlog::new(merge_above);
            let mut live: BTreeMap<usize, u64> = BTreeMap::new();
            let mut heard: BTreeMap<String, u64> = BTreeMap::new();
            let mut hear = |entry: Entry| {
                let name = entry.notification.key().name().to_owned();
                match &entry.notification {
                    Notification::Added { object, .. } => {
                        assert!(heard.insert(name, object.version().number().unwrap()).is_none());
                    }
                    Notification::Updated { old, new, .. } => {
                        let before = heard.insert(name, new.version().number().unwrap());
                        assert_eq!(before, old.version().number(), "the old object is what was heard last");
                    }
                    Notification::Deleted { old, .. } => {
                        assert_eq!(heard.remove(&name), old.version().number(), "the old object is what was heard last");
                    }
                }
            };
            let now = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async { Instant::now() });
            for (version, (object, action)) in (1u64..).zip(steps) {
                let name = format!("pod-{object}");
                let notification = match (live.get(&object).copied(), action) {
                    (_, 0) => {
                        if let Some(entry) = backlog.pop() {
                            hear(entry);
                        }
                        continue;
                    }
                    (None, _) => { live.insert(object, version); added(&name, version) }
                    (Some(old), 1) => { live.remove(&object); deleted(&name, old, version) }
                    (Some(old), 2) => resync(&name, old),
                    (Some(old), _) => { live.insert(object, version); updated(&name, old, version) }
                };
                backlog.push(notification, now);
                prop_assert!(backlog.len() <= merge_above + 2 * 4);
            }
            while let Some(entry) = backlog.pop() {
                hear(entry);
            }
            let live: BTreeMap<String, u64> = live.into_iter().map(|(object, version)| (format!("pod-{object}"), version)).collect();
            prop_assert_eq!(heard, live);
            prop_assert_eq!(backlog.len(), 0);
        }
    }
}
