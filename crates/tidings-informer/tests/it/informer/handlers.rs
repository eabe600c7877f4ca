//! Who is told what: many handlers, late ones, the same one twice, filters and types.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{Handler, InformerError, Notification};

use crate::informer::gate::{Gate, gated};
use crate::informer::heard::Heard;
use crate::informer::stage::{BOTH_ORDERS, Stage, config, pod, pod_with, settle};

// holds: I5
#[tokio::test(start_paused = true)]
async fn the_same_handler_twice_is_two_registrations() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let heard = Heard::default();
    let first = stage.add(heard.handler());
    let _second = stage.add(heard.handler());
    settle().await;
    assert_eq!(heard.take(), ["initial a@1", "initial a@1"]);
    first.remove().await;
    feed.added(&pod("b", 6));
    settle().await;
    assert_eq!(heard.take(), ["add b@6"], "removing one leaves the other");
    stage.end().await;
}

// holds: I6, C14
#[tokio::test(start_paused = true)]
async fn a_late_handler_is_told_what_is_there_and_then_what_happens() {
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), 5, &[pod("a", 1), pod("b", 2), pod("c", 3)]).await;
        feed.deleted(&pod("b", 6));
        settle().await;
        // Between what is there and what happens nothing is missed and nothing told twice: the change and
        // the handler arrive together.
        feed.modified(&pod("a", 7));
        let heard = stage.listen();
        feed.added(&pod("d", 8));
        settle().await;
        let mut told = heard.lines();
        heard.makes_sense();
        assert_eq!(heard.view(), stage.cached());
        let live = told.split_off(2);
        told.sort();
        assert!(told == ["initial a@1", "initial c@3"] || told == ["initial a@7", "initial c@3"], "{told:?}");
        assert_eq!(live.last().unwrap(), "add d@8");
        stage.end().await;
    }
}

// holds: I7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_hears_one_thing_at_a_time_and_waits_for_no_other() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let gate = Gate::closed();
    let (slow, quick) = (Heard::default(), stage.listen());
    let inside = Arc::new(AtomicUsize::new(0));
    let (passage, counting, recording) = (gate.passage(), Arc::clone(&inside), slow.clone());
    let handler = Handler::new().on_add(move |pod, is_initial| {
        assert_eq!(counting.fetch_add(1, Ordering::SeqCst), 0, "two calls at once");
        passage.pass();
        recording.added(pod.raw(), is_initial);
        counting.fetch_sub(1, Ordering::SeqCst);
    });
    stage.informer.add_handler(handler).unwrap();
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    gate.came(1).await;
    let expected: Vec<_> = (6..16).map(|version| format!("add pod-{version}@{version}")).collect();
    assert_eq!(quick.told(10).await, expected, "the slow one keeps nobody waiting");
    assert!(slow.lines().is_empty());
    gate.open();
    assert_eq!(slow.told(10).await, expected);
    assert!(stage.faults.all().is_empty(), "{:?}", stage.faults.all());
    stage.end().await;
}

