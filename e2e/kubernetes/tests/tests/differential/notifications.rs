//! What a handler was told, and what must be true of it.

use std::collections::HashMap;
use std::fmt;

use kubernetes_tests::agreement::{Life, State};
use serde::Deserialize;

/// One call of a handler.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notification {
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

/// What someone knows who was told all this.
pub(crate) fn replayed(notifications: &[Notification]) -> State {
    let mut state = State::new();
    for told in notifications {
        match told.event {
            Event::Add | Event::Update => {
                let life = Life { uid: told.uid.clone(), version: told.resource_version.clone() };
                state.insert(told.key.clone(), life);
            }
            Event::Delete => {
                state.remove(&told.key);
            }
        }
    }
    state
}

/// Where someone was told things out of order: an object is added, updated and deleted in turn, and no version of it
/// comes after a newer one, not even after its end.
pub(crate) fn out_of_order(notifications: &[Notification]) -> Vec<String> {
    let mut found = Vec::new();
    let mut present: HashMap<&str, &str> = HashMap::new();
    let mut newest: HashMap<&str, u64> = HashMap::new();
    for told in notifications {
        let known = present.get(&*told.key).copied();
        let fits = match told.event {
            Event::Add => known.is_none(),
            Event::Update | Event::Delete => known == Some(&*told.uid),
        };
        if !fits {
            found.push(format!("{told}, while the handler knew {known:?}"));
        }
        match told.event {
            Event::Add | Event::Update => present.insert(&told.key, &told.uid),
            Event::Delete => present.remove(&*told.key),
        };
        let Ok(version) = told.resource_version.parse::<u64>() else {
            found.push(format!("{told}: its version is no number"));
            continue;
        };
        let before = newest.insert(&told.uid, version).unwrap_or(0);
        let is_newer = match told.event {
            Event::Add | Event::Update => version > before,
            // A deletion that nobody saw comes with the version that was seen last.
            Event::Delete => version > before || told.is_final_state_unknown && version == before,
        };
        if !is_newer {
            found.push(format!("{told}, after version {before}"));
        }
    }
    found
}

impl fmt::Display for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Notification { event, key, uid, resource_version, is_final_state_unknown } = self;
        let uid = &uid[..uid.len().min(8)];
        let unknown = if *is_final_state_unknown { " (final state unknown)" } else { "" };
        write!(f, "{event:?} {key} of uid {uid} at {resource_version}{unknown}")
    }
}
