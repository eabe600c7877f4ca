//! The table of the README: the rows that a new reader asks for first, with one column for each library.

use std::fmt::Write;

use super::ComparisonReport;
use super::markdown::cell;
use crate::compare::contestant::{
    CLIENT_GO_JSON, CLIENT_GO_PROTOBUF, KUBE_RS_LIST, KUBE_RS_STREAM, TIDINGS_JSON, TIDINGS_PROTOBUF,
};
use crate::compare::figures::FIGURE_ROWS;

/// Figures of the table, in order, with their titles.
const ROWS: &[(&str, &str)] = &[
    ("sync_cpu_s", "CPU to sync"),
    ("resident_bytes", "resident memory after it"),
    ("update_cpu_identity_us", "CPU per update, identity read"),
    ("update_cpu_new_us", "CPU per update, new object read whole"),
    ("update_cpu_both_us", "CPU per update, old and new read whole"),
    ("updates_per_s", "updates through one handler"),
    ("latency_p99_us", "latency at 2,000 updates/s, p99"),
    ("relist_cpu_s", "CPU of a relist, nothing changed"),
    ("relist_peak_bytes", "peak memory in it"),
    ("get_kept_ns", "get of an object that is kept decoded"),
    ("get_cold_ns", "get of one that is not"),
    ("by_namespace_kept_ns", "list of a namespace of 1,000"),
];

/// The two contestants of each column, with the title of the column.
const COLUMNS: [(&str, [&str; 2]); 3] = [
    ("tidings, protobuf / JSON", [TIDINGS_PROTOBUF, TIDINGS_JSON]),
    ("client-go, protobuf / JSON", [CLIENT_GO_PROTOBUF, CLIENT_GO_JSON]),
    ("kube-rs, streaming list / list", [KUBE_RS_STREAM, KUBE_RS_LIST]),
];

pub(super) fn table(report: &ComparisonReport) -> String {
    let titles: Vec<_> = COLUMNS.iter().map(|(title, _)| *title).collect();
    let mut text = format!("| {} pods | {} |\n|---|{}\n", report.pods, titles.join(" | "), "---|".repeat(3));
    for (figure, title) in ROWS {
        let Some(unit) = FIGURE_ROWS.iter().find(|row| row.figure == *figure).map(|row| row.unit) else {
            continue;
        };
        let one = |contestant: &&str| {
            cell(&report.figures, contestant, figure, unit).unwrap_or_else(|| "-".to_owned())
        };
        let columns: Vec<_> = COLUMNS
            .iter()
            .map(|(_, contestants)| contestants.iter().map(one).collect::<Vec<_>>().join(" / "))
            .collect();
        if columns.iter().any(|column| column != "- / -") {
            writeln!(text, "| {title} | {} |", columns.join(" | ")).expect("a string can be written to");
        }
    }
    let rounds = report.figures.runs_max();
    let (date, commit, command) = (&report.date, &report.commit, &report.command);
    let environment = report.environment.text();
    writeln!(
        text,
        "\nMeasured {date} at {commit} by `{command}`: medians of up to {rounds} alternating rounds, ± half the \
         distance between the smallest and the largest. {environment}.",
    )
    .expect("a string can be written to");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_every_library_and_the_spread_of_its_rounds() {
        let mut report = super::super::tests::report();
        report.figures.take(TIDINGS_JSON, "sync_cpu_s", 2.85);
        let text = table(&report);
        for part in [
            "| 500 pods | tidings, protobuf / JSON |",
            "| CPU to sync | - / 2.80 s ±2 % | - / 11.0 s | - / - |",
            "medians of up to 2 alternating rounds",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
        assert!(!text.contains("latency"), "what was not measured has no row");
    }

    #[test]
    fn every_row_is_a_figure_of_the_report() {
        for (figure, _) in ROWS {
            assert!(FIGURE_ROWS.iter().any(|row| row.figure == *figure), "{figure}");
        }
    }
}
