//! Read your own writes: a reconcile sees the writes of the one before it, even if the cache lags.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Api;
use kube_client::api::PostParams;
use kube_core::ResourceExt;
use kube_core::params::{DeleteParams, Patch, PatchParams, Preconditions};
use serde_json::json;
use tidings_apiserver::Fault;
use tidings_apiserver::Verb;
use tidings_controller::{Action, Context, ControllerBuilder, Error, Request};
use tidings_object::Key;

use crate::controller::harness::{RequestLog, TestCluster, config_maps};

const SECOND: Duration = Duration::from_secs(1);

/// The delay of the watch of secrets.
const LATE: Duration = Duration::from_secs(2);

/// A cluster whose watch of secrets is delayed.
async fn late_scene() -> TestCluster {
    let cluster = TestCluster::new().await;
    cluster.server.faults().inject(Fault::SlowStream(LATE).always().on(Verb::Watch).of("secrets"));
    cluster
}

fn secret(name: &str, step: &str) -> Secret {
    let object = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": name, "annotations": { "step": step } },
    });
    serde_json::from_value(object).unwrap()
}

/// The step in the cached secret.
fn shown(context: &Context) -> Option<String> {
    let secret = context.lister::<Secret>().unwrap().get("default/copy")?;
    secret.decoded().unwrap().annotations().get("step").cloned()
}

/// What each reconcile saw.
type ObservedSteps = Arc<Mutex<Vec<Option<String>>>>;

/// Takes one step in each reconcile, and records what it saw before.
async fn step(context: Context, saw: ObservedSteps) -> Result<Action, Error> {
    let at = {
        let mut saw = saw.lock().unwrap();
        saw.push(shown(&context));
        saw.len()
    };
    let secrets = context.api::<Secret>();
    let patch = |step: &str| Patch::Merge(json!({ "metadata": { "annotations": { "step": step } } }));
    let params = PatchParams::default();
    match at {
        1 => drop(secrets.create(&secret("copy", "created")).await?),
        2 => {
            let mut current = (*context.lister::<Secret>()?.require("default/copy")?.decoded()?).clone();
            current.annotations_mut().insert("step".to_owned(), "replaced".to_owned());
            secrets.replace(&current).await?;
        }
        3 => drop(secrets.patch("copy", &params, &patch("patched")).await?),
        4 => drop(secrets.apply("test", &secret("copy", "applied")).await?),
        5 => assert!(secrets.delete("copy").await?.is_none()),
        6 => drop(secrets.namespace("default").create(&secret("copy", "again")).await?),
        7 => {
            let uid = context.lister::<Secret>()?.require("default/copy")?.uid().to_owned();
            let only = Preconditions { uid: Some(uid), resource_version: None };
            let params = DeleteParams { preconditions: Some(only), ..DeleteParams::default() };
            secrets.delete_with("copy", &params).await?;
        }
        _ => return Ok(Action::await_change()),
    }
    Ok(Action::requeue_after(Duration::ZERO))
}

#[tokio::test(start_paused = true)]
async fn the_next_reconcile_of_a_request_sees_every_write_of_the_last_one() {
    let cluster = late_scene().await;
    let saw = ObservedSteps::default();
    let noted = Arc::clone(&saw);
    let controller = config_maps()
        .reads::<Secret>()
        .reconcile(move |_, context: Context| step(context, Arc::clone(&noted)));
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(60 * SECOND).await;
    let steps = [
        None,
        Some("created"),
        Some("replaced"),
        Some("patched"),
        Some("applied"),
        None,
        Some("again"),
        None,
    ];
    assert_eq!(*saw.lock().unwrap(), steps.map(|step| step.map(str::to_owned)));
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.write_waits, stats.write_waits_given_up), (0, 7, 0));
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn without_a_wait_for_writes_the_next_reconcile_may_see_an_old_state() {
    let cluster = late_scene().await;
    let saw = ObservedSteps::default();
    let noted = Arc::clone(&saw);
    let controller = config_maps().write_wait_max(Duration::ZERO).reads::<Secret>().reconcile(
        move |_, context: Context| {
            let saw = Arc::clone(&noted);
            async move {
                saw.lock().unwrap().push(shown(&context));
                if saw.lock().unwrap().len() == 1 {
                    context.api::<Secret>().create(&secret("copy", "created")).await?;
                    return Ok(Action::requeue_after(Duration::ZERO));
                }
                Ok(Action::await_change())
            }
        },
    );
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(*saw.lock().unwrap(), [None, None]);
    started.shutdown().await;
}

/// A controller that calls `write` once for each object, and logs its requests.
fn writes_once<F, Wrote>(
    builder: ControllerBuilder<ConfigMap>,
    requests: &RequestLog,
    write: F,
) -> tidings_controller::Controller
where
    F: Fn(Context) -> Wrote + Send + Sync + 'static,
    Wrote: Future<Output = Result<(), Error>> + Send + 'static,
{
    let requests = requests.clone();
    builder.reconcile(move |request: Request, context: Context| {
        let written = (requests.record(&request) == 1).then(|| write(context));
        async move {
            let Some(written) = written else { return Ok(Action::await_change()) };
            written.await?;
            Ok(Action::requeue_after(Duration::ZERO))
        }
    })
}

