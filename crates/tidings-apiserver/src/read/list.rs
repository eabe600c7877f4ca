//! LIST: the objects of one version, in pages if requested, streamed in chunks.
//!
//! The objects of a page are selected before the first byte is sent. Their bodies are copied into chunks as the client
//! reads; they are never decoded.

use std::sync::Arc;
use std::vec;

use bytes::Bytes;
use futures_util::stream;
use http::{Response, StatusCode};
use tokio::time::timeout;

use super::plan::{ListPlan, ListVersion};
use crate::body::{self, ConnectionLost, ResponseBody};
use crate::request::continue_token::ContinueToken;
use crate::request::{Content, Representation, RequestOptions, Selection};
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::status::ApiError;
use crate::store::{KeyRange, SnapshotError, StoredObject};
use crate::wire::{LIST_CHUNK_BYTES, ListMeta, ObjectEncoder};

#[derive(Debug)]
pub(crate) struct ListPage {
    pub(crate) meta: ListMeta,
    pub(crate) objects: Vec<Arc<StoredObject>>,
}

pub(crate) async fn answer(
    core: &Core,
    def: &ResourceDef,
    namespace: Option<&str>,
    options: &RequestOptions,
    representation: Representation,
) -> Result<Response<ResponseBody>, ApiError> {
    let page = page(core, def, namespace, options).await?;
    response(core, def, options, representation, page)
}

/// Selects the objects of a page.
pub(crate) async fn page(
    core: &Core,
    def: &ResourceDef,
    namespace: Option<&str>,
    options: &RequestOptions,
) -> Result<ListPage, ApiError> {
    options.check_list()?;
    let selection = Selection::of(def, options, core.settings.shard_selectors)?;
    let plan = ListPlan::of(options, core.settings.watch_cache)?;
    let at = match plan.at {
        ListVersion::Newest => None,
        ListVersion::NotOlderThan(version) => {
            wait_until(core, version).await?;
            None
        }
        ListVersion::Exactly(version) => {
            wait_until(core, version).await?;
            Some(version)
        }
    };
    let mut range = range(namespace);
    if let Some(token) = &plan.start {
        range = range.starting_at(&token.start_key(namespace));
    }
    let limit = plan.limit.unwrap_or(usize::MAX);
    let most = if selection.is_everything() { limit } else { usize::MAX };
    let read = core.store.snapshot(&def.storage, &range, most, at);
    let snapshot = read.map_err(|error| past_error(error, &plan))?;
    let version = snapshot.version;
    let mut objects = snapshot.objects;
    let mut remaining = Some(snapshot.remaining);
    if !selection.is_everything() {
        objects.retain(|object| selection.matches(object));
        remaining = if objects.len() > limit { None } else { Some(0) };
        objects.truncate(limit);
    }
    let shard = selection.shard().map(ToString::to_string);
    let mut meta = ListMeta { version, shard, ..ListMeta::default() };
    if remaining != Some(0) {
        let last = objects.last().map_or("", |last| last.key());
        meta.continue_token = Some(ContinueToken::after(last, namespace, Some(version)).encode());
        meta.remaining = remaining;
    }
    Ok(ListPage { meta, objects })
}

/// The keys of one namespace, or all keys.
pub(crate) fn range(namespace: Option<&str>) -> KeyRange {
    namespace.map_or_else(KeyRange::all, KeyRange::namespace)
}

fn past_error(error: SnapshotError, plan: &ListPlan) -> ApiError {
    match (error, &plan.start) {
        (SnapshotError::Compacted { .. }, Some(token)) => {
            let fresh = ContinueToken { version: None, start: token.start.clone() };
            ApiError::expired_continue(fresh.encode())
        }
        (SnapshotError::Compacted { .. }, None) => {
            ApiError::expired("The resourceVersion for the provided list is too old.")
        }
        (SnapshotError::Future { newest }, _) => ApiError::too_large_resource_version(newest + 1, newest),
    }
}

/// Waits until the store has reached a version; a 504 if that takes too long.
pub(crate) async fn wait_until(core: &Core, version: u64) -> Result<(), ApiError> {
    let mut newest = core.store.newest();
    let reached =
        timeout(core.settings.future_version_timeout, newest.wait_for(|newest| *newest >= version)).await;
    match reached {
        Ok(_) => Ok(()),
        Err(_) => Err(ApiError::too_large_resource_version(version, core.store.version())),
    }
}

/// The response with a list. It falls back to JSON if an object can't be encoded as protobuf and the client accepts
/// JSON.
pub(crate) fn response(
    core: &Core,
    def: &ResourceDef,
    options: &RequestOptions,
    representation: Representation,
    mut page: ListPage,
) -> Result<Response<ResponseBody>, ApiError> {
    // Kubernetes loses it when it converts a list to metadata or to a table, and its lists of custom resources do not
    // have it.
    if representation.content != Content::Whole || def.is_custom() {
        page.meta.shard = None;
    }
    let encoder = ObjectEncoder::of(core, def, options, representation)?;
    let media_type = encoder.media_type();
    let body = match (encoder.buffered_list(&page.meta, &page.objects), representation.in_json()) {
        (Some(Err(_)), Some(in_json)) => return response(core, def, options, in_json, page),
        (Some(chunks), _) => body::streamed(stream::iter(chunks?.into_iter().map(Ok))),
        (None, _) => streamed(encoder, page),
    };
    Ok(body::with_type(StatusCode::OK, media_type, body))
}

fn streamed(encoder: ObjectEncoder, page: ListPage) -> ResponseBody {
    let head = encoder.list_head(&page.meta).into_bytes();
    let writer =
        ListWriter { encoder, meta: page.meta, items: page.objects.into_iter(), next: NextPart::Head(head) };
    body::streamed(stream::unfold(writer, |mut writer| async {
        // Yields to other tasks now and then: this stream has no other await point.
        tokio::task::coop::consume_budget().await;
        writer.chunk().map(|chunk| (Ok::<_, ConnectionLost>(chunk), writer))
    }))
}

struct ListWriter {
    encoder: ObjectEncoder,
    meta: ListMeta,
    items: vec::IntoIter<Arc<StoredObject>>,
    next: NextPart,
}

enum NextPart {
    Head(Vec<u8>),
    Items,
    Nothing,
}

impl ListWriter {
    fn chunk(&mut self) -> Option<Bytes> {
        let is_first = matches!(self.next, NextPart::Head(_));
        let mut chunk = match std::mem::replace(&mut self.next, NextPart::Items) {
            NextPart::Head(head) => head,
            NextPart::Items => Vec::new(),
            NextPart::Nothing => {
                self.next = NextPart::Nothing;
                return None;
            }
        };
        let expected_bytes: usize =
            self.items.as_slice().iter().take(64).map(|item| item.body().len() + 128).sum();
        chunk.reserve(expected_bytes.min(LIST_CHUNK_BYTES + (16 << 10)) + 256);
        let mut separator: &[u8] = if is_first { b"" } else { b"," };
        while chunk.len() < LIST_CHUNK_BYTES {
            let Some(item) = self.items.next() else {
                chunk.extend_from_slice(self.encoder.list_tail(&self.meta).as_bytes());
                self.next = NextPart::Nothing;
                break;
            };
            chunk.extend_from_slice(separator);
            separator = b",";
            self.encoder.write_item(&item, &mut chunk);
        }
        Some(chunk.into())
    }
}
