//! The wires: the encodings in which an API server sends lists and watches.
//!
//! Everything that differs between wires is decided in this file, by one `match` on the wire for each question: which
//! `Accept` header requests it, how a body is split into frames and items, how a watch frame, an object's identity and a
//! `Status` are read. The folders `json` and `protobuf` hold the answers. The other modules here serve all wires.
//!
//! To add a wire, for example CBOR:
//!
//! 1. In `tidings-object`, add a variant to `Wire` with its intake and its identity scan.
//! 2. Add a folder `wire/cbor` with a frame splitter, a list splitter and a reader of watch frames. `wire/protobuf` is
//!    the model.
//! 3. In this file, add the variant to the three enums. The compiler then reports each `match` that lacks it.

pub(crate) mod event_reader;
pub(crate) mod excerpt;
pub(crate) mod json;
pub(crate) mod list_head;
pub(crate) mod negotiation;
mod partial_buffer;
pub(crate) mod protobuf;
pub(crate) mod status;

use std::borrow::Cow;
use std::sync::Arc;

use http::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;
use tidings_object::{Identity, Intake, IntakeError, KnownObjects, Projection, RawObject, Wire};

use self::event_reader::EventError;
use self::json::white_space::trim_start;
use self::list_head::{ListHeadError, ListKind};
use self::protobuf::envelope::{Envelope, MAGIC, TypeMeta};
use crate::{ListEnd, StatusDetail, WatchEvent};

/// A request, as far as the `Accept` header depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    List(Projection),
    Watch(Projection),
}

impl RequestKind {
    /// The name of the expected response, for errors.
    pub(crate) fn response_name(self) -> &'static str {
        match self {
            RequestKind::List(_) => "a list",
            RequestKind::Watch(_) => "a watch",
        }
    }

    /// The value of the `Accept` header. JSON is always accepted; `preferred` is in front of it.
    pub(crate) fn accept(self, preferred: Wire) -> &'static str {
        use Projection::{Full, Metadata};
        use RequestKind::{List, Watch};
        match (preferred, self) {
            (Wire::Json, List(Full) | Watch(Full)) => "application/json",
            (Wire::Json, List(Metadata)) => {
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
            }
            (Wire::Json, Watch(Metadata)) => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            (Wire::Protobuf, List(Full) | Watch(Full)) => {
                "application/vnd.kubernetes.protobuf,application/json"
            }
            (Wire::Protobuf, List(Metadata)) => {
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
                 application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
            }
            (Wire::Protobuf, Watch(Metadata)) => {
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
                 application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
            }
        }
    }
}

/// The wire of a response, by its content type. A response without one is JSON. `None` if the content type is unknown.
pub(crate) fn of_response(headers: &HeaderMap) -> Option<Wire> {
    let Some(content_type) = headers.get(CONTENT_TYPE) else { return Some(Wire::Json) };
    let content_type = content_type.to_str().ok()?.split(';').next()?.trim();
    [("application/json", Wire::Json), ("application/vnd.kubernetes.protobuf", Wire::Protobuf)]
        .into_iter()
        .find_map(|(name, wire)| name.eq_ignore_ascii_case(content_type).then_some(wire))
}

/// Whether the body looks like an object on some wire. Errors must not quote such a body: it may be a Secret.
fn may_contain_object(headers: &HeaderMap, body: &[u8]) -> bool {
    let is_json = matches!(trim_start(body).first(), Some(b'{' | b'[' | b'"'));
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    is_json || body.starts_with(&MAGIC) || content_type.is_some_and(|kind| kind.contains("protobuf"))
}

/// Splits the body of a watch into frames.
///
/// A frame that arrives within one chunk is borrowed from the chunk. A frame that spans chunks is copied once, into a
/// buffer of at most `frame_bytes_max` bytes.
#[derive(Debug)]
pub(crate) enum FrameSplitter {
    Json(json::frame_splitter::JsonFrameSplitter),
    Protobuf(protobuf::frame_splitter::ProtobufFrameSplitter),
}

