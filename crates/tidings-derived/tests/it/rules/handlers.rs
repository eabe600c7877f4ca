//! Handlers and streams: order, late ones, slow ones, panics.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt};
use parking_lot::Mutex;
use tidings_derived::{Collection, CollectionNotification};
use tokio::sync::Notify;

use crate::fixture::{RunningGraph, values, within};

fn pair(key: &str, value: u32) -> (String, u32) {
    (key.to_owned(), value)
}

// holds: V23
#[tokio::test(start_paused = true)]
async fn a_late_handler_receives_everything_as_initial_and_has_synced_when_it_has_returned() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.replace([pair("b", 2), pair("a", 1)]);
    let log = Arc::new(Mutex::new(Vec::new()));
    let add = |name: &str| {
        let log = Arc::clone(&log);
        let call = move |notification: &CollectionNotification<(String, u32)>| {
            log.lock().push((notification.key().into_owned(), notification.is_initial()));
        };
        fed.add_handler(name, call).unwrap()
    };
    let early = add("early");
    assert!(early.synced().now_or_never().is_none());
    feed.complete();
    early.synced().await.unwrap();
    let initial = [("a".to_owned(), true), ("b".to_owned(), true)];
    assert_eq!(std::mem::take(&mut *log.lock()), initial);
    let late = add("late");
    late.synced().await.unwrap();
    assert_eq!(std::mem::take(&mut *log.lock()), initial);
    within(early.remove()).await;
    feed.set(pair("c", 3));
    running.settled().await;
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    assert_eq!(std::mem::take(&mut *log.lock()), [("c".to_owned(), false)]);
    assert_eq!(late.stats().delivered, 3);
}

// holds: V7, V9
#[tokio::test(start_paused = true)]
async fn a_slow_stream_gets_one_notification_for_each_key_and_holds_up_nothing() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.replace([pair("kept", 0), pair("gone", 0)]);
    feed.complete();
    let mut slow = fed.notifications().unwrap();
    let first: Vec<_> = slow.by_ref().take(2).collect().await;
    assert!(first.iter().all(CollectionNotification::is_initial));
    for at in 1..500 {
        feed.set(pair("kept", at));
        feed.set(pair(&format!("passing-{at}"), at));
        running.settled().await;
        feed.remove(&format!("passing-{at}"));
        if at == 250 {
            feed.remove("gone");
        }
        running.settled().await;
    }
    assert_eq!(values(&fed), [pair("kept", 499)]);
    assert_eq!(slow.stats().backlog, 2, "one for each key that the stream knows");
    let update = slow.next().await.unwrap();
    assert_eq!((update.old().unwrap().1, update.new().unwrap().1), (0, 499));
    let deletion = slow.next().await.unwrap();
    assert!(matches!(&deletion, CollectionNotification::Deleted { old } if old.0 == "gone"));
    assert!(slow.next().now_or_never().is_none());
}

// holds: V9
#[tokio::test]
async fn a_handler_that_blocks_for_ever_holds_up_no_collection_and_no_other_handler() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.complete();
    let above = fed.map("above", |_, one| Some(pair(&one.key(), one.1)));
    // It waits for a future that never completes: the stream is never polled again.
    let stuck = fed.notifications().unwrap();
    let (seen, changed) = (Arc::new(Mutex::new(0)), Arc::new(Notify::new()));
    let (own, notify) = (Arc::clone(&seen), Arc::clone(&changed));
    above
        .add_handler("quick", move |notification| {
            *own.lock() = notification.value().1;
            notify.notify_one();
        })
        .unwrap();
    for at in 1..=100 {
        feed.set(pair("a", at));
        running.settled().await;
    }
    within(async {
        while *seen.lock() != 100 {
            changed.notified().await;
        }
    })
    .await;
    assert_eq!(stuck.stats().backlog, 1);
}

// holds: V23
#[tokio::test(start_paused = true)]
async fn a_panic_of_a_handler_costs_one_call_and_is_reported() {
    let running = RunningGraph::new();
    let fixed = running.graph.fixed("fixed", [pair("a", 1), pair("b", 2), pair("c", 3)]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&seen);
    let handler = fixed
        .add_handler("shaky", move |notification| {
            assert_ne!(&*notification.key(), "b", "b is not wanted");
            own.lock().push(notification.key().into_owned());
        })
        .unwrap();
    handler.synced().await.unwrap();
    assert_eq!(*seen.lock(), ["a", "c"]);
    assert_eq!(handler.stats().panics, 1);
    let faults = running.take_faults();
    assert!(
        faults[0].starts_with("handler \"shaky\" of collection \"fixed\" panicked with \"b\""),
        "{faults:?}"
    );
}

// holds: V11
#[tokio::test(start_paused = true)]
async fn both_branches_of_a_diamond_change_together_for_readers_and_handlers() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.set(pair("a", 1));
    feed.complete();
    let left = fed.map("left", |_, one| Some(pair(&one.key(), one.1 * 2)));
    let right = fed.map("right", |_, one| Some(pair(&one.key(), one.1 * 3)));
    let read = right.clone();
    let joined = left.map("joined", move |cx, one| {
        let right = cx.get(&read, &one.key())?.1;
        Some((one.key().into_owned(), (one.1, right)))
    });
    let wrong = Arc::new(Mutex::new(Vec::new()));
    let (log, graph, views) = (Arc::clone(&wrong), running.graph.clone(), (left.clone(), right.clone()));
    let handler = joined
        .add_handler("check", move |notification| {
            let (left, right) = notification.value().1;
            let now = graph.snapshot();
            let seen = |view: &Collection<(String, u32)>| now.of(view).unwrap().get("a").unwrap().1;
            if left * 3 != right * 2 || seen(&views.0) * 3 != seen(&views.1) * 2 {
                log.lock().push((left, right));
            }
        })
        .unwrap();
    for at in 2..200 {
        feed.set(pair("a", at));
        running.settled().await;
        let now = running.graph.snapshot();
        let (left, right) =
            (now.of(&left).unwrap().get("a").unwrap().1, now.of(&right).unwrap().get("a").unwrap().1);
        assert_eq!((left, right), (at * 2, at * 3));
    }
    assert_eq!(joined.stats().evaluations, 198, "once for each change, not once for each branch");
    assert_eq!((handler.is_synced(), wrong.lock().len()), (true, 0));
}
