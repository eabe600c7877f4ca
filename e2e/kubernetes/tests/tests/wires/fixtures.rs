//! Objects of every kind that can be created, with as many fields as the server accepts.
//!
//! They are in `fixtures/`, one file per group, in the form for `kubectl apply`. Fields that can't be set at creation,
//! such as the status, are set by a patch of the subresource.

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub(crate) struct Fixture {
    pub(crate) object: Value,
    /// The patches after the creation: subresource and patch.
    pub(crate) later: Vec<(&'static str, Value)>,
}

/// The default namespace.
pub(crate) const NAMESPACE: &str = "wires";

/// The label of all fixtures.
pub(crate) const LABEL: &str = "wires.example/fixture";

/// Ordered so that each object is created after the objects that it needs.
const FILES: &[&str] = &[
    include_str!("fixtures/core.yaml"),
    include_str!("fixtures/core-nodes.yaml"),
    include_str!("fixtures/core-services.yaml"),
    include_str!("fixtures/node.yaml"),
    include_str!("fixtures/core-pods.yaml"),
    include_str!("fixtures/admissionregistration.yaml"),
    include_str!("fixtures/apps.yaml"),
    include_str!("fixtures/autoscaling.yaml"),
    include_str!("fixtures/batch.yaml"),
    include_str!("fixtures/certificates.yaml"),
    include_str!("fixtures/coordination.yaml"),
    include_str!("fixtures/discovery.yaml"),
    include_str!("fixtures/events.yaml"),
    include_str!("fixtures/extensions.yaml"),
    include_str!("fixtures/flowcontrol.yaml"),
    include_str!("fixtures/internal.yaml"),
    include_str!("fixtures/lifecycle.yaml"),
    include_str!("fixtures/networking.yaml"),
    include_str!("fixtures/policy.yaml"),
    include_str!("fixtures/rbac.yaml"),
    include_str!("fixtures/resource.yaml"),
    include_str!("fixtures/scheduling.yaml"),
    include_str!("fixtures/storage.yaml"),
    include_str!("fixtures/storagemigration.yaml"),
];

/// All fixtures, their namespace first.
pub(crate) fn all() -> Vec<Fixture> {
    let home = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    let documents = FILES.iter().flat_map(|file| serde_yaml::Deserializer::from_str(file));
    let read = documents.map(|document| Value::deserialize(document).expect("a fixture is YAML"));
    [home].into_iter().chain(read).map(Fixture::of).collect()
}

impl Fixture {
    fn of(mut object: Value) -> Fixture {
        object["metadata"]["labels"][LABEL] = json!("true");
        let mut later = Vec::new();
        if let Some(containers) = object.pointer_mut("/spec/ephemeralContainers").map(Value::take) {
            later.push(("ephemeralcontainers", json!({ "spec": { "ephemeralContainers": containers } })));
        }
        // Set at creation too, because some kinds accept it then.
        if let Some(status) = object.get("status") {
            later.push(("status", json!({ "status": status })));
        }
        Fixture { object, later }
    }

    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn namespace(&self) -> &str {
        Some(self.text("/metadata/namespace")).filter(|name| !name.is_empty()).unwrap_or(NAMESPACE)
    }

    /// Its kind and name.
    pub(crate) fn shown(&self) -> String {
        format!("{} {} of {}", self.text("/kind"), self.text("/metadata/name"), self.text("/apiVersion"))
    }
}
