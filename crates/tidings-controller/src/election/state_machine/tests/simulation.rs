//! A simulation of several replicas, each with its own clock. The network loses and delays messages, the server fails,
//! and people edit the lease. It checks that at most one replica may work at any time, and that a replica leads soon
//! after the faults have ended.
//!
//! A seed repeats a run: `TIDINGS_SEED=17 cargo test -p tidings-controller --lib simulation`. `TIDINGS_SEEDS=10000`
//! runs that many seeds.
//!
//! True time is in microseconds. A replica may work until `expires_at` of its validity, by its own clock.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand::Rng;

use super::*;

const FAULTS_LAST: u64 = 600 * SECOND;
const QUIET_LASTS: u64 = 120 * SECOND;
const SECOND: u64 = 1_000_000;
const DELAY_MAX: u64 = 8 * SECOND;
const REPLICAS: usize = 4;

/// A flaw of the replicas or the server that the checks must detect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    Nothing,
    /// The validity counts from the arrival of the response.
    ValidityFromResponse,
    /// A lease is taken when the times in it have passed.
    TrustsTimes,
    /// A lease with the own identity counts as the own lease.
    TrustsName,
    /// The server accepts writes that are based on old versions.
    BlindServer,
    /// Clocks run at up to twice or half the rate of true time.
    WildClocks,
}

/// How often each kind of event occurred in a run.
type Coverage = BTreeMap<&'static str, u64>;

#[derive(Debug)]
enum Event {
    Wake(usize),
    Arrive { replica: usize, request_id: u64, request: LeaseRequest, is_response_lost: bool, delay: u64 },
    Reply { replica: usize, request_id: u64, response: LeaseResponse },
    TimeOut { replica: usize, request_id: u64 },
    Fault,
    Heal(usize),
    ServerUp,
    Return(usize),
}

/// The connection of a replica to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Whole,
    Lossy,
    Slow,
    Cut,
    /// Requests arrive, responses do not.
    Mute,
}

struct Replica {
    machine: Option<ElectionStateMachine>,
    timing: ElectionTiming,
    identity: String,
    /// Local time for each second of true time.
    rate: f64,
    start: Instant,
    wall_skew: i64,
    link: Link,
    frozen_until: u64,
    /// The pending request, and when it was sent by the local clock.
    pending: Option<(u64, Instant)>,
    validity: Option<LeaseValidity>,
    /// Until when it may work, in true time.
    works_until: u64,
}

struct World {
    flaw: Flaw,
    rng: SmallRng,
    now: u64,
    /// Time and number of each event in `waiting`.
    events: BinaryHeap<Reverse<(u64, u64)>>,
    waiting: BTreeMap<u64, Event>,
    event_count: u64,
    replicas: Vec<Replica>,
    lease: Option<Lease>,
    version: u64,
    is_down: bool,
    may_delete: bool,
    may_restart: bool,
    coverage: Coverage,
}

// holds: E3, E4, E5, E6, E7, E8
#[test]
fn at_most_one_replica_leads_at_any_time_and_one_leads_soon_after_the_faults() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("seeds are numbers"));
    let seeds = match number("TIDINGS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TIDINGS_SEEDS").unwrap_or(200),
    };
    let all = seeds.end - seeds.start > 1;
    let mut coverage = Coverage::new();
    for seed in seeds {
        let run = simulate(seed, Flaw::Nothing).unwrap_or_else(|why| panic!("TIDINGS_SEED={seed}: {why}"));
        run.into_iter().for_each(|(what, times)| *coverage.entry(what).or_default() += times);
    }
    let never = [
        "term",
        "loss",
        "slow path",
        "release",
        "crash",
        "freeze",
        "outage",
        "lost response",
        "edit",
        "delete",
    ];
    let never: Vec<_> = never.iter().filter(|what| !coverage.contains_key(**what)).collect();
    assert!(!all || never.is_empty(), "never occurred: {never:?} in {coverage:?}");
}

