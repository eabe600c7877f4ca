//! Counts the bytes that a graph keeps, and the allocations of one update. It is one test, because the allocator counts
//! all threads.

use std::alloc::System;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tidings_derived::{Collection, Graph};
use tidings_object::{Budget, Intake, Kind, LabelSelector, NothingKnown, Object};
use tidings_test_types as _;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

type Pair = (String, u32);

fn pair(key: String, value: u32) -> Pair {
    (key, value)
}

async fn idle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// One collection of each operator, with every kind of dependency.
fn program(graph: &Graph, fed: &Collection<Pair>) -> Vec<Collection<Pair>> {
    let index = fed.index(|one| vec![(one.1 % 7).to_string()]);
    let (by_key, by_index, listed, selected) = (fed.clone(), index.clone(), fed.clone(), fed.clone());
    let map = fed.map("map", move |cx, one| {
        let other = cx.get(&by_key, &format!("k{}", one.1 / 2)).map_or(0, |other| other.1);
        Some(pair(one.0.clone(), other + cx.by_index(&by_index, &(one.1 % 7).to_string()).len() as u32))
    });
    let many = fed.map_many("many", move |cx, one| {
        let selector = LabelSelector::from_iter([("app", one.0.as_str())]);
        let found = cx.select(&selected, &selector).len() as u32;
        vec![pair(format!("{}-a", one.0), found), pair(format!("{}-b", one.0), one.1)]
    });
    let filter = many.filter("filter", |_, one| one.1 % 2 == 0);
    let groups = fed.group_by(
        "groups",
        |one| vec![(one.1 % 3).to_string()],
        |_, name, members| Some(pair(name.to_owned(), members.len() as u32)),
    );
    let union = map.union("union", [&filter], |same| Some((*same[0]).clone()));
    let count =
        graph.singleton("count", move |cx| Some(pair("all".to_owned(), cx.list(&listed).len() as u32)));
    vec![map, many, filter, groups, union, count]
}

/// The allocations of one update of a pod among `pods`, and the evaluations that it caused. Policies select ten pods
/// each.
async fn cost_of_one_update(pods: u32) -> (usize, u64) {
    let (graph, task) = Graph::builder("cost").seed(1).build();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(task.run());
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
    let pod = |at: u32, version: u32, ip: u32| {
        let object = json!({
            "metadata": { "namespace": "shop", "name": format!("pod-{at:06}"), "uid": at.to_string(),
                "resourceVersion": version.to_string(), "labels": { "app": format!("app-{:05}", at / 10) } },
            "spec": { "nodeName": format!("node-{}", at % 20) }, "status": { "podIP": format!("10.0.0.{ip}") },
        });
        Object::<Pod>::new(intake.json(&serde_json::to_vec(&object).unwrap(), &NothingKnown).unwrap())
    };
    let (feed, fed) = graph.feed::<Object<Pod>>("pods");
    feed.replace((0..pods).map(|at| pod(at, 1, 1)));
    feed.complete();
    let policies = graph.fixed("policies", (0..pods / 10).map(|at| pair(format!("app-{at:05}"), at)));
    let (selected, listed) = (fed.clone(), fed.clone());
    let by_policy = policies.map("by-policy", move |cx, policy| {
        let selector = LabelSelector::from_iter([("app", policy.0.as_str())]);
        let ips: Vec<_> =
            cx.select(&selected, &selector).iter().map(|pod| pod.field_text(".status.podIP")).collect();
        Some((policy.0.clone(), ips))
    });
    let addresses =
        fed.map("addresses", |_, pod| Some((pod.key().into_owned(), pod.field_text(".status.podIP")?)));
    let count =
        graph.singleton("count", move |cx| Some(pair("all".to_owned(), cx.list(&listed).len() as u32)));
    idle().await;
    let evaluations =
        || by_policy.stats().evaluations + addresses.stats().evaluations + count.stats().evaluations;
    feed.set(pod(7, 2, 2));
    idle().await;
    let (before, region) = (evaluations(), Region::new(ALLOCATOR));
    feed.set(pod(7, 3, 3));
    idle().await;
    let allocations = region.change().allocations;
    assert_eq!(addresses.lister().get("shop/pod-000007").unwrap().1, "10.0.0.3");
    let cost = (allocations, evaluations() - before);
    // A heartbeat: nobody reads the version.
    let before = evaluations();
    feed.set(pod(7, 4, 3));
    idle().await;
    assert_eq!(evaluations(), before);
    graph.stop();
    idle().await;
    cost
}

// holds: V4, V12
#[tokio::test(start_paused = true)]
async fn the_cost_of_an_update_does_not_grow_and_what_was_needed_is_freed() {
    let (small, large) = (cost_of_one_update(100).await, cost_of_one_update(3_200).await);
    assert_eq!((small.1, large.1), (2, 2), "the pod's own address, and the policy that selects it");
    // Other chunks of the maps may be copied: that is a few levels, not 32 times as much.
    assert!(
        large.0 < small.0 + small.0 / 4,
        "{} allocations among 3,200 pods, {} among 100",
        large.0,
        small.0
    );

    let (graph, task) = Graph::builder("memory").seed(1).build();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(task.run());
    let (feed, fed) = graph.feed::<Pair>("fed");
    feed.complete();
    let collections = program(&graph, &fed);
    for collection in &collections {
        drop(collection.add_handler("handler", |_| {}).unwrap());
    }
    let fill = |round: u32| {
        for at in 0..500 {
            feed.set(pair(format!("k{at}"), at + round));
        }
    };
    let clear = || feed.replace([]);

    // Once, so that everything that is made once is there.
    fill(0);
    idle().await;
    clear();
    idle().await;
    let region = Region::new(ALLOCATOR);
    for round in 0..8 {
        fill(round);
        idle().await;
        assert!(collections.iter().all(|collection| !collection.lister().is_empty()));
        clear();
        idle().await;
    }
    let change = region.change();
    let kept = change.bytes_allocated as i64 - change.bytes_deallocated as i64;
    assert!(change.bytes_allocated > 1_000_000, "{change:?}");
    assert!(kept.abs() < 60_000, "{kept} bytes stay after {change:?}");

    // Collections that come and go.
    let region = Region::new(ALLOCATOR);
    for _ in 0..10 {
        fill(1);
        let passing = program(&graph, &fed);
        idle().await;
        assert!(passing.iter().all(|collection| collection.is_synced()));
        drop(passing);
        clear();
        idle().await;
    }
    let change = region.change();
    let kept = change.bytes_allocated as i64 - change.bytes_deallocated as i64;
    assert_eq!(graph.stats().len(), 7, "only those from before are left");
    assert!(kept.abs() < 200_000, "{kept} bytes stay after {change:?}");
}
