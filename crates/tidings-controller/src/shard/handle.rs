//! What workers hold: which keys are ours, permits to work on them, and the effects that this has changed.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tidings_object::Key;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::fence::Fence;
use super::member::{Member, PermitId};
use crate::lease_error::LeaseError;
use crate::sync::Mutex;

/// The keys that are this replica's. Clones share everything but what [`changed`](Self::changed) has told.
///
/// ```no_run
/// # use tidings_controller::Shard;
/// # async fn work(shard: Shard, key: tidings_object::Key) {
/// if let Some(permit) = shard.permit(&key) {
///     tokio::select! {
///         () = permit.lost().cancelled() => {} // stop: soon another replica works on it
///         () = async { /* reconcile the key */ } => {}
///     }
/// } // dropped: now others may be given the key
/// # }
/// ```
#[derive(Clone)]
pub struct Shard {
    shared: Arc<Shared>,
    changes: watch::Receiver<u64>,
}

/// The right to work on a key, until it is dropped. Nobody else is given the key meanwhile, unless the holder goes
/// on for too long after it was [lost](Self::lost).
#[must_use = "dropping it lets others have the key"]
pub struct Permit {
    shared: Arc<Shared>,
    id: PermitId,
    key: Key,
    lost: CancellationToken,
}

/// Where a replica stands in its group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardStatus {
    /// Who it is.
    pub identity: Arc<str>,
    /// Those who share the keys, as far as it knows; it is one of them unless it leaves.
    pub members: Vec<Arc<str>>,
    /// Those who may still be working on keys that will be its own.
    pub waits_for: Vec<Arc<str>>,
    /// How many permits are held.
    pub permits: usize,
    /// Until when it may give permits, unless it renews its lease before.
    pub valid_until: Option<Instant>,
}

/// What handles, permits and the task share.
pub(super) struct Shared {
    state: Mutex<State>,
    changes: watch::Sender<u64>,
    /// The task has something to do.
    pub(super) wake: Notify,
    pub(super) fence: Fence,
}

struct State {
    member: Member,
    next_permit: PermitId,
    permits: HashMap<PermitId, CancellationToken>,
}

impl Shard {
    pub(super) fn new(member: Member, fence: Fence) -> Shard {
        let (changes, told) = watch::channel(0);
        let state = Mutex::new(State { member, next_permit: 0, permits: HashMap::new() });
        Shard { shared: Arc::new(Shared { state, changes, wake: Notify::new(), fence }), changes: told }
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The right to work on a key, if it is ours now. It is never waited for: when a key becomes ours,
    /// [`changed`](Self::changed) tells.
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

    /// Waits until other keys may be ours than when this handle was made or last told. Each key that was refused
    /// is to be asked for again. It may be cancelled; it never comes back once the task has gone.
    pub async fn changed(&mut self) {
        self.changes.changed().await.expect("the sender lives as long as this handle");
    }

    /// Whose a key shall be, once everybody knows of everybody.
    pub fn owner(&self, key: &Key) -> Option<Arc<str>> {
        self.shared.with(|state| state.member.target().owner(key.as_str()).cloned())
    }

    /// Where this replica stands.
    pub fn status(&self) -> ShardStatus {
        self.shared.with(|state| ShardStatus {
            identity: Arc::clone(state.member.identity()),
            members: state.member.target().members().cloned().collect(),
            waits_for: state.member.waits_for().cloned().collect(),
            permits: state.member.held_permit_count(),
            valid_until: state.member.valid_until(),
        })
    }

    /// For a health check: whether this replica has a valid lease, without which it works on nothing, and sees
    /// those of others.
    pub fn check(&self) -> Result<(), LeaseError> {
        let now = Instant::now();
        self.shared.with(|State { member, .. }| {
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

    /// Cancelled when the work must end: the lease can't be renewed, or the key shall be another's for longer than
    /// the grace of a hand-over. Whoever still holds the permit when the lease could expire is
    /// [reported](super::Sharding::on_overrun).
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
            // It may have been the last one that the thread watched over.
            self.shared.fence.notify();
        }
    }
}

impl Shared {
    /// Tells the member something, and passes on what follows from it.
    pub(super) fn with_member<R>(&self, tell: impl FnOnce(&mut Member, Instant) -> R) -> R {
        self.with(|state| tell(&mut state.member, Instant::now()))
    }

    /// The token of a permit is cancelled without the lock, since it wakes others.
    fn with<R>(&self, run: impl FnOnce(&mut State) -> R) -> R {
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
