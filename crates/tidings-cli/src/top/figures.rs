//! Formats numbers, sizes and durations for people, in a few columns.

use indicatif::{BinaryBytes, HumanCount};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

pub(super) fn count(count: u64) -> String {
    HumanCount(count).to_string()
}

pub(super) fn bytes(bytes: u64) -> String {
    BinaryBytes(bytes).to_string()
}

/// A dash means that the rate is not known yet.
pub(super) fn rate(per_second: Option<f64>) -> String {
    per_second.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"))
}

pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s.is_nan() || s < 0.000_5 => "0".to_owned(),
        s if s < 1.0 => format!("{:.0}ms", s * 1000.0),
        s if s < MINUTE => format!("{s:.1}s"),
        s if s < HOUR => format!("{:.0}m{:02.0}s", (s / MINUTE).floor(), (s % MINUTE).floor()),
        s if s < DAY => format!("{:.0}h{:02.0}m", (s / HOUR).floor(), (s % HOUR / MINUTE).floor()),
        s => format!("{:.0}d", (s / DAY).floor()),
    }
}

/// Removes terminal control characters from text of another program.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_told_in_the_unit_that_fits() {
        for (given, expected) in [
            (0.0, "0"),
            (f64::NAN, "0"),
            (0.042, "42ms"),
            (1.25, "1.2s"),
            (59.9, "59.9s"),
            (61.9, "1m01s"),
            (3599.9, "59m59s"),
            (7260.0, "2h01m"),
            (200_000.0, "2d"),
        ] {
            assert_eq!(seconds(given), expected);
        }
    }
}
