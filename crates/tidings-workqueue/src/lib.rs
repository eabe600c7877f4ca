//! A work queue for controllers. A key is never with two workers at the same time.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use tidings_workqueue::WorkQueue;
//!
//! let queue = WorkQueue::new();
//! queue.add("default/web-0");
//! queue.add("default/web-0"); // it waits already, so this add is merged
//!
//! let key = queue.next().await.expect("the queue is open");
//! assert_eq!(*key, "default/web-0");
//! queue.add("default/web-0"); // it is being worked on, so it will be worked on again
//! drop(key); // done; a panic of the worker drops it too
//!
//! assert_eq!(queue.len(), 1);
//! # }
//! ```

mod sync;

mod clock;
mod delay;
mod flows;
mod guard;
mod item;
pub mod limiter;
mod links;
mod metrics;
mod options;
mod order;
mod priority;
mod queue;
mod slots;
mod state;
mod stats;
mod working;

pub use guard::ItemGuard;
pub use item::Item;
pub use metrics::QueueMetrics;
pub use options::{AddOptions, WorkQueueBuilder};
pub use priority::Priority;
/// The crate whose `Registry` takes [`QueueMetrics`].
#[cfg(feature = "metrics")]
pub use prometheus_client;
pub use queue::WorkQueue;
pub use state::Added;
pub use stats::QueueStats;
pub use tidings_util::Histogram;

#[cfg(test)]
mod tests;