#[test]
fn each_flaw_is_detected() {
    for flaw in
        [Flaw::ValidityFromResponse, Flaw::TrustsTimes, Flaw::TrustsName, Flaw::BlindServer, Flaw::WildClocks]
    {
        let found = (0..200).find_map(|seed| simulate(seed, flaw).err());
        assert!(found.is_some(), "{flaw:?} is not detected");
    }
}

fn simulate(seed: u64, flaw: Flaw) -> Result<Coverage, String> {
    let mut world = World::new(seed, flaw);
    (0..REPLICAS).for_each(|replica| world.after(0, Event::Wake(replica)));
    world.after(5 * SECOND, Event::Fault);
    world.run_until(FAULTS_LAST)?;
    let bound = world.end_faults();
    world.run_until(FAULTS_LAST + DELAY_MAX)?;
    // All delayed responses have arrived and all requests of the faulty phase have ended: the bound counts from here.
    let by = world.now + bound;
    let mut leads_since = None;
    while world.now < by + QUIET_LASTS {
        world.run_until(world.now + SECOND / 10)?;
        let leader = world.leader();
        if leader.is_none() && leads_since.is_some() {
            return Err(format!("at {} no replica leads, although there are no faults", world.now));
        }
        leads_since = leads_since.or(leader.map(|_| world.now));
        if world.now >= by && leads_since.is_none() {
            return Err(format!("no replica leads {bound} us after the faults"));
        }
    }
    Ok(world.coverage)
}

