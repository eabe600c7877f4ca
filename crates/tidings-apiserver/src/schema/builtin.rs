//! The types of the built-in kinds, read from the table `builtin.txt`.
//!
//! A line without indentation starts a type: its name, then `kind=group/version/Kind` for kinds, and `atomic` for
//! atomic objects. An indented line is a field of that type: its name, its type, and attributes:
//!
//! ```text
//! core.v1.Pod kind=/v1/Pod
//!  spec core.v1.PodSpec
//! core.v1.PodSpec
//!  containers! []core.v1.Container * map=name patch=merge:name
//! ```
//!
//! | attribute | meaning |
//! |---|---|
//! | `!` after the name | required |
//! | `*`, `&`, neither | JSON has the field always, if it was set, unless it is zero |
//! | `map=key,key`, `set` | the type of a list; atomic without either |
//! | `atomic`, `granular` | the type of a map |
//! | `patch=merge:key`, `patch=replace`, `patch=retainKeys` | the strategy of strategic merge patch |
//! | `default=value` | the value of an absent list key |
//!
//! A type is the name of a scalar, the name of a type, `[]` and the type of list items, or `{}` and the type of map
//! values.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{
    FieldPresence, GroupVersionKind, ListType, PatchStrategy, Scalar, SchemaField, SchemaTypeId, Schemas,
    TypeShape,
};

static TABLE: &str = include_str!("builtin.txt");
static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| read(TABLE));

/// The types of the built-in kinds of Kubernetes 1.37.
pub(crate) fn schemas() -> &'static Schemas {
    &SCHEMAS
}

/// The name of a type in OpenAPI documents.
pub(crate) fn openapi_name(name: &str) -> String {
    let prefix = match name.split('.').next() {
        Some("meta") => "io.k8s.apimachinery.pkg.apis.",
        Some("apiextensions") => "io.k8s.apiextensions-apiserver.pkg.apis.",
        Some("apiregistration") => "io.k8s.kube-aggregator.pkg.apis.",
        _ => "io.k8s.api.",
    };
    format!("{prefix}{name}")
}

fn read(table: &str) -> Schemas {
    let mut schemas = Schemas::new();
    let mut open: Option<(SchemaTypeId, Header)> = None;
    for line in table.lines() {
        match line.strip_prefix(' ') {
            Some(field) => {
                let (_, header) = open.as_mut().expect("a field follows the line of its type");
                let (name, field) = read_field(&mut schemas, field);
                header.fields.insert(name, field);
            }
            None => {
                close(&mut schemas, open.take());
                open = Some(read_header(&mut schemas, line));
            }
        }
    }
    close(&mut schemas, open);
    schemas
}

#[derive(Default)]
struct Header {
    fields: BTreeMap<String, SchemaField>,
    is_atomic: bool,
}

fn read_header(schemas: &mut Schemas, line: &str) -> (SchemaTypeId, Header) {
    let mut words = line.split(' ');
    let id = schemas.declare(words.next().unwrap_or_default());
    let mut header = Header::default();
    for word in words {
        if let Some(kind) = word.strip_prefix("kind=") {
            let mut parts = kind.splitn(3, '/').map(str::to_owned);
            let mut part = || parts.next().unwrap_or_default();
            schemas.set_kind(id, GroupVersionKind { group: part(), version: part(), kind: part() });
        }
        header.is_atomic |= word == "atomic";
    }
    (id, header)
}

fn close(schemas: &mut Schemas, open: Option<(SchemaTypeId, Header)>) {
    if let Some((id, Header { fields, is_atomic })) = open {
        let shape = if fields.is_empty() && !is_atomic {
            TypeShape::Any
        } else {
            TypeShape::Object { fields, values: None, is_atomic }
        };
        schemas.set_shape(id, shape);
    }
}

fn read_field(schemas: &mut Schemas, line: &str) -> (String, SchemaField) {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let type_text = words.next().unwrap_or_default();
    let mut patch = PatchStrategy::default();
    let (mut list_type, mut map_type, mut default) = (ListType::Atomic, None, None);
    let mut presence = FieldPresence::UnlessZero;
    for word in words {
        match word.split_once('=') {
            _ if word == "*" => presence = FieldPresence::Always,
            _ if word == "&" => presence = FieldPresence::WhenSet,
            Some(("map", keys)) => list_type = ListType::Map(keys.split(',').map(str::to_owned).collect()),
            Some(("default", value)) => default = Some(value.to_owned()),
            Some(("patch", "replace")) => patch.replaces = true,
            Some(("patch", "retainKeys")) => patch.retains_keys = true,
            Some(("patch", merge)) => {
                patch.merge = Some(merge.strip_prefix("merge:").map(str::to_owned));
            }
            _ if word == "set" => list_type = ListType::Set,
            _ => map_type = Some(word),
        }
    }
    let type_id = match map_type {
        Some(map_type) => read_map(schemas, type_text, map_type == "atomic"),
        None => read_type(schemas, type_text, list_type),
    };
    let is_required = name.ends_with('!');
    (name.trim_end_matches('!').to_owned(), SchemaField { type_id, is_required, patch, default, presence })
}

