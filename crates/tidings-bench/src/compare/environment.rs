//! What the figures depend on besides the programs: the machine, its kernel and settings, and what else it does.

use std::fs;

use serde::{Deserialize, Serialize};

/// The machine at the start of a comparison. What it does not tell is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Environment {
    pub(crate) cores: usize,
    pub(crate) cpu: Option<String>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) kernel: Option<String>,
    /// The governor of the processor's frequency. Virtual machines have none.
    pub(crate) governor: Option<String>,
    /// When the kernel uses huge pages for memory of programs.
    pub(crate) huge_pages: Option<String>,
    /// How many processes were running on average in the last 1, 5 and 15 minutes.
    pub(crate) load: Option<String>,
}

impl Environment {
    pub(crate) fn read() -> Environment {
        let line = |path: &str| Some(fs::read_to_string(path).ok()?.trim().to_owned());
        Environment {
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            cpu: line("/proc/cpuinfo").as_deref().and_then(cpu_of),
            memory_bytes: line("/proc/meminfo").as_deref().and_then(memory_of),
            kernel: line("/proc/sys/kernel/osrelease"),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            huge_pages: line("/sys/kernel/mm/transparent_hugepage/enabled").as_deref().and_then(chosen),
            load: line("/proc/loadavg").as_deref().and_then(load_of),
        }
    }

    /// One sentence for the report.
    pub(crate) fn text(&self) -> String {
        let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let memory = self
            .memory_bytes
            .map_or_else(|| "unknown".to_owned(), |bytes| format!("{} GB", bytes / 1_000_000_000));
        format!(
            "{} cores of {}, memory {memory}, Linux {}, governor {}, huge pages {}, load at the start {}",
            self.cores,
            known(&self.cpu),
            known(&self.kernel),
            known(&self.governor),
            known(&self.huge_pages),
            known(&self.load),
        )
    }
}

fn cpu_of(cpuinfo: &str) -> Option<String> {
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "))?;
    Some(model.1.to_owned())
}

fn memory_of(meminfo: &str) -> Option<u64> {
    let total =
        meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"))?;
    Some(total.trim().parse::<u64>().ok()? * 1024)
}

/// The word in brackets: the kernel lists all choices and marks one, such as `always [madvise] never`.
fn chosen(choices: &str) -> Option<String> {
    let (_, rest) = choices.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

fn load_of(loadavg: &str) -> Option<String> {
    let fields: Vec<&str> = loadavg.split_whitespace().take(3).collect();
    (fields.len() == 3).then(|| fields.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_read_from_its_file() {
        assert_eq!(cpu_of("processor\t: 0\nmodel name\t: A 64-Core\n").as_deref(), Some("A 64-Core"));
        assert_eq!(memory_of("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(load_of("0.10 0.20 0.30 1/99 1234").as_deref(), Some("0.10 0.20 0.30"));
        assert_eq!((cpu_of(""), memory_of(""), chosen("never"), load_of("1")), (None, None, None, None));
    }

    #[test]
    fn what_is_not_known_is_named_so() {
        let text = Environment { cores: 2, kernel: Some("6.1".to_owned()), ..Environment::default() }.text();
        let expected = "2 cores of unknown, memory unknown, Linux 6.1, governor unknown, huge pages unknown, \
                        load at the start unknown";
        assert_eq!(text, expected);
    }
}
