//! Reads one frame of a watch, a protobuf `WatchEvent`. It finds the object's bytes and type, and does not read the
//! object.

use super::envelope::{Envelope, MessageError, bytes_of, each_field};
use crate::wire::{Payload, WatchFrame, WatchFrameType};

impl<'a> WatchFrame<'a> {
    /// Reads a frame. Of duplicate fields the last one counts.
    pub(crate) fn read_protobuf(frame: &'a [u8]) -> Result<WatchFrame<'a>, MessageError> {
        let mut frame_type = None;
        let mut object = None;
        each_field(frame, |number, value| {
            match number {
                1 => frame_type = Some(bytes_of(number, value)?),
                2 => object = raw_of(bytes_of(number, value)?)?,
                _ => {}
            }
            Ok(())
        })?;
        let frame_type = frame_type.ok_or(MessageError::Missing("the type of the event"))?;
        let frame_type = match WatchFrameType::known(frame_type) {
            Some(known) => known,
            None => WatchFrameType::from_name(str::from_utf8(frame_type).map_err(|_| MessageError::NotText)?),
        };
        let object = Envelope::open(object.ok_or(MessageError::Missing("the object"))?)?;
        Ok(WatchFrame { frame_type, object: Payload::Protobuf(object) })
    }
}

/// The bytes of a `RawExtension`.
fn raw_of(extension: &[u8]) -> Result<Option<&[u8]>, MessageError> {
    let mut raw = None;
    each_field(extension, |number, value| {
        if number == 1 {
            raw = Some(bytes_of(number, value)?);
        }
        Ok(())
    })?;
    Ok(raw)
}
