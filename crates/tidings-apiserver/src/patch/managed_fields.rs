//! `metadata.managedFields`: which manager wrote which field last.
//!
//! [`track`] updates it for plain writes (create, update, patch); server-side apply does it itself. Nothing here
//! refuses a write: malformed entries of a client are replaced by the stored ones.

use serde_json::{Map, Value, json};

use super::compare::{Comparison, compared, fields_of};
use super::field_set::FieldSet;
use crate::resource::ResourceDef;
use crate::schema::{KindSchema, TypeRef};

/// The largest number of entries of plain writes in an object. Older ones are merged.
const UPDATE_ENTRIES_MAX: usize = 10;
/// The manager of the merged entries.
const ANCIENT: &str = "ancient-changes";
/// The manager of all fields of an object that had no entries before its first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";
/// The longest name of a manager, in bytes.
const MANAGER_BYTES_MAX: usize = 128;

/// The manager, subresource and time of a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldWriter<'a> {
    /// The name of the field manager; see [`manager_name`].
    pub manager: &'a str,
    /// The written subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The present time, as RFC 3339 in whole seconds.
    pub time: &'a str,
}

/// One entry of `metadata.managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManagedFieldsEntry {
    pub(super) manager: String,
    pub(super) operation: ManagedFieldsOperation,
    pub(super) api_version: String,
    pub(super) subresource: String,
    pub(super) time: Option<String>,
    pub(super) fields: FieldSet,
}

/// The operation of an entry. Entries are sorted in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ManagedFieldsOperation {
    Apply,
    Update,
}

