//! The factory: equal options give one informer, which is started once and stopped with its last user.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Pod};
use kube_core::discovery::ApiResource;
use serde_json::json;
use tidings::{
    Handler, InformerOptions, Key, Kind, Lifecycle, ListMode, Object, ReadError, ReflectorConfig,
    ResourceKind, Scope, SharedInformer, SharedInformerFactory, WaitError,
};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};

fn pod(namespace: &str, name: &str) -> serde_json::Value {
    json!({ "metadata": { "namespace": namespace, "name": name, "labels": { "app": name } }, "spec": { "containers": [] } })
}

/// The number of watch requests of the server.
fn watches(server: &ApiServer) -> usize {
    server.requests().iter().filter(|request| request.verb == Some(Verb::Watch)).count()
}

// holds: F1, F10, D1
#[tokio::test(start_paused = true)]
async fn two_requests_share_one_watch_and_one_cache_whatever_the_view() {
    let server = ApiServer::start().await;
    server.put("pods", pod("default", "web"));
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let again = factory.informer::<Pod>();
    let dynamic =
        factory.dynamic(ResourceKind::of(&ApiResource::erase::<Pod>(&()), Scope::Namespaced)).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(watches(&server), 1);
    assert_eq!(running.len(), 1);
    assert_eq!(again.lister().len(), 1);
    let seen = dynamic.lister().get("default/web").unwrap();
    assert!(Arc::ptr_eq(seen.raw(), pods.lister().get("default/web").unwrap().raw()));
    assert_eq!(seen.decoded().unwrap().types.as_ref().unwrap().kind, "Pod");
    running.shutdown().await;
}

// holds: F5, F7
#[tokio::test(start_paused = true)]
async fn start_starts_new_informers_and_none_twice() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let first = factory.start();
    let nodes = factory.informer::<Node>();
    assert_eq!(nodes.lifecycle(), Lifecycle::New);
    let second = factory.start();
    assert_eq!((first.len(), second.len()), (1, 1));
    first.synced().await.unwrap();
    second.synced().await.unwrap();
    assert!(pods.is_synced() && nodes.is_synced());
    assert_eq!(factory.start().len(), 0);
    first.shutdown().await;
    second.shutdown().await;
}

// holds: F7, I36, X3
#[tokio::test(start_paused = true)]
async fn an_informer_that_does_not_sync_is_named_with_the_reason_and_continues() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Status { code: 403, retry_after_seconds: None }.always().of("nodes"));
    let factory = SharedInformerFactory::new(server.client());
    let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
    let running = factory.start();
    let error = running.synced_within(Duration::from_secs(60)).await.unwrap_err();
    let WaitError::NotSynced { informers } = &error else { panic!("{error}") };
    assert_eq!(informers.iter().map(|unsynced| &*unsynced.name).collect::<Vec<_>>(), ["nodes"]);
    assert!(error.to_string().contains("403"), "{error}");
    assert!(pods.is_synced());
    let health = nodes.health();
    assert!(!health.is_healthy());
    assert!(health.streams[0].failing.as_ref().is_some_and(|failing| failing.attempts > 3), "{health:?}");
    server.faults().clear();
    running.synced().await.unwrap();
    assert!(nodes.health().is_healthy());
    running.shutdown().await;
}

// holds: F2, F3, D2
#[tokio::test(start_paused = true)]
async fn namespaces_selectors_and_tweaks_reach_the_server() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::builder(server.client()).namespaces(["a", "b"]).unwrap().build();
    let options = InformerOptions::new()
        .labels("app=web".parse().unwrap())
        .fields("spec.nodeName=node-1".parse().unwrap())
        .tweak(|query| query.set("timeoutSeconds", "77"));
    let _pods: SharedInformer<Pod> = factory.informer_with(options).unwrap();
    let _namespaces = factory.informer::<Namespace>();
    let running = factory.start();
    running.synced().await.unwrap();
    let mut paths: Vec<String> =
        server.requests().iter().map(|request| format!("{}?{}", request.path, request.query)).collect();
    paths.sort();
    assert!(
        paths[0].starts_with("/api/v1/namespaces/a/pods?")
            && paths[1].starts_with("/api/v1/namespaces/b/pods?"),
        "{paths:?}"
    );
    for pods in &paths[..2] {
        assert!(pods.contains("labelSelector=app%3Dweb"), "{pods}");
        assert!(pods.contains("fieldSelector=spec.nodeName%3Dnode-1"), "{pods}");
        assert!(pods.contains("timeoutSeconds=77"), "{pods}");
    }
    assert!(
        paths[2].starts_with("/api/v1/namespaces?"),
        "a cluster-scoped resource has no namespace: {paths:?}"
    );
    running.shutdown().await;
}

