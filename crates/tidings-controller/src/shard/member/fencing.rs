//! What the watchdog of a shard needs from a member: when permits must have ended, and which have not.

use tidings_object::Key;
use tokio::time::Instant;

use super::{LeaveState, Member};
use crate::shard::ownership::Ownership;

/// The result of one check of the watchdog.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::shard) struct FenceCheck {
    /// When the claim expired, and the keys whose permits were held then. It is reported once.
    pub(in crate::shard) overrun: Option<(Instant, Vec<Key>)>,
    /// The next deadline.
    pub(in crate::shard) next: Option<Instant>,
    /// When the permits that are held now must have ended.
    pub(in crate::shard) deadline: Option<Instant>,
    /// The member is closed and holds no permit: the watchdog can end.
    pub(in crate::shard) is_over: bool,
}

impl Member {
    /// Until when the member may give permits, unless it renews before.
    pub(in crate::shard) fn valid_until(&self) -> Option<Instant> {
        let renewed_at = self.own_writes.renewed_at.filter(|_| !self.is_closed());
        renewed_at.map(|at| at + self.timing.renew_deadline)
    }

    /// When all permits must have ended, unless the lease is renewed before. Permits of a claim whose Lease was deleted
    /// have a deadline of their own, which no renewal moves.
    pub(in crate::shard) fn fenced_at(&self) -> Option<Instant> {
        let of_permits = self.held_permits.values().filter_map(|permit| permit.must_end_by);
        self.claim_ends_at().into_iter().chain(of_permits).min()
    }

    fn claim_ends_at(&self) -> Option<Instant> {
        self.own_writes.renewed_at.map(|at| at + self.timing.permits_end())
    }

    /// The Lease was deleted: the held permits keep the deadline of their claim.
    pub(super) fn keep_deadlines(&mut self) {
        let claim_ends_at = self.claim_ends_at();
        for permit in self.held_permits.values_mut() {
            permit.must_end_by = permit.must_end_by.or(claim_ends_at);
        }
    }

    /// Reports permits that are held beyond a deadline of their own.
    pub(super) fn report_overdue_permits(&mut self, now: Instant) {
        for permit in self.held_permits.values_mut() {
            if let Some(ended_by) = permit.must_end_by.take_if(|at| *at <= now) {
                self.effects.overrun.get_or_insert_with(|| (ended_by, Vec::new())).1.push(permit.key.clone());
            }
        }
    }

    pub(in crate::shard) fn is_closed(&self) -> bool {
        self.leave_state == LeaveState::Left
    }

    /// The task of this member has ended. The held permits are revoked; the watchdog still watches over them.
    pub(in crate::shard) fn close(&mut self) {
        self.leave_state = LeaveState::Left;
        self.published = None;
        self.revoke_permits(|_| true);
        self.effects.is_changed = true;
        self.ownership = Ownership::default();
    }

    pub(in crate::shard) fn check_fence(&mut self, now: Instant) -> FenceCheck {
        self.advance_time(now);
        let overrun = self.effects.overrun.take();
        let next = [self.valid_until(), self.fenced_at()].into_iter().flatten().filter(|at| *at > now).min();
        let deadline = self.fenced_at().filter(|_| !self.held_permits.is_empty());
        let is_over = self.is_closed() && (self.held_permits.is_empty() || deadline.is_none());
        FenceCheck { overrun, next, deadline, is_over }
    }
}
