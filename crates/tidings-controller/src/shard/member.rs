//! The state machine of one member: what it publishes and when, and which keys it permits.
//!
//! Pure: time, snapshots of the cache and responses in, the next request and effects out. The protocol and why it is
//! safe are described in the parent module. Each method ends with [`update`](Member::update), which derives the state
//! from what is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings_object::Key;
use tidings_util::clock;
use tokio::time::Instant;

use super::own_writes::OwnWrites;
use super::ownership::Ownership;
use super::peers::{ObservedLease, Peers};
use super::record::{Claim, MemberRecord};
use super::timing::ShardTiming;
use super::view::GroupView;

#[derive(Debug)]
pub(super) struct Member {
    identity: Arc<str>,
    lease_name: Arc<str>,
    timing: ShardTiming,
    peers: Peers,
    /// Whether the cache has been observed. Nothing is published before.
    has_observed: bool,
    /// The target view (step 1).
    target: Arc<GroupView>,
    published: Option<PublishedView>,
    own_writes: OwnWrites,
    held_permits: BTreeMap<PermitId, HeldPermit>,
    /// Since when permits are held for keys that `target` assigns to others (step 2).
    handing_over_since: Option<Instant>,
    leave_state: LeaveState,
    ownership: Ownership,
    effects: Effects,
}

/// The view that each write publishes, from `first_sequence` on.
#[derive(Debug)]
struct PublishedView {
    view: Arc<GroupView>,
    first_sequence: u64,
    /// The view that was in effect before, unless its claim has expired.
    previous: Option<Arc<GroupView>>,
}

#[derive(Debug)]
struct HeldPermit {
    key: Key,
    is_revoked: bool,
    /// When it must have ended, if the Lease of its claim was deleted. Otherwise this depends on the last renewal.
    must_end_by: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeaveState {
    No,
    Since(Instant),
    Left,
}

impl Member {
    pub(super) fn new(identity: Arc<str>, lease_name: Arc<str>, timing: ShardTiming) -> Member {
        Member {
            identity,
            lease_name,
            timing,
            peers: Peers::default(),
            has_observed: false,
            target: Arc::default(),
            published: None,
            own_writes: OwnWrites::default(),
            held_permits: BTreeMap::new(),
            handing_over_since: None,
            leave_state: LeaveState::No,
            ownership: Ownership::default(),
            effects: Effects::default(),
        }
    }

    /// The cache shows these Leases of the group, all at one version of the server.
    pub(super) fn observe(&mut self, now: Instant, mut leases: Vec<ObservedLease>) {
        self.advance_time(now);
        let own =
            leases.iter().position(|lease| lease.name == self.lease_name).map(|at| leases.swap_remove(at));
        let own_sequence = own.map(|own| own.record.sequence);
        if own_sequence.is_none() && self.own_writes.seen_sequence > 0 {
            // Someone deleted the own Lease. A new member does not see our claim, so this member owns nothing now.
            self.keep_deadlines();
            self.expire_claim();
        }
        self.own_writes.saw(own_sequence.unwrap_or_default());
        if let Some(fresh) = self.own_writes.fresh_until {
            self.renew(now, fresh);
        }
        self.peers.observe(now, leases, self.own_writes.fresh_until);
        self.has_observed = true;
        self.update(now);
    }

    /// The Lease of this member was deleted, and its last record claimed nothing (step 7).
    pub(super) fn member_left(&mut self, now: Instant, name: &str) {
        self.peers.member_left(name);
        self.update(now);
    }

    /// The next action.
    pub(super) fn next(&mut self, now: Instant) -> MemberAction {
        self.advance_time(now);
        self.update(now);
        if self.leave_state == LeaveState::Left {
            return MemberAction::Left;
        }
        if self.own_writes.pending_since.is_some() {
            return MemberAction::Wait(self.next_deadline(now));
        }
        if let LeaveState::Since(since) = self.leave_state
            && self.held_permits.is_empty()
            && let Some(step) = self.next_leave_action(now, since)
        {
            return step;
        }
        if let Some(published) = &self.published
            && (published.first_sequence > self.own_writes.sequence
                || self.own_writes.next_at.is_none_or(|at| at <= now))
        {
            let claim = if published.view.members().next().is_some() {
                Claim::Own(Arc::clone(&published.view))
            } else {
                Claim::Nothing
            };
            let sequence = self.own_writes.begin(now, self.timing.retry_period);
            let (identity, lease_duration) = (Arc::clone(&self.identity), self.timing.lease_duration);
            return MemberAction::Write(MemberRecord { identity, lease_duration, sequence, claim });
        }
        if let Some((name, version)) = self.peers.next_expired_lease(&self.lease_name) {
            self.own_writes.pending_since = Some(now);
            return MemberAction::DeleteExpired(name, version);
        }
        MemberAction::Wait(self.next_deadline(now))
    }

