//! The table of metrics: the name of each, and where it is read from a report.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::MetricEncoder;
use prometheus_client::metrics::MetricType;
use tidings_informer::{HandlerStats, Histogram, StreamHealth, Wire};

use crate::report::InformerReport;

/// One metric of every informer. The encoder adds `_total` to the name of a counter.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) read: Read,
}

/// How a metric is read from a report. Those with `By` have one series for each value of an additional label.
#[derive(Clone, Copy)]
pub(super) enum Read {
    Gauge(fn(&InformerReport) -> Option<Value>),
    Counter(fn(&InformerReport) -> u64),
    GaugeBy(&'static str, fn(&InformerReport) -> Vec<(String, Value)>),
    CounterBy(&'static str, fn(&InformerReport) -> Vec<(String, u64)>),
    Durations(fn(&InformerReport) -> &Histogram),
    /// A sum and a count: a summary of client-go without quantiles.
    Summary(fn(&InformerReport) -> (f64, u64)),
}

/// The value of a gauge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Whole(i64),
    Real(f64),
}

pub(super) const FAMILIES: &[Family] = &[
    gauge("informer_queued_items", "Deltas that wait to be applied.", |report| {
        Some(report.stats.queued_deltas.into())
    }),
    Family {
        name: "informer_processing_latency_seconds",
        help: "Time a batch of deltas took from the queue to the handlers' mailboxes.",
        read: Read::Durations(|report| &report.stats.processing),
    },
    gauge(
        "informer_store_resource_version",
        "The 15 least significant digits of the version up to which every change can be read.",
        store_version,
    ),
    counter("reflector_lists", "Lists started.", |report| report.stats.requests.lists),
    summary("reflector_list_duration_seconds", "Duration of complete lists.", |report| {
        let ended = &report.stats.requests.ended;
        (ended.lists_took.as_secs_f64(), ended.lists)
    }),
    summary("reflector_items_per_list", "Objects in complete lists.", |report| {
        let ended = &report.stats.requests.ended;
        (ended.listed_objects as f64, ended.lists)
    }),
    counter("reflector_watches", "Watches opened.", |report| report.stats.requests.watches),
    counter("reflector_short_watches", "Watches that ended within a second without an event.", |report| {
        report.stats.requests.ended.short_watches
    }),
    summary("reflector_watch_duration_seconds", "Duration of ended watches.", |report| {
        let ended = &report.stats.requests.ended;
        (ended.watches_took.as_secs_f64(), ended.watches)
    }),
    summary("reflector_items_per_watch", "Events of ended watches.", |report| {
        let ended = &report.stats.requests.ended;
        (ended.watched_events as f64, ended.watches)
    }),
    Family {
        name: "reflector_last_resource_version",
        help: "The 15 least significant digits of the last version received; the namespace is empty for all.",
        read: Read::GaugeBy("namespace", last_version),
    },
    gauge("tidings_informer_objects", "Objects in the cache.", |report| Some(report.stats.objects.into())),
    Family {
        name: "tidings_informer_memory_bytes",
        help: "Memory of the informer by part, without decoded objects.",
        read: Read::GaugeBy("part", memory),
    },
    gauge("tidings_informer_synced", "Whether the first lists have been applied.", |report| {
        Some(report.health.is_synced.into())
    }),
    gauge("tidings_informer_healthy", "Whether it is synced and no stream is failing.", |report| {
        Some(report.health.is_healthy().into())
    }),
    counter("tidings_informer_lists", "Lists started.", |report| report.stats.requests.lists),
    counter("tidings_informer_relists", "Lists started after the first.", |report| {
        report.stats.requests.relists
    }),
    counter("tidings_informer_watches", "Watches opened.", |report| report.stats.requests.watches),
    counter("tidings_informer_silent_watches", "Watches opened again because they were silent.", |report| {
        report.stats.requests.silent_watches
    }),
    counter("tidings_informer_events", "Events received.", |report| report.stats.requests.events),
    counter("tidings_informer_bookmarks", "Bookmarks received.", |report| report.stats.requests.bookmarks),
    Family {
        name: "tidings_informer_applied",
        help: "How the received objects were applied.",
        read: Read::CounterBy("outcome", applied),
    },
    Family {
        name: "tidings_informer_faults",
        help: "Faults by kind.",
        read: Read::CounterBy("kind", faults),
    },
    Family {
        name: "tidings_informer_streams",
        help: "Streams by the wire of the last response.",
        read: Read::GaugeBy("wire", streams),
    },
    Family {
        name: "tidings_informer_last_event_age_seconds",
        help: "How long ago the server sent an event, a bookmark or a list; the namespace is empty for all.",
        read: Read::GaugeBy("namespace", last_event_age),
    },
    Family {
        name: "tidings_informer_failing_seconds",
        help: "Time since the last success of a failing stream; zero if it does not fail.",
        read: Read::GaugeBy("namespace", failing),
    },
    Family {
        name: "tidings_handler_backlog",
        help: "Pending notifications of the handler.",
        read: Read::GaugeBy("handler", |report| by_handler(report, |handler| handler.backlog.into())),
    },
    Family {
        name: "tidings_handler_lag_seconds",
        help: "How long the oldest pending notification has waited.",
        read: Read::GaugeBy("handler", |report| by_handler(report, |handler| handler.lag.into())),
    },
    of_handlers("tidings_handler_delivered", "Notifications delivered to the handler.", |report| {
        by_handler(report, |handler| handler.delivered)
    }),
    of_handlers("tidings_handler_merged", "Notifications merged because the handler was slow.", |report| {
        by_handler(report, |handler| handler.merged)
    }),
    of_handlers(
        "tidings_handler_inline_calls",
        "Calls that the informer's task made itself because the subscriber was slow.",
        |report| by_handler(report, |handler| handler.inline_calls),
    ),
    of_handlers(
        "tidings_handler_dropped",
        "Notifications dropped when the handler was removed or the informer stopped.",
        |report| by_handler(report, |handler| handler.dropped),
    ),
    of_handlers("tidings_handler_panics", "Panics of the handler.", |report| {
        by_handler(report, |handler| handler.panics)
    }),
];

const fn gauge(name: &'static str, help: &'static str, read: fn(&InformerReport) -> Option<Value>) -> Family {
    Family { name, help, read: Read::Gauge(read) }
}

const fn counter(name: &'static str, help: &'static str, read: fn(&InformerReport) -> u64) -> Family {
    Family { name, help, read: Read::Counter(read) }
}

const fn summary(name: &'static str, help: &'static str, read: fn(&InformerReport) -> (f64, u64)) -> Family {
    Family { name, help, read: Read::Summary(read) }
}

const fn of_handlers(
    name: &'static str,
    help: &'static str,
    read: fn(&InformerReport) -> Vec<(String, u64)>,
) -> Family {
    Family { name, help, read: Read::CounterBy("handler", read) }
}

fn store_version(report: &InformerReport) -> Option<Value> {
    last_digits(&report.stats.version.as_ref()?.to_string())
}

/// The last fifteen digits, which a float represents exactly. `None` if the version is not a number.
fn last_digits(version: &str) -> Option<Value> {
    let digits = version.get(version.len().saturating_sub(15)..)?;
    digits.parse::<u64>().ok().map(Value::from)
}

/// The parts do not overlap: their sum is the memory of the informer.
fn memory(report: &InformerReport) -> Vec<(String, Value)> {
    let memory = &report.stats.memory;
    let parts = [
        ("bodies", memory.packed_bytes),
        ("identities", memory.object_bytes.saturating_sub(memory.packed_bytes)),
        ("indexes", memory.index_bytes),
        ("backlogs", memory.backlog_bytes),
        ("queue", memory.queue_bytes),
    ];
    parts.map(|(part, bytes)| (part.to_owned(), bytes.into())).into()
}

fn applied(report: &InformerReport) -> Vec<(String, u64)> {
    let applied = &report.stats.applied;
    let outcomes = [
        ("changed", applied.changes),
        ("stale", applied.stale),
        ("unchanged", applied.unchanged),
        ("changed_in_place", applied.changed_in_place),
        ("unknown_deletion", applied.unknown_deletions),
        ("out_of_scope", applied.out_of_scope),
    ];
    outcomes.map(|(outcome, count)| (outcome.to_owned(), count)).into()
}

fn faults(report: &InformerReport) -> Vec<(String, u64)> {
    let faults = &report.stats.faults;
    let kinds = [
        ("source", faults.source),
        ("skipped", faults.skipped),
        ("unreadable", faults.unreadable),
        ("index", faults.index),
        ("handler_panic", faults.handler_panics),
        ("went_back", faults.went_back),
        ("panic", faults.panics),
    ];
    kinds.map(|(kind, count)| (kind.to_owned(), count)).into()
}

fn streams(report: &InformerReport) -> Vec<(String, Value)> {
    let streams = &report.health.streams;
    let by = |wire: Wire| streams.iter().filter(|stream| stream.wire == Some(wire)).count();
    [Wire::Json, Wire::Protobuf].map(|wire| (wire.to_string(), by(wire).into())).into()
}

fn last_event_age(report: &InformerReport) -> Vec<(String, Value)> {
    by_stream(report, |stream| stream.last_event_age.map(Value::from))
}

fn last_version(report: &InformerReport) -> Vec<(String, Value)> {
    by_stream(report, |stream| last_digits(&stream.version.as_ref()?.to_string()))
}

fn failing(report: &InformerReport) -> Vec<(String, Value)> {
    by_stream(report, |stream| {
        let failing = stream.failing.as_ref();
        Some(failing.map_or(Duration::ZERO, |failure| failure.for_duration).into())
    })
}

fn by_stream(report: &InformerReport, read: impl Fn(&StreamHealth) -> Option<Value>) -> Vec<(String, Value)> {
    let streams = report.health.streams.iter();
    let read = |stream| Some((namespace(stream), read(stream)?));
    streams.filter_map(read).collect()
}

fn namespace(stream: &StreamHealth) -> String {
    stream.scope.namespace().unwrap_or_default().to_owned()
}

/// Handlers may have the same name, but series may not: further handlers of a name get a number.
fn by_handler<T>(report: &InformerReport, read: impl Fn(&HandlerStats) -> T) -> Vec<(String, T)> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut unique = |name| {
        let number = seen.entry(name).and_modify(|number| *number += 1).or_insert(1);
        if *number == 1 { name.to_owned() } else { format!("{name}#{number}") }
    };
    let handlers = report.stats.handlers.iter();
    handlers.map(|handler| (unique(&*handler.name), read(handler))).collect()
}

