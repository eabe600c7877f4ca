//! A few simulations for every change, and those that once found a bug. `soak` runs many more.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_simulation::soak::{Soak, SoakLimit};
use tidings_simulation::{SeedFailure, Sink, simulate};

const SEEDS: u64 = 6;

fn check(outcome: Result<impl Sized, SeedFailure>) {
    if let Err(SeedFailure { seed, message }) = outcome {
        panic!(
            "seed {seed}: {message}\nreplay it: cargo run --release -p tidings-simulation -- replay {seed}"
        );
    }
}

// holds: X47, R17, R36, R37, X1, X5, X11, X14, X15, X16, X25, X26, C9, I7, I8, E4, E5
#[test]
fn every_simulation_with_faults_holds_all_rules() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let report = Soak { limit: SoakLimit::Seeds(SEEDS), seed: 0, threads }.run(|_| {});
    assert_eq!(report.seeds + report.failures.len() as u64, SEEDS);
    report.failures.iter().for_each(|failure| check(Err::<(), _>(failure.clone())));
    assert!(report.fault_count() > 300 && report.reconciles > 1_000, "{report}");
}

/// Seeds that fail if the code of the named rule is removed. Seeds 0, 1 and 4 of the test above find the rules of
/// filters, overflowing durations, redirected namespaces and silent watches in the same way.
const FOUND: [(u64, &str); 3] = [
    (10, "a request is lost when the notifications of a subscriber merge"),
    (29, "a streaming list without its end marker holds an informer"),
    (90486, "the writes of a request are forgotten when its key is lost while it waits for them"),
];

// holds: X28, X39, X47
#[test]
fn seeds_that_once_found_a_bug_hold_all_rules() {
    for (seed, _) in FOUND {
        check(simulate(seed, None));
    }
}

// holds: X47
#[test]
fn a_seed_repeats_a_run() {
    let run = || {
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&lines);
        let sink: Sink = Arc::new(move |line| kept.lock().push(line.to_owned()));
        check(simulate(7, Some(sink)));
        std::mem::take(&mut *lines.lock())
    };
    let (one, other) = (run(), run());
    let first = one.iter().zip(&other).position(|(one, other)| one != other);
    if let Some(at) = first {
        panic!("line {at} was\n{}\nand is\n{}", one[at], other[at]);
    }
    assert_eq!(one.len(), other.len());
}
