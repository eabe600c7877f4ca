//! Runs one part under `valgrind --tool=callgrind`. Only instructions inside the measured function are counted.

use std::process::Command;
use std::{env, fs};

use anyhow::{Context, ensure};

use crate::parts::{COUNTED_FUNCTION, Part};

/// The number of instructions of the part.
pub(crate) fn count(part: &Part) -> anyhow::Result<u64> {
    let program = env::current_exe().context("finding this program")?;
    let profile =
        env::temp_dir().join(format!("tidings-bench-{}-{}.callgrind", part.name, std::process::id()));
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--toggle-collect={COUNTED_FUNCTION}"))
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(&program)
        .args(["part", part.name])
        // Environment variables are on the stack, so their size changes the addresses of everything after them.
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        // The allocator returns memory after some time. Counts must not depend on time.
        .env("_RJEM_MALLOC_CONF", "narenas:1,dirty_decay_ms:-1,muzzy_decay_ms:-1")
        .output()
        .context("running valgrind (install it, for example with `apt-get install valgrind`)")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} under valgrind: {}\n{errors}", part.name, output.status);
    let text = fs::read_to_string(&profile).context("reading what valgrind counted")?;
    fs::remove_file(&profile).context("removing what valgrind wrote")?;
    let total =
        text.lines().find_map(|line| line.strip_prefix("totals: ")).context("valgrind gave no totals")?;
    let total = total.trim().parse().context("reading valgrind's totals")?;
    ensure!(total > 0, "{}: valgrind did not find {COUNTED_FUNCTION}", part.name);
    Ok(total)
}
