//! Stopping: what is pending is delivered within a deadline, and nobody waits in vain.

use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{Handler, InformerConfig, Lifecycle, StreamState};
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::informer::gate::{Gate, gated};
use crate::informer::heard::Heard;
use crate::informer::stage::{LONG, Stage, config, pod, seconds, settle};

// holds: I1, C1
#[tokio::test(start_paused = true)]
async fn an_informer_is_new_then_started_then_stopped_and_never_goes_back() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    assert_eq!(stage.informer.lifecycle(), Lifecycle::New);
    settle().await;
    assert!(stage.source.requests().is_empty(), "nothing happens before the task runs");
    let _feed = stage.script(5, &[pod("a", 1)]);
    stage.start();
    stage.synced().await;
    assert_eq!(stage.informer.lifecycle(), Lifecycle::Started);
    assert_eq!(stage.informer.health().streams[0].state, StreamState::Watching);
    stage.informer.stop();
    timeout(LONG, stage.informer.stopped()).await.unwrap();
    assert_eq!(stage.informer.lifecycle(), Lifecycle::Stopped);
    stage.ended().await;
    stage.nothing_is_left().await;
    assert!(stage.informer.is_synced(), "what it had is still there");
    assert_eq!(stage.cached(), ["a@1"]);
    assert_eq!(stage.informer.health().streams[0].state, StreamState::Stopped);
    stage.informer.stop();
    stage.end().await;
}

/// In real time a loaded machine may need longer than the deadline of most.
fn patient() -> InformerConfig {
    let mut config = config(QueueOrder::InOrder);
    config.stop_deadline = LONG;
    config
}

// holds: I13, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_delivers_what_is_pending() {
    let (mut stage, feed) = Stage::watching(patient(), 5, &[]).await;
    let (gate, slow, quick) = (Gate::closed(), Heard::default(), stage.listen());
    let registration = stage.add(gated(gate.passage(), &slow));
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    quick.told(10).await;
    gate.came(1).await;
    stage.informer.stop();
    stage.source.wait_until_closed().await;
    assert!(stage.informer.stopped().now_or_never().is_none(), "a call is in progress");
    gate.open();
    stage.ended().await;
    assert_eq!(slow.lines().len(), 10);
    let stats = registration.stats();
    assert_eq!((stats.delivered, stats.dropped), (10, 0));
    stage.end().await;
}

// holds: I13, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_the_deadline_of_a_stop_what_is_left_is_dropped_and_counted() {
    assert_eq!(InformerConfig::default().stop_deadline, seconds(5));
    let mut config = config(QueueOrder::InOrder);
    config.stop_deadline = Duration::from_millis(20);
    let (mut stage, feed) = Stage::watching(config, 5, &[]).await;
    let (gate, slow, quick) = (Gate::closed(), Heard::default(), stage.listen());
    let registration = stage.add(gated(gate.passage(), &slow));
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    quick.told(10).await;
    gate.came(1).await;
    stage.informer.stop();
    timeout(LONG, stage.informer.stopped()).await.expect("a stuck handler does not hold it");
    stage.ended().await;
    assert_eq!(registration.stats().dropped, 9);
    gate.open();
    timeout(LONG, registration.remove()).await.expect("its call has returned");
    assert_eq!(slow.lines(), ["add pod-6@6"]);
    stage.end().await;
}

// holds: X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_asked_for_in_a_handlers_own_call_delivers_what_is_pending_and_ends() {
    let (mut stage, feed) = Stage::watching(patient(), 5, &[]).await;
    let heard = Heard::default();
    let (informer, told, gate) = (stage.informer.clone(), heard.clone(), Gate::closed());
    let passage = gate.passage();
    let handler = Handler::new().on_add(move |pod, is_initial| {
        passage.pass();
        told.added(pod.raw(), is_initial);
        informer.stop();
    });
    stage.informer.add_handler(handler).unwrap();
    let quick = stage.listen();
    feed.added(&pod("a", 6));
    feed.added(&pod("b", 7));
    quick.told(2).await;
    gate.open();
    stage.ended().await;
    assert_eq!(heard.lines(), ["add a@6", "add b@7"]);
    stage.end().await;
}

