//! What a seed decides before anything runs: how many replicas, how they share the work, and what may go wrong.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::{ListMode, QueueOrder, WirePreference};

use crate::clock::ClockRate;

/// How the replicas share the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordination {
    /// Not at all: every replica reconciles everything.
    None,
    /// One replica leads, the others wait.
    Election,
    /// Each replica has keys of its own.
    Sharding,
}

/// What a seed decides. The same seed gives the same plan, and the same plan the same run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// How the replicas share the work.
    pub coordination: Coordination,
    /// How fast the clock of each replica runs; as many as there are replicas.
    pub clocks: Vec<ClockRate>,
    /// Whether a second API server is behind the first one.
    pub has_lagging_server: bool,
    /// Whether the API server may be restored from a backup. Nothing writes by itself in such a cluster: a server that has
    /// passed a version again before a client looks can't be told from one that was never restored.
    pub is_restored: bool,
    /// Whether watches may fall silent, which takes a client minutes to notice.
    pub has_stalls: bool,
    /// Whether replicas crash.
    pub has_crashes: bool,
    /// Which wire the informers ask for.
    pub wire: WirePreference,
    /// How the informers list.
    pub list_mode: ListMode,
    /// In which order the informers apply changes.
    pub queue_order: QueueOrder,
    /// How often handlers are notified of everything again.
    pub resync: Duration,
    /// The period of a handler that wants to be notified of everything again and again.
    pub short_resync: Duration,
    /// Above how many pending notifications those of one object merge.
    pub merge_above: usize,
    /// How often the servers send bookmarks.
    pub bookmark_interval: Duration,
    /// How many pods there may be in each namespace.
    pub pods: usize,
    /// How many things happen.
    pub steps: usize,
    /// How many of a thousand requests meet a fault.
    pub faults_per_mille: u32,
    /// How many of a thousand requests, answers and chunks break their connection.
    pub resets_per_mille: u32,
    /// How many requests the copier works on at the same time. Only with one does it wait for its own writes: several that
    /// wait for one cache are woken in an order that no seed repeats.
    pub copiers: usize,
    /// How long a manager waits for its caches.
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

    /// Whether the copier runs. Where keys are shared only one of the controllers does: both would wait for a change of the
    /// shares, and be woken in an order that no seed repeats.
    pub(crate) fn has_copier(&self) -> bool {
        self.coordination != Coordination::Sharding || self.seed.is_multiple_of(2)
    }

    /// Whether the observer runs.
    pub(crate) fn has_observer(&self) -> bool {
        self.coordination != Coordination::Sharding || !self.seed.is_multiple_of(2)
    }

    /// How many replicas there are.
    pub fn replicas(&self) -> usize {
        self.clocks.len()
    }
}
