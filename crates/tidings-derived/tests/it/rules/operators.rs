//! Each operator.

use tidings_derived::{Collection, Graph};

use crate::fixture::{RunningGraph, values};

fn pair(key: &str, value: u32) -> (String, u32) {
    (key.to_owned(), value)
}

// holds: V22
#[tokio::test(start_paused = true)]
async fn a_feed_sets_removes_and_replaces_and_syncs_when_it_is_complete() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.set(pair("a", 1));
    feed.set(pair("b", 1));
    running.settled().await;
    assert!(!fed.is_synced() && fed.lister().is_empty());
    assert!(
        fed.snapshot().unwrap_err().to_string().starts_with("reading collection \"fed\": it has not synced")
    );
    feed.complete();
    running.settled().await;
    assert_eq!(values(&fed), [pair("a", 1), pair("b", 1)]);
    feed.remove("a");
    feed.set(pair("c", 3));
    running.settled().await;
    assert_eq!(values(&fed), [pair("b", 1), pair("c", 3)]);
    let changes = fed.stats().changes;
    feed.replace([pair("b", 1), pair("d", 4)]);
    running.settled().await;
    assert_eq!(values(&fed), [pair("b", 1), pair("d", 4)]);
    assert_eq!(fed.stats().changes, changes + 2, "b did not change");
    assert_eq!(values(&running.graph.fixed("fixed", [pair("x", 1)])), []);
}

// holds: V22
#[tokio::test(start_paused = true)]
async fn union_merges_equal_keys_by_its_rule_and_join_and_group_see_both_sides() {
    let running = RunningGraph::new();
    let (ours_feed, ours) = running.graph.feed::<(String, u32)>("ours");
    let (theirs_feed, theirs) = running.graph.feed::<(String, u32)>("theirs");
    ours_feed.complete();
    theirs_feed.complete();
    let first = ours.union("first", [&theirs], |same| Some((*same[0]).clone()));
    let sum = ours.union("sum", [&theirs], |same| {
        let total = same.iter().map(|one| one.1).sum();
        (total < 100).then(|| (same[0].0.clone(), total))
    });
    let by_value = theirs.index(|one| vec![one.1.to_string()]);
    let joined = ours.join(
        "joined",
        &by_value,
        |one| Some(one.1.to_string()),
        |_, one, matching| {
            matching
                .iter()
                .map(|other| pair(&format!("{}+{}", one.key(), other.key()), one.1))
                .collect::<Vec<_>>()
        },
    );
    let groups = theirs.group_by(
        "groups",
        |one| vec![(one.1 % 2).to_string()],
        |_, name, members| {
            Some((
                name.to_owned(),
                members.iter().map(|member| member.key().into_owned()).collect::<Vec<_>>(),
            ))
        },
    );
    ours_feed.replace([pair("a", 1), pair("b", 2)]);
    theirs_feed.replace([pair("b", 20), pair("c", 1), pair("d", 1)]);
    running.settled().await;
    assert_eq!(values(&first), [pair("a", 1), pair("b", 2), pair("c", 1), pair("d", 1)]);
    assert_eq!(values(&sum), [pair("a", 1), pair("b", 22), pair("c", 1), pair("d", 1)]);
    assert_eq!(values(&joined), [pair("a+c", 1), pair("a+d", 1)]);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(values(&groups), [("0".to_owned(), names(&["b"])), ("1".to_owned(), names(&["c", "d"]))]);

    ours_feed.remove("b");
    theirs_feed.set(pair("b", 1));
    theirs_feed.remove("c");
    theirs_feed.remove("d");
    running.settled().await;
    assert_eq!(values(&first), [pair("a", 1), pair("b", 1)]);
    assert_eq!(values(&joined), [pair("a+b", 1)]);
    assert_eq!(values(&groups), [("1".to_owned(), names(&["b"]))]);
    ours_feed.set(pair("b", 99));
    running.settled().await;
    assert_eq!(values(&sum), [pair("a", 1)], "the rule returned none");
}

// holds: V19
#[tokio::test(start_paused = true)]
async fn an_index_may_be_added_at_any_time_and_a_panic_of_its_function_gives_no_values() {
    let running = RunningGraph::new();
    let fixed = running.graph.fixed("fixed", [pair("a", 1), pair("b", 2), pair("c", 1)]);
    running.settled().await;
    let index = fixed.index(|one| if one.1 == 2 { panic!("two") } else { vec![one.1.to_string()] });
    running.settled().await;
    let found = |value: &str| {
        fixed.lister().by_index(&index, value).iter().map(|one| one.0.clone()).collect::<Vec<_>>()
    };
    assert_eq!((found("1"), found("2")), (vec!["a".to_owned(), "c".to_owned()], vec![]));
    let late =
        fixed.map("late", move |cx, one| Some(pair(&one.key(), cx.by_index(&index, "1").len() as u32)));
    late.synced().await.unwrap();
    assert_eq!(values(&late)[0], pair("a", 2));
}

fn stopped(graph: Graph, collection: Collection<(String, u32)>) -> String {
    let snapshot = graph.snapshot();
    snapshot.of(&collection).unwrap_err().to_string()
}

// holds: V10, V20
#[tokio::test(start_paused = true)]
async fn a_collection_of_another_graph_or_a_later_one_is_an_error_of_the_evaluation() {
    let (running, other) = (RunningGraph::new(), RunningGraph::new());
    let foreign = other.graph.fixed("foreign", [pair("a", 1)]);
    foreign.synced().await.unwrap();
    let fixed = running.graph.fixed("fixed", [pair("a", 1)]);
    let foreign_read = foreign.clone();
    let reads = fixed.map("reads", move |cx, one| {
        let found = cx.get(&foreign_read, &one.key())?;
        Some(pair(&found.key(), found.1))
    });
    reads.synced().await.unwrap();
    running.settled().await;
    let faults = running.take_faults();
    assert!(faults[0].contains("reading collection \"foreign\": it belongs to another graph"), "{faults:?}");
    assert!(stopped(running.graph.clone(), foreign).contains("another graph"));

    // A cycle can only be tried with a cell that is filled later.
    let later = std::sync::Arc::new(std::sync::OnceLock::<Collection<(String, u32)>>::new());
    let cell = std::sync::Arc::clone(&later);
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.complete();
    let early = fed.map("early", move |cx, one| {
        let found = cx.get(cell.get()?, &one.key()).map_or(0, |found| found.1);
        Some(pair(&one.key(), one.1 + found))
    });
    later.set(early.map("later", |_, one| Some(pair(&one.key(), one.1)))).unwrap();
    feed.set(pair("a", 1));
    running.settled().await;
    let faults = running.take_faults();
    assert!(faults[0].contains("\"later\": it was made after the collection that reads it"), "{faults:?}");
}
