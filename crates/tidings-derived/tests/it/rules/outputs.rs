//! Output keys: equal outputs, keys that move, keys that are not unique.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_derived::{Collection, CollectionNotification, Feed};

use crate::fixture::{RunningGraph, values};

type Pairs = (Feed<(String, u32)>, Collection<(String, u32)>);

fn feed(running: &RunningGraph) -> Pairs {
    let feed = running.graph.feed("inputs");
    feed.0.complete();
    feed
}

fn log(collection: &Collection<(String, u32)>) -> Arc<Mutex<Vec<String>>> {
    let log = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&log);
    let describe = |value: Option<u32>| value.map_or("-".to_owned(), |value| value.to_string());
    let call = move |notification: &CollectionNotification<(String, u32)>| {
        let (old, new) = (notification.old().map(|old| old.1), notification.new().map(|new| new.1));
        own.lock().push(format!("{} {}>{}", notification.key(), describe(old), describe(new)));
    };
    collection.add_handler("log", call).unwrap();
    log
}

async fn taken(running: &RunningGraph, log: &Mutex<Vec<String>>) -> Vec<String> {
    running.settled().await;
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    std::mem::take(&mut *log.lock())
}

// holds: V6
#[tokio::test(start_paused = true)]
async fn an_equal_output_notifies_nobody() {
    let running = RunningGraph::new();
    let (inputs, collection) = feed(&running);
    let halves = collection.map("halves", |_, one| Some((one.0.clone(), one.1 / 2)));
    let above = halves.map("above", |_, one| Some((one.0.clone(), one.1 + 1)));
    let (halves_log, above_log) = (log(&halves), log(&above));
    inputs.set(("a".to_owned(), 4));
    assert_eq!(taken(&running, &halves_log).await, ["a ->2"]);
    assert_eq!(taken(&running, &above_log).await, ["a ->3"]);
    inputs.set(("a".to_owned(), 5));
    assert_eq!(taken(&running, &halves_log).await, Vec::<String>::new());
    assert_eq!((halves.stats().evaluations, above.stats().evaluations), (2, 1));
    inputs.set(("a".to_owned(), 5));
    running.settled().await;
    assert_eq!(halves.stats().evaluations, 2, "the input was equal");
}

// holds: V8
#[tokio::test(start_paused = true)]
async fn a_key_that_moves_from_one_input_to_another_is_one_update() {
    let running = RunningGraph::new();
    let (inputs, collection) = feed(&running);
    // The input 'a' with 7 produces the key "k7".
    let by_number = collection.map("by-number", |_, one| Some((format!("k{}", one.1 % 10), one.1)));
    let log = log(&by_number);
    inputs.set(("a".to_owned(), 17));
    assert_eq!(taken(&running, &log).await, ["k7 ->17"]);
    inputs.remove("a");
    inputs.set(("b".to_owned(), 27));
    assert_eq!(taken(&running, &log).await, ["k7 17>27"]);
    // To another input with an equal output: nothing has changed.
    inputs.remove("b");
    inputs.set(("c".to_owned(), 27));
    assert_eq!(taken(&running, &log).await, Vec::<String>::new());
    inputs.set(("c".to_owned(), 28));
    assert_eq!(taken(&running, &log).await, ["k7 27>-", "k8 ->28"]);
}

// holds: V18
#[tokio::test(start_paused = true)]
async fn of_several_inputs_with_one_output_key_the_lowest_wins_in_any_order() {
    for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] {
        let running = RunningGraph::new();
        let (inputs, collection) = feed(&running);
        let one = collection.map("one", |_, one| Some(("same".to_owned(), one.1)));
        for name in order {
            inputs.set((name.to_owned(), name.as_bytes()[0].into()));
            running.settled().await;
        }
        assert_eq!(values(&one), [("same".to_owned(), u32::from(b'a'))]);
        assert_eq!(one.stats().duplicate_keys, 1);
        let faults = running.take_faults();
        assert!(
            faults.last().unwrap().contains("\"same\" more than once, from a, b, c; the first one wins"),
            "{faults:?}"
        );
        inputs.remove("a");
        running.settled().await;
        assert_eq!(values(&one)[0].1, u32::from(b'b'));
        inputs.remove("b");
        running.settled().await;
        assert_eq!((values(&one)[0].1, one.stats().duplicate_keys), (u32::from(b'c'), 0));
        inputs.remove("c");
        running.settled().await;
        assert!(values(&one).is_empty());
    }
}

// holds: V18
#[tokio::test(start_paused = true)]
async fn of_several_outputs_of_one_input_with_one_key_the_first_wins() {
    let running = RunningGraph::new();
    let (inputs, collection) = feed(&running);
    let many =
        collection.map_many("many", |_, one| vec![("k".to_owned(), one.1), ("k".to_owned(), one.1 + 1)]);
    inputs.set(("a".to_owned(), 1));
    running.settled().await;
    assert_eq!(values(&many), [("k".to_owned(), 1)]);
    assert!(running.take_faults()[0].contains("more than once"));
}
