//! The decisions of one member: what it publishes and when, and which keys it may work on. It is pure: time,
//! snapshots and answers are told to it, and it says what is to be done. Why it is safe stands in the module above.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings_object::Key;
use tidings_source::clock;
use tokio::time::Instant;

use super::peers::{Peers, Seen, Stamp};
use super::record::{Claim, Record};
use super::standing::Standing;
use super::timing::Timing;
use super::view::View;
use super::writes::Writes;

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Write this into the own Lease, and tell how it went.
    Write(Record),
    /// Delete the own Lease, and tell how it went.
    Remove,
    /// Delete the Lease of a member that is dead, and tell how it went.
    Clear(Arc<str>, Stamp),
    /// Nothing, until something happens or this moment comes.
    Wait(Option<Instant>),
    /// Nothing any more.
    Left,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Done,
    /// Not done, or nobody knows.
    Failed,
}

/// One member of a group.
#[derive(Debug)]
pub(super) struct Member {
    me: Arc<str>,
    lease_name: Arc<str>,
    timing: Timing,
    peers: Peers,
    /// Whether the cache has shown anything yet: nobody acts blindly.
    is_informed: bool,
    /// Who shall share the keys, as far as we know.
    target: Arc<View>,
    acting: Option<Acting>,
    writes: Writes,
    held: BTreeMap<PermitId, Held>,
    /// Since when keys are held that `target` gives to others.
    handing_over_since: Option<Instant>,
    leaving: Leaving,
    standing: Standing,
    news: News,
}

/// The number of a permit.
pub(super) type PermitId = u64;

/// What happened that others must be told.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Permits whose holders shall end.
    pub(super) lost: Vec<PermitId>,
    /// Keys that are held although the lease may be taken for expired.
    pub(super) overstayed: Vec<Key>,
    /// Whether keys may be permitted that were not.
    pub(super) is_changed: bool,
}

/// The view that every write publishes.
#[derive(Debug)]
struct Acting {
    view: Arc<View>,
    /// The first write that says so.
    since_turn: u64,
    /// What had been published and seen before, unless it has lapsed.
    before: Option<Arc<View>>,
}

#[derive(Debug)]
struct Held {
    key: Key,
    is_told: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    No,
    Since(Instant),
    Left,
}

impl Member {
    pub(super) fn new(me: Arc<str>, lease_name: Arc<str>, timing: Timing) -> Member {
        Member {
            me,
            lease_name,
            timing,
            peers: Peers::default(),
            is_informed: false,
            target: Arc::default(),
            acting: None,
            writes: Writes::default(),
            held: BTreeMap::new(),
            handing_over_since: None,
            leaving: Leaving::No,
            standing: Standing::default(),
            news: News::default(),
        }
    }

    /// The cache shows these Leases of the group, at one moment of the server.
    pub(super) fn observe(&mut self, now: Instant, mut seen: Vec<Seen>) {
        self.pass(now);
        let own = seen.iter().position(|seen| seen.name == self.lease_name).map(|at| seen.swap_remove(at));
        let own_turn = own.map(|own| own.record.turn);
        if own_turn.is_none() && self.writes.seen_turn > 0 {
            // Someone took it away, and a newcomer would not know that we ever were: nothing is ours any more.
            self.lapse();
        }
        self.writes.saw(own_turn.unwrap_or_default());
        if let Some(fresh) = self.writes.fresh_until {
            self.renew(now, fresh);
        }
        self.peers.observe(now, seen, self.writes.fresh_until);
        self.is_informed = true;
        self.settle(now);
    }

    /// The Lease of a member was deleted after it had said that it claims nothing.
    pub(super) fn farewell(&mut self, now: Instant, name: &str) {
        self.peers.farewell(name);
        self.settle(now);
    }

