//! When an informer and each of its handlers have synced, and what panics do to that.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::Handler;
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tokio::time::{Instant, timeout};

use crate::informer::gate::{Gate, gated};
use crate::informer::heard::Heard;
use crate::informer::stage::{BOTH_ORDERS, LONG, Stage, config, pod, seconds, settle};

// holds: I14, I15
#[tokio::test(start_paused = true)]
async fn nothing_is_synced_before_the_first_list_is_in_the_cache() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::new(order);
        let (heard, registration) = stage.listen_as("first");
        assert!(!stage.informer.is_synced() && !registration.is_synced(), "never before it runs");
        let page = ListAnswer::page(5).object(&pod("a", 1)).wait(seconds(10)).object(&pod("b", 2));
        stage.source.will_list(page);
        stage.source.will_watch(WatchAnswer::open().hang());
        stage.start();
        tokio::time::sleep(seconds(5)).await;
        assert!(!stage.informer.is_synced() && !registration.is_synced(), "half a list is none");
        assert!(stage.cached().is_empty() && heard.lines().is_empty());
        stage.synced().await;
        assert_eq!(stage.cached(), ["a@1", "b@2"]);
        timeout(LONG, registration.synced()).await.unwrap().unwrap();
        assert!(registration.is_synced() && registration.stats().is_synced);
        stage.end().await;
    }
}

// holds: I14, Q23
#[tokio::test(start_paused = true)]
async fn an_empty_list_syncs_the_informer_and_its_handlers() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::new(order);
        let (_, registration) = stage.listen_as("first");
        let _feed = stage.script(5, &[]);
        stage.start();
        stage.synced().await;
        assert!(registration.is_synced());
        stage.end().await;
    }
}

// holds: I14, I15
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_has_synced_when_it_has_returned_from_each_initial_addition() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    let (gate, slow) = (Gate::closed(), Heard::default());
    let registration = stage.add(gated(gate.passage(), &slow));
    let feed = stage.script(5, &[pod("a", 1), pod("b", 2)]);
    stage.start();
    stage.synced().await;
    let (quick, late) = stage.listen_as("late");
    timeout(LONG, late.synced()).await.unwrap().unwrap();
    assert_eq!(quick.lines().len(), 2, "a handler is synced by its own initial additions");
    gate.came(1).await;
    assert!(!registration.is_synced(), "it is still in its first call");
    feed.added(&pod("c", 6));
    gate.open();
    timeout(LONG, registration.synced()).await.unwrap().unwrap();
    assert!(slow.lines().len() >= 2);
    stage.end().await;
}

// holds: I16, I36
#[tokio::test(start_paused = true)]
async fn waiting_for_a_sync_that_can_not_come_ends_with_a_name_and_a_reason() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    let (_, registration) = stage.listen_as("printer");
    assert_eq!(stage.informer.unsynced().to_string(), "pods has not synced: it was not started");
    stage.source.will_list_always(|_| ListAnswer::status(403, "Forbidden"));
    stage.start();
    let informer = stage.informer.clone();
    assert!(timeout(seconds(30), informer.synced()).await.is_err(), "it goes on trying");
    let reason = stage.informer.unsynced();
    assert!(reason.reason.contains("403"), "{reason}");
    assert_eq!(stage.informer.downgrade().unsynced(), Some(reason));
    let (from_informer, from_handler, ()) = tokio::join!(informer.synced(), registration.synced(), async {
        settle().await;
        informer.stop();
    });
    let reason = from_informer.unwrap_err().to_string();
    assert!(reason.starts_with("pods has not synced: it has stopped; last error: "), "{reason}");
    let reason = from_handler.unwrap_err().to_string();
    assert!(reason.starts_with("handler \"printer\" of pods has not synced: "), "{reason}");
    stage.end().await;
}

// holds: I16, X12
#[tokio::test(start_paused = true)]
async fn waiting_for_the_sync_of_a_removed_handler_ends() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    let (_, early) = stage.listen_as("early");
    let (_, late) = stage.listen_as("late");
    let (waited, ()) = tokio::join!(timeout(LONG, early.synced()), early.remove());
    assert!(waited.expect("it ends").is_err());
    stage.source.will_list(ListAnswer::hanging());
    stage.start();
    settle().await;
    let (waited, ()) = tokio::join!(timeout(LONG, late.synced()), late.remove_now());
    assert!(waited.expect("it ends").is_err());
    assert!(!late.is_synced());
    stage.end().await;
}

/// A handler that panics at some objects.
fn panics_at(heard: &Heard, panics: impl Fn(&str) -> bool + Send + 'static) -> Handler<Pod> {
    let heard = heard.clone();
    Handler::new().named("fragile").on_add(move |pod, is_initial| {
        assert!(!panics(pod.name()), "scripted panic");
        heard.added(pod.raw(), is_initial);
    })
}

// holds: X13, I17, I18, X2
#[tokio::test(start_paused = true)]
async fn a_panic_costs_one_call_and_the_next_follows_at_once() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::new(order);
        let heard = Heard::default();
        let registration =
            stage.informer.add_handler(panics_at(&heard, |name| name.starts_with("bad"))).unwrap();
        let other = stage.listen();
        let feed = stage.script(5, &[pod("bad-1", 1), pod("good-1", 2), pod("bad-2", 3)]);
        stage.start();
        stage.synced().await;
        assert!(registration.is_synced(), "it syncs all the same");
        let before = Instant::now();
        for (name, version) in [("bad-3", 6), ("good-2", 7), ("bad-4", 8), ("good-3", 9)] {
            feed.added(&pod(name, version));
        }
        settle().await;
        assert!(before.elapsed() <= Duration::from_millis(1));
        assert_eq!(heard.lines(), ["initial good-1@2", "add good-2@7", "add good-3@9"], "{order:?}");
        assert_eq!(other.lines().len(), 7, "others never notice");
        let stats = registration.stats();
        assert_eq!((stats.panics, stats.delivered, stats.backlog), (4, 7, 0));
        assert_eq!(stage.informer.stats().faults.handler_panics, 4);
        let faults = stage.faults.all();
        assert_eq!(faults.len(), 4);
        assert_eq!(faults[0], r#"handler "fragile" panicked at default/bad-1: scripted panic"#);
        stage.end().await;
    }
}

// holds: X13
#[tokio::test(start_paused = true)]
async fn a_panic_in_any_call_or_filter_costs_that_call_only() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let heard = Heard::default();
    let (added, deleted) = (heard.clone(), heard.clone());
    let handler = Handler::<Pod>::new()
        .filter(|pod| {
            assert!(pod.name() != "filtered", "scripted panic");
            true
        })
        .on_add(move |pod, is_initial| added.added(pod.raw(), is_initial))
        .on_update(|_, _| std::panic::panic_any(7))
        .on_delete(move |gone| {
            deleted.deleted(gone, false);
            panic!("scripted panic");
        });
    let registration = stage.informer.add_handler(handler).unwrap();
    feed.added(&pod("filtered", 6));
    feed.added(&pod("a", 7));
    feed.modified(&pod("a", 8));
    feed.deleted(&pod("a", 9));
    feed.added(&pod("b", 10));
    settle().await;
    assert_eq!(heard.lines(), ["add a@7", "delete a@9", "add b@10"]);
    assert_eq!(registration.stats().panics, 3);
    assert!(stage.faults.all()[1].ends_with("no message"), "{:?}", stage.faults.all());
    stage.end().await;
}
