//! Defaults of built-in kinds, for the kinds that people test with.
//!
//! Most are lines of a table (`table.txt`). Those that depend on other fields are in [`dependent`]. The conformance
//! tests compare both with a real server.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::resource::ResourceDef;
use crate::schema::{FieldPresence, KindSchema, Scalar, TypeRef, TypeShape};

mod dependent;

pub(crate) use dependent::qos_class;

/// The path of a field and its value.
struct FieldDefault {
    path: Vec<Step>,
    value: Value,
}

/// One step of a path.
enum Step {
    Field(&'static str),
    /// All items of the list.
    Items,
}

static TABLE: LazyLock<HashMap<&'static str, Vec<FieldDefault>>> =
    LazyLock::new(|| read_table(include_str!("defaults/table.txt")));

/// Sets the defaults of absent fields. Custom resources have theirs in their schema.
pub(crate) fn set(def: &ResourceDef, object: &mut Value) {
    if def.is_custom() {
        return;
    }
    dependent::set_before(def, object);
    if let Some(fields) = TABLE.get(format!("{}/{}/{}", def.group, def.version, def.kind).as_str()) {
        for FieldDefault { path, value } in fields {
            set_at(object, path, value);
        }
    }
    dependent::set_after(def, object);
}

/// Sets the status of a new object, as Go encodes an empty struct: `status: {}` with the fields that are always
/// encoded.
pub(crate) fn set_empty_status(def: &ResourceDef, object: &mut Value) {
    let schema = KindSchema::of(def);
    let KindSchema::Builtin(root) = schema else { return };
    if let (Some(fields), true) = (object.as_object_mut(), root.is_always_present("status"))
        && let Some(status) = root.field("status")
    {
        let present = fields.entry("status").or_insert_with(|| json!({}));
        fill_zero(present, status);
    }
}

/// Adds the fields that the JSON of a Go struct always has.
fn fill_zero(value: &mut Value, schema: TypeRef<'_>) {
    let (TypeShape::Object { fields, .. }, Some(map)) = (schema.shape(), value.as_object_mut()) else {
        return;
    };
    for (name, field) in fields {
        let below = schema.sibling(field.type_id);
        if !map.contains_key(name) {
            if schema.is_always_present(name) {
                map.insert(name.clone(), json!({}));
            } else if field.presence == FieldPresence::Always {
                map.insert(name.clone(), zero(below));
            }
        }
        if let Some(present) = map.get_mut(name) {
            fill_zero(present, below);
        }
    }
}

fn zero(schema: TypeRef<'_>) -> Value {
    match schema.shape() {
        TypeShape::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::Double) => json!(0),
        TypeShape::Scalar(Scalar::Boolean) => json!(false),
        TypeShape::Scalar(Scalar::String) => json!(""),
        _ => Value::Null,
    }
}

fn set_at(value: &mut Value, path: &[Step], default: &Value) {
    match path {
        [] => {}
        [Step::Field(name)] => {
            if let Some(fields) = value.as_object_mut()
                && fields.get(*name).is_none_or(Value::is_null)
            {
                fields.insert((*name).to_owned(), default.clone());
            }
        }
        [Step::Field(name), rest @ ..] => {
            if let Some(below) = value.get_mut(*name) {
                set_at(below, rest, default);
            }
        }
        [Step::Items, rest @ ..] => {
            for item in value.as_array_mut().into_iter().flatten() {
                set_at(item, rest, default);
            }
        }
    }
}

fn steps(path: &'static str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        match part.strip_suffix("[]") {
            Some(name) => steps.extend([Step::Field(name), Step::Items]),
            None => steps.push(Step::Field(part)),
        }
    }
    steps
}

fn read_table(text: &'static str) -> HashMap<&'static str, Vec<FieldDefault>> {
    let mut sections: HashMap<&'static str, Vec<(&'static str, &'static str)>> = HashMap::new();
    let mut section = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => section = name,
            None => {
                let (path, value) = line.split_once(' ').unwrap_or((line, ""));
                sections.entry(section).or_default().push((path, value));
            }
        }
    }
    let names: Vec<_> = sections.keys().copied().collect();
    names.into_iter().map(|name| (name, fields(&sections, name))).collect()
}

/// The fields of a section, with those of the sections that it includes.
fn fields(
    sections: &HashMap<&'static str, Vec<(&'static str, &'static str)>>,
    name: &str,
) -> Vec<FieldDefault> {
    let mut all = Vec::new();
    for (path, value) in sections.get(name).into_iter().flatten() {
        match path.strip_prefix('@') {
            Some(included) => {
                for field in fields(sections, included) {
                    let mut path = steps(value);
                    path.extend(field.path);
                    all.push(FieldDefault { path, value: field.value });
                }
            }
            None => {
                let value = serde_json::from_str(value).expect("the table has valid JSON");
                all.push(FieldDefault { path: steps(path), value });
            }
        }
    }
    all
}

/// The object at a path of fields, if it exists.
fn object_at<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Map<String, Value>> {
    path.iter().try_fold(value, |value, name| value.get_mut(*name))?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::builtin::builtin_resources;

    #[test]
    fn every_section_of_the_table_is_a_kind_or_included() {
        let kinds: Vec<_> = builtin_resources()
            .iter()
            .map(|def| format!("{}/{}/{}", def.group, def.version, def.kind))
            .collect();
        for name in TABLE.keys().filter(|name| name.contains('/')) {
            assert!(kinds.iter().any(|kind| kind == name), "{name}");
        }
    }

    #[test]
    fn given_fields_stay_and_absent_ones_are_set() {
        let all = builtin_resources();
        let def = all.iter().find(|def| def.kind == "Deployment").unwrap();
        let mut object = json!({"spec": {"replicas": 0, "strategy": {"type": "Recreate"}, "template": {"spec": {
            "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "x:1", "imagePullPolicy": "Never"}],
        }}}});
        set(def, &mut object);
        assert_eq!(object["spec"]["replicas"], 0);
        assert_eq!(object["spec"]["strategy"], json!({"type": "Recreate"}));
        assert_eq!(object["spec"]["progressDeadlineSeconds"], 600);
        let containers = &object["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers[0]["imagePullPolicy"], "Always");
        assert_eq!(containers[1]["imagePullPolicy"], "Never");
        assert_eq!(containers[1]["terminationMessagePath"], "/dev/termination-log");
        assert_eq!(object["spec"]["template"]["spec"]["restartPolicy"], "Always");
    }

    #[test]
    fn an_empty_status_has_the_fields_that_are_always_encoded() {
        let all = builtin_resources();
        for (kind, expected) in [
            ("Deployment", json!({})),
            ("ReplicaSet", json!({"replicas": 0})),
            ("Service", json!({"loadBalancer": {}})),
        ] {
            let def = all.iter().find(|def| def.kind == kind).unwrap();
            let mut object = json!({});
            set_empty_status(def, &mut object);
            assert_eq!(object["status"], expected, "{kind}");
        }
    }
}