// holds: F4
#[tokio::test(start_paused = true)]
async fn a_tweak_overrides_all_other_options_of_a_list() {
    let server = ApiServer::start().await;
    for number in 0..5 {
        server.put("pods", pod("default", &format!("pod-{number}")));
    }
    let factory = SharedInformerFactory::new(server.client());
    let options = InformerOptions::new()
        .reflector(ReflectorConfig::default().list_mode(ListMode::Chunked))
        .tweak(|query| {
            if !query.is_watch() {
                query.set("resourceVersion", "");
                query.set("limit", "2");
            }
        });
    let pods: SharedInformer<Pod> = factory.informer_with(options).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(pods.lister().len(), 5);
    let lists = server.requests().iter().filter(|request| request.verb == Some(Verb::List)).count();
    assert_eq!(lists, 3, "two, two, one");
    running.shutdown().await;
}

// holds: X18, F11
#[tokio::test(start_paused = true)]
async fn an_informer_stops_with_its_last_user_and_a_new_request_starts_afresh() {
    let server = ApiServer::start().await;
    server.put("pods", pod("default", "web"));
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let lister = pods.lister();
    let handler = pods.add_handler(Handler::new().on_add(|_: &Object<Pod>, _| {})).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    drop(pods);
    drop(lister);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(factory.stats().len(), 1, "a handler that was not removed counts");
    handler.remove().await;
    running.finished().await;
    assert_eq!(factory.stats().len(), 0);

    let pods = factory.informer::<Pod>();
    assert_eq!(pods.lifecycle(), Lifecycle::New);
    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(pods.lister().len(), 1);
    running.shutdown().await;
}

