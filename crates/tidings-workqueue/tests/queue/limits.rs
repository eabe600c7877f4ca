//! Rate limiters, alone and in a queue.

use std::time::Duration;

use tidings_workqueue::limiter::{
    Capped, Exponential, FastSlow, MaxOf, RateLimiter, TokenBucket, default_for_controllers,
    default_for_items,
};
use tidings_workqueue::{AddOptions, Added, WorkQueue};
use tokio::time::advance;

use crate::{millis, secs, take, take_all};

fn delays<L: RateLimiter<&'static str>>(limiter: &L, item: &'static str, count: usize) -> Vec<Duration> {
    (0..count).map(|_| limiter.when(&item)).collect()
}

// holds: W17
#[test]
fn an_exponential_delay_doubles_for_each_item_until_it_is_forgotten() {
    let limiter = Exponential::new(millis(1), secs(1));
    assert_eq!(delays(&limiter, "a", 5), [1, 2, 4, 8, 16].map(millis));
    assert_eq!(delays(&limiter, "b", 2), [1, 2].map(millis));
    assert_eq!((limiter.requeues(&"a"), limiter.requeues(&"b"), limiter.requeues(&"c")), (5, 2, 0));
    limiter.forget(&"a");
    assert_eq!((limiter.requeues(&"a"), limiter.when(&"a")), (0, millis(1)));
}

// holds: W17
#[test]
fn an_exponential_delay_never_exceeds_its_maximum() {
    let limiter = Exponential::new(millis(1), secs(1000));
    let delays = delays(&limiter, "a", 2_000);
    assert_eq!(delays[19..22], [millis(524_288), secs(1000), secs(1000)]);
    assert!(delays[20..].iter().all(|delay| *delay == secs(1000)));
    let limiter = Exponential::new(Duration::MAX / 2, Duration::MAX);
    assert_eq!(self::delays(&limiter, "a", 3)[2], Duration::MAX);
}

// holds: W18
#[test]
fn a_fast_slow_delay_is_fast_for_the_first_attempts_of_each_item() {
    let limiter = FastSlow::new(millis(5), secs(10), 3);
    assert_eq!(delays(&limiter, "a", 5), [millis(5), millis(5), millis(5), secs(10), secs(10)]);
    assert_eq!((limiter.when(&"b"), limiter.requeues(&"a")), (millis(5), 5));
    limiter.forget(&"a");
    assert_eq!((limiter.requeues(&"a"), limiter.when(&"a")), (0, millis(5)));
}

#[tokio::test(start_paused = true)]
async fn a_token_bucket_allows_a_burst_and_then_a_rate() {
    let limiter = TokenBucket::new(10.0, 2);
    let near = |limiter: &TokenBucket, expected: Duration| {
        let delay = limiter.when(&"a");
        assert!(delay.abs_diff(expected) < Duration::from_micros(1), "{delay:?} is not {expected:?}");
    };
    for expected in [0, 0, 100, 200] {
        near(&limiter, millis(expected));
    }
    advance(millis(500)).await;
    near(&limiter, millis(0)); // 2 were reserved, 5 were added: 2 of 3 are left
    advance(secs(3600)).await;
    for expected in [0, 0, 100] {
        near(&limiter, millis(expected));
    }
    assert_eq!(limiter.requeues(&"a"), 0);
    let empty = TokenBucket::new(0.0, 0);
    assert_eq!(empty.when(&"a"), Duration::MAX);
}

// holds: W19
#[test]
fn several_limiters_all_count_and_the_longest_delay_applies() {
    let limiter =
        MaxOf::new().and(FastSlow::new(millis(5), secs(3), 3)).and(Exponential::new(millis(1), secs(1)));
    let expected = [millis(5), millis(5), millis(5), secs(3), secs(3)];
    assert_eq!(delays(&limiter, "a", 5), expected);
    assert_eq!(limiter.requeues(&"a"), 5);
    limiter.forget(&"a");
    assert_eq!((limiter.requeues(&"a"), limiter.when(&"a")), (0, millis(5)));
    assert_eq!(delays(&MaxOf::new(), "a", 1), [secs(0)]);
}

