//! Reads an identity from protobuf: passes over every field by its length, and looks into the metadata only.
//!
//! Fields in any order, the last of those that can stand once only, as decoding takes it. What JSON would omit as
//! empty is absent here too, although it is on the wire. Nothing is looked up in a table, but for the time of a
//! deletion, which few objects have.

use std::borrow::Cow;

use serde_json::Value as Json;
use tidings_protobuf::wire::{Reader, Value};
use tidings_protobuf::{Step, message, values_at};

use super::{INITIAL_EVENTS_END, Identity, Label, ScanError, keep_last_of_each};
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
pub(super) fn scan(object: &[u8]) -> Result<Identity<'_>, ScanError> {
    let mut identity = Identity::default();
    let mut is_deleted = false;
    let mut fields = Reader::new(object);
    while let Some((number, value)) = fields.next()? {
        if number == METADATA {
            identity = Identity::default();
            is_deleted = identity.read_object_meta(bytes("metadata", value)?)?;
        }
    }
    keep_last_of_each(&mut identity.labels, |label| &label.0);
    if is_deleted {
        identity.deletion_timestamp = deletion_timestamp(object)?;
    }
    Ok(identity)
}

impl<'a> Identity<'a> {
    /// Says whether there is a time of deletion.
    fn read_object_meta(&mut self, metadata: &'a [u8]) -> Result<bool, ScanError> {
        use object_meta::*;
        let mut is_deleted = false;
        let mut fields = Reader::new(metadata);
        while let Some((number, value)) = fields.next()? {
            match number {
                NAME => self.name = text("metadata.name", value)?,
                NAMESPACE => self.namespace = text("metadata.namespace", value)?,
                UID => self.uid = text("metadata.uid", value)?,
                RESOURCE_VERSION => {
                    let version = text("metadata.resourceVersion", value)?;
                    self.version = (!version.is_empty()).then(|| Version::new(&version));
                }
                GENERATION => {
                    let generation = varint("metadata.generation", value)?.cast_signed();
                    self.generation = (generation != 0).then_some(generation);
                }
                DELETION_TIMESTAMP => is_deleted = true,
                LABELS => self.labels.push(label(bytes("metadata.labels", value)?)?),
                ANNOTATIONS => self.read_annotation(bytes("metadata.annotations", value)?)?,
                OWNER_REFERENCES => {
                    self.owners.extend(owner(bytes("metadata.ownerReferences", value)?)?);
                }
                _ => {}
            }
        }
        Ok(is_deleted)
    }

    fn read_annotation(&mut self, entry: &[u8]) -> Result<(), ScanError> {
        let (key, value) = key_and_value("metadata.annotations", entry)?;
        if key == INITIAL_EVENTS_END.as_bytes() {
            self.is_initial_events_end = value == b"true";
        }
        Ok(())
    }
}

fn label(entry: &[u8]) -> Result<Label<'_>, ScanError> {
    const FIELD: &str = "metadata.labels";
    let (key, value) = key_and_value(FIELD, entry)?;
    Ok((utf8(FIELD, key)?, utf8(FIELD, value)?))
}

/// Either is empty if it is not written.
fn key_and_value<'a>(field: &'static str, entry: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), ScanError> {
    let (mut key, mut value): (&[u8], &[u8]) = (b"", b"");
    let mut fields = Reader::new(entry);
    while let Some((number, content)) = fields.next()? {
        match number {
            entry::KEY => key = bytes(field, content)?,
            entry::VALUE => value = bytes(field, content)?,
            _ => {}
        }
    }
    Ok((key, value))
}

fn owner(reference: &[u8]) -> Result<Option<(Cow<'_, str>, bool)>, ScanError> {
    let (mut uid, mut is_controller) = (None, false);
    let mut fields = Reader::new(reference);
    while let Some((number, value)) = fields.next()? {
        match number {
            owner_reference::UID => uid = Some(text("metadata.ownerReferences[*].uid", value)?),
            owner_reference::CONTROLLER => {
                is_controller = varint("metadata.ownerReferences[*].controller", value)? != 0;
            }
            _ => {}
        }
    }
    Ok(uid.map(|uid| (uid, is_controller)))
}

/// As JSON has it. Only objects on their way out are read a second time for this.
fn deletion_timestamp(object: &[u8]) -> Result<Option<Cow<'_, str>>, ScanError> {
    const PATH: [Step<'static>; 2] =
        [Step::Member(Cow::Borrowed("metadata")), Step::Member(Cow::Borrowed("deletionTimestamp"))];
    let not_a_time = || ScanError::Field { field: "metadata.deletionTimestamp", expected: "a time" };
    let metadata_only =
        message("meta.k8s.io", "v1", "PartialObjectMetadata").expect("the table knows partial metadata");
    let times = values_at(metadata_only, object, &PATH).map_err(|_| not_a_time())?;
    match times.into_iter().next() {
        Some(Json::String(time)) => Ok(Some(time.into())),
        Some(_) => Err(not_a_time()),
        None => Ok(None),
    }
}

fn text<'a>(field: &'static str, value: Value<'a>) -> Result<Cow<'a, str>, ScanError> {
    utf8(field, bytes(field, value)?)
}

fn utf8<'a>(field: &'static str, bytes: &'a [u8]) -> Result<Cow<'a, str>, ScanError> {
    let text = str::from_utf8(bytes).map_err(|_| ScanError::Field { field, expected: "valid UTF-8" })?;
    Ok(Cow::Borrowed(text))
}

fn bytes<'a>(field: &'static str, value: Value<'a>) -> Result<&'a [u8], ScanError> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(ScanError::Field { field, expected: "written with its length" }),
    }
}

fn varint(field: &'static str, value: Value<'_>) -> Result<u64, ScanError> {
    match value {
        Value::Varint(number) => Ok(number),
        _ => Err(ScanError::Field { field, expected: "a number" }),
    }
}

#[cfg(test)]
mod tests;
