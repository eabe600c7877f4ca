//! What a watcher is sent next, given what was seen: a pure table.
//!
//! The cursor knows two versions: up to which one history was read, and which one the client knows of. It never waits,
//! never encodes, and never looks at an object.

use crate::request::selector::Membership;

/// Where a watcher stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WatchCursor {
    /// History is read up to and including this version.
    read: u64,
    /// The version that the client asked from, or the newest that a bookmark told it since.
    bookmarked: u64,
    phase: WatchPhase,
    bookmarks: Bookmarks,
}

/// What a watcher is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchPhase {
    /// Objects that were there at the start are sent.
    Initial(InitialEventsMarker),
    /// Nothing was read from history yet: a version that is too old is the client's to hear of.
    Opened,
    /// History is read as it grows.
    Live,
    /// Nothing more is sent.
    Ended,
}

/// Whether the end of the initial events is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialEventsMarker {
    /// By a bookmark that says so.
    Send,
    /// Not at all.
    Omit,
}

/// Whether the client takes bookmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bookmarks {
    /// It does.
    Enabled,
    /// It does not.
    Disabled,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchInput {
    /// An object that was there at the start.
    InitialObject,
    /// There are no more of these.
    InitialEnd,
    /// A change, and what it means for this watcher.
    Change {
        /// The change's version.
        version: u64,
        /// What it means.
        event: Option<WatchEventType>,
    },
    /// No change, as of this version.
    UpToDate {
        /// The newest version given out.
        newest: u64,
    },
    /// History no longer reaches back to where this watcher stands.
    Compacted {
        /// The oldest version it reaches back to.
        oldest: u64,
    },
    /// The resource is gone, or time went back.
    WatchEnded,
    /// A bookmark would be in order, as of this version.
    BookmarkDue {
        /// The newest version up to which this watcher has read.
        newest: u64,
    },
    /// The time asked for is up.
    TimedOut,
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchAction {
    /// Send an event about the object.
    Send(WatchEventType),
    /// Send the bookmark that marks the end of the initial events.
    SendMarker(u64),
    /// Send a bookmark.
    SendBookmark(u64),
    /// Tell the client that its version is too old, and end.
    SendExpired {
        /// The client's version.
        requested: u64,
        /// The oldest one that would have done.
        oldest: u64,
    },
    /// Nothing to send; look for more.
    Continue,
    /// Nothing to send; wait.
    Wait,
    /// End without a word.
    End,
}

/// The type of an event about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WatchEventType {
    /// The object appeared.
    Added,
    /// The object changed.
    Modified,
    /// The object disappeared.
    Deleted,
}

impl WatchCursor {
    /// A watcher that starts at `version`.
    pub(crate) fn new(version: u64, phase: WatchPhase, bookmarks: Bookmarks) -> Self {
        Self { read: version, bookmarked: version, phase, bookmarks }
    }

    /// The version after which history is to be read.
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    /// What the watcher is in the middle of.
    pub(crate) fn phase(&self) -> WatchPhase {
        self.phase
    }

    /// What to do about what was seen.
    pub(crate) fn next(&mut self, input: WatchInput) -> WatchAction {
        let (phase, action) = self.transition(input);
        self.phase = phase;
        match (input, action) {
            (WatchInput::Change { version, .. }, _) => self.read = version,
            // Nothing happened up to there, so an idle watcher does not fall out of the window.
            (WatchInput::UpToDate { newest }, _) => self.read = self.read.max(newest),
            (_, WatchAction::SendMarker(version) | WatchAction::SendBookmark(version)) => {
                self.bookmarked = version
            }
            _ => {}
        }
        action
    }

    fn transition(&self, input: WatchInput) -> (WatchPhase, WatchAction) {
        match (self.phase, input) {
            (WatchPhase::Ended, _) => (WatchPhase::Ended, WatchAction::End),
            (_, WatchInput::WatchEnded | WatchInput::TimedOut) => (WatchPhase::Ended, WatchAction::End),

            (phase @ WatchPhase::Initial(_), WatchInput::InitialObject) => {
                (phase, WatchAction::Send(WatchEventType::Added))
            }
            (WatchPhase::Initial(InitialEventsMarker::Send), WatchInput::InitialEnd) => {
                (WatchPhase::Live, WatchAction::SendMarker(self.read))
            }
            (WatchPhase::Initial(InitialEventsMarker::Omit), WatchInput::InitialEnd) => {
                (WatchPhase::Live, WatchAction::Continue)
            }
            (phase @ WatchPhase::Initial(_), _) => (phase, WatchAction::Continue),
            (phase, WatchInput::InitialObject | WatchInput::InitialEnd) => (phase, WatchAction::Continue),

            (_, WatchInput::Change { event: Some(event), .. }) => {
                (WatchPhase::Live, WatchAction::Send(event))
            }
            (_, WatchInput::Change { event: None, .. }) => (WatchPhase::Live, WatchAction::Continue),
            (_, WatchInput::UpToDate { .. }) => (WatchPhase::Live, WatchAction::Wait),

            (WatchPhase::Opened, WatchInput::Compacted { oldest }) => {
                (WatchPhase::Ended, WatchAction::SendExpired { requested: self.read, oldest })
            }
            // It read too slowly. The client will ask again from its last version, and hear that this is too old.
            (WatchPhase::Live, WatchInput::Compacted { .. }) => (WatchPhase::Ended, WatchAction::End),

            (phase, WatchInput::BookmarkDue { newest }) => {
                let is_news = self.bookmarks == Bookmarks::Enabled && newest > self.bookmarked;
                (phase, if is_news { WatchAction::SendBookmark(newest) } else { WatchAction::Wait })
            }
        }
    }
}

