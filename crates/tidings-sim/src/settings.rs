//! The bounds of an exploration: from the builder, then from the environment, which takes precedence.

use std::env;
use std::time::Duration;

use crate::plan::{Plan, PlanError};
use crate::sim::Sim;

/// The bounds of one exploration.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) seconds: Option<f64>,
    pub(crate) executions: Option<usize>,
    pub(crate) random_executions: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) watchdog: Duration,
    pub(crate) changes_max: u64,
    pub(crate) replay: Option<Plan>,
}

impl Bounds {
    pub(crate) fn of(sim: &Sim) -> Result<Bounds, String> {
        let settings = &sim.settings;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let replay = match env::var("SIM_REPLAY") {
            Ok(text) => {
                Some(text.parse::<Plan>().map_err(|PlanError(why)| format!("reading SIM_REPLAY: {why}"))?)
            }
            Err(_) => None,
        };
        Ok(Bounds {
            seconds: variable("SIM_SECONDS")?.or(settings.seconds),
            executions: settings.executions,
            random_executions: settings.random_executions,
            seed: variable("SIM_SEED")?.unwrap_or(settings.seed),
            threads: variable("SIM_THREADS")?.or(settings.threads).unwrap_or_else(cores).clamp(1, 64),
            watchdog: settings.watchdog,
            changes_max: settings.changes_max,
            replay,
        })
    }
}

fn variable<T: std::str::FromStr>(name: &str) -> Result<Option<T>, String> {
    match env::var(name) {
        Ok(text) => match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(format!("reading {name}: {text:?} is no number")),
        },
        Err(_) => Ok(None),
    }
}
