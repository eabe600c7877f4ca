//! Encodes JSON as protobuf, for servers and tests. The bytes equal those that Go writes for an object that it decoded
//! from this JSON.
//!
//! Members that the message does not have are omitted. Quantities are not normalised: Go would write `1000m` as `1`.

mod tree;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use self::tree::{Json, Tree};
use crate::DEPTH_MAX;
use crate::message::{Field, FieldEntry, Kind, Message, Shape};
use crate::time::Timestamp;
use crate::write::{begin_nested, end_nested, write_bytes, write_double, write_number};

/// The initial capacity for the fields of nested messages.
const FIELDS_CAPACITY: usize = 128;

/// The JSON does not fit the message. The error has the path of the value, and never quotes the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A value does not have the type of its field.
    #[error("{} is not of type {expected}", if path.is_empty() { "the whole value" } else { path })]
    Mismatch {
        /// The path of the value, such as `.spec.containers[0].name`; empty for the whole value.
        path: String,
        /// The type of the field.
        expected: &'static str,
    },
    /// Objects are nested too deeply.
    #[error("more than {DEPTH_MAX} objects are nested in each other")]
    TooDeep,
    /// The text is not JSON, or is nested more deeply than any message.
    #[error("the text is not JSON")]
    NotJson,
}

impl EncodeError {
    fn mismatch(expected: &'static str) -> EncodeError {
        EncodeError::Mismatch { path: String::new(), expected }
    }

    /// Prepends a step to the path.
    fn below(self, step: impl std::fmt::Display) -> EncodeError {
        match self {
            EncodeError::Mismatch { path, expected } => {
                EncodeError::Mismatch { path: format!("{step}{path}"), expected }
            }
            other => other,
        }
    }
}

/// Encodes JSON as a message. As in Go, empty values are written, and the keys of maps are sorted.
///
/// ```
/// use tidings_protobuf::{TypeMeta, encode, message, to_json};
///
/// let lease = message("coordination.k8s.io", "v1", "Lease").expect("a built-in kind");
/// let json = serde_json::json!({"metadata": {"name": "leader"}, "spec": {"leaseTransitions": 3}});
/// let bytes = encode(lease, &json)?;
/// assert_eq!(to_json(lease, TypeMeta::default(), &bytes)?, json.to_string().as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode(message: &'static Message, json: &Value) -> Result<Vec<u8>, EncodeError> {
    encode_text(message, &serde_json::to_vec(json).expect("a value is written to memory"))
}

/// As [`encode`], from JSON text: cheaper than to decode it first. JSON inside a message is copied unchanged.
pub fn encode_text(message: &'static Message, json: &[u8]) -> Result<Vec<u8>, EncodeError> {
    let text = std::str::from_utf8(json).map_err(|_| EncodeError::NotJson)?;
    let tree = Tree::read(text).ok_or(EncodeError::NotJson)?;
    let mut writer = Writer {
        // A message is usually shorter than its JSON.
        out: Vec::with_capacity(json.len()),
        found: Vec::with_capacity(FIELDS_CAPACITY),
    };
    writer.message(message, Some(tree.root()), 0)?;
    Ok(writer.out)
}

/// Encodes a tree of JSON values.
struct Writer<'t> {
    out: Vec<u8>,
    /// The values of the fields of the messages that are being written, the innermost last.
    found: Vec<Option<Json<'t>>>,
}

/// The field that a value is written to.
#[derive(Clone, Copy)]
struct FieldTarget {
    number: u32,
    depth: usize,
}

impl<'t> Writer<'t> {
    /// Recurses once per nested message, at most [`DEPTH_MAX`] deep.
    fn message(
        &mut self,
        message: &'static Message,
        json: Option<Json<'t>>,
        depth: usize,
    ) -> Result<(), EncodeError> {
        if depth == DEPTH_MAX {
            return Err(EncodeError::TooDeep);
        }
        let first = self.found.len();
        self.found.resize(first + message.fields.len(), None);
        if let Some(json) = json {
            self.find(message, json, first)?;
        }
        self.fields(message, first, depth)?;
        self.found.truncate(first);
        Ok(())
    }