impl ManagedFieldsOperation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// The name of the manager: the given one, else the name of the program in the user agent.
pub(crate) fn manager_name(field_manager: Option<&str>, user_agent: Option<&str>) -> String {
    let given = field_manager.filter(|name| !name.is_empty());
    let name = given.or_else(|| user_agent?.split('/').next()).unwrap_or_default();
    let end = (0..=name.len().min(MANAGER_BYTES_MAX)).rev().find(|&end| name.is_char_boundary(end));
    match &name[..end.unwrap_or(0)] {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
}

/// Sets the managed fields of `new` after a plain write. `old` is the stored object.
pub(crate) fn track(def: &ResourceDef, old: Option<&Value>, new: &mut Value, writer: &FieldWriter<'_>) {
    let schema = KindSchema::of(def);
    let given = entries(new);
    let mut entries = match given {
        Some(given) if !given.is_empty() => given,
        // A single empty entry resets the managed fields. With other malformed entries the stored ones stay.
        None if new["metadata"]["managedFields"] == json!([{}]) => Vec::new(),
        _ => old.and_then(entries).unwrap_or_default(),
    };
    if old.is_some() && entries.is_empty() && !new["metadata"]["managedFields"].is_array() {
        // The object has no managed fields. It gets them with its first apply and not before.
        write(new, entries);
        return;
    }
    let nothing = Value::Object(Map::new());
    let Comparison { added, modified, removed } = compared(old.unwrap_or(&nothing), new, schema.root());
    let written = added.union(&modified);
    let own = |entry: &ManagedFieldsEntry| {
        entry.manager == writer.manager
            && entry.operation == ManagedFieldsOperation::Update
            && entry.subresource == writer.subresource
            && entry.api_version == def.api_version()
    };
    for entry in &mut entries {
        entry.fields = entry.fields.difference(&removed);
        if !own(entry) {
            entry.fields = entry.fields.difference(&written);
        }
    }
    if !written.is_empty() {
        // A real server sets no time for writes of `scale`.
        let written_at = (writer.subresource != "scale").then(|| writer.time.to_owned());
        match entries.iter_mut().find(|entry| own(entry)) {
            Some(entry) => {
                entry.fields = std::mem::take(&mut entry.fields).union(&written);
                entry.time = written_at;
            }
            None => entries.push(ManagedFieldsEntry {
                manager: writer.manager.to_owned(),
                operation: ManagedFieldsOperation::Update,
                api_version: def.api_version(),
                subresource: writer.subresource.to_owned(),
                time: written_at,
                fields: written,
            }),
        }
    }
    write(new, entries);
}

/// Restores the times of the entries if nothing else in the object has changed. A write that would change only them
/// changes nothing: to apply an empty map a second time, for example, because an empty map is not stored.
pub(crate) fn keep_times(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (without_times(old), without_times(new)) else { return };
    if before != after || !is_equal_apart_from_entries(old, new) {
        return;
    }
    new["metadata"]["managedFields"] = old["metadata"]["managedFields"].clone();
}

fn without_times(object: &Value) -> Option<Vec<Value>> {
    let mut entries = object["metadata"]["managedFields"].as_array()?.clone();
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    Some(entries)
}

fn is_equal_apart_from_entries(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else { return false };
    one.len() == other.len()
        && one.iter().all(|(name, value)| match (name.as_str(), value, other.get(name)) {
            ("metadata", Value::Object(one), Some(Value::Object(other))) => {
                let is_kept = |(name, _): &(&String, &Value)| *name != "managedFields";
                one.iter().filter(is_kept).eq(other.iter().filter(is_kept))
            }
            (_, value, found) => found == Some(value),
        })
}

/// The entry with all fields of an object that has no managed fields.
pub(super) fn before_first_apply(
    object: &Value,
    api_version: String,
    schema: Option<TypeRef<'_>>,
) -> ManagedFieldsEntry {
    ManagedFieldsEntry {
        manager: BEFORE_FIRST_APPLY.to_owned(),
        operation: ManagedFieldsOperation::Update,
        api_version,
        subresource: String::new(),
        time: None,
        fields: fields_of(object, schema).without_server_fields(),
    }
}

/// The entries of an object; `None` if they are malformed.
pub(super) fn entries(object: &Value) -> Option<Vec<ManagedFieldsEntry>> {
    match &object["metadata"]["managedFields"] {
        Value::Null => Some(Vec::new()),
        Value::Array(entries) => entries.iter().map(read).collect(),
        _ => None,
    }
}

fn read(entry: &Value) -> Option<ManagedFieldsEntry> {
    let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    Some(ManagedFieldsEntry {
        manager: text("manager"),
        operation: match entry["operation"].as_str()? {
            "Apply" => ManagedFieldsOperation::Apply,
            "Update" => ManagedFieldsOperation::Update,
            _ => return None,
        },
        api_version: text("apiVersion"),
        subresource: text("subresource"),
        time: entry["time"].as_str().map(str::to_owned),
        fields: match &entry["fieldsV1"] {
            Value::Null => FieldSet::default(),
            fields => FieldSet::from_fields_v1(fields)?,
        },
    })
}

/// Sets the entries of an object, sorted and without empty ones.
pub(super) fn write(object: &mut Value, mut entries: Vec<ManagedFieldsEntry>) {
    entries.retain(|entry| !entry.fields.is_empty());
    merge_ancient(&mut entries);
    entries.sort_by(|a, b| {
        let key = |entry: &ManagedFieldsEntry| (entry.operation, entry.time.clone(), entry.manager.clone());
        key(a).cmp(&key(b))
    });
    let encoded: Vec<Value> = entries.iter().map(entry_json).collect();
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if encoded.is_empty() {
        metadata.remove("managedFields");
    } else {
        metadata.insert("managedFields".to_owned(), Value::Array(encoded));
    }
}

fn entry_json(entry: &ManagedFieldsEntry) -> Value {
    let mut encoded = json!({
        "manager": entry.manager,
        "operation": entry.operation.as_str(),
        "apiVersion": entry.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": entry.fields.to_fields_v1(),
    });
    if let Some(time) = &entry.time {
        encoded["time"] = json!(time);
    }
    if !entry.subresource.is_empty() {
        encoded["subresource"] = json!(entry.subresource);
    }
    encoded
}

fn merge_ancient(entries: &mut Vec<ManagedFieldsEntry>) {
    let mut updates: Vec<ManagedFieldsEntry> = Vec::new();
    entries.retain(|entry| {
        let is_update = entry.operation == ManagedFieldsOperation::Update;
        if is_update {
            updates.push(entry.clone());
        }
        !is_update
    });
    updates.sort_by(|a, b| a.time.cmp(&b.time));
    while updates.len() > UPDATE_ENTRIES_MAX {
        let oldest = updates.remove(0);
        let next = &mut updates[0];
        next.fields = std::mem::take(&mut next.fields).union(&oldest.fields);
        next.manager = ANCIENT.to_owned();
    }
    entries.append(&mut updates);
}
