//! Several threads: programs that feed, the task of the graph, readers and handlers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tidings_derived::{Collection, Feed};

use crate::fixture::RunningGraph;

fn pair(key: &str, value: u32) -> (String, u32) {
    (key.to_owned(), value)
}

async fn feed_from_two_threads(feed: &Feed<(String, u32)>) {
    let mut feeders = tokio::task::JoinSet::new();
    for feeder in 0..2u32 {
        let feed = feed.clone();
        feeders.spawn_blocking(move || {
            for at in 0..1_000u32 {
                let key = format!("{feeder}-{}", at % 7);
                if at % 5 == 4 { feed.remove(&key) } else { feed.set((key, at)) }
            }
        });
    }
    feeders.join_all().await;
}

// holds: V7, V11
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_on_other_threads_never_see_half_a_round_and_handlers_end_with_the_last_state() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.complete();
    let left = fed.map("left", |_, one| Some(pair(&one.key(), one.1 * 2)));
    let right = fed.map("right", |_, one| Some(pair(&one.key(), one.1 * 3)));
    let (known, log) =
        (Arc::new(Mutex::new(std::collections::BTreeMap::new())), Arc::new(Mutex::new(Vec::new())));
    let (own, wrong) = (Arc::clone(&known), Arc::clone(&log));
    left.add_handler("known", move |notification| {
        let mut known = own.lock();
        let key = notification.key().into_owned();
        if known.get(&key).copied() != notification.old().map(|old| old.1) {
            wrong.lock().push(key.clone());
        }
        match notification.new() {
            Some(new) => drop(known.insert(key, new.1)),
            None => drop(known.remove(&key)),
        }
    })
    .unwrap();
    let is_done = Arc::new(AtomicBool::new(false));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let (graph, views, is_done) =
            (running.graph.clone(), (left.clone(), right.clone()), Arc::clone(&is_done));
        tasks.spawn_blocking(move || {
            let mut last = 0;
            while !is_done.load(Ordering::Relaxed) {
                let now = graph.snapshot();
                assert!(now.round() >= last, "rounds go back");
                last = now.round();
                let (Ok(left), Ok(right)) = (now.of(&views.0), now.of(&views.1)) else { continue };
                let values = |one: &tidings_derived::CollectionSnapshot<(String, u32)>, factor| {
                    one.list().iter().map(|value| pair(&value.0, value.1 / factor)).collect::<Vec<_>>()
                };
                assert_eq!(values(&left, 2), values(&right, 3), "round {last}");
            }
        });
    }
    feed_from_two_threads(&feed).await;
    running.settled().await;
    is_done.store(true, Ordering::Relaxed);
    tasks.join_all().await;
    let expected = |collection: &Collection<(String, u32)>| {
        collection
            .lister()
            .list()
            .iter()
            .map(|one| (one.0.clone(), one.1))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    // The handler has a task of its own, and no notification says that it was the last.
    for _ in 0..10_000 {
        if *known.lock() == expected(&left) {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(*known.lock(), expected(&left));
    assert_eq!(*log.lock(), Vec::<String>::new());
}
