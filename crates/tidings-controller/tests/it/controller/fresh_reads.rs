//! Fresh reads: inside a reconcile, `get` and `list` show everything that this process wrote through a context.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::ResourceExt;
use kube_core::dynamic::DynamicObject;
use kube_core::params::{DeleteParams, Patch, PatchParams, Preconditions};
use serde_json::{from_value, json};
use tidings_apiserver::{ApiServer, Fault, Verb};
use tidings_controller::{Action, Context, Controller, ControllerBuilder, Error, LateReads, Request};
use tidings_informer::indexer::Index;
use tidings_object::{Key, Kind as _, LabelSelector};
use tokio::time::Instant;

use crate::controller::harness::{RunningController, TestCluster, config_maps};

const SECOND: Duration = Duration::from_secs(1);

/// The delay of the watch of secrets.
const LATE: Duration = Duration::from_secs(2);

async fn late_cluster() -> TestCluster {
    let cluster = TestCluster::new().await;
    cluster.server.faults().inject(Fault::SlowStream(LATE).always().on(Verb::Watch).of("secrets"));
    cluster
}

/// A cluster whose watch of secrets ends with the initial list.
async fn stalled_cluster() -> TestCluster {
    let cluster = TestCluster::new().await;
    let stall = Fault::StallStream { after_events: 1 }.always().on(Verb::Watch).of("secrets");
    cluster.server.faults().inject(stall);
    cluster
}

fn secret(name: &str, step: &str) -> Secret {
    let labels = json!({ "step": step });
    let metadata = json!({ "name": name, "namespace": "default", "labels": labels });
    from_value(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata })).unwrap()
}

fn key(name: &str) -> Key {
    Key::new(Some("default"), name).unwrap()
}

/// The step that a read shows.
async fn step(context: &Context, name: &str) -> Result<Option<String>, Error> {
    let secret = context.get::<Secret>(&key(name)).await?;
    Ok(secret.map(|secret| secret.labels().get("step").cloned().unwrap_or_default()))
}

/// The names that a list shows.
async fn names(context: &Context) -> Result<Vec<String>, Error> {
    let mut names: Vec<_> =
        context.list::<Secret>().await?.iter().map(|secret| secret.name().to_owned()).collect();
    names.sort();
    Ok(names)
}