    /// The response to the last write arrived, or its request timed out.
    pub(super) fn written(&mut self, now: Instant, answer: LeaseWriteResult) {
        self.advance_time(now);
        let started = self.own_writes.pending_since.take().expect("a write is answered once");
        if answer == LeaseWriteResult::Done {
            (self.own_writes.answered_sequence, self.own_writes.answered_at) =
                (self.own_writes.sequence, Some(now));
            self.renew(now, started);
        }
        self.update(now);
    }

    /// The Lease of a dead member was deleted, or the deletion failed.
    pub(super) fn expired_deleted(&mut self) {
        self.own_writes.pending_since = None;
    }

    /// The own Lease was deleted, or the deletion failed.
    pub(super) fn own_deleted(&mut self) {
        self.leave_state = LeaveState::Left;
    }

    /// Gives a permit for a key, if this member owns it (step 4).
    pub(super) fn permit(&mut self, now: Instant, id: PermitId, key: &Key) -> bool {
        self.advance_time(now);
        let is_valid = self.own_writes.renewed_at.is_some_and(|at| now < at + self.timing.renew_deadline);
        let is_ours = is_valid && self.ownership.permits(key.as_str(), &self.identity);
        if is_ours {
            self.held_permits
                .insert(id, HeldPermit { key: key.clone(), is_revoked: false, must_end_by: None });
        }
        is_ours
    }

    /// The permit was dropped.
    pub(super) fn ended(&mut self, now: Instant, id: PermitId) {
        self.held_permits.remove(&id);
        self.update(now);
    }

    /// Gives no more permits, hands over all keys, then leaves (step 7).
    pub(super) fn leave(&mut self, now: Instant) {
        if self.leave_state == LeaveState::No {
            self.leave_state = LeaveState::Since(now);
        }
        self.update(now);
    }

    pub(super) fn effects_mut(&mut self) -> &mut Effects {
        &mut self.effects
    }

    pub(super) fn identity(&self) -> &Arc<str> {
        &self.identity
    }

    pub(super) fn target(&self) -> &GroupView {
        &self.target
    }

    /// The members whose claims keep this member from keys that its target assigns to it.
    pub(super) fn waits_for(&self) -> impl Iterator<Item = &Arc<str>> {
        self.ownership.contested.iter().map(|(identity, _)| identity)
    }

    /// Whether a hand-over waits for permits to be dropped.
    pub(super) fn waits_for_permits(&self) -> bool {
        self.handing_over_since.is_some()
    }

    pub(super) fn held_permit_count(&self) -> usize {
        self.held_permits.len()
    }

    /// Whether the cache does not show any own write of the last lease duration.
    pub(super) fn is_cache_stale(&self, now: Instant) -> bool {
        self.own_writes.fresh_until.is_none_or(|fresh| now > fresh + self.timing.lease_duration)
    }

    /// The last steps of a member that holds no permit: it publishes that it claims nothing, waits until the cache
    /// shows that, and deletes its Lease. If the server can't be reached, it leaves when its claim has expired.
    fn next_leave_action(&mut self, now: Instant, since: Instant) -> Option<MemberAction> {
        let published = self
            .published
            .as_ref()
            .filter(|published| published.first_sequence <= self.own_writes.answered_sequence);
        if let (Some(published), Some(answered_at)) = (published, self.own_writes.answered_at) {
            let shown_by = answered_at + self.timing.retry_period;
            if !self.is_seen(published) && now < shown_by {
                return Some(MemberAction::Wait(Some(shown_by)));
            }
            self.own_writes.pending_since = Some(now);
            return Some(MemberAction::DeleteOwn);
        }
        let is_expired = self.own_writes.renewed_at.is_none() && now >= since + self.timing.permits_end();
        if self.own_writes.sequence == 0 || is_expired {
            self.leave_state = LeaveState::Left;
            return Some(MemberAction::Left);
        }
        None
    }

    /// The next time at which `next` must be called, if no event occurs before.
    fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let ShardTiming { renew_deadline, hand_over_timeout, .. } = self.timing;
        let permits_end = self.timing.permits_end();
        let leaving_since = match self.leave_state {
            LeaveState::Since(since) => Some(since),
            _ => None,
        };
        let deadlines = [
            self.published
                .as_ref()
                .and(self.own_writes.next_at)
                .filter(|_| self.own_writes.pending_since.is_none()),
            self.own_writes.renewed_at.map(|at| at + renew_deadline),
            self.fenced_at(),
            self.handing_over_since.map(|since| clock::after(since, hand_over_timeout)),
            leaving_since.map(|since| since + permits_end),
        ];
        deadlines.into_iter().flatten().filter(|at| *at > now).min()
    }

