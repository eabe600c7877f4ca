//! The plots of the report.

use super::chart::{self, BarRow, Line};
use crate::compare::figures::{FIGURE_ROWS, Figures};

/// File name, title, axis title and figure.
const BARS: &[(&str, &str, &str, &str)] = &[
    ("sync_cpu.svg", "CPU to sync", "CPU seconds, less is better", "sync_cpu_s"),
    ("resident_memory.svg", "Resident memory after sync", "bytes, less is better", "resident_bytes"),
    ("update_cpu.svg", "CPU per update, identity read", "CPU time, less is better", "update_cpu_identity_us"),
    (
        "updates_per_second.svg",
        "Updates through one handler",
        "updates a second, more is better",
        "updates_per_s",
    ),
];

const GROWTH: &[(f64, &str)] = &[
    (1e4, "growth_sync_cpu_10000_s"),
    (1e5, "growth_sync_cpu_100000_s"),
    (1e6, "growth_sync_cpu_1000000_s"),
];

/// The plots of the measured figures, with their file names.
pub(super) fn all(figures: &Figures) -> Vec<(&'static str, String)> {
    let mut plots = Vec::new();
    for (file, title, axis, figure) in BARS {
        let rows = rows(figures, figure);
        if !rows.is_empty() {
            plots.push((*file, chart::bars(title, axis, &rows)));
        }
    }
    let lines = growth(figures);
    if !lines.is_empty() {
        let axes = ("objects", "CPU seconds to sync");
        plots.push(("growth.svg", chart::lines("Growth with the number of small pods", axes, &lines)));
    }
    plots
}

/// Sorted, best first.
fn rows(figures: &Figures, figure: &str) -> Vec<BarRow> {
    let unit = FIGURE_ROWS.iter().find(|shown| shown.figure == figure).map(|shown| shown.unit);
    let row = |contestant: &str| {
        let value = figures.median(contestant, figure)?;
        let text = unit.map_or_else(|| value.to_string(), |unit| unit.text(value));
        Some(BarRow { label: contestant.to_owned(), value, text })
    };
    let mut rows: Vec<_> = figures.contestants().filter_map(row).collect();
    rows.sort_by(|a, b| a.value.total_cmp(&b.value));
    if figure.ends_with("_per_s") {
        rows.reverse();
    }
    rows
}

fn growth(figures: &Figures) -> Vec<Line> {
    let line = |contestant: &str| {
        let point = |(size, figure): &(f64, &str)| Some((*size, figures.median(contestant, figure)?));
        let points: Vec<_> = GROWTH.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Line { label: contestant.to_owned(), points })
    };
    figures.contestants().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plotted_figure_is_one_that_is_shown() {
        let plotted = BARS.iter().map(|row| row.3).chain(GROWTH.iter().map(|row| row.1));
        for figure in plotted {
            assert!(FIGURE_ROWS.iter().any(|shown| shown.figure == figure), "{figure} is not shown");
        }
    }

    #[test]
    fn the_best_is_first() {
        let mut figures = Figures::default();
        for (contestant, rate) in [("a", 10.0), ("b", 30.0)] {
            figures.take(contestant, "updates_per_s", rate);
            figures.take(contestant, "sync_cpu_s", rate);
        }
        let labels =
            |figure: &str| rows(&figures, figure).into_iter().map(|row| row.label).collect::<Vec<_>>();
        assert_eq!(labels("updates_per_s"), ["b", "a"]);
        assert_eq!(labels("sync_cpu_s"), ["a", "b"]);
    }
}
