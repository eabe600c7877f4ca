//! Why a reconcile was requested: objects, versions, fields, and the reconcile that wrote the change.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::params::{Patch, PatchParams};
use serde_json::{Value, json};
use tidings_apiserver::{Ending, Fault, Verb};
use tidings_controller::{
    Action, Causes, Context, ControllerBuilder, Error, Reconciler, Request, RequestReason, WhenStale,
};
use tokio::sync::Notify;

use crate::controller::harness::{TestCluster, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

/// The causes of each reconcile of the map `a`, with the number of the reconcile.
#[derive(Clone, Default)]
struct CauseRecord(Arc<Mutex<Vec<(u64, Causes)>>>);

impl CauseRecord {
    fn push(&self, context: &Context) {
        if context.request().name() == "a" {
            self.0.lock().unwrap().push((context.reconcile_id(), context.causes().clone()));
        }
    }

    /// The causes since the last call, as text without versions.
    async fn take(&self) -> Vec<String> {
        settle().await;
        let taken = std::mem::take(&mut *self.0.lock().unwrap());
        taken.into_iter().map(|(_, causes)| without_versions(&causes)).collect()
    }

    async fn take_one(&self) -> (u64, Causes) {
        settle().await;
        let mut taken = std::mem::take(&mut *self.0.lock().unwrap());
        assert_eq!(taken.len(), 1, "{taken:?}");
        taken.remove(0)
    }

    fn reconciler(&self) -> impl Reconciler + use<> {
        let record = self.clone();
        move |_: Request, context: Context| {
            record.push(&context);
            async { Ok(Action::await_change()) }
        }
    }
}

fn without_versions(causes: &Causes) -> String {
    let one = |cause: &tidings_controller::Cause| {
        let resource = cause.resource().map(|resource| format!(" {resource}")).unwrap_or_default();
        let key = cause.key().map(|key| format!(" {key}")).unwrap_or_default();
        format!("{}{resource}{key}", cause.reason().as_str())
    };
    causes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A secret that the map `a` controls.
fn put_secret(cluster: &TestCluster, name: &str, value: &str) -> u64 {
    let owner =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "uid-a", "controller": true });
    let metadata = json!({ "name": name, "ownerReferences": [owner] });
    cluster.server.put("secrets", json!({ "metadata": metadata, "stringData": { "value": value } }))
}

fn merge(data: Value) -> Patch<Value> {
    Patch::Merge(json!({ "data": data }))
}

// holds: X74
#[tokio::test(start_paused = true)]
async fn a_reconcile_knows_which_objects_changed_at_which_versions_and_in_which_fields() {
    let cluster = TestCluster::new().await;
    let first = cluster.put_with("a", json!({ "colour": "red", "size": "1" }));
    let record = CauseRecord::default();
    let started = cluster.start_synced(config_maps().owns::<Secret>().reconcile(record.reconciler())).await;
    assert_eq!(record.take().await, ["initial configmaps"]);

    let second = cluster.put_with("a", json!({ "colour": "blue", "size": "1" }));
    let (_, causes) = record.take_one().await;
    assert_eq!(causes.to_string(), format!("updated configmaps default/a from version {first} to {second}"));
    let cause = causes.iter().next().unwrap();
    assert_eq!(cause.fields(), Some(vec![".data.colour".to_owned()]));
    assert_eq!(cause.old_version().and_then(|version| version.number()), Some(first));
    assert_eq!(cause.version().and_then(|version| version.number()), Some(second));
    assert_eq!((cause.reason(), cause.written_by()), (RequestReason::Updated, None));

    let added = put_secret(&cluster, "s", "one");
    let (_, causes) = record.take_one().await;
    assert_eq!(causes.to_string(), format!("added secrets default/s to version {added}"));
    assert_eq!(causes.iter().next().unwrap().fields(), None);
    assert!(cluster.server.remove("secrets", "default/s"));
    assert_eq!(record.take().await, ["deleted secrets default/s"]);

    started.handle.request(Request::new(Some("default"), "a").unwrap());
    assert_eq!(record.take().await, ["manual"]);
    started.shutdown().await;
}

