//! A handler that remembers what it was told, and whether that made sense.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings::{Handler, Notification, Object};

/// What one handler was told.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The objects that the handler believes to exist, with uid and version.
    view: BTreeMap<String, (String, u64)>,
    /// What it was told, in order.
    told: Vec<Told>,
    nonsense: Vec<String>,
}

/// One notification, as text: what tests compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) what: &'static str,
    pub(crate) key: String,
    pub(crate) version: u64,
    pub(crate) is_initial: bool,
}

impl Heard {
    /// The versions by key of what the handler believes to exist.
    pub(crate) fn view(&self) -> BTreeMap<String, u64> {
        self.0.lock().view.iter().map(|(key, (_, version))| (key.clone(), *version)).collect()
    }

    /// What it was told, in order, as `add default/a@5`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().told.iter().map(|told| format!("{} {}@{}", told.what, told.key, told.version)).collect()
    }

    /// What it was told.
    pub(crate) fn told(&self) -> Vec<Told> {
        self.0.lock().told.clone()
    }

    /// Contradictions in what it was told.
    pub(crate) fn nonsense(&self) -> Vec<String> {
        self.0.lock().nonsense.clone()
    }

    fn hear<K>(
        &self,
        what: &'static str,
        object: &Object<K>,
        is_initial: bool,
        check: impl FnOnce(&mut State),
    ) {
        let mut state = self.0.lock();
        check(&mut state);
        let version = object.version().number().unwrap_or(0);
        state.told.push(Told { what, key: object.key().to_string(), version, is_initial });
    }
}

fn life<K>(object: &Object<K>) -> (String, u64) {
    (object.uid().to_owned(), object.version().number().unwrap_or(0))
}

impl Heard {
    /// A handler that records what it receives.
    pub(crate) fn handler<K: 'static>(&self) -> Handler<K> {
        let heard = self.clone();
        Handler::from_fn(move |notification| heard.handle(notification))
    }

    fn handle<K>(&self, notification: &Notification<K>) {
        match notification {
            Notification::Added { object, is_initial } => self.added(object, *is_initial),
            Notification::Updated { old, new, .. } => self.updated(old, new),
            Notification::Deleted { object, is_final_state_unknown, .. } => {
                self.deleted(object, *is_final_state_unknown);
            }
        }
    }

    fn added<K>(&self, object: &Object<K>, is_initial: bool) {
        self.hear("add", object, is_initial, |state| {
            if state.view.insert(object.key().to_string(), life(object)).is_some() {
                state.nonsense.push(format!("added though known: {}", object.key()));
            }
        });
    }

    fn updated<K>(&self, old: &Object<K>, new: &Object<K>) {
        self.hear("update", new, false, |state| {
            let before = state.view.insert(new.key().to_string(), life(new));
            if before.as_ref() != Some(&life(old)) {
                state.nonsense.push(format!("{}: told {before:?} last, old is {:?}", new.key(), life(old)));
            }
            if old.uid() != new.uid() {
                state.nonsense.push(format!("{}: an update changed the uid", new.key()));
            }
        });
    }

    fn deleted<K>(&self, object: &Object<K>, is_final_state_unknown: bool) {
        self.hear(if is_final_state_unknown { "lose" } else { "delete" }, object, false, |state| {
            if state.view.remove(object.key().as_str()).is_none() {
                state.nonsense.push(format!("deleted though unknown: {}", object.key()));
            }
        });
    }
}
