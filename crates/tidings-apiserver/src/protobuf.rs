//! Kubernetes' protobuf, as far as clients send it: objects of the built-in kinds, read into JSON.
//!
//! A body is `k8s\0` and an `Unknown` that says which kind it holds; the shapes table knows the field numbers. What this
//! reads is what the client would have sent as JSON. Nothing is recursive beyond a bound, and nothing is copied twice.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::schema::builtin::schemas;
use crate::schema::{Field, Scalar, Shape, TypeRef};
use crate::status::ApiError;

mod wire;
mod write;

use wire::{Raw, Reader};
pub(crate) use write::Fields;

/// The media type of such bodies.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// What every body starts with.
pub(crate) const MAGIC: &[u8] = b"k8s\0";
/// The deepest message that is read.
const DEPTH_MAX: usize = 64;

/// Why a body could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ProtobufError {
    /// It does not start as Kubernetes' protobuf does.
    #[error("the body is not Kubernetes' protobuf")]
    NoMagic,
    /// A length, a number or a text that cannot be.
    #[error("a message of the body is malformed")]
    Malformed,
    /// Messages in messages without end.
    #[error("the body nests deeper than {DEPTH_MAX} messages")]
    TooDeep,
    /// A kind, or a part of one, whose numbers are not known.
    #[error("{what} cannot be read from protobuf")]
    Unknown {
        /// The kind or field.
        what: String,
    },
}

/// Reads an object.
pub fn decode(body: &[u8]) -> Result<Value, ProtobufError> {
    let mut unknown = Reader::new(body.strip_prefix(MAGIC).ok_or(ProtobufError::NoMagic)?);
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    while let Some((number, value)) = unknown.next()? {
        match (number, value) {
            (1, Raw::Bytes(type_meta)) => {
                let mut type_meta = Reader::new(type_meta);
                while let Some((number, value)) = type_meta.next()? {
                    match number {
                        1 => api_version = value.text()?.to_owned(),
                        2 => kind = value.text()?.to_owned(),
                        _ => {}
                    }
                }
            }
            (2, Raw::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let schema = schemas()
        .kind(group, version, &kind)
        // Options are sent in the version of the group they are for.
        .or_else(|| schemas().kind("", "v1", &kind).filter(|_| kind == "DeleteOptions"))
        .ok_or_else(|| ProtobufError::Unknown { what: format!("{api_version} {kind}") })?;
    let mut object = Map::new();
    object.insert("apiVersion".to_owned(), json!(api_version));
    object.insert("kind".to_owned(), json!(kind));
    read_fields(raw, schema, &mut Vec::new(), &mut object, DEPTH_MAX)?;
    Ok(Value::Object(object))
}

/// Reads the fields of a message into an object. `inlined` are the numbers of the messages that JSON shows inline and
/// that this one stands in.
fn read_fields(
    bytes: &[u8],
    schema: TypeRef<'_>,
    inlined: &mut Vec<u32>,
    object: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), ProtobufError> {
    let depth = depth.checked_sub(1).ok_or(ProtobufError::TooDeep)?;
    let mut reader = Reader::new(bytes);
    while let Some((number, raw)) = reader.next()? {
        inlined.push(number);
        match found(schema, inlined) {
            Found::Field(name, field) => read_field(raw, schema, (name, field), object, depth)?,
            Found::Inline => read_fields(raw.bytes()?, schema, inlined, object, depth)?,
            Found::Nothing => {}
        }
        inlined.pop();
    }
    Ok(())
}

enum Found<'a> {
    Field(&'a str, &'a Field),
    Inline,
    Nothing,
}

fn found<'a>(schema: TypeRef<'a>, path: &[u32]) -> Found<'a> {
    let Shape::Object { fields, .. } = schema.shape() else { return Found::Nothing };
    let mut found = Found::Nothing;
    for (name, field) in fields {
        match field.number.as_ref().and_then(|number| number.path.strip_prefix(path)) {
            Some([]) => return Found::Field(name, field),
            Some(_) => found = Found::Inline,
            None => {}
        }
    }
    found
}

fn read_field(
    raw: Raw<'_>,
    parent: TypeRef<'_>,
    (name, field): (&str, &Field),
    object: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), ProtobufError> {
    let schema = parent.sibling(field.type_id);
    match schema.shape() {
        Shape::List { items, .. } => {
            let item = read_value(raw, schema.sibling(*items), depth)?;
            let list = object.entry(name).or_insert_with(|| json!([]));
            list.as_array_mut().ok_or(ProtobufError::Malformed)?.push(item);
        }
        Shape::Object { values: Some(values), fields, .. } if fields.is_empty() => {
            let (key, value) = read_entry(raw, schema.sibling(*values), depth)?;
            let map = object.entry(name).or_insert_with(|| json!({}));
            map.as_object_mut().ok_or(ProtobufError::Malformed)?.insert(key, value);
        }
        _ => {
            let value = read_value(raw, schema, depth)?;
            let is_zero = matches!(&value, Value::Null | Value::Bool(false))
                || value == ""
                || (value.as_i64() == Some(0)
                    && !matches!(schema.shape(), Shape::Scalar(Scalar::IntOrString)));
            let is_meant = field.number.as_ref().is_some_and(|number| number.is_zero_a_value);
            if !value.is_null() && (!is_zero || is_meant) {
                object.insert(name.to_owned(), value);
            }
        }
    }
    Ok(())
}

