//! Many members, one server, and everything that can go wrong between them, in simulated time: no key ever has two
//! permits, and once things are quiet every key has an owner. One number repeats a run:
//! `TIDINGS_SEED=17 cargo test -p tidings-controller --lib shard::simulation`; `TIDINGS_SEEDS=10000` makes many.

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

/// How soon every key has an owner once nothing goes wrong any more, by the slowest clock: the dead expire; the
/// living notice with their next renewal, finish what they hand over, publish, and see each other's views, twice if
/// they were about to publish another one.
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
    world.live(Duration::from_secs(180))?;
    world.calm_down();
    world.live(QUIET_MAX)?;
    Ok(world)
}

#[test]
fn no_key_has_two_permits_and_in_quiet_every_key_has_an_owner() {
    let (mut granted, mut handed_over, mut lost) = (0, 0, 0);
    for seed in seeds(100) {
        let mut world = run(seed, Flaw::None).unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
        assert_eq!(world.overran(), 0, "seed {seed}: holders end when they are told to");
        if let Err(ownerless) = world.every_key_has_one_owner() {
            panic!("seed {seed}: {ownerless}");
        }
        granted += world.counts.granted;
        handed_over += world.counts.handed_over;
        lost += world.counts.lost;
    }
    // The runs were about something.
    assert!(granted > 1_000 && handed_over > 100 && lost > 10, "{granted} {handed_over} {lost}");
}

/// What the proof needs is needed: without it, two permits for one key are found.
#[test]
fn each_broken_variant_is_found_out() {
    for flaw in
        [Flaw::OwnWritesAreSeenAtOnce, Flaw::ClocksAreFarApart, Flaw::HoldersGoOn, Flaw::OthersAreNotSeen]
    {
        let found = (0..300).find(|seed| run(*seed, flaw).is_err());
        assert!(found.is_some(), "{flaw:?} goes unnoticed");
    }
}
