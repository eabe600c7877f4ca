//! The types of a custom resource, from the `openAPIV3Schema` of its definition.
//!
//! Only what merging needs is read: types, `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and
//! `x-kubernetes-map-type`. Values are validated elsewhere. `metadata` has always the built-in type. Unknown parts of a
//! schema have no type.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{FieldPresence, ListType, PatchStrategy, Scalar, SchemaField, SchemaTypeId, Schemas, TypeShape};

/// The depth up to which a schema is read. Deeper parts have no type.
const SCHEMA_DEPTH_MAX: usize = 64;

/// The types of a schema, and the type of the objects.
pub(crate) fn read(schema: &Value) -> (Schemas, SchemaTypeId) {
    let mut schemas = Schemas::new();
    let root = read_type(&mut schemas, schema, SCHEMA_DEPTH_MAX);
    if let TypeShape::Object { fields, .. } = &schemas.types[root.0].shape {
        let mut fields = fields.clone();
        let metadata = object_meta(&mut schemas);
        fields.insert(
            "metadata".to_owned(),
            SchemaField { presence: FieldPresence::Always, ..field(metadata) },
        );
        schemas.set_shape(root, TypeShape::Object { fields, values: None, is_atomic: false });
    }
    (schemas, root)
}

fn read_type(schemas: &mut Schemas, schema: &Value, depth: usize) -> SchemaTypeId {
    if depth == 0 {
        return schemas.add(TypeShape::Any);
    }
    let shape = match schema["type"].as_str() {
        Some("object") => read_object(schemas, schema, depth),
        Some("array") => {
            let items = read_type(schemas, &schema["items"], depth - 1);
            TypeShape::List { items, list_type: list_type(schema) }
        }
        Some("string") => TypeShape::Scalar(Scalar::String),
        Some("integer") => TypeShape::Scalar(Scalar::Int64),
        Some("number") => TypeShape::Scalar(Scalar::Double),
        Some("boolean") => TypeShape::Scalar(Scalar::Boolean),
        _ if schema["x-kubernetes-int-or-string"] == true => TypeShape::Scalar(Scalar::IntOrString),
        _ => TypeShape::Any,
    };
    schemas.add(shape)
}

fn read_object(schemas: &mut Schemas, schema: &Value, depth: usize) -> TypeShape {
    let mut fields = BTreeMap::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let type_id = read_type(schemas, property, depth - 1);
        let default = property["default"].as_str().map(str::to_owned);
        fields.insert(name.clone(), SchemaField { default, ..field(type_id) });
    }
    let values = match &schema["additionalProperties"] {
        Value::Object(_) => Some(read_type(schemas, &schema["additionalProperties"], depth - 1)),
        _ => None,
    };
    TypeShape::Object { fields, values, is_atomic: schema["x-kubernetes-map-type"] == "atomic" }
}

fn list_type(schema: &Value) -> ListType {
    match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => ListType::Set,
        Some("map") => ListType::Map(
            schema["x-kubernetes-list-map-keys"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|key| key.as_str().map(str::to_owned))
                .collect(),
        ),
        _ => ListType::Atomic,
    }
}

fn field(type_id: SchemaTypeId) -> SchemaField {
    SchemaField {
        type_id,
        is_required: false,
        patch: PatchStrategy::default(),
        default: None,
        presence: FieldPresence::WhenSet,
    }
}

/// The parts of `ObjectMeta` that need a type: maps, and the two lists with keys.
fn object_meta(schemas: &mut Schemas) -> SchemaTypeId {
    let text = schemas.add(TypeShape::Scalar(Scalar::String));
    let texts =
        schemas.add(TypeShape::Object { fields: BTreeMap::new(), values: Some(text), is_atomic: false });
    let finalizers = schemas.add(TypeShape::List { items: text, list_type: ListType::Set });
    let owner = schemas.add(TypeShape::Object { fields: BTreeMap::new(), values: None, is_atomic: true });
    let owners =
        schemas.add(TypeShape::List { items: owner, list_type: ListType::Map(vec!["uid".to_owned()]) });
    let fields =
        [("labels", texts), ("annotations", texts), ("finalizers", finalizers), ("ownerReferences", owners)]
            .into_iter()
            .map(|(name, type_id)| (name.to_owned(), field(type_id)))
            .collect();
    schemas.add(TypeShape::Object { fields, values: None, is_atomic: false })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn list_keys_come_from_the_definition() {
        let (schemas, root) = read(
            &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "rules": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["host"],
                    "items": {"type": "object"}},
                "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "plain": {"type": "array", "items": {"type": "string"}},
            }}}}),
        );
        let spec = schemas.at(root).field("spec").expect("spec is described");
        let list_type = |name: &str| match spec.field(name).expect("the list is described").shape() {
            TypeShape::List { list_type, .. } => list_type.clone(),
            other => panic!("{name} is {other:?}"),
        };
        assert_eq!(list_type("rules"), ListType::Map(vec!["host".into()]));
        assert_eq!(list_type("tags"), ListType::Set);
        assert_eq!(list_type("plain"), ListType::Atomic);
        assert!(schemas.at(root).field("metadata").and_then(|meta| meta.field("finalizers")).is_some());
    }

    #[test]
    fn only_the_metadata_of_an_object_is_always_present() {
        let (schemas, root) = read(&json!({"type": "object", "properties": {"spec": {"type": "object",
            "properties": {"size": {"type": "integer"}}}}}));
        let object = schemas.at(root);
        assert!(object.is_always_present("metadata") && !object.is_always_present("spec"));
    }
}
