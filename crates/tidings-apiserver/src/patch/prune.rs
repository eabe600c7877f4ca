//! Merging an applied configuration into an object, and taking out what is no longer applied.

use serde_json::{Map, Value};

use super::compare::{ValueView, view};
use super::field_set::{FieldSet, PathElement};
use crate::schema::TypeRef;

/// The object with the configuration laid over it; a null in the configuration leaves nothing.
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

/// The configuration's items in its order; items that only the object has stay where they stood among them.
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
    let mut waiting = old.iter().peekable();
    let mut result = Vec::with_capacity(old.len() + items.len());
    for (element, item) in items {
        while let Some((_, other)) = waiting.next_if(|(other, _)| !is_applied(other)) {
            result.push((*other).clone());
        }
        waiting.next_if(|(next, _)| next == element);
        let before = old.iter().find(|(other, _)| other == element).map(|(_, value)| (*value).clone());
        result.extend(merged(before, item, schema.and_then(TypeRef::items)));
    }
    result.extend(waiting.filter(|(other, _)| !is_applied(other)).map(|(_, other)| (*other).clone()));
    result
}

/// Takes out what is in `last` and of which nothing is in `keep`.
pub(super) fn prune(object: &mut Value, last: &FieldSet, keep: &FieldSet, schema: Option<TypeRef<'_>>) {
    let Value::Object(fields) = object else { return };
    // Identity lives in metadata and is nobody's, so nothing in `keep` would protect it.
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
