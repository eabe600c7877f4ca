//! A simulation of many members and one server, with crashes, lost connections, late messages and wrong clocks, in
//! simulated time. It checks that no key ever has two permits, and that each key has an owner when the faults have
//! ended.
//!
//! A seed repeats a run: `TIDINGS_SEED=17 cargo test -p tidings-controller --lib shard::simulation`.
//! `TIDINGS_SEEDS=10000` runs that many seeds.

#[cfg(test)]
mod world;

use std::time::Duration;

use self::world::{Flaw, Violation, World};
use super::timing::ShardTiming;

const TIMING: ShardTiming = ShardTiming {
    lease_duration: Duration::from_secs(15),
    renew_deadline: Duration::from_secs(10),
    retry_period: Duration::from_secs(2),
    hand_over_timeout: Duration::from_secs(5),
};

/// How long after the last fault each key has an owner, by the slowest clock: dead members expire; the live ones notice
/// with their next renewal, finish their hand-overs, publish, and see each other's views, twice if they were about to
/// publish another view.
const QUIET_MAX: Duration = Duration::from_millis((15 + 5 + 3 * 2) * 10_000 / 9 / 10 * 10 + 2_000);

fn seeds(count: u64) -> Vec<u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("seeds are numbers"));
    match number("TIDINGS_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("TIDINGS_SEEDS").unwrap_or(count)).collect(),
    }
}

fn run(seed: u64, flaw: Flaw) -> Result<World, Violation> {
    let mut world = World::new(seed, TIMING, flaw);
    world.run_for(Duration::from_secs(180))?;
    world.end_faults();
    world.run_for(QUIET_MAX)?;
    Ok(world)
}

#[test]
fn no_key_has_two_permits_and_without_faults_each_key_has_an_owner() {
    let (mut granted, mut handed_over, mut lost) = (0, 0, 0);
    for seed in seeds(100) {
        let mut world = run(seed, Flaw::None).unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
        assert_eq!(world.overran(), 0, "seed {seed}: holders end when their permit is revoked");
        if let Err(ownerless) = world.every_key_has_one_owner() {
            panic!("seed {seed}: {ownerless}");
        }
        granted += world.counts.granted;
        handed_over += world.counts.handed_over;
        lost += world.counts.lost;
    }
    // The runs exercised the protocol.
    assert!(granted > 1_000 && handed_over > 100 && lost > 10, "{granted} {handed_over} {lost}");
}

/// Each assumption of the proof is necessary: without it, the simulation finds two permits for one key.
#[test]
fn each_flaw_is_detected() {
    for flaw in [
        Flaw::OwnWritesAreSeenAtOnce,
        Flaw::ClocksAreFarApart,
        Flaw::HoldersIgnoreRevocation,
        Flaw::OthersAreNotSeen,
    ] {
        let found = (0..300).find(|seed| run(*seed, flaw).is_err());
        assert!(found.is_some(), "{flaw:?} is not detected");
    }
}
