//! The metrics of controllers, under controller-runtime's names. They are read from the controllers at each scrape. The
//! series of a controller end when it is dropped.

use std::fmt;
use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, MetricEncoder};
use prometheus_client::metrics::MetricType;
use tidings_util::Histogram;

use super::stats::ControllerStats;
use super::task::ControllerHandle;
use crate::sync::Mutex;
use crate::worker::ControllerState;

/// Exports controllers to a prometheus registry. Clones export the same controllers.
#[derive(Clone, Default)]
pub struct ControllerMetrics {
    shown: Arc<Mutex<Vec<WeakController>>>,
}

impl ControllerMetrics {
    /// Exports no controllers yet.
    pub fn new() -> Self {
        ControllerMetrics::default()
    }

    /// Exports a controller as long as its task or a handle to it exists.
    pub fn show(&self, controller: &ControllerHandle) {
        let mut shown = self.shown.lock();
        shown.retain(WeakController::is_alive);
        shown.push(WeakController::new(controller));
    }

    fn stats(&self) -> Vec<ControllerStats> {
        self.shown.lock().iter().filter_map(WeakController::stats).collect()
    }
}

/// A controller that this does not keep alive.
struct WeakController {
    name: Arc<str>,
    workers: usize,
    state: Weak<ControllerState>,
}

impl WeakController {
    fn new(controller: &ControllerHandle) -> Self {
        WeakController {
            name: Arc::clone(&controller.name),
            workers: controller.workers,
            state: Arc::downgrade(&controller.state),
        }
    }

    fn is_alive(&self) -> bool {
        self.state.strong_count() > 0
    }

    fn stats(&self) -> Option<ControllerStats> {
        Some(self.state.upgrade()?.stats(&self.name, self.workers))
    }
}

/// A metric with one value for each controller: name, help text, and how to read it. The encoder adds `_total` to the
/// names of counters.
type ControllerMetric = (&'static str, &'static str, fn(&ControllerStats) -> u64);

const COUNTERS: [ControllerMetric; 14] = [
    ("controller_runtime_reconcile_errors", "Reconciles that failed", |stats| stats.errors),
    ("controller_runtime_terminal_reconcile_errors", "Reconciles that ended in a terminal error", |stats| {
        stats.terminal_errors
    }),
    ("controller_runtime_reconcile_panics", "Reconciles that panicked", |stats| stats.panics),
    ("controller_runtime_reconcile_timeouts", "Reconciles that took too long", |stats| stats.timeouts),
    (
        "tidings_controller_abandoned",
        "Reconciles that were dropped because the controller was abandoned",
        |stats| stats.abandoned,
    ),
    ("tidings_controller_not_ours", "Requests that belong to another replica", |stats| stats.not_ours),
    (
        "tidings_controller_write_waits",
        "Requests that waited until the caches showed their own writes",
        |stats| stats.write_waits,
    ),
    (
        "tidings_controller_write_waits_given_up",
        "Requests that were reconciled before the caches showed their own writes",
        |stats| stats.write_waits_given_up,
    ),
    (
        "tidings_controller_stale_waits",
        "How often a request was put off because a cache was stale",
        |stats| stats.stale_waits,
    ),
    (
        "tidings_controller_loops",
        "Reports of requests for which the controller wakes itself without end",
        |stats| stats.loops,
    ),
    (
        "tidings_controller_read_waits",
        "Reads that waited until a cache showed writes of this process",
        |stats| stats.read_waits,
    ),
    (
        "tidings_controller_read_waits_given_up",
        "Reads for which a cache did not show writes of this process in time",
        |stats| stats.read_waits_given_up,
    ),
    (
        "tidings_controller_live_reads",
        "Reads that were sent to the server because a cache was late",
        |stats| stats.live_reads,
    ),
    (
        "tidings_controller_writes_saved",
        "Writes that were not sent because they would have changed nothing",
        |stats| stats.writes_saved,
    ),
];

const GAUGES: [ControllerMetric; 2] = [
    ("controller_runtime_max_concurrent_reconciles", "Workers", |stats| stats.workers as u64),
    ("controller_runtime_active_workers", "Workers that are reconciling", |stats| {
        stats.active_workers as u64
    }),
];

impl Collector for ControllerMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let controllers = self.stats();
        for (name, help, read) in COUNTERS {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for stats in &controllers {
                counter(&mut family, &[("controller", &stats.name)], read(stats))?;
            }
        }
        for (name, help, read) in GAUGES {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for stats in &controllers {
                let labels = [("controller", &*stats.name)];
                family.encode_family(&labels)?.encode_gauge(&read(stats))?;
            }
        }
        let (name, help) = ("controller_runtime_reconcile", "Reconciles by result");
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for stats in &controllers {
            encode_results(&mut family, stats)?;
        }
        let (name, help) = ("tidings_controller_requests", "Requests by source and reason");
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for stats in &controllers {
            encode_requests(&mut family, stats)?;
        }
        let (name, help) = ("controller_runtime_reconcile_time_seconds", "Durations of reconciles");
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
        for stats in &controllers {
            let labels = [("controller", &*stats.name)];
            encode_histogram(family.encode_family(&labels)?, &stats.reconcile_time)?;
        }
        Ok(())
    }
}

fn encode_results(family: &mut MetricEncoder<'_>, stats: &ControllerStats) -> fmt::Result {
    let results = [
        ("success", stats.successes),
        ("requeue", stats.requeues),
        ("requeue_after", stats.delayed_requeues),
        ("error", stats.errors),
    ];
    for (result, count) in results {
        counter(family, &[("controller", &*stats.name), ("result", result)], count)?;
    }
    Ok(())
}

fn encode_requests(family: &mut MetricEncoder<'_>, stats: &ControllerStats) -> fmt::Result {
    for request in &stats.requests {
        let labels =
            [("controller", &*stats.name), ("source", &*request.source), ("reason", request.reason.as_str())];
        counter(family, &labels, request.count)?;
    }
    Ok(())
}

fn counter(family: &mut MetricEncoder<'_>, labels: &impl EncodeLabelSet, value: u64) -> fmt::Result {
    family.encode_family(labels)?.encode_counter::<[(&str, &str); 0], _, u64>(&value, None)
}

fn encode_histogram(mut encoder: MetricEncoder<'_>, durations: &Histogram) -> fmt::Result {
    let buckets: Vec<_> = durations.buckets().collect();
    let sum = durations.sum().as_secs_f64();
    encoder.encode_histogram::<[(&str, &str); 0]>(sum, durations.count(), &buckets, None)
}

impl fmt::Debug for ControllerMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerMetrics").field("controllers", &self.shown.lock().len()).finish()
    }
}
