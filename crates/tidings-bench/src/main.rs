//! What tidings costs, measured. `compare` holds it against its peers on the same work; `instructions` counts the
//! instructions of its parts, which is the same on a busy machine as on an idle one.
#![expect(clippy::print_stdout, reason = "a program's output")]

mod compare;
mod instructions;
mod parts;
mod protocol;
mod serve;
mod subject;
mod wall_clock;

use clap::{Parser, Subcommand};

/// The allocator of all Rust programs in the comparison: what is compared must not be the allocators.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// As the report names it.
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
    /// Measures tidings, client-go and kube-rs in one run, and writes a table, plots and JSON.
    Compare(compare::Arguments),
    /// Counts the instructions of each part under valgrind, and compares them with the recorded counts.
    Instructions {
        /// Record the counts of now instead.
        #[arg(long)]
        record: bool,
        /// Only these parts.
        parts: Vec<String>,
    },
    /// Runs one part, for valgrind to watch.
    #[command(hide = true)]
    Part {
        /// Its name.
        name: String,
    },
    /// Serves the objects of the comparison.
    #[command(hide = true)]
    Serve(serve::Arguments),
    /// Is our own subject of the comparison.
    #[command(hide = true)]
    Subject(subject::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Instructions { record: false, parts } => instructions::compare(&parts),
        Command::Instructions { record: true, parts } => instructions::record(&parts),
        Command::Part { name } => parts::run(&name),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Subject(arguments) => subject::run(arguments),
    }
}
