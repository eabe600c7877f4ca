//! The notifications of one handler as lines that tests compare, and the checks of `NotificationRecorder`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::testing::NotificationRecorder;
use tidings_informer::{Handler, Notification};
use tidings_object::{Object, RawObject};
use tokio::sync::watch;
use tokio::time::timeout;

use super::fixture::{TIMEOUT, short};

/// The notifications of one handler. Clones share them.
#[derive(Clone)]
pub(crate) struct NotificationLog {
    lines: Arc<watch::Sender<Vec<String>>>,
    recorder: NotificationRecorder,
}

impl Default for NotificationLog {
    fn default() -> Self {
        NotificationLog {
            lines: Arc::new(watch::Sender::default()),
            recorder: NotificationRecorder::default(),
        }
    }
}

impl NotificationLog {
    /// The notifications, in order: `initial a@5`, `add b@6`, `update a@5->7`, `resync a@7`, `delete b@8`, and `lose
    /// a@7` for a deletion whose final state is unknown.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.borrow().clone()
    }

    /// The same, and clears them.
    pub(crate) fn take(&self) -> Vec<String> {
        self.lines.send_replace(Vec::new())
    }

    /// The objects that exist according to the notifications, as `name@version`, sorted.
    pub(crate) fn view(&self) -> Vec<String> {
        let versions = self.recorder.versions();
        let mut view: Vec<_> =
            versions.iter().map(|(key, version)| format!("{}@{version}", short(key))).collect();
        view.sort();
        view
    }

    /// Waits for this number of notifications.
    pub(crate) async fn received(&self, count: usize) -> Vec<String> {
        let mut lines = self.lines.subscribe();
        let enough = lines.wait_for(|lines| lines.len() >= count);
        let waited = timeout(TIMEOUT, enough).await.map(|found| found.expect("we have the sender").clone());
        waited.unwrap_or_else(|_| panic!("only received {:#?}", self.lines()))
    }

    /// Fails if a notification contradicts an earlier one, or if an update has an older version.
    #[track_caller]
    pub(crate) fn assert_consistent(&self) {
        assert_eq!(self.recorder.violations(), [""; 0]);
        for one in self.recorder.notifications().iter().filter(|one| !one.is_resync) {
            assert!(one.old_version.is_none_or(|old| old <= one.version), "{one:?}");
        }
    }

    /// A handler that records what it receives.
    pub(crate) fn handler(&self) -> Handler<Pod> {
        let log = self.clone();
        Handler::from_fn(move |notification| log.handle(notification))
    }

    pub(crate) fn handle<K>(&self, notification: &Notification<K>) {
        self.recorder.record(notification);
        let line = match notification {
            Notification::Added { object, is_initial: true } => format!("initial {}", at(object)),
            Notification::Added { object, .. } => format!("add {}", at(object)),
            Notification::Updated { new, is_resync: true, .. } => format!("resync {}", at(new)),
            Notification::Updated { old, new, .. } => format!("update {}->{}", at(old), new.version()),
            Notification::Deleted { object, is_final_state_unknown: true, .. } => {
                format!("lose {}", at(object))
            }
            Notification::Deleted { object, .. } => format!("delete {}", at(object)),
        };
        self.lines.send_modify(|lines| lines.push(line));
    }

    /// Records a call of `on_add`.
    pub(crate) fn added(&self, object: &Object<Pod>, is_initial: bool) {
        self.handle(&Notification::Added { object: object.clone(), is_initial });
    }
}

fn at(object: &RawObject) -> String {
    format!("{}@{}", short(&object.key()), object.version())
}
