//! Informers of several namespaces, each with its own list and watch. The namespaces change while it runs.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::json;
use tidings::{InformerOptions, QueueOrder, SharedInformer, SharedInformerFactory, Transform};
use tidings_apiserver::{ApiServer, Ending, Fault};

use tidings_informer::testing::NotificationRecorder;

fn put(server: &ApiServer, namespace: &str, name: &str) {
    server.put(
        "pods",
        json!({ "metadata": { "namespace": namespace, "name": name }, "spec": { "containers": [] } }),
    );
}

/// Runs all tasks until none is ready.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

async fn check(order: QueueOrder) {
    let server = ApiServer::start().await;
    for namespace in ["a", "b", "c"] {
        put(&server, namespace, "one");
    }
    let factory = SharedInformerFactory::new(server.client());
    let options = InformerOptions::new().namespaces(["a", "b"]).unwrap().queue_order(order);
    let pods: SharedInformer<Pod> = factory.informer_with(options).unwrap();
    let recorder = NotificationRecorder::default();
    pods.add_handler(recorder.handler()).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let keys = || {
        let mut keys: Vec<String> = pods.lister().keys().iter().map(ToString::to_string).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(), ["a/one", "b/one"]);

    // A relist of one namespace does not affect the other.
    server.faults().inject(Fault::ExpireOnOpen.once());
    server.faults().cut_watches(Ending::Broken);
    put(&server, "a", "two");
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(keys(), ["a/one", "a/two", "b/one"]);

    pods.set_namespaces(["b", "c"]).unwrap();
    settle().await;
    assert_eq!(keys(), ["b/one", "c/one"]);
    settle().await;
    assert_eq!(recorder.violations(), Vec::<String>::new());
    assert_eq!(
        recorder.versions(),
        server.list_versions("pods").into_iter().filter(|(key, _)| !key.starts_with('a')).collect()
    );

    pods.set_all_namespaces().unwrap();
    settle().await;
    assert_eq!(keys(), ["a/one", "a/two", "b/one", "c/one"]);
    pods.set_namespaces(["a"]).unwrap();
    pods.set_namespaces(["a", "b"]).unwrap();
    settle().await;
    assert_eq!(keys(), ["a/one", "a/two", "b/one"]);
    assert_eq!(recorder.violations(), Vec::<String>::new());
    running.shutdown().await;
}

// holds: X23
#[tokio::test(start_paused = true)]
async fn several_namespaces_share_a_cache_without_affecting_each_other() {
    check(QueueOrder::InOrder).await;
    check(QueueOrder::PerObject).await;
}

fn keys(pods: &SharedInformer<Pod>) -> Vec<String> {
    let mut keys: Vec<String> = pods.lister().keys().iter().map(ToString::to_string).collect();
    keys.sort();
    keys
}

// holds: X32
#[tokio::test(start_paused = true)]
async fn a_request_for_namespaces_gets_these_even_after_another_informer_was_redirected() {
    let server = ApiServer::start().await;
    for namespace in ["a", "b", "c"] {
        put(&server, namespace, "one");
    }
    let factory = SharedInformerFactory::new(server.client());
    let ask = |namespaces: &[&str]| {
        factory.informer_with::<Pod>(InformerOptions::new().namespaces(namespaces).unwrap()).unwrap()
    };
    let (first, sharer) = (ask(&["a", "b"]), ask(&["b", "a"]));
    assert_eq!(first.name(), sharer.name(), "until then they share");
    let running = factory.start();
    running.synced().await.unwrap();
    first.set_namespaces(["b", "a"]).unwrap();
    assert_eq!(ask(&["a", "b"]).name(), first.name(), "nothing was changed");

    first.set_namespaces(["c"]).unwrap();
    let (second, of_c) = (ask(&["a", "b"]), ask(&["c"]));
    let again = factory.start();
    again.synced().await.unwrap();
    settle().await;
    assert_eq!((keys(&first), keys(&sharer)), (vec!["c/one".to_owned()], vec!["c/one".to_owned()]));
    assert_eq!(keys(&second), ["a/one", "b/one"]);
    assert_eq!(ask(&["a", "b"]).name(), second.name(), "the new one is shared as any other");
    // Its users can redirect it again, which must not affect the users of namespace c.
    first.set_all_namespaces().unwrap();
    settle().await;
    assert_eq!((keys(&of_c), keys(&first).len()), (vec!["c/one".to_owned()], 3));
    let mut names: Vec<_> = factory.stats().into_iter().map(|stats| stats.name).collect();
    names.dedup();
    assert_eq!(names, ["pods", "pods#2", "pods#3"], "all are seen, each by its own name");

    // An informer that is redirected before its start is started like any other.
    let early = factory.informer_with::<Pod>(InformerOptions::new().namespace("b").unwrap()).unwrap();
    early.set_namespaces(["a"]).unwrap();
    let of_b = ask(&["b"]);
    let last = factory.start();
    last.synced().await.unwrap();
    assert_eq!((keys(&early), keys(&of_b)), (vec!["a/one".to_owned()], vec!["b/one".to_owned()]));
    for running in [running, again, last] {
        running.shutdown().await;
    }
}

// holds: X32
#[tokio::test(start_paused = true)]
async fn equal_options_share_one_watch_and_functions_are_compared_by_name() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let prune = |paths: &[&'static str]| InformerOptions::new().prune(paths.iter().copied()).unwrap();
    let strip = || Transform::json(|pod| pod["status"] = serde_json::Value::Null);
    let ask = |options: InformerOptions| factory.informer_with::<Pod>(options).unwrap();
    let all = [
        (ask(prune(&[".spec", ".status"])), ask(prune(&[".status", ".spec"])), true),
        (ask(prune(&[".spec"])), ask(prune(&[".status"])), false),
        (
            ask(InformerOptions::new().transform(strip())),
            ask(InformerOptions::new().transform(strip())),
            false,
        ),
        (
            ask(InformerOptions::new().transform(strip().named("strip"))),
            ask(InformerOptions::new().transform(strip().named("strip"))),
            true,
        ),
        (ask(InformerOptions::new().tweak(|_| ())), ask(InformerOptions::new().tweak(|_| ())), false),
        (
            ask(InformerOptions::new().tweak_named("same", |_| ())),
            ask(InformerOptions::new().tweak_named("same", |_| ())),
            true,
        ),
        (
            ask(InformerOptions::new().tweak_named("one", |_| ())),
            ask(InformerOptions::new().tweak_named("other", |_| ())),
            false,
        ),
        (ask(InformerOptions::new()), ask(InformerOptions::new().labels("".parse().unwrap())), true),
    ];
    for (at, (one, other, is_same)) in all.iter().enumerate() {
        assert_eq!(one.name() == other.name(), *is_same, "{at}: {} and {}", one.name(), other.name());
    }
    let nodes = factory.informer::<Node>();
    let in_a = factory.informer_with::<Node>(InformerOptions::new().namespace("a").unwrap()).unwrap();
    assert_eq!(nodes.name(), in_a.name(), "nodes are cluster-scoped");
}
