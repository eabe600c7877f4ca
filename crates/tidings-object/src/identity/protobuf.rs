//! Reads an identity from protobuf: skips every field by its length, except the metadata.
//!
//! Fields may have any order. The last of a repeated single field counts, as in a decoder. A value that JSON omits as
//! empty is absent here too, although it is on the wire. Only the deletion timestamp, which few objects have, needs the
//! table of messages.

use std::borrow::Cow;

use serde_json::Value as Json;
use tidings_protobuf::wire::{FieldReader, Value, WireError, write_bytes};
use tidings_protobuf::{PathStep, message, repaired_utf8, values_at};

use super::{INITIAL_EVENTS_END, Identity, Label, ScanError, sort_and_keep_last};
use crate::Version;

/// The field number of `metadata` in every object.
const METADATA: u32 = 1;

/// Field numbers of `ObjectMeta`.
mod object_meta {
    pub(super) const NAME: u32 = 1;
    pub(super) const NAMESPACE: u32 = 3;
    pub(super) const UID: u32 = 5;
    pub(super) const RESOURCE_VERSION: u32 = 6;
    pub(super) const GENERATION: u32 = 7;
    pub(super) const DELETION_TIMESTAMP: u32 = 9;
    pub(super) const LABELS: u32 = 11;
    pub(super) const ANNOTATIONS: u32 = 12;
    pub(super) const OWNER_REFERENCES: u32 = 13;
}

/// Field numbers of `OwnerReference`.
mod owner_reference {
    pub(super) const UID: u32 = 4;
    pub(super) const CONTROLLER: u32 = 6;
}

/// Field numbers of a map entry.
mod entry {
    pub(super) const KEY: u32 = 1;
    pub(super) const VALUE: u32 = 2;
}

/// Reads the identity of one object.
///
/// An error inside the object must not keep it out of the cache: that would stop an informer for one object of one
/// tenant. So a text that is not UTF-8 is repaired as in Go's JSON, a field of another type counts as absent, and a
/// broken entry or reference is skipped; a decoder of the object reports the error. It fails only if the bytes end
/// before there is a key and a version.
pub(super) fn scan(object: &[u8]) -> Result<Identity<'_>, ScanError> {
    let mut identity = Identity::default();
    let mut deletion = None;
    let mut broken = None;
    let mut fields = FieldReader::new(object);
    loop {
        match fields.next() {
            // Metadata that ends early does not end the object: a later one replaces it.
            Ok(Some((METADATA, value))) => {
                identity = Identity::default();
                deletion = None;
                broken = identity.read_object_meta(bytes(value), &mut deletion).err();
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                broken = Some(error);
                break;
            }
        }
    }
    if let Some(error) = broken
        && (identity.name.is_empty() || identity.version.is_none())
    {
        return Err(error.into());
    }
    sort_and_keep_last(&mut identity.labels, |label| &label.0);
    identity.deletion_timestamp = deletion.and_then(as_json_time);
    Ok(identity)
}

impl<'a> Identity<'a> {
    /// Reads to the end, or to where the bytes end early. Sets `deletion` to the message of the deletion timestamp.
    fn read_object_meta(
        &mut self,
        metadata: &'a [u8],
        deletion: &mut Option<&'a [u8]>,
    ) -> Result<(), WireError> {
        use object_meta::*;
        let mut fields = FieldReader::new(metadata);
        while let Some((number, value)) = fields.next()? {
            match number {
                NAME => self.name = repaired_utf8(bytes(value)),
                NAMESPACE => self.namespace = repaired_utf8(bytes(value)),
                UID => self.uid = repaired_utf8(bytes(value)),
                RESOURCE_VERSION => {
                    let version = repaired_utf8(bytes(value));
                    self.version = (!version.is_empty()).then(|| Version::new(&version));
                }
                GENERATION => {
                    let generation = if let Value::Varint(number) = value { number.cast_signed() } else { 0 };
                    self.generation = (generation != 0).then_some(generation);
                }
                DELETION_TIMESTAMP => *deletion = Some(bytes(value)),
                LABELS => self.labels.extend(entry_of(value).and_then(label)),
                ANNOTATIONS => self.read_annotation(bytes(value)),
                OWNER_REFERENCES => self.owners.extend(owner(bytes(value))),
                _ => {}
            }
        }
        Ok(())
    }

