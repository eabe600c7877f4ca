//! Reads and writes the two encodings of Kubernetes, for the proxy. It does not use the code under test, because an
//! error in both would go unnoticed.

use serde_json::{Value, json};
use tidings_object::Wire;
use tidings_protobuf::wire::{FieldReader, Value as Field, write_bytes};
use tidings_protobuf::{TypeMeta, encode, from_slice, message};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const JSON: &str = "application/json";

/// The `Content-Type` of an object.
pub(crate) fn content_type(wire: Wire) -> &'static str {
    match wire {
        Wire::Json => JSON,
        Wire::Protobuf => PROTOBUF,
    }
}

/// The `Content-Type` of a watch.
pub(crate) fn stream_content_type(wire: Wire) -> String {
    format!("{};stream=watch", content_type(wire))
}

/// The wire of a `Content-Type`.
pub(crate) fn wire_of(content_type: &str) -> Wire {
    if content_type.starts_with(PROTOBUF) { Wire::Protobuf } else { Wire::Json }
}

/// The end of the first frame that ends after `from`, in the bytes that follow `partial`; the end of the bytes if no
/// frame ends.
pub(crate) fn frame_end(wire: Wire, partial: &[u8], pending: &[u8], from: usize) -> usize {
    if wire == Wire::Json {
        let end = pending[from..].iter().position(|byte| *byte == b'\n');
        return end.map_or(pending.len(), |end| from + end + 1);
    }
    let (all, mut end) = ([partial, pending].concat(), 0);
    while let Some((length, _)) = all[end..].split_first_chunk() {
        end += length.len() + u32::from_be_bytes(*length) as usize;
        if end > all.len() {
            break;
        }
        if end > partial.len() + from {
            return end - partial.len();
        }
    }
    pending.len()
}

/// Whether these bytes are exactly one frame.
pub(crate) fn is_whole_frame(wire: Wire, bytes: &[u8]) -> bool {
    match wire {
        Wire::Json => bytes.ends_with(b"\n"),
        Wire::Protobuf => bytes
            .split_first_chunk()
            .is_some_and(|(length, rest)| rest.len() == u32::from_be_bytes(*length) as usize),
    }
}

/// One event of a watch, as JSON.
pub(crate) fn event(wire: Wire, frame: &[u8]) -> Option<Value> {
    match wire {
        Wire::Json => serde_json::from_slice(frame).ok(),
        Wire::Protobuf => {
            let (_, event) = frame.split_first_chunk::<4>()?;
            let sort = std::str::from_utf8(field(event, 1)?).ok()?;
            let object = object(wire, field(field(event, 2)?, 1)?)?;
            Some(json!({ "type": sort, "object": object }))
        }
    }
}

/// An object, a list or a status, as JSON.
pub(crate) fn object(wire: Wire, bytes: &[u8]) -> Option<Value> {
    if wire == Wire::Json {
        return serde_json::from_slice(bytes).ok();
    }
    let envelope = bytes.strip_prefix(b"k8s\0")?;
    let text = |number| std::str::from_utf8(field(field(envelope, 1)?, number)?).ok();
    let type_meta = TypeMeta { api_version: text(1), kind: text(2) };
    from_slice(message("", "v1", type_meta.kind?)?, type_meta, field(envelope, 2).unwrap_or_default()).ok()
}

/// Whether a status says that the requested version is newer than the server's.
pub(crate) fn is_too_large(status: &Value) -> bool {
    let causes = status["details"]["causes"].as_array();
    causes.is_some_and(|causes| causes.iter().any(|cause| cause["reason"] == "ResourceVersionTooLarge"))
}

/// The body of a response with this status.
pub(crate) fn status(wire: Wire, status: &Value) -> Vec<u8> {
    if wire == Wire::Json {
        return status.to_string().into_bytes();
    }
    let message = encode(message("", "v1", "Status").expect("a status is in the table"), status);
    let type_meta = [framed(1, b"v1"), framed(2, b"Status")].concat();
    [b"k8s\0".to_vec(), framed(1, &type_meta), framed(2, &message.expect("it is a status"))].concat()
}

/// The frame of an ERROR event with this status.
pub(crate) fn error_frame(wire: Wire, status: &Value) -> Vec<u8> {
    match wire {
        Wire::Json => format!("{}\n", json!({ "type": "ERROR", "object": status })).into_bytes(),
        Wire::Protobuf => {
            let object = framed(2, &framed(1, &self::status(wire, status)));
            let event = [framed(1, b"ERROR"), object].concat();
            [&u32::try_from(event.len()).expect("an event is short").to_be_bytes()[..], &event].concat()
        }
    }
}

/// The value of the last field with this number.
fn field(message: &[u8], number: u32) -> Option<&[u8]> {
    let (mut reader, mut found) = (FieldReader::new(message), None);
    while let Some((own, value)) = reader.next().ok()? {
        if let (true, Field::Bytes(bytes)) = (own == number, value) {
            found = Some(bytes);
        }
    }
    found
}

/// A length-delimited field.
fn framed(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    write_bytes(number, bytes, &mut written);
    written
}
