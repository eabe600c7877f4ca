//! When an informer and its handlers have synced, also after panics.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, Notification};
use tidings_source::scripted::{ListResponse, WatchResponse};
use tokio::time::{Instant, timeout};

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, TIMEOUT, config, pod, seconds, settle};
use crate::informer::latch::{Latch, blocking_handler};
use crate::informer::notification_log::NotificationLog;

// holds: I14, I15
#[tokio::test(start_paused = true)]
async fn neither_informer_nor_handler_is_synced_before_the_first_list_is_in_the_cache() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let (log, registration) = fixture.record_as("first");
        assert!(!fixture.informer.is_synced() && !registration.is_synced(), "not before the task runs");
        let page = ListResponse::page(5).object(&pod("a", 1)).wait(seconds(10)).object(&pod("b", 2));
        fixture.source.will_list(page);
        fixture.source.will_watch(WatchResponse::open().hang());
        fixture.start();
        tokio::time::sleep(seconds(5)).await;
        assert!(
            !fixture.informer.is_synced() && !registration.is_synced(),
            "an incomplete list is not applied"
        );
        assert!(fixture.cached().is_empty() && log.lines().is_empty());
        fixture.synced().await;
        assert_eq!(fixture.cached(), ["a@1", "b@2"]);
        timeout(TIMEOUT, registration.synced()).await.unwrap().unwrap();
        assert!(registration.is_synced() && registration.stats().is_synced);
        fixture.end().await;
    }
}

// holds: I14, Q23
#[tokio::test(start_paused = true)]
async fn an_empty_list_syncs_the_informer_and_its_handlers() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let (_, registration) = fixture.record_as("first");
        let _feed = fixture.script(5, &[]);
        fixture.start();
        fixture.synced().await;
        assert!(registration.is_synced());
        fixture.end().await;
    }
}

// holds: I14, I15
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_has_synced_when_it_has_returned_from_each_initial_addition() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let (latch, slow) = (Latch::closed(), NotificationLog::default());
    let registration = fixture.add(blocking_handler(latch.waiter(), &slow));
    let feed = fixture.script(5, &[pod("a", 1), pod("b", 2)]);
    fixture.start();
    fixture.synced().await;
    let (quick, late) = fixture.record_as("late");
    timeout(TIMEOUT, late.synced()).await.unwrap().unwrap();
    assert_eq!(quick.lines().len(), 2, "each handler syncs with its own initial additions");
    latch.entered(1).await;
    assert!(!registration.is_synced(), "it is still in its first call");
    feed.added(&pod("c", 6));
    latch.open();
    timeout(TIMEOUT, registration.synced()).await.unwrap().unwrap();
    assert!(slow.lines().len() >= 2);
    fixture.end().await;
}

// holds: I16, I36
#[tokio::test(start_paused = true)]
async fn waiting_for_a_sync_that_is_impossible_fails_with_a_name_and_a_reason() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let (_, registration) = fixture.record_as("printer");
    assert_eq!(fixture.informer.unsynced().to_string(), "pods has not synced: it was not started");
    fixture.source.will_list_always(|_| ListResponse::status(403, "Forbidden"));
    fixture.start();
    let informer = fixture.informer.clone();
    assert!(timeout(seconds(30), informer.synced()).await.is_err(), "it retries");
    let reason = fixture.informer.unsynced();
    assert!(reason.reason.contains("403"), "{reason}");
    assert_eq!(fixture.informer.downgrade().unsynced(), Some(reason));
    let (from_informer, from_handler, ()) = tokio::join!(informer.synced(), registration.synced(), async {
        settle().await;
        informer.stop();
    });
    let reason = from_informer.unwrap_err().to_string();
    assert!(reason.starts_with("pods has not synced: it has stopped; last error: "), "{reason}");
    let reason = from_handler.unwrap_err().to_string();
    assert!(reason.starts_with("handler \"printer\" of pods has not synced: "), "{reason}");
    fixture.end().await;
}

