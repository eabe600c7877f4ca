//! The handle that workers use: permits for keys, and notifications when the owned keys change.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tidings_object::Key;
use tidings_util::watch;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::fence::Fence;
use super::member::{Member, PermitId};
use crate::lease_error::LeaseError;
use crate::sync::Mutex;

/// The handle of a shard: the part of all keys that this replica owns. Each clone has its own position in the changes
/// that [`changed`](Self::changed) waits for.
///
/// ```no_run
/// # use tidings_controller::Shard;
/// # async fn work(shard: Shard, key: tidings_object::Key) {
/// if let Some(permit) = shard.permit(&key) {
///     tokio::select! {
///         () = permit.lost().cancelled() => {} // stop: another replica will own the key soon
///         () = async { /* reconcile the key */ } => {}
///     }
/// } // the permit is dropped: another replica may own the key now
/// # }
/// ```
#[derive(Clone)]
pub struct Shard {
    shared: Arc<SharedShard>,
    changes: watch::Receiver<u64>,
}

/// The permission to work on a key, until it is dropped. No other replica gets a permit for the key before that, unless
/// the holder continues for too long after the permit was [lost](Self::lost).
#[must_use = "when the permit is dropped, another replica may own the key"]
pub struct Permit {
    shared: Arc<SharedShard>,
    id: PermitId,
    key: Key,
    lost: CancellationToken,
}

/// The state of a replica in its group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardStatus {
    /// The identity of this replica.
    pub identity: Arc<str>,
    /// The members that share the keys, as far as this replica knows. It is one of them unless it leaves.
    pub members: Vec<Arc<str>>,
    /// The members that may still be working on keys that this replica will own.
    pub waits_for: Vec<Arc<str>>,
    /// The number of held permits.
    pub permits: usize,
    /// Until when this replica may give permits, unless it renews its lease before.
    pub valid_until: Option<Instant>,
}

/// Shared by handles, permits and the task.
pub(super) struct SharedShard {
    state: Mutex<ShardState>,
    changes: watch::Sender<u64>,
    /// Wakes the task.
    pub(super) wake: Notify,
    pub(super) fence: Fence,
}

struct ShardState {
    member: Member,
    next_permit: PermitId,
    permits: HashMap<PermitId, CancellationToken>,
}

impl Shard {
    pub(super) fn new(member: Member, fence: Fence) -> Shard {
        let changes = watch::Sender::new(0);
        let receiver = changes.subscribe();
        let state = Mutex::new(ShardState { member, next_permit: 0, permits: HashMap::new() });
        Shard {
            shared: Arc::new(SharedShard { state, changes, wake: Notify::new(), fence }),
            changes: receiver,
        }
    }

    pub(super) fn shared(&self) -> &Arc<SharedShard> {
        &self.shared
    }

    /// A permit for a key, if this replica owns the key now. If not, [`changed`](Self::changed) wakes when that may
    /// have changed.
    pub fn permit(&self, key: &Key) -> Option<Permit> {
        let lost = CancellationToken::new();
        let id = self.shared.with(|state| {
            let id = state.next_permit;
            state.next_permit += 1;
            let is_ours = state.member.permit(Instant::now(), id, key);
            is_ours.then(|| {
                state.permits.insert(id, lost.clone());
                id
            })
        })?;
        Some(Permit { shared: Arc::clone(&self.shared), id, key: key.clone(), lost })
    }

    /// Waits until this replica may own other keys than when this handle was cloned or this method returned last. Then
    /// request a permit again for each key that was refused. It is cancel safe. It never returns after the task has
    /// ended.
    pub async fn changed(&mut self) {
        self.changes.changed().await.expect("the sender lives as long as this handle");
    }

    /// The replica that will own the key when all members know each other.
    pub fn owner(&self, key: &Key) -> Option<Arc<str>> {
        self.shared.with(|state| state.member.target().owner(key.as_str()).cloned())
    }

    /// The state of this replica in its group.
    pub fn status(&self) -> ShardStatus {
        self.shared.with(|state| ShardStatus {
            identity: Arc::clone(state.member.identity()),
            members: state.member.target().members().cloned().collect(),
            waits_for: state.member.waits_for().cloned().collect(),
            permits: state.member.held_permit_count(),
            valid_until: state.member.valid_until(),
        })
    }

    /// A health check. It fails with [`LeaseError::NotRenewed`] if this replica has no valid lease and so owns no key,
    /// and with [`LeaseError::StaleCache`] if it does not see the Leases of the others.
    pub fn check(&self) -> Result<(), LeaseError> {
        let now = Instant::now();
        self.shared.with(|ShardState { member, .. }| {
            let identity = Arc::clone(member.identity());
            if member.valid_until().is_none_or(|until| until <= now) {
                Err(LeaseError::NotRenewed { identity })
            } else if member.is_cache_stale(now) {
                Err(LeaseError::StaleCache { identity })
            } else {
                Ok(())
            }
        })
    }
}

impl Permit {
    /// The key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Cancelled when the work must end: the lease can't be renewed, or the hand-over of the key to another replica has
    /// timed out. A permit that is still held when the lease could expire is an [overrun](super::Sharding::on_overrun).
    pub fn lost(&self) -> &CancellationToken {
        &self.lost
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let (is_waited_for, is_closed) = self.shared.with(|state| {
            let is_waited_for = state.member.waits_for_permits();
            state.permits.remove(&self.id);
            state.member.ended(Instant::now(), self.id);
            (is_waited_for, state.member.is_closed())
        });
        if is_waited_for {
            self.shared.wake.notify_one();
        }
        if is_closed {
            // The watchdog thread ends with the last permit.
            self.shared.fence.notify();
        }
    }
}

impl SharedShard {
    /// Calls a method of the member and applies its effects.
    pub(super) fn with_member<R>(&self, call: impl FnOnce(&mut Member, Instant) -> R) -> R {
        self.with(|state| call(&mut state.member, Instant::now()))
    }

    /// Tokens are cancelled after the lock is released, because that runs the wakers of other tasks.
    fn with<R>(&self, run: impl FnOnce(&mut ShardState) -> R) -> R {
        let mut state = self.state.lock();
        let was_fenced = state.member.fenced_at().is_some();
        let ran = run(&mut state);
        let is_newly_fenced = !was_fenced && state.member.fenced_at().is_some();
        let effects = state.member.effects_mut();
        let is_changed = std::mem::take(&mut effects.is_changed);
        let lost = std::mem::take(&mut effects.lost);
        let lost: Vec<_> = lost.iter().filter_map(|id| state.permits.get(id)).cloned().collect();
        drop(state);
        lost.iter().for_each(CancellationToken::cancel);
        if is_newly_fenced {
            self.fence.notify();
        }
        if is_changed {
            self.changes.send_modify(|changes| *changes += 1);
        }
        ran
    }
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status().fmt(f)
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("key", &self.key).field("is_lost", &self.lost.is_cancelled()).finish()
    }
}
