//! Which changes cause which requests, and in which order they are reconciled.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use serde_json::{Value, json};
use tidings_controller::{
    Action, Controller, ControllerBuilder, ControllerError, Notification, Owned, Predicate, Request,
    RequestReason, Watched,
};
use tidings_factory::InformerOptions;
use tidings_informer::Lister;
use tokio_util::sync::CancellationToken;

use crate::controller::harness::{RequestLog, TestCluster, config_maps, settle};

/// A secret with these owners. The first is its controller.
fn owned_secret(name: &str, owners: &[&str]) -> Value {
    let reference = |(at, owner): (usize, &&str)| {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": format!("uid-{owner}"),
            "controller": at == 0 })
    };
    let references: Vec<_> = owners.iter().enumerate().map(reference).collect();
    json!({ "metadata": { "name": name, "ownerReferences": references } })
}

fn requests_for_data(change: &Notification<Secret>) -> Vec<Request> {
    let names = change.objects().filter_map(|secret| {
        let name = secret.field(".metadata.annotations.for").ok()?;
        Request::new(secret.namespace(), &name.text()?).ok()
    });
    names.collect()
}

fn annotated_secret(name: &str, wanted: &str) -> Value {
    json!({ "metadata": { "name": name, "annotations": { "for": wanted } } })
}

#[tokio::test(start_paused = true)]
async fn an_object_is_requested_when_it_is_added_updated_and_deleted() {
    let cluster = TestCluster::new().await;
    cluster.put("early");
    let requests = RequestLog::new();
    let started = cluster.start_synced(config_maps().reconcile(requests.reconciler())).await;
    assert_eq!(requests.take(), ["early"]);
    for data in [json!({}), json!({ "a": "b" })] {
        cluster.put_with("late", data);
        settle().await;
        assert_eq!(requests.take(), ["late"]);
    }
    cluster.remove("early");
    settle().await;
    assert_eq!(requests.take(), ["early"]);
    let reasons: Vec<_> =
        started.handle.stats().requests.iter().map(|request| (request.reason, request.count)).collect();
    let each = [RequestReason::Initial, RequestReason::Added, RequestReason::Updated, RequestReason::Deleted];
    assert_eq!(reasons, each.map(|reason| (reason, 1)));
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_owned_object_requests_its_owner_and_after_a_change_of_owner_both() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let controller = config_maps().owns::<Secret>().reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    // Only the controller among the owners, and only of the reconciled kind.
    cluster.server.put("secrets", owned_secret("s", &["one", "other"]));
    settle().await;
    assert_eq!(requests.take(), ["one"]);
    cluster.server.put("secrets", owned_secret("s", &["two", "other"]));
    settle().await;
    assert_eq!(requests.take(), ["one", "two"]);
    cluster.server.remove("secrets", "default/s");
    settle().await;
    assert_eq!(requests.take(), ["two"]);
    let mut stranger = owned_secret("s", &["one"]);
    stranger["metadata"]["ownerReferences"][0]["kind"] = json!("Pod");
    cluster.server.put("secrets", stranger);
    cluster.server.put("secrets", json!({ "metadata": { "name": "free" } }));
    settle().await;
    assert_eq!(requests.take(), [""; 0]);
    started.shutdown().await;
}

// holds: X28
#[tokio::test(start_paused = true)]
async fn when_the_controller_flag_moves_between_two_owners_both_are_requested() {
    let cluster = TestCluster::new().await;
    for name in ["one", "two"] {
        cluster.put(name);
    }
    let requests = RequestLog::new();
    let controller = config_maps().owns::<Secret>().reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    // Cached owners are found by uid, others by name.
    for is_cached in [true, false] {
        let mut secret = owned_secret("s", &["one", "two"]);
        if is_cached {
            for (at, owner) in ["default/one", "default/two"].into_iter().enumerate() {
                let uid = cluster.server.object("configmaps", owner).unwrap()["metadata"]["uid"].clone();
                secret["metadata"]["ownerReferences"][at]["uid"] = uid;
            }
        }
        cluster.server.put("secrets", secret.clone());
        settle().await;
        requests.take();
        for (at, flag) in [false, true].into_iter().enumerate() {
            secret["metadata"]["ownerReferences"][at]["controller"] = json!(flag);
        }
        cluster.server.put("secrets", secret);
        settle().await;
        assert_eq!(requests.take(), ["one", "two"], "cached: {is_cached}");
        cluster.server.remove("secrets", "default/s");
        settle().await;
        assert_eq!(requests.take(), ["two"], "cached: {is_cached}");
    }
    started.shutdown().await;
}

