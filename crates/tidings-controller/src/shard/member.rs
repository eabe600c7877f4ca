//! The decisions of one member: what it publishes and when, and which keys it may work on. It is pure: time,
//! snapshots and answers are told to it, and it says what is to be done. Why it is safe stands in the module above.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings_object::Key;
use tidings_util::clock;
use tokio::time::Instant;

use super::own_writes::OwnWrites;
use super::ownership::Ownership;
use super::peers::{LeaseVersion, ObservedLease, Peers};
use super::record::{Claim, MemberRecord};
use super::timing::ShardTiming;
use super::view::GroupView;

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MemberAction {
    /// Write this into the own Lease, and tell how it went.
    Write(MemberRecord),
    /// Delete the own Lease, and tell how it went.
    DeleteOwn,
    /// Delete the Lease of a member that is dead, and tell how it went.
    DeleteExpired(Arc<str>, LeaseVersion),
    /// Nothing, until something happens or this moment comes.
    Wait(Option<Instant>),
    /// Nothing any more.
    Left,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseWriteResult {
    Done,
    /// Not done, or nobody knows.
    Failed,
}

/// One member of a group.
#[derive(Debug)]
pub(super) struct Member {
    me: Arc<str>,
    lease_name: Arc<str>,
    timing: ShardTiming,
    peers: Peers,
    /// Whether the cache has shown anything yet: nobody acts blindly.
    has_observed: bool,
    /// Who shall share the keys, as far as we know.
    target: Arc<GroupView>,
    published: Option<PublishedView>,
    own_writes: OwnWrites,
    held_permits: BTreeMap<PermitId, HeldPermit>,
    /// Since when keys are held that `target` assigns to others.
    handing_over_since: Option<Instant>,
    leave_state: LeaveState,
    ownership: Ownership,
    effects: Effects,
}

/// The number of a permit.
pub(super) type PermitId = u64;

/// What happened that others must be told.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// Permits whose holders shall end.
    pub(super) lost: Vec<PermitId>,
    /// Keys that are held although the lease may be taken for expired.
    pub(super) overran: Vec<Key>,
    /// Whether keys may be permitted that were not.
    pub(super) is_changed: bool,
}

/// The view that every write publishes.
#[derive(Debug)]
struct PublishedView {
    view: Arc<GroupView>,
    /// The first write that says so.
    first_sequence: u64,
    /// What had been published and seen before, unless it has lapsed.
    before: Option<Arc<GroupView>>,
}

