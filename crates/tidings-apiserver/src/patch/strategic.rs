//! Strategic merge patch: a merge patch in which lists of built-in kinds are merged by key, with directives.
//!
//! The directives `$patch` (replace, delete, merge), `$retainKeys`, `$deleteFromPrimitiveList/x` and
//! `$setElementOrder/x` are supported. They never reach the stored object. A list without a merge strategy is replaced.
//!
//! Example: `{"containers": [{"name": "a", "image": "2"}]}` changes the image of the container `a` and keeps all other
//! containers.

use serde_json::{Map, Value};

use super::PatchError;
use super::element_order::ordered;
use crate::schema::{PatchStrategy, TypeRef};

const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER: &str = "$setElementOrder/";

/// Applies a patch to an object of this type. Without a type it is a merge patch with directives.
pub(crate) fn patched(
    object: &Value,
    patch: &Value,
    schema: Option<TypeRef<'_>>,
) -> Result<Value, PatchError> {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else {
        return Err(PatchError::NotAnObject);
    };
    merge_map(object.clone(), patch, schema).map(Value::Object)
}

enum Directive {
    Merge,
    Replace,
    Delete,
}

fn directive(patch: &Map<String, Value>) -> Result<Directive, PatchError> {
    match patch.get(PATCH) {
        None => Ok(Directive::Merge),
        Some(Value::String(text)) => match text.as_str() {
            "merge" => Ok(Directive::Merge),
            "replace" => Ok(Directive::Replace),
            "delete" => Ok(Directive::Delete),
            _ => Err(PatchError::Directive { directive: format!("{PATCH}: {text}") }),
        },
        Some(_) => Err(PatchError::Directive { directive: PATCH.to_owned() }),
    }
}

fn is_directive(key: &str) -> bool {
    key == PATCH || key == RETAIN_KEYS || key.starts_with(DELETE_FROM) || key.starts_with(ELEMENT_ORDER)
}

fn merge_map(
    mut object: Map<String, Value>,
    patch: &Map<String, Value>,
    schema: Option<TypeRef<'_>>,
) -> Result<Map<String, Value>, PatchError> {
    match directive(patch)? {
        Directive::Merge => {}
        Directive::Delete => return Ok(Map::new()),
        Directive::Replace => object.clear(),
    }
    if let Some(keys) = patch.get(RETAIN_KEYS) {
        retain_keys(&mut object, keys, patch)?;
    }
    for (key, items) in patch {
        if let Some(list) = key.strip_prefix(DELETE_FROM) {
            delete_from_primitives(&mut object, list, items)?;
        }
    }
    for (key, value) in patch.iter().filter(|(key, _)| !is_directive(key)) {
        if value.is_null() {
            object.remove(key);
            continue;
        }
        let strategy = schema.and_then(|schema| schema.declared(key)).map(|field| &field.patch);
        let field = FieldMerge {
            schema: schema.and_then(|schema| schema.field(key)),
            strategy,
            order: patch.get(&format!("{ELEMENT_ORDER}{key}")),
        };
        let merged = field.merge(object.remove(key), value)?;
        object.insert(key.clone(), merged);
    }
    order_untouched_lists(&mut object, patch, schema)?;
    Ok(object)
}

/// How one field is merged: its type, its strategy and the order of its items.
struct FieldMerge<'a> {
    schema: Option<TypeRef<'a>>,
    strategy: Option<&'a PatchStrategy>,
    order: Option<&'a Value>,
}

impl FieldMerge<'_> {
    fn merge(&self, old: Option<Value>, patch: &Value) -> Result<Value, PatchError> {
        match patch {
            Value::Object(patch) => {
                let old = match old {
                    Some(Value::Object(old)) if !self.strategy.is_some_and(|found| found.replaces) => old,
                    _ => Map::new(),
                };
                merge_map(old, patch, self.schema).map(Value::Object)
            }
            Value::Array(patch) => {
                let old = match old {
                    Some(Value::Array(old)) => old,
                    _ => Vec::new(),
                };
                self.merge_list(old, patch).map(Value::Array)
            }
            _ => Ok(patch.clone()),
        }
    }

    fn merge_list(&self, old: Vec<Value>, patch: &[Value]) -> Result<Vec<Value>, PatchError> {
        let items = self.schema.and_then(TypeRef::items);
        match self.strategy.and_then(|strategy| strategy.merge.as_ref()) {
            None => patch.iter().map(|item| without_directives(item, items)).collect(),
            Some(None) => {
                let before = old.clone();
                let order = Value::Array(patch.to_vec());
                ordered(merge_primitives(old, patch), &before, None, self.order.unwrap_or(&order))
            }
            Some(Some(key)) => {
                let before = old.clone();
                let order =
                    Value::Array(patch.iter().filter(|item| item.get(key).is_some()).cloned().collect());
                let merged = merge_by_key(old, patch, key, items)?;
                ordered(merged, &before, Some(key), self.order.unwrap_or(&order))
            }
        }
    }
}

