//! Cuts the body of a watch into frames, on whichever wire it comes: one line or one counted length each. A frame
//! that arrived in one chunk is lent from it, and no more than `frame_bytes_max` is ever held.

use tidings_object::Wire;

use crate::{json, protobuf};

/// Cuts one body.
#[derive(Debug)]
pub(crate) enum Frames {
    Json(json::frames::Frames),
    Protobuf(protobuf::frames::Frames),
}

/// Why a body can't be cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("a frame is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    #[error("what comes is no frame")]
    NotAFrame,
    #[error("the watch was cut off in the middle of a frame")]
    CutOff,
}

impl Frames {
    pub(crate) fn new(wire: Wire, frame_bytes_max: usize) -> Frames {
        match wire {
            Wire::Json => Frames::Json(json::frames::Frames::new(frame_bytes_max)),
            Wire::Protobuf => Frames::Protobuf(protobuf::frames::Frames::new(frame_bytes_max)),
        }
    }

    /// The next frame that ends within `input`, which is moved past it; `None` when more must come.
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, FrameError> {
        match self {
            Frames::Json(frames) => frames.next(input),
            Frames::Protobuf(frames) => frames.next(input),
        }
    }

    /// What is left when the body has ended: a last line needs no end, but may lack more than that.
    pub(crate) fn rest(&mut self) -> Result<Option<&[u8]>, FrameError> {
        match self {
            Frames::Json(frames) => Ok(frames.rest()),
            Frames::Protobuf(frames) => frames.rest().map(|()| None),
        }
    }
}
