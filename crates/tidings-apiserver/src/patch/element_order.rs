//! The order of a merged list: the one that `$setElementOrder` asks for, else that of the patch.
//!
//! Items the patch names come in its order. Items that only the server has keep their place relative to the items that
//! were around them. The result has the same items as before, only their order changes.

use std::collections::HashMap;

use serde_json::Value;

use super::PatchError;

/// `items` in the order that `order` asks for; `before` is the list that the server had.
pub(super) fn ordered(
    items: Vec<Value>,
    before: &[Value],
    key: Option<&str>,
    order: &Value,
) -> Result<Vec<Value>, PatchError> {
    let bad = || PatchError::Directive { directive: "$setElementOrder".to_owned() };
    let order = order.as_array().ok_or_else(bad)?;
    let identity = |item: &Value| match key {
        Some(key) => item.get(key).map(Value::to_string),
        None => Some(item.to_string()),
    };
    let mut wanted = HashMap::with_capacity(order.len());
    for (place, item) in order.iter().enumerate() {
        wanted.entry(identity(item).ok_or_else(bad)?).or_insert(place);
    }
    let stood: HashMap<_, _> =
        before.iter().enumerate().filter_map(|(place, item)| Some((identity(item)?, place))).collect();

    let mut named = Vec::new();
    let mut others = Vec::new();
    for item in items {
        let identity = identity(&item);
        let was_at = identity.as_ref().and_then(|id| stood.get(id)).copied();
        match identity.and_then(|id| wanted.get(&id)) {
            Some(&place) => named.push((place, was_at, item)),
            None => others.push((was_at, item)),
        }
    }
    named.sort_by_key(|(place, ..)| *place);

    let mut others = others.into_iter().peekable();
    let mut sorted = Vec::new();
    for (_, was_at, item) in named {
        while let Some((_, other)) = others.next_if(|(other_was_at, _)| {
            matches!((other_was_at, was_at), (Some(other), Some(named)) if *other < named)
        }) {
            sorted.push(other);
        }
        sorted.push(item);
    }
    sorted.extend(others.map(|(_, item)| item));
    Ok(sorted)
}
