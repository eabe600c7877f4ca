//! The fields of an object, and the fields in which two objects differ, according to their type.
//!
//! A value is a leaf (a scalar, or an atomic object or list), a map of fields, or a list of items with keys. A list
//! whose items have no distinct keys counts as a leaf, even if its type has keys. This is the model of Kubernetes'
//! structured-merge-diff.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::field_set::{FieldSet, PathElement};
use crate::schema::{ListType, TypeRef, TypeShape};

/// How a value is divided into fields with owners.
pub(super) enum ValueView<'a> {
    Leaf,
    Fields(&'a Map<String, Value>),
    Items(Vec<(PathElement, &'a Value)>),
}

/// The differences between two objects.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) added: FieldSet,
    pub(super) modified: FieldSet,
    pub(super) removed: FieldSet,
}

/// The view of a value according to its type.
pub(super) fn view<'a>(value: &'a Value, schema: Option<TypeRef<'_>>) -> ValueView<'a> {
    match value {
        Value::Object(map) if !schema.is_some_and(TypeRef::is_atomic) => ValueView::Fields(map),
        Value::Array(items) => match schema.map(TypeRef::shape) {
            Some(TypeShape::List { list_type, .. }) => {
                items_by_element(items, list_type, schema.and_then(TypeRef::items))
                    .map_or(ValueView::Leaf, ValueView::Items)
            }
            _ => ValueView::Leaf,
        },
        _ => ValueView::Leaf,
    }
}

fn items_by_element<'a>(
    items: &'a [Value],
    list_type: &ListType,
    schema: Option<TypeRef<'_>>,
) -> Option<Vec<(PathElement, &'a Value)>> {
    let elements: Vec<_> = match list_type {
        ListType::Atomic => return None,
        ListType::Set => items.iter().map(|item| (PathElement::value(item), item)).collect(),
        ListType::Map(keys) => {
            items.iter().map(|item| Some((item_element(item, keys, schema)?, item))).collect::<Option<_>>()?
        }
    };
    let distinct: BTreeSet<_> = elements.iter().map(|(element, _)| element).collect();
    (distinct.len() == elements.len()).then_some(elements)
}

fn item_element(item: &Value, keys: &[String], schema: Option<TypeRef<'_>>) -> Option<PathElement> {
    let item = item.as_object()?;
    PathElement::keys(keys.iter().filter_map(|key| {
        let default = || schema.and_then(|schema| schema.declared(key)?.default.clone()).map(Value::String);
        Some((key.as_str(), item.get(key).cloned().or_else(default)?))
    }))
}

/// The fields of a value that its applier owns.
pub(super) fn fields_of(value: &Value, schema: Option<TypeRef<'_>>) -> FieldSet {
    let mut set = FieldSet::default();
    collect_fields(value, schema, &mut set);
    set.without_empty_nodes()
}

fn collect_fields(value: &Value, schema: Option<TypeRef<'_>>, set: &mut FieldSet) {
    match view(value, schema) {
        ValueView::Leaf => set.insert(),
        ValueView::Fields(map) => {
            for (name, value) in map {
                let below = set.child_mut(PathElement::field(name));
                collect_fields(value, schema.and_then(|schema| schema.field(name)), below);
                let is_declared = schema.is_some_and(|schema| schema.declared(name).is_some());
                let is_empty = value.as_object().is_some_and(Map::is_empty);
                if is_empty || !is_declared {
                    below.insert();
                }
            }
        }
        ValueView::Items(items) => {
            for (element, item) in items {
                let below = set.child_mut(element);
                collect_fields(item, schema.and_then(TypeRef::items), below);
                below.insert();
            }
        }
    }
}

/// The differences from `old` to `new`, without the fields that the server sets.
pub(super) fn compared(old: &Value, new: &Value, schema: Option<TypeRef<'_>>) -> Comparison {
    let mut found = Comparison::default();
    let Comparison { added, modified, removed } = &mut found;
    compare(Some(old), Some(new), schema, ComparisonSets { added, modified, removed });
    Comparison {
        added: found.added.without_server_fields(),
        modified: found.modified.without_server_fields(),
        removed: found.removed.without_server_fields(),
    }
}

struct ComparisonSets<'a> {
    added: &'a mut FieldSet,
    modified: &'a mut FieldSet,
    removed: &'a mut FieldSet,
}

impl ComparisonSets<'_> {
    fn below(&mut self, element: &PathElement) -> ComparisonSets<'_> {
        ComparisonSets {
            added: self.added.child_mut(element.clone()),
            modified: self.modified.child_mut(element.clone()),
            removed: self.removed.child_mut(element.clone()),
        }
    }
}

/// The value of an absent object that JSON always shows, such as `metadata`.
static EMPTY: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));

type Below<'a> = BTreeMap<PathElement, &'a Value>;

fn below<'a>(value: &'a Value, schema: Option<TypeRef<'_>>) -> Option<Below<'a>> {
    Some(match view(value, schema) {
        ValueView::Leaf => return None,
        ValueView::Fields(map) => map.iter().map(|(name, value)| (PathElement::field(name), value)).collect(),
        ValueView::Items(items) => items.into_iter().collect(),
    })
}

fn compare(
    old: Option<&Value>,
    new: Option<&Value>,
    schema: Option<TypeRef<'_>>,
    mut sets: ComparisonSets<'_>,
) {
    if old == new {
        return;
    }
    let old_below = old.map_or_else(|| Some(Below::new()), |old| below(old, schema));
    let new_below = new.map_or_else(|| Some(Below::new()), |new| below(new, schema));
    let is_leaf = match (&old_below, &new_below) {
        (Some(old), Some(new)) => old.is_empty() && new.is_empty(),
        _ => true,
    };
    match (old, new) {
        (None, _) => sets.added.insert(),
        (_, None) => sets.removed.insert(),
        _ if is_leaf => sets.modified.insert(),
        _ => {}
    }
    let (Some(old_below), Some(new_below)) = (old_below, new_below) else { return };
    let elements: BTreeSet<_> = old_below.keys().chain(new_below.keys()).collect();
    for element in elements {
        let (mut old, mut new) = (old_below.get(element).copied(), new_below.get(element).copied());
        let below = match (schema, element.field_name()) {
            (None, _) => None,
            (Some(schema), None) => schema.items(),
            (Some(schema), Some(name)) => {
                if schema.is_always_present(name) {
                    (old, new) = (old.or(Some(&*EMPTY)), new.or(Some(&*EMPTY)));
                }
                schema.field(name)
            }
        };
        compare(old, new, below, sets.below(element));
    }
}