    /// What is to be done now.
    pub(super) fn next(&mut self, now: Instant) -> Step {
        self.pass(now);
        self.settle(now);
        if self.leaving == Leaving::Left {
            return Step::Left;
        }
        if self.writes.under_way.is_some() {
            return Step::Wait(self.next_deadline(now));
        }
        if let Leaving::Since(since) = self.leaving
            && self.held.is_empty()
            && let Some(step) = self.next_of_leaving(now, since)
        {
            return step;
        }
        if let Some(acting) = &self.acting
            && (acting.since_turn > self.writes.turn || self.writes.next_at.is_none_or(|at| at <= now))
        {
            let claim = if acting.view.members().next().is_some() {
                Claim::Own(Arc::clone(&acting.view))
            } else {
                Claim::Nothing
            };
            let turn = self.writes.begin(now, self.timing.retry_period);
            let (identity, lease_duration) = (Arc::clone(&self.me), self.timing.lease_duration);
            return Step::Write(Record { identity, lease_duration, turn, claim });
        }
        if let Some((name, stamp)) = self.peers.next_to_clear(&self.lease_name) {
            self.writes.under_way = Some(now);
            return Step::Clear(name, stamp);
        }
        Step::Wait(self.next_deadline(now))
    }

    /// The last write was answered, or nobody waits for its answer any more.
    pub(super) fn written(&mut self, now: Instant, answer: Answer) {
        self.pass(now);
        let begun = self.writes.under_way.take().expect("a write is answered once");
        if answer == Answer::Done {
            (self.writes.answered_turn, self.writes.answered_at) = (self.writes.turn, Some(now));
            self.renew(now, begun);
        }
        self.settle(now);
    }

    /// A dead member's Lease was cleared away, or could not be.
    pub(super) fn cleared(&mut self) {
        self.writes.under_way = None;
    }

    /// The own Lease was deleted, or could not be.
    pub(super) fn removed(&mut self) {
        self.leaving = Leaving::Left;
    }

    /// Asks to work on a key.
    pub(super) fn permit(&mut self, now: Instant, id: PermitId, key: &Key) -> bool {
        self.pass(now);
        let is_valid = self.writes.renewed_at.is_some_and(|at| now < at + self.timing.renew_deadline);
        let is_ours = is_valid && self.standing.permits(key.as_str(), &self.me);
        if is_ours {
            self.held.insert(id, Held { key: key.clone(), is_told: false });
        }
        is_ours
    }

    /// Work on a key has ended.
    pub(super) fn ended(&mut self, now: Instant, id: PermitId) {
        self.held.remove(&id);
        self.settle(now);
    }

    /// Takes nothing new, hands everything over, then leaves.
    pub(super) fn leave(&mut self, now: Instant) {
        if self.leaving == Leaving::No {
            self.leaving = Leaving::Since(now);
        }
        self.settle(now);
    }

    pub(super) fn news_mut(&mut self) -> &mut News {
        &mut self.news
    }

    pub(super) fn identity(&self) -> &Arc<str> {
        &self.me
    }

    pub(super) fn target(&self) -> &View {
        &self.target
    }

    /// Whose claims stand in the way of keys that shall be ours.
    pub(super) fn waits_for(&self) -> impl Iterator<Item = &Arc<str>> {
        self.standing.contested.iter().map(|(identity, _)| identity)
    }

    /// Whether the end of a permit lets things go on.
    pub(super) fn waits_for_permits(&self) -> bool {
        self.handing_over_since.is_some()
    }

    pub(super) fn held_len(&self) -> usize {
        self.held.len()
    }

    /// Whether the cache shows no own write of the last lease duration.
    pub(super) fn is_blind(&self, now: Instant) -> bool {
        self.writes.fresh_until.is_none_or(|fresh| now > fresh + self.timing.lease_duration)
    }

    /// The end of a member that holds nothing: it says so, lets others see it, and takes its Lease away. Without a
    /// server it goes when its lease has lapsed.
    fn next_of_leaving(&mut self, now: Instant, since: Instant) -> Option<Step> {
        let acting = self.acting.as_ref().filter(|acting| acting.since_turn <= self.writes.answered_turn);
        if let (Some(acting), Some(answered_at)) = (acting, self.writes.answered_at) {
            let shown_by = answered_at + self.timing.retry_period;
            if !self.is_seen(acting) && now < shown_by {
                return Some(Step::Wait(Some(shown_by)));
            }
            self.writes.under_way = Some(now);
            return Some(Step::Remove);
        }
        let is_lapsed = self.writes.renewed_at.is_none() && now >= since + self.timing.permits_end();
        if self.writes.turn == 0 || is_lapsed {
            self.leaving = Leaving::Left;
            return Some(Step::Left);
        }
        None
    }

