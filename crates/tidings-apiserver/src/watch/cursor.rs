//! Decides what a watcher is sent next: a pure state machine.
//!
//! The cursor has two versions: the one up to which it has read the history, and the one that the client knows from the
//! last bookmark. It never waits, encodes or looks at an object.
//!
//! ```text
//! Initial --all objects sent--> Live --ended, timed out, or too slow--> Ended
//! Opened  --first change or none--> Live
//! Opened  --history does not reach back--> Ended, with a 410 event
//! ```

use crate::request::selector::Membership;

/// The state of a watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WatchCursor {
    /// The history is read up to and including this version.
    read: u64,
    /// The version of the last bookmark, or the version that the client started from.
    bookmarked: u64,
    phase: WatchPhase,
    bookmarks: Bookmarks,
}

/// The phase of a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchPhase {
    /// The objects that existed at the start are being sent.
    Initial(InitialEventsMarker),
    /// Nothing was read from the history yet. If the client's version is too old, it gets a 410 event.
    Opened,
    /// The watcher follows the history.
    Live,
    /// The watch has ended.
    Ended,
}

/// Whether a bookmark marks the end of the initial events (KEP-3157).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialEventsMarker {
    /// Send the bookmark.
    Send,
    /// Send no bookmark.
    Omit,
}

/// Whether the client allows bookmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bookmarks {
    Enabled,
    Disabled,
}

/// What the watcher found or what happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchInput {
    /// An object that existed at the start.
    InitialObject,
    /// All objects that existed at the start were sent.
    InitialEnd,
    /// A change in the history.
    Change {
        version: u64,
        /// The event for this watcher; `None` if the change is outside its selection.
        event: Option<WatchEventType>,
    },
    /// The history has no further change.
    UpToDate {
        /// The newest assigned version.
        newest: u64,
    },
    /// The history no longer reaches back to the watcher's version.
    Compacted {
        /// The oldest version in the history.
        oldest: u64,
    },
    /// The resource was removed, or the store was restored to an earlier state.
    WatchEnded,
    /// The interval between bookmarks has passed.
    BookmarkDue {
        /// The newest version. The watcher has read all changes up to it.
        newest: u64,
    },
    /// The timeout of the watch has passed.
    TimedOut,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchAction {
    /// Send an event about the object.
    Send(WatchEventType),
    /// Send the bookmark that marks the end of the initial events.
    SendMarker(u64),
    /// Send a bookmark.
    SendBookmark(u64),
    /// Send a 410 event, because the client's version is too old, and end.
    SendExpired {
        /// The client's version.
        requested: u64,
        /// The oldest version that a watch can start from.
        oldest: u64,
    },
    /// Send nothing; read on.
    Continue,
    /// Send nothing; wait.
    Wait,
    /// End without an event.
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
    pub(crate) fn new(version: u64, phase: WatchPhase, bookmarks: Bookmarks) -> Self {
        Self { read: version, bookmarked: version, phase, bookmarks }
    }

    /// The version after which to read the history.
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    pub(crate) fn phase(&self) -> WatchPhase {
        self.phase
    }

    /// The next action for an input.
    pub(crate) fn next(&mut self, input: WatchInput) -> WatchAction {
        let (phase, action) = self.transition(input);
        self.phase = phase;
        match (input, action) {
            (WatchInput::Change { version, .. }, _) => self.read = version,
            // There was no change up to `newest`. So an idle watcher does not fall behind the history.
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
            // The watcher was too slow. The client watches again from its last version, and then gets a 410.
            (WatchPhase::Live, WatchInput::Compacted { .. }) => (WatchPhase::Ended, WatchAction::End),

            (phase, WatchInput::BookmarkDue { newest }) => {
                let is_news = self.bookmarks == Bookmarks::Enabled && newest > self.bookmarked;
                (phase, if is_news { WatchAction::SendBookmark(newest) } else { WatchAction::Wait })
            }
        }
    }
}

impl WatchEventType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }

    /// The event of a change for a watcher with a selector: an object that enters the selection is added, one that
    /// leaves it is deleted.
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
    fn each_input_in_each_phase_has_its_action() {
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
    fn a_client_that_allows_no_bookmarks_gets_none() {
        let mut cursor = WatchCursor::new(10, WatchPhase::Live, Bookmarks::Disabled);
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 99 }), WatchAction::Wait);
    }

    #[test]
    fn a_bookmark_is_sent_only_for_a_version_newer_than_the_last_bookmark() {
        let mut cursor = WatchCursor::new(10, WatchPhase::Live, Bookmarks::Enabled);
        assert_eq!(cursor.next(CHANGE), WatchAction::Send(WatchEventType::Modified));
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 12 }), WatchAction::SendBookmark(12));
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 12 }), WatchAction::Wait);
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 13 }), WatchAction::SendBookmark(13));
        assert_eq!(cursor.next(WatchInput::BookmarkDue { newest: 13 }), WatchAction::Wait);
    }

    proptest! {
        /// A client that applies the events to a set has exactly the selected objects after each change.
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
