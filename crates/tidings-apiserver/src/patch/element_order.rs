//! The order of a merged list: that of `$setElementOrder`, else that of the patch.
//!
//! Items in that order come in it. Items that only the server has keep their position relative to their neighbours.
//! Example: the server has `[a, server, b]`, the patch adds `c`, and the order is `[b, c, a]`. The result is `[server,
//! b, c, a]`: `server` was before `b`.

use std::collections::HashMap;

use serde_json::Value;

use super::PatchError;

/// Sorts `items` by `order`. `before` is the list of the server.
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
    for (index, item) in order.iter().enumerate() {
        wanted.entry(identity(item).ok_or_else(bad)?).or_insert(index);
    }
    let index_before: HashMap<_, _> =
        before.iter().enumerate().filter_map(|(index, item)| Some((identity(item)?, index))).collect();

    let mut named = Vec::new();
    let mut others = Vec::new();
    for item in items {
        let identity = identity(&item);
        let was_at = identity.as_ref().and_then(|id| index_before.get(id)).copied();
        match identity.and_then(|id| wanted.get(&id)) {
            Some(&index) => named.push((index, was_at, item)),
            None => others.push((was_at, item)),
        }
    }
    named.sort_by_key(|(index, ..)| *index);

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
