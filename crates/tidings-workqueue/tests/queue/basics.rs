//! Adding, taking, being done.

use std::time::Duration;

use tidings_workqueue::{Added, WorkQueue};

// holds: W1, W5
#[tokio::test(start_paused = true)]
async fn an_item_that_waits_is_collapsed() {
    let queue = WorkQueue::new();
    assert_eq!(queue.add("a"), Added::Queued);
    assert_eq!(queue.add("a"), Added::Collapsed);
    assert_eq!(queue.len(), 1);
    let a = queue.next().await.expect("an item waits");
    assert_eq!((*a, queue.len()), ("a", 0));
}

// holds: W11
#[tokio::test(start_paused = true)]
async fn a_delayed_item_comes_when_its_time_has_come() {
    let queue = WorkQueue::new();
    let start = tokio::time::Instant::now();
    queue.add_after("a", Duration::from_secs(5));
    assert_eq!(queue.len(), 0);
    let a = queue.next().await.expect("an item comes");
    assert_eq!((*a, start.elapsed()), ("a", Duration::from_secs(5)));
}
