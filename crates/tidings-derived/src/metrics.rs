//! The statistics of graphs, read from their collections at each scrape. They keep no state, so that the series of a
//! collection end with the collection.

#[cfg(feature = "metrics")]
mod collector;

use std::fmt;
use std::sync::{Arc, Weak};

use crate::graph::Graph;
use crate::shared::GraphShared;
use crate::stats::GraphReport;
use crate::sync::Mutex;

/// A set of graphs whose statistics are read together, for `/metrics`, `/readyz` and `/informers`. Its clones are the
/// same set. It keeps no graph running.
///
/// With the feature `metrics` it is a collector of prometheus-client:
///
#[cfg_attr(feature = "metrics", doc = "```")]
#[cfg_attr(not(feature = "metrics"), doc = "```ignore")]
/// use prometheus_client::registry::Registry;
/// use tidings_derived::{Graph, GraphMetrics};
///
/// let (graph, task) = Graph::new("endpoints");
/// let (mut registry, graphs) = (Registry::default(), GraphMetrics::new());
/// registry.register_collector(Box::new(graphs.clone()));
/// graphs.show(&graph);
/// assert_eq!(graphs.reports()[0].name, "endpoints");
/// # drop(task);
/// ```
#[derive(Clone, Default)]
pub struct GraphMetrics {
    graphs: Arc<Mutex<Vec<Weak<GraphShared>>>>,
}

impl GraphMetrics {
    /// A set without graphs.
    pub fn new() -> Self {
        GraphMetrics::default()
    }

    /// Adds a graph, until its last handle and its task are dropped.
    pub fn show(&self, graph: &Graph) {
        let mut graphs = self.graphs.lock();
        graphs.retain(|other| other.strong_count() > 0);
        graphs.push(Arc::downgrade(&graph.shared));
    }

    /// The state of each graph, in the order in which they were added.
    pub fn reports(&self) -> Vec<GraphReport> {
        let graphs: Vec<_> = self.graphs.lock().iter().filter_map(Weak::upgrade).collect();
        graphs.iter().map(|graph| graph.report()).collect()
    }
}

impl Graph {
    /// The metrics of this graph alone: `registry.register_collector(Box::new(graph.metrics()))`. A registry with several
    /// graphs needs one [`GraphMetrics`] with all of them, because a metric may be described only once.
    pub fn metrics(&self) -> GraphMetrics {
        let metrics = GraphMetrics::new();
        metrics.show(self);
        metrics
    }

    /// Its state, and the statistics of every collection in use.
    pub fn report(&self) -> GraphReport {
        self.shared.report()
    }
}

impl GraphShared {
    fn report(&self) -> GraphReport {
        let counters = *self.counters.lock();
        GraphReport {
            name: self.config.name.clone(),
            failure: self.failure(),
            rounds: counters.rounds,
            round_nanos: counters.round_nanos,
            collections: self.collections().iter().map(|collection| collection.stats()).collect(),
        }
    }
}

impl fmt::Debug for GraphMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphMetrics").finish_non_exhaustive()
    }
}
