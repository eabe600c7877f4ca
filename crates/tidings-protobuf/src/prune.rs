//! Drops fields from a message. The bytes of all other fields are copied; only the lengths of the messages around a
//! dropped field are written anew.

use serde_json::Value as Json;

use crate::message::{Field, FieldEntry, Kind, Message, Shape};
use crate::node::{bytes_of, only_field};
use crate::path_tree::PathTree;
use crate::text::text;
use crate::wire::{FieldReader, Value};
use crate::write::{write_bytes, write_varint};
use crate::{DEPTH_MAX, Error, PathStep, repaired_utf8};

/// The message without the fields at these paths. A path may end at any value: [`PathStep::Each`] at its end drops
/// every item of a list, [`PathStep::Index`] one item of the list as it was.
///
/// To read the result gives the JSON without these members, with two differences, because protobuf can't express them:
/// a list whose items were all dropped is absent, and a list, map or pointer that Go's JSON always has is null.
pub fn without(
    message: &'static Message,
    bytes: &[u8],
    paths: &[Vec<PathStep<'_>>],
) -> Result<Vec<u8>, Error> {
    without_tree(message, bytes, &PathTree::new(paths.iter().map(Vec::as_slice)))
}

/// As [`without`], for paths that are already a tree.
#[doc(hidden)]
pub fn without_tree(message: &'static Message, bytes: &[u8], tree: &PathTree) -> Result<Vec<u8>, Error> {
    let mut kept = Vec::with_capacity(bytes.len());
    prune_message(tree, message, bytes, &mut kept, 0)?;
    Ok(kept)
}

/// What happens to one field.
enum FieldAction {
    Drop,
    Copy,
    /// The callback has written it.
    Rewritten,
}

/// The position of the next item in each list of one message, by field number.
#[derive(Default)]
struct Positions(Vec<(u32, usize)>);

impl Positions {
    fn of(&mut self, number: u32) -> &mut usize {
        let at = self.0.iter().position(|(own, _)| *own == number).unwrap_or_else(|| {
            self.0.push((number, 0));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// Recurses as deep as the paths go, and no deeper than [`DEPTH_MAX`].
fn prune_message(
    tree: &PathTree,
    message: &'static Message,
    bytes: &[u8],
    kept: &mut Vec<u8>,
    depth: usize,
) -> Result<(), Error> {
    if depth == DEPTH_MAX {
        return Err(Error::TooDeep);
    }
    let mut positions = Positions::default();
    for_each_field(bytes, kept, |number, value, kept| match message.entry(number) {
        FieldEntry::Unknown => Ok(FieldAction::Copy),
        FieldEntry::Inlined(_, inlined) => {
            let mut inside = Vec::new();
            prune_message(tree, inlined, bytes_of(value)?, &mut inside, depth)?;
            write_bytes(number, &inside, kept);
            Ok(FieldAction::Rewritten)
        }
        FieldEntry::Field(at) => {
            let field = &message.fields[usize::from(at)];
            match tree.member(|name| name == field.name) {
                Some(below) if below.is_end() => Ok(FieldAction::Drop),
                Some(below) => prune_field(below, field, value, &mut positions, kept, depth),
                None => Ok(FieldAction::Copy),
            }
        }
    })
}

fn prune_field(
    tree: &PathTree,
    field: &Field,
    value: Value<'_>,
    positions: &mut Positions,
    kept: &mut Vec<u8>,
    depth: usize,
) -> Result<FieldAction, Error> {
    match field.shape {
        Shape::One | Shape::Optional => prune_value(tree, field.kind, field.number, value, kept, depth),
        Shape::Many => {
            let position = positions.of(field.number);
            prune_items(tree, field.kind, field.number, value, position, kept, depth)
        }
        Shape::Map => prune_entry(tree, field, value, kept, depth),
    }
}

/// Prunes one entry of a map.
fn prune_entry(
    tree: &PathTree,
    field: &Field,
    value: Value<'_>,
    kept: &mut Vec<u8>,
    depth: usize,
) -> Result<FieldAction, Error> {
    let entry = bytes_of(value)?;
    let key = text(only_field(entry)?);
    let Some(below) = tree.member(|name| name == key.0) else { return Ok(FieldAction::Copy) };
    if below.is_end() {
        return Ok(FieldAction::Drop);
    }
    let mut inside = Vec::new();
    for_each_field(entry, &mut inside, |number, value, kept| match number {
        2 => prune_value(below, field.kind, number, value, kept, depth),
        _ => Ok(FieldAction::Copy),
    })?;
    write_bytes(field.number, &inside, kept);
    Ok(FieldAction::Rewritten)
}

/// Prunes the item of a list that a field holds, or its packed numbers. `position` is the index of the first of them,
/// and moves behind the last. Without an index in a path it does not matter.
fn prune_items(
    tree: &PathTree,
    kind: Kind,
    number: u32,
    value: Value<'_>,
    position: &mut usize,
    kept: &mut Vec<u8>,
    depth: usize,
) -> Result<FieldAction, Error> {
    if let Value::Bytes(packed) = value
        && kind.is_packable()
        && tree.has_indexes()
    {
        return prune_packed(tree, number, packed, position, kept);
    }
    let below = tree.item(*position);
    *position += 1;
    match below {
        Some(below) if below.is_end() => Ok(FieldAction::Drop),
        Some(below) => prune_value(below, kind, number, value, kept, depth),
        None => Ok(FieldAction::Copy),
    }
}

fn prune_packed(
    tree: &PathTree,
    number: u32,
    packed: &[u8],
    position: &mut usize,
    kept: &mut Vec<u8>,
) -> Result<FieldAction, Error> {
    let mut inside = Vec::new();
    let mut reader = FieldReader::new(packed);
    while !reader.rest().is_empty() {
        let item = reader.varint()?;
        if !tree.item(*position).is_some_and(PathTree::is_end) {
            write_varint(item, &mut inside);
        }
        *position += 1;
    }
    if inside.is_empty() {
        return Ok(FieldAction::Drop);
    }
    write_bytes(number, &inside, kept);
    Ok(FieldAction::Rewritten)
}

/// Prunes inside one value.
fn prune_value(
    tree: &PathTree,
    kind: Kind,
    number: u32,
    value: Value<'_>,
    kept: &mut Vec<u8>,
    depth: usize,
) -> Result<FieldAction, Error> {
    let mut inside = Vec::new();
    match kind {
        Kind::Message(message) => prune_message(tree, message, bytes_of(value)?, &mut inside, depth + 1)?,
        Kind::List(kind) => {
            let mut position = 0;
            for_each_field(bytes_of(value)?, &mut inside, |number, value, kept| match number {
                1 => prune_items(tree, *kind, number, value, &mut position, kept, depth),
                _ => Ok(FieldAction::Copy),
            })?;
        }
        Kind::SchemaOrBool(schema) => prune_choice(tree, 2, schema, None, value, &mut inside, depth)?,
        Kind::SchemaOrArray(schema) => {
            prune_choice(tree, 1, schema, Some(Kind::Message(schema)), value, &mut inside, depth)?;
        }
        Kind::SchemaOrStrings(schema) => {
            prune_choice(tree, 1, schema, Some(Kind::String), value, &mut inside, depth)?;
        }
        Kind::Raw => return prune_raw(tree, number, only_field(bytes_of(value)?)?, kept),
        _ => return Ok(FieldAction::Copy),
    }
    write_bytes(number, &inside, kept);
    Ok(FieldAction::Rewritten)
}

/// Prunes inside one of apiextensions' choices: the schema, or the items that are there instead.
fn prune_choice(
    tree: &PathTree,
    schema_number: u32,
    schema: &'static Message,
    items: Option<Kind>,
    value: Value<'_>,
    kept: &mut Vec<u8>,
    depth: usize,
) -> Result<(), Error> {
    let mut position = 0;
    for_each_field(bytes_of(value)?, kept, |number, value, kept| match (number, value, items) {
        (number, Value::Bytes(_), _) if number == schema_number => {
            prune_value(tree, Kind::Message(schema), number, value, kept, depth)
        }
        (2, Value::Bytes(_), Some(kind)) => {
            prune_items(tree, kind, number, value, &mut position, kept, depth)
        }
        _ => Ok(FieldAction::Copy),
    })
}

fn prune_raw(tree: &PathTree, number: u32, json: &[u8], kept: &mut Vec<u8>) -> Result<FieldAction, Error> {
    if json.is_empty() {
        return Ok(FieldAction::Copy);
    }
    let mut value: Json = serde_json::from_str(&repaired_utf8(json)).map_err(|error| Error::raw(&error))?;
    prune_json(tree, &mut value);
    let mut inside = Vec::new();
    write_bytes(1, value.to_string().as_bytes(), &mut inside);
    write_bytes(number, &inside, kept);
    Ok(FieldAction::Rewritten)
}

/// serde_json bounds the depth of a value, and with it this recursion.
fn prune_json(tree: &PathTree, value: &mut Json) {
    let keeps = |below: Option<&PathTree>, value: &mut Json| match below {
        Some(below) if below.is_end() => false,
        Some(below) => {
            prune_json(below, value);
            true
        }
        None => true,
    };
    match value {
        Json::Object(members) => {
            members.retain(|name, value| keeps(tree.member(|own| own == name), value));
        }
        Json::Array(items) => {
            let mut indexes = 0..;
            items.retain_mut(|item| keeps(indexes.next().and_then(|index| tree.item(index)), item));
        }
        _ => {}
    }
}

/// Asks `action` about each field, and copies those that stay as they are.
fn for_each_field(
    bytes: &[u8],
    kept: &mut Vec<u8>,
    mut action: impl FnMut(u32, Value<'_>, &mut Vec<u8>) -> Result<FieldAction, Error>,
) -> Result<(), Error> {
    let mut reader = FieldReader::new(bytes);
    loop {
        let from = reader.rest();
        let Some((number, value)) = reader.next()? else { return Ok(()) };
        if let FieldAction::Copy = action(number, value, kept)? {
            kept.extend_from_slice(&from[..from.len() - reader.rest().len()]);
        }
    }
}
