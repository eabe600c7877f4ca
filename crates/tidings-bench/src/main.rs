//! Benchmarks of tidings. `compare` measures it against its peers. `instructions` counts the instructions of its parts,
//! which does not depend on the load of the machine.
#![expect(clippy::print_stdout, reason = "a program's output")]

mod compare;
mod derived_subject;
mod instructions;
mod parts;
mod protocol;
mod serve;
mod subject;
mod wall_clock;

use clap::{Parser, Subcommand};

/// All Rust programs of the comparison use the same allocator, so that allocators are not what is compared.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The name of the allocator in the report.
const ALLOCATOR_NAME: &str = "jemalloc 5.3 (tikv-jemallocator 0.6)";

/// Measures tidings.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures tidings, client-go and kube-rs, and writes tables, plots and JSON.
    Compare(compare::Arguments),
    /// Counts the instructions of each part with valgrind, and compares them with the recorded counts.
    Instructions {
        /// Records the counts instead of comparing them.
        #[arg(long)]
        record: bool,
        /// Only these parts.
        parts: Vec<String>,
    },
    /// Runs one part, for valgrind.
    #[command(hide = true)]
    Part {
        /// The name of the part.
        name: String,
    },
    /// Runs the server of the comparison.
    #[command(hide = true)]
    Serve(serve::Arguments),
    /// Runs the subject of tidings.
    #[command(hide = true)]
    Subject(subject::Arguments),
    /// Runs the subject of tidings for the scenario derived.
    #[command(hide = true)]
    DerivedSubject,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Instructions { record: false, parts } => instructions::compare(&parts),
        Command::Instructions { record: true, parts } => instructions::record(&parts),
        Command::Part { name } => parts::run(&name),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Subject(arguments) => subject::run(arguments),
        Command::DerivedSubject => derived_subject::run(),
    }
}
