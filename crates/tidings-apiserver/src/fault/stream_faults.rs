//! Applies injected faults to the events of one watch.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tidings_object::Wire;

use super::{Ending, EventFault, Fault};
use crate::status::ApiError;
use crate::wire::{changed_event, error_event};

/// The faults of one watch, and how many events it has sent.
#[derive(Debug)]
pub(crate) struct StreamFaults {
    faults: Vec<Fault>,
    events: usize,
    first: Option<Bytes>,
}

/// What the faults make of one frame.
#[derive(Debug)]
pub(crate) enum FrameOutcome {
    /// The frame is sent as it is.
    Unchanged(Bytes),
    /// These frames are sent instead.
    Replaced(Vec<Bytes>),
    /// These frames are sent instead, then the stream ends.
    ReplacedThenEnd(Vec<Bytes>, Ending),
}

impl StreamFaults {
    /// Keeps only the faults that concern a watch stream.
    pub(crate) fn new(faults: &[Fault]) -> Self {
        let concerns = |fault: &&Fault| {
            matches!(
                fault,
                Fault::CutStream { .. }
                    | Fault::CutMidFrame { .. }
                    | Fault::StallStream { .. }
                    | Fault::SlowStream(_)
                    | Fault::Event { .. }
                    | Fault::HideMarker
                    | Fault::HideBookmarks
                    | Fault::FailStreamingList
            )
        };
        Self { faults: faults.iter().filter(concerns).cloned().collect(), events: 0, first: None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// The delay of each event.
    pub(crate) fn delay(&self) -> Option<Duration> {
        self.faults.iter().find_map(|fault| match fault {
            Fault::SlowStream(delay) => Some(*delay),
            _ => None,
        })
    }

    pub(crate) fn hides_marker(&self) -> bool {
        self.faults.contains(&Fault::HideMarker)
    }

    pub(crate) fn hides_bookmarks(&self) -> bool {
        self.faults.contains(&Fault::HideBookmarks)
    }

    /// The first frames and the ending of a stream that fails at once.
    pub(crate) fn opening(&self, wire: Wire) -> Option<(Vec<Bytes>, Ending)> {
        self.faults.iter().find_map(|fault| match fault {
            Fault::FailStreamingList => Some((
                vec![error_event(&ApiError::internal("streaming lists are not supported"), wire)],
                Ending::Clean,
            )),
            Fault::CutStream { after_events: 0, ending } => Some((Vec::new(), *ending)),
            Fault::StallStream { after_events: 0 } => Some((Vec::new(), Ending::Stalled)),
            _ => None,
        })
    }

    /// Applies the faults to the next frame.
    pub(crate) fn apply(&mut self, frame: Bytes, wire: Wire) -> FrameOutcome {
        if self.faults.is_empty() {
            return FrameOutcome::Unchanged(frame);
        }
        let before = self.events;
        self.events += 1;
        let first = self.first.get_or_insert_with(|| frame.clone()).clone();
        for fault in &self.faults {
            match fault {
                Fault::CutStream { after_events, ending } if *after_events == before + 1 => {
                    return FrameOutcome::ReplacedThenEnd(vec![frame], *ending);
                }
                Fault::StallStream { after_events } if *after_events == before + 1 => {
                    return FrameOutcome::ReplacedThenEnd(vec![frame], Ending::Stalled);
                }
                Fault::CutMidFrame { after_events } if *after_events == before => {
                    return FrameOutcome::ReplacedThenEnd(
                        vec![frame.slice(..frame.len() / 2)],
                        Ending::Broken,
                    );
                }
                Fault::Event { after_events, fault } if *after_events == before => {
                    return fault.apply(frame, first, wire);
                }
                _ => {}
            }
        }
        FrameOutcome::Unchanged(frame)
    }
}

impl EventFault {
    fn apply(&self, frame: Bytes, first: Bytes, wire: Wire) -> FrameOutcome {
        match self {
            Self::Duplicate => FrameOutcome::Replaced(vec![frame.clone(), frame]),
            Self::Stale => FrameOutcome::Replaced(vec![frame, first]),
            Self::UnknownType => {
                let surprise = changed_event(&frame, wire, |event| event["type"] = json!("SURPRISE"));
                FrameOutcome::Replaced(vec![frame, surprise])
            }
            Self::WithoutMetadata => FrameOutcome::Replaced(vec![changed_event(&frame, wire, |event| {
                if let Some(object) = event["object"].as_object_mut() {
                    object.remove("metadata");
                }
            })]),
            Self::WithoutVersion => FrameOutcome::Replaced(vec![changed_event(&frame, wire, |event| {
                if let Some(metadata) = event["object"]["metadata"].as_object_mut() {
                    metadata.remove("resourceVersion");
                }
            })]),
            Self::WrongKind => FrameOutcome::Replaced(vec![changed_event(&frame, wire, |event| {
                event["object"]["kind"] = json!("Surprise");
                event["object"]["apiVersion"] = json!("surprise.example/v1");
            })]),
            Self::Garbage => FrameOutcome::Replaced(vec![Bytes::from_static(match wire {
                Wire::Json => b"{\"type\":\"ADDED\",\"obj\xff]]\n",
                Wire::Protobuf => b"\0\0\0\x08\x0a\x05ADDED\x12",
            })]),
            Self::Error { code } => {
                let error = ApiError::of_code(*code, None);
                FrameOutcome::ReplacedThenEnd(vec![error_event(&error, wire)], Ending::Clean)
            }
        }
    }
}