impl World {
    fn new(seed: u64, flaw: Flaw) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let start = Instant::now();
        let replicas = (0..REPLICAS).map(|number| Replica::new(number, start, flaw, &mut rng)).collect();
        // A replica that never read the lease can't know that it was deleted, nor can one that read the deletion know
        // of another lease that was created and deleted since. So with deletions no replica restarts, and one is
        // enough.
        let may_delete = seed.is_multiple_of(3);
        World {
            flaw,
            rng,
            now: 0,
            events: BinaryHeap::new(),
            waiting: BTreeMap::new(),
            event_count: 0,
            replicas,
            lease: None,
            version: 0,
            is_down: false,
            may_delete,
            may_restart: !may_delete,
            coverage: Coverage::new(),
        }
    }

    fn after(&mut self, delay: u64, event: Event) {
        self.event_count += 1;
        self.events.push(Reverse((self.now + delay, self.event_count)));
        self.waiting.insert(self.event_count, event);
    }

    fn run_until(&mut self, end: u64) -> Result<(), String> {
        while let Some(Reverse((at, number))) = self.events.peek().copied() {
            if at > end {
                break;
            }
            self.events.pop();
            self.now = at;
            let event = self.waiting.remove(&number).expect("each number has an event");
            self.handle_event(event);
            self.check()?;
        }
        self.now = end;
        Ok(())
    }

    /// At most one replica may work.
    fn check(&self) -> Result<(), String> {
        let working = self.replicas.iter().filter(|replica| replica.works_until > self.now);
        let working: Vec<_> = working.map(|replica| (&replica.identity, replica.works_until)).collect();
        if working.len() > 1 {
            return Err(format!("at {} us, several replicas may work: {working:?}", self.now));
        }
        Ok(())
    }

    fn leader(&self) -> Option<usize> {
        self.replicas.iter().position(|replica| {
            replica.validity.is_some_and(|validity| replica.local(self.now) < validity.lost_at)
        })
    }

    fn count(&mut self, what: &'static str) {
        *self.coverage.entry(what).or_default() += 1;
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Wake(number) => self.wake(number),
            Event::Arrive { replica, request_id, request, is_response_lost, delay } => {
                let response = if self.is_down { LeaseResponse::Failed } else { self.serve(request) };
                if is_response_lost {
                    self.count("lost response");
                } else {
                    self.after(delay, Event::Reply { replica, request_id, response });
                }
            }
            Event::Reply { replica, request_id, response } => self.respond(replica, request_id, response),
            Event::TimeOut { replica, request_id } => {
                self.respond(replica, request_id, LeaseResponse::Failed)
            }
            Event::Fault if self.now < FAULTS_LAST => {
                self.inject_fault();
                let pause = self.rng.random_range(SECOND / 2..25 * SECOND);
                self.after(pause, Event::Fault);
            }
            Event::Fault => {}
            Event::Heal(replica) => self.replicas[replica].link = Link::Whole,
            Event::ServerUp => self.is_down = false,
            Event::Return(number) => self.start(number),
        }
    }

    /// Runs the next action of a replica.
    fn wake(&mut self, number: usize) {
        let now = self.now;
        let replica = &mut self.replicas[number];
        if replica.frozen_until > now {
            let thaw = replica.frozen_until - now;
            return self.after(thaw, Event::Wake(number));
        }
        if replica.pending.is_some() {
            return;
        }
        let clocks = Now { at: replica.local(now), wall: replica.wall(now) };
        let Some(machine) = &mut replica.machine else { return };
        let action = machine.next_action(clocks);
        self.observe(number);
        match action {
            ElectionAction::Stop => {
                self.replicas[number].machine = None;
                let pause = self.rng.random_range(0..20 * SECOND);
                self.after(pause, Event::Return(number));
            }
            ElectionAction::Wait { until } => {
                let wake = self.replicas[number].until(until, now).max(1);
                self.after(wake, Event::Wake(number));
            }
            ElectionAction::Send { request, until } => self.send(number, request, clocks.at, until),
        }
    }

    fn send(&mut self, number: usize, request: LeaseRequest, sent: Instant, until: Instant) {
        self.event_count += 1;
        let request_id = self.event_count;
        let time_out = self.replicas[number].until(until, self.now).max(1);
        self.replicas[number].pending = Some((request_id, sent));
        self.after(time_out, Event::TimeOut { replica: number, request_id });
        let link = self.replicas[number].link;
        let quick = |rng: &mut SmallRng| rng.random_range(100..20_000);
        let slow = |rng: &mut SmallRng| rng.random_range(100..DELAY_MAX / 2);
        let (there, back) = match link {
            Link::Slow => (slow(&mut self.rng), slow(&mut self.rng)),
            _ => (quick(&mut self.rng), quick(&mut self.rng)),
        };
        let is_lost = link == Link::Cut || link == Link::Lossy && self.rng.random_bool(0.4);
        let is_response_lost = link == Link::Mute || link == Link::Lossy && self.rng.random_bool(0.4);
        if !is_lost {
            self.after(
                there,
                Event::Arrive { replica: number, request_id, request, is_response_lost, delay: back },
            );
        }
    }

    fn serve(&mut self, request: LeaseRequest) -> LeaseResponse {
        let (written, is_create) = match request {
            LeaseRequest::Read => {
                return self
                    .lease
                    .clone()
                    .map_or(LeaseResponse::NotFound, |lease| LeaseResponse::Lease(Box::new(lease)));
            }
            LeaseRequest::Create(lease) => (lease, true),
            LeaseRequest::Replace(lease) => (lease, false),
        };
        match &self.lease {
            Some(_) if is_create => return LeaseResponse::Conflict,
            None if !is_create => return LeaseResponse::NotFound,
            Some(found) if found.metadata.resource_version == written.metadata.resource_version => {}
            Some(_) if self.flaw != Flaw::BlindServer => return LeaseResponse::Conflict,
            _ => {}
        }
        self.store(*written);
        self.lease.clone().map_or(LeaseResponse::NotFound, |lease| LeaseResponse::Lease(Box::new(lease)))
    }

    fn store(&mut self, lease: Lease) {
        self.version += 1;
        self.lease = Some(versioned(lease, &self.version.to_string()));
    }

    fn respond(&mut self, number: usize, request_id: u64, response: LeaseResponse) {
        let now = self.now;
        let replica = &mut self.replicas[number];
        let Some((pending, sent)) = replica.pending else { return };
        if pending != request_id {
            return;
        }
        if replica.frozen_until > now {
            let thaw = replica.frozen_until - now;
            return self.after(thaw, Event::Reply { replica: number, request_id, response });
        }
        replica.pending = None;
        let at = replica.local(now);
        let sent = if self.flaw == Flaw::ValidityFromResponse { at } else { sent };
        let response = replica.misread(response, self.flaw, now);
        if let Some(machine) = &mut replica.machine {
            machine.on_response(response, sent, at);
        }
        self.observe(number);
        self.after(0, Event::Wake(number));
    }

    /// Records whether the replica leads now.
    fn observe(&mut self, number: usize) {
        let replica = &mut self.replicas[number];
        let Some(machine) = &replica.machine else { return };
        let (before, after) = (replica.validity, machine.validity());
        let slow_paths = machine.slow_paths();
        replica.validity = after;
        if let Some(validity) = after {
            replica.works_until = self.now + replica.until(validity.expires_at, self.now);
        }
        match (before, after) {
            (None, Some(_)) => self.count("term"),
            (Some(_), None) => self.count("loss"),
            _ => {}
        }
        if slow_paths > 0 {
            self.count("slow path");
        }
    }

    fn start(&mut self, number: usize) {
        let at = self.replicas[number].local(self.now);
        let seed = self.rng.random();
        let replica = &mut self.replicas[number];
        if replica.machine.is_some() {
            return;
        }
        let template = LeaseTemplate {
            lease_seconds: replica.timing.lease_seconds(),
            labels: BTreeMap::new(),
            ..template(&replica.identity)
        };
        replica.machine = Some(ElectionStateMachine::new(replica.timing, template, seed, at));
        (replica.pending, replica.validity) = (None, None);
        self.after(0, Event::Wake(number));
    }

    fn inject_fault(&mut self) {
        let number = self.rng.random_range(0..REPLICAS);
        let lasts = self.rng.random_range(SECOND..40 * SECOND);
        match self.rng.random_range(0..100) {
            0..45 => {
                let links = [Link::Lossy, Link::Slow, Link::Cut, Link::Mute];
                self.replicas[number].link = links[self.rng.random_range(0..links.len())];
                self.after(lasts, Event::Heal(number));
            }
            45..55 => {
                self.count("outage");
                self.is_down = true;
                self.after(lasts, Event::ServerUp);
            }
            55..65 => {
                self.count("freeze");
                self.replicas[number].frozen_until = self.now + lasts;
            }
            65..75 if self.may_restart => self.stop(number, lasts),
            75..85 => self.edit(),
            85..95 if self.may_delete => self.delete(),
            // A fault that hits the leader.
            _ => {
                if let Some(leader) = self.leader() {
                    self.replicas[leader].link = [Link::Cut, Link::Mute][self.rng.random_range(0..2)];
                    self.after(lasts, Event::Heal(leader));
                }
            }
        }
    }

    /// Stops a replica, by a release or by a crash. It restarts later without any state.
    fn stop(&mut self, number: usize, pause: u64) {
        let (now, is_crash) = (self.now, self.rng.random_bool(0.5));
        let replica = &mut self.replicas[number];
        let at = replica.local(now);
        let Some(machine) = &mut replica.machine else { return };
        if is_crash {
            (replica.machine, replica.validity, replica.works_until) = (None, None, 0);
            self.after(pause, Event::Return(number));
            return self.count("crash");
        }
        if machine.is_writing() || replica.frozen_until > now {
            return;
        }
        let is_leader = machine.validity().is_some();
        machine.release(at);
        // Its work has ended before the release.
        (replica.pending, replica.validity, replica.works_until) = (None, None, 0);
        self.after(0, Event::Wake(number));
        if is_leader {
            self.count("release");
        }
    }

    /// A person writes another holder into the lease: an unknown one, or a replica.
    fn edit(&mut self) {
        let Some(mut lease) = self.lease.clone() else { return };
        let names = ["stranger", "replica-0", "replica-1", "replica-2", "replica-3"];
        let name = names[self.rng.random_range(0..names.len())];
        // To blank the holder is an order to hand over at once, and so is a holder in a released lease.
        if spec(&lease).holder_identity.as_deref() == Some("") {
            return;
        }
        change(&mut lease).holder_identity = Some(name.to_owned());
        self.store(lease);
        self.count("edit");
    }

    fn delete(&mut self) {
        let all_know = self
            .replicas
            .iter()
            .all(|replica| replica.machine.as_ref().is_some_and(|machine| machine.changed_at().is_some()));
        if all_know && self.lease.take().is_some() {
            self.may_delete = false;
            self.count("delete");
        }
    }

    /// Repairs everything. Returns how long it may take until a replica leads, in true time.
    fn end_faults(&mut self) -> u64 {
        self.is_down = false;
        for number in 0..REPLICAS {
            self.replicas[number].link = Link::Whole;
            self.replicas[number].frozen_until = 0;
            self.start(number);
            self.after(0, Event::Wake(number));
        }
        let longest = |of: fn(&ElectionTiming) -> Duration| {
            self.replicas.iter().map(|replica| of(&replica.timing)).max()
        };
        let lease = longest(|timing| Duration::from_secs(timing.lease_seconds() as u64)).unwrap_or_default();
        let retry = longest(|timing| timing.retry_period).unwrap_or_default();
        let request = longest(|timing| timing.request_timeout()).unwrap_or_default();
        // The last request of the faulty phase ends, a read observes the last change, the lease expires, and the next
        // read takes it.
        let bound = request + retry.mul_f64(2.2) + lease + retry.mul_f64(2.2) + seconds(1);
        bound.mul_f64(1.0 / 0.9).as_micros() as u64
    }
}

