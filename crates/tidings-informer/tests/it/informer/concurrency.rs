//! Many handlers and streams at once, on several threads and in real time: no deadlock, no lost notification.

use std::sync::Arc;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::Handler;
use tidings_informer::delta::QueueOrder;
use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, TIMEOUT, config, pod};
use crate::informer::notification_log::NotificationLog;

const CHANGES: u64 = 10_000;
const OBJECTS: u64 = 50;
const TASKS: u64 = 100;

fn quick_pod(intake: &Intake, name: u64, version: u64) -> Arc<RawObject> {
    let json = format!(
        r#"{{"metadata":{{"namespace":"default","name":"pod-{name}","uid":"uid-{name}","resourceVersion":"{version}"}}}}"#
    );
    intake.json(json.as_bytes(), &NothingKnown).expect("it has an identity")
}

/// Waits until the view of a handler equals the last state of the cache.
async fn agrees(log: &NotificationLog, cached: &[String]) {
    let agreed = async {
        while log.view() != cached {
            tokio::task::yield_now().await;
        }
    };
    assert!(timeout(TIMEOUT, agreed).await.is_ok(), "{:?} is not {cached:?}", log.view());
    log.assert_consistent();
}

async fn come_and_go(fixture: &InformerFixture, coming: &mut JoinSet<()>) {
    for number in 0..TASKS {
        let informer = fixture.informer.clone();
        coming.spawn(async move {
            for round in 0..5 {
                let log = NotificationLog::default();
                let merge_above = (number % 7) as usize;
                if (number + round) % 5 == 4 {
                    let mut stream = informer
                        .notifications_with(Handler::new().merge_above(merge_above))
                        .expect("it runs");
                    for _ in 0..number {
                        log.handle(&stream.next().await.expect("it runs"));
                    }
                } else {
                    let registration =
                        informer.add_handler(log.handler().merge_above(merge_above)).expect("it runs");
                    match (number + round) % 5 {
                        0 => registration.remove().await,
                        1 => registration.remove_now().await,
                        2 => drop(registration.remove()),
                        _ => {
                            registration.synced().await.expect("it runs");
                            registration.remove().await;
                        }
                    }
                }
                log.assert_consistent();
            }
        });
    }
}

// holds: I33, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handlers_that_are_added_and_removed_during_ten_thousand_changes_neither_deadlock_nor_miss_anything()
{
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
    for order in BOTH_ORDERS {
        let first: Vec<_> = (0..OBJECTS).map(|name| quick_pod(&intake, name, name + 1)).collect();
        let (fixture, feed) = InformerFixture::watching(config(order), OBJECTS, &first).await;
        let lasting: Vec<_> = (0..3).map(|_| fixture.record()).collect();
        let mut coming = JoinSet::new();
        come_and_go(&fixture, &mut coming).await;
        for version in OBJECTS + 1..OBJECTS + 1 + CHANGES {
            feed.modified(&quick_pod(&intake, version % OBJECTS, version));
            if version % 100 == 0 {
                tokio::task::yield_now().await;
            }
        }
        let all = async {
            while let Some(ended) = coming.join_next().await {
                ended.expect("no task panics")
            }
        };
        timeout(TIMEOUT, all).await.expect("no deadlock");
        // In the per-object queue, the last change of one object may be applied before those of others.
        let versions = CHANGES + 1..=CHANGES + OBJECTS;
        let mut last: Vec<_> =
            versions.map(|version| format!("pod-{}@{version}", version % OBJECTS)).collect();
        last.sort();
        let through = async {
            while fixture.cached() != last {
                tokio::task::yield_now().await
            }
        };
        timeout(TIMEOUT, through).await.expect("every change is applied");
        for log in &lasting {
            agrees(log, &last).await;
        }
        fixture.end().await;
    }
}

// holds: I34
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_handler_that_is_added_while_the_informer_starts_receives_everything() {
    for round in 0..50 {
        let mut fixture = InformerFixture::new(BOTH_ORDERS[round % 2]);
        let feed = fixture.script(5, &[pod("a", 1)]);
        feed.added(&pod("b", 6));
        let informer = fixture.informer.clone();
        let mut registering = JoinSet::new();
        for _ in 0..4 {
            let informer = informer.clone();
            registering.spawn(async move {
                let log = NotificationLog::default();
                let registration = informer.add_handler(log.handler()).unwrap();
                registration.synced().await.unwrap();
                log
            });
        }
        fixture.start();
        while let Some(log) = timeout(TIMEOUT, registering.join_next()).await.expect("no deadlock") {
            agrees(&log.unwrap(), &["a@1".to_owned(), "b@6".to_owned()]).await;
        }
        fixture.end().await;
    }
}

// holds: I13, I33
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handlers_that_are_added_while_the_informer_stops_are_refused_or_ended() {
    for _ in 0..50 {
        let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
        let mut coming = JoinSet::new();
        for number in 0..8 {
            let informer = fixture.informer.clone();
            coming.spawn(async move {
                while let Ok(registration) = informer.add_handler(NotificationLog::default().handler()) {
                    match number % 2 {
                        0 => registration.remove().await,
                        _ => _ = registration.synced().await,
                    }
                }
            });
        }
        feed.added(&pod("b", 6));
        fixture.informer.stop();
        let all = async {
            while let Some(ended) = coming.join_next().await {
                ended.expect("no task panics")
            }
        };
        timeout(TIMEOUT, all).await.expect("the waiter returns");
        fixture.end().await;
    }
}