    fn read_annotation(&mut self, entry: &[u8]) {
        if let Some((key, value)) = key_and_value(entry)
            && key == INITIAL_EVENTS_END.as_bytes()
        {
            self.is_initial_events_end = value == b"true";
        }
    }
}

/// The content of a text or message. A field of another type is empty, so that it counts as absent.
#[inline]
fn bytes(value: Value<'_>) -> &[u8] {
    entry_of(value).unwrap_or_default()
}

/// The content of a map entry, which may be empty.
#[inline]
fn entry_of(value: Value<'_>) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn label(entry: &[u8]) -> Option<Label<'_>> {
    let (key, value) = key_and_value(entry)?;
    Some((repaired_utf8(key), repaired_utf8(value)))
}

/// Key and value of a map entry, empty if absent; `None` if the entry is broken.
fn key_and_value(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut key, mut value): (&[u8], &[u8]) = (b"", b"");
    let mut fields = FieldReader::new(entry);
    while let Some(field) = fields.next().ok()? {
        match field {
            (entry::KEY, Value::Bytes(content)) => key = content,
            (entry::VALUE, Value::Bytes(content)) => value = content,
            (entry::KEY | entry::VALUE, _) => return mistyped_key_and_value(entry),
            _ => {}
        }
    }
    Some((key, value))
}

/// An entry with a value of a wrong wire type: the last value counts, as in the decoder.
#[cold]
fn mistyped_key_and_value(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut key, mut value): (&[u8], Option<&[u8]>) = (b"", Some(b""));
    let mut fields = FieldReader::new(entry);
    while let Some(field) = fields.next().ok()? {
        match field {
            (entry::KEY, content) => key = entry_of(content)?,
            (entry::VALUE, content) => value = entry_of(content),
            _ => {}
        }
    }
    Some((key, value?))
}

/// `None` if the reference has no uid or is broken.
fn owner(reference: &[u8]) -> Option<(Cow<'_, str>, bool)> {
    let (mut uid, mut is_controller) = (None, false);
    let mut fields = FieldReader::new(reference);
    while let Some(field) = fields.next().ok()? {
        match field {
            (owner_reference::UID, Value::Bytes(content)) => uid = Some(repaired_utf8(content)),
            (owner_reference::CONTROLLER, Value::Varint(number)) => is_controller = number != 0,
            (owner_reference::UID | owner_reference::CONTROLLER, _) => return mistyped_owner(reference),
            _ => {}
        }
    }
    Some((uid?, is_controller))
}

/// A reference with a value of a wrong wire type: the last value of each field counts, as in the decoder.
#[cold]
fn mistyped_owner(reference: &[u8]) -> Option<(Cow<'_, str>, bool)> {
    let (mut uid, mut is_controller) = (None, Some(false));
    let mut fields = FieldReader::new(reference);
    while let Some(field) = fields.next().ok()? {
        match field {
            (owner_reference::UID, content) => uid = entry_of(content).map(repaired_utf8),
            (owner_reference::CONTROLLER, Value::Varint(number)) => is_controller = Some(number != 0),
            (owner_reference::CONTROLLER, _) => is_controller = None,
            _ => {}
        }
    }
    Some((uid?, is_controller?))
}

/// A time as in JSON; `None` if it is invalid. Few objects are being deleted, so this may be slow: it encodes an object
/// that has only this field, and reads it with the table.
fn as_json_time<'a>(time: &[u8]) -> Option<Cow<'a, str>> {
    const PATH: [PathStep<'static>; 2] =
        [PathStep::Member(Cow::Borrowed("metadata")), PathStep::Member(Cow::Borrowed("deletionTimestamp"))];
    let metadata_only =
        message("meta.k8s.io", "v1", "PartialObjectMetadata").expect("the table knows partial metadata");
    let (mut metadata, mut object) = (Vec::new(), Vec::new());
    write_bytes(object_meta::DELETION_TIMESTAMP, time, &mut metadata);
    write_bytes(METADATA, &metadata, &mut object);
    match values_at(metadata_only, &object, &PATH).ok()?.into_iter().next()? {
        Json::String(time) => Some(time.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