fn without_directives(item: &Value, schema: Option<TypeRef<'_>>) -> Result<Value, PatchError> {
    FieldMerge { schema, strategy: None, order: None }.merge(None, item)
}

fn merge_primitives(mut items: Vec<Value>, patch: &[Value]) -> Vec<Value> {
    for item in patch {
        if !items.contains(item) {
            items.push(item.clone());
        }
    }
    items
}

fn merge_by_key(
    mut items: Vec<Value>,
    patch: &[Value],
    key: &str,
    schema: Option<TypeRef<'_>>,
) -> Result<Vec<Value>, PatchError> {
    let mut changes = Vec::with_capacity(patch.len());
    for item in patch {
        let Value::Object(item) = item else {
            return Err(PatchError::NoMergeKey { key: key.to_owned() });
        };
        match directive(item)? {
            Directive::Merge => changes.push(item),
            Directive::Replace => {
                items.clear();
                if item.len() > 1 {
                    changes.push(item);
                }
            }
            Directive::Delete => {
                let value = merge_key_value(item, key)?;
                items.retain(|old| old.get(key) != Some(value));
            }
        }
    }
    for change in changes {
        let value = merge_key_value(change, key)?;
        let slot = items.iter().position(|old| old.get(key) == Some(value));
        let old = match slot {
            Some(slot) => items[slot].take(),
            None => Value::Null,
        };
        let merged = FieldMerge { schema, strategy: None, order: None }
            .merge(Some(old), &Value::Object(without_patch_directive(change)))?;
        match slot {
            Some(slot) => items[slot] = merged,
            None => items.push(merged),
        }
    }
    Ok(items)
}

fn without_patch_directive(item: &Map<String, Value>) -> Map<String, Value> {
    item.iter().filter(|(key, _)| *key != PATCH).map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn merge_key_value<'a>(item: &'a Map<String, Value>, key: &str) -> Result<&'a Value, PatchError> {
    item.get(key).ok_or_else(|| PatchError::NoMergeKey { key: key.to_owned() })
}

fn retain_keys(
    object: &mut Map<String, Value>,
    keys: &Value,
    patch: &Map<String, Value>,
) -> Result<(), PatchError> {
    let bad = || PatchError::Directive { directive: RETAIN_KEYS.to_owned() };
    let keys = keys.as_array().ok_or_else(bad)?;
    let is_kept = |name: &str| keys.iter().any(|key| key.as_str() == Some(name));
    if patch.iter().any(|(key, value)| !is_directive(key) && !value.is_null() && !is_kept(key)) {
        return Err(bad());
    }
    object.retain(|key, _| is_kept(key));
    Ok(())
}

fn delete_from_primitives(
    object: &mut Map<String, Value>,
    list: &str,
    items: &Value,
) -> Result<(), PatchError> {
    let items = items
        .as_array()
        .ok_or_else(|| PatchError::Directive { directive: format!("{DELETE_FROM}{list}") })?;
    if let Some(Value::Array(old)) = object.get_mut(list) {
        old.retain(|item| !items.contains(item));
    }
    Ok(())
}

/// Sorts lists for which the patch has an order but no items.
fn order_untouched_lists(
    object: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    schema: Option<TypeRef<'_>>,
) -> Result<(), PatchError> {
    for (directive, order) in patch {
        let Some(list) = directive.strip_prefix(ELEMENT_ORDER) else { continue };
        if patch.contains_key(list) {
            continue;
        }
        if let Some(Value::Array(items)) = object.get_mut(list) {
            let strategy = schema.and_then(|schema| schema.declared(list)).map(|field| &field.patch);
            let key = strategy.and_then(|strategy| strategy.merge.clone()).flatten();
            let before = std::mem::take(items);
            *items = ordered(before.clone(), &before, key.as_deref(), order)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
