//! Runs simulations: many with `soak`, one again with `replay`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Parser, Subcommand};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings_simulation::soak::{Soak, SoakLimit, SoakReport};
use tidings_simulation::{SeedFailure, simulate};

/// Simulates clusters of tidings programs with faults, deterministically from seeds.
#[derive(Parser)]
#[command(name = "tidings-simulation", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs simulations with new seeds until a limit is reached. The exit code is 1 if one fails.
    Soak {
        /// How many minutes to run. Default: 1.
        #[arg(long, value_name = "MINUTES", conflicts_with = "faults")]
        minutes: Option<f64>,
        /// Runs until this many faults have happened, instead of for a time.
        #[arg(long, value_name = "COUNT")]
        faults: Option<u64>,
        /// The first seed. Default: random.
        #[arg(long)]
        seed: Option<u64>,
        /// How many simulations run in parallel. Default: the number of cores.
        #[arg(long)]
        threads: Option<usize>,
    },
    /// Runs the simulation of one seed and prints its trace.
    Replay {
        /// The seed.
        seed: u64,
        /// Prints only the result.
        #[arg(long)]
        quiet: bool,
    },
}

#[expect(clippy::print_stdout, reason = "it is a program")]
fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::builder()
                .with_default_directive(tracing::level_filters::LevelFilter::OFF.into())
                .from_env_lossy(),
        )
        .init();
    match Arguments::parse().command {
        Command::Soak { minutes, faults, seed, threads } => {
            let minutes = minutes.unwrap_or(1.0).clamp(0.0, 1e6);
            let limit =
                faults.map_or(SoakLimit::Time(Duration::from_secs_f64(minutes * 60.0)), SoakLimit::Faults);
            // Small enough to read aloud, large enough to be new each time.
            let seed = seed.unwrap_or_else(|| u64::from(SmallRng::from_os_rng().random::<u32>()) * 1_000);
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let threads = threads.unwrap_or(cores);
            println!("soak from seed {seed} on {threads} threads");
            let report = Soak { limit, seed, threads }.run(progress);
            println!("{report}");
            report.failures.iter().for_each(print_failure);
            if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Command::Replay { seed, quiet } => {
            let sink: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(|line| println!("{line}"));
            match simulate(seed, (!quiet).then_some(sink)) {
                Ok(summary) => {
                    println!("seed {seed} holds all rules: {summary:?}");
                    ExitCode::SUCCESS
                }
                Err(failure) => {
                    print_failure(&failure);
                    ExitCode::FAILURE
                }
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "it is a program")]
fn progress(report: &SoakReport) {
    let (seconds, seeds, faults) = (report.took.as_secs(), report.seeds, report.fault_count());
    println!(
        "{seconds} s: {seeds} seeds, {faults} faults, {:.0} simulated hours",
        report.simulated.as_secs_f64() / 3600.0
    );
}

#[expect(clippy::print_stdout, reason = "it is a program")]
fn print_failure(failure: &SeedFailure) {
    let SeedFailure { seed, message } = failure;
    println!("\nFAILED seed {seed}: {message}");
    println!("replay it: cargo run --release -p tidings-simulation -- replay {seed}");
}