#[derive(Debug)]
struct HeldPermit {
    key: Key,
    is_revoked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeaveState {
    No,
    Since(Instant),
    Left,
}

impl Member {
    pub(super) fn new(me: Arc<str>, lease_name: Arc<str>, timing: ShardTiming) -> Member {
        Member {
            me,
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

    /// The cache shows these Leases of the group, at one moment of the server.
    pub(super) fn observe(&mut self, now: Instant, mut seen: Vec<ObservedLease>) {
        self.advance_time(now);
        let own = seen.iter().position(|seen| seen.name == self.lease_name).map(|at| seen.swap_remove(at));
        let own_sequence = own.map(|own| own.record.sequence);
        if own_sequence.is_none() && self.own_writes.seen_sequence > 0 {
            // Someone took it away, and a newcomer would not know that we ever were: nothing is ours any more.
            self.expire_claim();
        }
        self.own_writes.saw(own_sequence.unwrap_or_default());
        if let Some(fresh) = self.own_writes.fresh_until {
            self.renew(now, fresh);
        }
        self.peers.observe(now, seen, self.own_writes.fresh_until);
        self.has_observed = true;
        self.update(now);
    }

    /// The Lease of a member was deleted after it had said that it claims nothing.
    pub(super) fn member_left(&mut self, now: Instant, name: &str) {
        self.peers.member_left(name);
        self.update(now);
    }

    /// What is to be done now.
    pub(super) fn next(&mut self, now: Instant) -> MemberAction {
        self.advance_time(now);
        self.update(now);
        if self.leave_state == LeaveState::Left {
            return MemberAction::Left;
        }
        if self.own_writes.under_way.is_some() {
            return MemberAction::Wait(self.next_deadline(now));
        }
        if let LeaveState::Since(since) = self.leave_state
            && self.held_permits.is_empty()
            && let Some(step) = self.next_of_leaving(now, since)
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
            let (identity, lease_duration) = (Arc::clone(&self.me), self.timing.lease_duration);
            return MemberAction::Write(MemberRecord { identity, lease_duration, sequence, claim });
        }
        if let Some((name, version)) = self.peers.next_expired_lease(&self.lease_name) {
            self.own_writes.under_way = Some(now);
            return MemberAction::DeleteExpired(name, version);
        }
        MemberAction::Wait(self.next_deadline(now))
    }

    /// The last write was answered, or nobody waits for its answer any more.
    pub(super) fn written(&mut self, now: Instant, answer: LeaseWriteResult) {
        self.advance_time(now);
        let begun = self.own_writes.under_way.take().expect("a write is answered once");
        if answer == LeaseWriteResult::Done {
            (self.own_writes.answered_sequence, self.own_writes.answered_at) =
                (self.own_writes.sequence, Some(now));
            self.renew(now, begun);
        }
        self.update(now);
    }

    /// A dead member's Lease was cleared away, or could not be.
    pub(super) fn cleared(&mut self) {
        self.own_writes.under_way = None;
    }

    /// The own Lease was deleted, or could not be.
    pub(super) fn removed(&mut self) {
        self.leave_state = LeaveState::Left;
    }

    /// Asks to work on a key.
    pub(super) fn permit(&mut self, now: Instant, id: PermitId, key: &Key) -> bool {
        self.advance_time(now);
        let is_valid = self.own_writes.renewed_at.is_some_and(|at| now < at + self.timing.renew_deadline);
        let is_ours = is_valid && self.ownership.permits(key.as_str(), &self.me);
        if is_ours {
            self.held_permits.insert(id, HeldPermit { key: key.clone(), is_revoked: false });
        }
        is_ours
    }

    /// Work on a key has ended.
    pub(super) fn ended(&mut self, now: Instant, id: PermitId) {
        self.held_permits.remove(&id);
        self.update(now);
    }

    /// Takes nothing new, hands everything over, then leaves.
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
        &self.me
    }

    pub(super) fn target(&self) -> &GroupView {
        &self.target
    }

    /// Whose claims stand in the way of keys that shall be ours.
    pub(super) fn waits_for(&self) -> impl Iterator<Item = &Arc<str>> {
        self.ownership.contested.iter().map(|(identity, _)| identity)
    }

    /// Whether the end of a permit lets things go on.
    pub(super) fn waits_for_permits(&self) -> bool {
        self.handing_over_since.is_some()
    }

    pub(super) fn held_permit_count(&self) -> usize {
        self.held_permits.len()
    }

    /// Whether the cache shows no own write of the last lease duration.
    pub(super) fn is_cache_stale(&self, now: Instant) -> bool {
        self.own_writes.fresh_until.is_none_or(|fresh| now > fresh + self.timing.lease_duration)
    }

    /// The end of a member that holds nothing: it says so, lets others see it, and takes its Lease away. Without a
    /// server it goes when its lease has lapsed.
    fn next_of_leaving(&mut self, now: Instant, since: Instant) -> Option<MemberAction> {
        let published = self
            .published
            .as_ref()
            .filter(|published| published.first_sequence <= self.own_writes.answered_sequence);
        if let (Some(published), Some(answered_at)) = (published, self.own_writes.answered_at) {
            let shown_by = answered_at + self.timing.retry_period;
            if !self.is_seen(published) && now < shown_by {
                return Some(MemberAction::Wait(Some(shown_by)));
            }
            self.own_writes.under_way = Some(now);
            return Some(MemberAction::DeleteOwn);
        }
        let is_expired = self.own_writes.renewed_at.is_none() && now >= since + self.timing.permits_end();
        if self.own_writes.sequence == 0 || is_expired {
            self.leave_state = LeaveState::Left;
            return Some(MemberAction::Left);
        }
        None
    }