// holds: I3
#[tokio::test(start_paused = true)]
async fn a_stopped_informer_takes_no_handlers_and_says_so() {
    let (mut stage, _feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    stage.informer.stop();
    let refused = |stage: &Stage| {
        let handler = Handler::<Pod>::new().named("late");
        let error = stage.informer.add_handler(handler).unwrap_err().to_string();
        assert_eq!(
            error,
            r#"handler "late" was not added to the informer of pods because it has stopped already"#
        );
        assert!(stage.informer.notifications().is_err());
    };
    refused(&stage);
    stage.ended().await;
    refused(&stage);
    assert!(stage.informer.add_index(tidings_informer::indexer::Index::owner("owner")).is_err());
    assert!(stage.informer.set_namespaces(["a"]).is_err());
    stage.end().await;
}

// holds: I16, I32
#[tokio::test(start_paused = true)]
async fn handlers_have_names_or_numbers_and_never_none() {
    let stage = Stage::new(QueueOrder::InOrder);
    let named = stage.informer.add_handler(Handler::new().named("printer")).unwrap();
    let first = stage.informer.add_handler(Handler::new()).unwrap();
    let second = stage.informer.add_handler(Handler::new()).unwrap();
    assert_eq!([named.name(), first.name(), second.name()], ["printer", "handler-1", "handler-2"]);
    let empty = stage.informer.add_handler(Handler::new().named("")).unwrap_err();
    assert!(matches!(empty, InformerError::InvalidHandler { .. }));
    assert_eq!(empty.to_string(), "a handler was not added to the informer of pods: its name is empty");
    assert!(stage.informer.notifications_with(Handler::new().named("")).is_err());
    assert!(stage.informer.add_handler(Handler::subscriber(|_| {}).named("")).is_err());
    let stats = stage.informer.stats();
    assert_eq!(stats.name, "pods");
    let names: Vec<_> = stats.handlers.iter().map(|handler| handler.name.as_str()).collect();
    assert_eq!(names, ["printer", "handler-1", "handler-2"]);
    stage.end().await;
}

// holds: I29
#[tokio::test(start_paused = true)]
async fn a_filter_turns_updates_into_additions_and_deletions_where_its_answer_changes() {
    for order in BOTH_ORDERS {
        let on =
            |name: &str, version| pod_with(name, version, json!({"metadata": {"labels": {"on": "yes"}}}));
        let (stage, feed) =
            Stage::watching(config(order), 5, &[on("a", 1), pod("b", 2), on("lost", 3)]).await;
        let heard = Heard::default();
        stage.add(heard.handler().filter(|pod| pod.labels().value("on").is_some()));
        settle().await;
        let mut initial = heard.take();
        initial.sort();
        assert_eq!(initial, ["initial a@1", "initial lost@3"]);
        let steps = [on("b", 6), on("b", 7), pod("b", 8), pod("b", 9), pod("a", 10)];
        for step in &steps {
            feed.modified(step);
            settle().await;
        }
        assert_eq!(heard.take(), ["add b@6", "update b@6->7", "delete b@7", "delete a@1"], "{order:?}");
        feed.deleted(&pod("a", 11));
        settle().await;
        // What went while nobody watched passes through the filter as well.
        let _feed = stage.relist(feed, 20, &[]).await;
        assert_eq!(heard.take(), ["lose lost@3"], "{order:?}");
        heard.makes_sense();
        stage.end().await;
    }
}

// holds: I30, I28
#[tokio::test(start_paused = true)]
async fn a_deleted_object_has_its_key_and_type_even_when_its_end_was_missed() {
    let spec = json!({"spec": {"nodeName": "node-1", "containers": []}});
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod_with("a", 1, spec)]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let deletions = Arc::clone(&seen);
    let handler = Handler::from_fn(move |notification: &Notification<Pod>| {
        let Notification::Deleted { object: gone, is_final_state_unknown, .. } = notification else { return };
        let node = gone.decoded().unwrap().spec.as_ref().unwrap().node_name.clone().unwrap();
        let key = (gone.key().to_string(), gone.namespace().unwrap().to_owned(), gone.name().to_owned());
        deletions.lock().unwrap().push((key, node, *is_final_state_unknown));
    });
    stage.informer.add_handler(handler).unwrap();
    settle().await;
    let _feed = stage.relist(feed, 9, &[]).await;
    let key = ("default/a".to_owned(), "default".to_owned(), "a".to_owned());
    assert_eq!(*seen.lock().unwrap(), [(key, "node-1".to_owned(), true)]);
    stage.end().await;
}

// holds: I7, I8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_may_read_the_cache_and_ask_the_informer_for_anything() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let heard = Heard::default();
    let (told, informer) = (heard.clone(), stage.informer.clone());
    let handler = Handler::new().on_add(move |pod, is_initial| {
        assert!(informer.lister().get(&pod.key()).is_some());
        let _ = (informer.stats(), informer.health(), informer.lifecycle(), informer.is_synced());
        if is_initial {
            informer.add_handler(told.handler()).unwrap();
        }
    });
    let registration = stage.informer.add_handler(handler).unwrap();
    feed.added(&pod("b", 6));
    heard.told(2).await;
    assert_eq!(heard.view(), ["a@1", "b@6"]);
    // The handler holds a handle of its own informer: that keeps it alive until it is removed.
    registration.remove().await;
    let gate = Gate::closed();
    stage.add(gated(gate.passage(), &Heard::default()));
    gate.open();
    assert!(stage.faults.all().is_empty());
    stage.end().await;
}
