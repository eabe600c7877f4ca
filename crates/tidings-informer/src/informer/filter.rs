//! CoopBudget the notifications of all objects into those of the objects that match.
//!
//! It decides by what it has reported, not by asking the filter about the old state: past its bound a mailbox merges, and then
//! the states in between, which the handler never received, say nothing about what it knows. Example, with a bound of 0:
//!
//! ```text
//! on_add(a@1)                      matches: reported
//! Updated a@1->2  (label removed)  \ merged
//! Deleted a@3                      / Deleted { old: a@1, object: a@3 }
//! ```
//!
//! The final state `a@3` does not match, but the handler knows the object: it receives `on_delete(a@1)`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use tidings_object::Object;

use super::handler::{Deleted, EventHandler};

/// Whether a handler wants an object.
pub(super) type Filter<K> = Arc<dyn Fn(&Object<K>) -> bool + Send + Sync>;

/// Delivers to `inner` what matches.
pub(super) struct Filtered<K, H> {
    filter: Filter<K>,
    inner: H,
    /// The objects that `inner` believes to exist, by key. The last state that it received is the `old` of the next notification,
    /// and is kept here only if it is not: if the filter panicked in between.
    reported: HashMap<Box<str>, Option<Object<K>>, RandomState>,
}

impl<K, H> Filtered<K, H> {
    pub(super) fn new(filter: Filter<K>, inner: H) -> Self {
        Filtered { filter, inner, reported: HashMap::default() }
    }

    /// Asks the filter. A panic is given back, so that what was reported stays right before it goes on.
    fn matches(&self, object: &Object<K>) -> std::thread::Result<bool> {
        catch_unwind(AssertUnwindSafe(|| (self.filter)(object)))
    }
}

impl<K: 'static, H: EventHandler<K>> Filtered<K, H> {
    /// Adds an object that was not reported, if it matches.
    fn enter(&mut self, object: &Object<K>, matches: std::thread::Result<bool>, is_initial: bool) {
        match matches {
            Ok(true) => {
                self.reported.insert(object.key().as_str().into(), None);
                self.inner.on_add(object, is_initial);
            }
            Ok(false) => {}
            Err(panic) => resume_unwind(panic),
        }
    }
}

impl<K: 'static, H: EventHandler<K>> EventHandler<K> for Filtered<K, H> {
    fn on_add(&mut self, object: &Object<K>, is_initial: bool) {
        let matches = self.matches(object);
        self.enter(object, matches, is_initial);
    }

    /// What was reported is recorded before the call: a handler that panics has received it.
    fn on_update(&mut self, old: &Object<K>, new: &Object<K>) {
        let matches = self.matches(new);
        let Some(kept) = self.reported.get_mut(new.key().as_str()) else {
            return self.enter(new, matches, false);
        };
        let last = kept.take().unwrap_or_else(|| old.clone());
        match matches {
            Ok(true) => self.inner.on_update(&last, new),
            Ok(false) => {
                self.reported.remove(new.key().as_str());
                self.inner.on_delete(&Deleted::new(last.clone(), last, false));
            }
            Err(panic) => {
                *kept = Some(last);
                resume_unwind(panic);
            }
        }
    }

    fn on_delete(&mut self, gone: &Deleted<K>) {
        let Some(kept) = self.reported.remove(gone.key().as_str()) else { return };
        let last = kept.unwrap_or_else(|| gone.old().clone());
        let matches = self.matches(gone.object());
        let object = if matches.as_ref().is_ok_and(|matches| *matches) { gone.object() } else { &last };
        self.inner.on_delete(&Deleted::new(last.clone(), object.clone(), gone.is_final_state_unknown()));
        if let Err(panic) = matches {
            resume_unwind(panic);
        }
    }
}
