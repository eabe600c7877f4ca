//! A few words of a body that is not what it should be, for an error. JSON is never quoted, since it may hold
//! an object; of anything else, a short and printable beginning.

use http::header::{CONTENT_TYPE, HeaderMap};

use crate::json::value_end::trim_start;

const QUOTED_CHARS_MAX: usize = 80;

/// `text/html of 5120 bytes: "<!DOCTYPE html> ..."`. The length is of what was read.
pub(crate) fn of_body(headers: &HeaderMap, body: &[u8]) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind: String = kind.unwrap_or("no content type").chars().take(QUOTED_CHARS_MAX).collect();
    let length = body.len();
    match trim_start(body).first() {
        None => format!("{kind}, empty"),
        Some(b'{' | b'[' | b'"') => format!("{kind} of {length} bytes"),
        Some(_) => {
            let printable = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
            let words: String = String::from_utf8_lossy(trim_start(body))
                .chars()
                .take(QUOTED_CHARS_MAX)
                .map(printable)
                .collect();
            format!("{kind} of {length} bytes: \"{}\"", words.trim_end())
        }
    }
}
