//! The order of items, and how long an item can be overtaken.

use tidings_workqueue::{AddOptions, Added, Priority, WorkQueue};
use tokio::time::advance;

use crate::{millis, secs, take, take_all};

fn background() -> AddOptions {
    AddOptions::new().priority(Priority::BACKGROUND)
}

#[tokio::test(start_paused = true)]
async fn live_items_overtake_background_items() {
    let queue = WorkQueue::new();
    for item in ["b1", "b2"] {
        queue.add_with(item, background());
    }
    queue.add("l1");
    queue.add_with("between", AddOptions::new().priority(Priority::new(64)));
    queue.add("l2");
    assert_eq!(take_all(&queue), ["l1", "l2", "between", "b1", "b2"]);
}

/// Live items that never end delay a background item by at most its allowance.
#[tokio::test(start_paused = true)]
async fn a_background_item_is_overtaken_only_by_what_was_added_within_its_allowance() {
    let queue = WorkQueue::builder().named("q").background_allowance(secs(10)).build();
    queue.add_with(0, background());
    // Two live items are added for each one that is taken, so that the queue grows.
    let mut worked_on = Vec::new();
    for n in 1..60 {
        queue.add(2 * n);
        queue.add(2 * n + 1);
        let item = take(&queue).expect("items wait");
        worked_on.push(*item);
        if *item == 0 {
            break;
        }
        drop(item);
        advance(secs(1)).await;
    }
    // Items added in the seconds 0 to 9 overtake it, later ones do not.
    assert_eq!(worked_on, (2..=21).chain([0]).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_background_item_is_handed_out_before_a_live_one_that_was_added_after_its_deadline() {
    let queue = WorkQueue::new();
    queue.add_with("background", background());
    advance(secs(30) - millis(1)).await;
    queue.add("just before");
    advance(millis(1)).await;
    queue.add("when it is due");
    assert_eq!(take_all(&queue), ["just before", "background", "when it is due"]);
}

// holds: W1
#[tokio::test(start_paused = true)]
async fn adding_a_waiting_item_again_with_a_better_priority_moves_it_forward() {
    let queue = WorkQueue::new();
    for item in ["b1", "b2", "b3"] {
        queue.add_with(item, background());
    }
    queue.add("l1");
    assert_eq!(queue.add("b2"), Added::Collapsed);
    let order: Vec<_> = std::iter::from_fn(|| take(&queue).map(|item| (*item, item.priority()))).collect();
    let (live, background) = (Priority::LIVE, Priority::BACKGROUND);
    assert_eq!(order, [("l1", live), ("b2", live), ("b1", background), ("b3", background)]);
}

#[tokio::test(start_paused = true)]
async fn a_worse_priority_moves_nothing_back() {
    let queue = WorkQueue::new();
    for item in ["a", "b"] {
        queue.add(item);
    }
    queue.add_with("a", background());
    assert_eq!(take_all(&queue), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn the_best_priority_of_all_adds_applies_over_delays_and_work() {
    let queue = WorkQueue::new();
    queue.add_with("a", background());
    let a = take(&queue).expect("it waits");
    assert_eq!(a.priority(), Priority::BACKGROUND);
    queue.add_with("a", background().after(secs(5)));
    queue.add_after("a", secs(9));
    drop(a);
    advance(secs(5)).await;
    queue.add_with("b", AddOptions::new().priority(Priority::new(1)));
    let a = take(&queue).expect("its delay is over");
    assert_eq!((*a, a.priority()), ("a", Priority::LIVE));
    queue.add_with("a", background());
    drop(a);
    let b = take(&queue).expect("it waits");
    assert_eq!(*b, "b");
    assert_eq!(take(&queue).expect("it was dirty").priority(), Priority::BACKGROUND, "the last work is over");
}

/// Items are (namespace, name).
#[tokio::test(start_paused = true)]
async fn flows_are_served_round_robin_within_a_priority() {
    let queue = WorkQueue::builder().fair_by(|item: &(&str, u8)| item.0).build();
    (0..4).for_each(|n| {
        queue.add(("noisy", n));
    });
    queue.add_with(("drained", 9), background());
    for flow in ["drained", "other"] {
        queue.add((flow, 0));
    }
    let expected = [
        ("noisy", 0),
        ("drained", 0),
        ("other", 0),
        ("noisy", 1),
        ("noisy", 2),
        ("noisy", 3),
        ("drained", 9),
    ];
    assert_eq!(take_all(&queue), expected);
}

#[tokio::test(start_paused = true)]
async fn a_flow_whose_items_were_promoted_keeps_its_turns() {
    let queue = WorkQueue::builder().fair_by(|item: &(&str, u8)| item.0).build();
    for item in [("x", 0), ("y", 0), ("x", 1), ("y", 1)] {
        queue.add_with(item, background());
    }
    queue.add(("x", 0));
    queue.add(("x", 1));
    queue.add_with(("x", 2), background());
    assert_eq!(take_all(&queue), [("x", 0), ("x", 1), ("x", 2), ("y", 0), ("y", 1)]);
}