/// Runs `work` in the first reconcile of one config map, and returns its result and the running controller.
async fn in_a_reconcile<T, F, Work>(
    cluster: &TestCluster,
    builder: ControllerBuilder<ConfigMap>,
    work: F,
) -> (T, RunningController)
where
    T: Send + 'static,
    F: Fn(Context) -> Work + Send + Sync + 'static,
    Work: Future<Output = Result<T, Error>> + Send + 'static,
{
    let result = Arc::new(Mutex::new(None));
    let (noted, work) = (Arc::clone(&result), Arc::new(work));
    let controller = builder.reconcile(move |_: Request, context: Context| {
        let (noted, work) = (Arc::clone(&noted), Arc::clone(&work));
        async move {
            if noted.lock().unwrap().is_none() {
                let ended = work(context).await;
                *noted.lock().unwrap() = Some(ended);
            }
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    for _ in 0..7200 {
        tokio::time::sleep(SECOND).await;
        if result.lock().unwrap().is_some() {
            break;
        }
    }
    let result = result.lock().unwrap().take().expect("it was reconciled");
    (result.unwrap(), started)
}

/// Writes in each way that the tracked API has, and reads after each write.
async fn write_and_read(context: Context) -> Result<Vec<(&'static str, Option<String>, usize)>, Error> {
    let secrets = context.api::<Secret>();
    let patch = |step: &str| Patch::Merge(json!({ "metadata": { "labels": { "step": step } } }));
    let params = PatchParams::default();
    let mut seen = Vec::new();
    let mut look = async |way: &'static str| {
        let (step, all) = (step(&context, "copy").await?, names(&context).await?.len());
        seen.push((way, step, all));
        Ok::<_, Error>(())
    };
    look("before").await?;
    secrets.create(&secret("copy", "created")).await?;
    look("create").await?;
    let mut current = Secret::clone(&*context.get::<Secret>(&key("copy")).await?.unwrap());
    current.labels_mut().insert("step".to_owned(), "replaced".to_owned());
    secrets.replace(&current).await?;
    look("replace").await?;
    secrets.patch("copy", &params, &patch("patched")).await?;
    look("patch").await?;
    secrets.apply("test", &secret("copy", "applied")).await?;
    look("apply").await?;
    let read = context.list::<Secret>().await?.remove(0);
    secrets.if_unchanged(&read).patch(&params, &patch("unchanged")).await?;
    look("if_unchanged").await?;
    secrets.delete("copy").await?;
    look("delete").await?;
    let again = secrets.create(&secret("copy", "again")).await?;
    look("create again").await?;
    let only = Preconditions { uid: Some(again.uid().to_owned()), resource_version: None };
    secrets.delete_with("copy", &DeleteParams { preconditions: Some(only), ..Default::default() }).await?;
    look("delete with a uid").await?;
    Ok(seen)
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_read_in_a_reconcile_shows_the_writes_of_this_reconcile() {
    let cluster = late_cluster().await;
    let (seen, started) = in_a_reconcile(&cluster, config_maps().reads::<Secret>(), write_and_read).await;
    let expected = [
        ("before", None, 0),
        ("create", Some("created"), 1),
        ("replace", Some("replaced"), 1),
        ("patch", Some("patched"), 1),
        ("apply", Some("applied"), 1),
        ("if_unchanged", Some("unchanged"), 1),
        ("delete", None, 0),
        ("create again", Some("again"), 1),
        ("delete with a uid", None, 0),
    ];
    assert_eq!(seen, expected.map(|(way, step, count)| (way, step.map(str::to_owned), count)));
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.read_waits, stats.read_waits_given_up, stats.live_reads), (0, 8, 0, 0));
    started.shutdown().await;
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_read_after_a_write_of_the_status_shows_it() {
    let cluster = TestCluster::new().await;
    cluster.server.faults().inject(Fault::SlowStream(LATE).always().on(Verb::Watch).of("deployments.apps"));
    let builder = config_maps().reads::<Deployment>();
    let (seen, started) = in_a_reconcile(&cluster, builder, async |context: Context| {
        let deployment: Deployment = from_value(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
            "spec": { "selector": { "matchLabels": { "a": "b" } }, "template": { "metadata": { "labels": { "a": "b" } },
                "spec": { "containers": [{ "name": "main", "image": "main" }] } } },
        }))?;
        let api = context.api::<Deployment>();
        api.create(&deployment).await?;
        let replicas = async || {
            let read = context.get::<Deployment>(&key("web")).await?.expect("it was created");
            Ok::<_, Error>(read.status.as_ref().and_then(|status| status.replicas))
        };
        let mut seen = vec![replicas().await?];
        let patch = |count: i32| json!({ "status": { "replicas": count } });
        api.patch_status("web", &PatchParams::default(), &Patch::Merge(patch(1))).await?;
        seen.push(replicas().await?);
        let mut applied: Deployment = deployment.clone();
        applied.status = from_value(json!({ "replicas": 2 }))?;
        api.apply_status("test", &applied).await?;
        seen.push(replicas().await?);
        let mut current = Deployment::clone(&*context.get::<Deployment>(&key("web")).await?.unwrap());
        current.status.as_mut().unwrap().replicas = Some(3);
        api.replace_status(&current).await?;
        seen.push(replicas().await?);
        Ok(seen)
    })
    .await;
    assert_eq!(seen, [None, Some(1), Some(2), Some(3)]);
    started.shutdown().await;
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_read_after_the_deletion_of_an_object_with_a_finalizer_shows_its_deletion_timestamp() {
    let cluster = late_cluster().await;
    cluster
        .server
        .put("secrets", json!({ "metadata": { "name": "held", "finalizers": ["example.com/hold"] } }));
    let (seen, started) =
        in_a_reconcile(&cluster, config_maps().reads::<Secret>(), async |context: Context| {
            context.api::<Secret>().delete("held").await?;
            let one = context.get::<Secret>(&key("held")).await?.expect("its finalizer holds it");
            let all = context.list::<Secret>().await?;
            Ok((one.metadata.deletion_timestamp.is_some(), all[0].deletion_timestamp().is_some()))
        })
        .await;
    assert_eq!(seen, (true, true));
    started.shutdown().await;
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_list_by_namespace_label_or_index_shows_the_writes_and_no_deleted_object() {
    let cluster = late_cluster().await;
    for name in ["a", "b"] {
        cluster.server.put("secrets", json!({ "metadata": { "name": name, "labels": { "step": "old" } } }));
    }
    let informer = cluster.factory.informer::<Secret>();
    informer.add_index(Index::label("step", "step")).unwrap();
    let (seen, started) = in_a_reconcile(
        &cluster,
        config_maps().reads::<Secret>().write_wait_max(20 * SECOND),
        async |context: Context| {
            context.api::<Secret>().delete("a").await?;
            context.api::<Secret>().create(&secret("c", "new")).await?;
            let names = |secrets: Vec<tidings_object::Object<Secret>>| {
                let mut names: Vec<_> = secrets.iter().map(|secret| secret.name().to_owned()).collect();
                names.sort();
                names.join(" ")
            };
            let selector = |text| LabelSelector::parse(text);
            Ok([
                names(context.list::<Secret>().namespace("default").await?),
                names(context.list::<Secret>().select(selector("step=new")?).await?),
                names(context.list::<Secret>().by_index("step", "old").await?),
                names(context.list::<Secret>().by_index("step", "old").select(selector("step!=old")?).await?),
                names(context.list::<Secret>().namespace("other").await?),
            ])
        },
    )
    .await;
    assert_eq!(seen, ["b c", "c", "b", "", ""]);
    assert_eq!(started.handle.stats().read_waits, 1, "only the first list waits");
    drop(informer);
    started.shutdown().await;
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_read_waits_for_writes_of_another_controller_of_the_same_factory() {
    let cluster = late_cluster().await;
    let writer = config_maps().reads::<Secret>().reconcile(async |request: Request, context: Context| {
        context.api::<Secret>().create(&secret(request.name(), "created")).await?;
        Ok(Action::await_change())
    });
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let reader = Controller::for_kind::<ConfigMap>("reader").reads::<Secret>().debounce(SECOND).reconcile(
        move |request: Request, context: Context| {
            let noted = Arc::clone(&noted);
            async move {
                let (began, found) = (Instant::now(), context.get::<Secret>(&request).await?.is_some());
                let other = context.get::<Secret>(&key("other")).now_or_never().expect("no wait")?;
                noted.lock().unwrap().push((found, began.elapsed() > Duration::ZERO, other.is_some()));
                Ok(Action::await_change())
            }
        },
    );
    let (writer, reader) = (cluster.start_synced(writer).await, cluster.start_synced(reader).await);
    cluster.put("map");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(*seen.lock().unwrap(), [(true, true, false)]);
    writer.shutdown().await;
    reader.shutdown().await;
}

// holds: X61
#[tokio::test(start_paused = true)]
async fn a_read_does_not_suspend_when_it_has_nothing_to_wait_for() {
    let cluster = late_cluster().await;
    cluster.server.put("secrets", json!({ "metadata": { "name": "old" } }));
    let (ready, started) =
        in_a_reconcile(&cluster, config_maps().reads::<Secret>(), async |context: Context| {
            let get = |name: &'static str| {
                let context = context.clone();
                async move { context.get::<Secret>(&key(name)).await }
            };
            let mut ready = vec![get("old").now_or_never().is_some()];
            ready.push(context.list::<Secret>().into_future().now_or_never().is_some());
            context.api::<Secret>().create(&secret("new", "created")).await?;
            // A pending write concerns reads of its object, and lists of its namespace.
            ready.push(get("old").now_or_never().is_some());
            ready.push(context.list::<Secret>().namespace("other").into_future().now_or_never().is_some());
            ready.push(context.get::<ConfigMap>(context.request()).now_or_never().is_some());
            ready.push(get("new").now_or_never().is_none());
            ready.push(context.list::<Secret>().into_future().now_or_never().is_none());
            get("new").await?;
            ready.push(get("new").now_or_never().is_some());
            ready.push(context.list::<Secret>().into_future().now_or_never().is_some());
            // A deletion stays in the log, and still makes no read wait that does not show the object.
            context.api::<Secret>().delete("new").await?;
            get("new").await?;
            ready.push(get("new").now_or_never().is_some());
            ready.push(context.list::<Secret>().into_future().now_or_never().is_some());
            Ok(ready)
        })
        .await;
    assert_eq!(ready, [true; 11]);
    started.shutdown().await;
}

// holds: X62
#[tokio::test(start_paused = true)]
async fn a_read_of_a_late_cache_is_an_error_at_the_bound_and_is_retried() {
    let cluster = stalled_cluster().await;
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&attempts);
    let builder = config_maps().reads::<Secret>().write_wait_max(3 * SECOND);
    let controller = builder.reconcile(move |_: Request, context: Context| {
        let noted = Arc::clone(&noted);
        async move {
            if noted.lock().unwrap().is_empty() {
                context.api::<Secret>().create(&secret("copy", "created")).await?;
            }
            let began = Instant::now();
            let ended = context.get::<Secret>(&key("copy")).await;
            let text = ended.as_ref().err().map(ToString::to_string);
            noted.lock().unwrap().push((began.elapsed(), text));
            ended?;
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(20 * SECOND).await;
    let attempts = attempts.lock().unwrap().clone();
    assert!(attempts.len() > 1, "it is retried: {attempts:?}");
    let (took, error) = &attempts[0];
    assert_eq!(*took, 3 * SECOND);
    let error = error.as_deref().expect("the cache is late");
    let expected = ["reading secrets default/copy", "after 3s", "retried", "LateReads::Live"];
    assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    let stats = started.handle.stats();
    assert!(stats.errors > 1 && stats.read_waits_given_up > 1 && stats.live_reads == 0, "{stats:?}");
    started.shutdown().await;
}

// holds: X62
#[tokio::test(start_paused = true)]
async fn a_read_of_a_late_cache_is_sent_to_the_server_if_so_chosen() {
    let cluster = TestCluster::new().await;
    // Two objects and the end of the initial list.
    let stall = Fault::StallStream { after_events: 3 }.always().on(Verb::Watch).of("secrets");
    cluster.server.faults().inject(stall);
    for name in ["a", "b"] {
        cluster.server.put("secrets", json!({ "metadata": { "name": name, "labels": { "step": "old" } } }));
    }
    let informer = cluster.factory.informer::<Secret>();
    informer.add_index(Index::label("step", "step")).unwrap();
    let builder = config_maps()
        .reads::<Secret>()
        .reads_metadata::<Secret>()
        .late_reads(LateReads::Live)
        .write_wait_max(SECOND);
    let (seen, started) = in_a_reconcile(&cluster, builder, async |context: Context| {
        let secrets = context.api::<Secret>();
        secrets.create(&secret("new", "created")).await?;
        secrets.delete("a").await?;
        let found = [step(&context, "new").await?, step(&context, "a").await?];
        let selected = context.list::<Secret>().namespace("default").select("step=created".parse()?).await?;
        let dynamic = context.get_of(&Secret::resource(), &key("new")).await?.map(|object| object.name_any());
        let metadata =
            context.get_metadata::<Secret>(&key("new")).await?.map(|object| object.name().to_owned());
        let by_index = context.list::<Secret>().by_index("step", "old").await.unwrap_err().to_string();
        Ok((found, names(&context).await?, selected[0].name().to_owned(), dynamic, metadata, by_index))
    })
    .await;
    let (found, names, selected, dynamic, metadata, by_index) = seen;
    assert_eq!(found, [Some("created".to_owned()), None]);
    assert_eq!(names, ["b", "new"]);
    assert_eq!(
        (selected.as_str(), dynamic.as_deref(), metadata.as_deref()),
        ("new", Some("new"), Some("new"))
    );
    assert!(by_index.contains("by the index \"step\"") && by_index.contains("has no indexes"), "{by_index}");
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.live_reads), (0, 6), "{stats:?}");
    drop(informer);
    started.shutdown().await;
}

// holds: X62
#[tokio::test(start_paused = true)]
async fn a_live_read_that_is_forbidden_says_which_permission_is_missing() {
    let cluster = stalled_cluster().await;
    let forbidden =
        Fault::Status { code: 403, retry_after_seconds: None }.always().on(Verb::Get).of("secrets");
    let builder = config_maps().reads::<Secret>().late_reads(LateReads::Live);
    let server = cluster.server.clone();
    let (error, started) = in_a_reconcile(&cluster, builder, move |context: Context| {
        let (server, forbidden) = (server.clone(), forbidden.clone());
        async move {
            context.api::<Secret>().create(&secret("copy", "created")).await?;
            server.faults().inject(forbidden);
            Ok(context.get::<Secret>(&key("copy")).await.unwrap_err().to_string())
        }
    })
    .await;
    let expected = ["reading secrets default/copy from the server is not permitted", "`get` and `list`"];
    assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    started.shutdown().await;
}

// holds: X61
#[tokio::test(start_paused = true)]
async fn without_a_wait_for_writes_a_read_returns_what_the_cache_has() {
    let cluster = late_cluster().await;
    let builder = config_maps().reads::<Secret>().write_wait_max(Duration::ZERO);
    let (seen, started) = in_a_reconcile(&cluster, builder, async |context: Context| {
        context.api::<Secret>().create(&secret("copy", "created")).await?;
        step(&context, "copy").await
    })
    .await;
    assert_eq!(seen, None);
    started.shutdown().await;
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_read_waits_for_no_write_from_before_a_restore() {
    let cluster = TestCluster::new().await;
    let server = cluster.server.clone();
    let builder = config_maps().reads::<Secret>();
    let (took, started) = in_a_reconcile(&cluster, builder, move |context: Context| {
        let server = server.clone();
        async move {
            let before = server.save();
            for at in 0..20 {
                context.api::<Secret>().create(&secret(&format!("copy-{at}"), "created")).await?;
            }
            // The cache shows the writes, so that it notices the restore.
            context.get::<Secret>(&key("copy-19")).await?.expect("it was created");
            server.restore(&before);
            let epoch = async {
                while context.informer::<Secret>()?.epoch() == 0 {
                    tokio::time::sleep(SECOND).await
                }
                Ok::<_, Error>(())
            };
            epoch.await?;
            let began = Instant::now();
            let found = context.get::<Secret>(&key("copy-19")).await?;
            assert!(found.is_none());
            Ok(began.elapsed())
        }
    })
    .await;
    assert_eq!(took, Duration::ZERO);
    started.shutdown().await;
}

// holds: X63
#[tokio::test(start_paused = true)]
async fn reading_an_undeclared_kind_is_an_error_that_names_the_line_to_add() {
    let cluster = TestCluster::new().await;
    let (errors, started) = in_a_reconcile(&cluster, config_maps(), async |context: Context| {
        let secrets = Secret::resource();
        Ok([
            context.get::<Secret>(&key("a")).await.unwrap_err().to_string(),
            context.list::<Secret>().await.unwrap_err().to_string(),
            context.lister::<Secret>().unwrap_err().to_string(),
            context.get_metadata::<Secret>(&key("a")).await.unwrap_err().to_string(),
            context.list_metadata::<Secret>().await.unwrap_err().to_string(),
            context.get_of(&secrets, &key("a")).await.unwrap_err().to_string(),
            context.list_of(&secrets).await.unwrap_err().to_string(),
        ])
    })
    .await;
    for (error, call) in errors.iter().zip(["reads", "reads", "reads", "reads_metadata", "reads_metadata"]) {
        let start = format!("controller \"maps\" has no cache of secrets: declare it with `.{call}::<");
        assert!(error.starts_with(&start) && error.ends_with("::Secret>()`"), "{error}");
    }
    assert!(errors[5..].iter().all(|error| error.ends_with("`.reads_resource(…)`")), "{errors:?}");
    assert_eq!(started.handle.stats().panics, 0);
    started.shutdown().await;
}

// holds: X60
#[tokio::test(start_paused = true)]
async fn a_read_of_a_kind_known_at_run_time_shows_the_writes() {
    let cluster = late_cluster().await;
    let builder = config_maps().reads_resource(Secret::resource());
    let (seen, started) = in_a_reconcile(&cluster, builder, async |context: Context| {
        let secrets = Secret::resource();
        let object: DynamicObject = from_value(json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "copy", "namespace": "default" },
        }))?;
        context.api_of(secrets.clone()).create(&object).await?;
        let created = context.get_of(&secrets, &key("copy")).await?.is_some();
        // A write through one view counts for reads through another.
        context
            .api::<Secret>()
            .patch(
                "copy",
                &PatchParams::default(),
                &Patch::Merge(json!({ "metadata": { "labels": { "step": "patched" } } })),
            )
            .await?;
        let listed = context.list_of(&secrets).await?;
        let patched = listed[0].labels().value("step").map(str::to_owned);
        context.api_of(secrets.clone()).delete("copy").await?;
        Ok((created, patched, context.list_of(&secrets).await?.len()))
    })
    .await;
    assert_eq!(seen, (true, Some("patched".to_owned()), 0));
    started.shutdown().await;
}

// holds: X64
#[tokio::test(start_paused = true)]
async fn a_test_context_shows_what_the_reconciler_wrote() {
    let server = ApiServer::start().await;
    let request = Request::from(key("map"));
    let context = Context::for_test(server.client()).reads::<Secret>().build(&request).await;
    assert!(context.get::<Secret>(&key("copy")).await.unwrap().is_none());
    context.api::<Secret>().create(&secret("copy", "created")).await.unwrap();
    assert_eq!(step(&context, "copy").await.unwrap().as_deref(), Some("created"));
    assert_eq!(names(&context).await.unwrap(), ["copy"]);
    context.api::<Secret>().delete("copy").await.unwrap();
    assert_eq!(step(&context, "copy").await.unwrap(), None);
}
