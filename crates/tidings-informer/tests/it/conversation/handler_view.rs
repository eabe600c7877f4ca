//! A handler that reads everything it receives and records contradictions. It does not panic: the informer would catch
//! the panic, and the test would not see it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::{Handler, Notification};
use tidings_object::Object;

/// Uid and version.
pub(crate) type UidAndVersion = (String, String);

/// The notifications of one handler, and the objects that follow from them. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct HandlerView(Arc<Mutex<ViewRecord>>);

#[derive(Default)]
struct ViewRecord {
    view: BTreeMap<String, UidAndVersion>,
    lines: Vec<String>,
    contradictions: Vec<String>,
}

impl HandlerView {
    pub(crate) fn handler(&self) -> Handler<Pod> {
        let view = self.clone();
        Handler::from_fn(move |notification| match notification {
            Notification::Added { object, is_initial } => {
                view.record(&format!("add {is_initial}"), object, Some(uid_and_version(object)), |known| {
                    known.is_none()
                });
            }
            Notification::Updated { old, new, .. } => {
                let is_same = may_be_same_object(old.uid(), new.uid());
                view.record("update", new, Some(uid_and_version(new)), |known| {
                    is_same && known == Some(&uid_and_version(old))
                });
            }
            Notification::Deleted { object, is_final_state_unknown, .. } => {
                view.record(&format!("delete {is_final_state_unknown}"), object, None, |known| {
                    known.is_some_and(|(uid, _)| may_be_same_object(uid, object.uid()))
                });
            }
        })
    }

    /// The objects that exist according to the notifications.
    pub(crate) fn view(&self) -> BTreeMap<String, UidAndVersion> {
        self.0.lock().expect("no panic while the lock is held").view.clone()
    }

    /// All notifications in order. Panics if one contradicts those before.
    pub(crate) fn lines(&self) -> Vec<String> {
        let record = self.0.lock().expect("no panic while the lock is held");
        assert_eq!(record.contradictions, Vec::<String>::new());
        record.lines.clone()
    }

    fn record(
        &self,
        what: &str,
        pod: &Object<Pod>,
        now: Option<UidAndVersion>,
        is_consistent: impl FnOnce(Option<&UidAndVersion>) -> bool,
    ) {
        let line = format!("{what} {} {}@{}", pod.key(), pod.uid(), pod.version());
        let mut record = self.0.lock().expect("no panic while the lock is held");
        let known = match now {
            Some(now) => record.view.insert(pod.key().to_string(), now),
            None => record.view.remove(pod.key().as_str()),
        };
        if !is_consistent(known.as_ref()) {
            record.contradictions.push(format!("{line}, though the handler knew {known:?}"));
        }
        if !is_readable(pod) {
            record.contradictions.push(format!("{line}: it can be decoded but not encoded"));
        }
        record.lines.push(line);
    }
}

pub(crate) fn uid_and_version(pod: &Object<Pod>) -> UidAndVersion {
    (pod.uid().to_owned(), pod.version().to_string())
}

/// Without a uid, two objects may be the same.
fn may_be_same_object(uid: &str, other: &str) -> bool {
    uid.is_empty() || other.is_empty() || uid == other
}

/// Reads the object in several ways, which must not panic. An object that can be decoded can be encoded as JSON.
fn is_readable(pod: &Object<Pod>) -> bool {
    let _ = (pod.field(".metadata.annotations"), pod.field(".status.conditions[*].type"));
    let _ = (pod.labels().iter().count(), pod.owner_uids().count(), pod.controller_uid());
    pod.decoded().is_err() || pod.json().is_ok()
}