/// Why the body of a watch can't be split into frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("a frame is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    #[error("the next bytes are not a frame")]
    NotAFrame,
    #[error("the watch ended in the middle of a frame")]
    Truncated,
}

impl FrameSplitter {
    pub(crate) fn new(wire: Wire, frame_bytes_max: usize) -> FrameSplitter {
        match wire {
            Wire::Json => FrameSplitter::Json(json::frame_splitter::JsonFrameSplitter::new(frame_bytes_max)),
            Wire::Protobuf => {
                FrameSplitter::Protobuf(protobuf::frame_splitter::ProtobufFrameSplitter::new(frame_bytes_max))
            }
        }
    }

    /// The next frame that ends within `input`, which is advanced past it; `None` if more bytes are needed.
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, FrameError> {
        match self {
            FrameSplitter::Json(splitter) => splitter.next(input),
            FrameSplitter::Protobuf(splitter) => splitter.next(input),
        }
    }

    /// The bytes that are left at the end of the body. In JSON they may be a whole frame without its line end.
    pub(crate) fn rest(&mut self) -> Result<Option<&[u8]>, FrameError> {
        match self {
            FrameSplitter::Json(splitter) => Ok(splitter.rest()),
            FrameSplitter::Protobuf(splitter) => splitter.rest().map(|()| None),
        }
    }
}

/// Splits the body of a list into its items while the body streams in.
///
/// Each item is available as soon as its last byte has arrived. At most one item is buffered, never the whole body.
#[derive(Debug)]
pub(crate) enum ListSplitter {
    Json(json::list_splitter::JsonListSplitter),
    Protobuf(protobuf::list_splitter::ProtobufListSplitter),
}

/// Why a body is not the expected list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ListSplitError {
    #[error("an item is larger than {limit_bytes} bytes")]
    ItemTooLarge { limit_bytes: usize },
    #[error("the list ended after {items} items")]
    Truncated { items: usize },
    #[error("the body does not begin like a list")]
    NotAList,
    #[error("not a list at byte {at}: expected {expected}")]
    Malformed { at: usize, expected: &'static str },
    #[error("wrong kind of list: {0}")]
    Head(ListHeadError),
}

impl From<ListHeadError> for ListSplitError {
    fn from(error: ListHeadError) -> Self {
        ListSplitError::Head(error)
    }
}

/// The largest field of a list beside its items. The longest one that servers send is a continue token.
const HEAD_FIELD_BYTES_MAX: usize = 1 << 20;

impl ListSplitter {
    pub(crate) fn new(wire: Wire, kind: ListKind, frame_bytes_max: usize) -> ListSplitter {
        match wire {
            Wire::Json => {
                ListSplitter::Json(json::list_splitter::JsonListSplitter::new(kind, frame_bytes_max))
            }
            Wire::Protobuf => ListSplitter::Protobuf(protobuf::list_splitter::ProtobufListSplitter::new(
                kind,
                frame_bytes_max,
            )),
        }
    }

    /// The next item that ends within `input`, which is advanced past it; `None` if more bytes are needed.
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<Payload<'a>>, ListSplitError> {
        Ok(match self {
            ListSplitter::Json(splitter) => splitter.next(input)?.map(Payload::Json),
            // An item of a protobuf list has no envelope, so it does not state its type.
            ListSplitter::Protobuf(splitter) => splitter
                .next(input)?
                .map(|message| Payload::Protobuf(Envelope { type_meta: TypeMeta::default(), message })),
        })
    }

    /// How many items were returned so far.
    pub(crate) fn items(&self) -> usize {
        match self {
            ListSplitter::Json(splitter) => splitter.items(),
            ListSplitter::Protobuf(splitter) => splitter.items(),
        }
    }

    /// The metadata of the list, at the end of the body.
    pub(crate) fn finish(self) -> Result<ListEnd, ListSplitError> {
        match self {
            ListSplitter::Json(splitter) => splitter.finish(),
            ListSplitter::Protobuf(splitter) => splitter.finish(),
        }
    }
}

