//! The comparison: all contestants do the same work on the same server, one after another, and are measured from
//! outside.
//!
//! `scenario` measures, `targets` states the goals, `report` writes the result.

mod contestant;
mod figures;
mod process;
mod report;
mod scenario;
mod targets;
mod usage;

use std::path::PathBuf;

use anyhow::{Context, ensure};

use contestant::Contestants;
use report::ComparisonReport;
use scenario::{ComparisonRun, Scale};

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
    /// Only these scenarios: sync, updates, latency, reads, many, kinds, growth.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// The folder for the report.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Fails if a ratio misses its target by more than a factor of two.
    #[arg(long)]
    fail_below_half: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let scale = Scale::new(arguments.quick, arguments.pods);
    let field = Contestants::build_all(&arguments.only, arguments.quick)?;
    ensure!(!field.contestants.is_empty(), "there is no contestant to measure");
    let mut run = ComparisonRun::new(field, scale);
    run.scenarios(&arguments.scenario)?;
    let report = ComparisonReport::new(run, command_line());
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
