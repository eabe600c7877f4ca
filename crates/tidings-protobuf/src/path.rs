//! Reading what stands at a path, as JSON has it, without building the rest of the object.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::message::{Kind, Message};
use crate::node::{Node, bytes_of, node_of};
use crate::read::{NodeReader, Scratch};
use crate::text::text;
use crate::wire::Value;
use crate::{DEPTH_MAX, Error};

/// One step down into an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step<'a> {
    /// The member of an object or map.
    Member(Cow<'a, str>),
    /// Every item of a list.
    Each,
}

/// What stands at a path, as JSON has it: no value, one, or several below [`Step::Each`]. Absent and null are no
/// value.
///
/// The outermost `kind` and `apiVersion` stand in no message, and are not found.
///
/// ```
/// use tidings_protobuf::{Step, encode, message, values_at};
///
/// let pod = message("", "v1", "Pod").expect("a built-in kind");
/// let bytes = encode(pod, &serde_json::json!({"spec": {"containers": [{"image": "web:1"}, {"image": "proxy:2"}]}}))?;
/// let path = ["spec", "containers"].map(|name| Step::Member(name.into()));
/// let path = [&path[..], &[Step::Each, Step::Member("image".into())]].concat();
/// assert_eq!(values_at(pod, &bytes, &path)?, ["web:1", "proxy:2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn values_at(message: &'static Message, bytes: &[u8], path: &[Step<'_>]) -> Result<Vec<Json>, Error> {
    let mut walk = Walk { scratch: Scratch::default(), found: Vec::new() };
    walk.go(Node::One(Kind::Message(message), Value::Bytes(bytes)), path, 0)?;
    Ok(walk.found)
}

struct Walk<'a> {
    scratch: Scratch<'a>,
    found: Vec<Json>,
}

impl<'a> Walk<'a> {
    /// It recurses once a step, and not deeper than messages may nest.
    fn go(&mut self, node: Node<'a>, path: &[Step<'_>], depth: usize) -> Result<(), Error> {
        let Some((step, rest)) = path.split_first() else { return self.take(node) };
        if depth == 2 * DEPTH_MAX {
            return Err(Error::TooDeep);
        }
        match (step, node.opened()?) {
            (Step::Member(name), Node::One(Kind::Message(message), value)) => {
                let Some(at) = message.fields.iter().position(|field| field.name == name) else {
                    return Ok(());
                };
                let slot = self
                    .scratch
                    .within(message, bytes_of(value)?, |scratch, base| Ok(scratch.slots[base + at]))?;
                match node_of(&message.fields[at], slot)? {
                    Some(node) => self.go(node, rest, depth + 1),
                    None => Ok(()),
                }
            }
            (Step::Member(name), Node::Map(mut entries)) => {
                let mut last = None;
                while let Some((key, value)) = entries.next_entry()? {
                    if text(key).0 == *name {
                        last = Some(value);
                    }
                }
                last.map_or(Ok(()), |value| self.go(value, rest, depth + 1))
            }
            (Step::Each, Node::Many(mut items)) => {
                while let Some(item) = items.next()? {
                    self.go(Node::One(items.kind, item), rest, depth + 1)?;
                }
                Ok(())
            }
            (_, Node::One(Kind::Raw, _)) => {
                let json = Json::deserialize(NodeReader { node, scratch: &mut self.scratch })?;
                below(&json, path, &mut self.found);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, node: Node<'a>) -> Result<(), Error> {
        let value = Json::deserialize(NodeReader { node, scratch: &mut self.scratch })?;
        if !value.is_null() {
            self.found.push(value);
        }
        Ok(())
    }
}

/// What stands below in JSON that is held as JSON.
fn below(json: &Json, path: &[Step<'_>], found: &mut Vec<Json>) {
    match (path.split_first(), json) {
        (_, Json::Null) => {}
        (None, value) => found.push(value.clone()),
        (Some((Step::Member(name), rest)), Json::Object(members)) => {
            if let Some(member) = members.get(&**name) {
                below(member, rest, found);
            }
        }
        (Some((Step::Each, rest)), Json::Array(items)) => {
            items.iter().for_each(|item| below(item, rest, found));
        }
        _ => {}
    }
}
