//! Simulates a cluster of tidings programs, deterministically from one seed.
//!
//! Run it with new seeds until one fails, then replay that seed and read its trace:
//!
//! ```sh
//! cargo run --release -p tidings-simulation -- soak --minutes 5
//! cargo run --release -p tidings-simulation -- replay 17
//! cargo test -p tidings-simulation
//! ```
//!
//! A simulated cluster has one or two API servers behind one address, of which one may lag; several replicas, each with
//! a factory, informers, handlers, a manager and two controllers, coordinated by an election, by shards or not at all;
//! a workload that changes objects; and faults. It runs in one thread, in paused time and without sockets, so that a
//! seed repeats a run exactly.
//!
//! The module `oracles` has the checks. Each cache equals the server. The view that is rebuilt from the calls of a
//! handler equals its filtered cache (rule 1a). The last reconcile of a key started after the last change of the
//! objects that map to the key (rule 1b). No two replicas reconcile the same key at the same time. A replica reads its
//! own writes. All queues are bounded. Everything stops, and no task remains.
//!
//! **Limits.** Handlers are synchronous, so a handler can't be slow in simulated time. Instead, some streams are read
//! slowly, and some handlers use up the budget of their task. A wrong clock is simulated by scaled durations, see
//! `clock`. The simulation does not cover sockets, TLS or several threads. Other tests do.

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

/// The message of deliberate failures of handlers and reconcilers.
pub(crate) const ON_PURPOSE: &str = "on purpose";

/// A simulation that violated a rule.
#[derive(Debug, Clone)]
pub struct SeedFailure {
    /// The seed that repeats it.
    pub seed: u64,
    /// The violation.
    pub message: String,
}

/// Receives the lines of a trace.
pub type Sink = Arc<dyn Fn(&str) + Send + Sync>;

/// Runs the simulation of a seed. `sink` receives a line for everything that happens.
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

/// Installs a panic hook that does not print deliberate panics.
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
