//! The options of a factory.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use kube_client::Client;
use tidings_informer::InformerFault;
use tidings_object::{Budget, Kind, ResourceKind};
use tidings_source::{ClientError, WirePreference};
use tokio::sync::Semaphore;

use crate::factory::{FactoryShared, SharedInformerFactory};
use crate::options::InformerOptions;
use crate::sync::Mutex;

/// Builds a [`SharedInformerFactory`].
///
/// ```
/// use std::time::Duration;
///
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_factory::{InformerOptions, SharedInformerFactory};
///
/// # fn example(client: kube_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(client)
///     .resync(Duration::from_secs(600))
///     .budget(16 << 20)
///     .for_kind::<Pod>(InformerOptions::new().prune([".metadata.managedFields"])?)
///     .build();
/// # Ok(())
/// # }
/// ```
#[must_use = "it makes no factory until `build` is called"]
pub struct FactoryBuilder {
    client: Client,
    budget: Option<u64>,
    concurrent_lists_max: usize,
    defaults: InformerOptions,
    by_kind: HashMap<ResourceKind, InformerOptions>,
    seed: u64,
}

/// The default of [`FactoryBuilder::concurrent_lists_max`].
const CONCURRENT_LISTS_MAX: usize = 8;

impl FactoryBuilder {
    pub(crate) fn new(client: Client) -> Self {
        FactoryBuilder {
            client,
            budget: None,
            concurrent_lists_max: CONCURRENT_LISTS_MAX,
            defaults: InformerOptions::default(),
            by_kind: HashMap::new(),
            // Random, so that two programs do not wait and retry in step.
            seed: RandomState::new().hash_one("seed"),
        }
    }

    /// The memory that decoded objects of all informers may take together, in bytes. 0 keeps nothing decoded, and
    /// `u64::MAX` keeps everything that was decoded once.
    ///
    /// By default it follows what is cached: decoded objects may take as much memory as the cached objects themselves, at
    /// least 1 MiB and at most 64 MiB. See [`Budget`].
    pub fn budget(mut self, bytes: u64) -> Self {
        self.budget = Some(bytes);
        self
    }

    /// How many lists run at the same time, by default 8. The limit protects the server and the memory when many
    /// informers start.
    pub fn concurrent_lists_max(mut self, lists: usize) -> Self {
        self.concurrent_lists_max = lists.max(1);
        self
    }

    /// The seed of every random choice, such as jitter. Use it to repeat a test. By default it is random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Delivers all objects to every handler again each time this period has passed. Zero, the default, is never.
    pub fn resync(mut self, period: Duration) -> Self {
        self.defaults = self.defaults.resync(period);
        self
    }

    /// Lists and watches only these namespaces.
    pub fn namespaces<N: AsRef<str>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Result<Self, ClientError> {
        self.defaults = self.defaults.namespaces(namespaces)?;
        Ok(self)
    }

    /// Which wire to request: protobuf first, which is the default, or only JSON.
    pub fn wire(mut self, preference: WirePreference) -> Self {
        self.defaults = self.defaults.wire(preference);
        self
    }

    /// Calls `hook` with every fault of every informer.
    pub fn on_error(mut self, hook: impl Fn(&InformerFault) + Send + Sync + 'static) -> Self {
        self.defaults = self.defaults.on_error(hook);
        self
    }

    /// The default options of all informers.
    pub fn defaults(mut self, options: InformerOptions) -> Self {
        self.defaults = options.or(&self.defaults);
        self
    }

    /// The default options of the informers of one kind. They override [`defaults`](Self::defaults).
    pub fn for_kind<K: Kind>(mut self, options: InformerOptions) -> Self {
        self.by_kind.insert(K::resource(), options);
        self
    }

    /// Like [`for_kind`](Self::for_kind), for a resource that is known at run time.
    pub fn for_resource(mut self, resource: impl Into<ResourceKind>, options: InformerOptions) -> Self {
        self.by_kind.insert(resource.into(), options);
        self
    }

    /// Makes the factory. Nothing runs until an informer is requested and [`SharedInformerFactory::start`] is called.
    pub fn build(self) -> SharedInformerFactory {
        SharedInformerFactory::from_shared(FactoryShared {
            client: self.client,
            budget: Arc::new(self.budget.map_or_else(Budget::default, Budget::bytes)),
            pool: Arc::default(),
            list_limit: Arc::new(Semaphore::new(self.concurrent_lists_max)),
            registry: Arc::default(),
            defaults: self.defaults,
            by_kind: self.by_kind,
            seed: self.seed,
            values: Mutex::default(),
        })
    }
}
