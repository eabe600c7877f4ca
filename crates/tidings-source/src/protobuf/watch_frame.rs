//! Opens one frame of a watch, a `WatchEvent` of protobuf, without reading its object: it only finds the object's
//! bytes and what the object is.

use super::envelope::{Envelope, MessageError, bytes_of, each};
use crate::payload::Payload;
use crate::watch_frame::{EventType, WatchFrame};

impl<'a> WatchFrame<'a> {
    /// Reads a frame. Of duplicate fields the last counts.
    pub(crate) fn read_protobuf(frame: &'a [u8]) -> Result<WatchFrame<'a>, MessageError> {
        let mut event_type = None;
        let mut object = None;
        each(frame, |number, value| {
            match number {
                1 => event_type = Some(bytes_of(number, value)?),
                2 => object = raw_of(bytes_of(number, value)?)?,
                _ => {}
            }
            Ok(())
        })?;
        let event_type = event_type.ok_or(MessageError::Missing("a type of event"))?;
        let event_type = match EventType::known(event_type) {
            Some(known) => known,
            None => EventType::named(str::from_utf8(event_type).map_err(|_| MessageError::NotText)?),
        };
        let object = Envelope::open(object.ok_or(MessageError::Missing("an object"))?)?;
        Ok(WatchFrame { event_type, object: Payload::Protobuf(object) })
    }
}

/// What a `RawExtension` holds.
fn raw_of(extension: &[u8]) -> Result<Option<&[u8]>, MessageError> {
    let mut raw = None;
    each(extension, |number, value| {
        if number == 1 {
            raw = Some(bytes_of(number, value)?);
        }
        Ok(())
    })?;
    Ok(raw)
}
