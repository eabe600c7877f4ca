//! One factory for all informers of a program: typed, dynamic and metadata-only ones, with the same options.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::FixedState;
use kube_client::Client;
use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_informer::informer::{
    InformerConfig, InformerError, InformerFault, InformerStats, InformerTask, SharedInformer, informer,
};
use tidings_object::{Budget, Intake, Kind, PackPool, Projection, ResourceKind, Scope, Transform};
use tidings_source::{ClientError, KubeSource, StreamScope, WirePreference};
use tokio::sync::Semaphore;

use crate::metrics::InformerMetrics;
use crate::options::InformerOptions;
use crate::report::InformerReport;
use crate::roster::{InformerKey, Roster};
use crate::running::Running;
use crate::sources::ClientSources;

/// Makes informers and starts them. Asking twice for the same gives the same informer: one watch, one cache.
///
/// An informer lives as long as someone needs it: handles, listers and streams count, and so does every handler
/// until it is removed. When the last has gone, its watch ends and its memory is freed.
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
    client: Client,
    budget: Arc<Budget>,
    /// Contexts for packing: a few, however many informers there are.
    pool: Arc<PackPool>,
    lists: Arc<Semaphore>,
    roster: Arc<Roster>,
    defaults: InformerOptions,
    by_kind: HashMap<ResourceKind, InformerOptions>,
    seed: u64,
}

/// Why there is no factory.
#[derive(Debug, thiserror::Error)]
pub enum FactoryError {
    /// No client could be made.
    #[error("making a Kubernetes client: {0}")]
    Client(ClientError),
}

impl From<ClientError> for FactoryError {
    fn from(error: ClientError) -> Self {
        FactoryError::Client(error)
    }
}

impl SharedInformerFactory {
    /// How many lists a factory asks for at the same time, unless told otherwise.
    pub const CONCURRENT_LISTS: usize = 8;

    /// A factory over your kubeconfig, or over the service account inside a cluster.
    pub async fn try_default() -> Result<Self, FactoryError> {
        Ok(Self::new(tidings_source::try_default().await?))
    }

    /// A factory over any client.
    pub fn new(client: Client) -> Self {
        SharedInformerFactory {
            client,
            budget: Arc::default(),
            pool: Arc::default(),
            lists: Arc::new(Semaphore::new(Self::CONCURRENT_LISTS)),
            roster: Arc::default(),
            defaults: InformerOptions::default(),
            by_kind: HashMap::new(),
            // Two programs must not wait, and ask again, in step.
            seed: RandomState::new().hash_one("seed"),
        }
    }