// holds: X28
#[tokio::test(start_paused = true)]
async fn when_the_name_of_an_owner_changes_and_its_uid_does_not_both_names_are_requested() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let controller = config_maps().owns::<Secret>().reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    let mut secret = owned_secret("s", &["one"]);
    cluster.server.put("secrets", secret.clone());
    settle().await;
    assert_eq!(requests.take(), ["one"]);
    secret["metadata"]["ownerReferences"][0]["name"] = json!("two");
    cluster.server.put("secrets", secret);
    settle().await;
    assert_eq!(requests.take(), ["one", "two"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_cached_owner_is_found_by_uid_and_any_other_by_name() {
    let cluster = TestCluster::new().await;
    for name in ["one", "two"] {
        cluster.put(name);
    }
    let uid_of = |name| cluster.server.object("configmaps", name).unwrap()["metadata"]["uid"].clone();
    let requests = RequestLog::new();
    let controller =
        config_maps().owns_with(Owned::<Secret>::new().every_owner()).reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    requests.take();
    let mut secret = owned_secret("s", &["misnamed", "two"]);
    for (at, owner) in ["default/one", "default/two"].into_iter().enumerate() {
        secret["metadata"]["ownerReferences"][at]["uid"] = uid_of(owner);
    }
    cluster.server.put("secrets", secret.clone());
    settle().await;
    assert_eq!(requests.take(), ["one", "two"]);
    // If one owner is not cached, all are read by name from the body.
    secret["metadata"]["ownerReferences"][1]["uid"] = json!("of-an-object-that-is-to-come");
    cluster.server.remove("secrets", "default/s");
    settle().await;
    requests.take();
    cluster.server.put("secrets", secret.clone());
    settle().await;
    assert_eq!(requests.take(), ["misnamed", "two"]);
    // An object in another namespace is not an owner.
    cluster.server.put("configmaps", json!({ "metadata": { "name": "far", "namespace": "elsewhere" } }));
    settle().await;
    requests.take();
    secret["metadata"]["name"] = json!("t");
    secret["metadata"]["ownerReferences"] = json!([secret["metadata"]["ownerReferences"][0]]);
    secret["metadata"]["ownerReferences"][0]["uid"] = uid_of("elsewhere/far");
    cluster.server.put("secrets", secret);
    settle().await;
    assert_eq!(requests.take(), ["misnamed"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn every_owner_is_requested_if_configured_and_metadata_suffices() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let log = requests.clone();
    let controller = config_maps().owns_with(Owned::<Secret>::metadata().every_owner()).reconcile(
        move |request: Request, context: tidings_controller::Context| {
            log.record(&request);
            assert_eq!(context.metadata::<Secret>().unwrap().len(), 1);
            async { Ok(Action::await_change()) }
        },
    );
    let started = cluster.start_synced(controller).await;
    let mut secret = owned_secret("s", &["one", "two"]);
    secret["data"] = json!({ "key": "aGVhdnk=" });
    cluster.server.put("secrets", secret);
    settle().await;
    assert_eq!(requests.take(), ["one", "two"]);
    let accepts: Vec<_> =
        cluster.server.requests().into_iter().map(|request| format!("{request:?}")).collect();
    assert!(
        accepts
            .iter()
            .filter(|text| text.contains("secrets"))
            .all(|text| text.contains("PartialObjectMetadata")),
        "{accepts:#?}"
    );
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_cluster_scoped_owner_is_requested_without_a_namespace() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let controller = Controller::for_kind::<Namespace>("spaces")
        .options(InformerOptions::new().labels("owner=yes".parse().unwrap()))
        .owns::<Secret>()
        .reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    let mut secret = owned_secret("s", &["space"]);
    secret["metadata"]["ownerReferences"][0]["kind"] = json!("Namespace");
    cluster.server.put("secrets", secret);
    settle().await;
    assert_eq!(requests.take(), ["space"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_map_sees_old_and_new_objects_and_each_watch_has_its_own_predicates() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let controller = config_maps()
        .watches_with(Watched::<Secret>::new(requests_for_data).predicate(Predicate::annotations_changed()))
        .watches::<Deployment>(|change| vec![Request::from(change.object().key())])
        .reads::<Namespace>()
        .reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    cluster.server.put("secrets", annotated_secret("s", "one"));
    settle().await;
    cluster.server.put("secrets", annotated_secret("s", "two"));
    settle().await;
    assert_eq!(requests.take(), ["one", "one", "two"]);
    let mut labelled = annotated_secret("s", "two");
    labelled["metadata"]["labels"] = json!({ "a": "b" });
    cluster.server.put("secrets", labelled);
    cluster.server.put("deployments.apps", json!({ "metadata": { "name": "web" } }));
    cluster.server.put("namespaces", json!({ "metadata": { "name": "unheard" } }));
    settle().await;
    assert_eq!(requests.take(), ["web"]);
    let filtered =
        started.handle.stats().requests.into_iter().find(|count| count.reason == RequestReason::Filtered);
    assert_eq!(filtered.map(|count| (count.source, count.count)), Some(("secrets".to_owned(), 1)));
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_predicate_of_the_own_kind_rejects_changes_of_other_fields() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let controller = config_maps()
        .predicate(Predicate::labels_changed().or(Predicate::annotations_changed()))
        .predicate(Predicate::new(|change: &Notification<ConfigMap>| change.object().name() != "never"))
        .reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    cluster.put("never");
    settle().await;
    assert_eq!(requests.take(), ["map"]);
    cluster.put_with("map", json!({ "a": "b" }));
    settle().await;
    assert_eq!(requests.take(), [""; 0]);
    cluster.server.put("configmaps", json!({ "metadata": { "name": "map", "labels": { "a": "b" } } }));
    settle().await;
    assert_eq!(requests.take(), ["map"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_predicate_that_panics_accepts() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let predicate = Predicate::new(|_: &Notification<ConfigMap>| panic!("on purpose"));
    let controller = config_maps().predicate(predicate).reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    settle().await;
    assert_eq!(requests.take(), ["map"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn live_changes_are_reconciled_before_the_initial_list_and_resyncs() {
    let cluster = TestCluster::new().await;
    for name in ["a", "b", "c"] {
        cluster.put(name);
    }
    let requests = RequestLog::new();
    let log = requests.clone();
    let second = Duration::from_secs(1);
    let controller = config_maps().options(InformerOptions::new().resync(60 * second)).reconcile(
        move |request: Request, _| {
            log.record(&request);
            async move {
                tokio::time::sleep(second).await;
                Ok(Action::await_change())
            }
        },
    );
    let started = cluster.start_synced(controller).await;
    // One object of the list is being reconciled, and two wait.
    cluster.put("live");
    tokio::time::sleep(5 * second).await;
    assert_eq!(requests.take()[1], "live");
    // The resync requests all four; then one of them changes.
    tokio::time::sleep(55 * second + second / 2).await;
    cluster.put_with("live", json!({ "a": "b" }));
    tokio::time::sleep(5 * second).await;
    let resynced = requests.take();
    assert_eq!(resynced.len(), 4, "{resynced:?}");
    assert!(resynced[..2].contains(&"live".to_owned()), "{resynced:?}");
    let resyncs =
        started.handle.stats().requests.into_iter().find(|count| count.reason == RequestReason::Resync);
    assert_eq!(resyncs.map(|count| count.count), Some(4));
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn many_changes_in_a_debounce_window_cause_one_reconcile() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let window = Duration::from_millis(100);
    let controller = config_maps().debounce(window).reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    // It changes all the time, and is still reconciled.
    for round in 0..30 {
        cluster.put_with("busy", json!({ "round": round.to_string() }));
        tokio::time::sleep(window / 10).await;
    }
    tokio::time::sleep(window).await;
    let reconciles = requests.times("busy").len();
    assert!((3..=4).contains(&reconciles), "{:?}", requests.times("busy"));
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_with_many_requests_does_not_delay_others() {
    let cluster = TestCluster::new().await;
    for name in 0..50 {
        cluster.put(&format!("many-{name}"));
    }
    cluster.server.put("configmaps", json!({ "metadata": { "name": "few", "namespace": "kube-system" } }));
    let requests = RequestLog::new();
    let controller = config_maps().fair_by_namespace().reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    let at = requests.take().iter().position(|name| name == "kube-system/few");
    assert!(at.is_some_and(|at| at < 3), "{at:?}");
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_through_the_handle_is_reconciled() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(config_maps().reconcile(requests.reconciler())).await;
    started.handle.request(Request::new(Some("default"), "unknown").unwrap());
    settle().await;
    assert_eq!(requests.take(), ["unknown"]);
    started.shutdown().await;
}

/// The config maps of the same application. It also reads the cache of the informer that calls it.
fn maps_of_application(
    change: &Notification<Secret>,
    maps: &Lister<ConfigMap>,
    secrets: &Lister<Secret>,
) -> Vec<Request> {
    let secret = change.object();
    assert_eq!(secrets.get(&secret.key().to_key()).is_some(), change.new().is_some());
    let app = secret.labels().value("app").map(str::to_owned);
    let all = maps.list().into_iter();
    let concerned = all.filter(|map| map.labels().value("app").map(str::to_owned) == app);
    concerned.map(|map| Request::from(map.key())).collect()
}

/// Checks a controller with the map [`maps_of_application`]: a change of a secret requests two of three config maps.
async fn check_map_of_application(cluster: TestCluster, builder: ControllerBuilder<ConfigMap>) {
    for name in ["one", "two", "other"] {
        let labels = json!({ "app": if name == "other" { "b" } else { "a" } });
        cluster.server.put("configmaps", json!({ "metadata": { "name": name, "labels": labels } }));
    }
    let requests = RequestLog::new();
    let controller = builder.reconcile(requests.reconciler());
    let started = cluster.start_synced(controller).await;
    requests.take();
    let secret = json!({ "metadata": { "name": "s", "labels": { "app": "a" } } });
    cluster.server.put("secrets", secret);
    settle().await;
    let mut taken = requests.take();
    taken.sort();
    assert_eq!(taken, ["one", "two"]);
    cluster.server.remove("secrets", "default/s");
    settle().await;
    assert_eq!(requests.take().len(), 2);
    started.shutdown().await;
    // The handler is removed with the controller, and with it the listers: the informers stop.
    settle().await;
    assert!(cluster.factory.stats().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_map_can_read_caches_through_captured_listers() {
    let cluster = TestCluster::new().await;
    let maps = cluster.factory.informer::<ConfigMap>().lister();
    let secrets = cluster.factory.informer::<Secret>().lister();
    let builder = config_maps().watches::<Secret>(move |change| maps_of_application(change, &maps, &secrets));
    check_map_of_application(cluster, builder).await;
}

#[tokio::test(start_paused = true)]
async fn a_map_with_a_context_reads_the_caches_of_its_controller() {
    let cluster = TestCluster::new().await;
    let watched = Watched::<Secret>::with_context(|change, context| {
        Ok(maps_of_application(change, &context.lister()?, &context.lister()?))
    });
    check_map_of_application(cluster, config_maps().watches_with(watched)).await;
}

// holds: X63
#[tokio::test(start_paused = true)]
async fn a_map_that_reads_an_undeclared_kind_ends_the_controller_with_an_error_that_names_the_line_to_add() {
    let cluster = TestCluster::new().await;
    let watched = Watched::<Secret>::with_context(|_, context| {
        context.lister::<Namespace>()?;
        Ok(Vec::new())
    });
    let controller =
        config_maps().watches_with(watched).reconcile(|_, _| async { Ok(Action::await_change()) });
    let (_, task) = controller.attach(&cluster.factory).unwrap();
    let running = cluster.factory.start();
    cluster.server.put("secrets", json!({ "metadata": { "name": "s" } }));
    let ended = tokio::time::timeout(Duration::from_secs(60), task.run(CancellationToken::new())).await;
    let error = ended.expect("it ends by itself").unwrap_err();
    assert!(matches!(error, ControllerError::Map { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("has no cache of namespaces: declare it with `.reads::<"), "{text}");
    assert!(text.contains("before the watched kind") && text.contains("secrets"), "{text}");
    running.shutdown().await;
}
