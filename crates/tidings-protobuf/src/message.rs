//! What the table says about one message: which number is which member of the JSON object, and when JSON leaves a
//! member out. Plain data, written by the generator; it decides nothing.

use std::fmt;

/// The fields of one message, as the table of built-in kinds has them.
///
/// [`message`](crate::message()) finds the one of a kind.
pub struct Message {
    /// The Go type.
    pub(crate) name: &'static str,
    /// In the order of the Go struct, which is the order of its JSON. The fields of an inlined struct, which
    /// protobuf nests and JSON does not, stand among them.
    pub(crate) fields: &'static [Field],
    /// What stands at each number, from 0 on.
    pub(crate) places: &'static [Place],
}

/// One member of a message's JSON.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    pub(crate) presence: Presence,
}

/// How many values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A value in Go: always written.
    One,
    /// A pointer in Go: written unless it is nil, even when it points to nothing but zeroes.
    Optional,
    /// A list, written item by item.
    Many,
    /// A map from strings, written entry by entry.
    Map,
}

/// What one value is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Bool,
    Int32,
    Int64,
    Double,
    String,
    /// Base64 in JSON.
    Bytes,
    Message(&'static Message),
    /// A named list, which is a message with items at number 1.
    List(&'static Kind),
    /// Seconds since 1970; RFC 3339 in JSON.
    Time,
    /// The same with microseconds.
    MicroTime,
    /// A string at number 1.
    Quantity,
    /// A number or a string in JSON.
    IntOrString,
    /// JSON at number 1: `RawExtension`, `FieldsV1`, `JSON`.
    Raw,
    /// `JSONSchemaPropsOrBool`, with the message of the schema.
    SchemaOrBool(&'static Message),
    /// `JSONSchemaPropsOrArray`.
    SchemaOrArray(&'static Message),
    /// `JSONSchemaPropsOrStringArray`.
    SchemaOrStrings(&'static Message),
}

/// When JSON has a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// A nil list, map or pointer is null.
    Always,
    /// `omitempty`, and `omitzero` of times: what is nil, zero or of no length is left out.
    NotEmpty,
}

/// What stands at one number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Nothing,
    /// The field at this index.
    Field(u8),
    /// A struct that JSON inlines; its fields begin at this index.
    Inlined(u8, &'static Message),
}

impl Message {
    /// The name of the Go type, such as `PodSpec`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What stands at a number; nothing at one that is newer than the table.
    #[inline]
    pub(crate) fn place(&self, number: u32) -> Place {
        self.places.get(number as usize).copied().unwrap_or(Place::Nothing)
    }
}

/// The name alone: messages contain each other without end.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::KINDS;

    #[test]
    fn each_field_stands_at_its_own_number_in_each_message() {
        let mut messages: Vec<&'static Message> = KINDS.iter().map(|(_, message)| *message).collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(message) = messages.pop() {
            if !seen.insert(std::ptr::from_ref(message)) {
                continue;
            }
            let mut places = 0;
            for (number, place) in message.places.iter().enumerate() {
                match place {
                    Place::Nothing => {}
                    Place::Field(at) => {
                        assert_eq!(message.fields[usize::from(*at)].number as usize, number, "{message:?}");
                        places += 1;
                    }
                    Place::Inlined(at, inlined) => {
                        let outer = &message.fields[usize::from(*at)..][..inlined.fields.len()];
                        for (own, other) in inlined.fields.iter().zip(outer) {
                            assert_eq!((own.name, own.number), (other.name, other.number), "{message:?}");
                        }
                        places += inlined.fields.len();
                        messages.push(inlined);
                    }
                }
            }
            assert_eq!(places, message.fields.len(), "{message:?}");
            let names: std::collections::HashSet<_> = message.fields.iter().map(|field| field.name).collect();
            assert_eq!(names.len(), message.fields.len(), "{message:?} has two fields of one name");
            messages.extend(message.fields.iter().filter_map(|field| match field.kind {
                Kind::Message(inner) => Some(inner),
                _ => None,
            }));
        }
        assert!(seen.len() > 1_000);
    }
}
