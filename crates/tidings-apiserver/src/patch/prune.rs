//! Merges an applied configuration into an object, and removes the fields that are no longer applied.

use serde_json::{Map, Value};

use super::compare::{ValueView, view};
use super::field_set::{FieldSet, PathElement};
use crate::schema::TypeRef;

/// Merges the configuration into the object. A null in the configuration removes the field.
pub(super) fn merged(old: Option<Value>, config: &Value, schema: Option<TypeRef<'_>>) -> Option<Value> {
    match view(config, schema) {
        ValueView::Leaf => (!config.is_null()).then(|| config.clone()),
        ValueView::Fields(fields) => {
            let mut object = match old {
                Some(Value::Object(old)) => old,
                _ => Map::new(),
            };
            for (name, value) in fields {
                let below = schema.and_then(|schema| schema.field(name));
                if let Some(value) = merged(object.remove(name), value, below) {
                    object.insert(name.clone(), value);
                }
            }
            Some(Value::Object(object))
        }
        ValueView::Items(items) => Some(Value::Array(merged_items(old, &items, schema))),
    }
}

/// The items of the configuration in their order. Items that only the object has keep their position relative to those.
fn merged_items(
    old: Option<Value>,
    items: &[(PathElement, &Value)],
    schema: Option<TypeRef<'_>>,
) -> Vec<Value> {
    let old = old.unwrap_or(Value::Null);
    let ValueView::Items(old) = view(&old, schema) else {
        return items.iter().map(|(_, item)| (*item).clone()).collect();
    };
    let is_applied = |element: &PathElement| items.iter().any(|(applied, _)| applied == element);
    let mut remaining = old.iter().peekable();
    let mut result = Vec::with_capacity(old.len() + items.len());
    for (element, item) in items {
        while let Some((_, other)) = remaining.next_if(|(other, _)| !is_applied(other)) {
            result.push((*other).clone());
        }
        remaining.next_if(|(next, _)| next == element);
        let before = old.iter().find(|(other, _)| other == element).map(|(_, value)| (*value).clone());
        result.extend(merged(before, item, schema.and_then(TypeRef::items)));
    }
    result.extend(remaining.filter(|(other, _)| !is_applied(other)).map(|(_, other)| (*other).clone()));
    result
}

/// Removes the fields that are in `last` and have no member in `keep`.
pub(super) fn prune(object: &mut Value, last: &FieldSet, keep: &FieldSet, schema: Option<TypeRef<'_>>) {
    let Value::Object(fields) = object else { return };
    // Metadata itself must stay: name and uid have no manager, so nothing in `keep` protects them.
    let metadata = PathElement::field("metadata");
    if let (Some(last), Some(value)) = (last.child(&metadata), fields.get_mut("metadata")) {
        let keep = keep.child(&metadata).cloned().unwrap_or_default();
        prune_below(value, last, &keep, schema.and_then(|schema| schema.field("metadata")));
    }
    for (element, last) in last.children().filter(|(element, _)| **element != metadata) {
        prune_field(fields, element, last, keep, schema);
    }
}

fn prune_below(value: &mut Value, last: &FieldSet, keep: &FieldSet, schema: Option<TypeRef<'_>>) {
    if let Value::Object(fields) = value {
        for (element, last) in last.children() {
            prune_field(fields, element, last, keep, schema);
        }
    } else if let ValueView::Items(items) = view(value, schema) {
        let mut kept = Vec::with_capacity(items.len());
        for (element, item) in items {
            match (last.child(&element), keep.child(&element).filter(|keep| !keep.is_empty())) {
                (None, _) => kept.push(item.clone()),
                (Some(_), None) => {}
                (Some(last), Some(keep)) => {
                    let mut item = item.clone();
                    prune_below(&mut item, last, keep, schema.and_then(TypeRef::items));
                    kept.push(item);
                }
            }
        }
        *value = Value::Array(kept);
    }
}

fn prune_field(
    fields: &mut Map<String, Value>,
    element: &PathElement,
    last: &FieldSet,
    keep: &FieldSet,
    schema: Option<TypeRef<'_>>,
) {
    let Some(name) = element.field_name() else { return };
    let Some(value) = fields.get_mut(name) else { return };
    let Some(keep) = keep.child(element).filter(|keep| !keep.is_empty()) else {
        fields.remove(name);
        return;
    };
    let was_empty = is_empty(value);
    prune_below(value, last, keep, schema.and_then(|schema| schema.field(name)));
    if is_empty(value) && !was_empty && !keep.is_member() {
        fields.remove(name);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
