//! The resources of a process, read from `/proc`. This works for programs in any language.

use std::fs;

use anyhow::Context;

/// The unit of CPU times in `/proc`: 1/100 s on all Linux systems.
const TICKS_PER_SECOND: f64 = 100.0;

/// The CPU time of the process and all its threads.
pub(crate) fn cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = read(pid, "stat")?;
    cpu_of(&stat).with_context(|| format!("reading the CPU time of process {pid}"))
}

/// The CPU time of the live threads of the process, in nanoseconds. It is exact while the process is idle, and leaves out
/// threads that have ended.
pub(crate) fn exact_cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let mut nanoseconds = 0.0;
    for thread in threads.with_context(|| format!("looking at the threads of process {pid}"))? {
        // A thread may end meanwhile.
        let Ok(schedstat) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        nanoseconds += run_time_of(&schedstat).context("reading the CPU time of a thread")?;
    }
    Ok(nanoseconds / 1e9)
}

/// The resident memory in bytes.
pub(crate) fn resident_bytes(pid: u32) -> anyhow::Result<f64> {
    let status = read(pid, "status")?;
    memory_of(&status, "VmRSS").with_context(|| format!("reading the memory of process {pid}"))
}

/// The peak of the resident memory in bytes, since the start or since [`reset_peak`].
pub(crate) fn peak_bytes(pid: u32) -> anyhow::Result<f64> {
    let status = read(pid, "status")?;
    memory_of(&status, "VmHWM").with_context(|| format!("reading the peak memory of process {pid}"))
}

/// Resets the peak.
pub(crate) fn reset_peak(pid: u32) -> anyhow::Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5")
        .with_context(|| format!("resetting the peak memory of process {pid}"))
}

/// The memory that is available for new programs, in bytes.
pub(crate) fn available_bytes() -> anyhow::Result<f64> {
    let info = fs::read_to_string("/proc/meminfo").context("reading the memory of this machine")?;
    memory_of(&info, "MemAvailable").context("reading the memory of this machine")
}

fn read(pid: u32, file: &str) -> anyhow::Result<String> {
    fs::read_to_string(format!("/proc/{pid}/{file}")).with_context(|| format!("looking at process {pid}"))
}

/// The sum of user and system time: fields 14 and 15. Field 2 is the name in parentheses, which can contain spaces and
/// parentheses itself.
fn cpu_of(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS_PER_SECOND)
}

/// The first field: the time on a CPU, in nanoseconds.
fn run_time_of(schedstat: &str) -> Option<f64> {
    schedstat.split_whitespace().next()?.parse().ok()
}

fn memory_of(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_read_past_a_name_with_parentheses() {
        let stat = "42 (a) S (b) R 1 42 42 0 -1 4194304 90 0 0 0 250 50 7 8 20 0 3 0 100 1 2";
        assert_eq!(cpu_of(stat), Some(3.0));
        assert_eq!(cpu_of("42 (a"), None);
        assert_eq!(cpu_of("42 (a) R 1"), None);
    }

    #[test]
    fn the_run_time_of_a_thread_is_its_first_figure() {
        assert_eq!(run_time_of("143874976 72407483 57\n"), Some(143_874_976.0));
        assert_eq!(run_time_of(""), None);
    }

    #[test]
    fn memory_is_read_in_bytes() {
        let status = "Name:\tserver\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(memory_of(status, "VmRSS"), Some(1024.0 * 1024.0));
        assert_eq!(memory_of(status, "VmHWM"), Some(2048.0 * 1024.0));
        assert_eq!(memory_of(status, "VmSwap"), None);
    }

    #[test]
    fn this_process_has_used_something() {
        let pid = std::process::id();
        assert!(resident_bytes(pid).expect("it lives") > 0.0);
        assert!(peak_bytes(pid).expect("it lives") > 0.0);
        assert!(cpu_seconds(pid).expect("it lives") >= 0.0);
        assert!(exact_cpu_seconds(pid).expect("it lives") >= 0.0);
        assert!(available_bytes().expect("a machine has memory") > 0.0);
    }
}
