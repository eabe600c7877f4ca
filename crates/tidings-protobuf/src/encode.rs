//! JSON to protobuf, for servers and tests: what Go writes for an object that it read from this JSON.
//!
//! Members that the message does not know are left out. Quantities are written as they are given: Go would write
//! `1000m` as `1`.

mod tree;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use self::tree::{Json, Members, member};
use crate::DEPTH_MAX;
use crate::message::{Field, Kind, Message, Place, Shape};
use crate::time::Timestamp;
use crate::write::{write_bytes, write_double, write_nested, write_number};

/// Room for a small object.
const BYTES_AT_FIRST: usize = 512;

/// Why JSON could not be written as a message. It names the place, and never the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A value is of another type than the message has there.
    #[error("{} is no {wanted}", if path.is_empty() { "the object" } else { path })]
    Unfit {
        /// Where it stands, such as `.spec.containers[0].name`; empty for the whole.
        path: String,
        /// What the message has there.
        wanted: &'static str,
    },
    /// Objects are nested too deep.
    #[error("more than {DEPTH_MAX} objects are nested in each other")]
    TooDeep,
    /// A text is no JSON, or is nested beyond what can be a message.
    #[error("a text is no JSON")]
    NoJson,
}

impl EncodeError {
    fn unfit(wanted: &'static str) -> EncodeError {
        EncodeError::Unfit { path: String::new(), wanted }
    }

    /// The same, seen from one step further out.
    fn below(self, step: impl std::fmt::Display) -> EncodeError {
        match self {
            EncodeError::Unfit { path, wanted } => {
                EncodeError::Unfit { path: format!("{step}{path}"), wanted }
            }
            other => other,
        }
    }
}

/// The bytes of the message whose JSON this is, as Go writes them: empty values too, keys of maps in order.
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
    encode_tree(message, &Json::from(json))
}

/// As [`encode`], from JSON that is not read yet: cheaper than to read it first.
pub fn encode_text(message: &'static Message, json: &[u8]) -> Result<Vec<u8>, EncodeError> {
    encode_tree(message, &serde_json::from_slice(json).map_err(|_| EncodeError::NoJson)?)
}

fn encode_tree(message: &'static Message, json: &Json<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(BYTES_AT_FIRST);
    write_message(message, object(Some(json))?, &mut out, 0)?;
    Ok(out)
}

/// It recurses once a message that is nested in another, up to [`DEPTH_MAX`].
fn write_message(
    message: &'static Message,
    members: Option<&Members<'_>>,
    out: &mut Vec<u8>,
    depth: usize,
) -> Result<(), EncodeError> {
    if depth == DEPTH_MAX {
        return Err(EncodeError::TooDeep);
    }
    for (number, place) in (0..).zip(message.places) {
        match place {
            Place::Nothing => {}
            Place::Inlined(_, inlined) => {
                write_nested(number, out, |out| write_message(inlined, members, out, depth))?;
            }
            Place::Field(at) => {
                let field = &message.fields[usize::from(*at)];
                let found = members.and_then(|members| member(members, field.name));
                write_field(field, found.and_then(Json::unless_null), out, depth)
                    .map_err(|error| error.below(format_args!(".{}", field.name)))?;
            }
        }
    }
    Ok(())
}

fn write_field(
    field: &'static Field,
    json: Option<&Json<'_>>,
    out: &mut Vec<u8>,
    depth: usize,
) -> Result<(), EncodeError> {
    let place = At { number: field.number, depth };
    match (field.shape, json) {
        // Nil lists are not written, and nil bytes and named lists are such.
        (Shape::One, None) if matches!(field.kind, Kind::Bytes | Kind::List(_)) => Ok(()),
        (Shape::One, json) => place.write(field.kind, json, out),
        (_, None) => Ok(()),
        (Shape::Optional, json) => place.write(field.kind, json, out),
        (Shape::Many, Some(json)) => place.write_items(field.kind, json, out),
        (Shape::Map, Some(json)) => {
            let entries = object(Some(json))?.into_iter().flatten();
            let mut entries: Vec<_> = entries.collect();
            entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            for (key, value) in entries {
                write_nested(field.number, out, |out| {
                    write_bytes(1, key.as_bytes(), out);
                    At { number: 2, ..place }
                        .write(field.kind, value.unless_null(), out)
                        .map_err(|error| error.below(format_args!("['{key}']")))
                })?;
            }
            Ok(())
        }
    }
}

/// Where a value is written.
#[derive(Clone, Copy)]
struct At {
    number: u32,
    depth: usize,
}

impl At {
    fn write_items(self, kind: Kind, json: &Json<'_>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let items = json.as_list().ok_or_else(|| EncodeError::unfit("list"))?;
        for (index, item) in items.iter().enumerate() {
            self.write(kind, item.unless_null(), out)
                .map_err(|error| error.below(format_args!("[{index}]")))?;
        }
        Ok(())
    }

