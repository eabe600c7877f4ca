//! Responses of API servers in both encodings: pods, lists of pods, events.

use serde_json::json;
use tidings_object::Wire;
use tidings_protobuf::wire::write_bytes;
use tidings_protobuf::{encode, message};

/// A pod with one container. The label `app` is the part of the image before the colon.
pub(crate) fn pod(wire: Wire, namespace: &str, name: &str, uid: &str, version: &str, image: &str) -> Vec<u8> {
    let app = image.split(':').next().unwrap_or_default();
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": namespace, "name": name, "uid": uid, "resourceVersion": version, "labels": {"app": app},
        },
        "spec": {"containers": [{"name": "main", "image": image}]},
    });
    match wire {
        Wire::Json => pod.to_string().into_bytes(),
        Wire::Protobuf => {
            encode(message("", "v1", "Pod").expect("the table contains pods"), &pod).expect("a pod")
        }
    }
}

/// A list of these objects.
pub(crate) fn list(wire: Wire, version: &str, items: &[&[u8]]) -> Vec<u8> {
    match wire {
        Wire::Json => {
            let head = format!(
                r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"}},"items":["#
            );
            [head.as_bytes(), &items.join(&b','), b"]}"].concat()
        }
        Wire::Protobuf => {
            let metadata = field(1, &[field(1, b""), field(2, version.as_bytes()), field(3, b"")].concat());
            let items = items.iter().flat_map(|item| field(2, item));
            envelope("PodList", &metadata.into_iter().chain(items).collect::<Vec<_>>())
        }
    }
}

/// One frame of a watch.
pub(crate) fn event(wire: Wire, event_type: &str, object: &[u8]) -> Vec<u8> {
    match wire {
        Wire::Json => [format!("{{\"type\":{event_type:?},\"object\":").as_bytes(), object, b"}\n"].concat(),
        Wire::Protobuf => {
            let kind = if event_type == "ERROR" { "Status" } else { "Pod" };
            let object = field(1, &envelope(kind, object));
            let event = [field(1, event_type.as_bytes()), field(2, &object)].concat();
            [&u32::try_from(event.len()).expect("a short event").to_be_bytes()[..], &event].concat()
        }
    }
}

/// The end of the initial events of a streaming list.
pub(crate) fn marker(wire: Wire, version: &str) -> Vec<u8> {
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"resourceVersion": version, "annotations": {"k8s.io/initial-events-end": "true"}},
    });
    let object = match wire {
        Wire::Json => pod.to_string().into_bytes(),
        Wire::Protobuf => {
            encode(message("", "v1", "Pod").expect("the table contains pods"), &pod).expect("a pod")
        }
    };
    event(wire, "BOOKMARK", &object)
}

/// The error event for an expired version.
pub(crate) fn expired(wire: Wire) -> Vec<u8> {
    let status = json!({
        "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "reason": "Expired", "code": 410,
    });
    let object = match wire {
        Wire::Json => status.to_string().into_bytes(),
        Wire::Protobuf => encode(message("", "v1", "Status").expect("the table contains Status"), &status)
            .expect("a status"),
    };
    event(wire, "ERROR", &object)
}

fn envelope(kind: &str, message: &[u8]) -> Vec<u8> {
    let type_meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
    [b"k8s\0".to_vec(), field(1, &type_meta), field(2, message), field(3, b""), field(4, b"")].concat()
}

/// A length-delimited protobuf field.
fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    write_bytes(number, bytes, &mut encoded);
    encoded
}
