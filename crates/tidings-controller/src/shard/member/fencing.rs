//! What the fence asks of a member: when permits must have ended, and which have not.

use tidings_object::Key;
use tokio::time::Instant;

use super::{LeaveState, Member};
use crate::shard::ownership::Ownership;

/// What a fence does now, and when it looks again.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::shard) struct FenceCheck {
    /// Keys whose permits should have ended. Each is reported once.
    pub(in crate::shard) overran: Vec<Key>,
    /// When something changes by itself.
    pub(in crate::shard) next: Option<Instant>,
    /// When permits that are held now must have ended.
    pub(in crate::shard) deadline: Option<Instant>,
    /// Nothing is permitted any more, nor held.
    pub(in crate::shard) is_over: bool,
}

impl Member {
    /// Until when keys may be permitted.
    pub(in crate::shard) fn valid_until(&self) -> Option<Instant> {
        let renewed_at = self.own_writes.renewed_at.filter(|_| !self.is_closed());
        renewed_at.map(|at| at + self.timing.renew_deadline)
    }

    /// When every permit must have ended, unless the lease is renewed before.
    pub(in crate::shard) fn fenced_at(&self) -> Option<Instant> {
        self.own_writes.renewed_at.map(|at| at + self.timing.permits_end())
    }

    pub(in crate::shard) fn is_closed(&self) -> bool {
        self.leave_state == LeaveState::Left
    }

    /// Nobody acts for this member any more. Permits that are held are lost, and fenced as ever.
    pub(in crate::shard) fn close(&mut self) {
        self.leave_state = LeaveState::Left;
        self.published = None;
        self.revoke_permits(|_| true);
        self.effects.is_changed = true;
        self.ownership = Ownership::default();
    }

    /// Time has passed, for the fence.
    pub(in crate::shard) fn fence(&mut self, now: Instant) -> FenceCheck {
        self.advance_time(now);
        let overran = std::mem::take(&mut self.effects.overran);
        let next = [self.valid_until(), self.fenced_at()].into_iter().flatten().filter(|at| *at > now).min();
        let deadline = self.fenced_at().filter(|_| !self.held_permits.is_empty());
        let is_over = self.is_closed() && (self.held_permits.is_empty() || deadline.is_none());
        FenceCheck { overran, next, deadline, is_over }
    }
}
