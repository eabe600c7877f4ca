//! Encodes responses as Kubernetes protobuf. `tidings-protobuf` encodes the stored JSON; this module writes the
//! envelopes.
//!
//! A response is the magic number `k8s\0` and a message `runtime.Unknown`, which has the kind and the encoded object. A
//! watch event is a length of four bytes and a message `WatchEvent`, whose object is again such an envelope:
//!
//! ```text
//! length (4 bytes, big endian) | WatchEvent { 1: "ADDED", 2: RawExtension { 1: k8s\0 Unknown { 1: TypeMeta, 2: object } } }
//! ```

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tidings_protobuf::wire::{write_bytes, write_bytes_head, write_number};
use tidings_protobuf::{Message, encode, encode_text, message};

use super::{EncodeError, LIST_CHUNK_BYTES, ListMeta};
use crate::convert;
use crate::protobuf::{ENVELOPE_END, Envelope, fields, write_head};
use crate::request::accept::Content;
use crate::resource::ResourceDef;
use crate::server::ProtobufResponses;
use crate::status::ApiError;
use crate::store::{Retention, StoredObject};

/// The capacity for the bytes before an object in its envelopes.
const HEADS_BYTES: usize = 64;

/// Encodes the objects of one resource as protobuf.
#[derive(Clone, Debug)]
pub(crate) struct ProtobufEncoder {
    message: &'static Message,
    api_version: Arc<str>,
    kind: Arc<str>,
    /// The resource; `None` if only metadata is encoded.
    whole: Option<Arc<ResourceDef>>,
    responses: ProtobufResponses,
}

impl ProtobufEncoder {
    /// The encoder for this content of a resource; `None` if it is not available as protobuf.
    pub(crate) fn of(def: &ResourceDef, content: Content, responses: ProtobufResponses) -> Option<Self> {
        let (message, api_version, kind, whole) = match content {
            _ if responses == ProtobufResponses::Refused => return None,
            Content::Table(_) => return None,
            Content::Metadata(version) => {
                let kind = "PartialObjectMetadata";
                let message = message("meta.k8s.io", "v1", kind)?;
                (message, version.api_version().to_owned(), kind.to_owned(), None)
            }
            Content::Whole if def.is_custom() => return None,
            Content::Whole => {
                let message = message(&def.group, &def.version, &def.kind)?;
                (message, def.api_version(), def.kind.to_string(), Some(Arc::new(def.clone())))
            }
        };
        Some(Self { message, api_version: api_version.into(), kind: kind.into(), whole, responses })
    }

    /// Whether an object has the types of its kind.
    pub(super) fn can_encode(&self, object: &StoredObject) -> bool {
        self.raw(object).is_ok()
    }

    /// Encodes one object.
    pub(super) fn object(&self, object: &StoredObject) -> Result<Vec<u8>, EncodeError> {
        Ok(self.envelope(&self.raw(object)?).encode())
    }

    /// Encodes a watch event.
    pub(super) fn event(&self, event: &str, object: &StoredObject) -> Result<Bytes, EncodeError> {
        Ok(event_frame(event, self.envelope(&self.raw(object)?)))
    }

    /// Encodes a BOOKMARK event.
    pub(super) fn bookmark(&self, metadata: Value) -> Bytes {
        let raw = encode(self.message, &json!({"metadata": metadata}));
        event_frame("BOOKMARK", self.envelope(&raw.expect("metadata of a bookmark can be encoded")))
    }

    /// Encodes a complete list, in chunks. All items are encoded before the first byte is sent, because the list begins
    /// with its length.
    pub(super) fn list(
        &self,
        meta: &ListMeta,
        objects: &[Arc<StoredObject>],
    ) -> Result<Vec<Bytes>, EncodeError> {
        let (mut chunk, mut chunks, mut raw_len) = (Vec::new(), vec![Bytes::new()], 0);
        write_bytes(1, &list_meta(meta), &mut chunk);
        for object in objects {
            write_bytes(2, &self.raw(object)?, &mut chunk);
            if chunk.len() >= LIST_CHUNK_BYTES {
                raw_len += chunk.len();
                chunks.push(std::mem::take(&mut chunk).into());
            }
        }
        raw_len += chunk.len();
        chunk.extend_from_slice(ENVELOPE_END);
        chunks.push(chunk.into());
        let mut head = Vec::new();
        write_head(&self.api_version, &format!("{}List", self.kind), raw_len, &mut head);
        chunks[0] = head.into();
        Ok(chunks)
    }

    /// The message of an object, from the cache if possible.
    fn raw(&self, object: &StoredObject) -> Result<Arc<[u8]>, EncodeError> {
        if self.whole.is_none() {
            return self.encoded(object).map(Arc::from);
        }
        if self.responses == ProtobufResponses::Kept {
            object.set_protobuf_retention(Retention::Always);
        }
        object.protobuf(self.message, || self.encoded(object))
    }

