//! A body in which some bytes stand in place of others.

use bytes::Bytes;
use http_body_util::BodyExt;

use crate::body::ResponseBody;

/// The body with `to` in place of each `from`. Both have the same length, so that the framing stays true.
///
/// # Panics
///
/// If their lengths differ or they are empty: that is a mistake in the test.
pub(crate) fn replace_bytes(body: ResponseBody, from: &[u8], to: &[u8]) -> ResponseBody {
    assert!(!from.is_empty() && from.len() == to.len(), "bytes are replaced by as many others");
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
