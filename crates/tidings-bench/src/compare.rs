//! The comparison: one server, one subject at a time, the same work for each, measured from outside.
//!
//! What is measured stands in `scenario`, what is asked of the figures in `targets`, how they are shown in `report`.

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

/// What is compared.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// How many pods there are; 100,000, or 25,000 with --quick.
    #[arg(long)]
    pods: Option<u64>,
    /// Fewer pods, client-go alone, and what takes little time: for CI.
    #[arg(long)]
    quick: bool,
    /// Only these contestants, by the names in the report.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<String>,
    /// Only these scenarios: sync, updates, latency, reads, many, kinds, growth.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// Where the report goes.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Fails if a ratio is worse than half its target.
    #[arg(long)]
    fail_below_half: bool,
}

/// Runs all of it and writes the report.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let scale = Scale::new(arguments.quick, arguments.pods);
    let field = Contestants::build_all(&arguments.only, arguments.quick)?;
    ensure!(!field.contestants.is_empty(), "there is nobody to measure");
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
        "worse than half the target: {}",
        below.join("; ")
    );
    Ok(())
}

fn command_line() -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo run --release -p tidings-bench -- {}", arguments.join(" "))
}