    /// Applies the deadlines of step 5 and of hand-overs.
    fn advance_time(&mut self, now: Instant) {
        self.report_overdue_permits(now);
        if let Some(renewed_at) = self.own_writes.renewed_at {
            if now >= renewed_at + self.timing.renew_deadline {
                self.revoke_permits(|_| true);
            }
            let expires_at = renewed_at + self.timing.permits_end();
            if now >= expires_at {
                if !self.held_permits.is_empty() {
                    let keys = self.held_permits.values().map(|permit| permit.key.clone());
                    self.effects.overrun.get_or_insert_with(|| (expires_at, Vec::new())).1.extend(keys);
                }
                self.expire_claim();
            }
        }
        if self
            .handing_over_since
            .is_some_and(|since| now >= clock::after(since, self.timing.hand_over_timeout))
        {
            let (target, identity) = (Arc::clone(&self.target), Arc::clone(&self.identity));
            self.revoke_permits(|key| !target.assigns(key.as_str(), &identity));
        }
    }

    /// The claim has expired or was deleted: all permits are revoked, and the next write makes a new claim.
    fn expire_claim(&mut self) {
        self.published = None;
        self.own_writes.renewed_at = None;
        self.revoke_permits(|_| true);
        self.effects.is_changed = true;
    }

    fn revoke_permits(&mut self, which: impl Fn(&Key) -> bool) {
        for (id, permit) in &mut self.held_permits {
            if !permit.is_revoked && which(&permit.key) {
                permit.is_revoked = true;
                self.effects.lost.push(*id);
            }
        }
    }

    /// A write that was started at `started` has reached the server.
    fn renew(&mut self, now: Instant, started: Instant) {
        let renewed_at = &mut self.own_writes.renewed_at;
        if now < started + self.timing.permits_end() && renewed_at.is_none_or(|at| at < started) {
            // Keys may have been refused since the renew deadline.
            self.effects.is_changed |= renewed_at.is_none_or(|at| now >= at + self.timing.renew_deadline);
            *renewed_at = Some(started);
        }
    }

    /// Derives target, published view and ownership from what is known now.
    fn update(&mut self, now: Instant) {
        self.target = Arc::new(match self.leave_state {
            LeaveState::No => {
                GroupView::of(self.peers.members().cloned().chain([Arc::clone(&self.identity)]))
            }
            _ => GroupView::default(),
        });
        let fits =
            self.held_permits.values().all(|permit| self.target.assigns(permit.key.as_str(), &self.identity));
        self.handing_over_since = (!fits).then(|| self.handing_over_since.unwrap_or(now));
        let may_publish = match &self.published {
            None => true,
            Some(published) => {
                published.view != self.target
                    && (self.is_seen(published) || self.leave_state != LeaveState::No)
            }
        };
        if fits && may_publish && self.has_observed {
            let previous = self
                .published
                .take()
                .filter(|published| self.is_seen(published))
                .map(|published| published.view);
            let first_sequence = self.own_writes.sequence + 1;
            self.published = Some(PublishedView { view: Arc::clone(&self.target), first_sequence, previous });
        }
        let ownership = self.ownership();
        self.effects.is_changed |= ownership != self.ownership;
        self.ownership = ownership;
    }

    fn is_seen(&self, published: &PublishedView) -> bool {
        self.own_writes.seen_sequence >= published.first_sequence
    }

    fn ownership(&self) -> Ownership {
        let Some(published) = &self.published else { return Ownership::default() };
        let seen = if self.is_seen(published) { Some(&published.view) } else { published.previous.as_ref() };
        let Some(seen) = seen else { return Ownership::default() };
        let mut ours_in = vec![Arc::clone(seen)];
        ours_in.extend([&published.view, &self.target].into_iter().filter(|view| *view != seen).cloned());
        let is_contested = |(identity, claim): &(&Arc<str>, &Claim)| match claim {
            Claim::Nothing => false,
            // A view assigns each key to one member only, so claims of the same view do not overlap.
            Claim::Own(view) => !ours_in.contains(view) || **identity == self.identity,
            Claim::Anything => true,
        };
        let contested = self.peers.claims().filter(is_contested);
        let contested = contested.map(|(identity, claim)| (Arc::clone(identity), claim.clone())).collect();
        Ownership { ours_in, contested }
    }
}

mod actions;
mod fencing;
#[cfg(test)]
mod tests;

pub(super) use actions::{Effects, LeaseWriteResult, MemberAction, PermitId};
pub(super) use fencing::FenceCheck;