// holds: W20
#[test]
fn a_capped_delay_never_exceeds_its_cap() {
    let limiter = Capped::new(Exponential::new(millis(1), secs(1000)), millis(5));
    assert_eq!(delays(&limiter, "a", 5), [1, 2, 4, 5, 5].map(millis));
    assert_eq!(limiter.requeues(&"a"), 5);
    limiter.forget(&"a");
    assert_eq!(limiter.requeues(&"a"), 0);
}

// holds: W21
#[tokio::test(start_paused = true)]
async fn the_defaults_are_those_of_client_go() {
    let items = default_for_items();
    assert_eq!(delays(&items, "a", 21)[..2], [millis(1), millis(2)]);
    assert_eq!(items.when(&"a"), secs(1000));

    let controllers = default_for_controllers();
    assert_eq!(delays(&controllers, "a", 3), [5, 10, 20].map(millis));
    (3..100).for_each(|_| {
        controllers.when(&"others");
    });
    let after_the_burst = controllers.when(&"b");
    assert!(after_the_burst.abs_diff(millis(100)) < millis(1), "{after_the_burst:?}");
}

// holds: W16
#[tokio::test(start_paused = true)]
async fn a_rate_limited_item_is_handed_out_after_the_delay_of_its_limiter() {
    let queue = WorkQueue::builder().limiter(Exponential::new(secs(1), secs(60))).build();
    for (attempt, delay) in [(1, 1), (2, 2), (3, 4)] {
        assert_eq!(queue.add_rate_limited("a"), Added::Delayed);
        assert_eq!(queue.requeues(&"a"), attempt);
        advance(secs(delay) - millis(1)).await;
        assert!(queue.is_empty());
        advance(millis(1)).await;
        assert_eq!(take_all(&queue), ["a"]);
    }
    queue.add_rate_limited("a");
    queue.forget(&"a");
    assert_eq!((queue.requeues(&"a"), queue.stats().delayed), (0, 1), "what is queued stays queued");
}

#[tokio::test(start_paused = true)]
async fn the_longer_of_a_delay_and_a_rate_limit_applies() {
    let queue = WorkQueue::builder().limiter(Exponential::new(secs(4), secs(60))).build();
    queue.add_with("a", AddOptions::new().after(secs(9)).rate_limited());
    queue.add_with("b", AddOptions::new().after(secs(1)).rate_limited());
    advance(secs(4)).await;
    assert_eq!(take_all(&queue), ["b"]);
    advance(secs(5)).await;
    assert_eq!(take_all(&queue), ["a"]);
}

// holds: W22, X19
#[tokio::test(start_paused = true)]
async fn a_token_is_spent_only_for_an_item_that_is_queued() {
    let queue = WorkQueue::builder().limiter(TokenBucket::new(1.0, 1)).build();
    queue.add("waits");
    queue.add("dirty");
    let _worked_on = take(&queue);
    queue.add("waits"); // dirty now
    for _ in 0..1_000 {
        assert_eq!(queue.add_rate_limited("waits"), Added::Collapsed);
        assert_eq!(queue.add_rate_limited("dirty"), Added::Collapsed);
    }
    assert_eq!(queue.add_rate_limited("newly_ready"), Added::Queued, "the one token is still there");
    assert_eq!(queue.add_rate_limited("late"), Added::Delayed);
    for _ in 0..1_000 {
        assert_eq!(queue.add_rate_limited("late"), Added::Collapsed);
    }
    advance(secs(1)).await;
    assert!(take_all(&queue).contains(&"late"), "a thousand collapsed adds pushed nothing back");
}

// holds: X19
#[tokio::test(start_paused = true)]
async fn a_merged_attempt_still_counts_for_its_item() {
    let queue = WorkQueue::builder().limiter(Exponential::new(secs(1), secs(60))).build();
    queue.add("a");
    queue.add_rate_limited("a");
    queue.add_rate_limited("a");
    assert_eq!(queue.requeues(&"a"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refund_reaches_the_limit_of_all_items_inside_other_limiters() {
    let limiter = Capped::new(MaxOf::new().and(TokenBucket::new(1.0, 1)), secs(60));
    for _ in 0..3 {
        assert_eq!(limiter.when(&"a"), Duration::ZERO);
        limiter.refund(&"a");
    }
    assert_eq!(delays(&limiter, "a", 2), [Duration::ZERO, secs(1)]);
}
