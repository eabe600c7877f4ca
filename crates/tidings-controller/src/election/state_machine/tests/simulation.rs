//! Several replicas with clocks of their own, a network that loses, delays and cuts, a server that is down, people
//! who meddle with the lease: at no time may two of them act, and when all is well again one of them leads soon. One
//! number repeats a run: `TIDINGS_SEED=17 cargo test -p tidings-controller --lib simulation`; `TIDINGS_SEEDS=10000` makes
//! ten thousand of them.
//!
//! True time is a number of microseconds. A replica acts, at most, until its validity's `expires_at`, by its own clock.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand::Rng;

use super::*;

const TROUBLE_LASTS: u64 = 600 * SECOND;
const CALM_LASTS: u64 = 120 * SECOND;
const SECOND: u64 = 1_000_000;
const DELAY_MAX: u64 = 8 * SECOND;
const REPLICAS: usize = 4;

/// What is wrong with the replicas or their world, so that the check has something to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    Nothing,
    /// LeaseValidity is counted from the answer's arrival.
    BeliefFromAnswer,
    /// A lease is taken when its times say that it is over.
    TrustsTimes,
    /// Our name in a lease is taken for our lease.
    TrustsName,
    /// The server lets writes pass whatever version they are based on.
    BlindServer,
    /// Clocks run at up to twice or half the rate of true time.
    WildClocks,
}

/// How much of everything a run has seen.
type Met = BTreeMap<&'static str, u64>;

#[derive(Debug)]
enum Event {
    Wake(usize),
    Arrive { replica: usize, ask: u64, request: LeaseRequest, is_answer_lost: bool, delay: u64 },
    Reply { replica: usize, ask: u64, answer: LeaseResponse },
    TimeOut { replica: usize, ask: u64 },
    Trouble,
    Heal(usize),
    ServerUp,
    Return(usize),
}

/// How a replica's requests fare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Whole,
    Lossy,
    Slow,
    Cut,
    /// Requests arrive, answers do not.
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
    /// The request under way, and when it was sent by the local clock.
    asked: Option<(u64, Instant)>,
    validity: Option<LeaseValidity>,
    /// Until when, in true time, it may act.
    acts_until: u64,
}

struct World {
    flaw: Flaw,
    rng: SmallRng,
    now: u64,
    /// When what comes to pass, by its number in `waiting`.
    events: BinaryHeap<Reverse<(u64, u64)>>,
    waiting: BTreeMap<u64, Event>,
    count: u64,
    replicas: Vec<Replica>,
    lease: Option<Lease>,
    version: u64,
    is_down: bool,
    may_delete: bool,
    may_restart: bool,
    met: Met,
}

// holds: E3, E4, E5, E6, E7, E8
#[test]
fn no_two_replicas_ever_lead_at_once_and_one_leads_soon_after_trouble() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("seeds are numbers"));
    let seeds = match number("TIDINGS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TIDINGS_SEEDS").unwrap_or(200),
    };
    let all = seeds.end - seeds.start > 1;
    let mut met = Met::new();
    for seed in seeds {
        let run = simulate(seed, Flaw::Nothing).unwrap_or_else(|why| panic!("TIDINGS_SEED={seed}: {why}"));
        run.into_iter().for_each(|(what, times)| *met.entry(what).or_default() += times);
    }
    let never = [
        "term",
        "loss",
        "slow path",
        "release",
        "crash",
        "freeze",
        "outage",
        "lost answer",
        "edit",
        "delete",
    ];
    let never: Vec<_> = never.iter().filter(|what| !met.contains_key(**what)).collect();
    assert!(!all || never.is_empty(), "never met: {never:?} in {met:?}");
}

#[test]
fn the_simulation_finds_out_what_is_wrong() {
    for flaw in
        [Flaw::BeliefFromAnswer, Flaw::TrustsTimes, Flaw::TrustsName, Flaw::BlindServer, Flaw::WildClocks]
    {
        let found = (0..200).find_map(|seed| simulate(seed, flaw).err());
        assert!(found.is_some(), "{flaw:?} was not found out");
    }
}

