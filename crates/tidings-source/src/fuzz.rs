//! What fuzzing runs, one function a parser of outside bytes. Each says what must hold for any bytes at all;
//! `cargo test` runs them over the corpus in `corpus/`.

use http::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::Value;
use tidings_object::{Projection, ResourceKind, Scope};

use crate::gunzip::Gunzip;
use crate::json::frames::{FrameError, Frames};
use crate::json::list_split::{ListSplit, SplitError};
use crate::json::watch_frame::WatchFrame;
use crate::list_head::{Head, ListKind};
use crate::{ListEnd, status};

/// Small, so that limits are met.
const LIMIT_BYTES: usize = 256;

/// A body is cut into the same frames whatever its chunks.
pub fn frames(body: &[u8]) {
    let whole = cut(body, body.len().max(1));
    for size in [1, 2, 7] {
        assert_eq!(cut(body, size), whole, "chunks of {size}");
    }
}

/// A list splits into the same items whatever its chunks, and into what `serde_json` reads.
pub fn list_split(body: &[u8]) {
    let whole = split(body, body.len().max(1));
    for size in [1, 2, 7] {
        assert_eq!(split(body, size), whole, "chunks of {size}");
    }
    let (items, end) = whole;
    if let (Ok(_), Ok(list)) = (end, serde_json::from_slice::<Value>(body)) {
        let expected = list["items"].as_array().cloned().unwrap_or_default();
        let items: Vec<Value> =
            items.iter().map(|item| serde_json::from_slice(item).expect("an item of a whole list")).collect();
        assert_eq!(items, expected);
    }
}

/// A frame that was guessed rightly reads the same.
pub fn watch_frame(frame: &[u8]) {
    let read = WatchFrame::read(frame);
    if let Some(guess) = WatchFrame::guess(frame)
        && serde_json::from_slice::<Value>(guess.object).is_ok_and(|object| object.is_object())
    {
        assert_eq!(read, Ok(guess));
    }
}

/// A refusal of any body and any headers becomes a status of bounded length.
pub fn status(body: &[u8]) {
    let mut headers = HeaderMap::new();
    let line = body.split(|byte| *byte == b'\n').next().unwrap_or_default();
    for name in [CONTENT_TYPE, DATE, RETRY_AFTER] {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.insert(name, value);
        }
    }
    for detail in [status::from_answer(503, &headers, body), status::from_event(body)] {
        assert!(detail.message.chars().count() <= 2048 && detail.causes.len() <= 32);
        let _ = (detail.class(), detail.to_string());
    }
}

/// A stream unpacks the same whatever its chunks, if it unpacks at all.
pub fn gunzip(packed: &[u8]) {
    let whole = unpack(packed, packed.len().max(1));
    for size in [1, 7] {
        let parts = unpack(packed, size);
        assert_eq!(parts.is_some(), whole.is_some(), "chunks of {size}");
        assert_eq!(parts, whole, "chunks of {size}");
    }
}

/// How many items a list of pods has; for the bench.
pub fn count_items(body: &[u8], chunk_bytes: usize) -> usize {
    let pods = ResourceKind {
        group: "".into(),
        version: "v1".into(),
        kind: "Pod".into(),
        plural: "pods".into(),
        scope: Scope::Namespaced,
    };
    let mut split = ListSplit::new(ListKind::of(&pods, Projection::Full), body.len());
    for chunk in body.chunks(chunk_bytes) {
        let mut input = chunk;
        while split.next(&mut input).expect("a list of pods").is_some() {}
    }
    split.items()
}

/// The frames of a body, then what is left or why it can't be cut.
type Cut = (Vec<Vec<u8>>, Result<Option<Vec<u8>>, FrameError>);

fn cut(body: &[u8], size: usize) -> Cut {
    let mut frames = Frames::new(LIMIT_BYTES);
    let mut found = Vec::new();
    for chunk in body.chunks(size) {
        let mut input = chunk;
        loop {
            match frames.next(&mut input) {
                Ok(Some(frame)) => found.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => return (found, Err(error)),
            }
        }
    }
    (found, Ok(frames.rest().map(<[u8]>::to_vec)))
}

fn split(body: &[u8], size: usize) -> (Vec<Vec<u8>>, Result<ListEnd, SplitError>) {
    let widgets = ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: Scope::Namespaced,
    };
    let mut split = ListSplit::new(ListKind::of(&widgets, Projection::Full), LIMIT_BYTES);
    let mut found = Vec::new();
    for chunk in body.chunks(size) {
        let mut input = chunk;
        loop {
            match split.next(&mut input) {
                Ok(Some(item)) => found.push(item.to_vec()),
                Ok(None) => break,
                Err(error) => return (found, Err(error)),
            }
        }
    }
    (found, split.finish().map(Head::into_end))
}

fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut gunzip = Gunzip::new();
    let mut all = Vec::new();
    for chunk in packed.chunks(size) {
        gunzip.push(chunk.to_vec().into());
        while let Some(bytes) = gunzip.next().ok()? {
            all.extend_from_slice(&bytes);
        }
    }
    all.extend_from_slice(&gunzip.finish().ok()?);
    Some(all)
}
