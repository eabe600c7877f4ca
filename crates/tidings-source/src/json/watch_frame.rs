//! Opens one frame of a watch, `{"type":"ADDED","object":{...}}`, without reading its object: it only finds the
//! object's bytes. A frame as API servers write it costs a look at its two ends; in any other shape (key order,
//! white space, escaped or further keys) its values are stepped over one by one.

use serde_json::from_slice;

use super::value_end::{ValueEnd, trim_start};
use crate::payload::Payload;
use crate::watch_frame::{EventType, TYPE_CHARS_MAX, WatchFrame};

/// Why a frame is no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a watch event at byte {at}: {expected}")]
pub(crate) struct NoEvent {
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

impl<'a> WatchFrame<'a> {
    /// Takes the frame for one as API servers write it. The object is what stands between the two ends: if it
    /// turns out not to be well-formed, [`read_json`](Self::read_json) tells whether the frame was of another shape.
    pub(crate) fn guess_json(frame: &'a [u8]) -> Option<WatchFrame<'a>> {
        let rest = frame.strip_prefix(br#"{"type":""#)?;
        let quote = rest.iter().take(TYPE_CHARS_MAX).position(|byte| matches!(byte, b'"' | b'\\'))?;
        let (event_type, rest) = rest.split_at(quote);
        let object = rest.strip_prefix(br#"","object":"#)?.trim_ascii_end().strip_suffix(b"}")?;
        let event_type = EventType::named(std::str::from_utf8(event_type).ok()?);
        Some(WatchFrame { event_type, object: Payload::Json(object) })
    }

    /// Reads a frame of any shape. Of duplicate keys the last counts. A bare `Status` is an error event, since
    /// a server that fails while it opens a watch may write one.
    pub(crate) fn read_json(frame: &'a [u8]) -> Result<WatchFrame<'a>, NoEvent> {
        let mut event_type = None;
        let mut object = None;
        let mut kind = None;
        for member in Members::of(frame)? {
            let (key, value) = member?;
            match key.as_str() {
                "type" => event_type = from_slice::<String>(value).ok(),
                "object" => object = Some(value),
                "kind" => kind = from_slice::<String>(value).ok(),
                _ => {}
            }
        }
        match (event_type, object) {
            (Some(event_type), Some(object)) => {
                Ok(WatchFrame { event_type: EventType::named(&event_type), object: Payload::Json(object) })
            }
            _ if kind.as_deref() == Some("Status") => {
                Ok(WatchFrame { event_type: EventType::Error, object: Payload::Json(frame) })
            }
            (None, _) => Err(NoEvent { at: 0, expected: "an event with a type" }),
            (_, None) => Err(NoEvent { at: 0, expected: "an event with an object" }),
        }
    }
}

/// The members of one JSON object, each with the bytes of its value. It ends after the first error.
struct Members<'a> {
    frame: &'a [u8],
    rest: &'a [u8],
    is_first: bool,
    is_done: bool,
}

impl<'a> Members<'a> {
    fn of(frame: &'a [u8]) -> Result<Members<'a>, NoEvent> {
        let mut members = Members { frame, rest: frame, is_first: true, is_done: false };
        members.token(b'{', "an object")?;
        Ok(members)
    }

    fn member(&mut self) -> Result<Option<(String, &'a [u8])>, NoEvent> {
        self.rest = trim_start(self.rest);
        if self.rest.first() == Some(&b'}') {
            self.rest = trim_start(&self.rest[1..]);
            return if self.rest.is_empty() { Ok(None) } else { Err(self.expected("one event a line")) };
        }
        if !std::mem::take(&mut self.is_first) {
            self.token(b',', "a comma or the end of the object")?;
        }
        let key = self.value("a key in quotes")?;
        let key = from_slice(key).map_err(|_| self.expected("a key in quotes"))?;
        self.token(b':', "a colon")?;
        Ok(Some((key, self.value("a value")?)))
    }

    fn value(&mut self, expected: &'static str) -> Result<&'a [u8], NoEvent> {
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

    fn token(&mut self, token: u8, expected: &'static str) -> Result<(), NoEvent> {
        self.rest = trim_start(self.rest);
        self.rest = self.rest.strip_prefix(&[token]).ok_or_else(|| self.expected(expected))?;
        Ok(())
    }

    fn expected(&self, expected: &'static str) -> NoEvent {
        NoEvent { at: self.frame.len() - self.rest.len(), expected }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<(String, &'a [u8]), NoEvent>;

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

    fn frame(event_type: EventType, object: &str) -> WatchFrame<'_> {
        WatchFrame { event_type, object: Payload::Json(object.as_bytes()) }
    }

    #[test]
    fn a_frame_as_servers_write_it_is_guessed_from_its_ends_and_reads_the_same() {
        let text = b"{\"type\":\"ADDED\",\"object\":{\"a\":\"}\"}}\r";
        assert_eq!(WatchFrame::guess_json(text), Some(frame(EventType::Added, r#"{"a":"}"}"#)));
        assert_eq!(WatchFrame::read_json(text), Ok(frame(EventType::Added, r#"{"a":"}"}"#)));
    }

    #[test]
    fn a_frame_of_any_other_shape_is_read_member_by_member() {
        for (text, event_type, object) in [
            (r#" { "object" : {"type":"X"} , "type" : "DELETED" } "#, EventType::Deleted, r#"{"type":"X"}"#),
            (r#"{"\u0074ype":"MODIFIE\u0044","object":{}}"#, EventType::Modified, "{}"),
            (r#"{"type":"ADDED","object":{"a":1},"object":{"a":2}}"#, EventType::Added, r#"{"a":2}"#),
            (r#"{"type":"BOOKMARK","object":{},"more":[1,{}]}"#, EventType::Bookmark, "{}"),
            (r#"{"type":"PATCHED","object":{}}"#, EventType::Unknown("PATCHED".to_owned()), "{}"),
        ] {
            assert_eq!(WatchFrame::read_json(text.as_bytes()), Ok(frame(event_type, object)), "{text}");
        }
    }

    #[test]
    fn a_bare_status_is_an_error_event() {
        let text = r#"{"kind":"Status","code":410}"#;
        assert_eq!(WatchFrame::read_json(text.as_bytes()), Ok(frame(EventType::Error, text)));
    }

    #[test]
    fn what_is_no_event_is_told_with_its_place() {
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
