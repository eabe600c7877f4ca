//! A handler that reads all that it hears of, and notes contradictions. It must not panic: the informer would catch
//! that, and nobody would know.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::informer::{Handler, Notification};
use tidings_object::Object;

/// Uid and version.
pub(crate) type Life = (String, String);

/// What one handler heard; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Record>>);

#[derive(Default)]
struct Record {
    view: BTreeMap<String, Life>,
    lines: Vec<String>,
    contradictions: Vec<String>,
}

impl Heard {
    pub(crate) fn handler(&self) -> Handler<Pod> {
        let heard = self.clone();
        Handler::from_fn(move |notification| match notification {
            Notification::Added { object, is_initial } => {
                heard.hear(&format!("add {is_initial}"), object, Some(at(object)), |known| known.is_none());
            }
            Notification::Updated { old, new, .. } => {
                let is_one = could_be_one(old.uid(), new.uid());
                heard.hear("update", new, Some(at(new)), |known| is_one && known == Some(&at(old)));
            }
            Notification::Deleted { object, is_final_state_unknown, .. } => {
                heard.hear(&format!("delete {is_final_state_unknown}"), object, None, |known| {
                    known.is_some_and(|(uid, _)| could_be_one(uid, object.uid()))
                });
            }
        })
    }

    /// What it believes to exist.
    pub(crate) fn view(&self) -> BTreeMap<String, Life> {
        self.0.lock().expect("a handler does not panic").view.clone()
    }

    /// All that it heard, in order; fails if any of it made no sense.
    pub(crate) fn lines(&self) -> Vec<String> {
        let record = self.0.lock().expect("a handler does not panic");
        assert_eq!(record.contradictions, Vec::<String>::new());
        record.lines.clone()
    }

    fn hear(
        &self,
        what: &str,
        pod: &Object<Pod>,
        now: Option<Life>,
        makes_sense: impl FnOnce(Option<&Life>) -> bool,
    ) {
        let line = format!("{what} {} {}@{}", pod.key(), pod.uid(), pod.version());
        let mut record = self.0.lock().expect("a handler does not panic");
        let known = match now {
            Some(now) => record.view.insert(pod.key().to_string(), now),
            None => record.view.remove(pod.key().as_str()),
        };
        if !makes_sense(known.as_ref()) {
            record.contradictions.push(format!("{line}, though the handler knew {known:?}"));
        }
        if !reads_the_same(pod) {
            record.contradictions.push(format!("{line}: it can be decoded and not be written"));
        }
        record.lines.push(line);
    }
}

/// One version of one object.
pub(crate) fn at(pod: &Object<Pod>) -> Life {
    (pod.uid().to_owned(), pod.version().to_string())
}

/// Of an object without a uid nobody can tell.
fn could_be_one(uid: &str, other: &str) -> bool {
    uid.is_empty() || other.is_empty() || uid == other
}

/// Whatever stands in an object, reading it gives something or an error, and what can be decoded can be written.
fn reads_the_same(pod: &Object<Pod>) -> bool {
    let _ = (pod.field(".metadata.annotations"), pod.field(".status.conditions[*].type"));
    let _ = (pod.labels().iter().count(), pod.owner_uids().count(), pod.controller_uid());
    pod.decoded().is_err() || pod.json().is_ok()
}
