//! What a watcher is sent next, given what was seen: a pure table.
//!
//! The cursor knows two versions: up to which one history was read, and which one the client knows of. It never waits,
//! never encodes, and never looks at an object.

use crate::request::selector::Membership;

/// Where a watcher stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// History is read up to and including this version.
    read: u64,
    /// The version that the client asked from, or the newest that a bookmark told it since.
    told: u64,
    phase: Phase,
    bookmarks: Bookmarks,
}

/// What a watcher is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Objects that were there at the start are sent.
    Initial(Marker),
    /// Nothing was read from history yet: a version that is too old is the client's to hear of.
    Opened,
    /// History is read as it grows.
    Live,
    /// Nothing more is sent.
    Over,
}

/// Whether the end of the initial events is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// By a bookmark that says so.
    Due,
    /// Not at all.
    Unwanted,
}

/// Whether the client takes bookmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bookmarks {
    /// It does.
    Wanted,
    /// It does not.
    Unwanted,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// An object that was there at the start.
    Initial,
    /// There are no more of these.
    InitialEnd,
    /// A change, and what it means for this watcher.
    Change {
        /// The change's version.
        version: u64,
        /// What it means.
        meaning: Option<EventType>,
    },
    /// No change, as of this version.
    Quiet {
        /// The newest version given out.
        newest: u64,
    },
    /// History no longer reaches back to where this watcher stands.
    Forgotten {
        /// The oldest version it reaches back to.
        oldest: u64,
    },
    /// The resource is gone, or time went back.
    Gone,
    /// A bookmark would be in order, as of this version.
    BookmarkDue {
        /// The newest version up to which this watcher has read.
        newest: u64,
    },
    /// The time asked for is up.
    TimeUp,
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Send an event about the object.
    Send(EventType),
    /// Send the bookmark that marks the end of the initial events.
    SendMarker(u64),
    /// Send a bookmark.
    SendBookmark(u64),
    /// Tell the client that its version is too old, and end.
    SendExpired {
        /// The client's version.
        asked: u64,
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
pub enum EventType {
    /// The object appeared.
    Added,
    /// The object changed.
    Modified,
    /// The object disappeared.
    Deleted,
}

impl Cursor {
    /// A watcher that starts at `version`.
    pub fn new(version: u64, phase: Phase, bookmarks: Bookmarks) -> Self {
        Self { read: version, told: version, phase, bookmarks }
    }

    /// The version after which history is to be read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// What the watcher is in the middle of.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What to do about what was seen.
    pub fn next(&mut self, seen: Seen) -> Act {
        let (phase, act) = self.decide(seen);
        self.phase = phase;
        match (seen, act) {
            (Seen::Change { version, .. }, _) => self.read = version,
            // Nothing happened up to there, so an idle watcher does not fall out of the window.
            (Seen::Quiet { newest }, _) => self.read = self.read.max(newest),
            (_, Act::SendMarker(version) | Act::SendBookmark(version)) => self.told = version,
            _ => {}
        }
        act
    }

    fn decide(&self, seen: Seen) -> (Phase, Act) {
        match (self.phase, seen) {
            (Phase::Over, _) => (Phase::Over, Act::End),
            (_, Seen::Gone | Seen::TimeUp) => (Phase::Over, Act::End),

            (phase @ Phase::Initial(_), Seen::Initial) => (phase, Act::Send(EventType::Added)),
            (Phase::Initial(Marker::Due), Seen::InitialEnd) => (Phase::Live, Act::SendMarker(self.read)),
            (Phase::Initial(Marker::Unwanted), Seen::InitialEnd) => (Phase::Live, Act::Continue),
            (phase @ Phase::Initial(_), _) => (phase, Act::Continue),
            (phase, Seen::Initial | Seen::InitialEnd) => (phase, Act::Continue),

            (_, Seen::Change { meaning: Some(event), .. }) => (Phase::Live, Act::Send(event)),
            (_, Seen::Change { meaning: None, .. }) => (Phase::Live, Act::Continue),
            (_, Seen::Quiet { .. }) => (Phase::Live, Act::Wait),

            (Phase::Opened, Seen::Forgotten { oldest }) => {
                (Phase::Over, Act::SendExpired { asked: self.read, oldest })
            }
            // It read too slowly. The client will ask again from its last version, and hear that this is too old.
            (Phase::Live, Seen::Forgotten { .. }) => (Phase::Over, Act::End),

            (phase, Seen::BookmarkDue { newest }) => {
                let is_news = self.bookmarks == Bookmarks::Wanted && newest > self.told;
                (phase, if is_news { Act::SendBookmark(newest) } else { Act::Wait })
            }
        }
    }
}

impl EventType {
    /// As events carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }

    /// What a change means to a watcher that sees only some objects.
    pub fn of(before: Membership, after: Membership) -> Option<Self> {
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

    const CHANGE: Seen = Seen::Change { version: 12, meaning: Some(EventType::Modified) };
    const OTHERS: Seen = Seen::Change { version: 12, meaning: None };

    #[test]
    fn what_is_sent_next_is_a_table() {
        use Phase::{Initial, Live, Opened, Over};
        for (phase, seen, next, act) in [
            (Initial(Marker::Due), Seen::Initial, Initial(Marker::Due), Act::Send(EventType::Added)),
            (Initial(Marker::Due), Seen::InitialEnd, Live, Act::SendMarker(10)),
            (Initial(Marker::Unwanted), Seen::InitialEnd, Live, Act::Continue),
            (Initial(Marker::Due), Seen::BookmarkDue { newest: 20 }, Initial(Marker::Due), Act::Continue),
            (Initial(Marker::Due), Seen::TimeUp, Over, Act::End),
            (Initial(Marker::Due), Seen::Gone, Over, Act::End),
            (Opened, CHANGE, Live, Act::Send(EventType::Modified)),
            (Opened, OTHERS, Live, Act::Continue),
            (Opened, Seen::Quiet { newest: 10 }, Live, Act::Wait),
            (Opened, Seen::Forgotten { oldest: 11 }, Over, Act::SendExpired { asked: 10, oldest: 11 }),
            (Opened, Seen::BookmarkDue { newest: 11 }, Opened, Act::SendBookmark(11)),
            (Live, CHANGE, Live, Act::Send(EventType::Modified)),
            (Live, Seen::Quiet { newest: 30 }, Live, Act::Wait),
            (Live, Seen::Forgotten { oldest: 11 }, Over, Act::End),
            (Live, Seen::BookmarkDue { newest: 10 }, Live, Act::Wait),
            (Live, Seen::BookmarkDue { newest: 11 }, Live, Act::SendBookmark(11)),
            (Live, Seen::Gone, Over, Act::End),
            (Live, Seen::TimeUp, Over, Act::End),
            (Over, CHANGE, Over, Act::End),
        ] {
            let mut cursor = Cursor::new(10, phase, Bookmarks::Wanted);
            assert_eq!((cursor.next(seen), cursor.phase()), (act, next), "{phase:?} × {seen:?}");
        }
    }

    #[test]
    fn a_client_that_takes_no_bookmarks_gets_none() {
        let mut cursor = Cursor::new(10, Phase::Live, Bookmarks::Unwanted);
        assert_eq!(cursor.next(Seen::BookmarkDue { newest: 99 }), Act::Wait);
    }

    #[test]
    fn a_bookmark_is_sent_only_for_a_version_that_no_bookmark_told() {
        let mut cursor = Cursor::new(10, Phase::Live, Bookmarks::Wanted);
        assert_eq!(cursor.next(CHANGE), Act::Send(EventType::Modified));
        assert_eq!(cursor.next(Seen::BookmarkDue { newest: 12 }), Act::SendBookmark(12));
        assert_eq!(cursor.next(Seen::BookmarkDue { newest: 12 }), Act::Wait);
        assert_eq!(cursor.next(Seen::BookmarkDue { newest: 13 }), Act::SendBookmark(13));
        assert_eq!(cursor.next(Seen::BookmarkDue { newest: 13 }), Act::Wait);
    }

    proptest! {
        /// A client that keeps a set by the events it gets, whatever the selector, ends with the selected objects.
        #[test]
        fn entering_and_leaving_a_selection_keep_a_set_right(states in prop::collection::vec(0u8..3, 1..40)) {
            let membership = |state: u8| if state == 2 { Membership::Inside } else { Membership::Outside };
            let mut cursor = Cursor::new(0, Phase::Opened, Bookmarks::Unwanted);
            let mut before = 0;
            let mut is_held = false;
            for (at, state) in states.into_iter().enumerate() {
                let meaning = EventType::of(membership(before), membership(state));
                match cursor.next(Seen::Change { version: at as u64 + 1, meaning }) {
                    Act::Send(EventType::Added) => { prop_assert!(!is_held); is_held = true; }
                    Act::Send(EventType::Modified) => prop_assert!(is_held),
                    Act::Send(EventType::Deleted) => { prop_assert!(is_held); is_held = false; }
                    other => prop_assert_eq!(other, Act::Continue),
                }
                prop_assert_eq!(cursor.read(), at as u64 + 1);
                prop_assert_eq!(is_held, state == 2);
                before = state;
            }
        }
    }
}