/// The pause between the first and the second reconcile of an object.
fn pause(requests: &RequestLog, name: &str) -> Duration {
    let times = requests.times(name);
    assert_eq!(times.len(), 2, "{times:?}");
    times[1] - times[0]
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_lags_delays_a_reconcile_no_longer_than_the_bound() {
    for (bound, builder) in [(5, config_maps()), (20, config_maps().write_wait_max(20 * SECOND))] {
        let cluster = TestCluster::new().await;
        // The end of the initial list is the first event and the last one.
        cluster
            .server
            .faults()
            .inject(Fault::StallStream { after_events: 1 }.always().on(Verb::Watch).of("secrets"));
        let requests = RequestLog::new();
        let controller = writes_once(builder.reads::<Secret>(), &requests, |context| async move {
            context.api::<Secret>().create(&secret("copy", "created")).await?;
            Ok(())
        });
        let started = cluster.start_synced(controller).await;
        cluster.put("map");
        tokio::time::sleep(30 * SECOND).await;
        assert_eq!(pause(&requests, "map").as_secs(), bound);
        let stats = started.handle.stats();
        assert_eq!((stats.write_waits, stats.write_waits_given_up), (1, 1));
        started.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn requests_do_not_wait_for_writes_of_other_requests_and_of_uncached_kinds() {
    let cluster = late_scene().await;
    let requests = RequestLog::new();
    let builder = config_maps().workers(2).reads::<Secret>();
    let controller = writes_once(builder, &requests, |context| async move {
        let deployment: Deployment = serde_json::from_value(json!({
            "metadata": { "name": context.request().name() },
            "spec": { "selector": { "matchLabels": { "a": "b" } },
                "template": { "metadata": { "labels": { "a": "b" } },
                    "spec": { "containers": [{ "name": "main", "image": "main" }] } } },
        }))?;
        context.api::<Deployment>().create(&deployment).await?;
        if context.request().name() == "writer" {
            context.api::<Secret>().create(&secret("copy", "created")).await?;
        }
        Ok(())
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("writer");
    cluster.put("other");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(pause(&requests, "other"), Duration::ZERO);
    assert!(pause(&requests, "writer") >= LATE);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_for_a_write_that_was_made_with_another_client_and_recorded() {
    let cluster = late_scene().await;
    let requests = RequestLog::new();
    let controller = writes_once(config_maps().reads::<Secret>(), &requests, |context| async move {
        let secrets: Api<Secret> = Api::namespaced(context.client().clone(), "default");
        let name = context.request().name().to_owned();
        let written = secrets.create(&PostParams::default(), &secret(&name, "created")).await?;
        if name == "deleted" {
            context.informer::<Secret>()?.wait_for_written(&written.metadata, 60 * SECOND).await?;
            secrets.delete(&name, &DeleteParams::default()).await?;
            context.deleted::<Secret>(Key::new(Some("default"), &name)?, written.uid().unwrap());
        } else {
            context.wrote::<Secret>(&written.metadata);
        }
        Ok(())
    });
    let started = cluster.start_synced(controller).await;
    for name in ["written", "deleted"] {
        cluster.put(name);
        tokio::time::sleep(60 * SECOND).await;
        assert!(pause(&requests, name) >= LATE, "{name}");
    }
    assert_eq!(started.handle.stats().write_waits, 2);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn after_deleting_an_object_with_a_finalizer_the_next_reconcile_sees_its_deletion_timestamp() {
    let cluster = late_scene().await;
    cluster
        .server
        .put("secrets", json!({ "metadata": { "name": "copy", "finalizers": ["example.com/hold"] } }));
    let saw = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&saw);
    let requests = RequestLog::new();
    let log = requests.clone();
    let controller = config_maps().reads::<Secret>().reconcile(move |request: Request, context: Context| {
        let (saw, tries) = (Arc::clone(&noted), log.record(&request));
        async move {
            let cached = context.lister::<Secret>()?.require("default/copy")?;
            saw.lock().unwrap().push(cached.deletion_timestamp().is_some());
            if tries == 2 {
                return Ok(Action::await_change());
            }
            let staying = context.api::<Secret>().delete("copy").await?;
            let staying = staying.expect("it has a finalizer").decoded()?;
            assert!(staying.metadata.deletion_timestamp.is_some());
            Ok(Action::requeue_after(Duration::ZERO))
        }
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(*saw.lock().unwrap(), [false, true]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_lister_of_an_undeclared_kind_is_an_error_with_a_hint() {
    let cluster = TestCluster::new().await;
    cluster.put("map");
    let said = Arc::new(Mutex::new(String::new()));
    let noted = Arc::clone(&said);
    let controller = config_maps().reconcile(move |_, context: Context| {
        *noted.lock().unwrap() = context.lister::<Secret>().unwrap_err().to_string();
        async { Ok(Action::await_change()) }
    });
    let started = cluster.start_synced(controller).await;
    let said = said.lock().unwrap().clone();
    assert!(said.contains("\"maps\" has no cache of secrets") && said.contains(".reads::<"), "{said}");
    started.shutdown().await;
}

/// A cluster whose watch of secrets stops after the initial list.
async fn stalled_scene() -> TestCluster {
    let cluster = TestCluster::new().await;
    // The end of the initial list is the first event and the last one.
    let stall = Fault::StallStream { after_events: 1 }.always().on(Verb::Watch).of("secrets");
    cluster.server.faults().inject(stall);
    cluster
}

/// Creates a secret in the first reconcile of `writer`, and requeues it immediately. Each reconcile takes `takes`.
fn writer(requests: &RequestLog, workers: usize, takes: Duration) -> tidings_controller::Controller {
    let requests = requests.clone();
    let builder = config_maps().workers(workers).reads::<Secret>();
    builder.reconcile(move |request: Request, context: Context| {
        let is_first = requests.record(&request) == 1;
        async move {
            tokio::time::sleep(takes).await;
            if is_first && request.name() == "writer" {
                context.api::<Secret>().create(&secret("copy", "created")).await?;
                return Ok(Action::requeue_after(Duration::ZERO));
            }
            Ok(Action::await_change())
        }
    })
}

// holds: X45
#[tokio::test(start_paused = true)]
async fn the_only_worker_reconciles_other_requests_while_one_waits_for_its_writes() {
    let cluster = stalled_scene().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(writer(&requests, 1, Duration::ZERO)).await;
    cluster.put("writer");
    tokio::time::sleep(SECOND).await;
    let put_at = requests.now();
    cluster.put("other");
    tokio::time::sleep(30 * SECOND).await;
    assert_eq!(requests.times("other"), [put_at]);
    assert_eq!(pause(&requests, "writer").as_secs(), 5);
    let stats = started.handle.stats();
    assert_eq!((stats.write_waits, stats.write_waits_given_up, stats.queue.working), (1, 1, 0));
    started.shutdown().await;
}

// holds: X45
#[tokio::test(start_paused = true)]
async fn a_parked_request_stays_claimed_and_later_changes_are_reconciled_after_it() {
    let cluster = stalled_scene().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(writer(&requests, 4, SECOND)).await;
    cluster.put("writer");
    for _ in 0..4 {
        tokio::time::sleep(SECOND).await;
        cluster.put_with("writer", json!({ "at": format!("{:?}", requests.now()) }));
    }
    assert_eq!(requests.times("writer").len(), 1, "it waits");
    tokio::time::sleep(30 * SECOND).await;
    // One reconcile that waited, and one for all changes in the meantime, a second later: they do not overlap.
    let times = requests.times("writer");
    assert_eq!(times.iter().map(Duration::as_secs).collect::<Vec<_>>(), [0, 6, 7], "{times:?}");
    started.shutdown().await;
}

// holds: X45
#[tokio::test(start_paused = true)]
async fn a_request_that_is_no_longer_parked_precedes_queued_requests() {
    let cluster = late_scene().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(writer(&requests, 1, SECOND)).await;
    cluster.put("writer");
    // It has written, was taken from the queue again, and is parked.
    tokio::time::sleep(3 * SECOND / 2).await;
    for name in ["a", "b", "c", "d", "e", "f"] {
        cluster.put(name);
    }
    tokio::time::sleep(30 * SECOND).await;
    let order = requests.take();
    let again = order.iter().rposition(|name| name == "writer").expect("it is reconciled again");
    // The cache shows its write after two seconds; each of the other reconciles takes one.
    assert!((2..=4).contains(&again), "{order:?}");
    assert_eq!(order.len(), 8);
    started.shutdown().await;
}

// holds: X45
#[tokio::test(start_paused = true)]
async fn a_stop_puts_parked_requests_back_on_the_queue() {
    let cluster = stalled_scene().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(writer(&requests, 2, Duration::ZERO)).await;
    cluster.put("writer");
    tokio::time::sleep(SECOND).await;
    let (queue, stopped_at) = (started.handle.queue().clone(), requests.now());
    started.shutdown().await;
    assert!(requests.now() - stopped_at < SECOND);
    assert_eq!(
        queue.next().await.as_deref().map(|request| request.name().to_owned()),
        Some("writer".to_owned())
    );
    assert!(queue.next().await.is_none());
    assert_eq!(requests.times("writer").len(), 1);
}

// holds: X45
#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_parked_requests() {
    let cluster = stalled_scene().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(writer(&requests, 2, Duration::ZERO)).await;
    cluster.put("writer");
    tokio::time::sleep(SECOND).await;
    started.handle.queue().drain().await;
    assert_eq!(pause(&requests, "writer").as_secs(), 5);
    // The drain ended the workers.
    started.finished().await;
}
