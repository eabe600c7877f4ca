//! Waiting for a condition: no change is missed, each state is checked once, and the error contains the last state.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{Condition, ControllerError, await_condition, await_condition_on};
use tidings_factory::{Running, SharedInformerFactory};
use tidings_informer::{SharedInformer, WaitError};
use tidings_object::{Key, Kind, Object};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

async fn pods(server: &ApiServer) -> (SharedInformer<Pod>, Running) {
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    (pods, factory.start())
}

fn put_pod(server: &ApiServer, name: &str, phase: &str) {
    server.put(
        "pods",
        json!({
            "metadata": { "namespace": "shop", "name": name },
            "spec": { "containers": [] },
            "status": { "phase": phase },
        }),
    );
}

fn web() -> Key {
    Key::parse("shop/web").unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_wait_returns_the_object_when_the_condition_becomes_true() {
    let server = ApiServer::start().await;
    let (pods, running) = pods(&server).await;
    let condition = Condition::is_running();
    let key = web();
    let waiting = await_condition(&pods, &key, &condition, MINUTE);
    let writing = async {
        sleep(SECOND).await;
        put_pod(&server, "web", "Pending");
        sleep(SECOND).await;
        put_pod(&server, "web", "Running");
    };
    let before = Instant::now();
    let (pod, ()) = tokio::join!(waiting, writing);
    let pod = pod.unwrap().unwrap();
    assert_eq!(pod.field(".status.phase").unwrap().to_string(), "Running");
    assert!(before.elapsed() < 3 * SECOND, "woken by the change");
    // It returns immediately if the condition holds already.
    await_condition(&pods, &web(), &condition, Duration::ZERO).await.unwrap();
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn no_change_is_missed_at_any_time() {
    let server = ApiServer::start().await;
    let (pods, running) = pods(&server).await;
    for round in 0..200_u32 {
        let name = format!("web-{round}");
        let key = Key::new(Some("shop"), &name).unwrap();
        let exists = Condition::exists();
        let waiting = await_condition(&pods, &key, &exists, MINUTE);
        let writing = async {
            for _ in 0..round % 20 {
                tokio::task::yield_now().await;
            }
            put_pod(&server, &name, "Running");
        };
        let (pod, ()) = tokio::join!(waiting, writing);
        assert!(pod.unwrap().is_some());
    }
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_error_of_a_deadline_contains_the_last_state() {
    let server = ApiServer::start().await;
    let (pods, running) = pods(&server).await;
    let check = async |expected: &str| {
        let error = await_condition(&pods, &web(), &Condition::is_running(), SECOND).await.unwrap_err();
        assert!(matches!(error, ControllerError::ConditionTimeout { .. }));
        assert_eq!(
            error.to_string(),
            format!("pods shop/web: not within 1s that it is running; last seen: {expected}")
        );
    };
    check("there is no such object").await;
    put_pod(&server, "web", "Pending");
    let version = server.version();
    check(&format!(r#"version {version}, status {{"phase":"Pending"}}"#)).await;
    server.put("pods", json!({ "metadata": { "namespace": "shop", "name": "web" } }));
    let version = server.version();
    check(&format!("version {version}, no status")).await;
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn before_the_first_list_no_object_counts_as_absent() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "Running");
    server.faults().inject(Fault::Status { code: 503, retry_after_seconds: None }.always());
    let (pods, running) = pods(&server).await;
    let error = await_condition(&pods, &web(), &Condition::is_deleted("any"), 5 * SECOND).await.unwrap_err();
    let ControllerError::ConditionTimeout { last_seen, .. } = error else { panic!("{error}") };
    assert!(last_seen.contains("the cache has not synced") && last_seen.contains("503"), "{last_seen}");
    server.faults().clear();
    await_condition(&pods, &web(), &Condition::is_running(), 5 * MINUTE).await.unwrap();
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn is_deleted_compares_the_uid_even_if_another_object_has_the_name() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "Running");
    let (pods, running) = pods(&server).await;
    let pod = await_condition(&pods, &web(), &Condition::exists(), MINUTE).await.unwrap().unwrap();
    let is_gone = Condition::is_deleted(pod.uid());
    let error = await_condition(&pods, &web(), &is_gone, SECOND).await.unwrap_err();
    assert!(error.to_string().contains("is deleted (uid "), "{error}");
    server.remove("pods", "shop/web");
    assert!(await_condition(&pods, &web(), &is_gone, MINUTE).await.unwrap().is_none());
    put_pod(&server, "web", "Running");
    await_condition(&pods, &web(), &Condition::exists(), MINUTE).await.unwrap();
    let another = await_condition(&pods, &web(), &is_gone, MINUTE).await.unwrap();
    assert_ne!(another.unwrap().uid(), pod.uid());
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_condition_is_checked_once_for_each_state_of_its_object() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "Pending");
    let (pods, running) = pods(&server).await;
    let checks = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&checks);
    let never = Condition::new("never is", move |_: &Pod| {
        counter.fetch_add(1, Ordering::Relaxed);
        false
    });
    let key = web();
    let waiting = await_condition(&pods, &key, &never, MINUTE);
    let writing = async {
        for round in 0..20 {
            sleep(SECOND).await;
            put_pod(&server, &format!("other-{round}"), "Running");
        }
        put_pod(&server, "web", "Running");
    };
    let (ended, ()) = tokio::join!(waiting, writing);
    assert!(ended.is_err());
    assert_eq!(checks.load(Ordering::Relaxed), 2);
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cant_be_decoded_does_not_meet_the_condition_and_the_error_contains_why() {
    let server = ApiServer::start().await;
    server.put("pods", json!({ "metadata": { "namespace": "shop", "name": "web" }, "spec": 7 }));
    let (pods, running) = pods(&server).await;
    let any = Condition::new("is any", |_: &Pod| true);
    let error = await_condition(&pods, &web(), &any, SECOND).await.unwrap_err();
    assert!(error.to_string().contains("decoding pods shop/web as"), "{error}");
    assert!(error.to_string().contains("expected PodSpec"), "{error}");
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_the_informer_stops_or_does_not_watch_the_namespace() {
    let server = ApiServer::start().await;
    let (pods, running) = pods(&server).await;
    let never = Condition::exists();
    let key = web();
    let waiting = await_condition(&pods, &key, &never, MINUTE);
    let stopping = async {
        sleep(SECOND).await;
        pods.set_namespaces(["elsewhere"]).unwrap();
    };
    let (ended, ()) = tokio::join!(waiting, stopping);
    assert!(
        matches!(ended, Err(ControllerError::ConditionUnknown { source: WaitError::NotWatched { .. }, .. })),
        "{ended:?}"
    );
    let elsewhere = Key::parse("elsewhere/web").unwrap();
    let waiting = await_condition(&pods, &elsewhere, &never, MINUTE);
    let stopping = async {
        sleep(SECOND).await;
        pods.stop();
    };
    let (ended, ()) = tokio::join!(waiting, stopping);
    assert!(
        matches!(ended, Err(ControllerError::ConditionUnknown { source: WaitError::Stopped { .. }, .. })),
        "{ended:?}"
    );
    running.finished().await;
}

#[tokio::test(start_paused = true)]
async fn without_an_informer_only_the_object_is_watched_and_only_during_the_wait() {
    let server = ApiServer::start().await;
    put_pod(&server, "other", "Running");
    let condition = Condition::is_running();
    let client = server.client();
    let key = web();
    let waiting = await_condition_on(&client, &key, &condition, MINUTE);
    let writing = async {
        sleep(SECOND).await;
        put_pod(&server, "web", "Running");
    };
    let (pod, ()) = tokio::join!(waiting, writing);
    assert_eq!(pod.unwrap().unwrap().name(), "web");
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.query.contains("metadata.name%3Dweb")), "{requests:?}");
    assert!(requests.iter().all(|request| request.path == "/api/v1/namespaces/shop/pods"), "{requests:?}");
    let sent = requests.len();
    sleep(20 * MINUTE).await;
    assert_eq!(server.requests().len(), sent, "nothing is watched afterwards");
}

/// Whether a condition holds for an object in an informer's cache.
async fn holds<K: Kind>(plural: &str, object: Option<Value>, condition: Condition<K>) -> bool {
    let server = ApiServer::start().await;
    let key = Key::parse("shop/web").unwrap();
    let key = if plural == "customresourcedefinitions" { Key::parse("webs.shop").unwrap() } else { key };
    if let Some(mut object) = object {
        object["metadata"]["name"] = json!(key.name());
        if let Some(namespace) = key.namespace() {
            object["metadata"]["namespace"] = json!(namespace);
        }
        server.put_silently(plural, object);
    }
    let factory = SharedInformerFactory::new(server.client());
    let informer = factory.informer::<K>();
    let running = factory.start();
    running.synced().await.unwrap();
    let holds = condition.holds(informer.lister().get(key.as_str()).as_ref()).unwrap();
    running.shutdown().await;
    holds
}

#[tokio::test(start_paused = true)]
async fn the_conditions_of_pods_deployments_and_definitions_hold_when_they_are_ready() {
    assert!(!holds("pods", None, Condition::is_running()).await);
    assert!(!holds("pods", Some(json!({})), Condition::is_running()).await);
    assert!(holds("pods", Some(json!({ "status": { "phase": "Running" } })), Condition::is_running()).await);

    let ready = |status: &str| {
        let conditions =
            json!([{ "type": "Other", "status": "True" }, { "type": "Ready", "status": status }]);
        json!({ "status": { "conditions": conditions } })
    };
    let is_ready = || Condition::<Pod>::has_condition("Ready", "True");
    assert!(!holds("pods", Some(json!({})), is_ready()).await);
    assert!(!holds("pods", Some(ready("False")), is_ready()).await);
    assert!(holds("pods", Some(ready("True")), is_ready()).await);

    let deployment = |replicas: Value, counts: [i64; 3], observed: i64| {
        let [all, updated, available] = counts;
        json!({
            "metadata": { "generation": 2 },
            "spec": { "replicas": replicas },
            "status": { "replicas": all, "updatedReplicas": updated, "availableReplicas": available,
                "observedGeneration": observed },
        })
    };
    let check = async |deployment: Value, expected: bool| {
        assert_eq!(
            holds::<Deployment>("deployments.apps", Some(deployment), Condition::is_complete()).await,
            expected
        );
    };
    check(deployment(json!(3), [3, 3, 3], 2), true).await;
    check(deployment(json!(null), [1, 1, 1], 2), true).await;
    check(deployment(json!(0), [0, 0, 0], 2), true).await;
    check(deployment(json!(3), [3, 3, 2], 2), false).await;
    check(deployment(json!(3), [4, 3, 3], 2), false).await;
    check(deployment(json!(3), [3, 2, 3], 2), false).await;
    check(deployment(json!(3), [3, 3, 3], 1), false).await;
    check(json!({ "spec": {} }), false).await;

    let established = json!({ "status": { "conditions": [{ "type": "Established", "status": "True" }] } });
    let holds_for = async |definition| {
        holds::<CustomResourceDefinition>(
            "customresourcedefinitions",
            Some(definition),
            Condition::is_established(),
        )
        .await
    };
    assert!(holds_for(established).await);
    assert!(!holds_for(json!({})).await);
}

#[test]
fn combined_conditions_have_combined_texts() {
    let yes = || Condition::<ConfigMap>::on_object("is", |_| Ok(true));
    let no = || Condition::<ConfigMap>::on_object("is not", |_| Ok(false));
    let nothing: Option<&Object<ConfigMap>> = None;
    let check = |condition: Condition<ConfigMap>, words: &str, expected: bool| {
        assert_eq!((condition.to_string().as_str(), condition.holds(nothing).unwrap()), (words, expected));
    };
    check(yes().and(no()), "(is and is not)", false);
    check(yes().and(yes()), "(is and is)", true);
    check(no().or(yes()), "(is not or is)", true);
    check(no().or(no()), "(is not or is not)", false);
    check(no().not().and(yes()), "(not is not and is)", true);
}
