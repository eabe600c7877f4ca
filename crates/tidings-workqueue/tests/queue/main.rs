//! The public behaviour of the queue, in paused time.

#![allow(missing_docs, reason = "tests")]

mod basics;
mod delays;
mod ends;
mod faults;
mod limits;
mod metrics;
mod priorities;

use std::time::Duration;

use futures_util::FutureExt;
use tidings_workqueue::{Item, ItemGuard, WorkQueue};

/// The item that a worker gets without waiting.
fn take<T: Item>(queue: &WorkQueue<T>) -> Option<ItemGuard<T>> {
    queue.next().now_or_never().flatten()
}

/// All waiting items, in the order in which they are handed out.
fn take_all<T: Item>(queue: &WorkQueue<T>) -> Vec<T> {
    std::iter::from_fn(|| take(queue).map(|item| item.clone())).collect()
}

/// The result of the future. The test fails if it takes more than a day of paused time.
async fn soon<R>(future: impl Future<Output = R>) -> R {
    tokio::time::timeout(secs(24 * 3600), future).await.expect("it comes")
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
