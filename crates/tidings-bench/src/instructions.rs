//! Counts the instructions of each part and compares them with the counts recorded for this target and compiler.
//!
//! Each part runs in its own process under valgrind, so that one does not warm the memory of another.

mod callgrind;
mod recorded;

use anyhow::{Context, bail};

use crate::parts::{PARTS, Part};
use recorded::Recorded;

/// How much a count may rise before it must be recorded again.
const TOLERANCE_PERCENT: f64 = 3.0;

/// Counts and prints all parts. Fails if a count is above the recorded one.
pub(crate) fn compare(names: &[String]) -> anyhow::Result<()> {
    let Some(recorded) = Recorded::read()? else {
        println!("there are no recorded counts in {}", recorded::path()?.display());
        println!("to record the counts: cargo run --release -p tidings-bench -- instructions --record");
        return Ok(());
    };
    let mut slower = Vec::new();
    print_head();
    for part in chosen(names)? {
        let count = callgrind::count(part)?;
        let before = recorded.count(part.name);
        let change_percent = before.map(|before| (count as f64 / before as f64 - 1.0) * 100.0);
        print_row(part, count, change_percent);
        if change_percent.is_some_and(|percent| percent > TOLERANCE_PERCENT) {
            slower.push(part.name);
        }
    }
    if !slower.is_empty() {
        bail!(
            "more than {TOLERANCE_PERCENT} % above the recorded count: {}; if that is intended, record it with --record",
            slower.join(", ")
        );
    }
    Ok(())
}

/// Counts, prints and records.
pub(crate) fn record(names: &[String]) -> anyhow::Result<()> {
    let mut recorded = Recorded::read()?.unwrap_or_default();
    print_head();
    for part in chosen(names)? {
        let count = callgrind::count(part)?;
        print_row(part, count, None);
        recorded.set(part.name, count);
    }
    recorded.keep_only(|name| PARTS.iter().any(|part| part.name == name));
    recorded.write()?;
    println!("recorded in {}", recorded::path()?.display());
    Ok(())
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Part>> {
    if names.is_empty() {
        return Ok(PARTS.iter().collect());
    }
    let find = |name: &String| {
        PARTS.iter().find(|part| part.name == name).with_context(|| format!("no part is called {name}"))
    };
    names.iter().map(find).collect()
}

fn print_head() {
    println!("{:<32} {:>14} {:>12} {:>9}", "part", "instructions", "per item", "change");
}

fn print_row(part: &Part, count: u64, change_percent: Option<f64>) {
    let change = change_percent.map_or("new".to_owned(), |percent| format!("{percent:+.2} %"));
    println!("{:<32} {count:>14} {:>12} {change:>9}", part.name, count / part.times);
}