impl Read {
    pub(super) fn metric_type(&self) -> MetricType {
        match self {
            Read::Gauge(_) | Read::GaugeBy(..) => MetricType::Gauge,
            Read::Counter(_) | Read::CounterBy(..) => MetricType::Counter,
            // prometheus-client has no summary. A histogram with one bucket has the same sum and count.
            Read::Durations(_) | Read::Summary(_) => MetricType::Histogram,
        }
    }
}

impl Value {
    pub(super) fn encode_gauge(self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        match self {
            Value::Whole(value) => encoder.encode_gauge(&value),
            Value::Real(value) => encoder.encode_gauge(&value),
        }
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Whole(value.try_into().unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        (value as u64).into()
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Whole(value.into())
    }
}

impl From<Duration> for Value {
    fn from(duration: Duration) -> Self {
        Value::Real(duration.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_fifteen_digits_of_a_version_are_shown_if_it_is_a_number() {
        assert_eq!(last_digits("42"), Some(Value::Whole(42)));
        assert_eq!(last_digits("987654321012345678901234"), Some(Value::Whole(12_345_678_901_234)));
        assert_eq!(last_digits("0"), Some(Value::Whole(0)));
        for opaque in ["", "v1", "é99999999999999"] {
            assert_eq!(last_digits(opaque), None, "{opaque:?}");
        }
    }
}
