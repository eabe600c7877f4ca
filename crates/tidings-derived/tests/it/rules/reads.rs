//! What an evaluation depends on: by key, index value, selector, collection and field.

use serde_json::{Value as Json, json};
use tidings_derived::{Collection, Feed};
use tidings_object::{FieldPath, LabelSelector, Object};

use crate::fixture::{Objects, RunningGraph, values};

fn pod(name: &str, app: &str, node: &str, ip: &str) -> Json {
    json!({
        "metadata": { "namespace": "shop", "name": name, "labels": { "app": app } },
        "spec": { "nodeName": node, "containers": [] },
        "status": { "podIP": ip },
    })
}

fn node(name: &str, zone: &str, heartbeat: u32) -> Json {
    json!({
        "metadata": { "name": name, "labels": { "zone": zone } },
        "status": { "heartbeat": heartbeat },
    })
}

type ObjectFeed = (Feed<Object<Json>>, Collection<Object<Json>>);

fn feed(running: &RunningGraph, name: &str) -> ObjectFeed {
    let feed = running.graph.feed(name);
    feed.0.complete();
    feed
}

// holds: V4, V5
#[tokio::test(start_paused = true)]
async fn a_function_runs_again_only_if_a_field_or_label_changes_that_it_has_read() {
    let (running, objects) = (RunningGraph::new(), Objects::new());
    let (pods, nodes) = (feed(&running, "pods"), feed(&running, "nodes"));
    let nodes_read = nodes.1.clone();
    let zones = pods.1.map("zones", move |cx, pod| {
        let node = cx.get(&nodes_read, &pod.field_text(".spec.nodeName")?)?;
        Some((pod.key().into_owned(), node.label("zone").map(str::to_owned)))
    });
    pods.0.set(objects.object(pod("web", "web", "node-1", "10.0.0.1")));
    pods.0.set(objects.object(pod("db", "db", "node-2", "10.0.0.2")));
    nodes.0.set(objects.object(node("node-1", "a", 0)));
    nodes.0.set(objects.object(node("node-2", "b", 0)));
    running.settled().await;
    let zone = |zone: &str| Some(zone.to_owned());
    assert_eq!(values(&zones), [("shop/db".to_owned(), zone("b")), ("shop/web".to_owned(), zone("a"))]);
    let evaluations = || zones.stats().evaluations;
    let before = evaluations();

    // Heartbeats, and a change of a pod in a field that nobody reads.
    for heartbeat in 1..10 {
        nodes.0.set(objects.object(node("node-1", "a", heartbeat)));
        pods.0.set(objects.object(pod("web", "web", "node-1", &format!("10.0.1.{heartbeat}"))));
        running.settled().await;
    }
    assert_eq!(evaluations(), before);

    // The intake reads the field of each later pod, so that its body need not be unpacked for the comparison.
    let path = FieldPath::parse(".spec.nodeName").unwrap();
    assert!(objects.object(pod("web", "web", "node-1", "10.0.1.0")).is_prefetched(&path));

    // The label of one node concerns one pod.
    nodes.0.set(objects.object(node("node-1", "c", 10)));
    running.settled().await;
    assert_eq!(evaluations(), before + 1);
    assert_eq!(values(&zones)[1].1, zone("c"));

    // A node that nobody reads, and one that a pod begins to read.
    nodes.0.set(objects.object(node("node-3", "d", 0)));
    running.settled().await;
    assert_eq!(evaluations(), before + 1);
    pods.0.set(objects.object(pod("web", "web", "node-3", "10.0.0.1")));
    running.settled().await;
    assert_eq!((evaluations(), &values(&zones)[1].1), (before + 2, &zone("d")));
    // It no longer reads node-1.
    nodes.0.remove("node-1");
    running.settled().await;
    assert_eq!(evaluations(), before + 2);
    // The node that it reads goes and comes.
    nodes.0.remove("node-3");
    running.settled().await;
    assert_eq!((evaluations(), values(&zones).len()), (before + 3, 1));
    nodes.0.set(objects.object(node("node-3", "e", 0)));
    running.settled().await;
    assert_eq!((evaluations(), &values(&zones)[1].1), (before + 4, &zone("e")));

    let reads = zones.stats().reads;
    let read =
        |collection: &str| reads.iter().find(|read| read.collection == collection).unwrap().parts.clone();
    assert_eq!(
        (read("pods"), read("nodes")),
        (vec![".spec.nodeName".to_owned()], vec!["label zone".to_owned()])
    );
}

// holds: V5
#[tokio::test(start_paused = true)]
async fn a_function_that_reads_more_than_fields_depends_on_the_whole_object() {
    let (running, objects) = (RunningGraph::new(), Objects::new());
    let pods = feed(&running, "pods");
    let decoded = pods.1.map("decoded", |_, pod| {
        let decoded = pod.decoded().ok()?;
        Some((pod.key().into_owned(), decoded["status"]["podIP"].to_string()))
    });
    let versions = pods.1.map("versions", |_, pod| Some((pod.key().into_owned(), pod.version().to_string())));
    for at in 1..4 {
        let mut object = pod("web", "web", "node-1", "10.0.0.1");
        object["status"]["other"] = at.into();
        pods.0.set(objects.object(object));
        running.settled().await;
        assert_eq!((decoded.stats().evaluations, versions.stats().evaluations), (at, at));
    }
    assert_eq!(decoded.stats().changes, 0, "the output was equal each time");
    assert_eq!(versions.stats().changes, 2);
}

