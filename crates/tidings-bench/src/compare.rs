//! The comparison: all contestants do the same work on the same server, one after another, and are measured from
//! outside. They alternate in rounds, because the speed of a machine changes within minutes.
//!
//! `scenario` measures, `targets` states the goals, `report` writes the result.

mod contestant;
mod derived;
mod environment;
mod figures;
mod process;
mod report;
mod scenario;
mod targets;
mod usage;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};

use contestant::Contestants;
use environment::Environment;
use report::ComparisonReport;
use scenario::{ComparisonRun, Scale};

/// The number of rounds if none is given.
const ROUNDS: usize = 3;

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// The number of pods. Default: 100,000, or 25,000 with --quick.
    #[arg(long)]
    pods: Option<u64>,
    /// Measures fewer pods, only client-go as a peer, and only the fast scenarios. For CI.
    #[arg(long)]
    quick: bool,
    /// Only these contestants, named as in the report.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<String>,
    /// Only these scenarios: sync, updates, latency, reads, many, kinds, growth. Or `derived` alone: derived collections
    /// beside Istio's krt.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// How many times the scenarios sync and updates are measured. Contestants alternate. Default: 3, or 1 with --quick.
    #[arg(long)]
    rounds: Option<usize>,
    /// Starts no scenario after this many minutes, and no further round of one that would end later.
    #[arg(long)]
    minutes: Option<u64>,
    /// The folder for the report.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Fails if a ratio misses its target by more than a factor of two.
    #[arg(long)]
    fail_below_half: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let scale = Scale::new(arguments.quick, arguments.pods);
    if arguments.scenario.iter().any(|name| name == "derived") {
        ensure!(arguments.scenario.len() == 1, "the scenario derived has other contestants: run it alone");
        return derived::run(scale.pods, arguments.rounds.unwrap_or(ROUNDS), &arguments.out);
    }
    let field = Contestants::build_all(&arguments.only, arguments.quick)?;
    ensure!(!field.contestants.is_empty(), "there is no contestant to measure");
    let environment = Environment::read();
    let mut run = ComparisonRun::new(field, scale);
    let rounds = arguments.rounds.unwrap_or(if arguments.quick { 1 } else { ROUNDS });
    let limit = arguments.minutes.map(|minutes| Duration::from_secs(60 * minutes));
    run.scenarios(&arguments.scenario, rounds, limit)?;
    let report = ComparisonReport::new(run, environment, command_line());
    report.write(&arguments.out).with_context(|| format!("writing to {}", arguments.out.display()))?;
    println!("{}", report.markdown());
    println!("written to {}", arguments.out.display());
    let below: Vec<_> =
        report.targets.iter().filter(|target| target.is_below_half()).map(|target| &*target.title).collect();
    ensure!(
        !arguments.fail_below_half || below.is_empty(),
        "missed by more than a factor of two: {}",
        below.join("; ")
    );
    Ok(())
}

fn command_line() -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo run --release -p tidings-bench -- {}", arguments.join(" "))
}
