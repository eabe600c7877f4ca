//! What tidings costs, measured. `instructions` counts the instructions of its parts, which is the same on a busy
//! machine as on an idle one, and compares them with what was recorded.
#![expect(clippy::print_stdout, reason = "a program's output")]

mod instructions;
mod parts;

use clap::{Parser, Subcommand};

/// Measures tidings.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
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
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Instructions { record: false, parts } => instructions::compare(&parts),
        Command::Instructions { record: true, parts } => instructions::record(&parts),
        Command::Part { name } => parts::run(&name),
    }
}