// holds: I13, C1
#[tokio::test(start_paused = true)]
async fn what_was_queued_when_it_stops_is_applied_and_told() {
    for order in crate::informer::stage::BOTH_ORDERS {
        let mut config = config(order);
        config.queued_deltas_max = 4;
        let (mut stage, feed) = Stage::watching(config, 5, &[]).await;
        let heard = stage.listen();
        settle().await;
        for version in 6..100 {
            feed.added(&pod(&format!("pod-{version}"), version));
        }
        // Somewhere in the middle.
        for _ in 0..10_000 {
            if !stage.informer.lister().is_empty() {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert!(!stage.cached().is_empty());
        stage.informer.stop();
        stage.ended().await;
        heard.makes_sense();
        assert_eq!(heard.view(), stage.cached(), "{order:?}");
        stage.end().await;
    }
}

// holds: X12
#[tokio::test(start_paused = true)]
async fn a_task_that_is_dropped_leaves_nobody_waiting() {
    for is_started in [false, true] {
        let mut stage = Stage::new(QueueOrder::InOrder);
        let (_, registration) = stage.listen_as("heard");
        let mut stream = stage.informer.notifications().unwrap();
        stage.source.will_list(ListAnswer::hanging());
        let task = stage.take_task();
        let mut running = JoinSet::new();
        match is_started {
            true => _ = running.spawn(task.run()),
            false => drop(task),
        }
        settle().await;
        running.shutdown().await;
        timeout(LONG, stage.informer.stopped()).await.expect("it has stopped");
        assert_eq!(stage.informer.lifecycle(), Lifecycle::Stopped);
        assert!(timeout(LONG, stage.informer.synced()).await.expect("it will not sync").is_err());
        assert!(timeout(LONG, registration.synced()).await.expect("nor will its handler").is_err());
        assert!(timeout(LONG, stream.next()).await.expect("the stream ends").is_none());
        timeout(LONG, registration.remove()).await.expect("it has ended");
        assert!(stage.informer.add_handler(Handler::<Pod>::new()).is_err());
        stage.end().await;
    }
}

// holds: I1
#[tokio::test(start_paused = true)]
async fn an_informer_that_was_stopped_before_it_started_asks_nothing() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    let (heard, registration) = stage.listen_as("heard");
    stage.source.will_list_always(|_| ListAnswer::page(5).object(&pod("a", 1)));
    stage.informer.stop();
    stage.start();
    stage.ended().await;
    timeout(LONG, registration.remove()).await.expect("it has ended");
    assert!(stage.source.requests().is_empty());
    assert!(heard.lines().is_empty());
    assert_eq!(stage.informer.lifecycle(), Lifecycle::Stopped);
    stage.end().await;
}

// holds: X6, X12
#[tokio::test(start_paused = true)]
async fn a_stop_takes_no_time_if_nobody_is_in_a_call() {
    for order in crate::informer::stage::BOTH_ORDERS {
        let mut stage = Stage::new(order);
        let heard = stage.listen();
        stage.source.will_list(ListAnswer::page(5).object(&pod("a", 1)));
        stage.source.will_watch_always(|_| WatchAnswer::hanging());
        stage.start();
        stage.synced().await;
        assert_eq!(stage.end().await, Duration::ZERO);
        assert_eq!(heard.lines(), ["initial a@1"]);
    }
}

// holds: X18
#[tokio::test(start_paused = true)]
async fn whoever_needs_an_informer_keeps_it_alive_and_the_last_to_go_stops_it() {
    type Hold = fn(&Stage) -> Box<dyn std::any::Any>;
    let holders: [Hold; 4] = [
        |stage| Box::new(stage.informer.clone()),
        |stage| Box::new(stage.informer.lister()),
        |stage| Box::new(stage.informer.cast::<serde_json::Value>().notifications().unwrap()),
        |stage| {
            let registration = stage.listen_as("keeps").1;
            Box::new(RemovesWhenDropped(registration))
        },
    ];
    for hold in holders {
        let (mut stage, _feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
        let holder = hold(&stage);
        let weak = stage.informer.downgrade();
        // Only the weak handle and the holder are left.
        stage.informer = Stage::new(QueueOrder::InOrder).informer;
        tokio::time::sleep(seconds(10)).await;
        assert!(weak.is_needed());
        assert_eq!(stage.source.open_streams(), 1, "it still watches");
        drop(holder);
        stage.ended().await;
        assert!(!weak.is_needed());
        assert!(weak.upgrade::<Pod>().is_none() && weak.stats().is_none());
        stage.nothing_is_left().await;
    }
}

struct RemovesWhenDropped(tidings_informer::informer::Registration);

impl Drop for RemovesWhenDropped {
    fn drop(&mut self) {
        drop(self.0.remove());
    }
}
