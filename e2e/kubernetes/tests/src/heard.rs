//! A handler that keeps what it was told to exist, and every contradiction in what it was told.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings::{Handler, Notification, Object, SharedInformer};

use crate::agreement::{Life, State};
use crate::sync::Mutex;

/// What one handler was told; clones hear the same.
#[derive(Debug, Clone, Default)]
pub struct Heard(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    view: State,
    /// The last version that was told of each key, also after its end.
    last_versions: BTreeMap<String, u64>,
    notifications: u64,
    /// How often an object's version was lower than one told before.
    went_back: u64,
    nonsense: Vec<String>,
}

/// More are not worth reading.
const NONSENSE_MAX: usize = 20;

impl Heard {
    /// Listens to an informer from now on.
    pub fn listen_to<K: 'static>(informer: &SharedInformer<K>) -> Heard {
        let heard = Heard::default();
        let receiver = heard.clone();
        let handler = Handler::from_fn(move |notification| receiver.handle(notification));
        informer.add_handler(handler).expect("a test adds handlers before it stops the informer");
        heard
    }

    /// What it believes to exist.
    pub fn view(&self) -> State {
        self.0.lock().view.clone()
    }

    /// How many objects it believes to exist.
    pub fn objects(&self) -> usize {
        self.0.lock().view.len()
    }

    /// How often it was told something.
    pub fn notifications(&self) -> u64 {
        self.0.lock().notifications
    }

    /// How often an object's version was lower than one that was told before: never, unless the server went back.
    pub fn went_back(&self) -> u64 {
        self.0.lock().went_back
    }

    /// Contradictions in what it was told.
    pub fn nonsense(&self) -> Vec<String> {
        self.0.lock().nonsense.clone()
    }

    fn hear<K>(&self, object: &Object<K>, change: impl FnOnce(&mut State) -> Option<String>) {
        let mut told = self.0.lock();
        told.notifications += 1;
        let version = object.version().number().unwrap_or(0);
        let before = told.last_versions.insert(object.key().to_string(), version);
        told.went_back += u64::from(before.is_some_and(|before| version < before));
        let nonsense = change(&mut told.view);
        if told.nonsense.len() < NONSENSE_MAX {
            told.nonsense.extend(nonsense);
        }
    }
}

impl Heard {
    fn handle<K>(&self, notification: &Notification<K>) {
        match notification {
            Notification::Added { object, .. } => self.added(object),
            Notification::Updated { old, new, .. } => self.updated(old, new),
            Notification::Deleted { object, .. } => self.deleted(object),
        }
    }

    fn added<K>(&self, object: &Object<K>) {
        self.hear(object, |view| {
            let known = view.insert(object.key().to_string(), Life::of(object))?;
            Some(format!("{} was added though {known:?} was known", object.key()))
        });
    }

    fn updated<K>(&self, old: &Object<K>, new: &Object<K>) {
        self.hear(new, |view| {
            let before = view.insert(new.key().to_string(), Life::of(new));
            let fits = before.as_ref() == Some(&Life::of(old)) && old.uid() == new.uid();
            (!fits).then(|| {
                format!("{} became {:?} from {old:?} though {before:?} was known", new.key(), Life::of(new))
            })
        });
    }

    fn deleted<K>(&self, object: &Object<K>) {
        self.hear(object, |view| match view.remove(object.key().as_str()) {
            Some(_) => None,
            None => Some(format!("{} was deleted though it was not known", object.key())),
        });
    }
}
