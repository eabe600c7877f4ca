//! Objects of every kind that can be made, as rich as the server takes them.
//!
//! They stand in `specimens/`, a file for each group or part of one, as one would apply them. What can't be made with
//! the object, such as its status, is set through the subresource for it.

use serde::Deserialize;
use serde_json::{Value, json};

/// An object to be made.
#[derive(Debug, Clone)]
pub(crate) struct Specimen {
    pub(crate) object: Value,
    /// What is patched afterwards: the subresource, and the patch.
    pub(crate) later: Vec<(&'static str, Value)>,
}

/// Where they live unless they say otherwise.
pub(crate) const NAMESPACE: &str = "wires";

/// The label that they all have.
pub(crate) const LABEL: &str = "wires.example/specimen";

/// In an order in which they can be made: pods need the classes that they name.
const FILES: &[&str] = &[
    include_str!("specimens/core.yaml"),
    include_str!("specimens/core-nodes.yaml"),
    include_str!("specimens/core-services.yaml"),
    include_str!("specimens/node.yaml"),
    include_str!("specimens/core-pods.yaml"),
    include_str!("specimens/admissionregistration.yaml"),
    include_str!("specimens/apps.yaml"),
    include_str!("specimens/autoscaling.yaml"),
    include_str!("specimens/batch.yaml"),
    include_str!("specimens/certificates.yaml"),
    include_str!("specimens/coordination.yaml"),
    include_str!("specimens/discovery.yaml"),
    include_str!("specimens/events.yaml"),
    include_str!("specimens/extensions.yaml"),
    include_str!("specimens/flowcontrol.yaml"),
    include_str!("specimens/internal.yaml"),
    include_str!("specimens/networking.yaml"),
    include_str!("specimens/policy.yaml"),
    include_str!("specimens/rbac.yaml"),
    include_str!("specimens/resource.yaml"),
    include_str!("specimens/scheduling.yaml"),
    include_str!("specimens/storage.yaml"),
    include_str!("specimens/storagemigration.yaml"),
];

/// All of them, the namespace that they live in first.
pub(crate) fn all() -> Vec<Specimen> {
    let home = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    let documents = FILES.iter().flat_map(|file| serde_yaml::Deserializer::from_str(file));
    let read = documents.map(|document| Value::deserialize(document).expect("a specimen is YAML"));
    [home].into_iter().chain(read).map(Specimen::of).collect()
}

impl Specimen {
    fn of(mut object: Value) -> Specimen {
        object["metadata"]["labels"][LABEL] = json!("true");
        let mut later = Vec::new();
        if let Some(containers) = object.pointer_mut("/spec/ephemeralContainers").map(Value::take) {
            later.push(("ephemeralcontainers", json!({ "spec": { "ephemeralContainers": containers } })));
        }
        // Given when it is made as well: some kinds take it then.
        if let Some(status) = object.get("status") {
            later.push(("status", json!({ "status": status })));
        }
        Specimen { object, later }
    }

    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn namespace(&self) -> &str {
        Some(self.text("/metadata/namespace")).filter(|name| !name.is_empty()).unwrap_or(NAMESPACE)
    }

    /// Its kind and name, for people.
    pub(crate) fn shown(&self) -> String {
        format!("{} {} of {}", self.text("/kind"), self.text("/metadata/name"), self.text("/apiVersion"))
    }
}
