//! The description of one message in the table: the JSON member of each field number, and the rule when JSON omits it.
//! It is plain data, which the generator writes.

use std::fmt;

/// The fields of one message, from the table of built-in kinds. [`message()`](crate::message()) finds the one of a
/// kind.
pub struct Message {
    /// The Go type.
    pub(crate) name: &'static str,
    /// In the order of the Go struct, which is the order of its JSON. They include the fields of inlined structs, which
    /// are nested in protobuf but not in JSON.
    pub(crate) fields: &'static [Field],
    /// What each field number means, from 0 on.
    pub(crate) by_number: &'static [FieldEntry],
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

/// The number of values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A value in Go, which is always encoded.
    One,
    /// A pointer in Go, which is encoded unless it is nil, even if it points to a zero value.
    Optional,
    /// A list, encoded as one field per item.
    Many,
    /// A map with string keys, encoded as one field per entry.
    Map,
}

/// The type of one value.
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
    /// A named list type of Go: a message with the items at number 1.
    List(&'static Kind),
    /// Seconds since 1970. RFC 3339 in JSON.
    Time,
    /// As `Time`, with microseconds.
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

/// When JSON has the member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Always: a nil list, map or pointer is null.
    Always,
    /// `omitempty`, and `omitzero` of times: a nil, zero or empty value is omitted.
    NotEmpty,
}

/// The meaning of one field number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FieldEntry {
    /// The table has no field with this number.
    Unknown,
    /// The field at this index.
    Field(u8),
    /// A struct that JSON inlines. Its fields begin at this index.
    Inlined(u8, &'static Message),
}

impl Message {
    /// The name of the Go type, such as `PodSpec`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The meaning of a field number. A number that is newer than the table has none.
    #[inline]
    pub(crate) fn entry(&self, number: u32) -> FieldEntry {
        self.by_number.get(number as usize).copied().unwrap_or(FieldEntry::Unknown)
    }
}

/// Only the name: messages contain each other recursively.
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
    fn in_each_message_each_field_has_its_own_number() {
        let mut messages: Vec<&'static Message> = KINDS.iter().map(|(_, message)| *message).collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(message) = messages.pop() {
            if !seen.insert(std::ptr::from_ref(message)) {
                continue;
            }
            let mut found = 0;
            for (number, entry) in message.by_number.iter().enumerate() {
                match entry {
                    FieldEntry::Unknown => {}
                    FieldEntry::Field(at) => {
                        assert_eq!(message.fields[usize::from(*at)].number as usize, number, "{message:?}");
                        found += 1;
                    }
                    FieldEntry::Inlined(at, inlined) => {
                        let outer = &message.fields[usize::from(*at)..][..inlined.fields.len()];
                        for (inner, outer) in inlined.fields.iter().zip(outer) {
                            assert_eq!((inner.name, inner.number), (outer.name, outer.number), "{message:?}");
                        }
                        found += inlined.fields.len();
                        messages.push(inlined);
                    }
                }
            }
            assert_eq!(found, message.fields.len(), "{message:?}");
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
