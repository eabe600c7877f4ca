//! Leader election on Leases: of several replicas at most one acts, and soon another does if it can't.
//!
//! [`Election`] says how, [`Leadership`] tells who, a [`Term`] is one time in shared. `machine` decides and is pure,
//! `task` does what it says over the API, `guard` watches over work that could outlast its lease.
//!
//! At most one replica leads at any time as long as clocks run within 10 % of true time and nobody shortens, blanks
//! or deletes the lease by hand: that is an order to hand over at once. What wall clocks show does not matter. A
//! machine that is suspended is outside of this: its clock stands.
//!
//! # One leader is not one writer
//!
//! A lease says who may *send*. It does not say what *arrives*: a request that the old leader sent in its last read_clocks
//! may be delayed by a proxy or a busy server and take effect when the next leader has already written. The same holds
//! for [shards](crate::shard). No lease can prevent that, only the server can, if a write says which version it was
//! made for: [`TrackedApi::if_unchanged`](crate::TrackedApi::if_unchanged) does so for patches and deletions, and
//! `replace` always does. A late write is then answered with a conflict and changes nothing.
//! Writes that give the same result whoever makes them, such as applying what the spec says, need no such guard.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use kube_client::{Api, Client};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::sync::AtomicU64;

mod timing;

mod record;

mod state_machine;

mod term;

mod guard;

mod leadership;

mod task;

#[cfg(feature = "metrics")]
mod metrics;

pub use guard::{Guard, GuardError, OnOverrun, Overrun};
pub use leadership::{Leadership, Stalled};
#[cfg(feature = "metrics")]
pub use metrics::ElectionMetrics;
pub use task::ElectionTask;
pub use term::Term;

use leadership::{ElectionStatus, SharedElection};
use record::LeaseTemplate;
use state_machine::ElectionStateMachine;
use task::OnStop;
use timing::ElectionTiming;

/// An election for one lease, to be built.
///
/// ```
/// use tidings_controller::Election;
/// use tokio_util::sync::CancellationToken;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = tidings_apiserver::ApiServer::start().await;
/// # let client = server.client();
/// let (leadership, task) = Election::new("example").namespace("default").identity("replica-1").build(client)?;
/// let stop = CancellationToken::new();
/// let lead = async {
///     let term = leadership.acquired().await;
///     assert!(term.is_some() && leadership.is_leader());
///     stop.cancel();
/// };
/// tokio::join!(task.run(stop.clone()), lead);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Election {
    name: String,
    namespace: Option<String>,
    identity: String,
    labels: BTreeMap<String, String>,
    timing: ElectionTiming,
    on_stop: OnStop,
    seed: u64,
}

/// An election that can't be held.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ElectionError {
    /// The lease has no name.
    #[error("the lease has no name")]
    NoName,
    /// The replica has no identity.
    #[error("the replica has no identity")]
    NoIdentity,
    /// A duration is zero.
    #[error("the {which} is zero")]
    Zero {
        /// Which.
        which: &'static str,
    },
    /// A lease's duration is written as a 32-bit number of seconds.
    #[error("a lease duration of {lease:?} is too long to be written")]
    LeaseTooLong {
        /// The lease duration.
        lease: Duration,
    },
    /// The holder would believe for as long as the lease lasts.
    #[error("the lease duration {lease:?} must be longer than the renew deadline {renew_deadline:?}")]
    LeaseWithinRenewDeadline {
        /// The lease duration.
        lease: Duration,
        /// The renew deadline.
        renew_deadline: Duration,
    },
    /// The holder would have no second try.
    #[error("the renew deadline {renew_deadline:?} must be longer than 1.2 times the retry period {retry:?}")]
    RenewDeadlineWithinRetry {
        /// The renew deadline.
        renew_deadline: Duration,
        /// The retry period.
        retry: Duration,
    },
}

impl Election {
    /// An election for the lease of this name, in the client's own namespace, with a lease of 15 s that is renewed
    /// every 2 s and given up after 10 s without a renewal. The identity is the host's name and a random number.
    pub fn new(name: impl Into<String>) -> Self {
        let rng = RandomState::new();
        Election {
            name: name.into(),
            namespace: None,
            identity: format!("{}_{:016x}", host_name(), rng.hash_one("identity")),
            labels: BTreeMap::new(),
            timing: ElectionTiming::default(),
            on_stop: OnStop::Release,
            seed: rng.hash_one("seed"),
        }
    }

    /// Where the lease is.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// The name that is written in the lease; no two processes may go by the same.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// Labels of the lease, set over those that it has.
    pub fn labels(mut self, labels: impl IntoIterator<Item = (String, String)>) -> Self {
        self.labels = labels.into_iter().collect();
        self
    }

    /// For how long others leave the lease alone after they saw it renewed. It is written as whole seconds, rounded
    /// up. The default is 15 s.
    pub fn lease_duration(mut self, lease_duration: Duration) -> Self {
        self.timing.lease = lease_duration;
        self
    }

    /// How long after its last renewal a leader gives up, counted from before the renewal was asked for. The default
    /// is 10 s. The time from here to nine elevenths of the lease's duration is what work has for its end.
    pub fn renew_deadline(mut self, renew_deadline: Duration) -> Self {
        self.timing.renew_deadline = renew_deadline;
        self
    }

    /// How often a leader renews; candidates look after one to 2.2 times this. The default is 2 s.
    pub fn retry_period(mut self, retry_period: Duration) -> Self {
        self.timing.retry = retry_period;
        self
    }

    /// Leaves the lease to expire when the election is stopped. By default it is released, once no work is guarded
    /// any more, and another replica takes it at once.
    pub fn keep_lease_on_stop(mut self) -> Self {
        self.on_stop = OnStop::Keep;
        self
    }

    /// Takes jitter from this seed. By default it is random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The election over this client. Nothing happens until the task is run.
    pub fn build(self, client: Client) -> Result<(Leadership, ElectionTask), ElectionError> {
        self.timing.check()?;
        if self.name.is_empty() {
            return Err(ElectionError::NoName);
        }
        if self.identity.is_empty() {
            return Err(ElectionError::NoIdentity);
        }
        let namespace = self.namespace.unwrap_or_else(|| client.default_namespace().to_owned());
        let shared = Arc::new(SharedElection {
            name: self.name.clone(),
            lease: Arc::from(format!("{namespace}/{}", self.name)),
            identity: self.identity.clone(),
            lease_duration: self.timing.lease,
            status: watch::Sender::new(ElectionStatus::default()),
            slow_paths: AtomicU64::new(0),
        });
        let api = Api::namespaced(client, &namespace);
        let template = LeaseTemplate {
            name: self.name,
            namespace,
            identity: self.identity,
            labels: self.labels,
            lease_seconds: self.timing.lease_seconds(),
        };
        let machine = ElectionStateMachine::new(self.timing, template, self.seed, Instant::now());
        let task = ElectionTask::new(machine, api, Arc::clone(&shared), self.on_stop);
        Ok((Leadership { shared }, task))
    }
}

/// In a pod, its name.
fn host_name() -> String {
    let named = std::env::var("HOSTNAME").ok().or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let named = named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "unnamed".to_owned())
}
