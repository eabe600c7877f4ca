//! The report as Markdown: configuration, targets and all values.

use std::fmt::Write;

use super::ComparisonReport;
use crate::compare::figures::{FIGURE_ROWS, FigureRow, Figures, Unit};
use crate::compare::targets::{Bound, Target};

pub(super) fn text(report: &ComparisonReport) -> String {
    let mut text = String::new();
    head(&mut text, report);
    targets(&mut text, &report.targets);
    figures(&mut text, report);
    text
}

fn head(text: &mut String, report: &ComparisonReport) {
    let ComparisonReport { date, commit, command, environment, pods, .. } = report;
    let environment = environment.text();
    line(
        text,
        &format!("Measured {date} at {commit}, {pods} pods. {environment}.\n\n```sh\n{command}\n```\n"),
    );
    line(
        text,
        "Each value is the median of its runs. ± is half the distance between the smallest and the largest run.\n",
    );
    line(text, "| contestant | version | allocator | wire | list |\n|---|---|---|---|---|");
    for (contestant, info) in &report.contestants {
        let (wire, list) = (info.wire.as_deref().unwrap_or("-"), info.list.as_deref().unwrap_or("-"));
        line(
            text,
            &format!(
                "| {contestant} | {} {} | {} | {wire} | {list} |",
                info.name, info.version, info.allocator
            ),
        );
    }
    line(text, &format!("\njemalloc is set to `{}` in every Rust program.", report.allocator_settings));
    for note in &report.notes {
        line(text, &format!("\nNote: {note}."));
    }
}

fn targets(text: &mut String, targets: &[Target]) {
    let measured: Vec<_> = targets.iter().filter(|target| target.measured.is_some()).collect();
    line(
        text,
        "\n## Targets\n\nThe last column compares our worst run with the best run of the peer.\n\n\
         | | target | measured | | worst |\n|---|---|---|---|---|",
    );
    for target in &measured {
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| ratio(value, target.bound));
        let (value, worst) = (shown(target.measured), shown(target.worst));
        let met = if target.is_met() == Some(true) { "met" } else { "**NOT met**" };
        line(text, &format!("| {} | {} | {value} | {met} | {worst} |", target.title, target.requirement));
    }
    let missing = targets.len() - measured.len();
    if missing > 0 {
        line(text, &format!("\n{missing} more targets were not measured in this run."));
    }
}

/// Formats a small ratio as a fraction, such as 1/13.2.
fn ratio(value: f64, bound: Bound) -> String {
    let is_part = matches!(bound, Bound::AtMost(limit) if limit < 1.0);
    match is_part && value > 0.0 {
        true => format!("1/{:.2}", 1.0 / value),
        false => format!("{value:.2}"),
    }
}

fn figures(text: &mut String, report: &ComparisonReport) {
    let contestants: Vec<&str> = order(report);
    line(text, &format!("\n## Figures\n\n| | {} |", contestants.join(" | ")));
    line(text, &format!("|---|{}", "---|".repeat(contestants.len())));
    for FigureRow { figure, title, unit } in FIGURE_ROWS {
        let cells: Vec<_> =
            contestants.iter().map(|contestant| cell(&report.figures, contestant, figure, *unit)).collect();
        if cells.iter().any(Option::is_some) {
            let cells: Vec<_> =
                cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".to_owned())).collect();
            line(text, &format!("| {title} | {} |", cells.join(" | ")));
        }
    }
}

/// The median with its unit, and the spread if there were several runs.
pub(super) fn cell(figures: &Figures, contestant: &str, figure: &str, unit: Unit) -> Option<String> {
    let value = unit.text(figures.median(contestant, figure)?);
    Some(match figures.spread_percent(contestant, figure) {
        Some(spread) => format!("{value} ±{spread:.0} %"),
        None => value,
    })
}

/// Tidings first, then the others by name.
fn order(report: &ComparisonReport) -> Vec<&str> {
    let mut contestants: Vec<&str> = report.figures.contestants().collect();
    contestants.sort_by_key(|name| !name.starts_with("tidings"));
    contestants
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string can be written to");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_show_ours_first_and_say_what_is_not_met() {
        let text = text(&super::super::tests::report());
        for part in [
            "| | tidings-json | client-go-json |",
            "| CPU to sync | 2.75 s | 11.0 s |",
            "| resident memory after sync | 93.0 MB | 1.60 GB |",
            "| CPU to sync, JSON | at most 1/6 of the better peer's | 1/4.00 | **NOT met** | 1/4.00 |",
            "| resident memory after sync, JSON | at most 1/12 of client-go's | 1/17.20 | met | 1/17.20 |",
            "| client-go-json | client-go 0.37.0 | jemalloc | json | stream |",
            "Note: kube-rs is skipped: cargo is not installed.",
            "more targets were not measured",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
    }

    #[test]
    fn a_missed_target_is_highlighted() {
        let target = Target {
            title: "latency".to_owned(),
            requirement: "no worse".to_owned(),
            bound: Bound::AtMost(1.1),
            guard: Bound::AtMost(1.1),
            measured: Some(1.456),
            worst: None,
        };
        let mut text = String::new();
        targets(&mut text, &[target]);
        assert!(text.contains("| latency | no worse | 1.46 | **NOT met** | - |"), "{text}");
    }
}
