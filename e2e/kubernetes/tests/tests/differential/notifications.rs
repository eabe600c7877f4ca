//! The notifications of a handler, and the rules for them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use kubernetes_tests::agreement::{ObjectVersion, Versions};
use serde::Deserialize;
use serde_json::Value;

/// A handler. Both clients have one of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum HandlerKind {
    /// Receives everything at once.
    All,
    /// Receives only objects whose data was written an even number of times.
    Filtered,
    /// Receives everything and is slow. Ours merges pending notifications above a bound.
    Slow,
    /// Both. Ours also has a resync every second.
    SlowFiltered,
}

impl HandlerKind {
    pub(crate) const EACH: [HandlerKind; 4] =
        [HandlerKind::All, HandlerKind::Filtered, HandlerKind::Slow, HandlerKind::SlowFiltered];

    /// What the handler must know, given what the server lists.
    pub(crate) fn matching(self, listed: &BTreeMap<String, Value>) -> Versions {
        let is_heard_of = |object: &Value| !self.is_filtered() || is_chosen(object["data"]["write"].as_str());
        let heard_of = listed.iter().filter(|(_, object)| is_heard_of(object));
        let text =
            |object: &Value, name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        let life =
            |object| ObjectVersion { uid: text(object, "uid"), version: text(object, "resourceVersion") };
        heard_of.map(|(key, object)| (key.clone(), life(object))).collect()
    }

    pub(crate) fn is_filtered(self) -> bool {
        matches!(self, HandlerKind::Filtered | HandlerKind::SlowFiltered)
    }

    pub(crate) fn is_slow(self) -> bool {
        matches!(self, HandlerKind::Slow | HandlerKind::SlowFiltered)
    }
}

/// The filter, by the number in the data that each write changes.
pub(crate) fn is_chosen(write: Option<&str>) -> bool {
    write.and_then(|write| write.parse::<u64>().ok()).is_some_and(|write| write.is_multiple_of(2))
}

/// One call of a handler.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notification {
    pub(crate) handler: HandlerKind,
    pub(crate) event: Event,
    pub(crate) key: String,
    pub(crate) uid: String,
    pub(crate) resource_version: String,
    #[serde(default)]
    pub(crate) is_final_state_unknown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Event {
    Add,
    Update,
    Delete,
}

/// What this handler knows after all notifications.
pub(crate) fn replayed(kind: HandlerKind, notifications: &[Notification]) -> Versions {
    let mut state = Versions::new();
    for notification in notifications.iter().filter(|notification| notification.handler == kind) {
        match notification.event {
            Event::Add | Event::Update => {
                let life = ObjectVersion {
                    uid: notification.uid.clone(),
                    version: notification.resource_version.clone(),
                };
                state.insert(notification.key.clone(), life);
            }
            Event::Delete => {
                state.remove(&notification.key);
            }
        }
    }
    state
}

/// Notifications of this handler that are out of order. An object is added, updated and deleted in this order, and no
/// version follows a newer one, even after a deletion.
pub(crate) fn out_of_order(kind: HandlerKind, notifications: &[Notification]) -> Vec<String> {
    let mut found = Vec::new();
    let mut present: HashMap<&str, &str> = HashMap::new();
    let mut newest: HashMap<&str, u64> = HashMap::new();
    for notification in notifications.iter().filter(|notification| notification.handler == kind) {
        let known = present.get(&*notification.key).copied();
        let fits = match notification.event {
            Event::Add => known.is_none(),
            Event::Update | Event::Delete => known == Some(&*notification.uid),
        };
        if !fits {
            found.push(format!("{notification}, while the handler knew {known:?}"));
        }
        match notification.event {
            Event::Add | Event::Update => present.insert(&notification.key, &notification.uid),
            Event::Delete => present.remove(&*notification.key),
        };
        let Ok(version) = notification.resource_version.parse::<u64>() else {
            found.push(format!("{notification}: its version is no number"));
            continue;
        };
        let before = newest.insert(&notification.uid, version).unwrap_or(0);
        let is_newer = match notification.event {
            Event::Add => version > before,
            Event::Update => version > before || kind == HandlerKind::SlowFiltered && version == before,
            // A deletion with unknown final state has the last known version, and so has an object that no longer
            // matches the filter.
            Event::Delete => {
                let comes_with_last = notification.is_final_state_unknown || kind.is_filtered();
                version > before || comes_with_last && version == before
            }
        };
        if !is_newer {
            found.push(format!("{notification}, after version {before}"));
        }
    }
    found
}

impl fmt::Display for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Notification { handler, event, key, uid, resource_version, is_final_state_unknown } = self;
        let uid = &uid[..uid.len().min(8)];
        let unknown = if *is_final_state_unknown { " (final state unknown)" } else { "" };
        write!(f, "{handler:?}: {event:?} {key} of uid {uid} at {resource_version}{unknown}")
    }
}
