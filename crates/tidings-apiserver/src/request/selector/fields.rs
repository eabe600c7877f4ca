//! Field selectors: `metadata.name=x,status.phase!=Running`.

use super::field_value;
use crate::resource::{ResourceDef, SelectableField};
use crate::store::StoredObject;

/// One condition on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldRequirement {
    field: SelectedField,
    comparison: FieldOperator,
    value: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SelectedField {
    Name,
    Namespace,
    Body(SelectableField),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldOperator {
    Equals,
    NotEquals,
}

impl FieldRequirement {
    pub(super) fn matches(&self, object: &StoredObject) -> bool {
        let is_equal = match &self.field {
            SelectedField::Name => object.name() == self.value,
            SelectedField::Namespace => object.namespace() == self.value,
            SelectedField::Body(field) => match field_value::read(object.body(), &field.path) {
                Some(value) => value == self.value,
                None => field.absent == self.value,
            },
        };
        is_equal == (self.comparison == FieldOperator::Equals)
    }

    pub(super) fn exact_name(&self) -> Option<&str> {
        (self.field == SelectedField::Name && self.comparison == FieldOperator::Equals)
            .then_some(self.value.as_str())
    }
}

/// Reads a selector for one resource, or tells why it is none.
pub(super) fn parse(def: &ResourceDef, text: &str) -> Result<Vec<FieldRequirement>, String> {
    split(text)?.into_iter().filter(|term| !term.is_empty()).map(|term| requirement(def, &term)).collect()
}

/// Splits at commas that are not escaped.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut terms = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let term = terms.last_mut().expect("there is always a last term");
        match c {
            ',' => terms.push(String::new()),
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => {
                    term.push('\\');
                    term.push(escaped);
                }
                _ => return Err("invalid field selector: invalid escape".to_owned()),
            },
            c => term.push(c),
        }
    }
    Ok(terms)
}

fn requirement(def: &ResourceDef, term: &str) -> Result<FieldRequirement, String> {
    let at =
        term.find('=').ok_or_else(|| format!("invalid selector: '{term}'; can't understand '{term}'"))?;
    let (name, comparison) = match term[..at].strip_suffix('!') {
        Some(name) => (name, FieldOperator::NotEquals),
        None => (&term[..at], FieldOperator::Equals),
    };
    let value = &term[at + 1..];
    let value =
        if comparison == FieldOperator::Equals { value.strip_prefix('=').unwrap_or(value) } else { value };
    let field = match name {
        "metadata.name" => SelectedField::Name,
        "metadata.namespace" if def.is_namespaced() => SelectedField::Namespace,
        _ => {
            let known = def.selectable_fields.iter().find(|field| field.name == name);
            SelectedField::Body(known.ok_or_else(|| format!("field label not supported: {name}"))?.clone())
        }
    };
    Ok(FieldRequirement { field, comparison, value: unescaped(value)? })
}

fn unescaped(value: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.extend(chars.next()),
            '=' => return Err(format!("invalid field selector: unescaped '=' in '{value}'")),
            c => plain.push(c),
        }
    }
    Ok(plain)
}
