//! Answers as Kubernetes' protobuf: the stored JSON, encoded by the table of `tidings-protobuf`, in the envelopes in which
//! a real server sends it.
//!
//! An answer is `k8s\0` and an `Unknown` that says which kind it holds. An event of a watch is a length of four bytes and a
//! `WatchEvent` whose object is such an answer again.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tidings_protobuf::wire::{Reader, Value as Field};
use tidings_protobuf::{Message, TypeMeta, encode, message, to_json};

use super::{ListMeta, Refusal};
use crate::convert;
use crate::protobuf::{Fields, MAGIC};
use crate::request::accept::Content;
use crate::resource::ResourceDef;
use crate::server::ProtobufAnswers;
use crate::status::ApiError;
use crate::store::Stored;

/// Bytes of one chunk of a list, before the item that fills it.
const CHUNK_BYTES: usize = 128 << 10;

/// How the objects of one resource are written as protobuf.
#[derive(Clone, Debug)]
pub(crate) struct Protobuf {
    message: &'static Message,
    api_version: Arc<str>,
    kind: Arc<str>,
    /// The resource, unless only metadata is told.
    whole: Option<Arc<ResourceDef>>,
    answers: ProtobufAnswers,
}

impl Protobuf {
    /// How this much of a resource's objects is told, if the table knows it.
    pub(crate) fn of(def: &ResourceDef, content: Content, answers: ProtobufAnswers) -> Option<Self> {
        let (message, api_version, kind, whole) = match content {
            _ if answers == ProtobufAnswers::Refused => return None,
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
        Some(Self { message, api_version: api_version.into(), kind: kind.into(), whole, answers })
    }

    /// One object on its own.
    pub(super) fn object(&self, object: &Stored) -> Result<Vec<u8>, Refusal> {
        Ok(self.enveloped(&self.raw(object)?))
    }

    /// A watch event about an object.
    pub(super) fn event(&self, event: &str, object: &Stored) -> Result<Bytes, Refusal> {
        Ok(event_frame(event, &self.enveloped(&self.raw(object)?)))
    }

    /// A BOOKMARK event; `metadata` is the JSON of it.
    pub(super) fn bookmark(&self, metadata: Value) -> Bytes {
        let raw = encode(self.message, &json!({"metadata": metadata}));
        event_frame("BOOKMARK", &self.enveloped(&raw.expect("a version and annotations can be encoded")))
    }

    /// A whole list, in chunks. All items are encoded before the first byte is sent, because their sum comes first.
    pub(super) fn list(&self, meta: &ListMeta, objects: &[Arc<Stored>]) -> Result<Vec<Bytes>, Refusal> {
        let mut head = Fields::default();
        head.bytes(1, &list_meta(meta));
        let mut chunk = head.into_bytes();
        let (mut chunks, mut raw_len) = (Vec::new(), 0);
        for object in objects {
            let mut item = Fields::after(chunk);
            item.bytes(2, &self.raw(object)?);
            chunk = item.into_bytes();
            if chunk.len() >= CHUNK_BYTES {
                raw_len += chunk.len();
                chunks.push(Bytes::from(std::mem::take(&mut chunk)));
            }
        }
        raw_len += chunk.len();
        chunks.push(chunk.into());
        let mut envelope = Fields::after(MAGIC.to_vec());
        envelope.bytes(1, &type_meta(&self.api_version, &format!("{}List", self.kind)));
        envelope.begin_bytes(2, raw_len);
        chunks.insert(0, envelope.into_bytes().into());
        chunks.push(Bytes::from_static(ENVELOPE_END));
        Ok(chunks)
    }

    /// The object's message, which is kept with the object if the server is set up so.
    fn raw<'s>(&self, object: &'s Stored) -> Result<Cow<'s, [u8]>, Refusal> {
        if self.answers != ProtobufAnswers::Kept || self.whole.is_none() {
            return self.encoded(object).map(Cow::Owned);
        }
        object.kept_protobuf(self.message, || self.encoded(object))
    }

    fn encoded(&self, object: &Stored) -> Result<Vec<u8>, Refusal> {
        let told = match &self.whole {
            Some(def) => convert::from_storage(def, object.decoded()),
            None => Map::from_iter([("metadata".to_owned(), Value::Object(object.decoded_metadata()))]),
        };
        encode(self.message, &Value::Object(told)).map_err(|error| Refusal(error.to_string()))
    }

    fn enveloped(&self, raw: &[u8]) -> Vec<u8> {
        enveloped(&self.api_version, &self.kind, raw)
    }
}

/// A Status as an answer.
pub(crate) fn status(error: &ApiError) -> Vec<u8> {
    let status: Value = serde_json::from_slice(&error.to_json()).expect("a status is JSON");
    let message = message("", "v1", "Status").expect("the table has statuses");
    let raw = encode(message, &status).expect("a status can be encoded");
    enveloped("v1", "Status", &raw)
}

