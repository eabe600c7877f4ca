//! The metrics of a scrape.

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tidings_workqueue::{AddOptions, Priority, QueueMetrics, WorkQueue};
use tokio::time::advance;

use crate::{millis, secs, take};

fn registry() -> (Registry, QueueMetrics) {
    let (mut registry, metrics) = (Registry::default(), QueueMetrics::new());
    registry.register_collector(Box::new(metrics.clone()));
    (registry, metrics)
}

/// The samples of a scrape, without comments.
fn scrape(registry: &Registry) -> Vec<String> {
    let mut text = String::new();
    encode(&mut text, registry).expect("it is written to a string");
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[track_caller]
fn check(registry: &Registry, samples: &[(&str, &str)]) {
    let seen: Vec<String> = scrape(registry).iter().map(|line| without_name(line)).collect();
    for (name, value) in samples {
        assert!(seen.contains(&format!("{name} {value}")), "{name} {value} is not among {seen:#?}");
    }
}

/// The sample of the queue `q` without its name, which may be before or after other labels.
fn without_name(line: &str) -> String {
    line.replace(",name=\"q\"", "").replace("name=\"q\",", "").replace("{name=\"q\"}", "")
}

// holds: M1, M2, W23
#[tokio::test(start_paused = true)]
async fn a_named_queue_has_the_metrics_of_client_go() {
    let (registry, metrics) = registry();
    let queue = WorkQueue::builder().named("q").build();
    metrics.show(&queue);

    queue.add("a");
    queue.add("a");
    check(
        &registry,
        &[("workqueue_depth", "1"), ("workqueue_adds_total", "1"), ("workqueue_retries_total", "0")],
    );

    advance(millis(50)).await;
    let a = take(&queue).expect("it waits");
    check(
        &registry,
        &[
            ("workqueue_depth", "0"),
            ("workqueue_queue_duration_seconds_sum", "0.05"),
            ("workqueue_queue_duration_seconds_count", "1"),
            ("workqueue_queue_duration_seconds_bucket{le=\"0.01\"}", "0"),
            ("workqueue_queue_duration_seconds_bucket{le=\"0.1\"}", "1"),
            ("workqueue_queue_duration_seconds_bucket{le=\"+Inf\"}", "1"),
            ("workqueue_work_duration_seconds_count", "0"),
        ],
    );

    queue.add("a"); // while it is worked on: depth counts it
    queue.add("b");
    advance(secs(2)).await;
    let b = take(&queue).expect("it waits");
    advance(secs(1)).await;
    check(
        &registry,
        &[
            ("workqueue_depth", "1"),
            ("workqueue_adds_total", "3"),
            ("workqueue_unfinished_work_seconds", "4.0"),
            ("workqueue_longest_running_processor_seconds", "3.0"),
        ],
    );

    drop(a);
    check(
        &registry,
        &[
            ("workqueue_work_duration_seconds_sum", "3.0"),
            ("workqueue_work_duration_seconds_bucket{le=\"1.0\"}", "0"),
            ("workqueue_work_duration_seconds_bucket{le=\"10.0\"}", "1"),
            ("workqueue_unfinished_work_seconds", "1.0"),
            ("workqueue_longest_running_processor_seconds", "1.0"),
        ],
    );
    drop(b);
    check(
        &registry,
        &[
            ("workqueue_unfinished_work_seconds", "0.0"),
            ("workqueue_longest_running_processor_seconds", "0.0"),
            ("workqueue_work_duration_seconds_count", "2"),
        ],
    );
}

// holds: M1
#[tokio::test(start_paused = true)]
async fn the_longest_running_item_is_the_one_that_was_handed_out_first() {
    let queue = WorkQueue::builder().named("q").build();
    let mut in_work = Vec::new();
    for (item, longest, unfinished) in [("a", 0, 0), ("b", 1, 1), ("c", 2, 3)] {
        queue.add(item);
        in_work.push(take(&queue).expect("it waits"));
        let stats = queue.stats();
        assert_eq!((stats.longest_running, stats.unfinished), (secs(longest), secs(unfinished)));
        advance(secs(1)).await;
    }
    drop(in_work.remove(0));
    queue.add("d");
    in_work.push(take(&queue).expect("it waits"));
    let stats = queue.stats();
    assert_eq!((stats.longest_running, stats.unfinished), (secs(2), secs(3)), "b and c are older than d");
}

// holds: M2
#[tokio::test(start_paused = true)]
async fn every_delayed_add_is_a_retry_and_an_add_when_its_delay_ends() {
    let (registry, metrics) = registry();
    let queue = WorkQueue::builder().named("q").build();
    metrics.show(&queue);
    queue.add_after("a", secs(1));
    queue.add_after("b", secs(0));
    queue.add_rate_limited("c");
    check(
        &registry,
        &[("workqueue_retries_total", "3"), ("workqueue_adds_total", "1"), ("workqueue_depth", "1")],
    );
    advance(secs(1)).await;
    check(
        &registry,
        &[("workqueue_retries_total", "3"), ("workqueue_adds_total", "3"), ("workqueue_depth", "3")],
    );
}

// holds: M1
#[tokio::test(start_paused = true)]
async fn the_buckets_are_ten_powers_of_ten() {
    let (registry, metrics) = registry();
    let queue = WorkQueue::<u8>::builder().named("q").build();
    metrics.show(&queue);
    for family in ["queue", "work"] {
        let prefix = format!("workqueue_{family}_duration_seconds_bucket");
        let bounds: Vec<String> = scrape(&registry)
            .iter()
            .filter(|line| line.starts_with(&prefix))
            .filter_map(|line| Some(line.split_once("le=\"")?.1.split_once('"')?.0.to_owned()))
            .collect();
        let numbers: Vec<f64> = bounds.iter().filter_map(|bound| bound.parse().ok()).collect();
        assert_eq!(numbers[..10], [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0]);
        assert_eq!(bounds[10..], ["+Inf"]);
    }
}

// holds: W23
#[tokio::test(start_paused = true)]
async fn a_queue_without_a_name_has_no_metrics() {
    let (registry, metrics) = registry();
    let queue = WorkQueue::new();
    metrics.show(&queue);
    queue.add("a");
    assert_eq!(scrape(&registry), [""; 0]);
}

// holds: W23
#[tokio::test(start_paused = true)]
async fn the_series_of_a_queue_end_when_the_queue_is_dropped() {
    let (registry, metrics) = registry();
    let queue = WorkQueue::<u8>::builder().named("q").build();
    let other = WorkQueue::<u8>::builder().named("other").build();
    metrics.show(&queue);
    metrics.show(&other);
    drop(queue);
    let seen = scrape(&registry);
    assert!(seen.iter().any(|line| line == "workqueue_depth{name=\"other\"} 0"), "{seen:#?}");
    assert!(!seen.iter().any(|line| line.contains("\"q\"")), "{seen:#?}");
}

// holds: W23
#[tokio::test(start_paused = true)]
async fn work_that_continues_after_a_shut_down_is_still_measured() {
    let (registry, metrics) = registry();
    let queue = WorkQueue::builder().named("q").build();
    metrics.show(&queue);
    queue.add("a");
    let _a = take(&queue);
    queue.shut_down();
    advance(secs(5)).await;
    check(&registry, &[("workqueue_unfinished_work_seconds", "5.0")]);
}

#[tokio::test(start_paused = true)]
async fn the_oldest_item_is_the_one_that_has_waited_longest_in_any_priority() {
    let queue = WorkQueue::builder().named("q").build();
    assert_eq!(queue.stats().oldest_waiting, secs(0));
    queue.add_with("patient", AddOptions::new().priority(Priority::BACKGROUND));
    advance(secs(2)).await;
    queue.add("live");
    queue.add_after("delayed", secs(60));
    advance(secs(3)).await;
    assert_eq!(queue.stats().oldest_waiting, secs(5));

    let live = take(&queue).expect("it waits");
    assert_eq!((*live, queue.stats().oldest_waiting), ("live", secs(5)));
    let patient = take(&queue).expect("it waits");
    assert_eq!(
        (*patient, queue.stats().oldest_waiting),
        ("patient", secs(0)),
        "one that is delayed does not wait"
    );
    drop((live, patient));
    advance(secs(58)).await;
    assert_eq!(queue.stats().oldest_waiting, secs(1), "it waits since its time has come");
}
