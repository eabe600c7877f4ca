//! [`ListWatch`] over kube-client: requests out, parts and events in. It keeps nothing from one request to the
//! next, and nothing that it yields is a slice of what it received.

mod builder;
mod chunks;
mod listing;
mod shard;
mod watching;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap};
use http::{Request, Response};
use kube_client::Client;
use kube_client::client::Body;
use tidings_object::{Intake, KnownObjects, LabelSelector, Projection, ResourceKind};

pub use self::builder::{BuildError, KubeSourceBuilder};
use self::chunks::Chunks;
use self::listing::Listing;
use self::watching::Watching;
use crate::json::list_split::ListSplit;
use crate::list_head::ListKind;
use crate::{
    ListOptions, ListStream, ListWatch, Query, ShardRange, SourceError, StreamScope, Trouble, WatchOptions,
    WatchStream, asked, network, status,
};

/// The largest frame that is taken unless told otherwise: 64 MiB.
pub const FRAME_BYTES_MAX_DEFAULT: usize = 64 << 20;

/// One resource of an API server, in one namespace or in all.
#[derive(Clone)]
pub struct KubeSource {
    client: Client,
    resource: ResourceKind,
    scope: StreamScope,
    path: String,
    label_selector: LabelSelector,
    field_selector: String,
    projection: Projection,
    list_encoding: ListEncoding,
    may_stream_lists: bool,
    frame_bytes_max: usize,
    shard: Option<ShardRange>,
    tweak: Option<Tweak>,
    intake: Arc<Intake>,
    known: Arc<dyn KnownObjects>,
}

type Tweak = Arc<dyn Fn(&mut Query) + Send + Sync>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListEncoding {
    Identity,
    Gzip,
}

impl KubeSource {
    /// A source of all objects of `resource` that `client` can see, until told otherwise.
    pub fn builder(client: Client, resource: ResourceKind) -> KubeSourceBuilder {
        KubeSourceBuilder::new(client, resource)
    }

    async fn start_list(&self, options: ListOptions) -> Result<ListStream, SourceError> {
        let asked = asked::list(&self.resource, &self.scope, &options);
        let encoding = match self.list_encoding {
            ListEncoding::Identity => "identity",
            ListEncoding::Gzip => "gzip",
        };
        let accept = match self.projection {
            Projection::Full => "application/json",
            Projection::Metadata => "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        };
        match self.send(Query::of_list(&options), accept, encoding).await {
            Ok((headers, chunks)) => {
                let kind = ListKind::of(&self.resource, self.projection);
                let split = ListSplit::new(kind, self.frame_bytes_max);
                let (intake, known) = (Arc::clone(&self.intake), Arc::clone(&self.known));
                let list = Listing::new(asked.clone(), headers, chunks, split, intake, known).into_stream();
                Ok(match self.shard {
                    Some(range) => shard::of_list(list, range, asked),
                    None => list,
                })
            }
            Err(trouble) => Err(SourceError { asked, trouble }),
        }
    }

    async fn start_watch(&self, options: WatchOptions) -> Result<WatchStream, SourceError> {
        let asked = asked::watch(&self.resource, &self.scope, &options);
        let accept = match self.projection {
            Projection::Full => "application/json",
            Projection::Metadata => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        };
        // Packed, a watch would be one gzip member an event: no smaller, and dearer.
        match self.send(Query::of_watch(&options), accept, "identity").await {
            Ok((headers, chunks)) => {
                let (intake, known) = (Arc::clone(&self.intake), Arc::clone(&self.known));
                let watch = Watching::new(asked, headers, chunks, self.frame_bytes_max, intake, known);
                Ok(match self.shard {
                    Some(range) => shard::of_watch(watch.into_stream(), range),
                    None => watch.into_stream(),
                })
            }
            Err(trouble) => Err(SourceError { asked, trouble }),
        }
    }

    async fn send(
        &self,
        query: Query,
        accept: &'static str,
        encoding: &'static str,
    ) -> Result<(HeaderMap, Chunks), Trouble> {
        let request = Request::get(self.uri(query))
            .header(ACCEPT, accept)
            // Said even when nothing is wanted: a client with kube's `gzip` would ask for it otherwise.
            .header(ACCEPT_ENCODING, encoding)
            .body(Body::empty())
            .map_err(|error| network::trouble(&error))?;
        let response = self.client.send(request).await.map_err(|error| network::trouble(&error))?;
        let (parts, body) = Response::into_parts(response);
        if parts.status.is_success() {
            return Ok((parts.headers.clone(), Chunks::new(body, &parts.headers)?));
        }
        let body = chunks::beginning(body, &parts.headers).await;
        Err(Trouble::Status(status::from_answer(parts.status.as_u16(), &parts.headers, &body)))
    }

    fn uri(&self, mut query: Query) -> String {
        if !self.label_selector.is_everything() {
            query.set("labelSelector", self.label_selector.to_string());
        }
        if !self.field_selector.is_empty() {
            query.set("fieldSelector", &*self.field_selector);
        }
        if let Some(range) = &self.shard {
            query.set("shardSelector", range.to_string());
        }
        if let Some(tweak) = &self.tweak {
            tweak(&mut query);
        }
        query.uri(&self.path)
    }
}

impl ListWatch for KubeSource {
    fn resource(&self) -> &ResourceKind {
        &self.resource
    }

    fn scope(&self) -> &StreamScope {
        &self.scope
    }

    fn may_stream_lists(&self) -> bool {
        // A streaming list does not say whether a shard was applied.
        self.may_stream_lists && self.shard.is_none()
    }

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        Box::pin(self.start_list(options))
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        Box::pin(self.start_watch(options))
    }
}

impl fmt::Debug for KubeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KubeSource")
            .field("path", &self.path)
            .field("label_selector", &format_args!("{}", self.label_selector))
            .field("field_selector", &self.field_selector)
            .field("projection", &self.projection)
            .finish_non_exhaustive()
    }
}