// holds: I16, X12
#[tokio::test(start_paused = true)]
async fn waiting_for_the_sync_of_a_removed_handler_fails() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let (_, early) = fixture.record_as("early");
    let (_, late) = fixture.record_as("late");
    let (waited, ()) = tokio::join!(timeout(TIMEOUT, early.synced()), early.remove());
    assert!(waited.expect("it ends").is_err());
    fixture.source.will_list(ListResponse::hanging());
    fixture.start();
    settle().await;
    let (waited, ()) = tokio::join!(timeout(TIMEOUT, late.synced()), late.remove_now());
    assert!(waited.expect("it ends").is_err());
    assert!(!late.is_synced());
    fixture.end().await;
}

/// A handler that panics for some objects.
fn panics_at(log: &NotificationLog, panics: impl Fn(&str) -> bool + Send + 'static) -> Handler<Pod> {
    let log = log.clone();
    Handler::new().named("fragile").on_add(move |pod, is_initial| {
        assert!(!panics(pod.name()), "scripted panic");
        log.added(pod, is_initial);
    })
}

// holds: X13, I17, I18, X2
#[tokio::test(start_paused = true)]
async fn a_panic_costs_one_call_and_the_next_follows_at_once() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let log = NotificationLog::default();
        let registration =
            fixture.informer.add_handler(panics_at(&log, |name| name.starts_with("bad"))).unwrap();
        let other = fixture.record();
        let feed = fixture.script(5, &[pod("bad-1", 1), pod("good-1", 2), pod("bad-2", 3)]);
        fixture.start();
        fixture.synced().await;
        assert!(registration.is_synced(), "it still syncs");
        let before = Instant::now();
        for (name, version) in [("bad-3", 6), ("good-2", 7), ("bad-4", 8), ("good-3", 9)] {
            feed.added(&pod(name, version));
        }
        settle().await;
        assert!(before.elapsed() <= Duration::from_millis(1));
        assert_eq!(log.lines(), ["initial good-1@2", "add good-2@7", "add good-3@9"], "{order:?}");
        assert_eq!(other.lines().len(), 7, "other handlers are not affected");
        let stats = registration.stats();
        assert_eq!((stats.panics, stats.delivered, stats.backlog), (4, 7, 0));
        assert_eq!(fixture.informer.stats().faults.handler_panics, 4);
        let faults = fixture.faults.all();
        assert_eq!(faults.len(), 4);
        assert_eq!(faults[0], r#"handler "fragile" panicked at default/bad-1: scripted panic"#);
        fixture.end().await;
    }
}

// holds: X13
#[tokio::test(start_paused = true)]
async fn a_panic_in_any_call_or_filter_costs_that_call_only() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let log = NotificationLog::default();
    let (added, deleted) = (log.clone(), log.clone());
    let handler = Handler::<Pod>::new()
        .filter(|pod| {
            assert!(pod.name() != "filtered", "scripted panic");
            true
        })
        .on_add(move |pod, is_initial| added.added(pod, is_initial))
        .on_update(|_, _| std::panic::panic_any(7))
        .on_delete(move |gone| {
            let (old, object) = (gone.clone(), gone.clone());
            deleted.handle(&Notification::Deleted { old, object, is_final_state_unknown: false });
            panic!("scripted panic");
        });
    let registration = fixture.informer.add_handler(handler).unwrap();
    feed.added(&pod("filtered", 6));
    feed.added(&pod("a", 7));
    feed.modified(&pod("a", 8));
    feed.deleted(&pod("a", 9));
    feed.added(&pod("b", 10));
    settle().await;
    assert_eq!(log.lines(), ["add a@7", "delete a@9", "add b@10"]);
    assert_eq!(registration.stats().panics, 3);
    assert!(fixture.faults.all()[1].ends_with("no message"), "{:?}", fixture.faults.all());
    fixture.end().await;
}
