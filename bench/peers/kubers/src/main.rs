//! The subject of the comparison that stands for kube-rs: it is told on stdin what to do, one JSON object a line, and
//! answers on stdout. It never measures its own CPU or memory: whoever runs it does that from outside, alike for
//! every subject.

mod command;
mod informer;
mod meter;
mod reads;
mod specimen;
mod subject;
mod updates;

use std::io::{BufRead, Write};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use subject::Subject;

/// The allocator of all Rust programs in the comparison: what is compared must not be the allocators.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// As the report names it.
const ALLOCATOR_NAME: &str = "jemalloc 5.3 (tikv-jemallocator 0.6)";

/// Is kube-rs in the comparison.
#[derive(Parser)]
struct Arguments {
    /// Where the server listens.
    #[arg(long)]
    server: String,
    #[arg(long, value_enum, default_value_t = Wire::Json)]
    wire: Wire,
    #[arg(long, value_enum, default_value_t = List::Stream)]
    list: List,
}

/// Which encoding is asked for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Wire {
    Json,
    Protobuf,
}

/// How objects are listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum List {
    Stream,
    Pages,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new().context("starting a runtime")?;
    let done = runtime.block_on(obey(&arguments, lines()));
    if let Err(error) = &done {
        say(&json!({ "error": format!("{error:#}") }))?;
    }
    runtime.shutdown_background();
    done
}

async fn obey(arguments: &Arguments, mut lines: mpsc::UnboundedReceiver<String>) -> anyhow::Result<()> {
    let mut subject = Subject::new(arguments)?;
    while let Some(line) = lines.recv().await {
        let command = serde_json::from_str(&line).with_context(|| format!("reading {line:?}"))?;
        subject.obey(command).await?;
    }
    Ok(())
}

/// The lines of the input, read by a thread: a read that waits must not hold up the runtime.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if !line.trim().is_empty() && sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn say(answer: &Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush()).context("answering")
}
