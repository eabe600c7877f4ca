//! One event of a watch, on whichever wire it came, before its object is read.

use crate::payload::Payload;

/// One event of a watch, its object still in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WatchFrame<'a> {
    pub(crate) event_type: EventType,
    pub(crate) object: Payload<'a>,
}

/// What kind of event it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
    /// A type that nobody knows, as sent, as far as it is of sensible length.
    Unknown(String),
}

pub(crate) const TYPE_CHARS_MAX: usize = 64;

impl EventType {
    pub(crate) fn named(name: &str) -> EventType {
        EventType::known(name.as_bytes())
            .unwrap_or_else(|| EventType::Unknown(name.chars().take(TYPE_CHARS_MAX).collect()))
    }

    /// That of this name, if it is one that is known.
    pub(crate) fn known(name: &[u8]) -> Option<EventType> {
        match name {
            b"ADDED" => Some(EventType::Added),
            b"MODIFIED" => Some(EventType::Modified),
            b"DELETED" => Some(EventType::Deleted),
            b"BOOKMARK" => Some(EventType::Bookmark),
            b"ERROR" => Some(EventType::Error),
            _ => None,
        }
    }
}
