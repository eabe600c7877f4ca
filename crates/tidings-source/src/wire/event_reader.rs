//! Makes events of the frames of a watch.

use std::sync::Arc;

use tidings_object::{Intake, IntakeError, KnownObjects, Wire};

use super::json::watch_frame::WatchFrameError;
use super::protobuf::envelope::MessageError;
use super::{Payload, WatchFrame, WatchFrameType, read_watch_frame, status};
use crate::error::transport;
use crate::{ChangeType, Skipped, WatchEvent};

/// Makes events of the frames of one watch.
pub(crate) struct EventReader {
    wire: Wire,
    intake: Arc<Intake>,
    known: Arc<dyn KnownObjects>,
}

/// Why a frame is not an event. The bytes after such a frame can't be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EventError {
    #[error(transparent)]
    Frame(#[from] WatchFrameError),
    #[error("not a watch event: {0}")]
    Message(MessageError),
    #[error("{0}")]
    Object(String),
}

impl From<MessageError> for EventError {
    fn from(error: MessageError) -> Self {
        EventError::Message(error)
    }
}

impl EventReader {
    pub(crate) fn new(wire: Wire, intake: Arc<Intake>, known: Arc<dyn KnownObjects>) -> EventReader {
        EventReader { wire, intake, known }
    }

    pub(crate) fn read(&self, frame: &[u8]) -> Result<WatchEvent, EventError> {
        read_watch_frame(self.wire, frame, |frame| self.open(frame))
    }

    fn open(&self, frame: WatchFrame<'_>) -> Result<WatchEvent, EventError> {
        let change = match frame.frame_type {
            WatchFrameType::Added => ChangeType::Added,
            WatchFrameType::Modified => ChangeType::Modified,
            WatchFrameType::Deleted => ChangeType::Deleted,
            WatchFrameType::Bookmark => return self.bookmark(frame.object),
            WatchFrameType::Error => return Ok(WatchEvent::Error(status::from_event(frame.object))),
            WatchFrameType::Unknown(event_type) => {
                return Ok(WatchEvent::Skipped(Skipped::UnknownEvent { event_type }));
            }
        };
        match frame.object.object(&self.intake, &*self.known) {
            Ok(object) => Ok(WatchEvent::Changed(change, object)),
            Err(error) => skipped(error),
        }
    }

    /// The object of a bookmark has a version, sometimes an annotation, and nothing else.
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

/// Bytes that are not well-formed break the watch. A well-formed object that can't be used is skipped.
fn skipped(error: IntakeError) -> Result<WatchEvent, EventError> {
    match error {
        IntakeError::Malformed(_) => Err(EventError::Object(transport::message(&error))),
        error => Ok(WatchEvent::Skipped(Skipped::Object(error))),
    }
}
