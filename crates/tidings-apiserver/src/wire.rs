//! Encodes stored bodies as responses. In JSON it writes a head and a tail around the stored bytes, which are never
//! decoded. Tables and protobuf are encoded anew.
//!
//! The order of keys is that of a real server. An object of a built-in kind begins with `kind`, then `apiVersion`, and
//! list items have neither. Custom resources have sorted keys, both fields in list items too, and the metadata of a
//! list at its end.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tidings_object::Wire;

use crate::convert;
use crate::request::accept::MetaVersion;
use crate::request::{Content, Representation, RequestOptions};
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::server_clock::ServerClock;
use crate::status::ApiError;
use crate::store::StoredObject;
use crate::table::{self, IncludeObject};

mod empty_list;
mod protobuf;

pub(crate) use protobuf::{ProtobufEncoder, status as protobuf_status};

/// A chunk of a list is sent once it has at least this many bytes.
pub(crate) const LIST_CHUNK_BYTES: usize = 128 << 10;

/// Encodes the objects of one resource in one representation.
#[derive(Clone, Debug)]
pub(crate) struct ObjectEncoder {
    content: Content,
    /// The bytes before a body: an opening brace, `kind` and `apiVersion`.
    head: Arc<str>,
    /// The same for list items.
    item_head: Arc<str>,
    list: ListEnvelope,
    tables: Option<Arc<TableEncoder>>,
    /// Set if the wire is protobuf.
    protobuf: Option<ProtobufEncoder>,
    /// The resource, if its objects are stored in another version, with other field names.
    converted: Option<Arc<ResourceDef>>,
}

/// Encodes Table responses. For those the objects are decoded.
#[derive(Debug)]
struct TableEncoder {
    def: ResourceDef,
    version: MetaVersion,
    include: IncludeObject,
    clock: ServerClock,
}

/// An object can't be encoded as protobuf, because its JSON does not have the types of its kind.
#[derive(Debug)]
pub(crate) struct EncodeError(String);

/// The position of an event in a watch. A table has column definitions only in the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPosition {
    First,
    Later,
}

/// The parts of a JSON list around its items.
#[derive(Clone, Debug)]
struct ListEnvelope {
    kind: String,
    api_version: String,
    order: ListOrder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListOrder {
    MetadataFirst,
    MetadataLast,
}

/// The metadata of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListMeta {
    pub(crate) version: u64,
    /// The token of the next page.
    pub(crate) continue_token: Option<String>,
    /// How many objects follow after this page, if that is known.
    pub(crate) remaining: Option<usize>,
    /// The shard that was applied.
    pub(crate) shard: Option<String>,
}

impl ObjectEncoder {
    /// The encoder for a request.
    pub(crate) fn of(
        core: &Core,
        def: &ResourceDef,
        options: &RequestOptions,
        representation: Representation,
    ) -> Result<Self, ApiError> {
        let Representation { content, wire, .. } = representation;
        let mut shape = Self::new(def, content);
        if wire == Wire::Protobuf {
            shape.protobuf = ProtobufEncoder::of(def, content, core.settings.protobuf);
            shape.head = format!("protobuf {}", shape.head).into();
        }
        if let Content::Table(version) = content {
            let include = IncludeObject::from_query(Some(&options.include_object))?;
            let clock = core.clock.clone();
            shape.tables = Some(Arc::new(TableEncoder { def: def.clone(), version, include, clock }));
        }
        Ok(shape)
    }

    fn new(def: &ResourceDef, content: Content) -> Self {
        let (kind, api_version) = (&def.kind, def.api_version());
        let builtin_head = format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","#);
        let custom_head = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","#);
        let (head, item_head, list_kind, list_version, order) = match content {
            Content::Metadata(version) => {
                let version = version.api_version();
                let head =
                    format!(r#"{{"kind":"PartialObjectMetadata","apiVersion":"{version}","metadata":"#);
                let list_kind = "PartialObjectMetadataList".to_owned();
                (head.clone(), head, list_kind, version.to_owned(), ListOrder::MetadataFirst)
            }
            Content::Whole | Content::Table(_) if def.is_custom() => {
                let list_kind = def.list_kind.to_string();
                (custom_head.clone(), custom_head, list_kind, api_version, ListOrder::MetadataLast)
            }
            Content::Whole | Content::Table(_) => {
                let list_kind = def.list_kind.to_string();
                (builtin_head, "{".to_owned(), list_kind, api_version, ListOrder::MetadataFirst)
            }
        };
        Self {
            content,
            head: head.into(),
            item_head: item_head.into(),
            list: ListEnvelope { kind: list_kind, api_version: list_version, order },
            tables: None,
            protobuf: None,
            converted: convert::is_converted(def).then(|| Arc::new(def.clone())),
        }
    }

    /// Whether watchers may share an encoded event. A table has ages, which depend on the time.
    pub(crate) fn is_shared(&self) -> bool {
        self.tables.is_none()
    }

    pub(crate) fn wire(&self) -> Wire {
        if self.protobuf.is_some() { Wire::Protobuf } else { Wire::Json }
    }

    /// The media type of objects and lists.
    pub(crate) fn media_type(&self) -> &'static str {
        match self.wire() {
            Wire::Json => "application/json",
            Wire::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }

    /// The media type of a watch.
    pub(crate) fn watch_media_type(&self) -> &'static str {
        match self.wire() {
            Wire::Json => "application/json",
            Wire::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        }
    }

