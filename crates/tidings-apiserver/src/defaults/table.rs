//! The generated table of defaults: reads it and applies it to objects.
//!
//! `table.txt` explains its format. A section belongs to a kind, or to a struct that kinds contain. It is applied to an
//! object from the outside to the inside, so that a struct which a line creates is filled by the lines of its own section.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

/// The lines of a kind or of a struct, and the sections of the structs below it.
#[derive(Default)]
struct Section {
    lines: Vec<Line>,
    below: Vec<(Vec<Step>, usize)>,
}

/// One default.
struct Line {
    /// Where the condition is evaluated, and from where `path` leads to the field.
    at: Vec<Step>,
    path: Vec<Step>,
    value: Value,
    zero: ZeroValue,
    condition: Option<Condition>,
}

/// Whether a field with a zero value gets its default.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ZeroValue {
    Stays,
    CountsAsAbsent,
}

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Field(&'static str),
    /// All items of the list.
    Items,
}

/// Another field, and its values with which the default applies.
struct Condition {
    field: &'static str,
    values: Vec<Expected>,
}

enum Expected {
    /// Absent, null, or the zero value of its type.
    Zero,
    Is(Value),
}

struct Table {
    sections: Vec<Section>,
    /// The indices of sections.
    by_name: HashMap<&'static str, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("table.txt")));

/// Sets the defaults of an object of the kind `group/version/Kind`.
pub(super) fn apply(kind: &str, object: &mut Value) {
    if let Some(section) = TABLE.by_name.get(kind) {
        TABLE.apply(*section, object);
    }
}

impl Table {
    fn apply(&self, section: usize, object: &mut Value) {
        let section = &self.sections[section];
        for line in &section.lines {
            for_each(object, &line.at, &mut |object| line.apply(object));
        }
        for (path, below) in &section.below {
            for_each(object, path, &mut |object| self.apply(*below, object));
        }
    }

    fn read(text: &'static str) -> Table {
        let mut table = Table { sections: Vec::new(), by_name: HashMap::new() };
        let mut section = 0;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = table.section(name);
            } else if let Some(included) = line.strip_prefix('@') {
                let (name, path) = included.split_once(' ').expect("an included section has a path");
                let below = table.section(name);
                table.sections[section].below.push((steps(path), below));
            } else {
                table.sections[section].lines.push(Line::read(line));
            }
        }
        table
    }

    fn section(&mut self, name: &'static str) -> usize {
        *self.by_name.entry(name).or_insert_with(|| {
            self.sections.push(Section::default());
            self.sections.len() - 1
        })
    }
}

impl Line {
    fn read(text: &'static str) -> Line {
        let (path, rest) = text.split_once(' ').expect("a line has a path and a value");
        let (path, zero) = match path.strip_suffix('~') {
            Some(path) => (path, ZeroValue::CountsAsAbsent),
            None => (path, ZeroValue::Stays),
        };
        let mut path = steps(path);
        let (value, condition) = match rest.rsplit_once(" if ") {
            Some((value, condition)) => (value, Some(condition)),
            None => (rest, None),
        };
        let (condition, depth) = match condition.map(Condition::read) {
            Some((above, condition)) => {
                assert!(path.starts_with(&above), "a condition is above the field: {text}");
                (Some(condition), above.len())
            }
            None => (None, path.len() - 1),
        };
        let rest = path.split_off(depth);
        Line { at: path, path: rest, value: parsed(value), zero, condition }
    }

    fn apply(&self, object: &mut Value) {
        if self.condition.as_ref().is_some_and(|condition| !condition.holds(object)) {
            return;
        }
        let Some((Step::Field(name), above)) = self.path.split_last() else { return };
        for_each(object, above, &mut |object| {
            let Some(fields) = object.as_object_mut() else { return };
            let is_absent = fields.get(*name).is_none_or(|value| match self.zero {
                ZeroValue::Stays => value.is_null(),
                ZeroValue::CountsAsAbsent => is_zero(value),
            });
            if is_absent {
                fields.insert((*name).to_owned(), self.value.clone());
            }
        });
    }
}

impl Condition {
    /// Returns the path of the struct that has the other field, and the condition.
    fn read(text: &'static str) -> (Vec<Step>, Condition) {
        let (field, values) = text.split_once('=').expect("a condition has values");
        let (above, field) = match field.rsplit_once('.') {
            Some((above, field)) => (steps(above), field),
            None => (Vec::new(), field),
        };
        let values = values.split('|').map(|value| match value {
            "zero" => Expected::Zero,
            value => Expected::Is(parsed(value)),
        });
        (above, Condition { field, values: values.collect() })
    }

    fn holds(&self, object: &Value) -> bool {
        let value = &object[self.field];
        self.values.iter().any(|expected| match expected {
            Expected::Zero => is_zero(value),
            Expected::Is(expected) => expected == value,
        })
    }
}

/// Calls a function with each value at a path. Nothing is created on the way.
fn for_each(value: &mut Value, path: &[Step], call: &mut impl FnMut(&mut Value)) {
    match path {
        [] => call(value),
        [Step::Field(name), rest @ ..] => {
            if let Some(below) = value.get_mut(*name) {
                for_each(below, rest, call);
            }
        }
        [Step::Items, rest @ ..] => {
            for item in value.as_array_mut().into_iter().flatten() {
                for_each(item, rest, call);
            }
        }
    }
}

/// Whether Go can't distinguish a value of a field without a pointer from an absent one.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
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

fn parsed(value: &str) -> Value {
    serde_json::from_str(value).expect("the table has valid JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::builtin::builtin_resources;

    #[test]
    fn every_section_of_the_table_is_a_kind_or_included() {
        let kinds: Vec<_> = builtin_resources()
            .iter()
            .map(|def| format!("{}/{}/{}", def.group, def.version, def.kind))
            .collect();
        let included: Vec<usize> =
            TABLE.sections.iter().flat_map(|section| section.below.iter().map(|(_, below)| *below)).collect();
        for (name, section) in &TABLE.by_name {
            assert!(kinds.iter().any(|kind| kind == name) || included.contains(section), "{name}");
        }
    }

    #[test]
    fn a_line_sets_absent_fields_of_structs_that_exist() {
        let table = Table::read(
            "[k]\nspec.a {}\nspec.b~ 2\nspec.list[].c \"d\"\nspec.e 1 if spec.f=zero\nspec.e 2 if spec.f=\"g\"|\"h\"\n@s spec.a\n[s]\ni true",
        );
        let mut object = json!({"spec": {"b": 0, "list": [{"c": ""}, {}], "f": "h"}});
        table.apply(table.by_name["k"], &mut object);
        assert_eq!(
            object,
            json!({"spec": {"a": {"i": true}, "b": 2, "list": [{"c": ""}, {"c": "d"}], "f": "h", "e": 2}})
        );
        let mut object = json!({"spec": {"a": {"i": false}}});
        table.apply(table.by_name["k"], &mut object);
        assert_eq!(object, json!({"spec": {"a": {"i": false}, "b": 2, "e": 1}}));
        let mut object = json!({});
        table.apply(table.by_name["k"], &mut object);
        assert_eq!(object, json!({}));
    }
}