// holds: V4
#[tokio::test(start_paused = true)]
async fn a_function_depends_on_the_index_value_and_the_selector_that_it_has_read() {
    let (running, objects) = (RunningGraph::new(), Objects::new());
    let pods = feed(&running, "pods");
    let by_node = pods
        .1
        .index(|pod| pod.field(".spec.nodeName").unwrap().texts().map(|text| text.into_owned()).collect());
    let (policies_feed, policies) = running.graph.feed::<(String, String)>("policies");
    policies_feed.complete();
    let selected = {
        let pods = pods.1.clone();
        policies.map("selected", move |cx, policy| {
            let selector = LabelSelector::parse(&policy.1).unwrap();
            let ips = cx
                .select_in(&pods, "shop", &selector)
                .iter()
                .map(|pod| pod.field_text(".status.podIP"))
                .collect::<Vec<_>>();
            Some((policy.key().into_owned(), ips))
        })
    };
    let on_node = policies.map("on-node", move |cx, policy| {
        Some((policy.key().into_owned(), cx.by_index(&by_node, &policy.key()).len()))
    });
    for (name, selector) in
        [("node-1", "app=web"), ("node-2", "app=db"), ("node-3", "app in (web,cache)"), ("node-4", "!app")]
    {
        policies_feed.set((name.to_owned(), selector.to_owned()));
    }
    running.settled().await;
    let counts = || (selected.stats().evaluations, on_node.stats().evaluations);
    assert_eq!(counts(), (4, 4));

    // app=web is selected by node-1 and node-3, and the pod is on node-1.
    pods.0.set(objects.object(pod("web", "web", "node-1", "10.0.0.1")));
    running.settled().await;
    assert_eq!(counts(), (6, 5));
    // Another node: by index, both values. By selector nothing was read that has changed.
    pods.0.set(objects.object(pod("web", "web", "node-2", "10.0.0.1")));
    running.settled().await;
    assert_eq!(counts(), (6, 7));
    // The field that the selections read.
    pods.0.set(objects.object(pod("web", "web", "node-2", "10.0.0.9")));
    running.settled().await;
    assert_eq!(counts(), (8, 7));
    // From one selector to another: node-1 and node-3 lose it, node-2 gets it.
    pods.0.set(objects.object(pod("web", "db", "node-2", "10.0.0.9")));
    running.settled().await;
    assert_eq!(counts(), (11, 7));
    // Selected by none, on a node that nobody reads.
    pods.0.set(objects.object(pod("other", "queue", "node-9", "10.0.0.3")));
    running.settled().await;
    assert_eq!(counts(), (11, 7));
    let found: Vec<_> = values(&selected).into_iter().map(|(_, ips)| ips.len()).collect();
    assert_eq!(found, [0, 1, 0, 0]);
}

// holds: V4, V21
#[tokio::test(start_paused = true)]
async fn a_list_depends_on_what_comes_and_goes_and_the_empty_selector_is_a_list() {
    let (running, objects) = (RunningGraph::new(), Objects::new());
    let pods = feed(&running, "pods");
    let (listed, selected) = (pods.1.clone(), pods.1.clone());
    let count = running.graph.singleton("count", move |cx| Some(("all".to_owned(), cx.list(&listed).len())));
    let everything = running.graph.singleton("everything", move |cx| {
        Some(("all".to_owned(), cx.select(&selected, &LabelSelector::everything()).len()))
    });
    running.settled().await;
    for at in 0..3 {
        pods.0.set(objects.object(pod("web", "web", "node-1", &format!("10.0.0.{at}"))));
        running.settled().await;
    }
    assert_eq!((values(&count)[0].1, values(&everything)[0].1), (1, 1));
    assert_eq!((count.stats().evaluations, everything.stats().evaluations), (2, 2));
    pods.0.remove("shop/web");
    running.settled().await;
    assert_eq!((values(&count)[0].1, count.stats().evaluations), (0, 3));
}

// holds: V3
#[tokio::test(start_paused = true)]
async fn a_batch_of_changes_evaluates_each_affected_key_once() {
    let (running, objects) = (RunningGraph::new(), Objects::new());
    let (pods, nodes) = (feed(&running, "pods"), feed(&running, "nodes"));
    let read = nodes.1.clone();
    let both = pods.1.map("both", move |cx, pod| {
        let zones: Vec<_> =
            cx.list(&read).iter().filter_map(|node| node.label("zone").map(str::to_owned)).collect();
        Some((pod.key().into_owned(), pod.field_text(".status.podIP"), zones).into_pair())
    });
    pods.0.set(objects.object(pod("web", "web", "node-1", "10.0.0.1")));
    running.settled().await;
    let before = both.stats().evaluations;
    for at in 0..10 {
        nodes.0.set(objects.object(node(&format!("node-{at}"), "a", 0)));
        pods.0.set(objects.object(pod("web", "web", "node-1", &format!("10.0.0.{at}"))));
    }
    running.settled().await;
    assert_eq!(both.stats().evaluations, before + 1);
}

/// A key and the rest.
trait IntoPair<A, B> {
    fn into_pair(self) -> (String, (A, B));
}

impl<A, B> IntoPair<A, B> for (String, A, B) {
    fn into_pair(self) -> (String, (A, B)) {
        (self.0, (self.1, self.2))
    }
}