    /// When something is to be done, if nothing happens before.
    fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let Timing { renew_deadline, hand_over_grace, .. } = self.timing;
        let permits_end = self.timing.permits_end();
        let leaving_since = match self.leaving {
            Leaving::Since(since) => Some(since),
            _ => None,
        };
        let deadlines = [
            self.acting.as_ref().and(self.writes.next_at).filter(|_| self.writes.under_way.is_none()),
            self.writes.renewed_at.map(|at| at + renew_deadline),
            self.writes.renewed_at.map(|at| at + permits_end),
            self.handing_over_since.map(|since| clock::after(since, hand_over_grace)),
            leaving_since.map(|since| since + permits_end),
        ];
        deadlines.into_iter().flatten().filter(|at| *at > now).min()
    }

    /// Time has passed.
    fn pass(&mut self, now: Instant) {
        if let Some(renewed_at) = self.writes.renewed_at {
            if now >= renewed_at + self.timing.renew_deadline {
                self.tell(|_| true);
            }
            if now >= renewed_at + self.timing.permits_end() {
                self.news.overstayed.extend(self.held.values().map(|held| held.key.clone()));
                self.lapse();
            }
        }
        if self
            .handing_over_since
            .is_some_and(|since| now >= clock::after(since, self.timing.hand_over_grace))
        {
            let (target, me) = (Arc::clone(&self.target), Arc::clone(&self.me));
            self.tell(|key| !target.gives(key.as_str(), &me));
        }
    }

    /// What was published no longer protects us: what follows begins anew, and every permit is lost.
    fn lapse(&mut self) {
        self.acting = None;
        self.writes.renewed_at = None;
        self.tell(|_| true);
        self.news.is_changed = true;
    }

    fn tell(&mut self, which: impl Fn(&Key) -> bool) {
        for (id, held) in &mut self.held {
            if !held.is_told && which(&held.key) {
                held.is_told = true;
                self.news.lost.push(*id);
            }
        }
    }

    /// A write that was begun then has reached the server.
    fn renew(&mut self, now: Instant, begun: Instant) {
        let renewed_at = &mut self.writes.renewed_at;
        if now < begun + self.timing.permits_end() && renewed_at.is_none_or(|at| at < begun) {
            // Keys may have been refused meanwhile.
            self.news.is_changed |= renewed_at.is_none_or(|at| now >= at + self.timing.renew_deadline);
            *renewed_at = Some(begun);
        }
    }

    /// Draws the consequences of whatever happened.
    fn settle(&mut self, now: Instant) {
        self.target = Arc::new(match self.leaving {
            Leaving::No => View::of(self.peers.members().cloned().chain([Arc::clone(&self.me)])),
            _ => View::default(),
        });
        let fits = self.held.values().all(|held| self.target.gives(held.key.as_str(), &self.me));
        self.handing_over_since = (!fits).then(|| self.handing_over_since.unwrap_or(now));
        let may_act = match &self.acting {
            None => true,
            Some(acting) => {
                acting.view != self.target && (self.is_seen(acting) || self.leaving != Leaving::No)
            }
        };
        if fits && may_act && self.is_informed {
            let before = self.acting.take().filter(|acting| self.is_seen(acting)).map(|acting| acting.view);
            let since_turn = self.writes.turn + 1;
            self.acting = Some(Acting { view: Arc::clone(&self.target), since_turn, before });
        }
        let standing = self.stand();
        self.news.is_changed |= standing != self.standing;
        self.standing = standing;
    }

    fn is_seen(&self, acting: &Acting) -> bool {
        self.writes.seen_turn >= acting.since_turn
    }

    fn stand(&self) -> Standing {
        let Some(acting) = &self.acting else { return Standing::default() };
        let seen = if self.is_seen(acting) { Some(&acting.view) } else { acting.before.as_ref() };
        let Some(seen) = seen else { return Standing::default() };
        let mut ours_in = vec![Arc::clone(seen)];
        ours_in.extend([&acting.view, &self.target].into_iter().filter(|view| *view != seen).cloned());
        let is_contested = |(identity, claim): &(&Arc<str>, &Claim)| match claim {
            Claim::Nothing => false,
            // Within one view no key belongs to two.
            Claim::Own(view) => !ours_in.contains(view) || **identity == self.me,
            Claim::Anything => true,
        };
        let contested = self.peers.claims().filter(is_contested);
        let contested = contested.map(|(identity, claim)| (Arc::clone(identity), claim.clone())).collect();
        Standing { ours_in, contested }
    }
}

mod fenced;
#[cfg(test)]
mod tests;

pub(super) use fenced::Fenced;
