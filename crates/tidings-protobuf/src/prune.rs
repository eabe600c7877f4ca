//! Dropping fields from a message: what stays is copied as it stands, and only the lengths around what goes change.

use serde_json::Value as Json;

use crate::message::{Field, Kind, Message, Place, Shape};
use crate::node::{bytes_of, only_field};
use crate::text::text;
use crate::wire::{Reader, Value};
use crate::write::write_bytes;
use crate::{DEPTH_MAX, Error, PathStep, repaired_utf8};

/// The message without the fields at these paths; each may end at any value, and [`PathStep::Each`] stands for every item
/// of a list.
///
/// Reading what is left gives the JSON without these members. Two things protobuf can't say: a list whose items all
/// went is no list, and a list, map or pointer that Go's JSON always has is null.
pub fn without(
    message: &'static Message,
    bytes: &[u8],
    paths: &[Vec<PathStep<'_>>],
) -> Result<Vec<u8>, Error> {
    let mut tree = PruneTree::default();
    for path in paths {
        path.iter().fold(&mut tree, PruneTree::below).is_end = true;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    tree.message(message, bytes, &mut kept, 0)?;
    Ok(kept)
}

/// The fields to drop, as one tree, so that an object is walked once for all of them.
#[derive(Default)]
struct PruneTree<'a> {
    /// What stands here is dropped wholly.
    is_end: bool,
    members: Vec<(&'a str, PruneTree<'a>)>,
    each: Option<Box<PruneTree<'a>>>,
}

impl<'a> PruneTree<'a> {
    fn below(&mut self, step: &'a PathStep<'_>) -> &mut PruneTree<'a> {
        match step {
            PathStep::Each => self.each.get_or_insert_default(),
            PathStep::Member(name) => {
                let place = self.members.iter().position(|(own, _)| own == name).unwrap_or_else(|| {
                    self.members.push((name, PruneTree::default()));
                    self.members.len() - 1
                });
                &mut self.members[place].1
            }
        }
    }

    fn member(&self, name: &str) -> Option<&PruneTree<'a>> {
        self.members.iter().find(|(own, _)| *own == name).map(|(_, below)| below)
    }

    /// It recurses as deep as the paths go, and no deeper than messages may nest.
    fn message(
        &self,
        message: &'static Message,
        bytes: &[u8],
        kept: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), Error> {
        if depth == DEPTH_MAX {
            return Err(Error::TooDeep);
        }
        each_field(bytes, kept, |number, value, kept| match message.place(number) {
            Place::Nothing => Ok(FieldAction::Copy),
            Place::Inlined(_, inlined) => {
                let mut inside = Vec::new();
                self.message(inlined, bytes_of(value)?, &mut inside, depth)?;
                write_bytes(number, &inside, kept);
                Ok(FieldAction::Rewritten)
            }
            Place::Field(at) => {
                let field = &message.fields[usize::from(at)];
                match self.member(field.name) {
                    Some(below) => below.field(field, value, kept, depth),
                    None => Ok(FieldAction::Copy),
                }
            }
        })
    }

    /// Prunes one value of a field whose member this is.
    fn field(
        &self,
        field: &Field,
        value: Value<'_>,
        kept: &mut Vec<u8>,
        depth: usize,
    ) -> Result<FieldAction, Error> {
        if self.is_end {
            return Ok(FieldAction::Drop);
        }
        match field.shape {
            Shape::One | Shape::Optional => self.value(field.kind, field.number, value, kept, depth),
            Shape::Many => self.item(field.kind, field.number, value, kept, depth),
            Shape::Map => {
                let entry = bytes_of(value)?;
                let key = text(only_field(entry)?);
                let Some(below) = self.member(&key.0) else { return Ok(FieldAction::Copy) };
                if below.is_end {
                    return Ok(FieldAction::Drop);
                }
                let mut inside = Vec::new();
                each_field(entry, &mut inside, |number, value, kept| match number {
                    2 => below.value(field.kind, number, value, kept, depth),
                    _ => Ok(FieldAction::Copy),
                })?;
                write_bytes(field.number, &inside, kept);
                Ok(FieldAction::Rewritten)
            }
        }
    }

    /// Prunes one item of a list whose member this is.
    fn item(
        &self,
        kind: Kind,
        number: u32,
        value: Value<'_>,
        kept: &mut Vec<u8>,
        depth: usize,
    ) -> Result<FieldAction, Error> {
        match &self.each {
            Some(each) if each.is_end => Ok(FieldAction::Drop),
            Some(each) => each.value(kind, number, value, kept, depth),
            None => Ok(FieldAction::Copy),
        }
    }

    /// Prunes inside one value.
    fn value(
        &self,
        kind: Kind,
        number: u32,
        value: Value<'_>,
        kept: &mut Vec<u8>,
        depth: usize,
    ) -> Result<FieldAction, Error> {
        let mut inside = Vec::new();
        match kind {
            Kind::Message(message) => self.message(message, bytes_of(value)?, &mut inside, depth + 1)?,
            Kind::List(kind) => each_field(bytes_of(value)?, &mut inside, |number, value, kept| {
                if number == 1 { self.item(*kind, number, value, kept, depth) } else { Ok(FieldAction::Copy) }
            })?,
            Kind::SchemaOrBool(schema) => self.choice(2, schema, value, &mut inside, depth)?,
            Kind::SchemaOrArray(schema) => self.choice(1, schema, value, &mut inside, depth)?,
            Kind::SchemaOrStrings(schema) => self.choice(1, schema, value, &mut inside, depth)?,
            Kind::Raw => return self.raw(number, only_field(bytes_of(value)?)?, kept),
            _ => return Ok(FieldAction::Copy),
        }
        write_bytes(number, &inside, kept);
        Ok(FieldAction::Rewritten)
    }

    /// Prunes inside a schema, or inside the schemas that stand in its place.
    fn choice(
        &self,
        schema_number: u32,
        schema: &'static Message,
        value: Value<'_>,
        kept: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), Error> {
        let schema = Kind::Message(schema);
        each_field(bytes_of(value)?, kept, |number, value, kept| match value {
            Value::Bytes(_) if number == schema_number => self.value(schema, number, value, kept, depth),
            Value::Bytes(_) => self.item(schema, number, value, kept, depth),
            _ => Ok(FieldAction::Copy),
        })
    }

    fn raw(&self, number: u32, json: &[u8], kept: &mut Vec<u8>) -> Result<FieldAction, Error> {
        if json.is_empty() {
            return Ok(FieldAction::Copy);
        }
        let mut value: Json =
            serde_json::from_str(&repaired_utf8(json)).map_err(|error| Error::raw(&error))?;
        self.json(&mut value);
        let mut inside = Vec::new();
        write_bytes(1, value.to_string().as_bytes(), &mut inside);
        write_bytes(number, &inside, kept);
        Ok(FieldAction::Rewritten)
    }

    /// serde_json bounds how deep it goes.
    fn json(&self, value: &mut Json) {
        match value {
            Json::Object(members) => {
                members.retain(|name, value| match self.member(name) {
                    Some(below) if below.is_end => false,
                    Some(below) => {
                        below.json(value);
                        true
                    }
                    None => true,
                });
            }
            Json::Array(items) => match &self.each {
                Some(each) if each.is_end => items.clear(),
                Some(each) => items.iter_mut().for_each(|item| each.json(item)),
                None => {}
            },
            _ => {}
        }
    }
}

/// What becomes of one field.
enum FieldAction {
    Drop,
    Copy,
    /// It was written anew.
    Rewritten,
}

/// Copies the fields that stay.
fn each_field(
    bytes: &[u8],
    kept: &mut Vec<u8>,
    mut action: impl FnMut(u32, Value<'_>, &mut Vec<u8>) -> Result<FieldAction, Error>,
) -> Result<(), Error> {
    let mut reader = Reader::new(bytes);
    loop {
        let from = reader.rest();
        let Some((number, value)) = reader.next()? else { return Ok(()) };
        if let FieldAction::Copy = action(number, value, kept)? {
            kept.extend_from_slice(&from[..from.len() - reader.rest().len()]);
        }
    }
}