/// A field with `atomic` or `granular`. Only maps and references have these. The fields of a granular reference are not
/// declared here; so they are merged one by one.
fn read_map(schemas: &mut Schemas, type_text: &str, is_atomic: bool) -> SchemaTypeId {
    let values = type_text.strip_prefix("{}").map(|inner| read_type(schemas, inner, ListType::Atomic));
    schemas.add(TypeShape::Object { fields: BTreeMap::new(), values, is_atomic })
}

fn read_type(schemas: &mut Schemas, type_text: &str, list_type: ListType) -> SchemaTypeId {
    if let Some(inner) = type_text.strip_prefix("[]") {
        let items = read_type(schemas, inner, ListType::Atomic);
        return schemas.add(TypeShape::List { items, list_type });
    }
    if let Some(inner) = type_text.strip_prefix("{}") {
        let values = Some(read_type(schemas, inner, ListType::Atomic));
        return schemas.add(TypeShape::Object { fields: BTreeMap::new(), values, is_atomic: false });
    }
    match scalar(type_text) {
        Some(shape) => schemas.add(shape),
        None => schemas.declare(type_text),
    }
}

fn scalar(type_text: &str) -> Option<TypeShape> {
    Some(TypeShape::Scalar(match type_text {
        "any" => return Some(TypeShape::Any),
        "string" => Scalar::String,
        "byte" => Scalar::Byte,
        "time" => Scalar::Time,
        "microtime" => Scalar::MicroTime,
        "quantity" => Scalar::Quantity,
        "int-or-string" => Scalar::IntOrString,
        "int32" => Scalar::Int32,
        "int64" => Scalar::Int64,
        "double" => Scalar::Double,
        "boolean" => Scalar::Boolean,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::TypeRef;
    use super::*;

    fn keys_of(kind: (&str, &str, &str), path: &[&str]) -> Option<ListType> {
        let mut at = schemas().kind(kind.0, kind.1, kind.2)?;
        for name in path {
            at = if *name == "[]" { at.items()? } else { at.field(name)? };
        }
        match at.shape() {
            TypeShape::List { list_type, .. } => Some(list_type.clone()),
            _ => None,
        }
    }

    #[test]
    fn lists_of_built_in_kinds_have_the_keys_of_kubernetes() {
        let map = |keys: &[&str]| Some(ListType::Map(keys.iter().map(|&key| key.into()).collect()));
        let pod = ("", "v1", "Pod");
        for (kind, path, expected) in [
            (pod, &["spec", "containers"][..], map(&["name"])),
            (pod, &["spec", "containers", "[]", "ports"], map(&["containerPort", "protocol"])),
            (pod, &["spec", "containers", "[]", "env"], map(&["name"])),
            (pod, &["spec", "containers", "[]", "volumeMounts"], map(&["mountPath"])),
            (pod, &["spec", "containers", "[]", "args"], Some(ListType::Atomic)),
            (pod, &["spec", "tolerations"], Some(ListType::Atomic)),
            (pod, &["spec", "topologySpreadConstraints"], map(&["topologyKey", "whenUnsatisfiable"])),
            (pod, &["status", "conditions"], map(&["type"])),
            (pod, &["metadata", "ownerReferences"], map(&["uid"])),
            (pod, &["metadata", "finalizers"], Some(ListType::Set)),
            (("apps", "v1", "Deployment"), &["spec", "template", "spec", "volumes"], map(&["name"])),
            (("", "v1", "Service"), &["spec", "ports"], map(&["port", "protocol"])),
            (("", "v1", "Node"), &["status", "addresses"], map(&["type"])),
        ] {
            assert_eq!(keys_of(kind, path), expected, "{kind:?} {path:?}");
        }
    }

    #[test]
    fn a_struct_is_always_present_unless_it_may_be_unset() {
        let pod = schemas().kind("", "v1", "Pod").expect("pods are described");
        let spec = pod.field("spec").expect("its spec is described");
        let container = spec.field("containers").and_then(TypeRef::items).expect("containers are described");
        for (holder, name, expected) in [
            (pod, "metadata", true),
            (pod, "spec", true),
            (pod, "kind", false),
            (spec, "securityContext", false),
            (spec, "nodeSelector", false),
            (container, "resources", true),
            (container, "livenessProbe", false),
            (container, "unknownField", false),
        ] {
            assert_eq!(holder.is_always_present(name), expected, "{name}");
        }
    }

    #[test]
    fn every_named_type_is_declared() {
        let without_fields: Vec<_> = schemas()
            .all_named()
            .filter(|found| matches!(found.shape(), TypeShape::Any))
            .filter_map(|found| found.described().name.clone())
            .collect();
        let mut structs = vec!["apiextensions.v1.CustomResourceSubresourceStatus".to_owned()];
        structs.extend(
            ["AllDisruptionMode", "BasicSchedulingPolicy", "SingleDisruptionMode"]
                .map(|name| format!("scheduling.v1alpha3.WorkloadPodGroup{name}")),
        );
        structs.extend(
            [
                "AllCompositeDisruptionMode",
                "AllDisruptionMode",
                "BasicSchedulingPolicy",
                "CompositeBasicSchedulingPolicy",
                "SingleCompositeDisruptionMode",
                "SingleDisruptionMode",
            ]
            .map(|name| format!("scheduling.v1beta1.{name}")),
        );
        assert_eq!(without_fields, structs);
    }
}
