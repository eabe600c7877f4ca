//! The context of a reconcile: client, caches, tracked writes and event recorder, for one request.

mod test_context;

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Client;
use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use serde::de::DeserializeOwned;
use tidings_informer::informer::SharedInformer;
use tidings_informer::lister::Lister;
use tidings_object::{Key, Kind, Object, Projection, ResourceKind};
use tokio_util::sync::CancellationToken;

pub use test_context::TestContext;

use crate::caches::ControllerCaches;
use crate::reconciler::Error;
use crate::recorder::Recorder;
use crate::request::Request;
use crate::writes::{PendingWrites, TrackedApi, TrackedWrite, WriteEffect};

/// What a reconciler works with: reads come from the controller's caches, writes are tracked.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_controller::{Action, Context, Error, Request};
///
/// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
///     let Some(map) = context.get::<ConfigMap>(&request).await? else {
///         return Ok(Action::await_change()); // the object was deleted
///     };
///     let mut map = ConfigMap::clone(&map);
///     map.data.get_or_insert_default().insert("seen-by".to_owned(), context.controller().to_owned());
///     context.api::<ConfigMap>().replace(&map).await?; // the next reconcile finds this version in the cache
///     Ok(Action::await_change())
/// }
/// ```
#[derive(Clone)]
pub struct Context {
    shared: Arc<SharedContext>,
    request: Request,
    stop: CancellationToken,
}

/// The part of a context that all reconciles of a controller share.
pub(crate) struct SharedContext {
    pub(crate) controller: String,
    pub(crate) client: Client,
    pub(crate) recorder: Recorder,
    pub(crate) caches: ControllerCaches,
    pub(crate) pending_writes: PendingWrites,
}

impl Context {
    pub(crate) fn new(shared: Arc<SharedContext>, request: Request, stop: CancellationToken) -> Self {
        Context { shared, request, stop }
    }

    /// Builds a context for unit tests of a reconciler, without a controller: its caches contain the given objects, and
    /// writes go to `client`.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    /// use serde_json::{from_value, json};
    /// use tidings_controller::{Action, Context, Error, Request};
    ///
    /// /// Gives each config map a secret.
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     let Some(map) = context.get::<ConfigMap>(&request).await? else {
    ///         return Ok(Action::await_change());
    ///     };
    ///     if context.get::<Secret>(&request).await?.is_none() {
    ///         let secret = from_value(json!({ "metadata": { "name": map.metadata.name } }))?;
    ///         context.api::<Secret>().create(&secret).await?;
    ///     }
    ///     Ok(Action::await_change())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let server = tidings_apiserver::ApiServer::start().await;
    /// let map: ConfigMap = from_value(json!({ "metadata": { "name": "settings" } }))?;
    /// let request = Request::new(Some("default"), "settings")?;
    /// let context = Context::for_test(server.client()).object(&map).reads::<Secret>().build(&request).await;
    ///
    /// assert_eq!(reconcile(request, context).await?, Action::await_change());
    /// assert!(server.object("secrets", "default/settings").is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_test(client: Client) -> TestContext {
        TestContext::new(client)
    }

    /// The object with this key from the controller's cache, decoded, or `None` if there is none. Most reconcilers
    /// begin with `context.get::<K>(&request)`.
    ///
    /// It sends no request to the server. [`lister`](Self::lister) reads without decoding, lists, and reads indexes.
    ///
    /// # Errors
    ///
    /// If the object can't be decoded as a `K`.
    ///
    /// # Panics
    ///
    /// As [`lister`](Self::lister).
    #[expect(clippy::unused_async, reason = "it will wait for the request's own writes")]
    pub async fn get<K>(&self, key: &Key) -> Result<Option<Arc<K>>, Error>
    where
        K: Kind + DeserializeOwned + Send + Sync + 'static,
    {
        let found = self.cache_of::<K>(Projection::Full, "reads").reader().get(key);
        Ok(found.map(|object| Object::<K>::new(object).decoded()).transpose()?)
    }

