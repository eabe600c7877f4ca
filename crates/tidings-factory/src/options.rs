//! The options of one informer.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::ReflectorConfig;
use tidings_informer::{ErrorHook, InformerFault};
use tidings_object::{FieldPath, FieldSelector, LabelSelector, ParseError, Transform};
use tidings_source::{ClientError, Query, ShardRange, StreamScope, WirePreference};

/// A function that changes the query of every request.
#[derive(Clone)]
pub(crate) struct Tweak {
    pub(crate) call: Arc<TweakFn>,
    name: Option<Arc<str>>,
}

type TweakFn = dyn Fn(&mut Query) + Send + Sync;

/// Identifies a tweak: by its name, or otherwise by its allocation. It does not keep the function alive.
#[derive(Debug, Clone)]
pub(crate) enum TweakId {
    Named(Arc<str>),
    Unnamed(Weak<TweakFn>),
}

/// The options of one informer. Options that are not set come from the factory.
///
/// Resource, namespaces, selectors, shard, transform, tweak and projection identify an informer. A request with the same
/// values gets the same informer, and a request with other values gets another one. The other options must be the same in
/// every request that sets them: a different value is
/// [`InformerError::OptionsDiffer`](tidings_informer::InformerError::OptionsDiffer).
///
/// Values are compared by equality. Two functions are the same if they are clones of one, or if they have the same name
/// ([`tweak_named`](Self::tweak_named), [`Transform::named`]).
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_factory::{InformerOptions, SharedInformerFactory};
///
/// # fn example(factory: &SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
/// let dns = InformerOptions::new()
///     .namespace("kube-system")?
///     .labels("k8s-app=kube-dns".parse()?)
///     .prune([".metadata.managedFields"])?;
/// let pods = factory.informer_with::<Pod>(dns)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct InformerOptions {
    pub(crate) namespaces: Option<BTreeSet<StreamScope>>,
    pub(crate) label_selector: Option<LabelSelector>,
    pub(crate) field_selector: Option<FieldSelector>,
    pub(crate) shard: Option<ShardRange>,
    pub(crate) transform: Option<Arc<Transform>>,
    pub(crate) tweak: Option<Tweak>,
    pub(crate) resync: Option<Duration>,
    pub(crate) budget: Option<u64>,
    pub(crate) queue_order: Option<QueueOrder>,
    pub(crate) reflector: Option<ReflectorConfig>,
    pub(crate) on_error: Option<ErrorHook>,
    pub(crate) wire: Option<WirePreference>,
    pub(crate) gzip_lists: Option<bool>,
    pub(crate) frame_bytes_max: Option<usize>,
    pub(crate) merge_above: Option<usize>,
    pub(crate) queued_deltas_max: Option<usize>,
    pub(crate) stop_timeout: Option<Duration>,
}

impl InformerOptions {
    /// No option is set.
    pub fn new() -> Self {
        InformerOptions::default()
    }

    /// Lists and watches only these namespaces, each with a stream of its own, in one cache.
    pub fn namespaces<N: AsRef<str>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Result<Self, ClientError> {
        let scopes = namespaces.into_iter().map(|name| StreamScope::Namespace(name.as_ref().into()));
        self.namespaces = Some(scopes.map(|scope| scope.check().map(|()| scope)).collect::<Result<_, _>>()?);
        Ok(self)
    }

    /// Lists and watches only this namespace.
    pub fn namespace(self, namespace: impl AsRef<str>) -> Result<Self, ClientError> {
        self.namespaces([namespace])
    }

    /// Requests only objects with these labels: `"app=web,tier!=db".parse()?`.
    #[must_use]
    pub fn labels(mut self, selector: LabelSelector) -> Self {
        self.label_selector = Some(selector);
        self
    }

    /// Requests only objects with these fields: `"spec.nodeName=node-1".parse()?`.
    #[must_use]
    pub fn fields(mut self, selector: FieldSelector) -> Self {
        self.field_selector = Some(selector);
        self
    }

    /// Requests only the objects of one shard, by uid or [by namespace](ShardRange::by_namespace). A server that does not
    /// know `shardSelector` (Kubernetes before 1.36, or without the feature gate `ShardedListAndWatch`) sends all objects.
    /// Then the others are dropped on arrival, which
    /// [the health of the informer](tidings_informer::StreamHealth::sharded) reports.
    #[must_use]
    pub fn shard(mut self, range: ShardRange) -> Self {
        self.shard = Some(range);
        self
    }

    /// Transforms each object once, before it is packed and indexed.
    #[must_use]
    pub fn transform(mut self, transform: Transform) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Removes these fields from each object, without decoding it: `[".metadata.managedFields"]`.
    pub fn prune<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self, ParseError> {
        let paths = paths.into_iter().map(FieldPath::parse).collect::<Result<Vec<_>, _>>()?;
        Ok(self.transform(Transform::prune(paths)))
    }

