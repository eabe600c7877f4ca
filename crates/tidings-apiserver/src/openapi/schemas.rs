//! The schemas of OpenAPI documents: the named types of built-in kinds, and the schemas of custom resources.

use serde_json::{Map, Value, json};

use crate::resource::ResourceDef;
use crate::schema::builtin::{openapi_name, schemas};
use crate::schema::{ListType, Scalar, SchemaField, TypeRef, TypeShape};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenApiVersion {
    V2,
    V3,
}

const TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
const MICRO_TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
const OBJECT_META: &str = "meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/// The schemas of these resources and of all types that they use.
pub(super) fn collect<'a>(
    defs: impl Iterator<Item = &'a ResourceDef>,
    version: OpenApiVersion,
) -> Map<String, Value> {
    let mut collected = SchemaCollector { version, found: Map::new(), pending: Vec::new() };
    collected.insert_scalars();
    for def in defs {
        let name = definition_name(def);
        if collected.found.contains_key(&list_name(def)) {
            continue;
        }
        collected.found.insert(list_name(def), collected.list(def, &name));
        match def.custom() {
            Some(origin) => {
                let schema = custom(def, origin.schema.as_ref(), version);
                collected.found.insert(name, schema);
                collected.pending.extend(schemas().named(OBJECT_META));
            }
            None => match schemas().kind(&def.group, &def.version, &def.kind) {
                Some(root) => collected.pending.push(root),
                None => {
                    collected.found.insert(name, custom(def, None, version));
                }
            },
        }
    }
    collected.finish()
}

/// The name of a kind in the documents. For custom resources it has the group in reverse order, as in Kubernetes.
pub(super) fn definition_name(def: &ResourceDef) -> String {
    let builtin = schemas()
        .kind(&def.group, &def.version, &def.kind)
        .and_then(|found| found.described().name.as_deref());
    match builtin {
        Some(name) if !def.is_custom() => openapi_name(name),
        _ => {
            let mut parts: Vec<_> = def.group.split('.').filter(|part| !part.is_empty()).collect();
            parts.reverse();
            parts.extend([def.version.as_ref(), def.kind.as_ref()]);
            parts.join(".")
        }
    }
}

fn list_name(def: &ResourceDef) -> String {
    let name = definition_name(def);
    let prefix = name.strip_suffix(def.kind.as_ref()).unwrap_or(&name);
    format!("{prefix}{}", def.list_kind)
}

pub(super) fn kind_extension(group: &str, version: &str, kind: &str) -> Value {
    json!({"group": group, "version": version, "kind": kind})
}

struct SchemaCollector<'a> {
    version: OpenApiVersion,
    found: Map<String, Value>,
    pending: Vec<TypeRef<'a>>,
}

pub(super) fn reference(version: OpenApiVersion, name: &str) -> Value {
    match version {
        OpenApiVersion::V2 => json!({"$ref": format!("#/definitions/{name}")}),
        OpenApiVersion::V3 => json!({"$ref": format!("#/components/schemas/{name}")}),
    }
}

