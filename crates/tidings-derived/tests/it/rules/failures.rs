//! A function that fails, and one that is not pure.

use std::sync::atomic::{AtomicU32, Ordering};

use tidings_derived::{OnFailure, Transformation};

use crate::fixture::{RunningGraph, values};

fn pair(key: &str, value: u32) -> (String, u32) {
    (key.to_owned(), value)
}

// holds: V15
#[tokio::test(start_paused = true)]
async fn a_panic_or_an_error_costs_one_key_and_its_last_output_stays_or_goes_as_chosen() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.complete();
    let function = |one: &(String, u32)| match one.1 {
        3 => panic!("three"),
        4 => Err("four".to_owned()),
        _ => Ok(Some(one.clone())),
    };
    let keep = fed.map("keep", move |_, one| function(one));
    let remove =
        fed.map(Transformation::named("remove").on_failure(OnFailure::Remove), move |_, one| function(one));
    feed.replace([pair("a", 1), pair("b", 1), pair("c", 3)]);
    running.settled().await;
    assert_eq!(values(&keep), [pair("a", 1), pair("b", 1)]);
    assert!(keep.is_synced(), "a key that fails does not keep the others from being synced");
    running.take_faults();
    feed.set(pair("a", 3));
    feed.set(pair("b", 4));
    feed.set(pair("c", 2));
    running.settled().await;
    assert_eq!(values(&keep), [pair("a", 1), pair("b", 1), pair("c", 2)]);
    assert_eq!(values(&remove), [pair("c", 2)]);
    let faults = running.take_faults();
    assert!(
        faults.contains(&"evaluating \"a\" of collection \"keep\": the function panicked: three".to_owned()),
        "{faults:?}"
    );
    assert!(faults.contains(&"evaluating \"b\" of collection \"keep\": four".to_owned()), "{faults:?}");
    assert_eq!((keep.stats().failing_keys, keep.stats().failures), (2, 3));
    feed.set(pair("a", 5));
    feed.remove("b");
    running.settled().await;
    assert_eq!(
        (values(&keep), values(&remove)),
        (vec![pair("a", 5), pair("c", 2)], vec![pair("a", 5), pair("c", 2)])
    );
    assert_eq!(keep.stats().failing_keys, 0);
}

// holds: V17
#[tokio::test(start_paused = true)]
async fn the_check_for_purity_reports_a_function_that_depends_on_more_than_it_reads() {
    let running = RunningGraph::with(|builder| builder.check_purity());
    let fixed = running.graph.fixed("fixed", [pair("a", 1)]);
    let calls = AtomicU32::new(0);
    let impure =
        fixed.map("impure", move |_, one| Some(pair(&one.key(), calls.fetch_add(1, Ordering::Relaxed))));
    let pure = fixed.map("pure", |_, one| Some(pair(&one.key(), one.1)));
    impure.synced().await.unwrap();
    pure.synced().await.unwrap();
    running.settled().await;
    let faults = running.take_faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].starts_with("evaluating \"a\" of collection \"impure\" twice gave different results"),
        "{faults:?}"
    );
}