    /// Changes the query of every list and watch. Two tweaks are different even if they do the same, so that each call of
    /// this function makes another informer; see [`tweak_named`](Self::tweak_named).
    #[must_use]
    pub fn tweak(mut self, tweak: impl Fn(&mut Query) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Tweak { call: Arc::new(tweak), name: None });
        self
    }

    /// Like [`tweak`](Self::tweak), with a name. **The name promises** that two tweaks do the same: requests with the same
    /// name and otherwise the same options share one informer, which runs the tweak of the first request.
    #[must_use]
    pub fn tweak_named(
        mut self,
        name: impl Into<Arc<str>>,
        tweak: impl Fn(&mut Query) + Send + Sync + 'static,
    ) -> Self {
        self.tweak = Some(Tweak { call: Arc::new(tweak), name: Some(name.into()) });
        self
    }

    /// Delivers all objects to each handler again each time this period has passed. Zero is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// The memory that decoded objects of this informer may take, in bytes, instead of a part of the factory's
    /// [budget](crate::FactoryBuilder::budget).
    #[must_use]
    pub fn budget(mut self, bytes: u64) -> Self {
        self.budget = Some(bytes);
        self
    }

    /// The order in which deltas are applied.
    #[must_use]
    pub fn queue_order(mut self, order: QueueOrder) -> Self {
        self.queue_order = Some(order);
        self
    }

    /// How the reflector lists and watches.
    #[must_use]
    pub fn reflector(mut self, config: ReflectorConfig) -> Self {
        self.reflector = Some(config);
        self
    }

    /// Calls `hook` with every fault of the informer.
    #[must_use]
    pub fn on_error(mut self, hook: impl Fn(&InformerFault) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(hook));
        self
    }

    /// Which wire to request: protobuf first, which is the default, or only JSON. An object reads the same on each wire.
    /// [The health of the informer](tidings_informer::StreamHealth::wire) reports which one is used.
    #[must_use]
    pub fn wire(mut self, preference: WirePreference) -> Self {
        self.wire = Some(preference);
        self
    }

    /// Requests lists compressed with gzip, streaming lists included: less traffic, more CPU time at both ends. Use it
    /// where the network is slow. Servers before Kubernetes 1.37 compress no streaming list. Newer ones compress also the
    /// updates that follow on it, one by one, which costs most CPU time: with many updates, use `ListMode::Chunked`.
    #[must_use]
    pub fn gzip_lists(mut self) -> Self {
        self.gzip_lists = Some(true);
        self
    }

    /// The largest frame in bytes, by default 64 MiB. A larger one is an error.
    #[must_use]
    pub fn frame_bytes_max(mut self, bytes: usize) -> Self {
        self.frame_bytes_max = Some(bytes);
        self
    }

    /// Above this many pending notifications of a handler, notifications of one object merge. Notifications of a controller
    /// never merge: above this number, the informer waits for its predicates and maps.
    #[must_use]
    pub fn merge_above(mut self, notifications: usize) -> Self {
        self.merge_above = Some(notifications);
        self
    }

    /// How many deltas may wait to be applied. Above it, the watch is not read (backpressure).
    #[must_use]
    pub fn queued_deltas_max(mut self, deltas: usize) -> Self {
        self.queued_deltas_max = Some(deltas);
        self
    }

    /// How long handlers may take for pending notifications when the informer stops, by default 5 s.
    #[must_use]
    pub fn stop_timeout(mut self, timeout: Duration) -> Self {
        self.stop_timeout = Some(timeout);
        self
    }

    /// These options, and those of `defaults` for options that are not set.
    pub(crate) fn or(self, defaults: &InformerOptions) -> InformerOptions {
        let defaults = defaults.clone();
        InformerOptions {
            namespaces: self.namespaces.or(defaults.namespaces),
            label_selector: self.label_selector.or(defaults.label_selector),
            field_selector: self.field_selector.or(defaults.field_selector),
            shard: self.shard.or(defaults.shard),
            transform: self.transform.or(defaults.transform),
            tweak: self.tweak.or(defaults.tweak),
            resync: self.resync.or(defaults.resync),
            budget: self.budget.or(defaults.budget),
            queue_order: self.queue_order.or(defaults.queue_order),
            reflector: self.reflector.or(defaults.reflector),
            on_error: self.on_error.or(defaults.on_error),
            wire: self.wire.or(defaults.wire),
            gzip_lists: self.gzip_lists.or(defaults.gzip_lists),
            frame_bytes_max: self.frame_bytes_max.or(defaults.frame_bytes_max),
            merge_above: self.merge_above.or(defaults.merge_above),
            queued_deltas_max: self.queued_deltas_max.or(defaults.queued_deltas_max),
            stop_timeout: self.stop_timeout.or(defaults.stop_timeout),
        }
    }
}

impl Tweak {
    pub(crate) fn id(&self) -> TweakId {
        match &self.name {
            Some(name) => TweakId::Named(Arc::clone(name)),
            None => TweakId::Unnamed(Arc::downgrade(&self.call)),
        }
    }
}

impl PartialEq for TweakId {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (TweakId::Named(one), TweakId::Named(other)) => one == other,
            (TweakId::Unnamed(one), TweakId::Unnamed(other)) => Weak::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for TweakId {}

impl Hash for TweakId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            TweakId::Named(name) => name.hash(state),
            TweakId::Unnamed(call) => call.as_ptr().cast::<()>().hash(state),
        }
    }
}

impl fmt::Debug for InformerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("namespaces", &self.namespaces)
            .field("label_selector", &self.label_selector)
            .field("field_selector", &self.field_selector)
            .field("shard", &self.shard)
            .field("transform", &self.transform)
            .field("resync", &self.resync)
            .field("queue_order", &self.queue_order)
            .finish_non_exhaustive()
    }
}