/// Starts a controller with one worker, which is busy with the map `busy` until the test lets it go.
async fn blocked(
    cluster: &TestCluster,
    builder: ControllerBuilder<ConfigMap>,
) -> (crate::controller::harness::RunningController, CauseRecord, Arc<Notify>) {
    let (record, go_on) = (CauseRecord::default(), Arc::new(Notify::new()));
    let (recorded, waited) = (record.clone(), Arc::clone(&go_on));
    let controller = builder.owns::<Secret>().reconcile(move |request: Request, context: Context| {
        let (recorded, waited) = (recorded.clone(), Arc::clone(&waited));
        async move {
            recorded.push(&context);
            if request.name() == "busy" {
                waited.notified().await;
            }
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    record.take().await;
    cluster.put("busy");
    settle().await;
    (started, record, go_on)
}

// holds: X74
#[tokio::test(start_paused = true)]
async fn causes_merge_like_requests_on_the_queue_and_are_bounded() {
    let cluster = TestCluster::new().await;
    let first = cluster.put_with("a", json!({ "step": "0" }));
    let (started, record, go_on) = blocked(&cluster, config_maps()).await;
    let mut last = first;
    for step in 1..=3 {
        last = cluster.put_with("a", json!({ "step": step.to_string() }));
    }
    for at in 0..20 {
        put_secret(&cluster, &format!("s-{at}"), "one");
    }
    settle().await;
    go_on.notify_one();
    let (_, causes) = record.take_one().await;
    assert_eq!((causes.len(), causes.omitted()), (16, 5));
    let own = causes.iter().find(|cause| cause.key().is_some_and(|key| key.as_str() == "default/a")).unwrap();
    let text = format!("updated configmaps default/a from version {first} to {last} (3 changes)");
    assert_eq!((own.to_string(), own.count()), (text, 3));
    started.shutdown().await;
}

// holds: X75
#[tokio::test(start_paused = true)]
async fn a_change_that_a_reconcile_made_names_that_reconcile() {
    let cluster = TestCluster::new().await;
    cluster.put("a");
    let record = CauseRecord::default();
    let recorded = record.clone();
    let controller = config_maps().owns::<Secret>().reconcile(move |_: Request, context: Context| {
        recorded.push(&context);
        async move {
            let step =
                context.lister::<ConfigMap>()?.get("default/a").map(|map| map.decoded()).transpose()?;
            let step = step.and_then(|map| map.data.as_ref()?.get("step").cloned());
            let maps = context.api::<ConfigMap>();
            match step.as_deref() {
                Some("write") => {
                    // Two changes, both by this reconcile.
                    let params = PatchParams::default();
                    maps.patch("a", &params, &merge(json!({ "step": "written", "by": "1" }))).await?;
                    drop(maps.patch("a", &params, &merge(json!({ "by": "2" }))).await?);
                }
                Some("delete") if context.lister::<Secret>()?.get("default/s").is_some() => {
                    drop(context.api::<Secret>().delete("s").await?);
                }
                _ => {}
            }
            Ok::<_, Error>(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    record.take().await;

    cluster.put_with("a", json!({ "step": "write" }));
    settle().await;
    let taken = std::mem::take(&mut *record.0.lock().unwrap());
    let [(writer, by_user), by_itself @ ..] = &taken[..] else { panic!("{taken:?}") };
    assert!(!by_user.are_own_writes() && by_user.iter().all(|cause| cause.written_by().is_none()));
    let changes: u32 =
        by_itself.iter().flat_map(|(_, causes)| causes.iter()).map(|cause| cause.count()).sum();
    assert_eq!(changes, 2, "{taken:?}");
    for (_, causes) in by_itself {
        assert!(causes.are_own_writes(), "{causes}");
        assert!(causes.iter().all(|cause| cause.written_by() == Some(*writer)), "{causes}");
        assert!(causes.to_string().ends_with(&format!(", written by reconcile {writer}")), "{causes}");
    }

    put_secret(&cluster, "s", "one");
    settle().await;
    record.take().await;
    cluster.put_with("a", json!({ "step": "delete" }));
    settle().await;
    let taken = std::mem::take(&mut *record.0.lock().unwrap());
    let [(writer, _), (_, deletion)] = &taken[..] else { panic!("{taken:?}") };
    assert_eq!(without_versions(deletion), "deleted secrets default/s");
    assert_eq!(deletion.iter().next().unwrap().written_by(), Some(*writer));
    started.shutdown().await;
}

// holds: X74
#[tokio::test(start_paused = true)]
async fn requests_of_the_controller_itself_have_their_reason_as_the_cause() {
    let cluster = TestCluster::new().await;
    cluster.put("a");
    let record = CauseRecord::default();
    let recorded = record.clone();
    let controller = config_maps().reconcile(move |_: Request, context: Context| {
        recorded.push(&context);
        let step = context.lister::<ConfigMap>().unwrap().get("default/a");
        let step = step.and_then(|map| map.decoded().ok()?.data.as_ref()?.get("step").cloned());
        let is_retry = context.causes().iter().any(|cause| cause.reason() == RequestReason::Error);
        async move {
            match step.as_deref() {
                Some("fail") if !is_retry => Err("on purpose".into()),
                Some("later") => Ok(Action::requeue_after(300 * SECOND)),
                _ => Ok(Action::await_change()),
            }
        }
    });
    let started = cluster.start_synced(controller).await;
    record.take().await;
    cluster.put_with("a", json!({ "step": "fail" }));
    tokio::time::sleep(SECOND).await;
    assert_eq!(record.take().await, ["updated configmaps default/a", "error"]);
    cluster.put_with("a", json!({ "step": "later" }));
    tokio::time::sleep(100 * SECOND).await;
    cluster.put_with("a", json!({ "step": "later", "changed": "yes" }));
    assert_eq!(record.take().await, ["updated configmaps default/a"; 2], "the requeue is not due");
    tokio::time::sleep(301 * SECOND).await;
    assert_eq!(record.take().await, ["requeue_after"]);
    started.shutdown().await;
}

// holds: X74
#[tokio::test(start_paused = true)]
async fn a_request_that_waits_for_a_stale_cache_keeps_its_causes() {
    let cluster = TestCluster::new().await;
    let record = CauseRecord::default();
    let builder = config_maps().stale_after(60 * SECOND, WhenStale::Wait).reads::<Secret>();
    let started = cluster.start_synced(builder.reconcile(record.reconciler())).await;
    let down = |verb| Fault::Status { code: 503, retry_after_seconds: None }.always().on(verb).of("secrets");
    cluster.server.faults().inject(down(Verb::Watch));
    cluster.server.faults().inject(down(Verb::List));
    cluster.server.faults().cut_watches(Ending::Broken);
    tokio::time::sleep(120 * SECOND).await;
    cluster.put("a");
    tokio::time::sleep(30 * SECOND).await;
    cluster.server.faults().clear();
    tokio::time::sleep(120 * SECOND).await;
    assert_eq!(record.take().await, ["added configmaps default/a, stale_cache"]);
    started.shutdown().await;
}
