//! Encodes the statistics of queues for prometheus-client, under client-go's names.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, MetricEncoder};
use prometheus_client::metrics::MetricType;
use tidings_util::Histogram;

use super::QueueMetrics;
use crate::stats::QueueStats;

/// A metric: its name, its help, its type, and how it is encoded.
type Family = (&'static str, &'static str, MetricType, fn(&QueueStats, MetricEncoder<'_>) -> fmt::Result);

/// The encoder adds `_total` to the names of counters.
const FAMILIES: [Family; 7] = [
    (
        "workqueue_depth",
        "Items waiting, or added while being worked on",
        MetricType::Gauge,
        |stats, encoder| gauge(encoder, (stats.waiting + stats.dirty) as u64),
    ),
    (
        "workqueue_adds",
        "Items added, without those that were collapsed",
        MetricType::Counter,
        |stats, encoder| counter(encoder, stats.adds),
    ),
    (
        "workqueue_queue_duration_seconds",
        "How long an item waits before it is worked on",
        MetricType::Histogram,
        |stats, encoder| histogram(encoder, &stats.queue_duration),
    ),
    (
        "workqueue_work_duration_seconds",
        "How long an item is worked on",
        MetricType::Histogram,
        |stats, encoder| histogram(encoder, &stats.work_duration),
    ),
    (
        "workqueue_unfinished_work_seconds",
        "Sum of the time that the items being worked on have been worked on",
        MetricType::Gauge,
        |stats, encoder| gauge(encoder, stats.unfinished.as_secs_f64()),
    ),
    (
        "workqueue_longest_running_processor_seconds",
        "How long the item that was handed out first has been worked on",
        MetricType::Gauge,
        |stats, encoder| gauge(encoder, stats.longest_running.as_secs_f64()),
    ),
    (
        "workqueue_retries",
        "Items added with a delay or a rate limit",
        MetricType::Counter,
        |stats, encoder| counter(encoder, stats.retries),
    ),
];

impl Collector for QueueMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let queues = self.stats();
        for (name, help, kind, encode) in FAMILIES {
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for (queue, stats) in &queues {
                let labels = [("name", &**queue)];
                encode(stats, family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

fn gauge(mut encoder: MetricEncoder<'_>, value: impl EncodeGaugeValue) -> fmt::Result {
    encoder.encode_gauge(&value)
}

fn counter(mut encoder: MetricEncoder<'_>, value: u64) -> fmt::Result {
    encoder.encode_counter::<[(&str, &str); 0], _, u64>(&value, None)
}

fn histogram(mut encoder: MetricEncoder<'_>, histogram: &Histogram) -> fmt::Result {
    let buckets: Vec<_> = histogram.buckets().collect();
    let sum = histogram.sum().as_secs_f64();
    encoder.encode_histogram::<[(&str, &str); 0]>(sum, histogram.count(), &buckets, None)
}
