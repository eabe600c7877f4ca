//! The report: the same values as a table, as plots and as JSON, with all that is needed to repeat the measurement.

mod chart;
mod markdown;
mod plots;
mod readme;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::figures::Figures;
use super::process::ALLOCATOR_SETTINGS;
use super::scenario::{ComparisonRun, SubjectInfo};
use super::targets::{Target, targets};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ComparisonReport {
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) command: String,
    pub(crate) environment: Environment,
    pub(crate) pods: u64,
    /// The settings of the allocator of the Rust programs.
    pub(crate) allocator_settings: String,
    pub(crate) contestants: BTreeMap<String, SubjectInfo>,
    pub(crate) notes: Vec<String>,
    pub(crate) targets: Vec<Target>,
    pub(crate) figures: Figures,
}

impl ComparisonReport {
    pub(crate) fn new(run: ComparisonRun, environment: Environment, command: String) -> Self {
        ComparisonReport {
            date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            commit: commit().unwrap_or_else(|| "unknown".to_owned()),
            command,
            environment,
            pods: run.scale.pods,
            allocator_settings: ALLOCATOR_SETTINGS.to_owned(),
            contestants: run.infos,
            notes: run.notes,
            targets: targets(&run.figures),
            figures: run.figures,
        }
    }

    /// The report as Markdown.
    pub(crate) fn markdown(&self) -> String {
        markdown::text(self)
    }

    /// Writes all files of the report into a folder.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(folder)?;
        let write = |name: &str, text: &str| {
            fs::write(folder.join(name), text).with_context(|| format!("writing {name}"))
        };
        write("comparison.json", &(serde_json::to_string_pretty(self)? + "\n"))?;
        write("comparison.md", &self.markdown())?;
        write("readme.md", &readme::table(self))?;
        for (name, svg) in plots::all(&self.figures) {
            write(name, &svg)?;
        }
        Ok(())
    }
}

fn commit() -> Option<String> {
    let git = Command::new("git").args(["describe", "--always", "--dirty"]).output().ok()?;
    let text = String::from_utf8(git.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn report() -> ComparisonReport {
        let mut figures = Figures::default();
        for (contestant, cpu, bytes) in [("tidings-json", 2.75, 93e6), ("client-go-json", 11.0, 1.6e9)] {
            figures.take(contestant, "sync_cpu_s", cpu);
            figures.take(contestant, "resident_bytes", bytes);
        }
        let info = |name: &str, version: &str| SubjectInfo {
            name: name.to_owned(),
            version: version.to_owned(),
            allocator: "jemalloc".to_owned(),
            wire: Some("json".to_owned()),
            list: Some("stream".to_owned()),
        };
        let contestants = [("tidings-json", "tidings", "0.1.0"), ("client-go-json", "client-go", "0.37.0")];
        ComparisonReport {
            date: "2026-01-02 03:04 UTC".to_owned(),
            commit: "abc1234".to_owned(),
            command: "compare".to_owned(),
            environment: Environment { cores: 2, ..Environment::default() },
            pods: 500,
            allocator_settings: "none".to_owned(),
            contestants: contestants
                .into_iter()
                .map(|(key, name, version)| (key.to_owned(), info(name, version)))
                .collect(),
            notes: vec!["kube-rs is skipped: cargo is not installed".to_owned()],
            targets: targets(&figures),
            figures,
        }
    }

    #[test]
    fn a_report_survives_a_round_trip_through_json() {
        let report = report();
        let text = serde_json::to_string(&report).expect("a report is JSON");
        assert_eq!(serde_json::from_str::<ComparisonReport>(&text).expect("and back"), report);
    }

    #[test]
    fn a_report_is_a_table_plots_and_json() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        report().write(&folder.path().join("new")).expect("it is written");
        let mut names: Vec<_> = fs::read_dir(folder.path().join("new"))
            .expect("it is there")
            .map(|entry| entry.expect("it is there").file_name().into_string().expect("a plain name"))
            .collect();
        names.sort_unstable();
        let expected =
            ["comparison.json", "comparison.md", "readme.md", "resident_memory.svg", "sync_cpu.svg"];
        assert_eq!(names, expected);
    }
}