    /// When something is to be done, if nothing happens before.
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
                .filter(|_| self.own_writes.under_way.is_none()),
            self.own_writes.renewed_at.map(|at| at + renew_deadline),
            self.own_writes.renewed_at.map(|at| at + permits_end),
            self.handing_over_since.map(|since| clock::after(since, hand_over_timeout)),
            leaving_since.map(|since| since + permits_end),
        ];
        deadlines.into_iter().flatten().filter(|at| *at > now).min()
    }

    /// Time has passed.
    fn advance_time(&mut self, now: Instant) {
        if let Some(renewed_at) = self.own_writes.renewed_at {
            if now >= renewed_at + self.timing.renew_deadline {
                self.revoke_permits(|_| true);
            }
            if now >= renewed_at + self.timing.permits_end() {
                self.effects
                    .overran
                    .extend(self.held_permits.values().map(|held_permits| held_permits.key.clone()));
                self.expire_claim();
            }
        }
        if self
            .handing_over_since
            .is_some_and(|since| now >= clock::after(since, self.timing.hand_over_timeout))
        {
            let (target, me) = (Arc::clone(&self.target), Arc::clone(&self.me));
            self.revoke_permits(|key| !target.assigns(key.as_str(), &me));
        }
    }

    /// What was published no longer protects us: what follows begins anew, and every permit is lost.
    fn expire_claim(&mut self) {
        self.published = None;
        self.own_writes.renewed_at = None;
        self.revoke_permits(|_| true);
        self.effects.is_changed = true;
    }

    fn revoke_permits(&mut self, which: impl Fn(&Key) -> bool) {
        for (id, held_permits) in &mut self.held_permits {
            if !held_permits.is_revoked && which(&held_permits.key) {
                held_permits.is_revoked = true;
                self.effects.lost.push(*id);
            }
        }
    }

    /// A write that was begun then has reached the server.
    fn renew(&mut self, now: Instant, begun: Instant) {
        let renewed_at = &mut self.own_writes.renewed_at;
        if now < begun + self.timing.permits_end() && renewed_at.is_none_or(|at| at < begun) {
            // Keys may have been refused meanwhile.
            self.effects.is_changed |= renewed_at.is_none_or(|at| now >= at + self.timing.renew_deadline);
            *renewed_at = Some(begun);
        }
    }

    /// Draws the consequences of whatever happened.
    fn update(&mut self, now: Instant) {
        self.target = Arc::new(match self.leave_state {
            LeaveState::No => GroupView::of(self.peers.members().cloned().chain([Arc::clone(&self.me)])),
            _ => GroupView::default(),
        });
        let fits = self
            .held_permits
            .values()
            .all(|held_permits| self.target.assigns(held_permits.key.as_str(), &self.me));
        self.handing_over_since = (!fits).then(|| self.handing_over_since.unwrap_or(now));
        let may_act = match &self.published {
            None => true,
            Some(published) => {
                published.view != self.target
                    && (self.is_seen(published) || self.leave_state != LeaveState::No)
            }
        };
        if fits && may_act && self.has_observed {
            let before = self
                .published
                .take()
                .filter(|published| self.is_seen(published))
                .map(|published| published.view);
            let first_sequence = self.own_writes.sequence + 1;
            self.published = Some(PublishedView { view: Arc::clone(&self.target), first_sequence, before });
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
        let seen = if self.is_seen(published) { Some(&published.view) } else { published.before.as_ref() };
        let Some(seen) = seen else { return Ownership::default() };
        let mut ours_in = vec![Arc::clone(seen)];
        ours_in.extend([&published.view, &self.target].into_iter().filter(|view| *view != seen).cloned());
        let is_contested = |(identity, claim): &(&Arc<str>, &Claim)| match claim {
            Claim::Nothing => false,
            // Within one view no key belongs to two.
            Claim::Own(view) => !ours_in.contains(view) || **identity == self.me,
            Claim::Anything => true,
        };
        let contested = self.peers.claims().filter(is_contested);
        let contested = contested.map(|(identity, claim)| (Arc::clone(identity), claim.clone())).collect();
        Ownership { ours_in, contested }
    }
}

mod fencing;
#[cfg(test)]
mod tests;

pub(super) use fencing::FenceCheck;
