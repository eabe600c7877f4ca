//! A handler that records its notifications and checks that they are consistent.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::informer::{Handler, Notification};
use tidings_object::RawObject;
use tokio::sync::watch;
use tokio::time::timeout;

use super::fixture::{TIMEOUT, short};

/// The notifications of one handler. Clones share them.
#[derive(Clone)]
pub(crate) struct NotificationLog(Arc<watch::Sender<Record>>);

#[derive(Default)]
struct Record {
    /// The objects that exist according to the notifications, with uid and version.
    view: BTreeMap<String, (String, String)>,
    lines: Vec<String>,
    contradictions: Vec<String>,
}

impl Default for NotificationLog {
    fn default() -> Self {
        NotificationLog(Arc::new(watch::Sender::default()))
    }
}

impl NotificationLog {
    /// The notifications, in order: `initial a@5`, `add b@6`, `update a@5->7`, `resync a@7`, `delete b@8`, and `lose
    /// a@7` for a deletion whose final state is unknown.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.borrow().lines.clone()
    }

    /// The same, and clears them.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.0.send_modify(|record| lines = std::mem::take(&mut record.lines));
        lines
    }

    /// The objects that exist according to the notifications, as `name@version`, sorted.
    pub(crate) fn view(&self) -> Vec<String> {
        let record = self.0.borrow();
        let shown = record.view.iter().map(|(key, (_, version))| format!("{}@{version}", short(key)));
        let mut view: Vec<_> = shown.collect();
        view.sort();
        view
    }

    /// Waits for this number of notifications.
    pub(crate) async fn received(&self, things: usize) -> Vec<String> {
        let mut record = self.0.subscribe();
        let enough = record.wait_for(|record| record.lines.len() >= things);
        let waited =
            timeout(TIMEOUT, enough).await.map(|found| found.expect("we hold the sender").lines.clone());
        waited.unwrap_or_else(|_| panic!("only received {:#?}", self.lines()))
    }

    #[track_caller]
    pub(crate) fn assert_consistent(&self) {
        assert_eq!(self.0.borrow().contradictions, Vec::<String>::new());
    }

    /// A handler that records what it receives.
    pub(crate) fn handler(&self) -> Handler<Pod> {
        let log = self.clone();
        Handler::from_fn(move |notification| log.handle(notification))
    }

    pub(crate) fn handle<K>(&self, notification: &Notification<K>) {
        match notification {
            Notification::Added { object, is_initial } => self.added(object, *is_initial),
            Notification::Updated { old, new, is_resync } => self.updated(old, new, *is_resync),
            Notification::Deleted { object, is_final_state_unknown, .. } => {
                self.deleted(object, *is_final_state_unknown);
            }
        }
    }

    pub(crate) fn added(&self, object: &RawObject, is_initial: bool) {
        let line = format!("{} {}", if is_initial { "initial" } else { "add" }, at(object));
        self.append(line, |record| {
            if record.view.insert(object.key().to_string(), identity(object)).is_some() {
                record.contradictions.push(format!("added though known: {}", at(object)));
            }
        });
    }

    fn updated(&self, old: &RawObject, new: &RawObject, is_resync: bool) {
        let line = match is_resync {
            true => format!("resync {}", at(new)),
            false => format!("update {}->{}", at(old), new.version()),
        };
        self.append(line, |record| {
            let before = record.view.insert(new.key().to_string(), identity(new));
            if before.as_ref() != Some(&identity(old)) {
                record.contradictions.push(format!("received {before:?} last, old is {:?}", identity(old)));
            }
            if old.uid() != new.uid() {
                record.contradictions.push(format!("an update changed the uid: {}", at(new)));
            }
            if is_resync && !old.is_unchanged(new) {
                record.contradictions.push(format!("a resync that changed {} to {}", at(old), at(new)));
            }
            if !is_resync && new.version().is_older_than(old.version()) {
                record.contradictions.push(format!("went back from {} to {}", at(old), at(new)));
            }
        });
    }

    pub(crate) fn deleted(&self, gone: &RawObject, is_final_state_unknown: bool) {
        let line = format!("{} {}", if is_final_state_unknown { "lose" } else { "delete" }, at(gone));
        self.append(line, |record| match record.view.remove(gone.key().as_str()) {
            None => record.contradictions.push(format!("deleted though unknown: {}", at(gone))),
            Some((uid, _)) if uid != gone.uid() => {
                record.contradictions.push(format!("deleted another object of that name: {}", at(gone)));
            }
            Some(_) => {}
        });
    }

    fn append(&self, line: String, check: impl FnOnce(&mut Record)) {
        self.0.send_modify(|record| {
            check(record);
            record.lines.push(line);
        });
    }
}

fn at(object: &RawObject) -> String {
    format!("{}@{}", short(&object.key()), object.version())
}

fn identity(object: &RawObject) -> (String, String) {
    (object.uid().to_owned(), object.version().to_string())
}
