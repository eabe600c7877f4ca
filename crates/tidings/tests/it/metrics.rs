//! `docs/metrics.md` lists the metrics that a registry really exposes: names, types and labels.
//!
//! With `TIDINGS_WRITE_METRICS=1` the table is rewritten. The meaning of a known metric stays as it is in the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use serde_json::json;
use tidings::controller::{
    Action, Context, Controller, ControllerMetrics, Election, ElectionMetrics, Request, Signals,
};
use tidings::derived::Graph;
use tidings::prometheus_client::encoding::text::encode;
use tidings::prometheus_client::registry::Registry;
use tidings::workqueue::QueueMetrics;
use tidings::{Handler, SharedInformerFactory};
use tidings_apiserver::{ApiServer, Fault};
use tokio_util::sync::CancellationToken;

use crate::tidy::files::root;

const PAGE: &str = "docs/metrics.md";
const TABLE_HEAD: &str = "| metric | type | labels | meaning |\n|---|---|---|---|\n";

/// What a registry exposes about one metric.
#[derive(Debug, Default, PartialEq, Eq)]
struct Metric {
    kind: String,
    labels: BTreeSet<String>,
    help: String,
}

#[tokio::test(start_paused = true)]
async fn the_metrics_page_lists_the_exposed_metrics() {
    let exposed = exposed().await;
    let page = fs::read_to_string(root().join(PAGE)).expect("the page exists");
    let (before, table) = page.split_once(TABLE_HEAD).expect("the page has a table of metrics");
    let (rows, after) = table.split_once("\n\n").unwrap_or((table.trim_end(), ""));
    let documented: BTreeMap<&str, Vec<&str>> = rows.lines().map(cells).collect();
    let written: String = exposed
        .iter()
        .map(|(name, metric)| {
            let meaning = documented.get(name.as_str()).map_or(metric.help.as_str(), |cells| cells[2]);
            format!("| `{name}` | {} | {} | {meaning} |\n", metric.kind, labels_of(metric))
        })
        .collect();
    let after = if after.is_empty() { String::new() } else { format!("\n{after}") };
    let rewritten = format!("{before}{TABLE_HEAD}{written}{after}");
    if std::env::var_os("TIDINGS_WRITE_METRICS").is_some() {
        fs::write(root().join(PAGE), rewritten).expect("the page can be written");
    } else {
        assert!(rewritten == page, "{PAGE} is out of date: run with TIDINGS_WRITE_METRICS=1\n{rewritten}");
    }
}

/// The name of a row, and its type, labels and meaning.
fn cells(row: &str) -> (&str, Vec<&str>) {
    let mut cells = row.trim_matches('|').split('|').map(str::trim);
    (cells.next().unwrap_or_default().trim_matches('`'), cells.collect())
}

fn labels_of(metric: &Metric) -> String {
    let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
    labels.join(", ")
}

/// The metrics of a healthy and a failing informer, a handler, a controller with its queue, an election, and a graph.
async fn exposed() -> BTreeMap<String, Metric> {
    let server = ApiServer::start().await;
    server.put("pods", json!({ "metadata": { "namespace": "default", "name": "web-0" } }));
    let failure = Fault::Status { code: 500, retry_after_seconds: None };
    server.faults().inject(failure.always().of("nodes"));
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let nodes = factory.informer::<Node>();
    pods.add_handler(Handler::new().named("printer").on_add(|_, _| {})).expect("the informer runs");
    let reconcile = async |_: Request, _: Context| Ok(Action::await_change());
    let controller = Controller::for_kind::<ConfigMap>("example").reconcile(reconcile);
    let (controller, task) = controller.attach(&factory).expect("the controller can be attached");
    let (leadership, _election) =
        Election::new("example").build(server.client()).expect("the election is valid");

    let (queues, controllers, elections) =
        (QueueMetrics::new(), ControllerMetrics::new(), ElectionMetrics::new());
    queues.show(controller.queue());
    controllers.show(&controller);
    elections.show(&leadership);
    let (graph, graph_task) = Graph::new("example");
    let collection = graph.fixed("example", [("a".to_owned(), 1)]);
    let mut registry = Registry::default();
    registry.register_collector(Box::new(factory.metrics()));
    registry.register_collector(Box::new(queues));
    registry.register_collector(Box::new(controllers));
    registry.register_collector(Box::new(elections));
    registry.register_collector(Box::new(graph.metrics()));

    let stop = CancellationToken::new();
    let working = task.run(Signals { stop: stop.clone(), abandon: stop.child_token() });
    let running = factory.start();
    let text = async {
        pods.synced().await.expect("the list succeeds");
        server.put("pods", json!({ "metadata": { "namespace": "default", "name": "web-1" } }));
        server.put("configmaps", json!({ "metadata": { "namespace": "default", "name": "example" } }));
        tokio::time::sleep(Duration::from_secs(60)).await;
        let mut text = String::new();
        encode(&mut text, &registry).expect("a registry can be encoded");
        stop.cancel();
        graph.stop();
        text
    };
    let (_, text, ()) = tokio::join!(working, text, graph_task.run());
    drop(collection);
    running.shutdown().await;
    drop(nodes);
    parse(&text)
}

/// Parses the text format: `# HELP name text`, `# TYPE name kind`, and samples `name{label="value"} 1`.
fn parse(text: &str) -> BTreeMap<String, Metric> {
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut current = Metric::default();
    let mut name = String::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (_, help) = help.split_once(' ').unwrap_or_default();
            current = Metric { help: help.trim_end_matches('.').to_owned(), ..Metric::default() };
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (of, kind) = kind.split_once(' ').expect("a name and a type");
            name = if kind == "counter" { format!("{of}_total") } else { of.to_owned() };
            let known = metrics.entry(name.clone()).or_default();
            (known.kind, known.help) = (kind.to_owned(), std::mem::take(&mut current.help));
        } else if let Some((_, labels)) = line.split_once('{') {
            let (labels, _) = labels.rsplit_once('}').expect("labels are closed");
            let labels = labels.split("\",").filter_map(|label| Some(label.split_once('=')?.0.to_owned()));
            let metric = metrics.get_mut(&name).expect("a sample follows its type");
            metric.labels.extend(labels.filter(|label| label != "le"));
        }
    }
    metrics
}
