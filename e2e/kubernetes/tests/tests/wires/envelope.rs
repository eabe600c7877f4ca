//! Reads Kubernetes' protobuf envelopes, lists and watch events.
//!
//! It does not use the code under test.

use serde_json::Value as Json;
use tidings_protobuf::wire::{FieldReader, Value};
use tidings_protobuf::{Message, TypeMeta, message};

/// The envelope of a response or of the object of a watch event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope<'a> {
    pub(crate) type_meta: TypeMeta<'a>,
    /// The message.
    pub(crate) bytes: &'a [u8],
}

#[derive(Debug)]
pub(crate) struct Event<T> {
    pub(crate) event_type: String,
    pub(crate) object: T,
}

impl<'a> Envelope<'a> {
    /// Parses an envelope.
    pub(crate) fn of(bytes: &'a [u8]) -> Envelope<'a> {
        let envelope = bytes.strip_prefix(b"k8s\0").expect("an envelope begins with its magic number");
        let meta = field(envelope, 1);
        let (api_version, kind) = (text(field(meta, 1)), text(field(meta, 2)));
        let type_meta = TypeMeta { api_version: Some(api_version), kind: Some(kind) };
        assert_eq!(
            (field(envelope, 3), field(envelope, 4)),
            (&[][..], &[][..]),
            "it is neither coded nor JSON"
        );
        Envelope { type_meta, bytes: field(envelope, 2) }
    }

    /// The message of its type.
    pub(crate) fn message(&self) -> &'static Message {
        let (api_version, kind) = (self.api_version(), self.type_meta.kind.unwrap_or_default());
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        message(group, version, kind).unwrap_or_else(|| panic!("the table has no {kind} of {api_version}"))
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> Vec<&'a [u8]> {
        fields(self.bytes, 2).collect()
    }

    /// The identity of the object and its version.
    pub(crate) fn uid_and_version(&self) -> String {
        format!("{} at {}", text(field(field(self.bytes, 1), 5)), self.version())
    }

    /// The version of an object.
    pub(crate) fn version(&self) -> &'a str {
        text(field(field(self.bytes, 1), 6))
    }

    /// The version of a list.
    pub(crate) fn list_version(&self) -> &'a str {
        text(field(field(self.bytes, 1), 2))
    }

    fn api_version(&self) -> &'a str {
        self.type_meta.api_version.unwrap_or_default()
    }
}

/// The complete events of a protobuf watch.
pub(crate) fn protobuf_events(mut stream: &[u8]) -> Vec<Event<Envelope<'_>>> {
    let mut events = Vec::new();
    while let Some((length, rest)) = stream.split_first_chunk() {
        let Some((event, rest)) = rest.split_at_checked(u32::from_be_bytes(*length) as usize) else { break };
        let object = Envelope::of(field(field(event, 2), 1));
        events.push(Event { event_type: text(field(event, 1)).to_owned(), object });
        stream = rest;
    }
    events
}

/// The complete events of a JSON watch.
pub(crate) fn json_events(stream: &[u8]) -> Vec<Event<Json>> {
    let whole = stream.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let events = whole.map(|line| {
        let mut event: Json = serde_json::from_slice(line).expect("the server writes JSON");
        let event_type = event["type"].as_str().expect("an event has a type").to_owned();
        Event { event_type, object: event["object"].take() }
    });
    events.collect()
}

/// The value of the last field with this number; empty if there is none.
fn field(message: &[u8], number: u32) -> &[u8] {
    fields(message, number).last().unwrap_or_default()
}

fn fields(message: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    let mut reader = FieldReader::new(message);
    let all = std::iter::from_fn(move || reader.next().expect("the server writes protobuf"));
    all.filter_map(move |(found, value)| match value {
        Value::Bytes(bytes) if found == number => Some(bytes),
        _ => None,
    })
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("texts are UTF-8")
}