    /// Writes one value; without one, what Go has for zero.
    fn write(self, kind: Kind, json: Option<&Json<'_>>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match kind {
            Kind::Bool => write_number(self.number, i64::from(bool(json)?), out),
            Kind::Int32 => write_number(self.number, i64::from(small_integer(json)?), out),
            Kind::Int64 => write_number(self.number, integer(json)?, out),
            Kind::Double => {
                let number =
                    json.map_or(Some(0.0), Json::as_f64).ok_or_else(|| EncodeError::unfit("number"))?;
                write_double(self.number, number, out);
            }
            Kind::String => write_bytes(self.number, text(json)?.as_bytes(), out),
            Kind::Bytes => {
                let bytes = STANDARD.decode(text(json)?).map_err(|_| EncodeError::unfit("base64"))?;
                write_bytes(self.number, &bytes, out);
            }
            _ => write_nested(self.number, out, |out| self.write_inside(kind, json, out))?,
        }
        Ok(())
    }

    /// Writes what stands in a value that is a message on the wire.
    fn write_inside(self, kind: Kind, json: Option<&Json<'_>>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match kind {
            Kind::Message(message) => {
                write_message(message, object(json)?, out, self.depth + 1)?;
            }
            Kind::List(kind) => {
                let items = At { number: 1, ..self };
                json.map_or(Ok(()), |json| items.write_items(*kind, json, out))?;
            }
            Kind::Time | Kind::MicroTime => self.write_time(kind, json, out)?,
            Kind::Quantity => match json {
                Some(Json::Number(number)) => write_bytes(1, number.to_string().as_bytes(), out),
                Some(json) => write_bytes(1, text(Some(json))?.as_bytes(), out),
                None => write_bytes(1, b"0", out),
            },
            Kind::IntOrString => match json {
                Some(Json::Text(text)) => write_int_or_string(1, 0, text, out),
                json => write_int_or_string(0, small_integer(json)?, "", out),
            },
            Kind::Raw => {
                if let Some(json) = json {
                    let text = serde_json::to_vec(json).expect("a value is written to memory");
                    write_bytes(1, &text, out);
                }
            }
            Kind::SchemaOrBool(schema) => match json {
                Some(Json::Object(_)) => {
                    write_number(1, 1, out);
                    At { number: 2, ..self }.write(Kind::Message(schema), json, out)?;
                }
                json => write_number(1, i64::from(bool(json)?), out),
            },
            Kind::SchemaOrArray(schema) | Kind::SchemaOrStrings(schema) => {
                let is_strings = matches!(kind, Kind::SchemaOrStrings(_));
                let item = if is_strings { Kind::String } else { Kind::Message(schema) };
                match json {
                    None => {}
                    Some(json @ Json::List(_)) => At { number: 2, ..self }.write_items(item, json, out)?,
                    json => At { number: 1, ..self }.write(Kind::Message(schema), json, out)?,
                }
            }
            Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::Double | Kind::String | Kind::Bytes => {
                unreachable!("it is no message on the wire")
            }
        }
        Ok(())
    }

    fn write_time(self, kind: Kind, json: Option<&Json<'_>>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let Some(json) = json else { return Ok(()) };
        let time = Timestamp::parse(text(Some(json))?).ok_or_else(|| EncodeError::unfit("time"))?;
        if time.is_zero() {
            return Ok(());
        }
        let (seconds, nanos) = time.parts();
        write_number(1, seconds, out);
        write_number(2, if matches!(kind, Kind::MicroTime) { i64::from(nanos) } else { 0 }, out);
        Ok(())
    }
}

fn write_int_or_string(variant: i64, number: i32, text: &str, out: &mut Vec<u8>) {
    write_number(1, variant, out);
    write_number(2, i64::from(number), out);
    write_bytes(3, text.as_bytes(), out);
}

fn object<'j, 'a>(json: Option<&'j Json<'a>>) -> Result<Option<&'j Members<'a>>, EncodeError> {
    match json {
        None => Ok(None),
        Some(json) => json.as_object().map(Some).ok_or_else(|| EncodeError::unfit("object")),
    }
}

fn bool(json: Option<&Json<'_>>) -> Result<bool, EncodeError> {
    json.map_or(Some(false), Json::as_bool).ok_or_else(|| EncodeError::unfit("boolean"))
}

fn integer(json: Option<&Json<'_>>) -> Result<i64, EncodeError> {
    json.map_or(Some(0), Json::as_i64).ok_or_else(|| EncodeError::unfit("integer of 64 bits"))
}

fn small_integer(json: Option<&Json<'_>>) -> Result<i32, EncodeError> {
    i32::try_from(integer(json)?).map_err(|_| EncodeError::unfit("integer of 32 bits"))
}

fn text<'j>(json: Option<&'j Json<'_>>) -> Result<&'j str, EncodeError> {
    json.map_or(Some(""), Json::as_str).ok_or_else(|| EncodeError::unfit("string"))
}