    /// Keeps decoded objects of all informers asked for from now on within this budget; 64 MiB if not given.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = Arc::new(budget);
        self
    }

    /// Asks for this many lists at the same time; 8 if not given.
    #[must_use]
    pub fn concurrent_lists(mut self, lists: usize) -> Self {
        self.lists = Arc::new(Semaphore::new(lists.max(1)));
        self
    }

    /// Takes every random choice, such as jitter, from this seed: tests can be repeated with it. By default it is
    /// another one each time.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Tells every handler everything again each time this period has passed; zero, the default, is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.defaults = self.defaults.resync(period);
        self
    }

    /// Lists and watches these namespaces only.
    pub fn namespaces<N: AsRef<str>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Result<Self, ClientError> {
        self.defaults = self.defaults.namespaces(namespaces)?;
        Ok(self)
    }

    /// Asks for protobuf first, which is the default, or for JSON only, in every informer that is not told otherwise.
    #[must_use]
    pub fn wire(mut self, preference: WirePreference) -> Self {
        self.defaults = self.defaults.wire(preference);
        self
    }

    /// Calls this with everything that goes wrong in any informer.
    #[must_use]
    pub fn on_error(mut self, hook: impl Fn(&InformerFault) + Send + Sync + 'static) -> Self {
        self.defaults = self.defaults.on_error(hook);
        self
    }

    /// What every informer starts from.
    #[must_use]
    pub fn defaults(mut self, options: InformerOptions) -> Self {
        self.defaults = options.or(&self.defaults);
        self
    }

    /// What the informers of one kind start from, before the factory's defaults.
    #[must_use]
    pub fn for_kind<K: Kind>(mut self, options: InformerOptions) -> Self {
        self.by_kind.insert(K::resource(), options);
        self
    }

    /// As [`for_kind`](Self::for_kind), for a resource known at run time.
    #[must_use]
    pub fn for_resource(mut self, resource: impl Into<ResourceKind>, options: InformerOptions) -> Self {
        self.by_kind.insert(resource.into(), options);
        self
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The informer of a kind known at compile time.
    pub fn informer<K: Kind>(&self) -> SharedInformer<K> {
        self.informer_with(InformerOptions::new())
    }

    /// As [`informer`](Self::informer), with options of its own.
    pub fn informer_with<K: Kind>(&self, options: InformerOptions) -> SharedInformer<K> {
        self.obtain(K::resource(), Projection::Full, options)
    }

    /// The informer of a resource known at run time. It shares watch and cache with a typed one.
    pub fn dynamic(
        &self,
        resource: impl Into<ResourceKind>,
    ) -> Result<SharedInformer<DynamicObject>, ClientError> {
        self.dynamic_with(resource, InformerOptions::new())
    }

    /// As [`dynamic`](Self::dynamic), with options of its own.
    pub fn dynamic_with(
        &self,
        resource: impl Into<ResourceKind>,
        options: InformerOptions,
    ) -> Result<SharedInformer<DynamicObject>, ClientError> {
        let resource = self.checked(resource.into())?;
        Ok(self.obtain(resource, Projection::Full, options))
    }

    /// The metadata of a kind, without the rest: the server sends nothing else.
    pub fn metadata<K: Kind>(&self) -> SharedInformer<PartialObjectMeta<K>> {
        self.metadata_with(InformerOptions::new())
    }

    /// As [`metadata`](Self::metadata), with options of its own.
    pub fn metadata_with<K: Kind>(&self, options: InformerOptions) -> SharedInformer<PartialObjectMeta<K>> {
        self.obtain(K::resource(), Projection::Metadata, options)
    }

    /// The metadata of a resource known at run time.
    pub fn metadata_of(
        &self,
        resource: impl Into<ResourceKind>,
        options: InformerOptions,
    ) -> Result<SharedInformer<PartialObjectMeta<DynamicObject>>, ClientError> {
        let resource = self.checked(resource.into())?;
        Ok(self.obtain(resource, Projection::Metadata, options))
    }

    /// A resource that a path can be made of.
    fn checked(&self, resource: ResourceKind) -> Result<ResourceKind, ClientError> {
        KubeSource::builder(self.client.clone(), resource.clone()).build().map(|_| resource)
    }

    /// Starts the informers that were asked for and not started. It may be called again for new ones.
    pub fn start(&self) -> Running {
        Running::start(self.roster.begin(), self.roster.take_unstarted())
    }

    /// The figures of every informer that is needed.
    pub fn stats(&self) -> Vec<InformerStats> {
        self.roster.needed().iter().map(SharedInformer::stats).collect()
    }

    /// Why informers no longer follow the server although nobody stopped them. One that panicked is named until somebody
    /// asks for it again, also when nobody needs it any more.
    pub fn failures(&self) -> Vec<InformerError> {
        self.roster.failures()
    }

    /// Whether informers were started and every [`Running`] has ended: no cache follows the server any more.
    pub fn is_stopped(&self) -> bool {
        self.roster.is_stopped()
    }

    /// Every informer that is needed and has not been stopped, as an operator sees it.
    pub fn reports(&self) -> Vec<InformerReport> {
        InformerReport::of(&self.roster)
    }

    /// What a scrape reads of this factory's informers; it goes into a registry of your own:
    /// `registry.register_collector(Box::new(factory.metrics()))`.
    pub fn metrics(&self) -> InformerMetrics {
        InformerMetrics::new(Arc::clone(&self.roster), Arc::clone(&self.budget))
    }

    fn obtain<K>(
        &self,
        resource: ResourceKind,
        projection: Projection,
        options: InformerOptions,
    ) -> SharedInformer<K> {
        let none = InformerOptions::default();
        let options = options.or(self.by_kind.get(&resource).unwrap_or(&none)).or(&self.defaults);
        let key = InformerKey::new(&resource, projection, &options);
        self.roster.obtain(key, |name| self.make(name, resource, projection, options))
    }

    fn make<K>(
        &self,
        name: String,
        resource: ResourceKind,
        projection: Projection,
        options: InformerOptions,
    ) -> (SharedInformer<K>, InformerTask) {
        let budget = options.budget.clone().unwrap_or_else(|| Arc::clone(&self.budget));
        let pool = Arc::clone(&self.pool);
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
            client: self.client.clone(),
            intake: Arc::clone(&intake),
            projection,
            options,
            lists: Arc::clone(&self.lists),
        };
        informer(intake, Arc::new(sources), scopes, config)
    }

    fn config(&self, name: String, options: &InformerOptions) -> InformerConfig {
        let mut config = InformerConfig::default();
        config.name = name;
        config.queue_order = options.queue_order.unwrap_or(config.queue_order);
        config.queued_deltas_max = options.queued_deltas_max.unwrap_or(config.queued_deltas_max);
        config.merge_above = options.merge_above.unwrap_or(config.merge_above);
        config.resync = options.resync_period.unwrap_or(config.resync);
        config.stop_deadline = options.stop_deadline.unwrap_or(config.stop_deadline);
        config.reflector = options.reflector.clone().unwrap_or(config.reflector);
        config.on_error = options.on_error.clone();
        config.label_selector = options.label_selector.clone().unwrap_or_default();
        // Nor two informers of one program.
        config.seed = FixedState::with_seed(self.seed).hash_one(&config.name);
        config
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactory")
            .field("informers", &self.roster.len())
            .field("defaults", &self.defaults)
            .finish_non_exhaustive()
    }
}