impl Replica {
    fn new(number: usize, start: Instant, flaw: Flaw, rng: &mut SmallRng) -> Self {
        let ms = Duration::from_millis;
        let timings = [
            ElectionTiming::default(),
            ElectionTiming {
                lease_duration: ms(15_000),
                renew_deadline: ms(14_900),
                retry_period: ms(2_000),
            },
            ElectionTiming { lease_duration: ms(6_500), renew_deadline: ms(4_000), retry_period: ms(1_000) },
        ];
        let timing = timings[rng.random_range(0..timings.len())];
        let rates = if flaw == Flaw::WildClocks { 0.5..2.0 } else { 0.9..1.1 };
        // The fastest and the slowest clock are the most interesting ones.
        let rate = match rng.random_range(0..4) {
            0 => rates.start,
            1 => rates.end,
            _ => rng.random_range(rates),
        };
        let identity = format!("replica-{number}");
        let template = LeaseTemplate {
            lease_seconds: timing.lease_seconds(),
            labels: BTreeMap::new(),
            ..template(&identity)
        };
        Replica {
            machine: Some(ElectionStateMachine::new(timing, template, rng.random(), start)),
            timing,
            identity,
            rate,
            start,
            wall_skew: rng.random_range(-60..60),
            link: Link::Whole,
            frozen_until: 0,
            pending: None,
            validity: None,
            works_until: 0,
        }
    }

