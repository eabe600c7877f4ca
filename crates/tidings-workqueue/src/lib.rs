//! Keys to workers: a queue that never hands the same key to two workers.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use tidings_workqueue::WorkQueue;
//!
//! let queue = WorkQueue::new();
//! queue.add("default/web-0");
//! queue.add("default/web-0"); // waits already: collapsed
//!
//! let key = queue.next().await.expect("the queue is open");
//! assert_eq!(*key, "default/web-0");
//! queue.add("default/web-0"); // is being worked on: will be worked on once more
//! drop(key); // done, also when a worker panics
//!
//! assert_eq!(queue.len(), 1);
//! # }
//! ```

mod sync;

mod clock;
mod delay;
mod fair;
mod guard;
mod item;
pub mod limiter;
mod links;
pub mod metrics;
mod options;
mod order;
mod priority;
mod queue;
mod slots;
mod state;
mod stats;
mod working;

pub use guard::Working;
pub use item::Item;
pub use limiter::RateLimiter;
pub use metrics::QueueMetrics;
pub use options::{AddOptions, Builder};
pub use priority::Priority;
pub use queue::WorkQueue;
pub use state::Added;
pub use stats::QueueStats;
pub use tidings_util::Histogram;

#[cfg(test)]
mod tests;
