//! A server, its members and the network between them, driven by one queue of events and one seed. This file has the
//! members, their work and the faults.

mod network;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings_object::Key;
use tokio::time::Instant;

use self::network::{PendingRequest, SimulatedRequest};
use super::super::member::{Member, MemberAction, PermitId};
use super::super::peers::ObservedLease;
use super::super::timing::ShardTiming;

/// An assumption that is broken on purpose. The member itself stays unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    /// The cache always shows the last own write, even if it is older.
    OwnWritesAreSeenAtOnce,
    /// Clocks differ by far more than 10 %.
    ClocksAreFarApart,
    /// Holders continue their work after their permit is revoked.
    HoldersIgnoreRevocation,
    /// Members see no Leases but their own.
    OthersAreNotSeen,
}

/// Two permits for one key.
#[derive(Debug)]
pub(super) struct Violation {
    key: Key,
    holders: [usize; 2],
    at: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) granted: u64,
    pub(super) handed_over: u64,
    pub(super) lost: u64,
}

pub(super) struct World {
    rng: SmallRng,
    timing: ShardTiming,
    flaw: Flaw,
    /// No more faults are injected.
    has_no_faults: bool,
    /// True time, in microseconds.
    now: u64,
    base: Instant,
    events: BinaryHeap<Reverse<(u64, u64, SimulationEvent)>>,
    next_event: u64,
    server: BTreeMap<Arc<str>, ObservedLease>,
    /// All changes of the server, in order.
    log: Vec<(Arc<str>, Option<ObservedLease>)>,
    /// Requests that have not arrived at the server, by node and number.
    requests: BTreeMap<(usize, u64), SimulatedRequest>,
    nodes: Vec<Node>,
    keys: Vec<Key>,
    /// The current or last holder of each key.
    holders: BTreeMap<Key, Holder>,
    overran: usize,
    pub(super) counts: Counts,
}

struct Holder {
    node: usize,
    permit: Option<PermitId>,
}

struct Node {
    identity: usize,
    member: Member,
    lease_name: Arc<str>,
    rate: f64,
    is_up: bool,
    is_leaving: bool,
    /// Whether requests reach the server and responses come back.
    is_connected: bool,
    /// Whether the cache receives changes.
    is_watching: bool,
    cache: BTreeMap<Arc<str>, ObservedLease>,
    /// The number of log entries that the cache has applied.
    position: usize,
    /// The number of the last request.
    request: u64,
    /// Set while that request has no response.
    pending: Option<PendingRequest>,
    last_written: Option<(Arc<str>, ObservedLease)>,
    permits: BTreeMap<PermitId, Key>,
    next_permit: PermitId,
    /// The number of the last wait, so that an outdated wake-up is ignored.
    wait: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SimulationEvent {
    Fault,
    Work(usize),
    /// The end of this wait, unless it was interrupted.
    Wake(usize, u64),
    /// The cache receives the log up to this position.
    Deliver(usize, usize),
    /// A request reaches the server.
    Arrive(usize, u64),
    Answered(usize, u64, bool),
    Ended(usize, PermitId),
}

const MILLISECOND: u64 = 1_000;
const SECOND: u64 = 1_000_000;
const IDENTITIES: usize = 5;
const KEYS: usize = 24;

impl World {
    pub(super) fn new(seed: u64, timing: ShardTiming, flaw: Flaw) -> World {
        let mut world = World {
            rng: SmallRng::seed_from_u64(seed),
            timing,
            flaw,
            has_no_faults: false,
            now: 0,
            base: Instant::now(),
            events: BinaryHeap::new(),
            next_event: 0,
            server: BTreeMap::new(),
            log: Vec::new(),
            requests: BTreeMap::new(),
            nodes: Vec::new(),
            keys: (0..KEYS).map(|i| Key::parse(&format!("default/key-{i}")).unwrap()).collect(),
            holders: BTreeMap::new(),
            overran: 0,
            counts: Counts::default(),
        };
        for identity in 0..2 {
            world.join(identity);
        }
        world.after(SECOND, SimulationEvent::Fault);
        world
    }

    /// Runs all events of this span of time.
    pub(super) fn run_for(&mut self, time: Duration) -> Result<(), Violation> {
        let end = self.now + u64::try_from(time.as_micros()).unwrap();
        while let Some(Reverse((at, _, _))) = self.events.peek()
            && *at <= end
        {
            let Reverse((at, _, event)) = self.events.pop().unwrap();
            self.now = at;
            self.handle_event(event)?;
        }
        self.now = end;
        Ok(())
    }

