//! The factory: a handle from which informers are requested.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use kube_client::Client;
use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_informer::{
    InformerConfig, InformerError, InformerStats, InformerTask, SharedInformer, informer,
};
use tidings_object::{Budget, Intake, Kind, PackPool, Projection, ResourceKind, Scope, Transform};
use tidings_source::{ClientError, KubeSource, StreamScope};
use tokio::sync::Semaphore;

use crate::builder::FactoryBuilder;
#[cfg(feature = "metrics")]
use crate::metrics::InformerMetrics;
use crate::options::InformerOptions;
use crate::registry::{InformerKey, Registry};
use crate::report::InformerReport;
use crate::running::Running;
use crate::sources::ClientSources;
use crate::sync::Mutex;

/// Makes informers and starts them. Two requests for the same informer share one watch and one cache.
///
/// A factory is a handle: its clones are the same factory. An informer lives as long as something uses it: handles,
/// listers, streams, and handlers until they are removed. When the last of them is dropped, the watch stops and the
/// memory is freed.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_factory::SharedInformerFactory;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = tidings_apiserver::ApiServer::start().await;
/// # let client = server.client();
/// let factory = SharedInformerFactory::new(client); // or try_default(): a kubeconfig, or the cluster it runs in
/// let pods = factory.informer::<Pod>();
/// let running = factory.start();
/// running.synced().await?;
/// assert!(pods.lister().is_empty());
/// running.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<FactoryShared>,
}

/// What the clones of a factory share.
pub(crate) struct FactoryShared {
    pub(crate) client: Client,
    pub(crate) budget: Arc<Budget>,
    /// Compression contexts: a few, however many informers there are.
    pub(crate) pool: Arc<PackPool>,
    pub(crate) list_limit: Arc<Semaphore>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) defaults: InformerOptions,
    pub(crate) by_kind: HashMap<ResourceKind, InformerOptions>,
    pub(crate) seed: u64,
    /// One value of each type, for all users of the factory.
    pub(crate) values: SharedValues,
}

/// At most one value of each type.
pub(crate) type SharedValues = Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>;

impl SharedInformerFactory {
    /// A factory with default options, over any client. [`builder`](Self::builder) sets options.
    pub fn new(client: Client) -> Self {
        SharedInformerFactory::builder(client).build()
    }

    /// Builds a factory with options.
    pub fn builder(client: Client) -> FactoryBuilder {
        FactoryBuilder::new(client)
    }

    /// A factory with default options, over the kubeconfig, or over the service account inside a cluster.
    pub async fn try_default() -> Result<Self, ClientError> {
        Ok(Self::new(tidings_source::try_default().await?))
    }

    pub(crate) fn from_shared(shared: FactoryShared) -> Self {
        SharedInformerFactory { shared: Arc::new(shared) }
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The value of this type that all users of this factory share. The first call makes it.
    ///
    /// A crate that builds on informers keeps here what belongs to their caches, in a type of its own.
    pub fn shared_value<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.shared.values.lock();
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(value).downcast().expect("the key is the type of the value")
    }

    /// The informer of a kind that is known at compile time.
    ///
    /// If the informer exists already, it is returned with the options that it was made with.
    pub fn informer<K: Kind>(&self) -> SharedInformer<K> {
        self.existing_or_default(K::resource(), Projection::Full)
    }

    /// Like [`informer`](Self::informer), with options.
    ///
    /// If the informer exists already and one of these options is different, this is
    /// [`InformerError::OptionsDiffer`]. See [`InformerOptions`] for which options make another informer instead.
    pub fn informer_with<K: Kind>(
        &self,
        options: InformerOptions,
    ) -> Result<SharedInformer<K>, InformerError> {
        self.obtain(K::resource(), Projection::Full, options)
    }

    /// The informer of a resource that is known at run time. It shares watch and cache with a typed one.
    pub fn dynamic(
        &self,
        resource: impl Into<ResourceKind>,
    ) -> Result<SharedInformer<DynamicObject>, InformerError> {
        self.dynamic_with(resource, InformerOptions::new())
    }

    /// Like [`dynamic`](Self::dynamic), with options; see [`informer_with`](Self::informer_with).
    pub fn dynamic_with(
        &self,
        resource: impl Into<ResourceKind>,
        options: InformerOptions,
    ) -> Result<SharedInformer<DynamicObject>, InformerError> {
        let resource = resource.into();
        let source = KubeSource::builder(self.shared.client.clone(), resource.clone());
        source.build().map_err(InformerError::Resource)?;
        self.obtain(resource, Projection::Full, options)
    }

    /// The informer of the metadata of a kind. The server sends nothing else.
    pub fn metadata<K: Kind>(&self) -> SharedInformer<PartialObjectMeta<K>> {
        self.existing_or_default(K::resource(), Projection::Metadata)
    }

