//! The bodies of the fuzz targets, one function for each parser of outside bytes. Each asserts what must hold for all
//! inputs. `cargo test` runs them over the files in `corpus/`.

use http::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::Value;
use tidings_object::{Projection, ResourceKind, Scope, Wire};

use crate::kube_source::gunzip::Gunzip;
use crate::wire::list_head::ListKind;
use crate::wire::protobuf::envelope::{Envelope, each_field};
use crate::wire::{FrameError, FrameSplitter, ListSplitError, ListSplitter, Payload, WatchFrame, status};
use crate::{ListEnd, StatusDetail};

/// Small, so that inputs exceed it.
const LIMIT_BYTES: usize = 256;

/// A body splits into the same frames however it is cut into chunks.
pub fn frames(body: &[u8]) {
    split_frames_in_all_sizes(Wire::Json, body);
}

/// The same for protobuf.
pub fn protobuf_frames(body: &[u8]) {
    split_frames_in_all_sizes(Wire::Protobuf, body);
}

/// A list splits into the same items however it is cut into chunks, and into those that `serde_json` reads.
pub fn list_split(body: &[u8]) {
    let (items, end) = split_in_all_sizes(Wire::Json, body);
    if let (Ok(_), Ok(list)) = (end, serde_json::from_slice::<Value>(body)) {
        let expected = list["items"].as_array().cloned().unwrap_or_default();
        let items: Vec<Value> =
            items.iter().map(|item| serde_json::from_slice(item).expect("an item of a whole list")).collect();
        assert_eq!(items, expected);
    }
}

/// A protobuf list splits into the same items however it is cut into chunks, and into those of the whole message.
pub fn protobuf_list_split(body: &[u8]) {
    let (items, end) = split_in_all_sizes(Wire::Protobuf, body);
    if end.is_ok() {
        let list = Envelope::open(body).expect("a whole list has an envelope").message;
        let mut expected = Vec::new();
        let read = each_field(list, |number, value| {
            if let (2, tidings_protobuf::wire::Value::Bytes(item)) = (number, value) {
                expected.push(item.to_vec());
            }
            Ok(())
        });
        assert_eq!((read, items), (Ok(()), expected));
    }
}

/// The fast path reads the same as the scan.
pub fn watch_frame(frame: &[u8]) {
    let read = WatchFrame::read_json(frame);
    if let Some(guess) = WatchFrame::guess_json(frame)
        && let Payload::Json(object) = guess.object
        && serde_json::from_slice::<Value>(object).is_ok_and(|object| object.is_object())
    {
        assert_eq!(read, Ok(guess));
    }
}

/// The identity and the status of any protobuf frame can be read without a panic.
pub fn protobuf_watch_frame(frame: &[u8]) {
    if let Ok(event) = WatchFrame::read_protobuf(frame) {
        check_status(&status::from_event(event.object));
        let _ = event.object.identity();
    }
}

/// An error response with any body and any headers gives a status of bounded length.
pub fn status(body: &[u8]) {
    let mut headers = HeaderMap::new();
    let line = body.split(|byte| *byte == b'\n').next().unwrap_or_default();
    for name in [CONTENT_TYPE, DATE, RETRY_AFTER] {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.insert(name, value);
        }
    }
    check_status(&status::from_response(503, &headers, body));
    check_status(&status::from_event(Payload::Json(body)));
}

fn check_status(detail: &StatusDetail) {
    assert!(detail.message.chars().count() <= 2048 && detail.causes.len() <= 32);
    let _ = (detail.class(), detail.to_string());
}

/// A gzip stream decompresses to the same bytes, or fails, however it is cut into chunks.
pub fn gunzip(compressed: &[u8]) {
    let whole = decompress(compressed, compressed.len().max(1));
    for size in [1, 7] {
        let parts = decompress(compressed, size);
        assert_eq!(parts.is_some(), whole.is_some(), "chunks of {size}");
        assert_eq!(parts, whole, "chunks of {size}");
    }
}

/// How many items a list of pods has, for the bench.
pub fn count_items(wire: Wire, body: &[u8], chunk_bytes: usize) -> usize {
    let pods = resource("", "Pod", "pods");
    let mut split = ListSplitter::new(wire, ListKind::of(&pods, Projection::Full), body.len());
    for chunk in body.chunks(chunk_bytes) {
        let mut input = chunk;
        while split.next(&mut input).expect("a list of pods").is_some() {}
    }
    split.items()
}

/// The frames of a body, then what is left or the error.
type SplitFrames = (Vec<Vec<u8>>, Result<Option<Vec<u8>>, FrameError>);

fn split_frames_in_all_sizes(wire: Wire, body: &[u8]) {
    let whole = split_frames(wire, body, body.len().max(1));
    for size in [1, 2, 7] {
        assert_eq!(split_frames(wire, body, size), whole, "chunks of {size}");
    }
}

fn split_frames(wire: Wire, body: &[u8], size: usize) -> SplitFrames {
    let mut splitter = FrameSplitter::new(wire, LIMIT_BYTES);
    let mut found = Vec::new();
    for chunk in body.chunks(size) {
        let mut input = chunk;
        loop {
            match splitter.next(&mut input) {
                Ok(Some(frame)) => found.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => return (found, Err(error)),
            }
        }
    }
    (found, splitter.rest().map(|rest| rest.map(<[u8]>::to_vec)))
}

/// The items of a body, then its metadata or the error.
type SplitList = (Vec<Vec<u8>>, Result<ListEnd, ListSplitError>);

fn split_in_all_sizes(wire: Wire, body: &[u8]) -> SplitList {
    let whole = split(wire, body, body.len().max(1));
    for size in [1, 2, 7] {
        assert_eq!(split(wire, body, size), whole, "chunks of {size}");
    }
    whole
}

fn split(wire: Wire, body: &[u8], size: usize) -> SplitList {
    let widgets = resource("example.com", "Widget", "widgets");
    let mut split = ListSplitter::new(wire, ListKind::of(&widgets, Projection::Full), LIMIT_BYTES);
    let mut found = Vec::new();
    for chunk in body.chunks(size) {
        let mut input = chunk;
        loop {
            match split.next(&mut input) {
                Ok(Some(Payload::Json(item) | Payload::Protobuf(Envelope { message: item, .. }))) => {
                    found.push(item.to_vec());
                }
                Ok(None) => break,
                Err(error) => return (found, Err(error)),
            }
        }
    }
    (found, split.finish())
}

fn resource(group: &'static str, kind: &'static str, plural: &'static str) -> ResourceKind {
    ResourceKind {
        group: group.into(),
        version: "v1".into(),
        kind: kind.into(),
        plural: plural.into(),
        scope: Scope::Namespaced,
    }
}

fn decompress(compressed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut gunzip = Gunzip::new();
    let mut all = Vec::new();
    for chunk in compressed.chunks(size) {
        gunzip.push(chunk.to_vec().into());
        while let Some(bytes) = gunzip.next().ok()? {
            all.extend_from_slice(&bytes);
        }
    }
    all.extend_from_slice(&gunzip.finish().ok()?);
    Some(all)
}
