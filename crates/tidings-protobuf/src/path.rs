//! Reads the values at a path, as they are in JSON, without building the rest of the object.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::message::{Kind, Message};
use crate::node::{Node, bytes_of, node_of};
use crate::read::{NodeReader, Scratch};
use crate::text::text;
use crate::wire::Value;
use crate::{DEPTH_MAX, Error};

/// One step of a path into an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep<'a> {
    /// The member of an object or map.
    Member(Cow<'a, str>),
    /// Every item of a list.
    Each,
    /// The item of a list with this index, counted from 0.
    Index(usize),
}

/// The values at a path, as they are in JSON: none, one, or several below [`PathStep::Each`]. Absent and null are no
/// value.
///
/// A message has no outermost `kind` and `apiVersion`, so that paths to them find nothing.
///
/// ```
/// use tidings_protobuf::{PathStep, encode, message, values_at};
///
/// let pod = message("", "v1", "Pod").expect("a built-in kind");
/// let bytes = encode(pod, &serde_json::json!({"spec": {"containers": [{"image": "web:1"}, {"image": "proxy:2"}]}}))?;
/// let path = ["spec", "containers"].map(|name| PathStep::Member(name.into()));
/// let path = [&path[..], &[PathStep::Each, PathStep::Member("image".into())]].concat();
/// assert_eq!(values_at(pod, &bytes, &path)?, ["web:1", "proxy:2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn values_at(message: &'static Message, bytes: &[u8], path: &[PathStep<'_>]) -> Result<Vec<Json>, Error> {
    let mut reader = PathReader { scratch: Scratch::default(), found: Vec::new() };
    reader.descend(Node::One(Kind::Message(message), Value::Bytes(bytes)), path, 0)?;
    Ok(reader.found)
}

struct PathReader<'a> {
    scratch: Scratch<'a>,
    found: Vec<Json>,
}

impl<'a> PathReader<'a> {
    /// Recurses once per step, and no deeper than twice [`DEPTH_MAX`].
    fn descend(&mut self, node: Node<'a>, path: &[PathStep<'_>], depth: usize) -> Result<(), Error> {
        let Some((step, rest)) = path.split_first() else { return self.push(node) };
        if depth == 2 * DEPTH_MAX {
            return Err(Error::TooDeep);
        }
        match (step, node.opened()?) {
            (PathStep::Member(name), Node::One(Kind::Message(message), value)) => {
                let Some(at) = message.fields.iter().position(|field| field.name == name) else {
                    return Ok(());
                };
                let slot = self
                    .scratch
                    .within(message, bytes_of(value)?, |scratch, base| Ok(scratch.slots[base + at]))?;
                match node_of(&message.fields[at], slot)? {
                    Some(node) => self.descend(node, rest, depth + 1),
                    None => Ok(()),
                }
            }
            (PathStep::Member(name), Node::Map(mut entries)) => {
                let mut last = None;
                while let Some((key, value)) = entries.next_entry()? {
                    if text(key).0 == *name {
                        last = Some(value);
                    }
                }
                last.map_or(Ok(()), |value| self.descend(value, rest, depth + 1))
            }
            (PathStep::Each, Node::Many(mut items)) => {
                while let Some(item) = items.next()? {
                    self.descend(Node::One(items.kind, item), rest, depth + 1)?;
                }
                Ok(())
            }
            (PathStep::Index(index), Node::Many(mut items)) => {
                for _ in 0..*index {
                    if items.next()?.is_none() {
                        return Ok(());
                    }
                }
                match items.next()? {
                    Some(item) => self.descend(Node::One(items.kind, item), rest, depth + 1),
                    None => Ok(()),
                }
            }
            (_, Node::One(Kind::Raw, _)) => {
                let json = Json::deserialize(NodeReader { node, scratch: &mut self.scratch })?;
                below(&json, path, &mut self.found);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, node: Node<'a>) -> Result<(), Error> {
        let value = Json::deserialize(NodeReader { node, scratch: &mut self.scratch })?;
        if !value.is_null() {
            self.found.push(value);
        }
        Ok(())
    }
}

/// Follows the rest of a path in a field whose content is JSON on both wires.
fn below(json: &Json, path: &[PathStep<'_>], found: &mut Vec<Json>) {
    match (path.split_first(), json) {
        (_, Json::Null) => {}
        (None, value) => found.push(value.clone()),
        (Some((PathStep::Member(name), rest)), Json::Object(members)) => {
            if let Some(member) = members.get(&**name) {
                below(member, rest, found);
            }
        }
        (Some((PathStep::Each, rest)), Json::Array(items)) => {
            items.iter().for_each(|item| below(item, rest, found));
        }
        (Some((PathStep::Index(index), rest)), Json::Array(items)) => {
            items.get(*index).into_iter().for_each(|item| below(item, rest, found));
        }
        _ => {}
    }
}
