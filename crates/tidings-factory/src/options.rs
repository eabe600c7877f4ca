//! What can be set for the informers of one kind.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{ErrorHook, InformerFault};
use tidings_informer::reflector::ReflectorConfig;
use tidings_object::{Budget, FieldPath, FieldSelector, LabelSelector, ParseError, Transform};
use tidings_source::{ClientError, Query, ShardRange, StreamScope, WirePreference};

/// What has the last word on a query.
#[derive(Clone)]
pub(crate) struct Tweak {
    pub(crate) call: Arc<TweakFn>,
    name: Option<Arc<str>>,
}

type TweakFn = dyn Fn(&mut Query) + Send + Sync;

/// What a tweak does, to be compared: by its name, or else by allocation. It keeps no function alive.
#[derive(Debug, Clone)]
pub(crate) enum TweakId {
    Named(Arc<str>),
    Unnamed(Weak<TweakFn>),
}

/// What can be set for one informer; what is left out comes from the factory.
///
/// Resource, namespaces, selectors, shard, transform, tweak and projection make an informer what it is: asking for the
/// same gives the same informer. The other options count when it is asked for the first time.
///
/// Same means equal by value. Functions have no value: two of them are the same if they are clones of one, or if they
/// have one name ([`tweak_named`](Self::tweak_named), [`Transform::named`]).
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
/// let pods = factory.informer_with::<Pod>(dns);
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
    pub(crate) resync_period: Option<Duration>,
    pub(crate) budget: Option<Arc<Budget>>,
    pub(crate) queue_order: Option<QueueOrder>,
    pub(crate) reflector: Option<ReflectorConfig>,
    pub(crate) on_error: Option<ErrorHook>,
    pub(crate) wire: Option<WirePreference>,
    pub(crate) compress_lists: Option<bool>,
    pub(crate) frame_bytes_max: Option<usize>,
    pub(crate) merge_above: Option<usize>,
    pub(crate) queued_deltas_max: Option<usize>,
    pub(crate) stop_deadline: Option<Duration>,
}

impl InformerOptions {
    /// Everything as the factory has it.
    pub fn new() -> Self {
        InformerOptions::default()
    }

    /// Lists and watches these namespaces only, each on its own, in one cache.
    pub fn namespaces<N: AsRef<str>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Result<Self, ClientError> {
        let scopes = namespaces.into_iter().map(|name| StreamScope::Namespace(name.as_ref().into()));
        self.namespaces = Some(scopes.map(|scope| scope.check().map(|()| scope)).collect::<Result<_, _>>()?);
        Ok(self)
    }

    /// Lists and watches one namespace only.
    pub fn namespace(self, namespace: impl AsRef<str>) -> Result<Self, ClientError> {
        self.namespaces([namespace])
    }

    /// Asks the server for objects with these labels only: `"app=web,tier!=db".parse()?`.
    #[must_use]
    pub fn labels(mut self, selector: LabelSelector) -> Self {
        self.label_selector = Some(selector);
        self
    }

    /// Asks the server for objects with these fields only: `"spec.nodeName=node-1".parse()?`.
    #[must_use]
    pub fn fields(mut self, selector: FieldSelector) -> Self {
        self.field_selector = Some(selector);
        self
    }

    /// Asks the server for the objects of one shard only. A server that does not know `shardSelector` (Kubernetes
    /// before 1.36, or without the gate `ShardedListAndWatch`) sends everything: then the others are left out on
    /// arrival, and the informer's health [says so](tidings_informer::informer::StreamHealth::sharded).
    #[must_use]
    pub fn shard(mut self, range: ShardRange) -> Self {
        self.shard = Some(range);
        self
    }

    /// Changes each body once, before it is packed and indexed.
    #[must_use]
    pub fn transform(mut self, transform: Transform) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Drops these fields from each body, without decoding it: `[".metadata.managedFields"]`.
    pub fn prune<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self, ParseError> {
        let paths = paths.into_iter().map(FieldPath::parse).collect::<Result<Vec<_>, _>>()?;
        Ok(self.transform(Transform::prune(paths)))
    }

