//! Controllers that wake themselves: reported once, with the object and the fields that keep changing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::params::{Patch, PatchParams};
use serde_json::json;
use tidings_controller::{
    Action, Context, Controller, ControllerBuilder, Error, LoopReport, Request, set_controller,
};
use tidings_object::Kind;

use crate::controller::harness::{TestCluster, config_maps, settle};

/// The tests write this often, so that a loop ends some time.
const WRITES: u64 = 100;

type Reports = Arc<Mutex<Vec<LoopReport>>>;

fn reporting<K: Kind + 'static>(builder: ControllerBuilder<K>) -> (ControllerBuilder<K>, Reports) {
    let reports = Reports::default();
    let pushed = Arc::clone(&reports);
    (builder.on_loop(move |report| pushed.lock().unwrap().push(report.clone())), reports)
}

/// Counts up in the map until the next multiple of [`WRITES`].
async fn count_up(request: &Request, context: &Context) -> Result<(), Error> {
    let Some(map) = context.get::<ConfigMap>(request).await? else { return Ok(()) };
    let count = |name: &str| map.data.as_ref().and_then(|data| data.get(name)?.parse().ok()).unwrap_or(0_u64);
    if count("count") < count("until") {
        let patch = Patch::Merge(json!({ "data": { "count": (count("count") + 1).to_string() } }));
        context.api::<ConfigMap>().patch(request.name(), &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

async fn loop_once(cluster: &TestCluster, round: u64) {
    let data = json!({ "count": (round * WRITES).to_string(), "until": ((round + 1) * WRITES).to_string() });
    cluster.put_with("a", data);
    settle().await;
}

// holds: X76
#[tokio::test(start_paused = true)]
async fn a_controller_that_wakes_itself_is_reported_once_a_minute_with_the_object_and_the_fields() {
    let cluster = TestCluster::new().await;
    let (builder, reports) = reporting(config_maps().loop_limit(20));
    let controller = builder.reconcile(async |request: Request, context: Context| {
        count_up(&request, &context).await?;
        Ok(Action::await_change())
    });
    let started = cluster.start_synced(controller).await;
    loop_once(&cluster, 0).await;
    let seen = reports.lock().unwrap().clone();
    let [report] = &seen[..] else { panic!("one report for 100 wakes: {seen:?}") };
    assert_eq!((&*report.controller, &*report.request.to_string(), report.wakes), ("maps", "default/a", 21));
    assert_eq!(report.objects.len(), 1);
    assert_eq!((&*report.objects[0].resource, report.objects[0].key.as_str()), ("configmaps", "default/a"));
    assert_eq!(report.objects[0].fields, [".data.count"]);
    let text = report.to_string();
    assert!(text.contains("wakes itself for default/a") && text.contains("at .data.count"), "{text}");
    assert_eq!(started.handle.stats().loops, 1);

    loop_once(&cluster, 1).await;
    assert_eq!(started.handle.stats().loops, 1, "in the same minute");
    tokio::time::sleep(Duration::from_secs(60)).await;
    loop_once(&cluster, 2).await;
    assert_eq!(started.handle.stats().loops, 2, "in the next minute");
    assert_eq!(started.handle.stats().errors, 0, "reconciles go on");
    started.shutdown().await;
}

// holds: X76
#[tokio::test(start_paused = true)]
async fn a_loop_through_errors_or_through_several_objects_is_reported_too() {
    for fails in [false, true] {
        let cluster = TestCluster::new().await;
        let (builder, reports) = reporting(config_maps().owns::<Secret>().loop_limit(20));
        let controller = builder.reconcile(move |request: Request, context: Context| async move {
            count_up(&request, &context).await?;
            let map = context.get::<ConfigMap>(&request).await?.ok_or("it exists")?;
            let count = map.data.as_ref().and_then(|data| data.get("count").cloned()).unwrap_or_default();
            let mut secret: Secret = serde_json::from_value(
                json!({ "metadata": { "name": "copy" }, "stringData": { "count": count } }),
            )?;
            set_controller(&mut secret, &*map)?;
            context.api::<Secret>().apply("maps", &secret).await?;
            if fails { Err("on purpose".into()) } else { Ok(Action::await_change()) }
        });
        let started = cluster.start_synced(controller).await;
        loop_once(&cluster, 0).await;
        let seen = reports.lock().unwrap().clone();
        let [report] = &seen[..] else { panic!("fails: {fails}: {seen:?}") };
        let mut objects: Vec<_> = report.objects.iter().map(|object| object.resource.clone()).collect();
        objects.sort();
        assert!(objects.iter().any(|resource| resource == "configmaps"), "{report}");
        assert!(report.to_string().contains(".data.count"), "{report}");
        started.shutdown().await;
    }
}

// holds: X76
#[tokio::test(start_paused = true)]
async fn changes_of_others_and_writes_that_converge_are_no_loop() {
    let cluster = TestCluster::new().await;
    let (builder, reports) = reporting(config_maps().loop_limit(20));
    let controller = builder.reconcile(async |request: Request, context: Context| {
        let map = context.get::<ConfigMap>(&request).await?.ok_or("it exists")?;
        let data = map.data.clone().unwrap_or_default();
        if data.get("seen") != data.get("round") {
            let patch = Patch::Merge(json!({ "data": { "seen": data["round"] } }));
            context.api::<ConfigMap>().patch("a", &PatchParams::default(), &patch).await?;
        }
        Ok(Action::await_change())
    });
    let started = cluster.start_synced(controller).await;
    for round in 0..WRITES {
        // The reconciler writes once for each change, which wakes it once.
        let seen = round.saturating_sub(1).to_string();
        cluster.put_with("a", json!({ "round": round.to_string(), "seen": seen }));
        tokio::time::sleep(Duration::from_secs(4)).await;
    }
    assert_eq!(started.handle.stats().successes, 2 * WRITES - 1, "{:?}", started.handle.stats());
    assert_eq!((reports.lock().unwrap().len(), started.handle.stats().loops), (0, 0));
    started.shutdown().await;
}

// holds: X76
#[tokio::test(start_paused = true)]
async fn a_reconcile_that_a_change_of_another_client_requested_too_does_not_count() {
    for is_alone in [true, false] {
        let cluster = TestCluster::new().await;
        let server = cluster.server.clone();
        let (builder, reports) = reporting(config_maps().loop_limit(20));
        // The debounce merges both changes into one request.
        let controller = builder
            .watches::<Secret>(|_| vec![Request::new(Some("default"), "a").expect("a valid name")])
            .debounce(Duration::from_millis(100))
            .reconcile(move |request: Request, context: Context| {
                let server = server.clone();
                async move {
                    count_up(&request, &context).await?;
                    if !is_alone {
                        server.put("secrets", json!({ "metadata": { "name": "s" } }));
                    }
                    Ok(Action::await_change())
                }
            });
        let started = cluster.start_synced(controller).await;
        let data = json!({ "count": "0", "until": WRITES.to_string() });
        cluster.put_with("a", data);
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert!(started.handle.stats().successes > WRITES, "{:?}", started.handle.stats());
        assert_eq!(reports.lock().unwrap().len(), usize::from(is_alone), "alone: {is_alone}");
        started.shutdown().await;
    }
}

// holds: X76
#[tokio::test(start_paused = true)]
async fn a_new_generation_starts_the_count_again_and_without_a_limit_nothing_is_reported() {
    let cluster = TestCluster::new().await;
    let labels = json!({ "app": "web" });
    let spec = json!({ "replicas": 0, "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] } } });
    let metadata = json!({ "name": "web", "generation": 1 });
    cluster.server.put("deployments.apps", json!({ "metadata": metadata, "spec": spec }));
    let (builder, reports) = reporting(Controller::for_kind::<Deployment>("web").loop_limit(20));
    let controller = builder.reconcile(async |request: Request, context: Context| {
        let web = context.get::<Deployment>(&request).await?.ok_or("it exists")?;
        let replicas = web.spec.replicas.unwrap_or(0);
        if u64::try_from(replicas).is_ok_and(|replicas| replicas < WRITES) {
            let patch = Patch::Merge(json!({ "spec": { "replicas": replicas + 1 } }));
            context.api::<Deployment>().patch("web", &PatchParams::default(), &patch).await?;
        }
        Ok(Action::await_change())
    });
    let started = cluster.start_synced(controller).await;
    settle().await;
    assert!(started.handle.stats().successes > WRITES, "{:?}", started.handle.stats());
    assert_eq!(reports.lock().unwrap().len(), 0);
    started.shutdown().await;

    let cluster = TestCluster::new().await;
    let (builder, reports) = reporting(config_maps().loop_limit(None));
    let controller = builder.reconcile(async |request: Request, context: Context| {
        count_up(&request, &context).await?;
        Ok(Action::await_change())
    });
    let started = cluster.start_synced(controller).await;
    loop_once(&cluster, 0).await;
    assert_eq!((reports.lock().unwrap().len(), started.handle.stats().loops), (0, 0));
    started.shutdown().await;
}
