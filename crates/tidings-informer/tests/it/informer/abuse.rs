//! Everybody at once, on several threads and in real time: no deadlock, no lost notification.

use std::sync::Arc;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::Handler;
use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::informer::heard::Heard;
use crate::informer::stage::{BOTH_ORDERS, LONG, Stage, config, pod};

const CHANGES: u64 = 10_000;
const OBJECTS: u64 = 50;
const TASKS: u64 = 100;

fn quick_pod(intake: &Intake, name: u64, version: u64) -> Arc<RawObject> {
    let json = format!(
        r#"{{"metadata":{{"namespace":"default","name":"pod-{name}","uid":"uid-{name}","resourceVersion":"{version}"}}}}"#
    );
    intake.json(json.as_bytes(), &NothingKnown).expect("it has an identity")
}

/// Waits, however long the threads take, until a handler's view is the cache's last state.
async fn agrees(heard: &Heard, cached: &[String]) {
    let agreed = async {
        while heard.view() != cached {
            tokio::task::yield_now().await;
        }
    };
    assert!(timeout(LONG, agreed).await.is_ok(), "{:?} is not {cached:?}", heard.view());
    heard.makes_sense();
}

async fn come_and_go(stage: &Stage, coming: &mut JoinSet<()>) {
    for number in 0..TASKS {
        let informer = stage.informer.clone();
        coming.spawn(async move {
            for round in 0..5 {
                let heard = Heard::default();
                let merge_above = (number % 7) as usize;
                if (number + round) % 5 == 4 {
                    let mut stream = informer
                        .notifications_with(Handler::new().merge_above(merge_above))
                        .expect("it runs");
                    for _ in 0..number {
                        heard.handle(&stream.next().await.expect("it runs"));
                    }
                } else {
                    let registration =
                        informer.add_handler(heard.handler().merge_above(merge_above)).expect("it runs");
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
                heard.makes_sense();
            }
        });
    }
}

// holds: I33, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handlers_that_come_and_go_during_ten_thousand_changes_neither_deadlock_nor_miss_anything() {
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
    for order in BOTH_ORDERS {
        let first: Vec<_> = (0..OBJECTS).map(|name| quick_pod(&intake, name, name + 1)).collect();
        let (stage, feed) = Stage::watching(config(order), OBJECTS, &first).await;
        let lasting: Vec<_> = (0..3).map(|_| stage.listen()).collect();
        let mut coming = JoinSet::new();
        come_and_go(&stage, &mut coming).await;
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
        timeout(LONG, all).await.expect("nobody is stuck");
        // Per object, the last change of one object may be applied before those of others.
        let versions = CHANGES + 1..=CHANGES + OBJECTS;
        let mut last: Vec<_> =
            versions.map(|version| format!("pod-{}@{version}", version % OBJECTS)).collect();
        last.sort();
        let through = async {
            while stage.cached() != last {
                tokio::task::yield_now().await
            }
        };
        timeout(LONG, through).await.expect("every change is applied");
        for heard in &lasting {
            agrees(heard, &last).await;
        }
        stage.end().await;
    }
}

// holds: I34
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_handler_that_registers_while_the_informer_starts_hears_everything() {
    for round in 0..50 {
        let mut stage = Stage::new(BOTH_ORDERS[round % 2]);
        let feed = stage.script(5, &[pod("a", 1)]);
        feed.added(&pod("b", 6));
        let informer = stage.informer.clone();
        let mut registering = JoinSet::new();
        for _ in 0..4 {
            let informer = informer.clone();
            registering.spawn(async move {
                let heard = Heard::default();
                let registration = informer.add_handler(heard.handler()).unwrap();
                registration.synced().await.unwrap();
                heard
            });
        }
        stage.start();
        while let Some(heard) = timeout(LONG, registering.join_next()).await.expect("nobody is stuck") {
            agrees(&heard.unwrap(), &["a@1".to_owned(), "b@6".to_owned()]).await;
        }
        stage.end().await;
    }
}

// holds: I13, I33
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handlers_that_come_while_the_informer_stops_are_refused_or_ended() {
    for _ in 0..50 {
        let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
        let mut coming = JoinSet::new();
        for number in 0..8 {
            let informer = stage.informer.clone();
            coming.spawn(async move {
                while let Ok(registration) = informer.add_handler(Heard::default().handler()) {
                    match number % 2 {
                        0 => registration.remove().await,
                        _ => _ = registration.synced().await,
                    }
                }
            });
        }
        feed.added(&pod("b", 6));
        stage.informer.stop();
        let all = async {
            while let Some(ended) = coming.join_next().await {
                ended.expect("no task panics")
            }
        };
        timeout(LONG, all).await.expect("nobody waits in vain");
        stage.end().await;
    }
}
