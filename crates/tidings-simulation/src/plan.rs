//! What a seed determines before the simulation starts: replicas, coordination, and possible faults.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::{ListMode, QueueOrder, WirePreference};

use crate::clock::ClockRate;

/// How the replicas divide the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordination {
    /// They do not: every replica reconciles everything.
    None,
    /// One replica is the leader, the others wait.
    Election,
    /// Each replica owns a part of the keys.
    Sharding,
}

/// The configuration of a simulation. The same seed gives the same plan, and the same plan the same run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// How the replicas divide the work.
    pub coordination: Coordination,
    /// The clock rate of each replica.
    pub clocks: Vec<ClockRate>,
    /// Whether a second API server lags behind the first.
    pub has_lagging_server: bool,
    /// Whether the API server is restored from a backup. In such a simulation controllers do not write: a client can't
    /// detect a restore if the server has reached the old version again before the client asks.
    pub is_restored: bool,
    /// Whether watches can become silent, which a client notices only after minutes.
    pub has_stalls: bool,
    /// Whether replicas crash.
    pub has_crashes: bool,
    /// The wire that the informers request.
    pub wire: WirePreference,
    /// How the informers list.
    pub list_mode: ListMode,
    /// In which order the informers apply changes.
    pub queue_order: QueueOrder,
    /// The resync period of the informers.
    pub resync: Duration,
    /// The resync period of a handler with frequent resyncs.
    pub short_resync: Duration,
    /// The number of pending notifications above which those of one object are merged.
    pub merge_above: usize,
    /// The interval of bookmarks.
    pub bookmark_interval: Duration,
    /// The number of pods in each namespace.
    pub pods: usize,
    /// The number of steps of the workload.
    pub steps: usize,
    /// How many of 1000 requests have a fault.
    pub faults_per_mille: u32,
    /// How many of 1000 transits reset their connection.
    pub resets_per_mille: u32,
    /// The number of workers of the copier. It waits for its own writes only with one worker: several waiters of one
    /// cache would be woken in an order that the seed does not determine.
    pub copiers: usize,
    /// How long a manager waits until its caches are synced.
    pub sync_timeout: Duration,
}

impl Plan {
    /// The plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed ^ 0x706c_616e);
        let is_restored = rng.random_range(0..8) == 0;
        let coordination = match rng.random_range(0..3) {
            _ if is_restored => Coordination::None,
            0 => Coordination::None,
            1 => Coordination::Election,
            _ => Coordination::Sharding,
        };
        let replicas = match coordination {
            Coordination::None => rng.random_range(1..=2),
            _ => rng.random_range(2..=4),
        };
        let rates = [ClockRate::True, ClockRate::Slow, ClockRate::Fast];
        let clocks = (0..replicas).map(|_| rates[rng.random_range(0..3)]).collect();
        let seconds =
            |all: &[u64], rng: &mut SmallRng| Duration::from_secs(all[rng.random_range(0..all.len())]);
        Plan {
            seed,
            coordination,
            clocks,
            has_lagging_server: !is_restored && rng.random_range(0..2) == 0,
            is_restored,
            has_stalls: rng.random_range(0..3) == 0,
            has_crashes: rng.random_range(0..4) != 0,
            wire: if rng.random() { WirePreference::JsonOnly } else { WirePreference::default() },
            list_mode: if rng.random() { ListMode::Streaming } else { ListMode::Chunked },
            queue_order: if rng.random() { QueueOrder::InOrder } else { QueueOrder::PerObject },
            resync: seconds(if is_restored { &[0, 300] } else { &[0, 0, 5, 30, 30] }, &mut rng),
            short_resync: Duration::from_secs(if is_restored { 300 } else { 1 }),
            merge_above: [0, 0, 2, 2, 8, 1024][rng.random_range(0..6)],
            bookmark_interval: seconds(&[60, 60, 1, 10], &mut rng),
            pods: [4, 4, 8, 8, 8, 30][rng.random_range(0..6)],
            steps: rng.random_range(200..700),
            faults_per_mille: [0, 200, 300, 400, 600][rng.random_range(0..5)],
            resets_per_mille: [0, 50, 100, 200, 300][rng.random_range(0..5)],
            copiers: rng.random_range(1..=3),
            sync_timeout: seconds(&[120, 3600], &mut rng),
        }
    }

    /// Whether the copier runs. With shards only one of the two controllers runs: both would wait for a change of the
    /// assignment, and be woken in an order that the seed does not determine.
    pub(crate) fn has_copier(&self) -> bool {
        self.coordination != Coordination::Sharding || self.seed.is_multiple_of(2)
    }

    /// Whether the observer runs.
    pub(crate) fn has_observer(&self) -> bool {
        self.coordination != Coordination::Sharding || !self.seed.is_multiple_of(2)
    }

    /// The number of replicas.
    pub fn replicas(&self) -> usize {
        self.clocks.len()
    }
}
