//! Makes the plans of an exploration from the undisturbed execution: every single fault, then pairs of crashes, then random
//! combinations from a seed.

use std::collections::BTreeMap;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

use crate::execution::Outcome;
use crate::execution_log::WriteRecord;
use crate::plan::{EventAt, Fault, FaultGroup, Plan, WriteAt, WriteFault};

/// How long a watch is silent, in seconds: a short time, which spans one step, and one that spans several.
const STALE_SECONDS: [u32; 2] = [20, 120];

/// How many versions before a write a lagging server starts at, at most.
const REWINDS_PER_WRITE_MAX: usize = 4;

/// How many pairs of crashes are explored.
const CRASH_PAIRS_MAX: usize = 100;

/// The plans of one exploration, in order.
pub(crate) struct Exploration {
    /// Every single fault.
    pub(crate) singles: Vec<Plan>,
    /// Pairs of crashes.
    pub(crate) pairs: Vec<Plan>,
    rng: SmallRng,
}

impl Exploration {
    pub(crate) fn of(
        undisturbed: &Outcome,
        skipped: &BTreeMap<FaultGroup, String>,
        seed: u64,
    ) -> Exploration {
        let is_explored = |fault: &Fault| !skipped.contains_key(&fault.group());
        let singles = singles(undisturbed).into_iter().filter(is_explored);
        let singles = singles.map(|fault| Plan::of([fault])).collect();
        let has_crashes = !skipped.contains_key(&FaultGroup::Crash);
        let pairs = if has_crashes { crash_pairs(undisturbed) } else { Vec::new() };
        Exploration { singles, pairs, rng: SmallRng::seed_from_u64(seed) }
    }

    /// A random combination of faults.
    pub(crate) fn random(&mut self) -> Plan {
        let count = self.rng.random_range(1..=3);
        let mut plan = Plan::default();
        for _ in 0..count {
            if let Some(single) = self.singles.choose(&mut self.rng) {
                plan.faults.extend(single.faults.iter().cloned());
            }
        }
        if plan.faults.len() < 2 || self.rng.random_range(0..2) == 0 {
            plan.faults.push(Fault::Order(self.rng.random_range(0..1_000_000)));
        }
        plan.faults.sort();
        plan.faults.dedup();
        plan
    }
}

/// Every single fault, the most telling first.
fn singles(undisturbed: &Outcome) -> Vec<Fault> {
    let mut faults = Vec::new();
    let every = [
        WriteFault::CrashAfter,
        WriteFault::CrashBefore,
        WriteFault::Lost,
        WriteFault::TimedOut,
        WriteFault::Down,
    ];
    for fault in every {
        faults.extend(writes(undisturbed).map(|(at, _)| Fault::Write(at, fault)));
    }
    let [short, long] = STALE_SECONDS;
    faults.extend(writes(undisturbed).map(|(at, _)| Fault::Write(at, WriteFault::StaleAll(short))));
    faults.extend(events(undisturbed).map(|at| Fault::Stale(at, short)));
    faults.extend(events(undisturbed).map(|at| Fault::Stale(at, long)));
    faults.extend(writes(undisturbed).map(|(at, _)| Fault::Write(at, WriteFault::StaleAll(long))));
    faults.extend(rewinds(undisturbed));
    faults.extend(events(undisturbed).map(Fault::Skip));
    let refusable = writes(undisturbed).filter(|(_, record)| !record.is_creation);
    faults.extend(refusable.map(|(at, _)| Fault::Write(at, WriteFault::Conflict)));
    for fault in [WriteFault::Throttle, WriteFault::Delay] {
        faults.extend(writes(undisturbed).map(|(at, _)| Fault::Write(at, fault)));
    }
    let steps = 1..=u32::try_from(undisturbed.steps.len()).unwrap_or(u32::MAX);
    faults.extend(steps.clone().skip(1).map(Fault::Hurry));
    faults.extend((1..=8).map(Fault::Order));
    let removable = writes(undisturbed).filter(|(_, record)| record.is_removable);
    faults.extend(removable.map(|(at, _)| Fault::Write(at, WriteFault::Remove)));
    for (step, record) in steps.zip(&undisturbed.steps) {
        if record.is_creatable && !record.is_teardown {
            faults.push(Fault::Recreate(step));
            faults.extend(record.fields.iter().map(|field| Fault::Edit(step, field.clone())));
            faults.extend(record.fields.iter().map(|field| Fault::Flash(step, field.clone())));
        }
    }
    faults.extend(writes(undisturbed).map(|(at, _)| Fault::Write(at, WriteFault::TwoLeaders)));
    faults
}

/// The writes of all processes.
fn writes(outcome: &Outcome) -> impl Iterator<Item = (WriteAt, &WriteRecord)> {
    outcome.writes.iter().flat_map(|(process, writes)| {
        let at = |write| WriteAt { process: process.clone(), write };
        (1..).zip(writes).map(move |(write, record)| (at(write), record))
    })
}

fn events(outcome: &Outcome) -> impl Iterator<Item = EventAt> {
    outcome.events.iter().flat_map(|((process, resource), count)| {
        (1..=*count).map(|event| EventAt { process: process.clone(), resource: resource.clone(), event })
    })
}

/// Each write followed by a crash and a restart on a server that lags at an earlier version.
fn rewinds(outcome: &Outcome) -> impl Iterator<Item = Fault> {
    let all = outcome.writes.values().flatten().map(|record| record.version_before);
    let mut versions: Vec<u64> = all.chain(outcome.steps.iter().map(|step| step.version_before)).collect();
    versions.sort_unstable();
    versions.dedup();
    outcome.writes.iter().flat_map(move |(process, writes)| {
        let versions = versions.clone();
        (1..).zip(writes).flat_map(move |(write, record)| {
            let before = versions.iter().rev().filter(|version| **version <= record.version_before);
            let chosen: Vec<u64> = before.take(REWINDS_PER_WRITE_MAX).copied().collect();
            let at = WriteAt { process: process.clone(), write };
            chosen.into_iter().map(move |version| Fault::Write(at.clone(), WriteFault::Rewind(version)))
        })
    })
}

fn crash_pairs(outcome: &Outcome) -> Vec<Plan> {
    let crashes: Vec<Fault> =
        writes(outcome).map(|(at, _)| Fault::Write(at, WriteFault::CrashAfter)).collect();
    let pairs = crashes.iter().enumerate().flat_map(|(at, first)| {
        crashes[at + 1..].iter().map(move |second| Plan::of([first.clone(), second.clone()]))
    });
    pairs.take(CRASH_PAIRS_MAX).collect()
}