    fn encoded(&self, object: &StoredObject) -> Result<Vec<u8>, EncodeError> {
        let raw = match &self.whole {
            Some(def) if convert::is_converted(def) => {
                encode(self.message, &Value::Object(convert::from_storage(def, object.decoded())))
            }
            Some(_) => encode_text(self.message, object.body()),
            None => encode_text(self.message, &object.metadata_body()),
        };
        raw.map_err(|error| EncodeError(error.to_string()))
    }

    fn envelope<'a>(&'a self, raw: &'a [u8]) -> Envelope<'a> {
        Envelope { api_version: &self.api_version, kind: &self.kind, raw }
    }
}

/// Encodes a `Status` response.
pub(crate) fn status(error: &ApiError) -> Vec<u8> {
    status_envelope(&raw_status(error)).encode()
}

/// Encodes an ERROR event.
pub(super) fn error_event(error: &ApiError) -> Bytes {
    event_frame("ERROR", status_envelope(&raw_status(error)))
}

fn raw_status(error: &ApiError) -> Vec<u8> {
    let status: Value = serde_json::from_slice(&error.to_json()).expect("a status is valid JSON");
    let message = message("", "v1", "Status").expect("Status is a built-in kind");
    encode(message, &status).expect("a status can be encoded")
}

fn status_envelope(raw: &[u8]) -> Envelope<'_> {
    Envelope { api_version: "v1", kind: "Status", raw }
}

/// Decodes an event frame, changes its JSON, and encodes it again. For injected faults.
pub(super) fn changed(frame: &[u8], change: impl FnOnce(&mut Value)) -> Option<Bytes> {
    let (event_type, answer) = parts(frame.get(4..)?)?;
    let answer = Envelope::decode(answer).ok()?;
    let mut event = json!({"type": event_type, "object": answer.object().ok()?});
    change(&mut event);
    let object = &event["object"];
    let text = |member: &Value| member.as_str().unwrap_or_default().to_owned();
    let raw = encode(answer.message()?, object).ok()?;
    let (api_version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let answer = Envelope { api_version: &api_version, kind: &kind, raw: &raw };
    Some(event_frame(&text(&event["type"]), answer))
}

/// The type of a `WatchEvent`, and the envelope of its object.
fn parts(event: &[u8]) -> Option<(&str, &[u8])> {
    let (mut event_type, mut object) = ("", &[][..]);
    for (number, bytes) in fields(event).ok()? {
        match number {
            1 => event_type = std::str::from_utf8(bytes).ok()?,
            2 => object = bytes,
            _ => {}
        }
    }
    match fields(object).ok()?[..] {
        [(1, answer)] => Some((event_type, answer)),
        _ => None,
    }
}

fn list_meta(meta: &ListMeta) -> Vec<u8> {
    let mut out = Vec::new();
    write_bytes(1, b"", &mut out);
    write_bytes(2, meta.version.to_string().as_bytes(), &mut out);
    write_bytes(3, meta.continue_token.as_deref().unwrap_or_default().as_bytes(), &mut out);
    if let Some(remaining) = meta.remaining {
        write_number(4, i64::try_from(remaining).unwrap_or(i64::MAX), &mut out);
    }
    if let Some(selector) = &meta.shard {
        let mut info = Vec::new();
        write_bytes(1, selector.as_bytes(), &mut info);
        write_bytes(5, &info, &mut out);
    }
    out
}

/// Encodes a length and a `WatchEvent` with this object. The lengths of the nested messages are computed first, so that
/// each byte is copied once.
fn event_frame(event_type: &str, answer: Envelope<'_>) -> Bytes {
    let mut answer_head = Vec::with_capacity(HEADS_BYTES);
    write_head(answer.api_version, answer.kind, answer.raw.len(), &mut answer_head);
    let answer_len = answer_head.len() + answer.raw.len() + ENVELOPE_END.len();
    let mut object_head = Vec::with_capacity(HEADS_BYTES);
    write_bytes_head(1, answer_len, &mut object_head);
    let mut frame = Vec::with_capacity(answer_len + HEADS_BYTES);
    frame.extend_from_slice(&[0; 4]);
    write_bytes(1, event_type.as_bytes(), &mut frame);
    write_bytes_head(2, object_head.len() + answer_len, &mut frame);
    for part in [&object_head, &answer_head, answer.raw, ENVELOPE_END] {
        frame.extend_from_slice(part);
    }
    let length = u32::try_from(frame.len() - 4).expect("an event is shorter than 4 GiB");
    frame[..4].copy_from_slice(&length.to_be_bytes());
    frame.into()
}
