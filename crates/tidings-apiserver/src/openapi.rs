//! The OpenAPI documents, with what `kubectl` needs for apply, explain and validation.
//!
//! OpenAPI v3 has one document per group and version. OpenAPI v2 has one document for all, as JSON or as the protobuf
//! that older clients need. The documents have all fields and types, but no descriptions. Both versions come from one
//! table.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::discovery::{Document, VERSION, groups};
use crate::request::accept::ranges;
use crate::resource::ResourceDef;

mod paths;
mod protobuf;
mod schemas;

use schemas::{OpenApiVersion, collect};

/// The media type that clients accept. It is not well-formed (`@` is not allowed), so the response can't have it.
const V2_PROTOBUF_ACCEPTED: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/// The media type of the response. Clients may accept this one too.
const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The OpenAPI v2 document as JSON, or as protobuf if the client prefers it. `None` if the client accepts neither.
pub(crate) fn v2(accept: Option<&str>, defs: &[Arc<ResourceDef>]) -> Option<Document> {
    let accept = accept.filter(|accept| !accept.trim().is_empty()).unwrap_or("*/*");
    for range in ranges(accept) {
        if [V2_PROTOBUF_ACCEPTED, V2_PROTOBUF].contains(&range.media_type.as_str()) {
            return Some(Document {
                content_type: V2_PROTOBUF.to_owned(),
                body: protobuf::encode(&v2_json(defs)),
            });
        }
        if range.takes_json() {
            return Some(Document::json(&v2_json(defs)));
        }
    }
    None
}

fn v2_json(defs: &[Arc<ResourceDef>]) -> Value {
    let definitions = collect(defs.iter().map(Arc::as_ref), OpenApiVersion::V2);
    let mut paths = Map::new();
    for def in defs {
        paths::insert(def, OpenApiVersion::V2, &mut paths);
    }
    json!({"swagger": "2.0", "info": info(), "paths": paths, "definitions": definitions})
}

/// The index of the OpenAPI v3 documents. The URL of a document has a hash of its content, because clients cache by
/// URL.
pub(crate) fn v3_index(defs: &[Arc<ResourceDef>]) -> Value {
    let mut paths = Map::new();
    for (group, versions) in groups(defs) {
        for version in versions {
            let path =
                if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") };
            let of_version = defs.iter().filter(|def| def.group == group && def.version == version);
            let hash = fingerprint(of_version.map(Arc::as_ref));
            let url = format!("/openapi/v3/{path}?hash={hash:016X}");
            paths.insert(path, json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

/// The OpenAPI v3 document of one group and version; `None` if it is not served.
pub(crate) fn v3(defs: &[Arc<ResourceDef>], group: &str, version: &str) -> Option<Value> {
    let of_version: Vec<_> =
        defs.iter().filter(|def| def.group == group && def.version == version).map(Arc::as_ref).collect();
    if of_version.is_empty() {
        return None;
    }
    let mut paths = Map::new();
    for def in &of_version {
        paths::insert(def, OpenApiVersion::V3, &mut paths);
    }
    let schemas = collect(of_version.into_iter(), OpenApiVersion::V3);
    Some(json!({"openapi": "3.0.0", "info": info(), "paths": paths, "components": {"schemas": schemas}}))
}

fn info() -> Value {
    json!({"title": "Kubernetes", "version": VERSION.2})
}

/// An FNV-1a hash of the definitions in a document. It is the same in every process.
fn fingerprint<'a>(defs: impl Iterator<Item = &'a ResourceDef>) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for def in defs {
        let schema = def.custom().and_then(|origin| origin.schema.as_ref()).map(Value::to_string);
        let text = format!("{} {} {:?} {}", def.kind, def.plural, def.verbs, schema.unwrap_or_default());
        hash = text.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    }
    hash
}

#[cfg(test)]
mod tests;
