//! One simulated cluster over all of tidings, from one seed.
//!
//! Run it over fresh seeds until it finds something, replay what it found, and read what happened:
//!
//! ```sh
//! cargo run --release -p tidings-simulation -- soak --minutes 5
//! cargo run --release -p tidings-simulation -- replay 17
//! cargo test -p tidings-simulation
//! ```
//!
//! In a cluster there are API servers behind one address, of which one may lag; several replicas, each with a factory,
//! informers, handlers, a manager and two controllers; an election, or shards, or neither; workload who change things; and
//! everything that can go wrong. It runs in one thread, in paused time, without a socket: a seed repeats a run.
//!
//! What is checked is in `oracles`: caches equal the server; the view that is rebuilt from the calls of a handler equals its
//! filtered cache (rule 1a); the last reconcile of a key began after the last change of what maps to it (rule 1b); no key is
//! in two hands; a replica reads what it record_write; what waits is bounded; everything ends, and no task is left.
//!
//! **Limits.** Handlers are synchronous, so one that is slow in simulated time is a stream that is read slowly; a slow
//! callback spends its task's turn instead. Clocks that run wrong are durations that are scaled, see `clock`. Nothing here
//! proves anything about sockets, TLS or several threads: other tests do.

mod clock;
mod cluster;
mod faults;
mod network;
mod observations;
mod oracles;
mod plan;
mod reconcile;
mod replica;
pub mod soak;
mod trace;
mod views;
mod workload;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use tidings_util::panic_message;

pub use clock::ClockRate;
pub use cluster::RunSummary;
pub use plan::{Coordination, Plan};
pub use trace::Trace;

/// What handlers and reconcilers say when they fail because the cluster wants it.
pub(crate) const ON_PURPOSE: &str = "on purpose";

/// A cluster that did not end as it should.
#[derive(Debug, Clone)]
pub struct SeedFailure {
    /// The seed that repeats it.
    pub seed: u64,
    /// What was wrong.
    pub message: String,
}

/// Where the lines of a trace go.
pub type Sink = Arc<dyn Fn(&str) + Send + Sync>;

/// Runs the cluster of a seed to its end. `sink` is called with everything that happens in it.
pub fn simulate(seed: u64, sink: Option<Sink>) -> Result<RunSummary, SeedFailure> {
    silence_deliberate_panics();
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime can be made").block_on(async {
            let trace = sink.map_or_else(Trace::silent, Trace::to);
            cluster::run(Plan::of(seed), trace).await
        })
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok((summary, Ok(()))) => Ok(summary),
        Ok((_, Err(message))) => Err(SeedFailure { seed, message }),
        Err(panic) => Err(SeedFailure { seed, message: format!("panicked: {}", panic_message(&*panic)) }),
    }
}

/// Panics on purpose are no news: nobody is told of them.
fn silence_deliberate_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if info.payload().downcast_ref::<&str>() != Some(&ON_PURPOSE) {
                usual(info);
            }
        }));
    });
}
