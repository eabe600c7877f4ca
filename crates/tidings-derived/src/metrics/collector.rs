//! The metrics of graphs, for prometheus-client.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;

use super::GraphMetrics;
use crate::stats::CollectionStats;

/// Name, help, whether it only grows, and how to read it.
type Family = (&'static str, &'static str, bool, fn(&CollectionStats) -> f64);

const FAMILIES: &[Family] = &[
    ("tidings_collection_values", "Values of a collection.", false, |stats| stats.values as f64),
    ("tidings_collection_synced", "Whether a collection has synced.", false, |stats| {
        f64::from(u8::from(stats.is_synced))
    }),
    ("tidings_collection_evaluations", "Evaluations of the function.", true, |stats| {
        stats.evaluations as f64
    }),
    ("tidings_collection_unchanged", "Evaluations that returned what was there before.", true, |stats| {
        stats.unchanged as f64
    }),
    ("tidings_collection_failures", "Evaluations that failed.", true, |stats| stats.failures as f64),
    ("tidings_collection_failing_keys", "Keys whose last evaluation failed.", false, |stats| {
        stats.failing_keys as f64
    }),
    ("tidings_collection_duplicate_keys", "Output keys that several inputs produce.", false, |stats| {
        stats.duplicate_keys as f64
    }),
    ("tidings_collection_changes", "Changes of values.", true, |stats| stats.changes as f64),
    ("tidings_collection_work_seconds", "Time of the work of a collection.", true, |stats| {
        stats.work_nanos as f64 / 1e9
    }),
];

impl Collector for GraphMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let graphs = self.reports();
        for (name, help, is_counter, read) in FAMILIES {
            let kind = if *is_counter { MetricType::Counter } else { MetricType::Gauge };
            let mut encoder = encoder.encode_descriptor(name, help, None, kind)?;
            let all =
                graphs.iter().flat_map(|graph| graph.collections.iter().map(|stats| (&graph.name, stats)));
            for (graph, stats) in all {
                let labels = [("graph", graph.as_str()), ("collection", &stats.name)];
                let mut encoder = encoder.encode_family(&labels)?;
                match is_counter {
                    true => encoder.encode_counter::<[(&str, &str); 0], f64, f64>(&read(stats), None)?,
                    false => encoder.encode_gauge(&read(stats))?,
                }
            }
        }
        Ok(())
    }
}