/// An ERROR event.
pub(super) fn error_event(error: &ApiError) -> Bytes {
    event_frame("ERROR", &status(error))
}

/// An event whose JSON was changed: what faults do.
pub(super) fn changed(frame: &[u8], change: impl FnOnce(&mut Value)) -> Option<Bytes> {
    let (event_type, answer) = opened(frame.get(4..)?)?;
    let (meta, raw) = Unknown::opened(answer)?;
    let (group, version) = meta.api_version.split_once('/').unwrap_or(("", meta.api_version));
    let message = message(group, version, meta.kind)?;
    let told = TypeMeta { api_version: Some(meta.api_version), kind: Some(meta.kind) };
    let object: Value = serde_json::from_slice(&to_json(message, told, raw).ok()?).ok()?;
    let mut event = json!({"type": event_type, "object": object});
    change(&mut event);
    let object = &event["object"];
    let text = |member: &Value| member.as_str().unwrap_or_default().to_owned();
    let raw = encode(message, object).ok()?;
    let answer = enveloped(&text(&object["apiVersion"]), &text(&object["kind"]), &raw);
    Some(event_frame(&text(&event["type"]), &answer))
}

/// The end of an envelope: no encoding, no other type.
const ENVELOPE_END: &[u8] = &[0x1a, 0, 0x22, 0];

struct Unknown<'a> {
    api_version: &'a str,
    kind: &'a str,
}

impl<'a> Unknown<'a> {
    fn opened(answer: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let mut fields = Reader::new(answer.strip_prefix(MAGIC)?);
        let (mut meta, mut raw) = (Self { api_version: "", kind: "" }, &[][..]);
        while let Some((number, Field::Bytes(bytes))) = fields.next().ok()? {
            match number {
                1 => {
                    let mut names = Reader::new(bytes);
                    while let Some((number, Field::Bytes(bytes))) = names.next().ok()? {
                        let name = std::str::from_utf8(bytes).ok()?;
                        if number == 1 { meta.api_version = name } else { meta.kind = name }
                    }
                }
                2 => raw = bytes,
                _ => {}
            }
        }
        Some((meta, raw))
    }
}

/// The type of a `WatchEvent`, and the answer inside it.
fn opened(event: &[u8]) -> Option<(&str, &[u8])> {
    let mut fields = Reader::new(event);
    let (mut event_type, mut object) = ("", &[][..]);
    while let Some((number, Field::Bytes(bytes))) = fields.next().ok()? {
        match number {
            1 => event_type = std::str::from_utf8(bytes).ok()?,
            2 => object = bytes,
            _ => {}
        }
    }
    match Reader::new(object).next().ok()? {
        Some((1, Field::Bytes(answer))) => Some((event_type, answer)),
        _ => None,
    }
}

fn enveloped(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let mut envelope = Vec::with_capacity(raw.len() + api_version.len() + kind.len() + 32);
    envelope.extend_from_slice(MAGIC);
    let mut envelope = Fields::after(envelope);
    envelope.bytes(1, &type_meta(api_version, kind));
    envelope.bytes(2, raw);
    let mut envelope = envelope.into_bytes();
    envelope.extend_from_slice(ENVELOPE_END);
    envelope
}

fn type_meta(api_version: &str, kind: &str) -> Vec<u8> {
    let mut fields = Fields::default();
    fields.bytes(1, api_version.as_bytes());
    fields.bytes(2, kind.as_bytes());
    fields.into_bytes()
}

fn list_meta(meta: &ListMeta) -> Vec<u8> {
    let mut fields = Fields::default();
    fields.bytes(1, b"");
    fields.bytes(2, meta.version.to_string().as_bytes());
    fields.bytes(3, meta.continue_token.as_deref().unwrap_or_default().as_bytes());
    if let Some(remaining) = meta.remaining.filter(|_| meta.continue_token.is_some()) {
        fields.number(4, remaining as u64);
    }
    fields.into_bytes()
}

/// A length, and a `WatchEvent`.
fn event_frame(event_type: &str, answer: &[u8]) -> Bytes {
    let mut fields = Fields::after(Vec::with_capacity(answer.len() + 40));
    fields.skip_length();
    fields.bytes(1, event_type.as_bytes());
    let mut object = Fields::default();
    object.begin_bytes(1, answer.len());
    let object = object.into_bytes();
    fields.begin_bytes(2, object.len() + answer.len());
    let mut frame = fields.into_bytes();
    frame.extend_from_slice(&object);
    frame.extend_from_slice(answer);
    let length = u32::try_from(frame.len() - 4).expect("an event is shorter than 4 GiB");
    frame[..4].copy_from_slice(&length.to_be_bytes());
    frame.into()
}
