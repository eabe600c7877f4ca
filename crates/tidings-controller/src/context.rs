//! What a reconciler has at hand: client, listers, tracked writes, recorder. It knows for which request it was made, and
//! keeps nothing else of a reconcile.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Client;
use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_informer::informer::SharedInformer;
use tidings_informer::lister::Lister;
use tidings_object::{Key, Kind, Projection, ResourceKind};
use tokio_util::sync::CancellationToken;

use crate::caches::ControllerCaches;
use crate::recorder::Recorder;
use crate::request::Request;
use crate::writes::{PendingWrites, TrackedApi, TrackedWrite, WriteEffect};

/// What a reconciler has at hand while it looks at one request.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_controller::{Action, Context, Error, Request};
///
/// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
///     let Ok(map) = context.lister::<ConfigMap>().get(&request) else {
///         return Ok(Action::await_change()); // it is gone
///     };
///     let mut map = ConfigMap::clone(&*map.decoded()?);
///     map.data.get_or_insert_default().insert("seen-by".to_owned(), context.controller().to_owned());
///     context.api::<ConfigMap>().replace(&map).await?; // the next reconcile finds it in the cache
///     Ok(Action::await_change())
/// }
/// ```
#[derive(Clone)]
pub struct Context {
    shared: Arc<SharedContext>,
    request: Request,
    stop: CancellationToken,
}

/// What all reconciles of a controller share.
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

    /// The request that it was made for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.shared.controller
    }

    /// The client. What is written with it is not waited for: [`api`](Self::api) is for that.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Reads objects of a kind from the controller's cache; nothing is asked of the server. If the kind was declared more
    /// than once, with other options, this is the first.
    ///
    /// # Panics
    ///
    /// If the controller neither watches nor reads that kind: declare it with `reads::<K>()`.
    pub fn lister<K: Kind>(&self) -> Lister<K> {
        self.cache_of::<K>(Projection::Full, "reads").lister().seen_as()
    }

    /// As [`lister`](Self::lister), for kinds of which the controller has the metadata only.
    ///
    /// # Panics
    ///
    /// If the controller does not have the metadata of that kind: declare it with `owns_metadata::<K>()` or
    /// `reads_metadata::<K>()`.
    pub fn metadata<K: Kind>(&self) -> Lister<PartialObjectMeta<K>> {
        self.cache_of::<K>(Projection::Metadata, "reads_metadata").lister().seen_as()
    }

    /// The informer of a kind that the controller watches or reads.
    ///
    /// # Panics
    ///
    /// As [`lister`](Self::lister).
    pub fn informer<K: Kind>(&self) -> SharedInformer<K> {
        self.cache_of::<K>(Projection::Full, "reads").seen_as()
    }

    /// As [`lister`](Self::lister), for a resource known at run time.
    ///
    /// # Panics
    ///
    /// If the controller neither watches nor reads that resource: declare it with `reads_resource`.
    pub fn lister_of(&self, resource: &ResourceKind) -> Lister<DynamicObject> {
        self.informer_of(resource).lister()
    }

    /// The informer of a resource known at run time that the controller watches or reads.
    ///
    /// # Panics
    ///
    /// As [`lister_of`](Self::lister_of).
    pub fn informer_of(&self, resource: &ResourceKind) -> SharedInformer<DynamicObject> {
        self.cache(resource, Projection::Full, format_args!("reads_resource(…)")).seen_as()
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

    /// Writes objects of a kind, so that the next reconcile of this request sees what was written.
    pub fn api<K: Kind>(&self) -> TrackedApi<K> {
        TrackedApi::new(self.clone(), K::resource())
    }

    /// As [`api`](Self::api), for a resource known at run time. Objects are sent as they are: those of `DynamicObject::new` say
    /// their kind, which servers want to hear of custom resources.
    pub fn api_of(&self, resource: impl Into<ResourceKind>) -> TrackedApi<DynamicObject> {
        TrackedApi::new(self.clone(), resource.into())
    }

    /// Remembers a write that was made in another way: pass the metadata that the server answered. The next reconcile of this
    /// request waits for it, as for those of [`api`](Self::api).
    pub fn wrote<K: Kind>(&self, answer: &ObjectMeta) {
        self.record(TrackedWrite { resource: K::resource(), effect: WriteEffect::written(answer) });
    }

    /// Remembers a deletion that was made in another way. The next reconcile of this request waits until the object with
    /// that uid is gone from the cache.
    pub fn deleted<K: Kind>(&self, key: Key, uid: impl Into<String>) {
        let effect = WriteEffect::Deleted { key, uid: uid.into() };
        self.record(TrackedWrite { resource: K::resource(), effect });
    }

    pub(crate) fn record(&self, write: TrackedWrite) {
        let SharedContext { caches, pending_writes, .. } = &*self.shared;
        pending_writes.record(caches, &self.request, write);
    }

    /// Tells people what happened, as events in the name of the controller.
    pub fn recorder(&self) -> &Recorder {
        &self.shared.recorder
    }

    /// Waits until the controller shall stop. A reconcile that runs then is given time to end: a long one can end early.
    pub async fn cancelled(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the controller shall stop.
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
