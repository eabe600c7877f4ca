//! Runs many simulations on several threads, until a limit is reached or one fails.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::{RunSummary, SeedFailure, simulate};

/// How long one simulation may take in real time before it counts as hung. Most take less than a second.
const WORLD_SECONDS_MAX: u64 = 300;

/// When a soak ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoakLimit {
    /// After this time. Running simulations are finished.
    Time(Duration),
    /// After this many faults.
    Faults(u64),
    /// After this many simulations.
    Seeds(u64),
}

/// The configuration of a soak.
#[derive(Debug, Clone, Copy)]
pub struct Soak {
    /// When it ends.
    pub limit: SoakLimit,
    /// The first seed. Further seeds follow in order.
    pub seed: u64,
    /// How many simulations run in parallel.
    pub threads: usize,
}

/// The result of a soak.
#[derive(Debug, Default, Clone)]
pub struct SoakReport {
    /// The first seed.
    pub first_seed: u64,
    /// The number of simulations.
    pub seeds: u64,
    /// How often each kind of fault happened.
    pub faults: BTreeMap<&'static str, u64>,
    /// The simulated time of all simulations together.
    pub simulated: Duration,
    /// The number of reconciles.
    pub reconciles: u64,
    /// How many times replicas were started.
    pub incarnations: u64,
    /// The real time.
    pub took: Duration,
    /// The simulations that failed.
    pub failures: Vec<SeedFailure>,
}

#[derive(Default)]
struct SoakShared {
    next: AtomicU64,
    /// The end of the range of seeds.
    end: u64,
    is_over: AtomicBool,
    report: Mutex<SoakReport>,
    /// The seed that each thread runs, and when it started.
    working: Mutex<BTreeMap<usize, (u64, Duration)>>,
}

impl Soak {
    fn end(&self) -> u64 {
        match self.limit {
            SoakLimit::Seeds(seeds) => self.seed.saturating_add(seeds),
            SoakLimit::Time(_) | SoakLimit::Faults(_) => u64::MAX,
        }
    }

    /// Runs simulations until the limit is reached or one fails. Calls `progress` every few seconds.
    #[expect(clippy::disallowed_methods, reason = "a soak is limited in real time, outside of every runtime")]
    pub fn run(self, progress: impl Fn(&SoakReport)) -> SoakReport {
        let started = std::time::Instant::now();
        let shared = Arc::new(SoakShared {
            next: AtomicU64::new(self.seed),
            end: self.end(),
            ..SoakShared::default()
        });
        shared.report.lock().first_seed = self.seed;
        let threads: Vec<_> = (0..self.threads.max(1))
            .map(|number| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || work(&shared, number, started))
            })
            .collect();
        let mut seconds = 0;
        while !threads.iter().all(std::thread::JoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(250));
            let elapsed = started.elapsed();
            if shared.report.lock().has_reached(self.limit, elapsed) {
                shared.is_over.store(true, Ordering::Relaxed);
            }
            if let Some(failure) = shared.hung(elapsed) {
                shared.report.lock().failures.push(failure);
                break;
            }
            if elapsed.as_secs() / 10 > seconds {
                seconds = elapsed.as_secs() / 10;
                let mut report = shared.report.lock();
                report.took = elapsed;
                progress(&report);
            }
        }
        let mut report = shared.report.lock().clone();
        report.took = started.elapsed();
        report
    }
}

fn work(shared: &SoakShared, number: usize, started: std::time::Instant) {
    while !shared.is_over.load(Ordering::Relaxed) {
        let seed = shared.next.fetch_add(1, Ordering::Relaxed);
        if seed >= shared.end {
            return;
        }
        shared.working.lock().insert(number, (seed, started.elapsed()));
        let outcome = simulate(seed, None);
        shared.working.lock().remove(&number);
        let mut report = shared.report.lock();
        match outcome {
            Ok(summary) => report.add(&summary),
            Err(failure) => {
                report.failures.push(failure);
                shared.is_over.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl SoakShared {
    /// A simulation that does not end. Its thread can't be stopped, so the program has to end.
    fn hung(&self, now: Duration) -> Option<SeedFailure> {
        let working = self.working.lock();
        let hung = working.values().find(|(_, since)| (now - *since).as_secs() > WORLD_SECONDS_MAX)?;
        Some(SeedFailure { seed: hung.0, message: format!("it did not end within {WORLD_SECONDS_MAX} s") })
    }
}

impl SoakReport {
    fn add(&mut self, summary: &RunSummary) {
        self.seeds += 1;
        self.simulated += summary.simulated;
        self.reconciles += summary.reconciles;
        self.incarnations += summary.incarnations as u64;
        for (name, count) in &summary.faults {
            *self.faults.entry(name).or_insert(0) += count;
        }
    }

    /// The number of faults.
    pub fn fault_count(&self) -> u64 {
        self.faults.values().sum()
    }

    fn has_reached(&self, limit: SoakLimit, elapsed: Duration) -> bool {
        match limit {
            SoakLimit::Time(time) => elapsed >= time,
            SoakLimit::Faults(faults) => self.fault_count() >= faults,
            // `run_seeds` stops at the end of the range.
            SoakLimit::Seeds(_) => false,
        }
    }
}

impl fmt::Display for SoakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seeds            {} from {}", self.seeds, self.first_seed)?;
        writeln!(f, "faults           {}", self.fault_count())?;
        for (name, count) in &self.faults {
            writeln!(f, "  {name:<23}{count}")?;
        }
        writeln!(f, "simulated hours  {:.1}", self.simulated.as_secs_f64() / 3600.0)?;
        writeln!(f, "reconciles       {}", self.reconciles)?;
        writeln!(f, "incarnations     {}", self.incarnations)?;
        writeln!(f, "real seconds     {:.1}", self.took.as_secs_f64())?;
        write!(f, "peak memory      {}", peak_memory().unwrap_or_else(|| "unknown".to_owned()))
    }
}

/// The peak memory of this process, on Linux.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
