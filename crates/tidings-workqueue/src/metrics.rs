//! The statistics of named queues. They are read from the queues at each scrape. The series of a queue end when its last
//! handle is dropped.

#[cfg(feature = "metrics")]
mod collector;

use std::fmt;
use std::sync::{Arc, Weak};

use crate::item::Item;
use crate::queue::{Shared, WorkQueue};
use crate::state::State;
use crate::stats::QueueStats;
use crate::sync::Mutex;

/// A set of named queues whose statistics are read together. Its clones are the same set.
///
/// With the feature `metrics` it is a collector of prometheus-client, with the metric names of client-go:
///
#[cfg_attr(feature = "metrics", doc = "```")]
#[cfg_attr(not(feature = "metrics"), doc = "```ignore")]
/// use prometheus_client::{encoding::text::encode, registry::Registry};
/// use tidings_workqueue::{QueueMetrics, WorkQueue};
///
/// let (mut registry, metrics) = (Registry::default(), QueueMetrics::new());
/// registry.register_collector(Box::new(metrics.clone()));
///
/// let queue = WorkQueue::builder().named("pods").build();
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
    queues: Arc<Mutex<Vec<Weak<dyn NamedQueue>>>>,
}

/// A queue with items of any type.
trait NamedQueue: Send + Sync {
    fn named_stats(&self) -> Option<(Arc<str>, QueueStats)>;
}

impl<T: Item> NamedQueue for Shared<T> {
    fn named_stats(&self) -> Option<(Arc<str>, QueueStats)> {
        Some((self.name.clone()?, self.step(|state| State::stats(state))))
    }
}

impl QueueMetrics {
    /// A set without queues.
    pub fn new() -> Self {
        QueueMetrics::default()
    }

    /// Adds a queue, until its last handle is dropped. A queue without a name is not added.
    pub fn show<T: Item>(&self, queue: &WorkQueue<T>) {
        if queue.name().is_none() {
            return;
        }
        let queue: Weak<dyn NamedQueue> = Arc::downgrade(queue.shared()) as Weak<dyn NamedQueue>;
        let mut queues = self.queues.lock();
        queues.retain(|other| other.strong_count() > 0);
        queues.push(queue);
    }

    /// The names and statistics of the queues that still have handles.
    pub fn stats(&self) -> Vec<(Arc<str>, QueueStats)> {
        let queues: Vec<Arc<dyn NamedQueue>> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        queues.iter().filter_map(|queue| queue.named_stats()).collect()
    }
}

impl fmt::Debug for QueueMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueMetrics").field("queues", &self.queues.lock().len()).finish()
    }
}
