//! Makes an event of one frame of a watch.

use std::sync::Arc;

use tidings_object::{Intake, IntakeError, KnownObjects, Wire};

use crate::json::watch_frame::NoEvent;
use crate::payload::Payload;
use crate::protobuf::envelope::MessageError;
use crate::watch_frame::{EventType, WatchFrame};
use crate::{Change, Skipped, WatchEvent, network, status};

/// Makes events of the frames of one watch.
pub(crate) struct EventReader {
    wire: Wire,
    intake: Arc<Intake>,
    known: Arc<dyn KnownObjects>,
}

/// Why a frame is no event. What follows it can't be trusted either.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EventError {
    #[error(transparent)]
    NoEvent(#[from] NoEvent),
    #[error("not a watch event: {0}")]
    NoMessage(MessageError),
    #[error("{0}")]
    Object(String),
}

impl From<MessageError> for EventError {
    fn from(error: MessageError) -> Self {
        EventError::NoMessage(error)
    }
}

impl EventReader {
    pub(crate) fn new(wire: Wire, intake: Arc<Intake>, known: Arc<dyn KnownObjects>) -> EventReader {
        EventReader { wire, intake, known }
    }

    /// Reads one frame.
    pub(crate) fn read(&self, frame: &[u8]) -> Result<WatchEvent, EventError> {
        match self.wire {
            Wire::Json => self.read_json(frame),
            Wire::Protobuf => self.open(WatchFrame::read_protobuf(frame)?),
        }
    }

    fn read_json(&self, frame: &[u8]) -> Result<WatchEvent, EventError> {
        // A guess that was wrong leaves an object that is not well-formed: then the frame is of another shape,
        // or no frame at all.
        if let Some(guess) = WatchFrame::guess_json(frame)
            && let EventType::Added | EventType::Modified | EventType::Deleted | EventType::Bookmark =
                guess.event_type
            && let Ok(event) = self.open(guess)
        {
            return Ok(event);
        }
        self.open(WatchFrame::read_json(frame)?)
    }

    fn open(&self, frame: WatchFrame<'_>) -> Result<WatchEvent, EventError> {
        let change = match frame.event_type {
            EventType::Added => Change::Added,
            EventType::Modified => Change::Modified,
            EventType::Deleted => Change::Deleted,
            EventType::Bookmark => return self.bookmark(frame.object),
            EventType::Error => return Ok(WatchEvent::Error(status::from_event(frame.object))),
            EventType::Unknown(event_type) => {
                return Ok(WatchEvent::Skipped(Skipped::UnknownEvent { event_type }));
            }
        };
        match frame.object.object(&self.intake, &*self.known) {
            Ok(object) => Ok(WatchEvent::Changed(change, object)),
            Err(error) => skipped(error),
        }
    }

    /// A bookmark's object has a version, perhaps an annotation, and nothing else.
    fn bookmark(&self, object: Payload<'_>) -> Result<WatchEvent, EventError> {
        let identity = match object.identity() {
            Ok(identity) => identity,
            Err(error) => return skipped(error),
        };
        let expected = &self.intake.origin().resource.kind;
        let found = identity.kind.as_deref().unwrap_or_default();
        if !["", &**expected, "PartialObjectMetadata"].contains(&found) {
            return skipped(IntakeError::WrongKind {
                expected: expected.to_string(),
                found: found.to_owned(),
            });
        }
        match identity.version {
            Some(version) if !version.is_empty() => {
                Ok(WatchEvent::Bookmark { version, is_initial_events_end: identity.is_initial_events_end })
            }
            _ => skipped(IntakeError::NoIdentity { missing: "metadata.resourceVersion" }),
        }
    }
}

/// Only bytes that are not well-formed break a watch.
fn skipped(error: IntakeError) -> Result<WatchEvent, EventError> {
    match error {
        IntakeError::Malformed(_) => Err(EventError::Object(network::message(&error))),
        error => Ok(WatchEvent::Skipped(Skipped::Object(error))),
    }
}
