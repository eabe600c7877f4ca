//! The metrics of named queues, under client-go's names. They are read off the queues when somebody looks, so that
//! nothing has to be refreshed, and the series of a queue go when the queue goes.

use std::fmt;
use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, MetricEncoder};
use prometheus_client::metrics::MetricType;
use tidings_util::Histogram;

use crate::item::Item;
use crate::queue::{Shared, WorkQueue};
use crate::state::State;
use crate::stats::QueueStats;
use crate::sync::Mutex;

/// Shows queues to a prometheus registry. Its clones show the same queues.
///
/// ```
/// use prometheus_client::{encoding::text::encode, registry::Registry};
/// use tidings_workqueue::{QueueMetrics, WorkQueue};
///
/// let (mut registry, metrics) = (Registry::default(), QueueMetrics::new());
/// registry.register_collector(Box::new(metrics.clone()));
///
/// let queue = WorkQueue::builder().name("pods").build();
/// metrics.show(&queue);
/// queue.add("default/web-0");
///
/// let mut text = String::new();
/// encode(&mut text, &registry)?;
/// assert!(text.contains("workqueue_depth{name=\"pods\"} 1\n"));
/// # Ok::<(), std::fmt::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct QueueMetrics {
    shown: Arc<Mutex<Vec<Weak<dyn Shown>>>>,
}

/// A queue of whatever items.
trait Shown: Send + Sync {
    fn look(&self) -> Option<(Arc<str>, QueueStats)>;
}

impl<T: Item> Shown for Shared<T> {
    fn look(&self) -> Option<(Arc<str>, QueueStats)> {
        Some((self.name.clone()?, self.step(|state| State::stats(state))))
    }
}

impl QueueMetrics {
    /// Shows no queue yet.
    pub fn new() -> Self {
        QueueMetrics::default()
    }

    /// Shows a queue as long as there is a handle to it. One without a name is not shown.
    pub fn show<T: Item>(&self, queue: &WorkQueue<T>) {
        if queue.name().is_none() {
            return;
        }
        let queue: Weak<dyn Shown> = Arc::downgrade(queue.shared()) as Weak<dyn Shown>;
        let mut shown = self.shown.lock();
        shown.retain(|other| other.strong_count() > 0);
        shown.push(queue);
    }

    /// The queues that still have handles, by name, in figures.
    pub fn look(&self) -> Vec<(Arc<str>, QueueStats)> {
        let queues: Vec<Arc<dyn Shown>> = self.shown.lock().iter().filter_map(Weak::upgrade).collect();
        queues.iter().filter_map(|queue| queue.look()).collect()
    }
}

/// One family: its name, its help, its kind, and how a queue's figures are written.
type Family = (&'static str, &'static str, MetricType, fn(&QueueStats, MetricEncoder<'_>) -> fmt::Result);

/// The encoder itself adds `_total` to the names of counters.
const FAMILIES: [Family; 7] = [
    ("workqueue_depth", "Items waiting, or added while being worked on", MetricType::Gauge, |stats, to| {
        gauge(to, (stats.waiting + stats.dirty) as u64)
    }),
    ("workqueue_adds", "Items added, without those that were collapsed", MetricType::Counter, |stats, to| {
        counter(to, stats.adds)
    }),
    (
        "workqueue_queue_duration_seconds",
        "How long an item waits before it is worked on",
        MetricType::Histogram,
        |stats, to| histogram(to, &stats.queue_duration),
    ),
    (
        "workqueue_work_duration_seconds",
        "How long an item is worked on",
        MetricType::Histogram,
        |stats, to| histogram(to, &stats.work_duration),
    ),
    (
        "workqueue_unfinished_work_seconds",
        "How long the items being worked on have been so, all together",
        MetricType::Gauge,
        |stats, to| gauge(to, stats.unfinished.as_secs_f64()),
    ),
    (
        "workqueue_longest_running_processor_seconds",
        "How long the item has been worked on that was handed out first",
        MetricType::Gauge,
        |stats, to| gauge(to, stats.longest_running.as_secs_f64()),
    ),
    ("workqueue_retries", "Items added with a delay or a rate limit", MetricType::Counter, |stats, to| {
        counter(to, stats.retries)
    }),
];

impl Collector for QueueMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let queues = self.look();
        for (name, help, kind, write) in FAMILIES {
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for (queue, stats) in &queues {
                let labels = [("name", &**queue)];
                write(stats, family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

fn gauge(mut to: MetricEncoder<'_>, value: impl EncodeGaugeValue) -> fmt::Result {
    to.encode_gauge(&value)
}

fn counter(mut to: MetricEncoder<'_>, value: u64) -> fmt::Result {
    to.encode_counter::<[(&str, &str); 0], _, u64>(&value, None)
}

fn histogram(mut to: MetricEncoder<'_>, histogram: &Histogram) -> fmt::Result {
    let buckets: Vec<_> = histogram.buckets().collect();
    let sum = histogram.sum().as_secs_f64();
    to.encode_histogram::<[(&str, &str); 0]>(sum, histogram.count(), &buckets, None)
}

impl fmt::Debug for QueueMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueMetrics").field("queues", &self.shown.lock().len()).finish()
    }
}
