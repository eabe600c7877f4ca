//! The options of a shard.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::SharedInformer;
use tidings_informer::delta::QueueOrder;
use tidings_object::LabelSelector;
use tidings_source::fnv1a;

use super::fence::{CloseOnDrop, Fence};
use super::handle::Shard;
use super::lease::LeaseWriter;
use super::member::Member;
use super::record::GROUP_LABEL;
use super::task::ShardTask;
use super::timing::ShardTiming;
use crate::election::OnOverrun;
use crate::lease_error::LeaseError;

/// The options of a shard: replicas in one group share the keys of a controller, and each key has at most one owner at
/// any time.
///
/// Each replica holds a Lease of its own, and rendezvous hashing assigns the keys to the replicas with a live Lease.
/// When a replica joins or leaves, about one key in *n* gets another owner, which waits until the former owner has
/// finished its work on the key.
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
///
/// # Limits
///
/// At most one replica owns a key if clocks run within 10 % of true time and no person deletes the Lease of a living
/// replica. One owner is not one writer: a request of the former owner may arrive late, see
/// [`Election`](crate::Election#one-leader-is-not-one-writer).
#[derive(Clone)]
pub struct Sharding {
    group: String,
    namespace: String,
    identity: Option<String>,
    timing: ShardTiming,
    on_overrun: OnOverrun,
    seed: Option<u64>,
}

impl Sharding {
    /// A shard of this group. Replicas that share keys have the same group and namespace.
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
            on_overrun: OnOverrun::default(),
            seed: None,
        }
    }

    /// The namespace of the Leases; `default` by default.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// The identity of this replica, such as the name of its pod; random by default. A replica that restarts with the
    /// same identity gets the same keys.
    #[must_use]
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// How long the Lease of a replica may stay unchanged before others take its keys; 15 s by default.
    #[must_use]
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration;
        self
    }

    /// When a replica that can't renew its Lease revokes its permits; 10 s by default. Its workers then have until 4/5
    /// of the lease duration to end.
    #[must_use]
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// How often a Lease is renewed; 2 s by default.
    #[must_use]
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// How long a hand-over waits for work on a key before it revokes the permit; 30 s by default.
    #[must_use]
    pub fn hand_over_timeout(mut self, timeout: Duration) -> Self {
        self.timing.hand_over_timeout = timeout;
        self
    }

    /// What happens when permits are still held at the time when other replicas may count this one as dead. By default
    /// the process is aborted, because nothing else ends the work for certain. A thread of its own checks, so that this
    /// also holds for work that blocks all threads of the runtime.
    #[must_use]
    pub fn on_overrun(mut self, on_overrun: OnOverrun) -> Self {
        self.on_overrun = on_overrun;
        self
    }

    /// The seed of all random choices; random by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The handle and the task. It requests the informer of the Leases from the factory. Nothing happens until the
    /// factory is started and the task runs.
    pub fn build(self, factory: &SharedInformerFactory) -> Result<(Shard, ShardTask), LeaseError> {
        self.check()?;
        let seed = self.seed.unwrap_or_else(|| RandomState::new().hash_one("seed"));
        let identity = self.identity.unwrap_or_else(|| format!("{}-{seed:016x}", self.group));
        // A restarted replica has a new Lease, even with the same identity: its keys are handed over from the old
        // Lease.
        let process = fnv1a(format!("{identity} {seed:016x}").as_bytes());
        let lease_name: Arc<str> = format!("{}-{process:016x}", self.group).into();
        let selector: LabelSelector =
            format!("{GROUP_LABEL}={}", self.group).parse().expect("`check` accepts only values of labels");
        // Step 3 of the protocol needs a cache that applies all writes in the order of the server.
        let options = InformerOptions::new().labels(selector).queue_order(QueueOrder::InOrder);
        let options = options.namespace(&self.namespace).map_err(LeaseError::Namespace)?;
        let leases: SharedInformer<Lease> = factory.informer_with(options).map_err(LeaseError::Watch)?;
        let notifications = leases.notifications().map_err(LeaseError::Watch)?;
        let fence = Fence::new(format!("{}/{lease_name}", self.namespace).into(), self.on_overrun);
        let writer = LeaseWriter::new(
            factory.client().clone(),
            self.namespace.into(),
            self.group.into(),
            Arc::clone(&lease_name),
            self.timing.renew_deadline / 2,
        );
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
            let reason = format!(
                "the retry period ({retry_period:?}) must be at most half of the renew deadline ({renew_deadline:?}), \
                 which must be shorter than 4/5 of the lease duration ({lease_duration:?}), which must be whole seconds \
                 and at most an hour"
            );
            return Err(LeaseError::Timing { reason });
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
