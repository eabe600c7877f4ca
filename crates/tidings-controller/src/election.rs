//! Leader election on Leases: at most one of several replicas works, and another one takes over when it can't.
//!
//! [`Election`] has the options, [`Leadership`] is the handle, a [`Term`] is one period of leadership.
//! `state_machine` decides and is pure, `task` sends its requests, `guard` acts on work that outlasts its lease.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use kube_client::{Api, Client};
use tidings_util::watch;
use tokio::time::Instant;

use crate::lease_error::LeaseError;
use crate::sync::AtomicU64;

mod guard;
mod leadership;
#[cfg(feature = "metrics")]
mod metrics;
mod record;
mod state_machine;
mod task;
mod term;
mod timing;

pub use guard::{Guard, OnOverrun, Overrun};
pub use leadership::Leadership;
#[cfg(feature = "metrics")]
pub use metrics::ElectionMetrics;
pub use task::ElectionTask;
pub use term::Term;

use leadership::{ElectionStatus, SharedElection};
use record::LeaseTemplate;
use state_machine::ElectionStateMachine;
use task::OnStop;
use timing::ElectionTiming;

/// The options of an election for one Lease.
///
/// At most one replica leads at any time, if clocks run within 10 % of true time and no person changes the Lease: to
/// shorten, blank or delete it is an order to hand over at once. The time of day of the clocks does not matter. A
/// suspended machine is outside of this guarantee, because its clock stops.
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
///
/// # One leader is not one writer
///
/// A lease decides which replica may *send* a request. It does not decide when a request *arrives*: a proxy or a busy
/// server may delay the last request of the old leader until the next leader has already written. The same holds for
/// [shards](crate::Sharding). No lease can prevent that. The server can, if a write names the version that it was made
/// for: [`TrackedApi::if_unchanged`](crate::TrackedApi::if_unchanged) does so for patches and deletions, and `replace`
/// always does. A late write then fails with a conflict and changes nothing. Writes with the same result from any
/// replica, such as a server-side apply of what the spec says, need no such check.
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

impl Election {
    /// An election for the lease of this name, in the namespace of the client. The identity is the name of the host and
    /// a random number.
    pub fn new(name: impl Into<String>) -> Self {
        let random = RandomState::new();
        Election {
            name: name.into(),
            namespace: None,
            identity: format!("{}_{:016x}", host_name(), random.hash_one("identity")),
            labels: BTreeMap::new(),
            timing: ElectionTiming::default(),
            on_stop: OnStop::Release,
            seed: random.hash_one("seed"),
        }
    }

    /// The namespace of the lease.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// What is written into the lease as its holder. No two processes may have the same identity.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// Labels of the lease, added to those that it has.
    pub fn labels(mut self, labels: impl IntoIterator<Item = (String, String)>) -> Self {
        self.labels = labels.into_iter().collect();
        self
    }

    /// How long other replicas wait after they observed a renewal before they take the lease; 15 s by default. It is
    /// written into the lease as whole seconds, rounded up.
    pub fn lease_duration(mut self, lease_duration: Duration) -> Self {
        self.timing.lease_duration = lease_duration;
        self
    }

    /// When a leader that can't renew its lease stops leading; 10 s by default, counted from before it sent the last
    /// successful renewal. From then until 9/11 of the lease duration, work has time to end.
    pub fn renew_deadline(mut self, renew_deadline: Duration) -> Self {
        self.timing.renew_deadline = renew_deadline;
        self
    }

    /// How often a leader renews; 2 s by default. A candidate reads the lease after 1 to 2.2 times this.
    pub fn retry_period(mut self, retry_period: Duration) -> Self {
        self.timing.retry_period = retry_period;
        self
    }

    /// Lets the lease expire by itself when the election is stopped. By default it is released when all guards are
    /// dropped, and another replica takes it at once.
    pub fn keep_lease_on_stop(mut self) -> Self {
        self.on_stop = OnStop::Keep;
        self
    }

    /// The seed of the jitter; random by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The handle and the task of the election. Nothing happens until the task runs.
    pub fn build(self, client: Client) -> Result<(Leadership, ElectionTask), LeaseError> {
        self.timing.check()?;
        if self.name.is_empty() {
            return Err(LeaseError::NoName);
        }
        if self.identity.is_empty() {
            return Err(LeaseError::Identity { identity: self.identity });
        }
        let namespace = self.namespace.unwrap_or_else(|| client.default_namespace().to_owned());
        let shared = Arc::new(SharedElection {
            name: self.name.clone(),
            lease: Arc::from(format!("{namespace}/{}", self.name)),
            identity: self.identity.clone(),
            lease_duration: self.timing.lease_duration,
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

/// In a pod, this is the name of the pod.
fn host_name() -> String {
    let named = std::env::var("HOSTNAME").ok().or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let named = named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "unnamed".to_owned())
}
