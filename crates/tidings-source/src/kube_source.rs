//! [`ListWatch`] over kube-client.
//!
//! It keeps no state between requests, except the state of content negotiation. The objects that it yields do not borrow
//! from the received bytes.

mod body_chunks;
mod builder;
pub(crate) mod gunzip;
mod list_reader;
mod query;
mod response;
mod shard_filter;
mod watch_reader;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{Request, Response, StatusCode};
use kube_client::Client;
use kube_client::client::Body;
use tidings_object::{Intake, KnownObjects, LabelSelector, Projection, ResourceKind, Wire};

pub use self::builder::KubeSourceBuilder;
use self::list_reader::ListReader;
pub use self::query::Query;
use self::response::OpenResponse;
use self::watch_reader::WatchReader;
use crate::error::transport;
use crate::port::request_text;
use crate::wire::list_head::ListKind;
use crate::wire::negotiation::Negotiation;
use crate::wire::{ListSplitter, RequestKind};
use crate::{
    ErrorKind, ListOptions, ListStream, ListWatch, ShardRange, SourceError, StreamScope, WatchOptions,
    WatchStream, WirePreference,
};

/// The default limit of a frame: 64 MiB.
pub const FRAME_BYTES_MAX_DEFAULT: usize = 64 << 20;

/// One resource of an API server, in one namespace or in all.
///
/// ```
/// use futures_util::StreamExt as _;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_object::{Kind, LabelSelector};
/// use tidings_source::{KubeSource, ListOptions, ListPart, ListWatch};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = tidings_apiserver::ApiServer::start().await;
/// # server.put("configmaps", serde_json::json!({"metadata": {"namespace": "shop", "name": "a", "labels": {"app": "web"}}}));
/// # let client = server.client();
/// let source = KubeSource::builder(client, ConfigMap::resource()) // any kube_client::Client
///     .namespace("shop")
///     .label_selector(LabelSelector::parse("app=web")?)
///     .build()?;
/// let mut parts = source.list(ListOptions::default()).await?;
/// assert!(matches!(parts.next().await, Some(Ok(ListPart::Object(map))) if map.name() == "a"));
/// assert!(matches!(parts.next().await, Some(Ok(ListPart::End(_)))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct KubeSource {
    client: Client,
    resource: ResourceKind,
    scope: StreamScope,
    path: String,
    label_selector: LabelSelector,
    field_selector: String,
    projection: Projection,
    wire_preference: WirePreference,
    negotiation: Arc<Negotiation>,
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

impl ListEncoding {
    /// The value of the `Accept-Encoding` header.
    fn accepted(self) -> &'static str {
        match self {
            ListEncoding::Identity => "identity",
            ListEncoding::Gzip => "gzip",
        }
    }
}

impl KubeSource {
    /// Builds a source of `resource`, by default of all its objects in all namespaces.
    pub fn builder(client: Client, resource: ResourceKind) -> KubeSourceBuilder {
        KubeSourceBuilder::new(client, resource)
    }

    async fn start_list(&self, options: ListOptions) -> Result<ListStream, SourceError> {
        let request = request_text::list(&self.resource, &self.scope, &options);
        let encoding = self.list_encoding.accepted();
        match self.request(Query::of_list(&options), RequestKind::List(self.projection), encoding).await {
            Ok(response) => {
                let kind = ListKind::of(&self.resource, self.projection);
                let splitter = ListSplitter::new(response.wire, kind, self.frame_bytes_max);
                let (intake, known) = (Arc::clone(&self.intake), Arc::clone(&self.known));
                let list = ListReader::new(request.clone(), response, splitter, intake, known).into_stream();
                Ok(match self.shard {
                    Some(range) => shard_filter::of_list(list, range, request),
                    None => list,
                })
            }
            Err(kind) => Err(SourceError { request, kind }),
        }
    }

    async fn start_watch(&self, options: WatchOptions) -> Result<WatchStream, SourceError> {
        let request = request_text::watch(&self.resource, &self.scope, &options);
        // Kubernetes 1.37 compresses a watch only if it is a streaming list, and then as long as it lasts: one gzip
        // member for each flush, with all events that were ready. An older server ignores the header, and so does every
        // server for a watch alone.
        let encoding = if options.send_initial_events { self.list_encoding } else { ListEncoding::Identity };
        let request_kind = RequestKind::Watch(self.projection);
        match self.request(Query::of_watch(&options), request_kind, encoding.accepted()).await {
            Ok(response) => {
                let (intake, known) = (Arc::clone(&self.intake), Arc::clone(&self.known));
                let watch = WatchReader::new(request, response, self.frame_bytes_max, intake, known);
                Ok(match self.shard {
                    Some(range) => shard_filter::of_watch(watch.into_stream(), range),
                    None => watch.into_stream(),
                })
            }
            Err(kind) => Err(SourceError { request, kind }),
        }
    }

    /// Requests protobuf if possible. If the server refuses it, requests JSON.
    async fn request(
        &self,
        query: Query,
        request: RequestKind,
        encoding: &'static str,
    ) -> Result<OpenResponse, ErrorKind> {
        let uri = self.uri(query);
        let preferred = self.negotiation.preferred(self.wire_preference, self.intake.accepts_protobuf());
        let mut response = self.send(&uri, request.accept(preferred), encoding).await?;
        let is_refusal = [StatusCode::NOT_ACCEPTABLE, StatusCode::UNSUPPORTED_MEDIA_TYPE];
        if preferred == Wire::Protobuf && is_refusal.contains(&response.status()) {
            if self.negotiation.refuse_protobuf() {
                let (resource, code) = (&self.resource, response.status().as_u16());
                tracing::info!(%resource, scope = %self.scope, code, "the server refuses protobuf, using JSON");
            }
            response = self.send(&uri, request.accept(Wire::Json), encoding).await?;
        }
        let response = OpenResponse::new(response, request, self.intake.accepts_protobuf()).await?;
        self.negotiation.record(response.wire);
        Ok(response)
    }

    async fn send(
        &self,
        uri: &str,
        accept: &'static str,
        encoding: &'static str,
    ) -> Result<Response<Body>, ErrorKind> {
        let request = Request::get(uri)
            .header(ACCEPT, accept)
            // Set it even for `identity`: otherwise a client with kube's `gzip` feature requests gzip.
            .header(ACCEPT_ENCODING, encoding)
            .body(Body::empty())
            .map_err(|error| transport::error_kind(&error))?;
        self.client.send(request).await.map_err(|error| transport::error_kind(&error))
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
        // The response to a streaming list does not report whether the server applied the shard.
        self.may_stream_lists && self.shard.is_none()
    }

    fn wire(&self) -> Option<Wire> {
        self.negotiation.last_wire()
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