    /// Like [`metadata`](Self::metadata), with options; see [`informer_with`](Self::informer_with).
    pub fn metadata_with<K: Kind>(
        &self,
        options: InformerOptions,
    ) -> Result<SharedInformer<PartialObjectMeta<K>>, InformerError> {
        self.obtain(K::resource(), Projection::Metadata, options)
    }

    /// Starts all informers that were requested and are not started. Call it again to start informers that were
    /// requested later.
    pub fn start(&self) -> Running {
        Running::start(self.shared.registry.begin_run(), self.shared.registry.take_unstarted())
    }

    /// The statistics of every informer in use.
    pub fn stats(&self) -> Vec<InformerStats> {
        self.shared.registry.in_use().iter().map(SharedInformer::stats).collect()
    }

    /// Why informers no longer follow the server although they were not stopped. An informer that panicked is listed until
    /// it is requested again, even if it is no longer in use.
    pub fn failures(&self) -> Vec<InformerError> {
        self.shared.registry.failures()
    }

    /// Whether informers were started and every [`Running`] has ended. Then no cache follows the server.
    pub fn is_stopped(&self) -> bool {
        self.shared.registry.is_stopped()
    }

    /// A report of every informer that is in use and not stopped.
    pub fn reports(&self) -> Vec<InformerReport> {
        InformerReport::of(&self.shared.registry)
    }

    /// The metrics of the informers of this factory, for a registry of yours:
    /// `registry.register_collector(Box::new(factory.metrics()))`.
    #[cfg(feature = "metrics")]
    pub fn metrics(&self) -> InformerMetrics {
        InformerMetrics::new(Arc::clone(&self.shared.registry), Arc::clone(&self.shared.budget))
    }

    fn existing_or_default<K>(&self, resource: ResourceKind, projection: Projection) -> SharedInformer<K> {
        let informer = self.obtain(resource, projection, InformerOptions::new());
        informer.expect("without options there is no difference")
    }

    fn obtain<K>(
        &self,
        resource: ResourceKind,
        projection: Projection,
        requested: InformerOptions,
    ) -> Result<SharedInformer<K>, InformerError> {
        let none = InformerOptions::default();
        let by_kind = self.shared.by_kind.get(&resource).unwrap_or(&none);
        let options = requested.clone().or(by_kind).or(&self.shared.defaults);
        let key = InformerKey::new(&resource, projection, &options);
        self.shared
            .registry
            .obtain(key, &requested, &options, |name| self.make(name, resource, projection, options.clone()))
    }

    fn make<K>(
        &self,
        name: String,
        resource: ResourceKind,
        projection: Projection,
        options: InformerOptions,
    ) -> (SharedInformer<K>, InformerTask) {
        let own_budget = options.budget.map(|bytes| Arc::new(Budget::bytes(bytes)));
        let budget = own_budget.unwrap_or_else(|| Arc::clone(&self.shared.budget));
        let pool = Arc::clone(&self.shared.pool);
        let mut intake = Intake::new(resource.clone(), budget).with_pool(pool).with_projection(projection);
        if let Some(transform) = &options.transform {
            intake = intake.with_transform(Transform::clone(transform));
        }
        let intake = Arc::new(intake);
        let scopes = match (&options.namespaces, resource.scope) {
            (Some(namespaces), Scope::Namespaced) => namespaces.iter().cloned().collect(),
            _ => vec![StreamScope::All],
        };
        let config = self.config(name, &options);
        let sources = ClientSources {
            client: self.shared.client.clone(),
            intake: Arc::clone(&intake),
            projection,
            options,
            list_limit: Arc::clone(&self.shared.list_limit),
        };
        informer(intake, Arc::new(sources), scopes, config)
    }

    fn config(&self, name: String, options: &InformerOptions) -> InformerConfig {
        let mut config = InformerConfig::default();
        config.name = name;
        config.queue_order = options.queue_order.unwrap_or(config.queue_order);
        config.queued_deltas_max = options.queued_deltas_max.unwrap_or(config.queued_deltas_max);
        config.merge_above = options.merge_above.unwrap_or(config.merge_above);
        config.resync = options.resync.unwrap_or(config.resync);
        config.stop_deadline = options.stop_timeout.unwrap_or(config.stop_deadline);
        config.reflector = options.reflector.clone().unwrap_or(config.reflector);
        config.on_error = options.on_error.clone();
        config.label_selector = options.label_selector.clone().unwrap_or_default();
        // Each informer has a seed of its own, so that two of them do not retry in step.
        config.seed = FixedState::with_seed(self.shared.seed).hash_one(&config.name);
        config
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactory")
            .field("informers", &self.shared.registry.len())
            .field("defaults", &self.shared.defaults)
            .finish_non_exhaustive()
    }
}