    /// Finds the values of the fields of a message. The last of duplicate names counts. Members usually have the order
    /// of the fields, so that the search for a name begins after the last match.
    fn find(&mut self, message: &'static Message, json: Json<'t>, first: usize) -> Result<(), EncodeError> {
        let members = json.members().ok_or_else(|| EncodeError::mismatch("object"))?;
        let (found, mut next) = (&mut self.found[first..], 0);
        for (name, value) in members {
            let (earlier, later) = message.fields.split_at(next);
            let is_named = |field: &Field| field.name == name;
            let at = later.iter().position(is_named).map(|at| next + at);
            if let Some(at) = at.or_else(|| earlier.iter().position(is_named)) {
                found[at] = value.unless_null();
                next = at + 1;
            }
        }
        Ok(())
    }

    /// Writes the fields of a message, whose values begin at `first` in `found`.
    fn fields(&mut self, message: &'static Message, first: usize, depth: usize) -> Result<(), EncodeError> {
        for (number, entry) in (0..).zip(message.by_number) {
            match entry {
                FieldEntry::Unknown => {}
                FieldEntry::Inlined(at, inlined) => {
                    let start = begin_nested(number, &mut self.out);
                    self.fields(inlined, first + usize::from(*at), depth)?;
                    end_nested(start, &mut self.out);
                }
                FieldEntry::Field(at) => {
                    let field = &message.fields[usize::from(*at)];
                    self.field(field, self.found[first + usize::from(*at)], depth)
                        .map_err(|error| error.below(format_args!(".{}", field.name)))?;
                }
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &'static Field,
        json: Option<Json<'t>>,
        depth: usize,
    ) -> Result<(), EncodeError> {
        let at = FieldTarget { number: field.number, depth };
        match (field.shape, json) {
            // Go does not write a nil list. Bytes and named lists are lists in Go.
            (Shape::One, None) if matches!(field.kind, Kind::Bytes | Kind::List(_)) => Ok(()),
            (Shape::One, json) => self.value(at, field.kind, json),
            (_, None) => Ok(()),
            (Shape::Optional, json) => self.value(at, field.kind, json),
            (Shape::Many, Some(json)) => self.items(at, field.kind, json),
            (Shape::Map, Some(json)) => self.map(at, field.kind, json),
        }
    }

    fn map(&mut self, at: FieldTarget, kind: Kind, json: Json<'t>) -> Result<(), EncodeError> {
        let entries = json.members().ok_or_else(|| EncodeError::mismatch("object"))?;
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|(key, _)| *key);
        for (index, (key, value)) in entries.iter().enumerate() {
            if entries.get(index + 1).is_some_and(|(next, _)| next == key) {
                continue;
            }
            let start = begin_nested(at.number, &mut self.out);
            write_bytes(1, key.as_bytes(), &mut self.out);
            self.value(FieldTarget { number: 2, ..at }, kind, value.unless_null())
                .map_err(|error| error.below(format_args!("['{key}']")))?;
            end_nested(start, &mut self.out);
        }
        Ok(())
    }

    fn items(&mut self, at: FieldTarget, kind: Kind, json: Json<'t>) -> Result<(), EncodeError> {
        let items = json.items().ok_or_else(|| EncodeError::mismatch("list"))?;
        for (index, item) in items.enumerate() {
            self.value(at, kind, item.unless_null())
                .map_err(|error| error.below(format_args!("[{index}]")))?;
        }
        Ok(())
    }

    /// Writes one value. Without a value it writes Go's zero value.
    fn value(&mut self, at: FieldTarget, kind: Kind, json: Option<Json<'t>>) -> Result<(), EncodeError> {
        let (number, out) = (at.number, &mut self.out);
        match kind {
            Kind::Bool => write_number(number, i64::from(bool(json)?), out),
            Kind::Int32 => write_number(number, i64::from(small_integer(json)?), out),
            Kind::Int64 => write_number(number, integer(json)?, out),
            Kind::Double => write_double(number, double(json)?, out),
            Kind::String => write_bytes(number, text(json)?.as_bytes(), out),
            Kind::Bytes => {
                let bytes = STANDARD.decode(text(json)?).map_err(|_| EncodeError::mismatch("base64"))?;
                write_bytes(number, &bytes, out);
            }
            _ => {
                let start = begin_nested(number, out);
                self.inside(at, kind, json)?;
                end_nested(start, &mut self.out);
            }
        }
        Ok(())
    }

    /// Writes the content of a value that is a message on the wire.
    fn inside(&mut self, at: FieldTarget, kind: Kind, json: Option<Json<'t>>) -> Result<(), EncodeError> {
        let out = &mut self.out;
        match kind {
            Kind::Message(message) => self.message(message, json, at.depth + 1)?,
            Kind::List(kind) => {
                json.map_or(Ok(()), |json| self.items(FieldTarget { number: 1, ..at }, *kind, json))?;
            }
            Kind::Time | Kind::MicroTime => write_time(kind, json, out)?,
            Kind::Quantity => match json.map(|json| (json, json.as_number())) {
                Some((_, Some(number))) => write_bytes(1, number.to_string().as_bytes(), out),
                Some((json, None)) => write_bytes(1, text(Some(json))?.as_bytes(), out),
                None => write_bytes(1, b"0", out),
            },
            Kind::IntOrString => match json.and_then(Json::as_str) {
                Some(text) => write_int_or_string(1, 0, text, out),
                None => write_int_or_string(0, small_integer(json)?, "", out),
            },
            Kind::Raw => {
                if let Some(json) = json {
                    write_bytes(1, json.text().as_bytes(), out);
                }
            }
            Kind::SchemaOrBool(schema) if json.is_some_and(Json::is_object) => {
                write_number(1, 1, out);
                self.value(FieldTarget { number: 2, ..at }, Kind::Message(schema), json)?;
            }
            Kind::SchemaOrBool(_) => write_number(1, i64::from(bool(json)?), out),
            Kind::SchemaOrArray(schema) | Kind::SchemaOrStrings(schema) => {
                let is_strings = matches!(kind, Kind::SchemaOrStrings(_));
                let item = if is_strings { Kind::String } else { Kind::Message(schema) };
                match json {
                    None => {}
                    Some(json) if json.is_list() => {
                        self.items(FieldTarget { number: 2, ..at }, item, json)?
                    }
                    json => self.value(FieldTarget { number: 1, ..at }, Kind::Message(schema), json)?,
                }
            }
            Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::Double | Kind::String | Kind::Bytes => {
                unreachable!("scalars are not messages on the wire")
            }
        }
        Ok(())
    }
}

fn write_time(kind: Kind, json: Option<Json<'_>>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let Some(json) = json else { return Ok(()) };
    let time = Timestamp::parse(text(Some(json))?).ok_or_else(|| EncodeError::mismatch("time"))?;
    if time.is_zero() {
        return Ok(());
    }
    let (seconds, nanos) = time.parts();
    write_number(1, seconds, out);
    write_number(2, if matches!(kind, Kind::MicroTime) { i64::from(nanos) } else { 0 }, out);
    Ok(())
}

fn write_int_or_string(variant: i64, number: i32, text: &str, out: &mut Vec<u8>) {
    write_number(1, variant, out);
    write_number(2, i64::from(number), out);
    write_bytes(3, text.as_bytes(), out);
}

fn bool(json: Option<Json<'_>>) -> Result<bool, EncodeError> {
    json.map_or(Some(false), Json::as_bool).ok_or_else(|| EncodeError::mismatch("boolean"))
}

fn integer(json: Option<Json<'_>>) -> Result<i64, EncodeError> {
    let integer = json.map_or(Some(0), |json| json.as_number()?.as_i64());
    integer.ok_or_else(|| EncodeError::mismatch("integer of 64 bits"))
}

fn small_integer(json: Option<Json<'_>>) -> Result<i32, EncodeError> {
    i32::try_from(integer(json)?).map_err(|_| EncodeError::mismatch("integer of 32 bits"))
}

fn double(json: Option<Json<'_>>) -> Result<f64, EncodeError> {
    let double = json.map_or(Some(0.0), |json| json.as_number()?.as_f64());
    double.ok_or_else(|| EncodeError::mismatch("number"))
}

fn text<'t>(json: Option<Json<'t>>) -> Result<&'t str, EncodeError> {
    json.map_or(Some(""), Json::as_str).ok_or_else(|| EncodeError::mismatch("string"))
}
