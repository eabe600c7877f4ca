//! kube-rs's subject of the comparison: it reads commands from stdin, one JSON object per line, and responds on stdout.
//! Its CPU and memory are measured from outside, as for every subject.

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

/// All Rust programs of the comparison use the same allocator, so that allocators are not what is compared.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The name of the allocator in the report.
const ALLOCATOR_NAME: &str = "jemalloc 5.3 (tikv-jemallocator 0.6)";

/// Runs the subject of kube-rs.
#[derive(Parser)]
struct Arguments {
    /// The URL of the server.
    #[arg(long)]
    server: String,
    #[arg(long, value_enum, default_value_t = Wire::Json)]
    wire: Wire,
    #[arg(long, value_enum, default_value_t = List::Stream)]
    list: List,
}

/// The encoding that it requests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Wire {
    Json,
    Protobuf,
}

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

/// The lines of standard input, read by a thread, because a blocking read would delay the runtime.
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
