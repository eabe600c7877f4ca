//! A context for unit tests: informers are filled from objects in memory, and no watch runs.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use kube_client::Client;
use kube_core::dynamic::DynamicObject;
use serde::Serialize;
use serde_json::{Value, json};
use tidings_informer::{InformerConfig, SharedInformer, Sources, informer};
use tidings_object::{
    Intake, Kind, KnownObjects, NothingKnown, Projection, RawObject, ResourceKind, Scope, Version,
};
use tidings_source::{
    ListEnd, ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope, WatchOptions,
    WatchStream,
};
use tokio_util::sync::CancellationToken;

use super::{Context, FreshReads, LateReads, SharedContext};
use crate::caches::{ControllerCache, ControllerCaches};
use crate::recorder::Recorder;
use crate::request::Request;
use crate::writes::{PendingWrites, WriteLog};

/// Builds a [`Context`] for unit tests. See [`Context::for_test`].
///
/// Objects get a uid, a `resourceVersion` and the namespace `default` if they have none. The caches do not change while
/// the test runs: writes go to the client, and no cache shows them. [`Context::get`] and [`Context::list`] read what was
/// written from the client.
#[derive(Clone)]
#[must_use = "call `build` to get the context"]
pub struct TestContext {
    client: Client,
    controller: String,
    kinds: Vec<TestKind>,
}

/// The objects of one cache.
#[derive(Clone)]
struct TestKind {
    resource: ResourceKind,
    projection: Projection,
    objects: Vec<Value>,
}

impl TestContext {
    pub(super) fn new(client: Client) -> Self {
        TestContext { client, controller: "test".to_owned(), kinds: Vec::new() }
    }

    /// The name of the controller. Default `test`.
    pub fn named(mut self, controller: impl Into<String>) -> Self {
        self.controller = controller.into();
        self
    }

    /// Puts an object into the cache of its kind.
    pub fn object<K: Kind + Serialize>(self, object: &K) -> Self {
        self.put(K::resource(), Projection::Full, object)
    }

    /// Puts the metadata of an object into the cache that [`Context::metadata`] reads.
    pub fn metadata<K: Kind + Serialize>(self, object: &K) -> Self {
        self.put(K::resource(), Projection::Metadata, object)
    }

    /// Puts an object of a resource that is known only at run time into its cache.
    pub fn object_of(self, resource: impl Into<ResourceKind>, object: &DynamicObject) -> Self {
        self.put(resource.into(), Projection::Full, object)
    }

    /// Gives the context a cache of this kind that may be empty.
    pub fn reads<K: Kind>(mut self) -> Self {
        self.kind(K::resource(), Projection::Full);
        self
    }

    /// As [`reads`](Self::reads), for [`Context::metadata`].
    pub fn reads_metadata<K: Kind>(mut self) -> Self {
        self.kind(K::resource(), Projection::Metadata);
        self
    }

    /// The context of a reconcile of this request.
    ///
    /// # Panics
    ///
    /// If an object can't be encoded as JSON, or has no name.
    pub async fn build(self, request: &Request) -> Context {
        let (mut caches, log) = (ControllerCaches::default(), WriteLog::default());
        for kind in self.kinds {
            let projection = kind.projection;
            caches.push(ControllerCache::new(projection, kind.into_informer().await, &log).owned(true));
        }
        let (recorder, _) = Recorder::new(self.client.clone(), self.controller.as_str());
        let shared = SharedContext {
            controller: self.controller,
            client: self.client,
            recorder,
            caches,
            pending_writes: PendingWrites::default(),
            causes: Arc::default(),
            fresh_reads: FreshReads { within: Duration::ZERO, late: LateReads::Live },
            counters: Arc::default(),
        };
        Context::new(Arc::new(shared), request.clone(), CancellationToken::new(), 0, Arc::default())
    }

    fn put(mut self, resource: ResourceKind, projection: Projection, object: &impl Serialize) -> Self {
        let object = serde_json::to_value(object);
        let object = object.unwrap_or_else(|error| panic!("encoding an object of {resource}: {error}"));
        self.kind(resource, projection).objects.push(object);
        self
    }

    fn kind(&mut self, resource: ResourceKind, projection: Projection) -> &mut TestKind {
        let is_same = |kind: &TestKind| kind.resource == resource && kind.projection == projection;
        let at = self.kinds.iter().position(is_same).unwrap_or(self.kinds.len());
        if at == self.kinds.len() {
            self.kinds.push(TestKind { resource, projection, objects: Vec::new() });
        }
        &mut self.kinds[at]
    }
}

impl TestKind {
    /// An informer whose cache contains the objects. Its task ends after the first list; the cache stays readable.
    async fn into_informer(self) -> SharedInformer<()> {
        let TestKind { resource, projection, objects } = self;
        let intake = Arc::new(Intake::new(resource.clone(), Arc::default()));
        let mut parsed = Vec::with_capacity(objects.len());
        for (at, object) in objects.into_iter().enumerate() {
            let object = completed(object, &resource, projection, at);
            let object = intake.json(object.to_string().as_bytes(), &NothingKnown);
            parsed.push(object.unwrap_or_else(|error| panic!("an object of {resource} for a test: {error}")));
        }
        let source = Arc::new(FixedSource { resource, objects: parsed });
        let mut config = InformerConfig::default();
        config.name = format!("test {}", source.resource);
        let (handle, task) = informer::<()>(intake, source, vec![StreamScope::All], config);
        tokio::select! {
            biased;
            synced = handle.synced() => synced.expect("the objects are in memory"),
            () = task.run() => unreachable!("the handle keeps the informer running"),
        }
        handle
    }
}

/// The object with the metadata that a server would have set.
fn completed(mut object: Value, resource: &ResourceKind, projection: Projection, at: usize) -> Value {
    if projection == Projection::Metadata
        && let Some(fields) = object.as_object_mut()
    {
        fields.retain(|name, _| matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        let mut default = |field: &str, value: Value| {
            metadata.entry(field).or_insert(value);
        };
        default("uid", json!(format!("test-uid-{}-{at}", resource.plural)));
        default("resourceVersion", json!("1"));
        if resource.scope == Scope::Namespaced {
            default("namespace", json!("default"));
        }
    }
    object
}

/// Lists these objects, and sends no events.
struct FixedSource {
    resource: ResourceKind,
    objects: Vec<Arc<RawObject>>,
}

impl Sources for FixedSource {
    fn open(&self, _: &StreamScope, _: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch> {
        Arc::new(FixedSource { resource: self.resource.clone(), objects: self.objects.clone() })
    }
}

impl ListWatch for FixedSource {
    fn resource(&self) -> &ResourceKind {
        &self.resource
    }

    fn scope(&self) -> &StreamScope {
        &StreamScope::All
    }

    fn may_stream_lists(&self) -> bool {
        false
    }

    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let version = Version::from(1);
        let end = ListEnd { version, continue_token: None, remaining_items: None, sharded: None };
        let parts: Vec<_> =
            self.objects.iter().cloned().map(ListPart::Object).chain([ListPart::End(end)]).collect();
        async { Ok(stream::iter(parts).map(Ok).boxed()) }.boxed()
    }

    fn watch(&self, _: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async { Ok(stream::pending().boxed()) }.boxed()
    }
}

impl std::fmt::Debug for TestContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> =
            self.kinds.iter().map(|kind| format!("{}: {}", kind.resource, kind.objects.len())).collect();
        f.debug_struct("TestContext").field("controller", &self.controller).field("kinds", &kinds).finish()
    }
}
