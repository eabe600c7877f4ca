//! What a user says about a group of replicas.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::SharedInformer;
use tidings_object::{Key, LabelSelector};
use tidings_source::fnv1a;

use super::fence::{CloseOnDrop, Fence, OnPermitOverrun};
use super::handle::Shard;
use super::lease::LeaseWriter;
use super::member::Member;
use super::record::GROUP_LABEL;
use super::task::ShardTask;
use super::timing::ShardTiming;
use crate::lease_error::LeaseError;

/// A group of replicas that share keys.
///
/// ```no_run
/// # use tidings_controller::Sharding;
/// # use tidings_factory::SharedInformerFactory;
/// # use tokio_util::sync::CancellationToken;
/// # async fn run(factory: SharedInformerFactory, stop: CancellationToken) -> Result<(), Box<dyn std::error::Error>> {
/// let (shard, task) = Sharding::new("foo-controller").namespace("default").build(&factory)?;
/// let running = factory.start();
/// task.run(stop).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Sharding {
    group: String,
    namespace: String,
    identity: Option<String>,
    timing: ShardTiming,
    on_overrun: OnPermitOverrun,
    seed: Option<u64>,
}

impl Sharding {
    /// A group of this name. Replicas that share keys have the same group and namespace.
    pub fn new(group: impl Into<String>) -> Self {
        Sharding {
            group: group.into(),
            namespace: "default".to_owned(),
            identity: None,
            timing: ShardTiming {
                lease_duration: Duration::from_secs(15),
                renew_deadline: Duration::from_secs(10),
                retry_period: Duration::from_secs(2),
                hand_over_timeout: Duration::from_secs(30),
            },
            on_overrun: OnPermitOverrun::Abort,
            seed: None,
        }
    }

    /// The namespace of the Leases; `default` if not given.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Who this replica is, such as its pod's name. A replica that comes back under its name gets its keys back.
    /// If not given, it is another one each time.
    #[must_use]
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// How long a replica may be silent before others take its keys; 15 s if not given.
    #[must_use]
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration;
        self
    }

    /// When a replica that can't renew its Lease stops; 10 s if not given. Its workers then have until 4/5 of the
    /// lease duration to end.
    #[must_use]
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// How often a Lease is renewed; 2 s if not given.
    #[must_use]
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// How long work on keys that are handed over may go on before it is told to end; 30 s if not given.
    #[must_use]
    pub fn hand_over_timeout(mut self, grace: Duration) -> Self {
        self.timing.hand_over_timeout = grace;
        self
    }

    /// Calls this with keys whose permits are still held when others may take the lease for expired, although their
    /// holders were told to end. If not given, the process is aborted: work that does not end can't be trusted to
    /// be alone. A thread sees to it, so that work which blocks every thread of the runtime is no exception; the hook
    /// may run on that thread, and must not block for long.
    #[must_use]
    pub fn on_overrun(mut self, hook: impl Fn(&[Key]) + Send + Sync + 'static) -> Self {
        self.on_overrun = OnPermitOverrun::Call(Arc::new(hook));
        self
    }

    /// Takes every random choice from this seed. By default it is another one each time.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Asks the factory for the Leases of the group. Nothing runs until the factory is started and the task runs.
    pub fn build(self, factory: &SharedInformerFactory) -> Result<(Shard, ShardTask), LeaseError> {
        self.check()?;
        let seed = self.seed.unwrap_or_else(|| RandomState::new().hash_one("seed"));
        let identity = self.identity.unwrap_or_else(|| format!("{}-{seed:016x}", self.group));
        // Another life of the same replica has another Lease: the old one is handed over like any other.
        let life = fnv1a(format!("{identity} {seed:016x}").as_bytes());
        let lease_name: Arc<str> = format!("{}-{life:016x}", self.group).into();
        let selector: LabelSelector =
            format!("{GROUP_LABEL}={}", self.group).parse().expect("a checked group is a label's value");
        // Only in order does a cache that shows our own write show everything that was written before it.
        let options = InformerOptions::new().labels(selector).queue_order(QueueOrder::InOrder);
        let leases: SharedInformer<Lease> =
            factory.informer_with(options.namespace(&self.namespace).map_err(LeaseError::Namespace)?);
        let notifications = leases.notifications().map_err(LeaseError::Watch)?;
        let writer = LeaseWriter::new(
            factory.client().clone(),
            self.namespace.into(),
            self.group.into(),
            Arc::clone(&lease_name),
            self.timing.renew_deadline / 2,
        );
        let fence = Fence::new(self.on_overrun);
        let shard = Shard::new(Member::new(identity.into(), lease_name, self.timing), fence);
        let close_on_drop = CloseOnDrop::start(shard.shared()).map_err(LeaseError::WatchdogThread)?;
        Ok((shard, ShardTask { close_on_drop, leases, notifications, writer }))
    }

    fn check(&self) -> Result<(), LeaseError> {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let group = &self.group;
        let is_group = (1..=63).contains(&group.len())
            && group.bytes().all(is_inner)
            && !group.starts_with('-')
            && !group.ends_with('-');
        if !is_group {
            return Err(LeaseError::Group { group: group.clone() });
        }
        if let Some(identity) = self.identity.as_ref().filter(|name| !(1..=253).contains(&name.len())) {
            return Err(LeaseError::Identity { identity: identity.clone() });
        }
        let ShardTiming { lease_duration, renew_deadline, retry_period, .. } = self.timing;
        let is_whole = lease_duration.subsec_nanos() == 0 && lease_duration <= Duration::from_secs(3600);
        let is_ordered = !retry_period.is_zero()
            && retry_period.saturating_mul(2) <= renew_deadline
            && renew_deadline < self.timing.permits_end();
        if !is_whole || !is_ordered {
            return Err(LeaseError::ShardTiming { lease_duration, renew_deadline, retry_period });
        }
        Ok(())
    }
}

impl fmt::Debug for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharding")
            .field("group", &self.group)
            .field("namespace", &self.namespace)
            .field("identity", &self.identity)
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}
