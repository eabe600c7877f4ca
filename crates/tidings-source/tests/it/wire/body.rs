//! Bodies as an API server sends them, on each wire, from the same JSON.

#[path = "../../../src/testing/protobuf_fields.rs"]
mod protobuf_fields;

use serde_json::{Value, json};
use tidings_object::Wire;
use tidings_protobuf::{encode, message};

pub(crate) use self::protobuf_fields::field;
use self::protobuf_fields::number;

/// The tests run on each.
pub(crate) const WIRES: [Wire; 2] = [Wire::Json, Wire::Protobuf];

pub(crate) fn content_type(wire: Wire) -> &'static str {
    match wire {
        Wire::Json => "application/json",
        Wire::Protobuf => "application/vnd.kubernetes.protobuf",
    }
}

/// A list.
pub(crate) fn list(wire: Wire, list: &Value) -> Vec<u8> {
    if wire == Wire::Json {
        return list.to_string().into_bytes();
    }
    let items = list["items"].as_array().expect("a list has items").iter();
    let kind = text(&list["kind"]).strip_suffix("List").expect("a list has a kind");
    let mut parts = vec![field(1, &list_meta(&list["metadata"]))];
    parts.extend(items.map(|item| field(2, &encoded(text(&list["apiVersion"]), kind, item))));
    envelope(list, &parts.concat())
}

/// One frame of a watch.
pub(crate) fn event(wire: Wire, event_type: &str, object: &Value) -> Vec<u8> {
    if wire == Wire::Json {
        return format!("{{\"type\":{event_type:?},\"object\":{object}}}\n").into_bytes();
    }
    let object = self::object(wire, object);
    framed(&[field(1, event_type.as_bytes()), field(2, &field(1, &object))].concat())
}

/// An object as an item of a list.
pub(crate) fn bare(wire: Wire, object: &Value) -> Vec<u8> {
    match wire {
        Wire::Json => object.to_string().into_bytes(),
        Wire::Protobuf => encoded(text(&object["apiVersion"]), text(&object["kind"]), object),
    }
}

/// A list of pods at version 5 whose items are these bytes.
pub(crate) fn list_of_bytes(wire: Wire, items: &[Vec<u8>]) -> Vec<u8> {
    let pods = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "5"}});
    match wire {
        Wire::Json => {
            let head = &pods.to_string()[..pods.to_string().len() - 1];
            [head.as_bytes(), b",\"items\":[", &items.join(&b","[..]), b"]}"].concat()
        }
        Wire::Protobuf => {
            let mut parts = vec![field(1, &list_meta(&pods["metadata"]))];
            parts.extend(items.iter().map(|item| field(2, item)));
            envelope(&pods, &parts.concat())
        }
    }
}

/// One frame of a watch whose pod is these bytes.
pub(crate) fn event_of_bytes(wire: Wire, event_type: &str, object: &[u8]) -> Vec<u8> {
    if wire == Wire::Json {
        return [format!("{{\"type\":{event_type:?},\"object\":").as_bytes(), object, b"}\n"].concat();
    }
    let pod = envelope(&json!({"kind": "Pod", "apiVersion": "v1"}), object);
    framed(&[field(1, event_type.as_bytes()), field(2, &field(1, &pod))].concat())
}

/// One object, such as a `Status`.
pub(crate) fn object(wire: Wire, object: &Value) -> Vec<u8> {
    match wire {
        Wire::Json => object.to_string().into_bytes(),
        Wire::Protobuf => {
            envelope(object, &encoded(text(&object["apiVersion"]), text(&object["kind"]), object))
        }
    }
}

/// A message in an envelope with the type of `what`.
pub(crate) fn envelope(what: &Value, message: &[u8]) -> Vec<u8> {
    protobuf_fields::envelope(text(&what["apiVersion"]), text(&what["kind"]), message)
}

/// Bytes after a length prefix.
pub(crate) fn framed(frame: &[u8]) -> Vec<u8> {
    [&u32::try_from(frame.len()).unwrap().to_be_bytes(), frame].concat()
}

fn list_meta(metadata: &Value) -> Vec<u8> {
    let mut parts = vec![
        field(1, b""),
        field(2, text(&metadata["resourceVersion"]).as_bytes()),
        field(3, text(&metadata["continue"]).as_bytes()),
    ];
    if let Some(count) = metadata["remainingItemCount"].as_u64() {
        parts.push(number(4, count));
    }
    if let Some(selector) = metadata["shardInfo"]["selector"].as_str() {
        parts.push(field(5, &field(1, selector.as_bytes())));
    }
    parts.concat()
}

fn encoded(api_version: &str, kind: &str, object: &Value) -> Vec<u8> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    encode(message(group, version, kind).expect("a kind of the table"), object).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