fn simulate(seed: u64, flaw: Flaw) -> Result<Met, String> {
    let mut world = World::new(seed, flaw);
    (0..REPLICAS).for_each(|replica| world.after(0, Event::Wake(replica)));
    world.after(5 * SECOND, Event::Trouble);
    world.run_until(TROUBLE_LASTS)?;
    let bound = world.calm();
    world.run_until(TROUBLE_LASTS + DELAY_MAX)?;
    // Every slow answer has come, every request sent in trouble has ended: from here the bound counts.
    let by = world.now + bound;
    let mut leads_since = None;
    while world.now < by + CALM_LASTS {
        world.run_until(world.now + SECOND / 10)?;
        let leader = world.leader();
        if leader.is_none() && leads_since.is_some() {
            return Err(format!("at {} nobody leads, though all is well", world.now));
        }
        leads_since = leads_since.or(leader.map(|_| world.now));
        if world.now >= by && leads_since.is_none() {
            return Err(format!("nobody leads {bound} us after the trouble"));
        }
    }
    Ok(world.met)
}

impl World {
    fn new(seed: u64, flaw: Flaw) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let start = Instant::now();
        let replicas = (0..REPLICAS).map(|number| Replica::new(number, start, flaw, &mut rng)).collect();
        // A replica that has never seen a lease can't know that one was deleted, nor can one that saw it gone know of
        // another that has come and gone since: where leases are deleted, nobody starts anew, and it happens once.
        let may_delete = seed.is_multiple_of(3);
        World {
            flaw,
            rng,
            now: 0,
            events: BinaryHeap::new(),
            waiting: BTreeMap::new(),
            count: 0,
            replicas,
            lease: None,
            version: 0,
            is_down: false,
            may_delete,
            may_restart: !may_delete,
            met: Met::new(),
        }
    }

    fn after(&mut self, delay: u64, event: Event) {
        self.count += 1;
        self.events.push(Reverse((self.now + delay, self.count)));
        self.waiting.insert(self.count, event);
    }

    fn run_until(&mut self, end: u64) -> Result<(), String> {
        while let Some(Reverse((at, number))) = self.events.peek().copied() {
            if at > end {
                break;
            }
            self.events.pop();
            self.now = at;
            let event = self.waiting.remove(&number).expect("each event has a place");
            self.happens(event);
            self.check()?;
        }
        self.now = end;
        Ok(())
    }

    /// At any time at most one replica may act.
    fn check(&self) -> Result<(), String> {
        let acting = self.replicas.iter().filter(|replica| replica.acts_until > self.now);
        let acting: Vec<_> = acting.map(|replica| (&replica.identity, replica.acts_until)).collect();
        if acting.len() > 1 {
            return Err(format!("at {} us, several may act: {acting:?}", self.now));
        }
        Ok(())
    }

    fn leader(&self) -> Option<usize> {
        self.replicas.iter().position(|replica| {
            replica.validity.is_some_and(|validity| replica.local(self.now) < validity.lost_at)
        })
    }

    fn meets(&mut self, what: &'static str) {
        *self.met.entry(what).or_default() += 1;
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Wake(number) => self.wake(number),
            Event::Arrive { replica, ask, request, is_answer_lost, delay } => {
                let answer = if self.is_down { LeaseResponse::Failed } else { self.serve(request) };
                if is_answer_lost {
                    self.meets("lost answer");
                } else {
                    self.after(delay, Event::Reply { replica, ask, answer });
                }
            }
            Event::Reply { replica, ask, answer } => self.hears(replica, ask, answer),
            Event::TimeOut { replica, ask } => self.hears(replica, ask, LeaseResponse::Failed),
            Event::Trouble if self.now < TROUBLE_LASTS => {
                self.trouble();
                let pause = self.rng.random_range(SECOND / 2..25 * SECOND);
                self.after(pause, Event::Trouble);
            }
            Event::Trouble => {}
            Event::Heal(replica) => self.replicas[replica].link = Link::Whole,
            Event::ServerUp => self.is_down = false,
            Event::Return(number) => self.begin(number),
        }
    }

    /// A replica does what its machine decides.
    fn wake(&mut self, number: usize) {
        let now = self.now;
        let replica = &mut self.replicas[number];
        if replica.frozen_until > now {
            let thaw = replica.frozen_until - now;
            return self.after(thaw, Event::Wake(number));
        }
        if replica.asked.is_some() {
            return;
        }
        let read_clocks = Now { at: replica.local(now), wall: replica.wall(now) };
        let Some(machine) = &mut replica.machine else { return };
        let step = machine.next_action(read_clocks);
        self.note(number);
        match step {
            ElectionAction::Stop => {
                self.replicas[number].machine = None;
                let pause = self.rng.random_range(0..20 * SECOND);
                self.after(pause, Event::Return(number));
            }
            ElectionAction::Wait { until } => {
                let wake = self.replicas[number].until(until, now).max(1);
                self.after(wake, Event::Wake(number));
            }
            ElectionAction::Send { request, until } => self.send(number, request, read_clocks.at, until),
        }
    }

    fn send(&mut self, number: usize, request: LeaseRequest, sent: Instant, until: Instant) {
        self.count += 1;
        let ask = self.count;
        let time_out = self.replicas[number].until(until, self.now).max(1);
        self.replicas[number].asked = Some((ask, sent));
        self.after(time_out, Event::TimeOut { replica: number, ask });
        let link = self.replicas[number].link;
        let quick = |rng: &mut SmallRng| rng.random_range(100..20_000);
        let slow = |rng: &mut SmallRng| rng.random_range(100..DELAY_MAX / 2);
        let (there, back) = match link {
            Link::Slow => (slow(&mut self.rng), slow(&mut self.rng)),
            _ => (quick(&mut self.rng), quick(&mut self.rng)),
        };
        let is_lost = link == Link::Cut || link == Link::Lossy && self.rng.random_bool(0.4);
        let is_answer_lost = link == Link::Mute || link == Link::Lossy && self.rng.random_bool(0.4);
        if !is_lost {
            self.after(there, Event::Arrive { replica: number, ask, request, is_answer_lost, delay: back });
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

    fn hears(&mut self, number: usize, ask: u64, answer: LeaseResponse) {
        let now = self.now;
        let replica = &mut self.replicas[number];
        let Some((asked, sent)) = replica.asked else { return };
        if asked != ask {
            return;
        }
        if replica.frozen_until > now {
            let thaw = replica.frozen_until - now;
            return self.after(thaw, Event::Reply { replica: number, ask, answer });
        }
        replica.asked = None;
        let at = replica.local(now);
        let sent = if self.flaw == Flaw::BeliefFromAnswer { at } else { sent };
        let answer = replica.misread(answer, self.flaw, now);
        if let Some(machine) = &mut replica.machine {
            machine.on_response(answer, sent, at);
        }
        self.note(number);
        self.after(0, Event::Wake(number));
    }

    /// What a replica believes now.
    fn note(&mut self, number: usize) {
        let replica = &mut self.replicas[number];
        let Some(machine) = &replica.machine else { return };
        let (before, after) = (replica.validity, machine.validity());
        let slow_paths = machine.slow_paths();
        replica.validity = after;
        if let Some(validity) = after {
            replica.acts_until = self.now + replica.until(validity.expires_at, self.now);
        }
        match (before, after) {
            (None, Some(_)) => self.meets("term"),
            (Some(_), None) => self.meets("loss"),
            _ => {}
        }
        if slow_paths > 0 {
            self.meets("slow path");
        }
    }

    fn begin(&mut self, number: usize) {
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
        (replica.asked, replica.validity) = (None, None);
        self.after(0, Event::Wake(number));
    }

    fn trouble(&mut self) {
        let number = self.rng.random_range(0..REPLICAS);
        let lasts = self.rng.random_range(SECOND..40 * SECOND);
        match self.rng.random_range(0..100) {
            0..45 => {
                let links = [Link::Lossy, Link::Slow, Link::Cut, Link::Mute];
                self.replicas[number].link = links[self.rng.random_range(0..links.len())];
                self.after(lasts, Event::Heal(number));
            }
            45..55 => {
                self.meets("outage");
                self.is_down = true;
                self.after(lasts, Event::ServerUp);
            }
            55..65 => {
                self.meets("freeze");
                self.replicas[number].frozen_until = self.now + lasts;
            }
            65..75 if self.may_restart => self.stop(number, lasts),
            75..85 => self.edit(),
            85..95 if self.may_delete => self.delete(),
            // The leader is the one to be hit.
            _ => {
                if let Some(leader) = self.leader() {
                    self.replicas[leader].link = [Link::Cut, Link::Mute][self.rng.random_range(0..2)];
                    self.after(lasts, Event::Heal(leader));
                }
            }
        }
    }

    /// A replica is stopped, in order or not, and comes back without remembering anything.
    fn stop(&mut self, number: usize, pause: u64) {
        let (now, is_crash) = (self.now, self.rng.random_bool(0.5));
        let replica = &mut self.replicas[number];
        let at = replica.local(now);
        let Some(machine) = &mut replica.machine else { return };
        if is_crash {
            (replica.machine, replica.validity, replica.acts_until) = (None, None, 0);
            self.after(pause, Event::Return(number));
            return self.meets("crash");
        }
        if machine.is_writing() || replica.frozen_until > now {
            return;
        }
        let is_leader = machine.validity().is_some();
        machine.release(at);
        // Whatever it did has ended before.
        (replica.asked, replica.validity, replica.acts_until) = (None, None, 0);
        self.after(0, Event::Wake(number));
        if is_leader {
            self.meets("release");
        }
    }

    /// Somebody writes another name in the lease: a stranger's, or a replica's.
    fn edit(&mut self) {
        let Some(mut lease) = self.lease.clone() else { return };
        let names = ["stranger", "replica-0", "replica-1", "replica-2", "replica-3"];
        let name = names[self.rng.random_range(0..names.len())];
        // Blanking it is an order to hand over at once, and so is naming somebody in a lease that was released.
        if spec(&lease).holder_identity.as_deref() == Some("") {
            return;
        }
        change(&mut lease).holder_identity = Some(name.to_owned());
        self.store(lease);
        self.meets("edit");
    }

    fn delete(&mut self) {
        let all_know = self
            .replicas
            .iter()
            .all(|replica| replica.machine.as_ref().is_some_and(|machine| machine.changed_at().is_some()));
        if all_know && self.lease.take().is_some() {
            self.may_delete = false;
            self.meets("delete");
        }
    }

    /// All is well from now on. Returns how long it may take until somebody leads, in true time.
    fn calm(&mut self) -> u64 {
        self.is_down = false;
        for number in 0..REPLICAS {
            self.replicas[number].link = Link::Whole;
            self.replicas[number].frozen_until = 0;
            self.begin(number);
            self.after(0, Event::Wake(number));
        }
        let longest = |of: fn(&ElectionTiming) -> Duration| {
            self.replicas.iter().map(|replica| of(&replica.timing)).max()
        };
        let lease = longest(|timing| Duration::from_secs(timing.lease_seconds() as u64)).unwrap_or_default();
        let retry = longest(|timing| timing.retry_period).unwrap_or_default();
        let request = longest(|timing| timing.request_timeout()).unwrap_or_default();
        // A request sent in trouble ends, a look sees the last change, the lease expires, and the next look finds it so.
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
        // The ends matter most.
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
            asked: None,
            validity: None,
            acts_until: 0,
        }
    }

    fn local(&self, now: u64) -> Instant {
        self.start + Duration::from_nanos((now as f64 * self.rate * 1000.0) as u64)
    }

    fn wall(&self, now: u64) -> Timestamp {
        let micros = (DAY_ONE + self.wall_skew) * 1_000_000 + now as i64;
        Timestamp::from_microsecond(micros).expect("it is in range")
    }

    /// How much true time passes until the local clock shows `until`.
    fn until(&self, until: Instant, now: u64) -> u64 {
        let local = until.saturating_duration_since(self.local(now));
        (local.as_nanos() as f64 / self.rate / 1000.0) as u64
    }

    /// How a replica with a flaw reads a lease: as nobody's.
    fn misread(&self, answer: LeaseResponse, flaw: Flaw, now: u64) -> LeaseResponse {
        let LeaseResponse::Lease(mut lease) = answer else { return answer };
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