    /// Whether an object can be encoded. Only protobuf can fail.
    pub(crate) fn can_encode(&self, object: &StoredObject) -> bool {
        self.protobuf.as_ref().is_none_or(|protobuf| protobuf.can_encode(object))
    }

    /// The head of an object. It distinguishes the encodings of one event.
    pub(crate) fn head(&self) -> &Arc<str> {
        &self.head
    }

    /// Encodes one object.
    pub(crate) fn object(&self, object: &StoredObject) -> Result<Vec<u8>, EncodeError> {
        if let Some(protobuf) = &self.protobuf {
            return protobuf.object(object);
        }
        if let Some(tables) = &self.tables {
            return Ok(tables.encode(
                version_of(object.version()),
                &[tables.decoded(object)],
                EventPosition::First,
            ));
        }
        let mut bytes = Vec::with_capacity(self.head.len() + object.body().len() + 1);
        self.write(&self.head, object, &mut bytes);
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Encodes one list item.
    pub(crate) fn write_item(&self, object: &StoredObject, into: &mut Vec<u8>) {
        self.write(&self.item_head, object, into);
    }

    fn write(&self, head: &str, object: &StoredObject, into: &mut Vec<u8>) {
        into.extend_from_slice(head.as_bytes());
        match self.content {
            Content::Metadata(_) => {
                into.extend_from_slice(object.metadata());
                into.push(b'}');
            }
            Content::Whole | Content::Table(_) => match &self.converted {
                None => into.extend_from_slice(object.after_brace()),
                Some(def) => {
                    let renamed = convert::from_storage(def, object.decoded());
                    let json = serde_json::to_vec(&renamed).expect("writing a value to memory succeeds");
                    into.extend_from_slice(&json[1..]);
                }
            },
        }
    }

    /// Encodes a watch event.
    pub(crate) fn event(
        &self,
        event: &str,
        object: &StoredObject,
        position: EventPosition,
    ) -> Result<Bytes, EncodeError> {
        if let Some(tables) = &self.tables {
            return Ok(tables.event(event, object.version(), tables.decoded(object), position));
        }
        if let Some(protobuf) = &self.protobuf {
            return protobuf.event(event, object);
        }
        let mut bytes = Vec::with_capacity(self.head.len() + object.body().len() + 40);
        bytes.extend_from_slice(br#"{"type":""#);
        bytes.extend_from_slice(event.as_bytes());
        bytes.extend_from_slice(br#"","object":"#);
        self.write(&self.head, object, &mut bytes);
        bytes.extend_from_slice(b"}\n");
        Ok(bytes.into())
    }

    /// Encodes a BOOKMARK event. `annotations` is JSON, or empty.
    pub(crate) fn bookmark(&self, version: u64, annotations: &str, position: EventPosition) -> Bytes {
        let annotations =
            if annotations.is_empty() { String::new() } else { format!(r#","annotations":{annotations}"#) };
        let metadata = format!(r#"{{"resourceVersion":"{version}"{annotations}}}"#);
        if let Some(tables) = &self.tables {
            let object = json!({"metadata": parsed(&metadata)});
            return tables.event("BOOKMARK", version, object, position);
        }
        if let Some(protobuf) = &self.protobuf {
            return protobuf.bookmark(parsed(&metadata));
        }
        let object = match self.content {
            Content::Metadata(_) => format!("{}{metadata}}}", self.head),
            Content::Whole | Content::Table(_) => {
                format!(r#"{}"metadata":{metadata}}}"#, self.head)
            }
        };
        format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n").into()
    }

    /// Encodes an ERROR event.
    pub(crate) fn error_event(&self, error: &ApiError) -> Bytes {
        error_event(error, self.wire())
    }

    /// A complete list in chunks, for representations that can't be streamed: tables, protobuf, and empty lists of
    /// metadata. `None` for others.
    pub(crate) fn buffered_list(
        &self,
        meta: &ListMeta,
        objects: &[Arc<StoredObject>],
    ) -> Option<Result<Vec<Bytes>, EncodeError>> {
        if let Some(protobuf) = &self.protobuf {
            return Some(protobuf.list(meta, objects));
        }
        if let (Content::Metadata(_), true) = (self.content, objects.is_empty()) {
            return Some(Ok(vec![empty_list::of_metadata(&self.list, meta)]));
        }
        let tables = self.tables.as_ref()?;
        let metadata: Value = serde_json::from_str(&format!("{{{}}}", meta.in_struct_order()))
            .expect("the metadata of a list is valid JSON");
        let objects: Vec<_> = objects.iter().map(|object| tables.decoded(object)).collect();
        Some(Ok(vec![tables.encode(metadata, &objects, EventPosition::First).into()]))
    }

    /// The bytes of a list before its first item.
    pub(crate) fn list_head(&self, meta: &ListMeta) -> String {
        let ListEnvelope { kind, api_version, order } = &self.list;
        match order {
            ListOrder::MetadataFirst => format!(
                r#"{{"kind":"{kind}","apiVersion":"{api_version}","metadata":{{{}}},"items":["#,
                meta.in_struct_order()
            ),
            ListOrder::MetadataLast => format!(r#"{{"apiVersion":"{api_version}","items":["#),
        }
    }

    /// The bytes of a list after its last item.
    pub(crate) fn list_tail(&self, meta: &ListMeta) -> String {
        match self.list.order {
            ListOrder::MetadataFirst => "]}\n".to_owned(),
            ListOrder::MetadataLast => {
                format!("],\"kind\":\"{}\",\"metadata\":{{{}}}}}\n", self.list.kind, meta.sorted())
            }
        }
    }
}

/// Encodes an ERROR event.
pub(crate) fn error_event(error: &ApiError, wire: Wire) -> Bytes {
    if wire == Wire::Protobuf {
        return protobuf::error_event(error);
    }
    let mut bytes = br#"{"type":"ERROR","object":"#.to_vec();
    bytes.extend_from_slice(&error.to_json());
    bytes.extend_from_slice(b"}\n");
    bytes.into()
}

/// Decodes an event frame, changes its JSON, and encodes it again. For injected faults.
pub(crate) fn changed_event(frame: &Bytes, wire: Wire, change: impl FnOnce(&mut Value)) -> Bytes {
    if wire == Wire::Protobuf {
        return protobuf::changed(frame, change).expect("the server encoded this frame itself");
    }
    let mut event: Value = serde_json::from_slice(frame).expect("the server encoded this frame itself");
    change(&mut event);
    let mut bytes = event.to_string().into_bytes();
    bytes.push(b'\n');
    bytes.into()
}

impl From<EncodeError> for ApiError {
    fn from(EncodeError(message): EncodeError) -> Self {
        ApiError::internal(format!("an object can't be encoded as protobuf: {message}"))
    }
}

impl TableEncoder {
    fn decoded(&self, object: &StoredObject) -> Value {
        Value::Object(convert::from_storage(&self.def, object.decoded()))
    }

    fn encode(&self, metadata: Value, objects: &[Value], position: EventPosition) -> Vec<u8> {
        let mut bytes = self.table(metadata, objects, position).to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }

    fn event(&self, event: &str, version: u64, object: Value, position: EventPosition) -> Bytes {
        let table = self.table(version_of(version), &[object], position);
        format!("{{\"type\":\"{event}\",\"object\":{table}}}\n").into()
    }

    fn table(&self, metadata: Value, objects: &[Value], position: EventPosition) -> Value {
        let mut table = table::table(&self.def, &metadata, objects, self.include, self.clock.now());
        table["apiVersion"] = json!(self.version.api_version());
        if position == EventPosition::Later {
            table["columnDefinitions"] = Value::Null;
        }
        table
    }
}

/// Parses the metadata of a bookmark.
fn parsed(metadata: &str) -> Value {
    serde_json::from_str(metadata).expect("the metadata of a bookmark is valid JSON")
}

/// The metadata of a table with one object.
fn version_of(version: u64) -> Value {
    json!({"resourceVersion": version.to_string()})
}

impl ListMeta {
    fn parts(&self) -> (String, Option<String>, Option<String>) {
        let version = format!(r#""resourceVersion":"{}""#, self.version);
        let token = self.continue_token.as_ref().map(|token| format!(r#""continue":"{token}""#));
        let remaining = self.remaining.map(|count| format!(r#""remainingItemCount":{count}"#));
        (version, token, remaining)
    }

    fn in_struct_order(&self) -> String {
        let (version, token, remaining) = self.parts();
        let shard =
            self.shard.as_ref().map(|selector| format!(r#""shardInfo":{}"#, json!({"selector": selector})));
        [Some(version), token, remaining, shard].into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    fn sorted(&self) -> String {
        let (version, token, remaining) = self.parts();
        let token = token.unwrap_or_else(|| r#""continue":"""#.to_owned());
        [Some(token), remaining, Some(version)].into_iter().flatten().collect::<Vec<_>>().join(",")
    }
}