// holds: X24, F6
#[tokio::test(start_paused = true)]
async fn factories_are_independent_and_leave_no_task_behind() {
    let server = ApiServer::start().await;
    let (one, other) =
        (SharedInformerFactory::new(server.client()), SharedInformerFactory::new(server.client()));
    let (pods, other_pods) = (one.informer::<Pod>(), other.informer::<Pod>());
    let (running, other_running) = (one.start(), other.start());
    running.synced().await.unwrap();
    other_running.synced().await.unwrap();
    running.shutdown().await;
    assert_eq!(pods.lifecycle(), Lifecycle::Stopped);
    assert_eq!(other_pods.lifecycle(), Lifecycle::Started);
    other_running.shutdown().await;
    let metrics = tokio::runtime::Handle::current().metrics();
    drop((one, other, pods, other_pods));
    // The buffer worker of kube-client ends when its client is dropped.
    for _ in 0..100 {
        if metrics.num_alive_tasks() == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(metrics.num_alive_tasks(), 0);
}

// holds: F8, L2
#[tokio::test(start_paused = true)]
async fn the_namespace_index_exists_by_default() {
    let server = ApiServer::start().await;
    for (namespace, name) in [("a", "one"), ("a", "two"), ("b", "one")] {
        server.put("pods", pod(namespace, name));
    }
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(pods.lister().by_index("namespace", "a").unwrap().len(), 2);
    assert_eq!(pods.lister().namespace("b").list().len(), 1);
    running.shutdown().await;
}

// holds: L1, L3, L7, X21
#[tokio::test(start_paused = true)]
async fn a_lister_selects_by_label_and_reports_not_found_as_the_api_does() {
    let server = ApiServer::start().await;
    for name in ["web", "db"] {
        server.put("pods", pod("default", name));
    }
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    let lister = pods.lister();
    assert_eq!(lister.select(&"app=web".parse().unwrap()).len(), 1);
    assert_eq!(lister.namespace("default").select(&"app notin (web)".parse().unwrap()).len(), 1);
    assert_eq!(lister.select(&"".parse().unwrap()).len(), 2);
    assert!(lister.namespace("default").get("web").is_some() && lister.get("default/web").is_some());
    assert!(lister.namespace("default").get("missing").is_none());
    let missing = lister.require("default/missing").unwrap_err();
    assert!(matches!(&missing, ReadError::NotFound { key, .. } if key == "default/missing"), "{missing:?}");
    assert_eq!(missing.to_string(), "pods \"default/missing\" not found");
    // The empty namespace means all namespaces.
    assert_eq!(lister.namespace("").list().len(), 2);
    assert_eq!(lister.namespace("").select(&"app=web".parse().unwrap()).len(), 1);
    assert!(lister.namespace("").get("web").is_none());
    running.shutdown().await;
}

// holds: F2
#[tokio::test(start_paused = true)]
async fn options_of_a_kind_override_those_of_the_factory() {
    let server = ApiServer::start().await;
    server.put("pods", pod("default", "web"));
    server.put("configmaps", json!({ "metadata": { "namespace": "default", "name": "settings" } }));
    let factory = SharedInformerFactory::builder(server.client())
        .resync(Duration::from_secs(10))
        .for_kind::<ConfigMap>(InformerOptions::new().resync(Duration::ZERO))
        .build();
    let calls = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let count = |which: usize| {
        let calls = Arc::clone(&calls);
        move || {
            calls[which].fetch_add(1, Ordering::SeqCst);
        }
    };
    let (pods, maps) = (factory.informer::<Pod>(), factory.informer::<ConfigMap>());
    let (of_pods, of_maps) = (count(0), count(1));
    pods.add_handler(Handler::new().on_update(move |_: &Object<Pod>, _| of_pods())).unwrap();
    maps.add_handler(Handler::new().on_update(move |_: &Object<ConfigMap>, _| of_maps())).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    tokio::time::sleep(Duration::from_millis(25_500)).await;
    assert_eq!(calls.each_ref().map(|count| count.load(Ordering::SeqCst)), [2, 0]);
    running.shutdown().await;
}

// holds: D3, F9
#[tokio::test(start_paused = true)]
async fn wrong_use_is_a_typed_error() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    assert!(SharedInformerFactory::builder(server.client()).namespaces([""]).is_err());
    assert!(SharedInformerFactory::builder(server.client()).namespaces(["No Such"]).is_err());
    let mut nothing = Pod::resource();
    nothing.plural = "".into();
    assert!(factory.dynamic(nothing).is_err());
    let pods = factory.informer::<Pod>();
    assert!(pods.set_namespaces(["a/b"]).is_err());
    assert!(pods.add_handler(Handler::<Pod>::new().named("")).is_err());
    assert!(pods.lister().by_index("missing", "x").is_err());
    let running = factory.start();
    running.synced().await.unwrap();
    running.shutdown().await;
    assert!(
        pods.add_handler(Handler::<Pod>::new())
            .is_err_and(|error| error.to_string().ends_with("has stopped already"))
    );
    assert!(Key::parse("a/b/c").is_err());
}

#[tokio::test(start_paused = true)]
async fn no_more_lists_than_allowed_run_at_the_same_time() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Delay(Duration::from_secs(30)).always());
    let factory = SharedInformerFactory::builder(server.client()).concurrent_lists_max(2).build();
    let informers = (factory.informer::<Pod>(), factory.informer::<Node>(), factory.informer::<ConfigMap>());
    let running = factory.start();
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(server.requests().len(), 2, "two lists are complete, the third has only been requested");
    running.synced().await.unwrap();
    assert_eq!(server.requests().len(), 3, "waiting for a permit is not a failure");
    drop(informers);
    running.shutdown().await;
}

// holds: X2
#[tokio::test(start_paused = true)]
async fn a_tweak_that_panics_is_reported_and_stops_only_its_informer() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods: SharedInformer<Pod> =
        factory.informer_with(InformerOptions::new().tweak(|_| panic!("no such option"))).unwrap();
    let nodes = factory.informer::<Node>();
    let running = factory.start();
    let error = running.synced_within(Duration::from_secs(60)).await.unwrap_err();
    assert!(error.to_string().contains("no such option"), "{error}");
    assert_eq!(pods.health().streams[0].state, tidings::StreamState::Stopped);
    assert!(nodes.is_synced());
    running.shutdown().await;
}
