//! Which handler receives what: several handlers, late ones, the same one twice, filters and types.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, InformerError, Notification};

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, config, pod, pod_with, settle};
use crate::informer::latch::{Latch, blocking_handler};
use crate::informer::notification_log::NotificationLog;

// holds: I5
#[tokio::test(start_paused = true)]
async fn the_same_handler_twice_is_two_registrations() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let log = NotificationLog::default();
    let first = fixture.add(log.handler());
    let _second = fixture.add(log.handler());
    settle().await;
    assert_eq!(log.take(), ["initial a@1", "initial a@1"]);
    first.remove().await;
    feed.added(&pod("b", 6));
    settle().await;
    assert_eq!(log.take(), ["add b@6"], "removing one leaves the other");
    fixture.end().await;
}

// holds: I6, C14
#[tokio::test(start_paused = true)]
async fn a_late_handler_receives_the_cached_objects_and_then_every_change() {
    for order in BOTH_ORDERS {
        let (fixture, feed) =
            InformerFixture::watching(config(order), 5, &[pod("a", 1), pod("b", 2), pod("c", 3)]).await;
        feed.deleted(&pod("b", 6));
        settle().await;
        // The change and the handler arrive together: the handler misses nothing and receives nothing twice.
        feed.modified(&pod("a", 7));
        let log = fixture.record();
        feed.added(&pod("d", 8));
        settle().await;
        let mut received = log.lines();
        log.assert_consistent();
        assert_eq!(log.view(), fixture.cached());
        let live = received.split_off(2);
        received.sort();
        assert!(
            received == ["initial a@1", "initial c@3"] || received == ["initial a@7", "initial c@3"],
            "{received:?}"
        );
        assert_eq!(live.last().unwrap(), "add d@8");
        fixture.end().await;
    }
}

// holds: I7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_is_called_once_at_a_time_and_waits_for_no_other_handler() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let latch = Latch::closed();
    let (slow, quick) = (NotificationLog::default(), fixture.record());
    let inside = Arc::new(AtomicUsize::new(0));
    let (waiter, counting, recording) = (latch.waiter(), Arc::clone(&inside), slow.clone());
    let handler = Handler::new().on_add(move |pod, is_initial| {
        assert_eq!(counting.fetch_add(1, Ordering::SeqCst), 0, "two calls at once");
        waiter.wait();
        recording.added(pod, is_initial);
        counting.fetch_sub(1, Ordering::SeqCst);
    });
    fixture.informer.add_handler(handler).unwrap();
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    latch.entered(1).await;
    let expected: Vec<_> = (6..16).map(|version| format!("add pod-{version}@{version}")).collect();
    assert_eq!(quick.received(10).await, expected, "the slow one delays no other");
    assert!(slow.lines().is_empty());
    latch.open();
    assert_eq!(slow.received(10).await, expected);
    assert!(fixture.faults.all().is_empty(), "{:?}", fixture.faults.all());
    fixture.end().await;
}

