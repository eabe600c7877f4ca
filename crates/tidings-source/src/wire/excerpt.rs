//! Describes a body that is not the expected one, for an error.
//!
//! A body that may contain an object is never quoted. Of any other body, the first printable characters are.

use http::header::{CONTENT_TYPE, HeaderMap};

use super::json::white_space::trim_start;
use super::may_contain_object;

const QUOTED_CHARS_MAX: usize = 80;

/// For example `text/html of 5120 bytes: "<!DOCTYPE html> ..."`. The length is that of the part that was read.
pub(crate) fn of_body(headers: &HeaderMap, body: &[u8]) -> String {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type: String =
        content_type.unwrap_or("no content type").chars().take(QUOTED_CHARS_MAX).collect();
    let length = body.len();
    if trim_start(body).is_empty() {
        format!("{content_type}, empty")
    } else if may_contain_object(headers, body) {
        format!("{content_type} of {length} bytes")
    } else {
        let printable = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
        let text = String::from_utf8_lossy(trim_start(body));
        let words: String = text.chars().take(QUOTED_CHARS_MAX).map(printable).collect();
        format!("{content_type} of {length} bytes: \"{}\"", words.trim_end())
    }
}