impl WatchEventType {
    /// As events carry it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }

    /// What a change means to a watcher that sees only some objects.
    pub(crate) fn of(before: Membership, after: Membership) -> Option<Self> {
        match (before, after) {
            (Membership::Outside, Membership::Outside) => None,
            (Membership::Outside, Membership::Inside) => Some(Self::Added),
            (Membership::Inside, Membership::Inside) => Some(Self::Modified),
            (Membership::Inside, Membership::Outside) => Some(Self::Deleted),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHANGE: WatchInput = WatchInput::Change { version: 12, event: Some(WatchEventType::Modified) };
    const OTHERS: WatchInput = WatchInput::Change { version: 12, event: None };

    #[test]
    fn what_is_sent_next_is_a_table() {
        use WatchPhase::{Ended, Initial, Live, Opened};
        for (phase, input, next, action) in [
            (
                Initial(InitialEventsMarker::Send),
                WatchInput::InitialObject,
                Initial(InitialEventsMarker::Send),
                WatchAction::Send(WatchEventType::Added),
            ),
            (Initial(InitialEventsMarker::Send), WatchInput::InitialEnd, Live, WatchAction::SendMarker(10)),
            (Initial(InitialEventsMarker::Omit), WatchInput::InitialEnd, Live, WatchAction::Continue),
            (
                Initial(InitialEventsMarker::Send),
                WatchInput::BookmarkDue { newest: 20 },
                Initial(InitialEventsMarker::Send),
                WatchAction::Continue,
            ),
            (Initial(InitialEventsMarker::Send), WatchInput::TimedOut, Ended, WatchAction::End),
            (Initial(InitialEventsMarker::Send), WatchInput::WatchEnded, Ended, WatchAction::End),
            (Opened, CHANGE, Live, WatchAction::Send(WatchEventType::Modified)),
            (Opened, OTHERS, Live, WatchAction::Continue),
            (Opened, WatchInput::UpToDate { newest: 10 }, Live, WatchAction::Wait),
            (
                Opened,
                WatchInput::Compacted { oldest: 11 },
                Ended,
                WatchAction::SendExpired { requested: 10, oldest: 11 },
            ),
            (Opened, WatchInput::BookmarkDue { newest: 11 }, Opened, WatchAction::SendBookmark(11)),
            (Live, CHANGE, Live, WatchAction::Send(WatchEventType::Modified)),
            (Live, WatchInput::UpToDate { newest: 30 }, Live, WatchAction::Wait),
            (Live, WatchInput::Compacted { oldest: 11 }, Ended, WatchAction::End),
            (Live, WatchInput::BookmarkDue { newest: 10 }, Live, WatchAction::Wait),
            (Live, WatchInput::BookmarkDue { newest: 11 }, Live, WatchAction::SendBookmark(11)),
            (Live, WatchInput::WatchEnded, Ended, WatchAction::End),
            (Live, WatchInput::TimedOut, Ended, WatchAction::End),
            (Ended, CHANGE, Ended, WatchAction::End),
        ] {
            let mut cursor = WatchCursor::new(10, phase, Bookmarks::Enabled);
            assert_eq!((cursor.next(input), cursor.phase()), (action, next), "{phase:?} × {input:?}");
        }
    }

    #[test]
    fn a_client_that_takes_no_bookmarks_gets_none() {
        let mut cursor = WatchCursor::new(10, WatchPhase::Live, Bookmarks::Disabled);
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 99 }), WatchAction::Wait);
    }

    #[test]
    fn a_bookmark_is_sent_only_for_a_version_that_no_bookmark_told() {
        let mut cursor = WatchCursor::new(10, WatchPhase::Live, Bookmarks::Enabled);
        assert_eq!(cursor.next(CHANGE), WatchAction::Send(WatchEventType::Modified));
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 12 }), WatchAction::SendBookmark(12));
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 12 }), WatchAction::Wait);
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 13 }), WatchAction::SendBookmark(13));
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 13 }), WatchAction::Wait);
    }

    proptest! {
        /// A client that keeps a set by the events it gets, whatever the selector, ends with the selected objects.
        #[test]
        fn entering_and_leaving_a_selection_keep_a_set_right(states in prop::collection::vec(0u8..3, 1..40)) {
            let membership = |state: u8| if state == 2 { Membership::Inside } else { Membership::Outside };
            let mut cursor = WatchCursor::new(0, WatchPhase::Opened, Bookmarks::Disabled);
            let mut before = 0;
            let mut is_present = false;
            for (at, state) in states.into_iter().enumerate() {
                let event = WatchEventType::of(membership(before), membership(state));
                match cursor.next(WatchInput::Change { version: at as u64 + 1, event }) {
                    WatchAction::Send(WatchEventType::Added) => { prop_assert!(!is_present); is_present = true; }
                    WatchAction::Send(WatchEventType::Modified) => prop_assert!(is_present),
                    WatchAction::Send(WatchEventType::Deleted) => { prop_assert!(is_present); is_present = false; }
                    other => prop_assert_eq!(other, WatchAction::Continue),
                }
                prop_assert_eq!(cursor.read(), at as u64 + 1);
                prop_assert_eq!(is_present, state == 2);
                before = state;
            }
        }
    }
}
