//! Formats ages and durations as kubectl does: with at most two units, and with one for long durations.

use jiff::Timestamp;
use serde_json::Value;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The age of a time; `<unknown>` if there is none.
pub(super) fn since(time: Option<&Value>, now: Timestamp) -> String {
    match time.and_then(Value::as_str).and_then(|text| text.parse::<Timestamp>().ok()) {
        Some(then) => human(now.as_second().saturating_sub(then.as_second())),
        None => "<unknown>".to_owned(),
    }
}

/// The duration between two times.
pub(super) fn between(start: &Value, end: &Value) -> Option<String> {
    let parse = |time: &Value| time.as_str()?.parse::<Timestamp>().ok();
    Some(human(parse(end)?.as_second().saturating_sub(parse(start)?.as_second())))
}

fn human(seconds: i64) -> String {
    let two = |count: i64, unit: &str, rest: i64, smaller: &str| match rest {
        0 => format!("{count}{unit}"),
        _ => format!("{count}{unit}{rest}{smaller}"),
    };
    match seconds {
        ..=-2 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(seconds / MINUTE, "m", seconds % MINUTE, "s"),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m"),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => two(seconds / DAY, "d", seconds % DAY / HOUR, "h"),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => two(seconds / YEAR, "y", seconds % YEAR / DAY, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_formatted_as_in_kubectl() {
        for (seconds, expected) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (185, "3m5s"),
            (600, "10m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 300, "3h5m"),
            (8 * HOUR + 300, "8h"),
            (2 * DAY, "2d"),
            (2 * DAY + 3 * HOUR, "2d3h"),
            (8 * DAY + 3 * HOUR, "8d"),
            (2 * YEAR + DAY, "2y1d"),
            (9 * YEAR, "9y"),
        ] {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
    }
}
