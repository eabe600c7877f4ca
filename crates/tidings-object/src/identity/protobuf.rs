//! Reads an identity from protobuf: passes over every field by its length, and looks into the metadata only.
//!
//! Fields in any order, the last of those that can stand once only, as decoding takes it. What JSON would omit as
//! empty is absent here too, although it is on the wire. Nothing is looked up in a table, but for the time of a
//! deletion, which few objects have.

use std::borrow::Cow;

use serde_json::Value as Json;
use tidings_protobuf::wire::{Reader, Value, WireError, write_bytes};
use tidings_protobuf::{PathStep, message, repaired_utf8, values_at};

use super::{INITIAL_EVENTS_END, Identity, Label, ScanError, sort_and_keep_last};
use crate::Version;

/// The number of `metadata` in every object.
const METADATA: u32 = 1;

/// Numbers of `ObjectMeta`.
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

/// Numbers of `OwnerReference`.
mod owner_reference {
    pub(super) const UID: u32 = 4;
    pub(super) const CONTROLLER: u32 = 6;
}

/// Numbers of an entry of a map.
mod entry {
    pub(super) const KEY: u32 = 1;
    pub(super) const VALUE: u32 = 2;
}

/// Reads the identity of one object.
///
/// Whatever is wrong inside the object must not cost more than the reading of it. So a text is repaired as Go's JSON
/// has it, a field of another type counts as absent, and an entry or reference that is broken is left out: decoding
/// the object then equals what is wrong. Only if the bytes break off before there is a key is there nothing to keep.
pub(super) fn scan(object: &[u8]) -> Result<Identity<'_>, ScanError> {
    let mut identity = Identity::default();
    let mut deletion = None;
    let mut fields = Reader::new(object);
    let broken = loop {
        match fields.next() {
            Ok(Some((METADATA, value))) => {
                identity = Identity::default();
                deletion = None;
                if let Err(error) = identity.read_object_meta(bytes(value), &mut deletion) {
                    break Some(error);
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
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
    /// Reads up to the end, or to where the bytes break off; `deletion` is the message of the time of deletion.
    fn read_object_meta(
        &mut self,
        metadata: &'a [u8],
        deletion: &mut Option<&'a [u8]>,
    ) -> Result<(), WireError> {
        use object_meta::*;
        let mut fields = Reader::new(metadata);
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

/// What stands in a text or message; nothing in a field of another type, which so counts as absent.
#[inline]
fn bytes(value: Value<'_>) -> &[u8] {
    entry_of(value).unwrap_or_default()
}

/// An entry of a map, which is one even if it is empty.
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

/// Either is empty if it is not written; `None` if the entry is broken.
fn key_and_value(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut key, mut value): (&[u8], &[u8]) = (b"", b"");
    let mut fields = Reader::new(entry);
    while let Some(field) = fields.next().ok()? {
        match field {
            (entry::KEY, Value::Bytes(content)) => key = content,
            (entry::VALUE, Value::Bytes(content)) => value = content,
            (entry::KEY | entry::VALUE, _) => return None,
            _ => {}
        }
    }
    Some((key, value))
}

/// `None` if the reference has no uid or is broken.
fn owner(reference: &[u8]) -> Option<(Cow<'_, str>, bool)> {
    let (mut uid, mut is_controller) = (None, false);
    let mut fields = Reader::new(reference);
    while let Some(field) = fields.next().ok()? {
        match field {
            (owner_reference::UID, Value::Bytes(content)) => uid = Some(repaired_utf8(content)),
            (owner_reference::CONTROLLER, Value::Varint(number)) => is_controller = number != 0,
            (owner_reference::UID | owner_reference::CONTROLLER, _) => return None,
            _ => {}
        }
    }
    Some((uid?, is_controller))
}

/// A time as JSON has it; `None` if it is none. Few objects have been deleted, so this may be written to be read.
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
