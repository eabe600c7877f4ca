//! The context of a reconcile: client, caches, tracked writes and event recorder, for one request.

mod bodies;
mod live;
mod reads;
mod staleness;
mod test_context;

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Client;
use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_informer::{Lister, SharedInformer};
use tidings_object::{Key, Kind, Projection, ResourceKind};
use tokio_util::sync::CancellationToken;

pub(crate) use bodies::ReferencedBodies;
pub(crate) use reads::FreshReads;
pub use reads::{LateReads, ListRead};
pub(crate) use staleness::StalenessLimit;
pub use staleness::{Staleness, WhenStale};
pub use test_context::TestContext;

use crate::caches::{ControllerCache, ControllerCaches};
use crate::causes::{CauseLog, Causes};
use crate::controller::stats::ContextCounters;
use crate::error::ControllerError;
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
    /// Whether a cache was too stale when the reconcile began, and reads go to the server.
    reads_live: bool,
    reconcile_id: u64,
    causes: Arc<Causes>,
}

/// The part of a context that all reconciles of a controller share.
pub(crate) struct SharedContext {
    pub(crate) controller: String,
    pub(crate) client: Client,
    pub(crate) recorder: Recorder,
    pub(crate) caches: ControllerCaches,
    pub(crate) pending_writes: PendingWrites,
    pub(crate) causes: Arc<CauseLog>,
    pub(crate) fresh_reads: FreshReads,
    pub(crate) counters: Arc<ContextCounters>,
}

impl Context {
    pub(crate) fn new(
        shared: Arc<SharedContext>,
        request: Request,
        stop: CancellationToken,
        reconcile_id: u64,
        causes: Arc<Causes>,
    ) -> Self {
        Context { shared, request, stop, reads_live: false, reconcile_id, causes }
    }

    pub(crate) fn reading_live(mut self, reads_live: bool) -> Self {
        self.reads_live = reads_live;
        self
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

    /// The request of this reconcile.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Why this reconcile was requested: which objects changed, from which version to which, and in which fields. Use
    /// it for logs and diagnosis. A reconciler must not depend on it: changes before the start of the process, and
    /// changes of objects that are deleted meanwhile, have no cause.
    ///
    /// ```
    /// use tidings_controller::{Action, Context, Error, Request};
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     for cause in context.causes().iter() {
    ///         println!("{request}: {cause}, fields {:?}", cause.fields());
    ///     }
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// A context of a unit test has no causes.
    pub fn causes(&self) -> &Causes {
        &self.causes
    }

    /// The number of this reconcile within its controller, as in the field `reconcile.id` of its span and in
    /// [`Cause::written_by`](crate::Cause::written_by). It starts at 1.
    pub fn reconcile_id(&self) -> u64 {
        self.reconcile_id
    }

    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.shared.controller
    }

    /// The client. Its writes are not tracked: use [`api`](Self::api) for tracked writes.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Reads objects of a kind from the controller's cache **as it is**: it may lag behind the server, and behind the
    /// writes of this very reconcile. [`get`](Self::get) and [`list`](Self::list) wait for these. It sends no request
    /// to the server. If the kind was declared more than once, with different options, the first declaration is used.
    ///
    /// # Errors
    ///
    /// If the controller neither watches nor reads this kind: declare it with `reads::<K>()`.
    pub fn lister<K: Kind>(&self) -> Result<Lister<K>, ControllerError> {
        Ok(self.cache_of::<K>(Projection::Full, "reads")?.informer.lister().cast())
    }

    /// As [`lister`](Self::lister), for kinds of which the controller caches only the metadata.
    ///
    /// # Errors
    ///
    /// If the controller does not cache the metadata of this kind: declare it with `owns_metadata::<K>()` or
    /// `reads_metadata::<K>()`.
    pub fn metadata<K: Kind>(&self) -> Result<Lister<PartialObjectMeta<K>>, ControllerError> {
        Ok(self.cache_of::<K>(Projection::Metadata, "reads_metadata")?.informer.lister().cast())
    }

    /// The informer of a kind that the controller watches or reads.
    ///
    /// # Errors
    ///
    /// As [`lister`](Self::lister).
    pub fn informer<K: Kind>(&self) -> Result<SharedInformer<K>, ControllerError> {
        Ok(self.cache_of::<K>(Projection::Full, "reads")?.informer.cast())
    }

    /// As [`lister`](Self::lister), for a resource that is known only at run time.
    ///
    /// # Errors
    ///
    /// If the controller neither watches nor reads this resource: declare it with `reads_resource`.
    pub fn lister_of(&self, resource: &ResourceKind) -> Result<Lister<DynamicObject>, ControllerError> {
        Ok(self.informer_of(resource)?.lister())
    }

    /// The informer of a resource that is known only at run time, and that the controller watches or reads.
    ///
    /// # Errors
    ///
    /// As [`lister_of`](Self::lister_of).
    pub fn informer_of(
        &self,
        resource: &ResourceKind,
    ) -> Result<SharedInformer<DynamicObject>, ControllerError> {
        Ok(self.cache(resource, Projection::Full, format_args!("reads_resource(…)"))?.informer.cast())
    }

    pub(crate) fn cache_of<K: Kind>(
        &self,
        projection: Projection,
        method: &str,
    ) -> Result<&ControllerCache, ControllerError> {
        let declaration = format_args!("{method}::<{}>()", type_name::<K>());
        self.cache(&K::resource(), projection, declaration)
    }

    pub(crate) fn cache(
        &self,
        resource: &ResourceKind,
        projection: Projection,
        declaration: fmt::Arguments<'_>,
    ) -> Result<&ControllerCache, ControllerError> {
        self.shared.caches.find(resource, projection).ok_or_else(|| ControllerError::NotDeclared {
            controller: self.controller().to_owned(),
            resource: resource.to_string(),
            declaration: format!("`.{declaration}`"),
        })
    }

    /// Writes objects of a kind. [`get`](Self::get) and [`list`](Self::list) show these writes, and the next reconcile
    /// of this request starts when the caches do.
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

    pub(crate) fn caches(&self) -> &ControllerCaches {
        &self.shared.caches
    }

    /// A write was not sent because it would have changed nothing.
    pub(crate) fn count_saved_write(&self) {
        self.shared.counters.writes_saved.add_one();
    }

    pub(crate) fn record(&self, write: TrackedWrite) {
        let SharedContext { caches, pending_writes, causes, .. } = &*self.shared;
        causes.wrote(self.reconcile_id, &write);
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