    /// Has the last word on the query of every list and watch. Each call makes options of their own: who asks with
    /// another one gets another informer, also if it does the same; see [`tweak_named`](Self::tweak_named).
    #[must_use]
    pub fn tweak(mut self, tweak: impl Fn(&mut Query) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Tweak { call: Arc::new(tweak), name: None });
        self
    }

    /// As [`tweak`](Self::tweak), under a name. **The name is the promise** that two tweaks do the same: everyone who asks
    /// with this name, and is otherwise after the same, shares one informer, which runs the first of them.
    #[must_use]
    pub fn tweak_named(
        mut self,
        name: impl Into<Arc<str>>,
        tweak: impl Fn(&mut Query) + Send + Sync + 'static,
    ) -> Self {
        self.tweak = Some(Tweak { call: Arc::new(tweak), name: Some(name.into()) });
        self
    }

    /// Tells each handler everything again each time this period has passed; zero is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync_period = Some(period);
        self
    }

    /// Keeps decoded objects within a budget of its own.
    #[must_use]
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Applies changes in this order.
    #[must_use]
    pub fn queue_order(mut self, order: QueueOrder) -> Self {
        self.queue_order = Some(order);
        self
    }

    /// Lists and watches in this way.
    #[must_use]
    pub fn reflector(mut self, config: ReflectorConfig) -> Self {
        self.reflector = Some(config);
        self
    }

    /// Calls this with everything that goes wrong.
    #[must_use]
    pub fn on_error(mut self, hook: impl Fn(&InformerFault) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(hook));
        self
    }

    /// Asks for protobuf first, which is the default, or for JSON only. It is no part of what makes an informer
    /// what it is: an object reads the same on either wire. Which one was got is told by its
    /// [health](tidings_informer::informer::StreamHealth::wire).
    #[must_use]
    pub fn wire(mut self, preference: WirePreference) -> Self {
        self.wire = Some(preference);
        self
    }

    /// Asks for lists in gzip: less traffic, more work at both ends.
    #[must_use]
    pub fn compressed_lists(mut self) -> Self {
        self.compress_lists = Some(true);
        self
    }

    /// Refuses frames larger than this; 64 MiB if not given.
    #[must_use]
    pub fn frame_bytes_max(mut self, bytes: usize) -> Self {
        self.frame_bytes_max = Some(bytes);
        self
    }

    /// Merges pending notifications of one object above this many, for each handler. Nothing of a controller merges: above it
    /// the informer waits for its predicates and maps.
    #[must_use]
    pub fn merge_above(mut self, notifications: usize) -> Self {
        self.merge_above = Some(notifications);
        self
    }

    /// Lets this many deltas wait to be applied before the watch has to wait.
    #[must_use]
    pub fn queued_deltas_max(mut self, deltas: usize) -> Self {
        self.queued_deltas_max = Some(deltas);
        self
    }

    /// Gives handlers this long for what is pending when the informer stops; 5 s if not given.
    #[must_use]
    pub fn stop_deadline(mut self, deadline: Duration) -> Self {
        self.stop_deadline = Some(deadline);
        self
    }

    /// These options, with those of `defaults` where nothing was said.
    pub(crate) fn or(self, defaults: &InformerOptions) -> InformerOptions {
        let defaults = defaults.clone();
        InformerOptions {
            namespaces: self.namespaces.or(defaults.namespaces),
            label_selector: self.label_selector.or(defaults.label_selector),
            field_selector: self.field_selector.or(defaults.field_selector),
            shard: self.shard.or(defaults.shard),
            transform: self.transform.or(defaults.transform),
            tweak: self.tweak.or(defaults.tweak),
            resync_period: self.resync_period.or(defaults.resync_period),
            budget: self.budget.or(defaults.budget),
            queue_order: self.queue_order.or(defaults.queue_order),
            reflector: self.reflector.or(defaults.reflector),
            on_error: self.on_error.or(defaults.on_error),
            wire: self.wire.or(defaults.wire),
            compress_lists: self.compress_lists.or(defaults.compress_lists),
            frame_bytes_max: self.frame_bytes_max.or(defaults.frame_bytes_max),
            merge_above: self.merge_above.or(defaults.merge_above),
            queued_deltas_max: self.queued_deltas_max.or(defaults.queued_deltas_max),
            stop_deadline: self.stop_deadline.or(defaults.stop_deadline),
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
            .field("resync_period", &self.resync_period)
            .field("queue_order", &self.queue_order)
            .finish_non_exhaustive()
    }
}
