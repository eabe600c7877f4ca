//! The metrics of a graph: a collector that reads the statistics of its collections at each scrape. It keeps no state, so
//! that the series of a collection end with the collection.

use std::fmt;
use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;

use crate::graph::Graph;
use crate::shared::GraphShared;
use crate::stats::CollectionStats;

/// The metrics of the collections of one graph, as a collector for a registry of yours. It does not keep the graph
/// running.
#[derive(Clone)]
pub struct GraphMetrics {
    graph: Weak<GraphShared>,
}

impl Graph {
    /// The metrics of this graph: `registry.register_collector(Box::new(graph.metrics()))`.
    pub fn metrics(&self) -> GraphMetrics {
        GraphMetrics { graph: Arc::downgrade(&self.shared) }
    }
}

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
        let Some(graph) = self.graph.upgrade() else { return Ok(()) };
        let stats: Vec<_> = graph.collections().iter().map(|collection| collection.stats()).collect();
        for (name, help, is_counter, read) in FAMILIES {
            let kind = if *is_counter { MetricType::Counter } else { MetricType::Gauge };
            let mut encoder = encoder.encode_descriptor(name, help, None, kind)?;
            for stats in &stats {
                let labels = [("graph", &*graph.config.name), ("collection", &*stats.name)];
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

impl fmt::Debug for GraphMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphMetrics").finish_non_exhaustive()
    }
}