    /// The request of this reconcile.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.shared.controller
    }

    /// The client. Its writes are not tracked: use [`api`](Self::api) for tracked writes.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Reads objects of a kind from the controller's cache. It sends no request to the server. If the kind was declared
    /// more than once, with different options, the first declaration is used.
    ///
    /// # Panics
    ///
    /// If the controller neither watches nor reads this kind: declare it with `reads::<K>()`.
    pub fn lister<K: Kind>(&self) -> Lister<K> {
        self.cache_of::<K>(Projection::Full, "reads").lister().cast()
    }

    /// As [`lister`](Self::lister), for kinds of which the controller caches only the metadata.
    ///
    /// # Panics
    ///
    /// If the controller does not cache the metadata of this kind: declare it with `owns_metadata::<K>()` or
    /// `reads_metadata::<K>()`.
    pub fn metadata<K: Kind>(&self) -> Lister<PartialObjectMeta<K>> {
        self.cache_of::<K>(Projection::Metadata, "reads_metadata").lister().cast()
    }

    /// The informer of a kind that the controller watches or reads.
    ///
    /// # Panics
    ///
    /// As [`lister`](Self::lister).
    pub fn informer<K: Kind>(&self) -> SharedInformer<K> {
        self.cache_of::<K>(Projection::Full, "reads").cast()
    }

    /// As [`lister`](Self::lister), for a resource that is known only at run time.
    ///
    /// # Panics
    ///
    /// If the controller neither watches nor reads this resource: declare it with `reads_resource`.
    pub fn lister_of(&self, resource: &ResourceKind) -> Lister<DynamicObject> {
        self.informer_of(resource).lister()
    }

    /// The informer of a resource that is known only at run time, and that the controller watches or reads.
    ///
    /// # Panics
    ///
    /// As [`lister_of`](Self::lister_of).
    pub fn informer_of(&self, resource: &ResourceKind) -> SharedInformer<DynamicObject> {
        self.cache(resource, Projection::Full, format_args!("reads_resource(…)")).cast()
    }

    fn cache_of<K: Kind>(&self, projection: Projection, declaration: &str) -> &SharedInformer<()> {
        let declaration = format_args!("{declaration}::<{}>()", type_name::<K>());
        self.cache(&K::resource(), projection, declaration)
    }

    fn cache(
        &self,
        resource: &ResourceKind,
        projection: Projection,
        declaration: fmt::Arguments<'_>,
    ) -> &SharedInformer<()> {
        self.shared.caches.find(resource, projection).unwrap_or_else(|| {
            let controller = self.controller();
            panic!("controller {controller:?} has no cache of {resource}: declare it with `.{declaration}`")
        })
    }

    /// Writes objects of a kind. The next reconcile of this request waits until the caches show these writes.
    pub fn api<K: Kind>(&self) -> TrackedApi<K> {
        TrackedApi::new(self.clone(), K::resource())
    }

    /// As [`api`](Self::api), for a resource that is known only at run time. Objects are sent unchanged: make them with
    /// `DynamicObject::new`, which sets `apiVersion` and `kind`, because servers require these of custom resources.
    pub fn api_of(&self, resource: impl Into<ResourceKind>) -> TrackedApi<DynamicObject> {
        TrackedApi::new(self.clone(), resource.into())
    }

    /// Tracks a write that was made without [`api`](Self::api). Pass the metadata that the server returned. The next
    /// reconcile of this request waits for it.
    pub fn wrote<K: Kind>(&self, response: &ObjectMeta) {
        self.record(TrackedWrite { resource: K::resource(), effect: WriteEffect::written(response) });
    }

    /// Tracks a deletion that was made without [`api`](Self::api). The next reconcile of this request waits until the
    /// cache no longer contains the object with this uid.
    pub fn deleted<K: Kind>(&self, key: Key, uid: impl Into<String>) {
        let effect = WriteEffect::Deleted { key, uid: uid.into() };
        self.record(TrackedWrite { resource: K::resource(), effect });
    }

    pub(crate) fn record(&self, write: TrackedWrite) {
        let SharedContext { caches, pending_writes, .. } = &*self.shared;
        pending_writes.record(caches, &self.request, write);
    }

    /// Records Kubernetes events in the name of the controller.
    pub fn recorder(&self) -> &Recorder {
        &self.shared.recorder
    }

    /// Waits until the controller stops. A reconcile that runs at that time may finish; a long one can use this
    /// to end early.
    pub async fn cancelled(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the controller is stopping.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("controller", &self.controller())
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
