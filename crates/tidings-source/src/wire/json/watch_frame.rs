//! Reads one frame of a watch, `{"type":"ADDED","object":{...}}`. It finds the object's bytes and does not read them.
//!
//! The fast path assumes the exact shape that API servers write, and looks only at the two ends of the frame. A frame of
//! any other shape (another key order, white space, escaped or additional keys) is scanned member by member.

use serde_json::from_slice;
use tidings_object::ValueEnd;

use super::white_space::trim_start;
use crate::WatchEvent;
use crate::wire::event_reader::EventError;
use crate::wire::{Payload, TYPE_CHARS_MAX, WatchFrame, WatchFrameType};

/// Why a frame is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a watch event at byte {at}: expected {expected}")]
pub(crate) struct WatchFrameError {
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

/// Reads a frame and makes an event of it with `open`, on the fast path if possible.
pub(crate) fn read_with(
    frame: &[u8],
    open: impl Fn(WatchFrame<'_>) -> Result<WatchEvent, EventError>,
) -> Result<WatchEvent, EventError> {
    // If the guess is wrong, its object is not well-formed, and `open` fails. Then the frame has another shape, or is
    // malformed.
    if let Some(guess) = WatchFrame::guess_json(frame)
        && let Ok(event) = open(guess)
    {
        return Ok(event);
    }
    open(WatchFrame::read_json(frame)?)
}

impl<'a> WatchFrame<'a> {
    /// Reads a frame of the exact shape that API servers write, with one of the four types that carry an object of the
    /// resource: the object is everything between the two ends. If that object is not well-formed, the frame has another
    /// shape: see [`read_json`](Self::read_json).
    pub(crate) fn guess_json(frame: &'a [u8]) -> Option<WatchFrame<'a>> {
        let rest = frame.strip_prefix(br#"{"type":""#)?;
        let quote = rest.iter().take(TYPE_CHARS_MAX).position(|byte| matches!(byte, b'"' | b'\\'))?;
        let (frame_type, rest) = rest.split_at(quote);
        let object = rest.strip_prefix(br#"","object":"#)?.trim_ascii_end().strip_suffix(b"}")?;
        if !(object.starts_with(b"{") && object.ends_with(b"}")) {
            return None;
        }
        match WatchFrameType::known(frame_type)? {
            WatchFrameType::Error => None,
            frame_type => Some(WatchFrame { frame_type, object: Payload::Json(object) }),
        }
    }

    /// Reads a frame of any shape. Of duplicate keys the last one counts. A `Status` in place of an event is an error
    /// event: a server that fails while it opens a watch may send one.
    pub(crate) fn read_json(frame: &'a [u8]) -> Result<WatchFrame<'a>, WatchFrameError> {
        let mut frame_type = None;
        let mut object = None;
        let mut kind = None;
        for member in ObjectMembers::of(frame)? {
            let (key, value) = member?;
            match key.as_str() {
                "type" => frame_type = from_slice::<String>(value).ok(),
                "object" => object = Some(value),
                "kind" => kind = from_slice::<String>(value).ok(),
                _ => {}
            }
        }
        match (frame_type, object) {
            (Some(frame_type), Some(object)) => Ok(WatchFrame {
                frame_type: WatchFrameType::from_name(&frame_type),
                object: Payload::Json(object),
            }),
            _ if kind.as_deref() == Some("Status") => {
                Ok(WatchFrame { frame_type: WatchFrameType::Error, object: Payload::Json(frame) })
            }
            (None, _) => Err(WatchFrameError { at: 0, expected: "an event with a type" }),
            (_, None) => Err(WatchFrameError { at: 0, expected: "an event with an object" }),
        }
    }
}

/// Iterates over the members of one JSON object, with the bytes of each value. It stops after the first error.
struct ObjectMembers<'a> {
    frame: &'a [u8],
    rest: &'a [u8],
    is_first: bool,
    is_done: bool,
}

impl<'a> ObjectMembers<'a> {
    fn of(frame: &'a [u8]) -> Result<ObjectMembers<'a>, WatchFrameError> {
        let mut members = ObjectMembers { frame, rest: frame, is_first: true, is_done: false };
        members.token(b'{', "an object")?;
        Ok(members)
    }

    fn member(&mut self) -> Result<Option<(String, &'a [u8])>, WatchFrameError> {
        self.rest = trim_start(self.rest);
        if self.rest.first() == Some(&b'}') {
            self.rest = trim_start(&self.rest[1..]);
            return if self.rest.is_empty() { Ok(None) } else { Err(self.expected("one event per line")) };
        }
        if !std::mem::take(&mut self.is_first) {
            self.token(b',', "a comma or the end of the object")?;
        }
        let key = self.value("a key in quotes")?;
        let key = from_slice(key).map_err(|_| self.expected("a key in quotes"))?;
        self.token(b':', "a colon")?;
        Ok(Some((key, self.value("a value")?)))
    }

    fn value(&mut self, expected: &'static str) -> Result<&'a [u8], WatchFrameError> {
        self.rest = trim_start(self.rest);
        let end = self
            .rest
            .first()
            .and_then(|first| ValueEnd::of_value_starting(*first)?.advance(self.rest))
            .ok_or_else(|| self.expected(expected))?;
        let (value, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(value)
    }

    fn token(&mut self, token: u8, expected: &'static str) -> Result<(), WatchFrameError> {
        self.rest = trim_start(self.rest);
        self.rest = self.rest.strip_prefix(&[token]).ok_or_else(|| self.expected(expected))?;
        Ok(())
    }

    fn expected(&self, expected: &'static str) -> WatchFrameError {
        WatchFrameError { at: self.frame.len() - self.rest.len(), expected }
    }
}

impl<'a> Iterator for ObjectMembers<'a> {
    type Item = Result<(String, &'a [u8]), WatchFrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let member = self.member().transpose();
        self.is_done = !matches!(member, Some(Ok(_)));
        member
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(frame_type: WatchFrameType, object: &str) -> WatchFrame<'_> {
        WatchFrame { frame_type, object: Payload::Json(object.as_bytes()) }
    }

    #[test]
    fn the_fast_path_reads_the_same_as_the_scan() {
        let text = b"{\"type\":\"ADDED\",\"object\":{\"a\":\"}\"}}\r";
        assert_eq!(WatchFrame::guess_json(text), Some(frame(WatchFrameType::Added, r#"{"a":"}"}"#)));
        assert_eq!(WatchFrame::read_json(text), Ok(frame(WatchFrameType::Added, r#"{"a":"}"}"#)));
    }

    #[test]
    fn a_frame_of_any_other_shape_is_read_member_by_member() {
        for (text, frame_type, object) in [
            (
                r#" { "object" : {"type":"X"} , "type" : "DELETED" } "#,
                WatchFrameType::Deleted,
                r#"{"type":"X"}"#,
            ),
            (r#"{"\u0074ype":"MODIFIE\u0044","object":{}}"#, WatchFrameType::Modified, "{}"),
            (r#"{"type":"ADDED","object":{"a":1},"object":{"a":2}}"#, WatchFrameType::Added, r#"{"a":2}"#),
            (r#"{"type":"BOOKMARK","object":{},"more":[1,{}]}"#, WatchFrameType::Bookmark, "{}"),
            (r#"{"type":"PATCHED","object":{}}"#, WatchFrameType::Unknown("PATCHED".to_owned()), "{}"),
        ] {
            assert_eq!(WatchFrame::read_json(text.as_bytes()), Ok(frame(frame_type, object)), "{text}");
        }
    }

    #[test]
    fn a_bare_status_is_an_error_event() {
        let text = r#"{"kind":"Status","code":410}"#;
        assert_eq!(WatchFrame::read_json(text.as_bytes()), Ok(frame(WatchFrameType::Error, text)));
    }

    #[test]
    fn an_error_states_the_offset() {
        for (text, at) in [
            ("", 0),
            ("[]", 0),
            ("{}", 0),
            (r#"{"type":"ADDED"}"#, 0),
            (r#"{"object":{}}"#, 0),
            (r#"{"type":7,"object":{}}"#, 0),
            (r#"{"type":"ADDED","object":{"#, 25),
            (r#"{"type":"ADDED" "object":{}}"#, 16),
            (r#"{"type":"ADDED","object":{}}{"type":"ADDED","object":{}}"#, 28),
            (r#"{"type":"ADDED","object":{},}"#, 28),
        ] {
            assert_eq!(WatchFrame::read_json(text.as_bytes()).map_err(|e| e.at), Err(at), "{text}");
        }
    }
}
