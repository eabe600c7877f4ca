//! Replaces bytes in a response body.

use bytes::Bytes;
use http_body_util::BodyExt;

use crate::body::ResponseBody;

/// The body with `to` instead of each `from`.
///
/// # Panics
///
/// If both have different lengths or are empty: a bug in the test. Equal lengths keep the framing of the body valid.
pub(crate) fn replace_bytes(body: ResponseBody, from: &[u8], to: &[u8]) -> ResponseBody {
    assert!(
        !from.is_empty() && from.len() == to.len(),
        "from and to must have the same length and not be empty"
    );
    let (from, to) = (from.to_vec(), to.to_vec());
    body.map_frame(move |frame| frame.map_data(|chunk| replaced(chunk, &from, &to))).boxed_unsync()
}

fn replaced(chunk: Bytes, from: &[u8], to: &[u8]) -> Bytes {
    let mut bytes = chunk.to_vec();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(from.len()).position(|window| window == from) {
        at += found;
        bytes[at..at + to.len()].copy_from_slice(to);
        at += to.len();
    }
    bytes.into()
}
