//! The one error type of everything that works with a Lease: elections and shards.

use std::sync::Arc;
use std::time::Duration;

use tidings_informer::{InformerError, WaitError};

/// Why an election or a shard can't be set up, or why its replica may not work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The election has no name.
    #[error("the lease of the election has no name: pass one to `Election::new`")]
    NoName,
    /// The identity of the replica is empty or too long.
    #[error("{identity:?} can't be the identity of a replica: use 1 to 253 bytes")]
    Identity {
        /// The identity.
        identity: String,
    },
    /// The group can't be the value of a label and a part of the name of a Lease.
    #[error(
        "{group:?} can't be the name of a group: use lower case letters, digits and '-', at most 63 of them"
    )]
    Group {
        /// The group.
        group: String,
    },
    /// The namespace of the Leases is not valid.
    #[error("choosing the namespace of the leases: {0}")]
    Namespace(tidings_source::ClientError),
    /// The durations of an election or of a shard do not fit together.
    #[error("{reason}")]
    Timing {
        /// Which ones, and what they must be.
        reason: String,
    },
    /// The Leases of the group can't be watched.
    #[error("watching the leases of the group: {0}")]
    Watch(InformerError),
    /// The thread that ends work when its lease expires could not be started.
    #[error("starting the thread that watches over work under a lease: {0}")]
    WatchdogThread(std::io::Error),
    /// The term has ended: no work may start in it. Wait for the next term.
    #[error("the term has ended")]
    TermEnded,
    /// The informer of the group's Leases has ended: the replica can't see the other members, and owns no key.
    #[error("watching the leases of the group has ended: {cause}")]
    LeasesEnded {
        /// Why.
        cause: WaitError,
    },
    /// This replica leads, but its election task has not renewed the lease for too long: the task is stuck. Restart the
    /// process.
    #[error("leader of {lease}, but the lease was last renewed {age:?} ago")]
    Stalled {
        /// The lease, as namespace and name.
        lease: Arc<str>,
        /// The time since the last change of the lease.
        age: Duration,
    },
    /// The lease of this shard was not renewed in time, or was never written: the replica owns no key.
    #[error("{identity} has no valid lease in its group, and works on no key")]
    NotRenewed {
        /// The identity of the replica.
        identity: Arc<str>,
    },
    /// The replica renews its lease, but its cache of the group's Leases does not show the renewals: it would not
    /// notice when members join or leave.
    #[error("{identity} does not see its own renewals: its cache of the leases is stale")]
    StaleCache {
        /// The identity of the replica.
        identity: Arc<str>,
    },
}