/// The bytes of one object, as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payload<'a> {
    Json(&'a [u8]),
    Protobuf(Envelope<'a>),
}

impl<'a> Payload<'a> {
    /// The payload of an error response, whose wire is found from its first bytes.
    fn of_error_body(body: &'a [u8]) -> Payload<'a> {
        Envelope::open(body).map_or(Payload::Json(body), Payload::Protobuf)
    }

    /// Makes an object of it.
    pub(crate) fn object(
        self,
        intake: &Intake,
        known: &dyn KnownObjects,
    ) -> Result<Arc<RawObject>, IntakeError> {
        match self {
            Payload::Json(text) => intake.json(text, known),
            Payload::Protobuf(envelope) => {
                intake.protobuf(envelope.type_meta.non_empty(), envelope.message, known)
            }
        }
    }

    /// Reads its identity without making an object.
    pub(crate) fn identity(self) -> Result<Identity<'a>, IntakeError> {
        match self {
            Payload::Json(text) => Ok(Identity::from_json(text)?),
            Payload::Protobuf(Envelope { type_meta, message }) => Ok(Identity {
                kind: type_meta.non_empty().kind.map(Cow::Borrowed),
                api_version: type_meta.non_empty().api_version.map(Cow::Borrowed),
                ..Identity::from_protobuf(message)?
            }),
        }
    }

    /// Reads it as a `Status`, if it is one.
    fn status(self) -> Option<StatusDetail> {
        match self {
            Payload::Json(text) => {
                let value = serde_json::from_slice::<Value>(text).ok()?;
                (value["kind"] == "Status").then(|| status::from_json(&value))
            }
            Payload::Protobuf(Envelope { type_meta, message }) => {
                (type_meta.kind == "Status").then(|| protobuf::read_status(message))
            }
        }
    }
}

/// One watch event before its object is read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WatchFrame<'a> {
    pub(crate) frame_type: WatchFrameType,
    pub(crate) object: Payload<'a>,
}

/// The `type` of a watch event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchFrameType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
    /// Any other type, cut to [`TYPE_CHARS_MAX`].
    Unknown(String),
}

const TYPE_CHARS_MAX: usize = 64;

impl WatchFrameType {
    fn from_name(name: &str) -> WatchFrameType {
        WatchFrameType::known(name.as_bytes())
            .unwrap_or_else(|| WatchFrameType::Unknown(name.chars().take(TYPE_CHARS_MAX).collect()))
    }

    fn known(name: &[u8]) -> Option<WatchFrameType> {
        match name {
            b"ADDED" => Some(WatchFrameType::Added),
            b"MODIFIED" => Some(WatchFrameType::Modified),
            b"DELETED" => Some(WatchFrameType::Deleted),
            b"BOOKMARK" => Some(WatchFrameType::Bookmark),
            b"ERROR" => Some(WatchFrameType::Error),
            _ => None,
        }
    }
}

/// Reads one frame of a watch and makes an event of it with `open`.
fn read_watch_frame(
    wire: Wire,
    frame: &[u8],
    open: impl Fn(WatchFrame<'_>) -> Result<WatchEvent, EventError>,
) -> Result<WatchEvent, EventError> {
    match wire {
        Wire::Json => json::watch_frame::read_with(frame, open),
        Wire::Protobuf => open(WatchFrame::read_protobuf(frame)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_type_decides_the_wire_whatever_its_parameters() {
        let wire = |kind: &str| of_response(&[(CONTENT_TYPE, kind.parse().unwrap())].into_iter().collect());
        assert_eq!(of_response(&HeaderMap::new()), Some(Wire::Json));
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/json;stream=watch"] {
            assert_eq!(wire(json), Some(Wire::Json), "{json}");
        }
        for protobuf in
            ["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch"]
        {
            assert_eq!(wire(protobuf), Some(Wire::Protobuf), "{protobuf}");
        }
        for other in ["text/html", "application/cbor", "application/json-seq", "application/yaml", ""] {
            assert_eq!(wire(other), None, "{other}");
        }
    }
}
