//! `docs/diagnostics.md` lists the fields that `/informers` and `/controllers` really have.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube_core::params::{Patch, PatchParams};
use serde_json::{Value, json};
use tidings::controller::{Action, Context, Controller, ControllerHandle, Request};
use tidings::derived::{Graph, GraphMetrics};
use tidings::endpoints::{Endpoints, ReconcileFilter};
use tidings::workqueue::QueueMetrics;
use tidings::{Handler, InformerOptions, ReflectorConfig, SharedInformerFactory, StopPolicy};
use tidings_apiserver::{ApiServer, Fault};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::tidy::files::root;

const PAGE: &str = "docs/diagnostics.md";

#[tokio::test(start_paused = true)]
async fn the_diagnostics_page_lists_the_fields_of_the_responses() {
    let mut shown = BTreeSet::new();
    fields("", &responses().await, &mut shown);
    // What is null or an empty list in one place has fields in another.
    let all = shown.clone();
    let has_fields = |field: &str| {
        let mut rest = all.iter().filter_map(|other| other.strip_prefix(field));
        rest.any(|rest| rest.starts_with('.') || rest.starts_with("[]"))
    };
    shown.retain(|field| !has_fields(field));
    let page = fs::read_to_string(root().join(PAGE)).expect("the page exists");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let documented: BTreeSet<String> = rows.map(|(field, _)| field.to_owned()).collect();
    let missing: Vec<_> = shown.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&shown).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "{PAGE} lacks {missing:?}, no response has {unknown:?}"
    );
}

/// The paths of all values that have no fields.
fn fields(path: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
            members.iter().for_each(|(name, value)| fields(&format!("{prefix}{name}"), value, found));
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().for_each(|item| fields(&format!("{path}[]"), item, found));
        }
        _ => drop(found.insert(path.to_owned())),
    }
}

/// The responses of a program with a healthy, a failing and a stopped informer, a controller that loops, and a graph.
async fn responses() -> Value {
    let server = ApiServer::start().await;
    server.put("pods", json!({ "metadata": { "name": "web-0" }, "spec": { "containers": [] } }));
    server.put("configmaps", json!({ "metadata": { "name": "a" }, "data": { "count": "0" } }));
    let status = |code| Fault::Status { code, retry_after_seconds: None }.always();
    server.faults().inject(status(500).of("nodes"));
    server.faults().inject(status(401).of("secrets"));
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let nodes = factory.informer::<Node>();
    let gives_up = StopPolicy::default().unauthorized_max(NonZeroU32::new(1));
    let options = InformerOptions::new().reflector(ReflectorConfig::default().stop_policy(gives_up));
    let secrets = factory.informer_with::<Secret>(options).expect("valid options");
    pods.add_handler(Handler::new().named("printer").on_add(|_, _| {})).expect("the informer runs");

    let (graph, graph_task) = Graph::new("placement");
    let placed = graph
        .informer(&pods)
        .map("placed", |_, pod| Some((pod.key().into_owned(), pod.field_text(".spec.nodeName"))));
    let controller = Controller::for_kind::<ConfigMap>("counter").loop_limit(3).reconcile(count_up);
    let (handle, controller_task) = controller.attach(&factory).expect("valid options");
    handle.record_history();
    let (queues, graphs) = (QueueMetrics::new(), GraphMetrics::new());
    queues.show(handle.queue());
    graphs.show(&graph);

    let running = factory.start();
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    let stopped = stop.clone();
    tasks.spawn(async move { controller_task.run(stopped).await.expect("it does not fail") });
    tasks.spawn(graph_task.run());
    placed.synced().await.expect("pods can be listed");
    tokio::time::sleep(Duration::from_secs(120)).await;

    let shown = |handle: &ControllerHandle, filter: ReconcileFilter<'_>| vec![handle.status(filter)];
    let of_endpoints = handle.clone();
    let endpoints = Endpoints::new(&factory)
        .queues(queues)
        .graphs(graphs)
        .controllers(move |filter| shown(&of_endpoints, filter));
    let mut responses = endpoints.diagnostics();
    assert_eq!(responses["controllers"].as_array().map(Vec::len), Some(1));
    responses["controllers"] = json!(shown(&handle, ReconcileFilter::Key("default/a")));
    stop.cancel();
    tasks.join_next().await;
    drop((nodes, secrets));
    running.shutdown().await;
    responses
}

/// Wakes itself a few times.
async fn count_up(request: Request, context: Context) -> Result<Action, tidings::controller::Error> {
    let map = context.get::<ConfigMap>(&request).await?.ok_or("it exists")?;
    let count: u32 = map.data.as_ref().map_or("0", |data| &data["count"]).parse()?;
    if count < 6 {
        let patch = Patch::Merge(json!({ "data": { "count": (count + 1).to_string() } }));
        context.api::<ConfigMap>().patch(request.name(), &PatchParams::default(), &patch).await?;
    }
    Ok(Action::await_change())
}
