//! A handler that remembers what it was told, and whether that made sense.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::informer::{Handler, Notification};
use tidings_object::RawObject;
use tokio::sync::watch;
use tokio::time::timeout;

use super::stage::{LONG, short};

/// What one handler was told.
#[derive(Clone)]
pub(crate) struct Heard(Arc<watch::Sender<Record>>);

#[derive(Default)]
struct Record {
    /// The objects that the handler believes to exist, with uid and version.
    view: BTreeMap<String, (String, String)>,
    lines: Vec<String>,
    nonsense: Vec<String>,
}

impl Default for Heard {
    fn default() -> Self {
        Heard(Arc::new(watch::Sender::default()))
    }
}

impl Heard {
    /// What it was told, in order: `initial a@5`, `add b@6`, `update a@5->7`, `resync a@7`, `delete b@8`, and
    /// `lose a@7` for a deletion whose final state nobody knows.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.borrow().lines.clone()
    }

    /// The same, and forgets it.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.0.send_modify(|record| lines = std::mem::take(&mut record.lines));
        lines
    }

    /// What it believes to exist, as `name@version`, sorted.
    pub(crate) fn view(&self) -> Vec<String> {
        let record = self.0.borrow();
        let shown = record.view.iter().map(|(key, (_, version))| format!("{}@{version}", short(key)));
        let mut view: Vec<_> = shown.collect();
        view.sort();
        view
    }

    /// Waits until it has been told so many things.
    pub(crate) async fn told(&self, things: usize) -> Vec<String> {
        let mut record = self.0.subscribe();
        let enough = record.wait_for(|record| record.lines.len() >= things);
        let waited =
            timeout(LONG, enough).await.map(|found| found.expect("we hold the sender").lines.clone());
        waited.unwrap_or_else(|_| panic!("only told {:#?}", self.lines()))
    }

    #[track_caller]
    pub(crate) fn makes_sense(&self) {
        assert_eq!(self.0.borrow().nonsense, Vec::<String>::new());
    }

    /// A handler that records what it receives.
    pub(crate) fn handler(&self) -> Handler<Pod> {
        let heard = self.clone();
        Handler::from_fn(move |notification| heard.handle(notification))
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
        self.hear(line, |record| {
            if record.view.insert(object.key().to_string(), life(object)).is_some() {
                record.nonsense.push(format!("added though known: {}", at(object)));
            }
        });
    }

    fn updated(&self, old: &RawObject, new: &RawObject, is_resync: bool) {
        let line = match is_resync {
            true => format!("resync {}", at(new)),
            false => format!("update {}->{}", at(old), new.version()),
        };
        self.hear(line, |record| {
            let before = record.view.insert(new.key().to_string(), life(new));
            if before.as_ref() != Some(&life(old)) {
                record.nonsense.push(format!("told {before:?} last, old is {:?}", life(old)));
            }
            if old.uid() != new.uid() {
                record.nonsense.push(format!("an update changed the uid: {}", at(new)));
            }
            if is_resync && !old.is_unchanged(new) {
                record.nonsense.push(format!("a resync that changed {} to {}", at(old), at(new)));
            }
            if !is_resync && new.version().is_older_than(old.version()) {
                record.nonsense.push(format!("went back from {} to {}", at(old), at(new)));
            }
        });
    }

    pub(crate) fn deleted(&self, gone: &RawObject, is_final_state_unknown: bool) {
        let line = format!("{} {}", if is_final_state_unknown { "lose" } else { "delete" }, at(gone));
        self.hear(line, |record| match record.view.remove(gone.key().as_str()) {
            None => record.nonsense.push(format!("deleted though unknown: {}", at(gone))),
            Some((uid, _)) if uid != gone.uid() => {
                record.nonsense.push(format!("deleted another object of that name: {}", at(gone)));
            }
            Some(_) => {}
        });
    }

    fn hear(&self, line: String, check: impl FnOnce(&mut Record)) {
        self.0.send_modify(|record| {
            check(record);
            record.lines.push(line);
        });
    }
}

fn at(object: &RawObject) -> String {
    format!("{}@{}", short(&object.key()), object.version())
}

fn life(object: &RawObject) -> (String, String) {
    (object.uid().to_owned(), object.version().to_string())
}