fn read_entry(raw: Raw<'_>, values: TypeRef<'_>, depth: usize) -> Result<(String, Value), ProtobufError> {
    let mut reader = Reader::new(raw.bytes()?);
    let (mut key, mut value) = (String::new(), None);
    while let Some((number, raw)) = reader.next()? {
        match number {
            1 => key = raw.text()?.to_owned(),
            2 => value = Some(read_value(raw, values, depth)?),
            _ => {}
        }
    }
    Ok((key, value.unwrap_or_else(|| json!(""))))
}

fn read_value(raw: Raw<'_>, schema: TypeRef<'_>, depth: usize) -> Result<Value, ProtobufError> {
    match schema.shape() {
        Shape::Scalar(scalar) => read_scalar(raw, *scalar),
        // What can be anything is a message whose first field is JSON.
        Shape::Any => match wire::first_bytes(raw.bytes()?)? {
            Some(json) => serde_json::from_slice(json)
                .map_err(|_| ProtobufError::Unknown { what: "a part that can be anything".to_owned() }),
            None => Ok(Value::Null),
        },
        // A list that stands where one value does is a message of its items.
        Shape::List { items, .. } => {
            let depth = depth.checked_sub(1).ok_or(ProtobufError::TooDeep)?;
            let mut list = Vec::new();
            let mut reader = Reader::new(raw.bytes()?);
            while let Some((_, raw)) = reader.next()? {
                list.push(read_value(raw, schema.sibling(*items), depth)?);
            }
            Ok(Value::Array(list))
        }
        Shape::Object { .. } => {
            let mut object = Map::new();
            read_fields(raw.bytes()?, schema, &mut Vec::new(), &mut object, depth)?;
            Ok(Value::Object(object))
        }
    }
}

fn read_scalar(raw: Raw<'_>, scalar: Scalar) -> Result<Value, ProtobufError> {
    Ok(match scalar {
        Scalar::String => json!(raw.text()?),
        Scalar::Byte => json!(STANDARD.encode(raw.bytes()?)),
        Scalar::Int32 | Scalar::Int64 => json!(raw.integer()?),
        Scalar::Boolean => json!(raw.integer()? != 0),
        Scalar::Double => json!(raw.double()?),
        Scalar::Quantity => match wire::first_bytes(raw.bytes()?)? {
            Some(text) => json!(Raw::Bytes(text).text()?),
            None => json!("0"),
        },
        Scalar::Time | Scalar::MicroTime => read_time(raw.bytes()?, scalar)?,
        Scalar::IntOrString => {
            let (mut is_text, mut number, mut text) = (false, 0, "");
            let mut reader = Reader::new(raw.bytes()?);
            while let Some((field, raw)) = reader.next()? {
                match field {
                    1 => is_text = raw.integer()? == 1,
                    2 => number = raw.integer()?,
                    3 => text = raw.text()?,
                    _ => {}
                }
            }
            if is_text { json!(text) } else { json!(number) }
        }
    })
}

/// No time at all is an empty message.
fn read_time(bytes: &[u8], scalar: Scalar) -> Result<Value, ProtobufError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanoseconds) = (0, 0);
    let mut reader = Reader::new(bytes);
    while let Some((number, raw)) = reader.next()? {
        match number {
            1 => seconds = raw.integer()?,
            2 => nanoseconds = raw.integer()?,
            _ => {}
        }
    }
    let nanoseconds = i32::try_from(nanoseconds).map_err(|_| ProtobufError::Malformed)?;
    let time = jiff::Timestamp::new(seconds, nanoseconds).map_err(|_| ProtobufError::Malformed)?;
    Ok(match scalar {
        Scalar::MicroTime => json!(format!("{time:.6}")),
        _ => json!(format!("{time:.0}")),
    })
}

impl From<ProtobufError> for ApiError {
    fn from(error: ProtobufError) -> Self {
        match error {
            ProtobufError::Unknown { .. } => {
                Self::unsupported_media_type("application/json, application/yaml")
            }
            _ => Self::bad_request(error.to_string()),
        }
    }
}

/// One fuzz case: a body. Must not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let _ = decode(data);
}

#[cfg(test)]
mod tests;
