//! Compares what the intake makes of the same object from each wire: identity, labels, owners, fields and body.

use std::sync::Arc;

use serde_json::Value;
use tidings_object::{Budget, FieldPath, Intake, NothingKnown, RawObject, ResourceKind, Transform};

use crate::difference::Difference;
use crate::pair::Pair;
use crate::path;

pub(crate) struct BothIntakes {
    what: String,
    pub(crate) json: Arc<RawObject>,
    pub(crate) protobuf: Arc<RawObject>,
}

impl BothIntakes {
    /// Takes in the object unchanged, and without its managed fields.
    pub(crate) fn both_ways(resource: &ResourceKind, pair: &Pair<'_>) -> [BothIntakes; 2] {
        let intake = || Intake::new(resource.clone(), Arc::new(Budget::default()));
        let pruning = intake().with_transform(Transform::drop_managed_fields());
        [("taken in", intake()), ("taken in and pruned", pruning)].map(|(how, intake)| {
            let json = intake.json(pair.json.to_string().as_bytes(), &NothingKnown);
            let protobuf = intake.protobuf(pair.type_meta, pair.protobuf, &NothingKnown);
            BothIntakes {
                what: format!("{}, {how}", pair.what),
                json: json.expect("the server's JSON is taken in"),
                protobuf: protobuf.expect("the server's protobuf is taken in"),
            }
        })
    }

    /// The differences between the two.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        let [json, protobuf] = [&self.json, &self.protobuf].map(|object| identity(object));
        let mut differences = Vec::new();
        if json != protobuf {
            differences.push(Difference::whole(&self.what, "(identity)", json, protobuf));
        }
        let [json, protobuf] = [&self.json, &self.protobuf].map(|object| body(object));
        differences.extend(Difference::between(&self.what, &json, &protobuf));
        differences
    }

    /// The differences between the values of field paths.
    pub(crate) fn by_field(&self) -> Vec<Difference> {
        let object = body(&self.json);
        let differing = path::all(&object).into_keys().flat_map(|text| {
            // Field paths have a maximum depth.
            let Ok(path) = FieldPath::parse(&text) else { return Vec::new() };
            match [&self.json, &self.protobuf].map(|object| object.field_at(&path)) {
                [Ok(json), Ok(protobuf)] => {
                    Difference::of_values(&self.what, &text, json.values(), protobuf.values())
                }
                [json, protobuf] => vec![Difference::whole(&self.what, &text, json, protobuf)],
            }
        });
        differing.collect()
    }
}

/// The identity of an object, which is known without decoding it.
fn identity(object: &RawObject) -> Value {
    serde_json::json!({
        "key": object.key().as_str(),
        "namespace": object.namespace(),
        "name": object.name(),
        "uid": object.uid(),
        "version": object.version().to_string(),
        "generation": object.generation(),
        "deleted": object.deletion_timestamp(),
        "labels": object.labels().iter().collect::<Vec<_>>(),
        "owners": object.owner_uids().collect::<Vec<_>>(),
        "controller": object.controller_uid(),
    })
}

fn body(object: &RawObject) -> Value {
    let json = object.json().expect("what was taken in can be read");
    serde_json::from_slice(&json).expect("it is JSON")
}
