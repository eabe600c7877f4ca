//! Reads an identity from JSON.
//!
//! Keys may have any order, and keys and values may be escaped. The last of duplicate keys counts, as in a decoder. A
//! field of the wrong type counts as absent. Of the frame it checks the members of the outermost object, of `metadata`
//! and of what leads to a prefetched field; of all other values it checks only that they end within the frame. Errors
//! inside of these are left to the readers of the body.

use std::borrow::Cow;

use super::{INITIAL_EVENTS_END, Identity, Label, ScanError, sort_and_keep_last};
use crate::Version;
use crate::field::PathWalk;
use crate::json::{JsonCursor, JsonError, JsonStr};

/// Reads the identity of one object, and the values at the paths of `walk`.
pub(super) fn scan<'a>(frame: &'a [u8], walk: &mut PathWalk<'_, 'a>) -> Result<Identity<'a>, ScanError> {
    let mut cursor = JsonCursor::new(frame)?;
    if cursor.peek() != b'{' {
        cursor.skip_value()?;
        cursor.expect_end()?;
        return Err(ScanError::NoObject);
    }
    let mut identity = Identity::default();
    let mut is_head = true;
    let mut is_more = cursor.enter_object()?;
    while is_more {
        let start = cursor.offset();
        let key = cursor.key()?;
        let is_string = cursor.peek() == b'"';
        let name = key.decoded();
        let is_type = matches!(name.as_ref(), "kind" | "apiVersion");
        if is_head && !(is_type && is_string) {
            is_head = false;
            identity.rest_at = start;
        }
        match name.as_ref() {
            "kind" => {
                identity.kind = cursor.string_or_skip()?.map(JsonStr::decoded);
                identity.rest_has_kind |= !is_head;
            }
            "apiVersion" => {
                identity.api_version = cursor.string_or_skip()?.map(JsonStr::decoded);
                identity.rest_has_api_version |= !is_head;
            }
            "metadata" => {
                if walk.enters(key) {
                    walk.member(&mut cursor.clone(), key)?;
                }
                identity.read_metadata(&mut cursor)?;
            }
            _ => walk.member(&mut cursor, key)?,
        }
        is_more = cursor.has_next_member()?;
    }
    if is_head {
        identity.rest_at = cursor.offset() - "}".len();
    }
    cursor.expect_end()?;
    Ok(identity)
}

impl<'a> Identity<'a> {
    fn read_metadata(&mut self, cursor: &mut JsonCursor<'a>) -> Result<(), JsonError> {
        *self = Identity {
            kind: self.kind.take(),
            api_version: self.api_version.take(),
            rest_at: self.rest_at,
            rest_has_kind: self.rest_has_kind,
            rest_has_api_version: self.rest_has_api_version,
            ..Identity::default()
        };
        if cursor.peek() != b'{' {
            return cursor.skip_value();
        }
        cursor.members(|cursor, key| {
            match key.decoded().as_ref() {
                "namespace" => self.namespace = text(cursor)?.unwrap_or_default(),
                "name" => self.name = text(cursor)?.unwrap_or_default(),
                "uid" => self.uid = text(cursor)?.unwrap_or_default(),
                "resourceVersion" => self.version = text(cursor)?.map(|text| Version::new(&text)),
                "generation" => self.generation = integer(cursor)?,
                "deletionTimestamp" => self.deletion_timestamp = text(cursor)?,
                "labels" => self.labels = labels(cursor)?,
                "ownerReferences" => self.owners = owners(cursor)?,
                "annotations" => self.is_initial_events_end = has_initial_events_end(cursor)?,
                _ => cursor.skip_value()?,
            }
            Ok(())
        })
    }
}

fn text<'a>(cursor: &mut JsonCursor<'a>) -> Result<Option<Cow<'a, str>>, JsonError> {
    Ok(cursor.string_or_skip()?.map(JsonStr::decoded))
}

fn integer(cursor: &mut JsonCursor<'_>) -> Result<Option<i64>, JsonError> {
    let start = cursor.offset();
    cursor.skip_value()?;
    Ok(cursor.since(start).parse().ok())
}

fn labels<'a>(cursor: &mut JsonCursor<'a>) -> Result<Vec<Label<'a>>, JsonError> {
    if cursor.peek() != b'{' {
        return cursor.skip_value().map(|()| Vec::new());
    }
    let mut labels: Vec<Label<'a>> = Vec::new();
    // Labels whose value is not a string: the position and the key. Such a label still hides an earlier duplicate.
    let mut mistyped: Vec<(usize, Cow<'a, str>)> = Vec::new();
    cursor.members(|cursor, key| {
        match text(cursor)? {
            Some(value) => labels.push((key.decoded(), value)),
            None => mistyped.push((labels.len(), key.decoded())),
        }
        Ok(())
    })?;
    if mistyped.is_empty() {
        sort_and_keep_last(&mut labels, |label| &label.0);
        return Ok(labels);
    }
    sort_and_keep_last(&mut mistyped, |(_, key)| key);
    let mut numbered: Vec<_> = labels.into_iter().enumerate().collect();
    numbered.retain(|(position, (key, _))| {
        let hiding = mistyped.binary_search_by(|(_, other)| other.as_ref().cmp(key));
        hiding.is_err() || hiding.is_ok_and(|i| mistyped[i].0 <= *position)
    });
    labels = numbered.into_iter().map(|(_, label)| label).collect();
    sort_and_keep_last(&mut labels, |label| &label.0);
    Ok(labels)
}

fn owners<'a>(cursor: &mut JsonCursor<'a>) -> Result<Vec<(Cow<'a, str>, bool)>, JsonError> {
    let mut owners = Vec::new();
    if cursor.peek() != b'[' {
        return cursor.skip_value().map(|()| owners);
    }
    cursor.items(|cursor| {
        if cursor.peek() != b'{' {
            return cursor.skip_value();
        }
        let (mut uid, mut is_controller) = (None, false);
        cursor.members(|cursor, key| {
            match key.decoded().as_ref() {
                "uid" => uid = text(cursor)?,
                "controller" => {
                    let start = cursor.offset();
                    cursor.skip_value()?;
                    is_controller = cursor.since(start) == "true";
                }
                _ => cursor.skip_value()?,
            }
            Ok(())
        })?;
        owners.extend(uid.map(|uid| (uid, is_controller)));
        Ok(())
    })?;
    Ok(owners)
}

fn has_initial_events_end(cursor: &mut JsonCursor<'_>) -> Result<bool, JsonError> {
    let mut is_end = false;
    if cursor.peek() != b'{' {
        return cursor.skip_value().map(|()| is_end);
    }
    cursor.members(|cursor, key| {
        if key.equals(INITIAL_EVENTS_END) {
            is_end = cursor.string_or_skip()?.is_some_and(|value| value.equals("true"));
            Ok(())
        } else {
            cursor.skip_value()
        }
    })?;
    Ok(is_end)
}
