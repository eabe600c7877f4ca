//! The server of the comparison: `tidings-apiserver` in its own process, so that its cost is not measured. It loads
//! objects, prints its address, and executes the commands of its standard input.

mod fixture;
mod pre_encode;
mod updates;

use std::io::{BufRead, Write};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tidings_apiserver::HistoryLimits;
use tidings_apiserver::ProtobufResponses;
use tidings_apiserver::RecordedRequest;
use tidings_apiserver::Rights;
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Ending, Listen};
use tokio::time::Instant;

use crate::protocol::{SENTINEL, ServerCommand};
use updates::Updates;

#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Arguments {
    /// The number of pods, without the sentinel.
    #[arg(long, default_value_t = 0)]
    pub(crate) pods: u64,
    /// Pods of 1 KB instead of 6.7 KB.
    #[arg(long)]
    pub(crate) small: bool,
    #[arg(long, default_value_t = 0)]
    pub(crate) configmaps: u64,
    #[arg(long, default_value_t = 0)]
    pub(crate) secrets: u64,
    #[arg(long, default_value_t = 0)]
    pub(crate) leases: u64,
    #[arg(long, default_value_t = 0)]
    pub(crate) widgets: u64,
    /// The number of namespaces with ten small config maps each.
    #[arg(long, default_value_t = 0)]
    pub(crate) many: u64,
    /// Encodes protobuf in advance.
    #[arg(long)]
    pub(crate) protobuf: bool,
}

const MANY_OBJECTS: u64 = 10;

/// The lists of kinds with protobuf, without pods.
const OTHER_LISTS: [&str; 3] =
    ["/api/v1/configmaps", "/api/v1/secrets", "/apis/coordination.k8s.io/v1/leases"];

/// How long a client may take to list again.
const RELIST_WAIT_MAX: Duration = Duration::from_secs(20);
const RELIST_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Large enough that no slow watch is cut off during a measurement.
fn history() -> HistoryLimits {
    HistoryLimits::default().changes_max(4_000_000).age_max(Duration::from_secs(3_600)).bytes_max(4 << 30)
}

/// Serves until its input ends.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("starting a runtime")?;
    let _inside = runtime.enter();
    let builder = ApiServer::builder().anonymous(Rights::Admin).history(history());
    let server = runtime.block_on(builder.protobuf(ProtobufResponses::Kept).start());
    let keys = load(&server, arguments);
    if arguments.protobuf {
        let mut lists = pre_encode::pod_lists(&keys);
        lists.extend(OTHER_LISTS.map(str::to_owned));
        runtime.block_on(pre_encode::encode(&server, &lists));
    }
    let (listening, serving) = runtime.block_on(server.listen(Listen::plain()))?;
    let _serving = runtime.spawn(serving);
    respond(&json!({ "url": listening.url() }))?;
    let mut updates = Updates::new(&server, keys);
    for line in std::io::stdin().lock().lines() {
        let line = line.context("reading what to do")?;
        match serde_json::from_str(&line).with_context(|| format!("reading {line:?}"))? {
            ServerCommand::Update { count, per_second } => {
                let changed = updates.write(count, per_second);
                if arguments.protobuf && per_second.is_none() {
                    let paths: Vec<_> = changed.iter().map(|key| pre_encode::pod_path(key)).collect();
                    runtime.block_on(pre_encode::encode(&server, &paths));
                }
            }
            ServerCommand::Touch { key } => updates.touch(&key),
            ServerCommand::Expire => expire(&server),
        }
        respond(&json!({ "done": true }))?;
    }
    Ok(())
}

/// Ends all watches so that none can continue, and waits until a client lists again.
#[expect(clippy::disallowed_methods, reason = "this thread has nothing else to do")]
fn expire(server: &ApiServer) {
    server.clear_requests();
    server.expire_history();
    server.faults().cut_watches(Ending::Clean);
    let is_list = |request: &RecordedRequest| {
        let lists = request.verb == Some(Verb::List) || request.options.send_initial_events == Some(true);
        lists && request.code == Some(200)
    };
    let until = Instant::now() + RELIST_WAIT_MAX;
    while Instant::now() < until && !server.requests().iter().any(is_list) {
        std::thread::sleep(RELIST_POLL_INTERVAL);
    }
}

/// Creates the objects. Returns the keys of the pods, without the sentinel.
fn load(server: &ApiServer, arguments: &Arguments) -> Vec<String> {
    let make = if arguments.small { fixture::small_pod } else { fixture::pod };
    let mut keys = Vec::with_capacity(arguments.pods as usize);
    for number in 0..arguments.pods {
        let pod = make(number);
        keys.push(key_of(&pod));
        server.put("pods", pod);
    }
    if arguments.pods > 0 {
        server.put("pods", sentinel(make(arguments.pods)));
    }
    load_all(server, "configmaps", arguments.configmaps, fixture::config_map);
    load_all(server, "secrets", arguments.secrets, fixture::secret);
    load_all(server, "leases.coordination.k8s.io", arguments.leases, fixture::lease);
    if arguments.widgets > 0 {
        server.put("customresourcedefinitions.apiextensions.k8s.io", fixture::widget_definition());
        load_all(server, "widgets.example.com", arguments.widgets, fixture::widget);
    }
    load_all(server, "configmaps", arguments.many * MANY_OBJECTS, |number| {
        fixture::many_config_map(number / MANY_OBJECTS, number % MANY_OBJECTS)
    });
    server.expire_history();
    keys
}

fn load_all(server: &ApiServer, resource: &str, count: u64, make: impl Fn(u64) -> Value) {
    if count > 0 {
        server.load(resource, count as usize, |number| make(number as u64));
    }
}

fn sentinel(mut pod: Value) -> Value {
    let (namespace, name) = SENTINEL.split_once('/').expect("a key of a pod has a namespace");
    pod["metadata"]["namespace"] = json!(namespace);
    pod["metadata"]["name"] = json!(name);
    pod
}

fn key_of(pod: &Value) -> String {
    let text = |name: &str| pod["metadata"][name].as_str().expect("a fixture has it").to_owned();
    format!("{}/{}", text("namespace"), text("name"))
}

fn respond(answer: &Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush()).context("answering")
}