    fn local(&self, now: u64) -> Instant {
        self.start + Duration::from_nanos((now as f64 * self.rate * 1000.0) as u64)
    }

    fn wall(&self, now: u64) -> Timestamp {
        let micros = (DAY_ONE + self.wall_skew) * 1_000_000 + now as i64;
        Timestamp::from_microsecond(micros).expect("it is in range")
    }

    /// The true time until the local clock shows `until`.
    fn until(&self, until: Instant, now: u64) -> u64 {
        let local = until.saturating_duration_since(self.local(now));
        (local.as_nanos() as f64 / self.rate / 1000.0) as u64
    }

    /// With some flaws, a replica reads a lease as released.
    fn misread(&self, response: LeaseResponse, flaw: Flaw, now: u64) -> LeaseResponse {
        let LeaseResponse::Lease(mut lease) = response else { return response };
        let spec = spec(&lease);
        let renewed = spec.renew_time.as_ref().map_or(Timestamp::MIN, |time| time.0);
        let lasts = Duration::from_secs(spec.lease_duration_seconds.unwrap_or(0) as u64);
        let is_free = match flaw {
            Flaw::TrustsTimes => self.wall(now) > renewed + lasts,
            Flaw::TrustsName => spec.holder_identity.as_deref() == Some(&self.identity),
            _ => false,
        };
        if is_free && self.validity.is_none() && lease.metadata.resource_version.is_some() {
            change(&mut lease).holder_identity = None;
        }
        LeaseResponse::Lease(lease)
    }
}