// holds: I3
#[tokio::test(start_paused = true)]
async fn a_stopped_informer_refuses_handlers_with_an_error() {
    let (mut fixture, _feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    fixture.informer.stop();
    let refused = |fixture: &InformerFixture| {
        let handler = Handler::<Pod>::new().named("late");
        let error = fixture.informer.add_handler(handler).unwrap_err().to_string();
        assert_eq!(
            error,
            r#"handler "late" was not added to the informer of pods because it has stopped already"#
        );
        assert!(fixture.informer.notifications().is_err());
    };
    refused(&fixture);
    fixture.ended().await;
    refused(&fixture);
    assert!(fixture.informer.add_index(tidings_informer::indexer::Index::owner("owner")).is_err());
    assert!(fixture.informer.set_namespaces(["a"]).is_err());
    fixture.end().await;
}

// holds: I16, I32
#[tokio::test(start_paused = true)]
async fn every_handler_has_a_name_or_a_number() {
    let fixture = InformerFixture::new(QueueOrder::InOrder);
    let named = fixture.informer.add_handler(Handler::new().named("printer")).unwrap();
    let first = fixture.informer.add_handler(Handler::new()).unwrap();
    let second = fixture.informer.add_handler(Handler::new()).unwrap();
    assert_eq!([named.name(), first.name(), second.name()], ["printer", "handler-1", "handler-2"]);
    let empty = fixture.informer.add_handler(Handler::new().named("")).unwrap_err();
    assert!(matches!(empty, InformerError::InvalidHandler { .. }));
    assert_eq!(empty.to_string(), "a handler was not added to the informer of pods: its name is empty");
    assert!(fixture.informer.notifications_with(Handler::new().named("")).is_err());
    assert!(fixture.informer.add_handler(Handler::subscriber(|_| {}).named("")).is_err());
    let stats = fixture.informer.stats();
    assert_eq!(stats.name, "pods");
    let names: Vec<_> = stats.handlers.iter().map(|handler| handler.name.as_str()).collect();
    assert_eq!(names, ["printer", "handler-1", "handler-2"]);
    fixture.end().await;
}

// holds: I29
#[tokio::test(start_paused = true)]
async fn a_filter_turns_updates_into_additions_and_deletions_when_its_result_changes() {
    for order in BOTH_ORDERS {
        let on =
            |name: &str, version| pod_with(name, version, json!({"metadata": {"labels": {"on": "yes"}}}));
        let (fixture, feed) =
            InformerFixture::watching(config(order), 5, &[on("a", 1), pod("b", 2), on("lost", 3)]).await;
        let log = NotificationLog::default();
        fixture.add(log.handler().filter(|pod| pod.labels().value("on").is_some()));
        settle().await;
        let mut initial = log.take();
        initial.sort();
        assert_eq!(initial, ["initial a@1", "initial lost@3"]);
        let steps = [on("b", 6), on("b", 7), pod("b", 8), pod("b", 9), pod("a", 10)];
        for step in &steps {
            feed.modified(step);
            settle().await;
        }
        assert_eq!(log.take(), ["add b@6", "update b@6->7", "delete b@7", "delete a@1"], "{order:?}");
        feed.deleted(&pod("a", 11));
        settle().await;
        // A missed deletion passes through the filter too.
        let _feed = fixture.relist(feed, 20, &[]).await;
        assert_eq!(log.take(), ["lose lost@3"], "{order:?}");
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: I30, I28
#[tokio::test(start_paused = true)]
async fn a_deleted_object_has_its_key_and_type_even_if_the_deletion_was_missed() {
    let spec = json!({"spec": {"nodeName": "node-1", "containers": []}});
    let (fixture, feed) =
        InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod_with("a", 1, spec)]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let deletions = Arc::clone(&seen);
    let handler = Handler::from_fn(move |notification: &Notification<Pod>| {
        let Notification::Deleted { object: gone, is_final_state_unknown, .. } = notification else { return };
        let node = gone.decoded().unwrap().spec.as_ref().unwrap().node_name.clone().unwrap();
        let key = (gone.key().to_string(), gone.namespace().unwrap().to_owned(), gone.name().to_owned());
        deletions.lock().unwrap().push((key, node, *is_final_state_unknown));
    });
    fixture.informer.add_handler(handler).unwrap();
    settle().await;
    let _feed = fixture.relist(feed, 9, &[]).await;
    let key = ("default/a".to_owned(), "default".to_owned(), "a".to_owned());
    assert_eq!(*seen.lock().unwrap(), [(key, "node-1".to_owned(), true)]);
    fixture.end().await;
}

// holds: I7, I8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_may_read_the_cache_and_call_every_method_of_the_informer() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let log = NotificationLog::default();
    let (recording, informer) = (log.clone(), fixture.informer.clone());
    let handler = Handler::new().on_add(move |pod, is_initial| {
        assert!(informer.lister().get(&pod.key()).is_some());
        let _ = (informer.stats(), informer.health(), informer.lifecycle(), informer.is_synced());
        if is_initial {
            informer.add_handler(recording.handler()).unwrap();
        }
    });
    let registration = fixture.informer.add_handler(handler).unwrap();
    feed.added(&pod("b", 6));
    log.received(2).await;
    assert_eq!(log.view(), ["a@1", "b@6"]);
    // The handler owns a handle of its informer, which keeps the informer running until the handler is removed.
    registration.remove().await;
    let latch = Latch::closed();
    fixture.add(blocking_handler(latch.waiter(), &NotificationLog::default()));
    latch.open();
    assert!(fixture.faults.all().is_empty());
    fixture.end().await;
}
