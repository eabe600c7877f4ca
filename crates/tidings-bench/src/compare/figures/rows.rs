//! The rows of the report's table, in order, each with title and unit.

pub(crate) struct FigureRow {
    pub(crate) figure: &'static str,
    pub(crate) title: &'static str,
    pub(crate) unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Microseconds,
    Nanoseconds,
    Bytes,
    PerSecond,
    Count,
}

const fn row(figure: &'static str, title: &'static str, unit: Unit) -> FigureRow {
    FigureRow { figure, title, unit }
}

pub(crate) const FIGURE_ROWS: &[FigureRow] = &[
    row("sync_cpu_s", "CPU to sync", Unit::Seconds),
    row("sync_wall_s", "wall to sync", Unit::Seconds),
    row("resident_bytes", "resident memory after sync", Unit::Bytes),
    row("object_bytes", "resident memory for each object", Unit::Bytes),
    row("sync_peak_bytes", "peak memory in sync", Unit::Bytes),
    row("update_cpu_identity_us", "CPU per update, identity read", Unit::Microseconds),
    row("update_cpu_new_us", "CPU per update, new object read whole", Unit::Microseconds),
    row("update_cpu_both_us", "CPU per update, old and new read whole", Unit::Microseconds),
    row("update_cpu_ten_us", "CPU per update, ten handlers", Unit::Microseconds),
    row("updates_per_s", "updates through one handler", Unit::PerSecond),
    row("updates_ten_per_s", "updates through ten handlers", Unit::PerSecond),
    row("latency_p50_us", "latency at 2,000 updates/s, p50", Unit::Microseconds),
    row("latency_p99_us", "latency at 2,000 updates/s, p99", Unit::Microseconds),
    row("latency_max_us", "latency at 2,000 updates/s, max", Unit::Microseconds),
    row("readers_p50_us", "the same under 200 readers, p50", Unit::Microseconds),
    row("readers_p99_us", "the same under 200 readers, p99", Unit::Microseconds),
    row("readers_max_us", "the same under 200 readers, max", Unit::Microseconds),
    row("get_kept_ns", "get, kept", Unit::Nanoseconds),
    row("get_cold_ns", "get, cold", Unit::Nanoseconds),
    row("get_cold_identity_ns", "get, cold, identity read", Unit::Nanoseconds),
    row("get_decode_ns", "decoding alone", Unit::Nanoseconds),
    row("by_index_kept_ns", "by index (one node), kept", Unit::Nanoseconds),
    row("by_index_cold_ns", "by index (one node), cold", Unit::Nanoseconds),
    row("by_namespace_kept_ns", "by namespace (1,000), kept", Unit::Nanoseconds),
    row("by_namespace_cold_ns", "by namespace (1,000), cold", Unit::Nanoseconds),
    row("by_label_kept_ns", "by label in a namespace, kept", Unit::Nanoseconds),
    row("by_label_cold_ns", "by label in a namespace, cold", Unit::Nanoseconds),
    row("list_all_kept_ns", "list all, kept", Unit::Nanoseconds),
    row("list_all_cold_ns", "list all, cold", Unit::Nanoseconds),
    row("namespace_1000_one_field_kept_ns", "one field of 1,000, kept", Unit::Nanoseconds),
    row("namespace_1000_one_field_cold_field_ns", "one field of 1,000, cold, `field()`", Unit::Nanoseconds),
    row("namespace_1000_one_field_cold_slim_ns", "one field of 1,000, cold, slim struct", Unit::Nanoseconds),
    row("namespace_1000_one_field_cold_whole_ns", "one field of 1,000, cold, whole", Unit::Nanoseconds),
    row("relist_cpu_s", "CPU of a relist, nothing changed", Unit::Seconds),
    row("relist_peak_bytes", "peak memory in it", Unit::Bytes),
    row("relist_notifications", "notifications of it", Unit::Count),
    row("restart_cpu_s", "CPU to stop, start and sync again", Unit::Seconds),
    row("restart_wall_s", "wall to stop, start and sync again", Unit::Seconds),
    row("many_bytes", "each of 1,000 informers, connections aside", Unit::Bytes),
    row("connection_bytes", "each of 1,000 connections", Unit::Bytes),
    row("configmaps_sync_cpu_s", "CPU to sync 20,000 ConfigMaps", Unit::Seconds),
    row("configmaps_object_bytes", "memory for each ConfigMap", Unit::Bytes),
    row("secrets_sync_cpu_s", "CPU to sync 20,000 Secrets", Unit::Seconds),
    row("secrets_object_bytes", "memory for each Secret", Unit::Bytes),
    row("widgets_sync_cpu_s", "CPU to sync 20,000 custom resources", Unit::Seconds),
    row("widgets_object_bytes", "memory for each custom resource", Unit::Bytes),
    row("leases_sync_cpu_s", "CPU to sync 50,000 Leases", Unit::Seconds),
    row("leases_object_bytes", "memory for each Lease", Unit::Bytes),
    row("growth_sync_cpu_10000_s", "CPU to sync 10,000 small pods", Unit::Seconds),
    row("growth_sync_cpu_100000_s", "CPU to sync 100,000 small pods", Unit::Seconds),
    row("growth_sync_cpu_1000000_s", "CPU to sync 1,000,000 small pods", Unit::Seconds),
    row("growth_object_bytes_100000", "memory for each of 100,000 small pods", Unit::Bytes),
    row("growth_object_bytes_1000000", "memory for each of 1,000,000 small pods", Unit::Bytes),
    row("growth_update_cpu_10000_us", "CPU per update among 10,000 small pods", Unit::Microseconds),
    row("growth_update_cpu_1000000_us", "CPU per update among 1,000,000 small pods", Unit::Microseconds),
];

impl Unit {
    /// Formats a value with three digits and the unit that fits.
    pub(crate) fn text(self, value: f64) -> String {
        let scaled = |units: &[(f64, &str)]| {
            let fits = units.iter().find(|(size, _)| value.abs() >= *size).or(units.last());
            let (size, name) = fits.copied().unwrap_or((1.0, ""));
            format!("{} {name}", three_digits(value / size))
        };
        match self {
            Unit::Seconds => scaled(&[(1.0, "s"), (1e-3, "ms")]),
            Unit::Microseconds => scaled(&[(1e6, "s"), (1e3, "ms"), (1.0, "us")]),
            Unit::Nanoseconds => scaled(&[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")]),
            Unit::Bytes => scaled(&[(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")]),
            Unit::PerSecond => format!("{}/s", thousands(value)),
            Unit::Count => thousands(value),
        }
    }
}

fn three_digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_formatted_with_three_digits() {
        let read = [
            (Unit::Seconds, 2.345, "2.35 s"),
            (Unit::Seconds, 0.04, "40.0 ms"),
            (Unit::Bytes, 93_400_000.0, "93.4 MB"),
            (Unit::Bytes, 512.0, "512 B"),
            (Unit::Nanoseconds, 220.0, "220 ns"),
            (Unit::Microseconds, 1_250.0, "1.25 ms"),
            (Unit::PerSecond, 45_678.9, "45,679/s"),
            (Unit::Count, 0.0, "0"),
            (Unit::Count, 100_000.0, "100,000"),
            (Unit::Nanoseconds, 0.0, "0.00 ns"),
        ];
        for (unit, value, text) in read {
            assert_eq!(unit.text(value), text);
        }
    }

    #[test]
    fn no_figure_is_shown_twice() {
        let mut names: Vec<_> = FIGURE_ROWS.iter().map(|shown| shown.figure).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FIGURE_ROWS.len());
    }
}