impl<'a> SchemaCollector<'a> {
    fn insert_scalars(&mut self) {
        let (int_or_string, quantity) = match self.version {
            OpenApiVersion::V2 => {
                (json!({"type": "string", "format": "int-or-string"}), json!({"type": "string"}))
            }
            OpenApiVersion::V3 => (
                json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}),
                json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
            ),
        };
        for time in [TIME, MICRO_TIME] {
            self.found.insert(time.to_owned(), json!({"type": "string", "format": "date-time"}));
        }
        self.found.insert(QUANTITY.to_owned(), quantity);
        self.found.insert(INT_OR_STRING.to_owned(), int_or_string);
        let text = json!({"type": "string"});
        let list_meta = json!({"type": "object", "properties": {"continue": text, "resourceVersion": text,
            "remainingItemCount": {"type": "integer", "format": "int64"}, "selfLink": text}});
        self.found.insert(LIST_META.to_owned(), list_meta);
    }

    fn finish(mut self) -> Map<String, Value> {
        while let Some(next) = self.pending.pop() {
            let name = next.described().name.as_deref().map(openapi_name).unwrap_or_default();
            if self.found.contains_key(&name) {
                continue;
            }
            // Inserted before its fields are visited, because a type may refer to itself.
            self.found.insert(name.clone(), Value::Null);
            let mut schema = self.inline(next);
            if let Some(kind) = &next.described().kind {
                schema["x-kubernetes-group-version-kind"] =
                    json!([kind_extension(&kind.group, &kind.version, &kind.kind)]);
            }
            self.found.insert(name, schema);
        }
        self.found
    }

    fn list(&self, def: &ResourceDef, item: &str) -> Value {
        json!({
            "type": "object", "required": ["items"],
            "properties": {
                "apiVersion": {"type": "string"}, "kind": {"type": "string"},
                "metadata": reference(self.version, LIST_META),
                "items": {"type": "array", "items": reference(self.version, item)},
            },
            "x-kubernetes-group-version-kind": [kind_extension(&def.group, &def.version, &def.list_kind)],
        })
    }

    /// The schema at the place where a type is used: a reference for named types.
    fn used(&mut self, found: TypeRef<'a>) -> Value {
        match &found.described().name {
            Some(name) => {
                self.pending.push(found);
                reference(self.version, &openapi_name(name))
            }
            None => self.inline(found),
        }
    }

    fn inline(&mut self, found: TypeRef<'a>) -> Value {
        match found.shape() {
            TypeShape::Any => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            TypeShape::Scalar(scalar) => self.scalar(*scalar),
            TypeShape::List { items, list_type } => {
                let mut schema = json!({"type": "array", "items": self.used(found.sibling(*items))});
                insert_list_type(&mut schema, list_type);
                schema
            }
            TypeShape::Object { fields, values, is_atomic } => {
                let mut schema = json!({"type": "object"});
                if !fields.is_empty() {
                    let properties: Map<_, _> = fields
                        .iter()
                        .map(|(name, field)| (name.clone(), self.property(found, field)))
                        .collect();
                    schema["properties"] = Value::Object(properties);
                }
                let required: Vec<_> =
                    fields.iter().filter(|(_, field)| field.is_required).map(|(name, _)| name).collect();
                if !required.is_empty() {
                    schema["required"] = json!(required);
                }
                if let Some(values) = values {
                    schema["additionalProperties"] = self.used(found.sibling(*values));
                }
                if *is_atomic {
                    schema["x-kubernetes-map-type"] = json!("atomic");
                }
                schema
            }
        }
    }

    fn property(&mut self, parent: TypeRef<'a>, field: &SchemaField) -> Value {
        let mut schema = self.used(parent.sibling(field.type_id));
        let mut strategies = Vec::new();
        if let Some(key) = &field.patch.merge {
            strategies.push("merge");
            if let Some(key) = key {
                schema["x-kubernetes-patch-merge-key"] = json!(key);
            }
        }
        if field.patch.replaces {
            strategies.push("replace");
        }
        if field.patch.retains_keys {
            strategies.push("retainKeys");
        }
        if !strategies.is_empty() {
            schema["x-kubernetes-patch-strategy"] = json!(strategies.join(","));
        }
        schema
    }

    fn scalar(&self, scalar: Scalar) -> Value {
        match scalar {
            Scalar::String => json!({"type": "string"}),
            Scalar::Byte => json!({"type": "string", "format": "byte"}),
            Scalar::Int32 => json!({"type": "integer", "format": "int32"}),
            Scalar::Int64 => json!({"type": "integer", "format": "int64"}),
            Scalar::Double => json!({"type": "number", "format": "double"}),
            Scalar::Boolean => json!({"type": "boolean"}),
            Scalar::Time => reference(self.version, TIME),
            Scalar::MicroTime => reference(self.version, MICRO_TIME),
            Scalar::Quantity => reference(self.version, QUANTITY),
            Scalar::IntOrString => reference(self.version, INT_OR_STRING),
        }
    }
}

fn insert_list_type(schema: &mut Value, list_type: &ListType) {
    match list_type {
        ListType::Atomic => schema["x-kubernetes-list-type"] = json!("atomic"),
        ListType::Set => schema["x-kubernetes-list-type"] = json!("set"),
        ListType::Map(keys) => {
            schema["x-kubernetes-list-type"] = json!("map");
            schema["x-kubernetes-list-map-keys"] = json!(keys);
        }
    }
}

/// The schema of a custom resource, with the fields that all objects have.
fn custom(def: &ResourceDef, schema: Option<&Value>, version: OpenApiVersion) -> Value {
    let mut schema_json = match schema {
        Some(schema) if schema.is_object() => schema.clone(),
        _ => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    };
    if !schema_json["properties"].is_object() {
        schema_json["properties"] = json!({});
    }
    schema_json["properties"]["apiVersion"] = json!({"type": "string"});
    schema_json["properties"]["kind"] = json!({"type": "string"});
    schema_json["properties"]["metadata"] = reference(version, &openapi_name(OBJECT_META));
    schema_json["x-kubernetes-group-version-kind"] =
        json!([kind_extension(&def.group, &def.version, &def.kind)]);
    schema_json
}
