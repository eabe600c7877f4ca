//! A few words of a body that is not what it should be, for an error. JSON and protobuf are never quoted, since
//! they may hold an object; of anything else, a short and printable beginning.

use http::header::{CONTENT_TYPE, HeaderMap};

use crate::json::value_end::trim_start;
use crate::protobuf::envelope::MAGIC;

const QUOTED_CHARS_MAX: usize = 80;

/// `text/html of 5120 bytes: "<!DOCTYPE html> ..."`. The length is of what was read.
pub(crate) fn of_body(headers: &HeaderMap, body: &[u8]) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind: String = kind.unwrap_or("no content type").chars().take(QUOTED_CHARS_MAX).collect();
    let length = body.len();
    let begins_as_an_object =
        body.starts_with(&MAGIC) || matches!(trim_start(body).first(), Some(b'{' | b'[' | b'"'));
    if trim_start(body).is_empty() {
        format!("{kind}, empty")
    } else if begins_as_an_object || kind.contains("protobuf") {
        format!("{kind} of {length} bytes")
    } else {
        let printable = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
        let text = String::from_utf8_lossy(trim_start(body));
        let words: String = text.chars().take(QUOTED_CHARS_MAX).map(printable).collect();
        format!("{kind} of {length} bytes: \"{}\"", words.trim_end())
    }
}
