//! The same notifications as a stream, with the same promises.

use futures_util::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{Handler, Notifications};
use tokio::time::timeout;

use crate::informer::heard::Heard;
use crate::informer::stage::{BOTH_ORDERS, LONG, Stage, config, pod, seconds, settle};

/// Takes what is there now.
fn take(stream: &mut Notifications<Pod>, heard: &Heard) -> Vec<String> {
    while let Some(Some(event)) = stream.next().now_or_never() {
        heard.handle(&event);
    }
    heard.take()
}

// holds: I6, I7, I28, C14
#[tokio::test(start_paused = true)]
async fn a_stream_is_told_what_a_handler_is_told() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::new(order);
        let mut early = stage.informer.notifications().unwrap();
        let (handler, heard) = (stage.listen(), Heard::default());
        let feed = stage.script(5, &[pod("a", 1), pod("b", 2)]);
        stage.start();
        stage.synced().await;
        feed.modified(&pod("a", 6));
        feed.deleted(&pod("b", 7));
        settle().await;
        let feed = stage.relist(feed, 9, &[pod("c", 8)]).await;
        assert_eq!(take(&mut early, &heard), handler.lines(), "{order:?}");
        heard.makes_sense();
        assert_eq!(heard.view(), stage.cached());
        let (mut late, latecomer) = (stage.informer.notifications().unwrap(), Heard::default());
        feed.added(&pod("d", 10));
        settle().await;
        let told = take(&mut late, &latecomer);
        assert_eq!(told[0], "initial c@8");
        assert_eq!(latecomer.view(), ["c@8", "d@10"]);
        drop((early, late));
        stage.end().await;
    }
}

// holds: I15
#[tokio::test(start_paused = true)]
async fn a_stream_is_synced_when_it_is_asked_for_more_after_the_last_initial_addition() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    let mut stream = stage.informer.notifications().unwrap();
    assert!(!stream.is_synced());
    let feed = stage.script(5, &[pod("a", 1), pod("b", 2)]);
    stage.start();
    stage.synced().await;
    let heard = Heard::default();
    for _ in 0..2 {
        assert!(!stream.is_synced());
        heard.handle(&stream.next().await.unwrap());
    }
    assert!(!stream.is_synced(), "the last one is still being looked at");
    assert!(stream.next().now_or_never().is_none());
    assert!(stream.is_synced());
    assert_eq!(stream.stats().delivered, 2);
    feed.added(&pod("c", 6));
    heard.handle(&timeout(LONG, stream.next()).await.expect("it is woken").unwrap());
    assert_eq!(heard.lines()[2..], ["add c@6"]);
    drop(stream);
    stage.end().await;
}

// holds: I13, X12
#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_the_informer_stops_after_what_is_pending() {
    let (mut stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let mut stream = stage.informer.notifications().unwrap();
    let heard = Heard::default();
    feed.added(&pod("b", 6));
    settle().await;
    stage.informer.stop();
    stage.ended().await;
    assert_eq!(take(&mut stream, &heard), ["initial a@1", "add b@6"]);
    assert!(stream.next().await.is_none());
    assert!(stream.next().await.is_none(), "and stays ended");
    stage.end().await;
}

// holds: X12, X18
#[tokio::test(start_paused = true)]
async fn a_dropped_stream_is_forgotten() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let stream = stage.informer.notifications_with(Handler::new().named("mine")).unwrap();
    settle().await;
    let names = || -> Vec<String> {
        stage.informer.stats().handlers.into_iter().map(|handler| handler.name).collect()
    };
    assert_eq!(names(), ["mine"]);
    drop(stream);
    assert!(names().is_empty());
    feed.added(&pod("b", 6));
    settle().await;
    assert!(names().is_empty());
    stage.end().await;
}

// holds: I24
#[tokio::test(start_paused = true)]
async fn a_stream_may_ask_for_resyncs_too() {
    let (stage, _feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let options = Handler::new().resync(seconds(2));
    let (mut stream, heard) = (stage.informer.notifications_with(options).unwrap(), Heard::default());
    tokio::time::sleep(seconds(5)).await;
    assert_eq!(take(&mut stream, &heard), ["initial a@1", "resync a@1", "resync a@1"]);
    drop(stream);
    stage.end().await;
}
