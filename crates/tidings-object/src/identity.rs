//! Reads who an object is from its JSON, in one pass and without building anything else.
//!
//! The rules: keys in any order, keys and values escaped or not, the last of duplicate keys (as decoding takes
//! it). A field of the wrong type counts as absent: whether the object is usable without it is the caller's
//! question. The whole frame is checked, so that what is kept is well-formed.

use std::borrow::Cow;

use crate::Version;
use crate::json::{Cursor, JsonStr};

pub use crate::json::ScanError;

/// What is read of an object at arrival.
///
/// ```
/// use tidings_object::identity;
///
/// let frame = br#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"shop"}}"#;
/// let identity = identity::scan(frame)?;
/// assert_eq!((&*identity.namespace, &*identity.name), ("shop", "web-0"));
/// assert!(frame[identity.rest_at..].starts_with(br#""metadata""#));
/// # Ok::<(), identity::ScanError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity<'a> {
    /// `kind`, if the object says it.
    pub kind: Option<Cow<'a, str>>,
    /// `apiVersion`, if the object says it.
    pub api_version: Option<Cow<'a, str>>,
    /// `metadata.namespace`; empty in cluster scope.
    pub namespace: Cow<'a, str>,
    /// `metadata.name`.
    pub name: Cow<'a, str>,
    /// `metadata.uid`; may be empty.
    pub uid: Cow<'a, str>,
    /// `metadata.resourceVersion`.
    pub version: Option<Version>,
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// `metadata.deletionTimestamp`.
    pub deletion_timestamp: Option<Cow<'a, str>>,
    /// `metadata.labels`, sorted by key; a label whose value is no string is left out.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The uids of `metadata.ownerReferences`, each with whether it is the controller.
    pub owners: Vec<(Cow<'a, str>, bool)>,
    /// Whether `metadata.annotations` has `k8s.io/initial-events-end: "true"`.
    pub is_initial_events_end: bool,
    /// Where the object begins after a leading `kind` and `apiVersion`: list items of built-in kinds lack
    /// them and watch frames have them, so comparing and storing starts here.
    pub rest_at: usize,
    /// Whether a `kind` stands at or after [`rest_at`](Self::rest_at).
    pub rest_has_kind: bool,
    /// Whether an `apiVersion` stands at or after [`rest_at`](Self::rest_at).
    pub rest_has_api_version: bool,
}

const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// Reads the identity of one object.
pub fn scan(frame: &[u8]) -> Result<Identity<'_>, ScanError> {
    let mut cursor = Cursor::new(frame)?;
    let mut identity = Identity::default();
    let mut is_head = true;
    let mut is_more = cursor.enter_object()?;
    while is_more {
        let start = cursor.at();
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
                identity.kind = cursor.string_if_any()?.map(JsonStr::decoded);
                identity.rest_has_kind |= !is_head;
            }
            "apiVersion" => {
                identity.api_version = cursor.string_if_any()?.map(JsonStr::decoded);
                identity.rest_has_api_version |= !is_head;
            }
            "metadata" => identity.read_metadata(&mut cursor)?,
            _ => cursor.skip_value()?,
        }
        is_more = cursor.is_another_member()?;
    }
    if is_head {
        identity.rest_at = cursor.at() - "}".len();
    }
    cursor.end()?;
    Ok(identity)
}

impl<'a> Identity<'a> {
    fn read_metadata(&mut self, cursor: &mut Cursor<'a>) -> Result<(), ScanError> {
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

fn text<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Cow<'a, str>>, ScanError> {
    Ok(cursor.string_if_any()?.map(JsonStr::decoded))
}

fn integer(cursor: &mut Cursor<'_>) -> Result<Option<i64>, ScanError> {
    let start = cursor.at();
    cursor.skip_value()?;
    Ok(cursor.since(start).parse().ok())
}

type Label<'a> = (Cow<'a, str>, Cow<'a, str>);

fn labels<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Label<'a>>, ScanError> {
    if cursor.peek() != b'{' {
        return cursor.skip_value().map(|()| Vec::new());
    }
    let mut labels: Vec<Label<'a>> = Vec::new();
    // Where a label that is no string was left out, and its key: it still hides an earlier duplicate.
    let mut mistyped: Vec<(usize, Cow<'a, str>)> = Vec::new();
    cursor.members(|cursor, key| {
        match text(cursor)? {
            Some(value) => labels.push((key.decoded(), value)),
            None => mistyped.push((labels.len(), key.decoded())),
        }
        Ok(())
    })?;
    if mistyped.is_empty() {
        keep_last_of_each(&mut labels, |label| &label.0);
        return Ok(labels);
    }
    keep_last_of_each(&mut mistyped, |(_, key)| key);
    let mut places: Vec<_> = labels.into_iter().enumerate().collect();
    places.retain(|(place, (key, _))| {
        let hiding = mistyped.binary_search_by(|(_, other)| other.as_ref().cmp(key));
        hiding.is_err() || hiding.is_ok_and(|i| mistyped[i].0 <= *place)
    });
    labels = places.into_iter().map(|(_, label)| label).collect();
    keep_last_of_each(&mut labels, |label| &label.0);
    Ok(labels)
}

/// Sorts by key. The server writes maps sorted, so that there is mostly nothing to do.
fn keep_last_of_each<T>(entries: &mut Vec<T>, key: impl Fn(&T) -> &Cow<'_, str>) {
    if entries.is_sorted_by(|a, b| key(a) < key(b)) {
        return;
    }
    entries.reverse();
    entries.sort_by(|a, b| key(a).cmp(key(b)));
    entries.dedup_by(|later, earlier| key(later) == key(earlier));
}

fn owners<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<(Cow<'a, str>, bool)>, ScanError> {
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
                    let start = cursor.at();
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

fn has_initial_events_end(cursor: &mut Cursor<'_>) -> Result<bool, ScanError> {
    let mut is_end = false;
    if cursor.peek() != b'{' {
        return cursor.skip_value().map(|()| is_end);
    }
    cursor.members(|cursor, key| {
        if key.says(INITIAL_EVENTS_END) {
            is_end = cursor.string_if_any()?.is_some_and(|value| value.says("true"));
            Ok(())
        } else {
            cursor.skip_value()
        }
    })?;
    Ok(is_end)
}

#[cfg(test)]
mod tests;
