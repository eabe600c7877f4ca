//! [`ListWatch`] over kube-client: requests out, parts and events in. Of one request it keeps nothing to the next
//! but whether protobuf was refused, and nothing that it yields is a slice of what it received.

mod answer;
mod builder;
mod chunks;
mod listing;
mod shard;
mod watching;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{Request, Response, StatusCode};
use kube_client::Client;
use kube_client::client::Body;
use tidings_object::{Intake, KnownObjects, LabelSelector, Projection, ResourceKind, Wire};

use self::answer::Answer;
pub use self::builder::{BuildError, KubeSourceBuilder};
use self::listing::Listing;
use self::watching::Watching;
use crate::list_head::ListKind;
use crate::list_split::ListSplit;
use crate::wire::{Asked, Negotiation};
use crate::{
    ListOptions, ListStream, ListWatch, Query, ShardRange, SourceError, StreamScope, Trouble, WatchOptions,
    WatchStream, WirePreference, asked, network,
};

/// The largest frame that is taken unless told otherwise: 64 MiB.
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
        match self.ask(Query::of_list(&options), Asked::List(self.projection), encoding).await {
            Ok(answer) => {
                let kind = ListKind::of(&self.resource, self.projection);
                let split = ListSplit::new(answer.wire, kind, self.frame_bytes_max);
                let (intake, known) = (Arc::clone(&self.intake), Arc::clone(&self.known));
                let list = Listing::new(asked.clone(), answer, split, intake, known).into_stream();
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
        // Packed, a watch would be one gzip member an event: no smaller, and dearer.
        match self.ask(Query::of_watch(&options), Asked::Watch(self.projection), "identity").await {
            Ok(answer) => {
                let (intake, known) = (Arc::clone(&self.intake), Arc::clone(&self.known));
                let watch = Watching::new(asked, answer, self.frame_bytes_max, intake, known);
                Ok(match self.shard {
                    Some(range) => shard::of_watch(watch.into_stream(), range),
                    None => watch.into_stream(),
                })
            }
            Err(trouble) => Err(SourceError { asked, trouble }),
        }
    }

    /// Asks for protobuf where it can be had, and once more for JSON where it then can't.
    async fn ask(&self, query: Query, asked: Asked, encoding: &'static str) -> Result<Answer, Trouble> {
        let uri = self.uri(query);
        let preferred = self.preferred_wire();
        let mut response = self.send(&uri, asked.accept(preferred), encoding).await?;
        let is_refusal = [StatusCode::NOT_ACCEPTABLE, StatusCode::UNSUPPORTED_MEDIA_TYPE];
        if preferred == Wire::Protobuf && is_refusal.contains(&response.status()) {
            if self.negotiation.refuse() {
                let (resource, code) = (&self.resource, response.status().as_u16());
                tracing::info!(%resource, scope = %self.scope, code, "protobuf is refused: JSON from now on");
            }
            response = self.send(&uri, asked.accept(Wire::Json), encoding).await?;
        }
        let answer = Answer::of(response, asked, self.intake.speaks_protobuf()).await?;
        self.negotiation.note(answer.wire);
        Ok(answer)
    }

    fn preferred_wire(&self) -> Wire {
        let may_be_protobuf = self.wire_preference == WirePreference::ProtobufFirst
            && self.intake.speaks_protobuf()
            && !self.negotiation.is_refused();
        if may_be_protobuf { Wire::Protobuf } else { Wire::Json }
    }

    async fn send(
        &self,
        uri: &str,
        accept: &'static str,
        encoding: &'static str,
    ) -> Result<Response<Body>, Trouble> {
        let request = Request::get(uri)
            .header(ACCEPT, accept)
            // Said even when nothing is wanted: a client with kube's `gzip` would ask for it otherwise.
            .header(ACCEPT_ENCODING, encoding)
            .body(Body::empty())
            .map_err(|error| network::trouble(&error))?;
        self.client.send(request).await.map_err(|error| network::trouble(&error))
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

    fn wire(&self) -> Option<Wire> {
        self.negotiation.got()
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