    /// Repairs everything and injects no more faults. At least one member exists then.
    pub(super) fn end_faults(&mut self) {
        self.has_no_faults = true;
        for at in 0..self.nodes.len() {
            (self.nodes[at].is_connected, self.nodes[at].is_watching) = (true, true);
            self.after(0, SimulationEvent::Deliver(at, self.log.len()));
        }
        if !self.nodes.iter().any(|node| node.is_up && !node.is_leaving) {
            self.join(0);
        }
    }

    pub(super) fn overran(&self) -> usize {
        self.overran
    }

    /// Fails unless each key is permitted by exactly one member.
    pub(super) fn every_key_has_one_owner(&mut self) -> Result<(), String> {
        for key in self.keys.clone() {
            let mut owners = Vec::new();
            for at in 0..self.nodes.len() {
                let now = self.local(at);
                let node = &mut self.nodes[at];
                let held_permits = node.permits.values().any(|held_permits| *held_permits == key);
                if node.is_up && (held_permits || node.member.permit(now, PermitId::MAX, &key)) {
                    node.member.ended(now, PermitId::MAX);
                    owners.push(at);
                }
            }
            if owners.len() != 1 {
                let members = self.nodes.iter().filter(|node| node.is_up).map(|node| &node.member);
                let members: Vec<_> = members.collect();
                return Err(format!("{key:?} is owned by {owners:?}\n{members:#?}"));
            }
        }
        Ok(())
    }

    fn handle_event(&mut self, event: SimulationEvent) -> Result<(), Violation> {
        match event {
            SimulationEvent::Fault => self.inject_fault(),
            SimulationEvent::Work(at) => self.work(at)?,
            SimulationEvent::Wake(at, wait) if wait == self.nodes[at].wait => self.step(at),
            SimulationEvent::Wake(..) => {}
            SimulationEvent::Deliver(at, position) => self.deliver(at, position),
            SimulationEvent::Arrive(at, request) => self.arrive(at, request),
            SimulationEvent::Answered(at, request, is_done) => self.answered(at, request, is_done),
            SimulationEvent::Ended(at, permit) => self.end(at, permit),
        }
        Ok(())
    }

    fn inject_fault(&mut self) {
        if self.has_no_faults {
            return;
        }
        let at = self.rng.random_range(0..self.nodes.len());
        let now = self.local(at);
        match self.rng.random_range(0..10) {
            0..3 => {
                let identity = self.rng.random_range(0..IDENTITIES);
                if !self.nodes.iter().any(|node| node.is_up && node.identity == identity) {
                    self.join(identity);
                }
            }
            3 => self.crash(at),
            4 if self.nodes[at].is_up => {
                self.nodes[at].is_leaving = true;
                self.nodes[at].member.leave(now);
                self.step(at);
            }
            5 => self.nodes[at].is_connected ^= true,
            6 => self.nodes[at].is_watching ^= true,
            // A member loses both connections, or gets both back.
            7 => {
                let is_back = !self.nodes[at].is_connected;
                (self.nodes[at].is_connected, self.nodes[at].is_watching) = (is_back, is_back);
            }
            // No fault: leases may expire in the meantime.
            _ => {}
        }
        if self.nodes[at].is_watching {
            self.after(0, SimulationEvent::Deliver(at, self.log.len()));
        }
        let pause = self.rng.random_range(SECOND / 10..8 * SECOND);
        self.after(pause, SimulationEvent::Fault);
    }

    /// A new process, perhaps with an identity that was used before.
    fn join(&mut self, identity: usize) {
        let at = self.nodes.len();
        let rate = match self.flaw {
            Flaw::ClocksAreFarApart => self.rng.random_range(0.5..2.0),
            _ => self.rng.random_range(0.9..1.1),
        };
        let lease_name: Arc<str> = format!("lease-{at}").into();
        let member = Member::new(format!("member-{identity}").into(), Arc::clone(&lease_name), self.timing);
        self.nodes.push(Node {
            identity,
            member,
            lease_name,
            rate,
            is_up: true,
            is_leaving: false,
            is_connected: true,
            is_watching: true,
            cache: BTreeMap::new(),
            position: 0,
            request: 0,
            pending: None,
            last_written: None,
            permits: BTreeMap::new(),
            next_permit: 0,
            wait: 0,
        });
        self.after(10 * MILLISECOND, SimulationEvent::Deliver(at, self.log.len()));
        self.after(20 * MILLISECOND, SimulationEvent::Work(at));
    }

