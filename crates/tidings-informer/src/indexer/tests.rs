//! The guarantees of the cache, and a builder of test objects.

mod model;
mod reads;
mod writes;

use std::sync::Arc;

use serde_json::json;
use tidings_object::{Budget, Intake, NothingKnown, RawObject, ResourceKind, Scope};

use super::*;

/// A builder of test objects: `thing("a/b").version(3).label("app", "web").built()`.
#[derive(Debug, Clone)]
struct Thing {
    key: String,
    uid: String,
    version: String,
    labels: Vec<(String, String)>,
    owners: Vec<String>,
    spec: serde_json::Value,
}

fn thing(key: &str) -> Thing {
    Thing {
        key: key.to_owned(),
        uid: format!("uid of {key}"),
        version: "1".to_owned(),
        labels: Vec::new(),
        owners: Vec::new(),
        spec: json!({}),
    }
}

impl Thing {
    fn uid(mut self, uid: &str) -> Thing {
        self.uid = uid.to_owned();
        self
    }

    fn version(mut self, version: impl ToString) -> Thing {
        self.version = version.to_string();
        self
    }

    fn label(mut self, key: &str, value: &str) -> Thing {
        self.labels.push((key.to_owned(), value.to_owned()));
        self
    }

    fn owner(mut self, uid: &str) -> Thing {
        self.owners.push(uid.to_owned());
        self
    }

    fn spec(mut self, spec: serde_json::Value) -> Thing {
        self.spec = spec;
        self
    }

    fn built(&self) -> Arc<RawObject> {
        let (namespace, name) = self.key.split_once('/').unwrap_or(("", &self.key));
        let owner = |uid: &String| json!({"apiVersion": "v1", "kind": "Owner", "name": "o", "uid": uid});
        let labels = self.labels.iter().map(|(key, value)| (key.clone(), json!(value)));
        let mut metadata = json!({
            "name": name,
            "uid": self.uid,
            "resourceVersion": self.version,
            "labels": labels.collect::<serde_json::Map<_, _>>(),
            "ownerReferences": self.owners.iter().map(owner).collect::<Vec<_>>(),
        });
        if !namespace.is_empty() {
            metadata["namespace"] = json!(namespace);
        }
        let frame = json!({"metadata": metadata, "spec": self.spec}).to_string();
        let things = ResourceKind {
            group: "example.com".into(),
            version: "v1".into(),
            kind: "Thing".into(),
            plural: "things".into(),
            scope: Scope::Namespaced,
        };
        let intake = Intake::new(things, Arc::new(Budget::bytes(0)));
        intake.json(frame.as_bytes(), &NothingKnown).expect("a valid object")
    }
}

/// A cache that has published these objects.
fn cache_of(things: &[Thing]) -> (Writer, Reader) {
    let (mut writer, reader) = indexer();
    for thing in things {
        writer.upsert(thing.built());
    }
    writer.publish(None);
    (writer, reader)
}

/// The keys of objects, sorted.
fn keys(objects: &[Arc<RawObject>]) -> Vec<String> {
    let mut keys = objects.iter().map(|object| object.key().to_string()).collect::<Vec<_>>();
    keys.sort_unstable();
    keys
}
