//! Turns the notifications of all objects into those of the objects that match.
//!
//! The filter decides by the objects that it has reported, not by the old state of a notification. Above its bound a
//! mailbox merges notifications, so the old state can be one that the handler never received. Example, with a bound of
//! 0:
//!
//! ```text
//! Added a@1                        matches: reported
//! Updated a@1->2  (label removed)  \ merged
//! Deleted a@3                      / Deleted { old: a@1, object: a@3 }
//! ```
//!
//! The final state `a@3` does not match, but the handler knows the object: it receives the deletion of `a@1`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use tidings_object::Object;

use crate::informer::notification::Notification;

/// The filter of one handler.
pub(crate) struct Filter<K> {
    matches: Box<Matches<K>>,
    /// The objects that the handler believes to exist, by key. The last state that it received is the `old` of the next
    /// notification. It is kept here only if that is not so, which is after a panic of the filter.
    reported: HashMap<Box<str>, Option<Object<K>>, RandomState>,
}

/// What the handler receives of a notification.
pub(crate) enum FilterResult<K> {
    Nothing,
    AsIs,
    Changed(Notification<K>),
}

/// Whether the handler wants an object.
type Matches<K> = dyn Fn(&Object<K>) -> bool + Send + Sync;

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

impl<K> Filter<K> {
    pub(crate) fn new(matches: impl Fn(&Object<K>) -> bool + Send + Sync + 'static) -> Self {
        Filter { matches: Box::new(matches), reported: HashMap::default() }
    }

    /// Decides what the handler receives, and records it before the call: a handler that panics has received it. A
    /// panic of the filter is returned, so that the record is complete before the panic continues.
    pub(crate) fn apply(&mut self, notification: &Notification<K>) -> (FilterResult<K>, Option<Panic>) {
        match notification {
            Notification::Added { object, .. } => {
                let matches = self.matches(object);
                self.begin(object, matches, FilterResult::AsIs)
            }
            Notification::Updated { old, new, is_resync } => self.updated(old, new, *is_resync),
            Notification::Deleted { old, object, is_final_state_unknown } => {
                self.deleted(old, object, *is_final_state_unknown)
            }
        }
    }

    fn matches(&self, object: &Object<K>) -> Result<bool, Panic> {
        catch_unwind(AssertUnwindSafe(|| (self.matches)(object)))
    }

    /// Reports an object that was not reported, if it matches.
    fn begin(
        &mut self,
        object: &Object<K>,
        matches: Result<bool, Panic>,
        added: FilterResult<K>,
    ) -> (FilterResult<K>, Option<Panic>) {
        match matches {
            Ok(true) => {
                self.reported.insert(object.key().as_str().into(), None);
                (added, None)
            }
            Ok(false) => (FilterResult::Nothing, None),
            Err(panic) => (FilterResult::Nothing, Some(panic)),
        }
    }

    fn updated(
        &mut self,
        old: &Object<K>,
        new: &Object<K>,
        is_resync: bool,
    ) -> (FilterResult<K>, Option<Panic>) {
        let matches = self.matches(new);
        let Some(kept) = self.reported.get_mut(new.key().as_str()) else {
            let added = Notification::Added { object: new.clone(), is_initial: false };
            return self.begin(new, matches, FilterResult::Changed(added));
        };
        match matches {
            Ok(true) => match kept.take() {
                None => (FilterResult::AsIs, None),
                // The handler missed an update, so this is not a resync to it.
                Some(old) => {
                    let is_resync = is_resync && old.is_unchanged(new);
                    (FilterResult::Changed(Notification::Updated { old, new: new.clone(), is_resync }), None)
                }
            },
            Ok(false) => {
                let last = kept.take().unwrap_or_else(|| old.clone());
                self.reported.remove(new.key().as_str());
                let (old, object) = (last.clone(), last);
                let deleted = Notification::Deleted { old, object, is_final_state_unknown: false };
                (FilterResult::Changed(deleted), None)
            }
            Err(panic) => {
                kept.get_or_insert_with(|| old.clone());
                (FilterResult::Nothing, Some(panic))
            }
        }
    }

    fn deleted(
        &mut self,
        old: &Object<K>,
        object: &Object<K>,
        is_final_state_unknown: bool,
    ) -> (FilterResult<K>, Option<Panic>) {
        let Some(kept) = self.reported.remove(object.key().as_str()) else {
            return (FilterResult::Nothing, None);
        };
        let (is_match, panic) = match self.matches(object) {
            Ok(is_match) => (is_match, None),
            Err(panic) => (false, Some(panic)),
        };
        if is_match && kept.is_none() {
            return (FilterResult::AsIs, None);
        }
        let last = kept.unwrap_or_else(|| old.clone());
        let object = if is_match { object.clone() } else { last.clone() };
        let deleted = Notification::Deleted { old: last, object, is_final_state_unknown };
        (FilterResult::Changed(deleted), panic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delta::transcript::{object, word};
    use crate::informer::notification::{RawNotification, Untyped};

    #[test]
    fn a_resync_is_an_update_to_a_handler_that_missed_one_by_a_panic_of_its_filter() {
        let mut filter = Filter::new(|object: &Object<Untyped>| {
            assert_ne!(object.version().to_string(), "2", "the filter panics");
            true
        });
        let (result, _) = filter.apply(&RawNotification::added(object("a/x@1"), false));
        assert!(matches!(result, FilterResult::AsIs));
        let (result, panic) = filter.apply(&RawNotification::updated(object("a/x@1"), object("a/x@2")));
        assert!(matches!(result, FilterResult::Nothing) && panic.is_some());
        let (result, _) = filter.apply(&RawNotification::resync(object("a/x@3")));
        let FilterResult::Changed(Notification::Updated { old, new, is_resync }) = result else {
            panic!("the handler receives an update")
        };
        assert_eq!((word(old.raw()), word(new.raw()), is_resync), ("a/x@1".into(), "a/x@3".into(), false));
        let (result, _) = filter.apply(&RawNotification::resync(object("a/x@3")));
        assert!(matches!(result, FilterResult::AsIs));
    }
}
