//! For tests: a handler that records its notifications and checks that none contradicts an earlier one.
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use tidings_informer::SharedInformer;
//! use tidings_informer::testing::NotificationRecorder;
//!
//! fn check(pods: &SharedInformer<Pod>) {
//!     let recorder = NotificationRecorder::attach(pods);
//!     // The test changes pods and waits.
//!     assert_eq!(recorder.violations(), [""; 0]);
//!     println!("{:?}", recorder.lines());
//! }
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings_object::Object;

use crate::sync::Mutex;
use crate::{Handler, Notification, SharedInformer};

/// The uid and the version of an object.
pub type ObjectState = (String, u64);

/// How many violations are kept.
const VIOLATIONS_MAX: usize = 20;

/// Records the notifications of one handler. Clones share the record.
#[derive(Debug, Clone, Default)]
pub struct NotificationRecorder(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    objects: BTreeMap<String, ObjectState>,
    /// The newest version of each key, also after its deletion.
    newest: BTreeMap<String, u64>,
    versions_decreased: u64,
    notifications: Vec<RecordedNotification>,
    violations: Vec<String>,
}

/// One notification, in a form that tests can compare.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedNotification {
    /// `add`, `update`, `delete`, or `lose` for a deletion whose final state is unknown.
    pub event: &'static str,
    /// The key of the object.
    pub key: String,
    /// The version of the object.
    pub version: u64,
    /// The version before an update.
    pub old_version: Option<u64>,
    /// Whether it is part of the initial objects.
    pub is_initial: bool,
    /// Whether it is a resync.
    pub is_resync: bool,
}

impl NotificationRecorder {
    /// Adds a recorder to an informer.
    ///
    /// # Panics
    ///
    /// If the informer has stopped.
    pub fn attach<K: 'static>(informer: &SharedInformer<K>) -> Self {
        let recorder = Self::default();
        informer.add_handler(recorder.handler()).expect("the informer has not stopped");
        recorder
    }

    /// A handler that records what it receives.
    pub fn handler<K: 'static>(&self) -> Handler<K> {
        let recorder = self.clone();
        Handler::from_fn(move |notification| recorder.record(notification))
    }

    /// Records one notification.
    pub fn record<K>(&self, notification: &Notification<K>) {
        let mut record = self.0.lock();
        match notification {
            Notification::Added { object, is_initial } => record.add(object, *is_initial),
            Notification::Updated { old, new, is_resync } => record.update(old, new, *is_resync),
            Notification::Deleted { old, object, is_final_state_unknown } => {
                record.delete(old, object, if *is_final_state_unknown { "lose" } else { "delete" });
            }
        }
    }

    /// The objects that exist according to the notifications, by key.
    pub fn objects(&self) -> BTreeMap<String, ObjectState> {
        self.0.lock().objects.clone()
    }

    /// The versions of the objects that exist according to the notifications, by key.
    pub fn versions(&self) -> BTreeMap<String, u64> {
        self.0.lock().objects.iter().map(|(key, (_, version))| (key.clone(), *version)).collect()
    }

    /// How many objects exist according to the notifications.
    pub fn object_count(&self) -> usize {
        self.0.lock().objects.len()
    }

    /// All notifications, in order.
    pub fn notifications(&self) -> Vec<RecordedNotification> {
        self.0.lock().notifications.clone()
    }

    /// How many notifications there were.
    pub fn notification_count(&self) -> usize {
        self.0.lock().notifications.len()
    }

    /// All notifications, in order, as `add default/a@5`.
    pub fn lines(&self) -> Vec<String> {
        let line = |one: &RecordedNotification| format!("{} {}@{}", one.event, one.key, one.version);
        self.0.lock().notifications.iter().map(line).collect()
    }

    /// Notifications that contradict an earlier one, such as an update of an unknown object.
    pub fn violations(&self) -> Vec<String> {
        self.0.lock().violations.clone()
    }

    /// How often a version was lower than an earlier one of the same key. This happens only if the server is restored.
    pub fn versions_decreased(&self) -> u64 {
        self.0.lock().versions_decreased
    }
}

fn state<K>(object: &Object<K>) -> ObjectState {
    (object.uid().to_owned(), object.version().number().unwrap_or(0))
}

impl Record {
    fn add<K>(&mut self, object: &Object<K>, is_initial: bool) {
        let key = self.append("add", object);
        self.last().is_initial = is_initial;
        if let Some(known) = self.objects.insert(key.clone(), state(object)) {
            self.violation(format!("{key} was added at {:?} though known at {known:?}", state(object)));
        }
    }

    fn update<K>(&mut self, old: &Object<K>, new: &Object<K>, is_resync: bool) {
        let key = self.append("update", new);
        self.last().old_version = Some(state(old).1);
        self.last().is_resync = is_resync;
        let known = self.objects.insert(key.clone(), state(new));
        if known.as_ref() != Some(&state(old)) {
            self.violation(format!("{key} was updated from {:?} though known at {known:?}", state(old)));
        }
        if old.uid() != new.uid() {
            self.violation(format!("{key}: an update changed the uid"));
        }
        if is_resync && !old.raw().is_unchanged(new.raw()) {
            self.violation(format!("{key}: a resync changed {:?} to {:?}", state(old), state(new)));
        }
    }

    fn delete<K>(&mut self, old: &Object<K>, last: &Object<K>, event: &'static str) {
        let key = self.append(event, last);
        match self.objects.remove(&key) {
            None => self.violation(format!("{key} was deleted at {:?} though unknown", state(last))),
            Some(known) if known != state(old) => {
                self.violation(format!("{key} was deleted after {:?} though known at {known:?}", state(old)));
            }
            Some(_) => {}
        }
    }

    fn append<K>(&mut self, event: &'static str, object: &Object<K>) -> String {
        let (key, version) = (object.key().to_string(), object.version().number().unwrap_or(0));
        let newest = self.newest.entry(key.clone()).or_insert(0);
        self.versions_decreased += u64::from(version < *newest);
        *newest = version.max(*newest);
        self.notifications.push(RecordedNotification {
            event,
            key: key.clone(),
            version,
            old_version: None,
            is_initial: false,
            is_resync: false,
        });
        key
    }

    /// The notification that is being recorded.
    fn last(&mut self) -> &mut RecordedNotification {
        self.notifications.last_mut().expect("it was appended")
    }

    fn violation(&mut self, violation: String) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(violation);
        }
    }
}
