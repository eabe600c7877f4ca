//! Waiting for a version, to read one's own writes.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::PostParams;
use serde_json::json;
use tidings::{InformerOptions, Key, SharedInformer, SharedInformerFactory, Version, WaitError};
use tidings_apiserver::{ApiServer, Ending};

const MINUTE: Duration = Duration::from_secs(60);

fn put(server: &ApiServer, namespace: &str, name: &str) -> Version {
    let pod = json!({ "metadata": { "namespace": namespace, "name": name }, "spec": { "containers": [] } });
    Version::from(server.put("pods", pod))
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_write_is_waited_for_by_its_version_and_a_deletion_by_its_uid() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    let key = Key::parse("default/web").unwrap();
    let version = put(&server, "default", "web");
    pods.wait_for_object(&key, &version, MINUTE).await.unwrap();
    let cached = pods.lister().get("default/web").unwrap();
    assert!(cached.version().is_at_least(&version));
    let uid = cached.uid().to_owned();
    server.remove("pods", "default/web");
    pods.wait_for_deletion(&key, &uid, MINUTE).await.unwrap();
    assert!(pods.lister().get("default/web").is_none());
    // The object is deleted and the stream has passed the version, so the wait ends.
    pods.wait_for_object(&key, &version, MINUTE).await.unwrap();
    running.shutdown().await;
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_version_is_reached_when_every_namespace_has_passed_it_also_by_bookmark() {
    let server = ApiServer::builder().bookmark_interval(Duration::from_secs(5)).start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods: SharedInformer<Pod> =
        factory.informer_with(InformerOptions::new().namespaces(["a", "b"]).unwrap()).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let version = put(&server, "a", "web");
    pods.wait_for_object(&Key::parse("a/web").unwrap(), &version, MINUTE).await.unwrap();
    let error = pods.wait_for(&version, Duration::from_millis(10)).await.unwrap_err();
    assert!(matches!(error, WaitError::DeadlinePassed { .. }), "{error}");
    pods.wait_for(&version, MINUTE).await.unwrap();
    assert!(pods.lister().version().unwrap().is_at_least(&version));
    running.shutdown().await;
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_wait_that_can_never_end_fails_at_once() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods: SharedInformer<Pod> =
        factory.informer_with(InformerOptions::new().namespaces(["a"]).unwrap()).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let elsewhere = Key::parse("b/web").unwrap();
    let error = pods.wait_for_object(&elsewhere, &Version::from(9999), MINUTE).await.unwrap_err();
    assert!(matches!(error, WaitError::NotWatched { .. }), "{error}");
    let error = pods.wait_for(&Version::new("abc"), MINUTE).await.unwrap_err();
    assert!(matches!(error, WaitError::NoOrder { .. }), "{error}");
    let waiting = async { pods.wait_for(&Version::from(99_999), MINUTE).await.unwrap_err() };
    let stopping = async { pods.stop() };
    let (error, ()) = tokio::join!(waiting, stopping);
    assert!(matches!(error, WaitError::Stopped { .. }), "{error}");
    running.finished().await;
}

// holds: X16, X2
#[tokio::test(start_paused = true)]
async fn a_restored_server_starts_a_new_epoch_and_waits_fail() {
    let server = ApiServer::start().await;
    put(&server, "default", "old");
    let saved = server.save();
    for _ in 0..20 {
        put(&server, "default", "web");
    }
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    let reached = pods.lister().version().unwrap();
    let waiting = async {
        pods.wait_for(&Version::from(reached.number().unwrap() + 10), 100 * MINUTE).await.unwrap_err()
    };
    let restoring = async {
        server.restore(&saved);
        server.faults().cut_watches(Ending::Broken);
    };
    let (error, ()) = tokio::join!(waiting, restoring);
    assert!(matches!(error, WaitError::WentBack { .. }), "{error}");
    assert_eq!(pods.health().epoch, 1);
    assert_eq!(pods.stats().faults.went_back, 1);
    assert!(pods.lister().version().unwrap().is_older_than(&reached));
    assert_eq!(pods.lister().keys().iter().map(ToString::to_string).collect::<Vec<_>>(), ["default/old"]);
    running.shutdown().await;
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_written_object_is_waited_for_unless_its_labels_exclude_it() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let options = InformerOptions::new().labels("app=web".parse().unwrap());
    let pods: SharedInformer<Pod> = factory.informer_with(options).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let api: Api<Pod> = Api::default_namespaced(server.client());
    let pod = |name: &str, app: &str| {
        let pod = json!({
            "metadata": { "name": name, "labels": { "app": app } },
            "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
        });
        serde_json::from_value(pod).unwrap()
    };
    let web = api.create(&PostParams::default(), &pod("web", "web")).await.unwrap();
    pods.wait_for_written(&web.metadata, MINUTE).await.unwrap();
    assert!(pods.lister().get("default/web").is_some());
    let db = api.create(&PostParams::default(), &pod("db", "db")).await.unwrap();
    let error = pods.wait_for_written(&db.metadata, MINUTE).await.unwrap_err();
    assert!(matches!(error, WaitError::NotWatched { .. }), "{error}");
    let error = pods.wait_for_written(&Default::default(), MINUTE).await.unwrap_err();
    assert!(matches!(error, WaitError::NotWritten { .. }), "{error}");
    running.shutdown().await;
}