    /// The process ends, and its work with it.
    fn crash(&mut self, at: usize) {
        self.nodes[at].is_up = false;
        for permit in self.nodes[at].permits.keys().copied().collect::<Vec<_>>() {
            self.end(at, permit);
        }
    }

    /// A worker takes a random key and requests a permit.
    fn work(&mut self, at: usize) -> Result<(), Violation> {
        if !self.nodes[at].is_up {
            return Ok(());
        }
        let key = self.keys[self.rng.random_range(0..KEYS)].clone();
        let now = self.local(at);
        let node = &mut self.nodes[at];
        let permit = node.next_permit;
        node.next_permit += 1;
        let is_held = node.permits.values().any(|held_permits| *held_permits == key);
        if !is_held && node.member.permit(now, permit, &key) {
            node.permits.insert(permit, key.clone());
            self.counts.granted += 1;
            let before = self.holders.insert(key.clone(), Holder { node: at, permit: Some(permit) });
            if let Some(Holder { node, permit }) = before {
                if permit.is_some() {
                    return Err(Violation { key, holders: [node, at], at: Duration::from_micros(self.now) });
                }
                self.counts.handed_over += u64::from(node != at);
            }
            let is_long = self.rng.random_range(0..20) == 0;
            let lasts = if is_long { 40 * SECOND } else { self.rng.random_range(1..2 * SECOND) };
            self.after(lasts, SimulationEvent::Ended(at, permit));
        }
        self.apply_effects(at);
        let pause = self.rng.random_range(10 * MILLISECOND..300 * MILLISECOND);
        self.after(pause, SimulationEvent::Work(at));
        Ok(())
    }

    /// The work under this permit has ended.
    fn end(&mut self, at: usize, permit: PermitId) {
        let Some(key) = self.nodes[at].permits.remove(&permit) else { return };
        let holder = self.holders.get_mut(&key).expect("a key with a permit has a holder");
        if (holder.node, holder.permit) == (at, Some(permit)) {
            holder.permit = None;
        }
        if self.nodes[at].is_up {
            let now = self.local(at);
            self.nodes[at].member.ended(now, permit);
            self.step(at);
        }
    }

    /// Holders of revoked permits end soon.
    fn apply_effects(&mut self, at: usize) {
        let effects = std::mem::take(self.nodes[at].member.effects_mut());
        self.overran += effects.overrun.map_or(0, |(_, keys)| keys.len());
        self.counts.lost += effects.lost.len() as u64;
        for permit in effects.lost {
            if self.flaw != Flaw::HoldersIgnoreRevocation {
                let soon = self.rng.random_range(0..SECOND);
                self.after(soon, SimulationEvent::Ended(at, permit));
            }
        }
    }

    /// Runs the actions of the member until it waits.
    fn step(&mut self, at: usize) {
        while self.nodes[at].is_up {
            let now = self.local(at);
            let action = self.nodes[at].member.next(now);
            self.apply_effects(at);
            let (pending, request) = match action {
                MemberAction::Wait(until) => {
                    self.nodes[at].wait += 1;
                    if let Some(until) = until {
                        let wait = (until - now).as_secs_f64() / self.nodes[at].rate;
                        let wake = SimulationEvent::Wake(at, self.nodes[at].wait);
                        self.after((wait * 1e6) as u64 + 1, wake);
                    }
                    return;
                }
                MemberAction::Left => return self.crash(at),
                MemberAction::Write(record) => (PendingRequest::Write, SimulatedRequest::Write(record)),
                MemberAction::DeleteExpired(name, version) => {
                    (PendingRequest::DeleteExpired, SimulatedRequest::Delete(name, Some(version)))
                }
                MemberAction::DeleteOwn => (
                    PendingRequest::DeleteOwn,
                    SimulatedRequest::Delete(Arc::clone(&self.nodes[at].lease_name), None),
                ),
            };
            self.send(at, pending, request);
        }
    }

    fn after(&mut self, delay: u64, event: SimulationEvent) {
        self.next_event += 1;
        self.events.push(Reverse((self.now + delay, self.next_event, event)));
    }

    /// The time on the clock of this node.
    fn local(&self, at: usize) -> Instant {
        self.base + Duration::from_micros(self.now).mul_f64(self.nodes[at].rate)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { key, holders: [first, second], at } = self;
        write!(f, "after {at:?} {key:?} is held by process {first} and by process {second}")
    }
}
