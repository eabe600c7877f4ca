//! Derived collections of tidings as a subject: the same commands, objects and collections as `bench/peers/krt`. CPU and
//! memory are measured from outside.
//!
//! Objects come from files, and changes are prepared before they are measured: neither side pays for decoding there. The
//! objects are stored as an informer stores them: packed with a trained dictionary, with the fields that functions read
//! beside the identity (`SharedInformer::prefetch_field`).

mod collections;
mod steps;

use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use k8s_openapi::api::core::v1::{Node, Pod, Service};
use serde::Deserialize;
use serde_json::{Value, json};
use tidings::derived::{Collection, Feed, Graph};
use tidings::{Budget, Kind, Object};
use tidings_object::{FieldPath, Intake, NothingKnown};
use tokio::task::JoinSet;
use tokio::time::Instant;

use collections::{Endpoints, Latest};
use steps::Step;

/// How many objects are read before it is checked whether a dictionary should be trained.
const OBJECTS_PER_TRAINING_CHECK: usize = 1_000;

/// How long to wait until memory is stable.
const SETTLE: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Command {
    Load {
        folder: String,
    },
    Build {
        #[serde(rename = "case")]
        which: Case,
    },
    Settle,
    Prepare {
        change: Change,
        count: usize,
    },
    Change,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Case {
    Policies,
    Endpoints,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Change {
    PodIp,
    NodeZone,
    Selector,
    NodeHeartbeat,
    PodHeartbeat,
}

/// The objects of one kind, and how further ones are made.
struct Objects<K> {
    intake: Intake,
    all: Vec<Object<K>>,
    next_version: u64,
}

struct Subject {
    pods: Objects<Pod>,
    nodes: Objects<Node>,
    services: Objects<Service>,
    policies: Objects<Service>,
    running: Option<Running>,
    steps: Vec<Step>,
    evaluations: Arc<AtomicU64>,
    /// How many addresses were given to pods.
    addresses: usize,
}

struct Running {
    pods: Feed<Object<Pod>>,
    nodes: Feed<Object<Node>>,
    services: Feed<Object<Service>>,
    outputs: Collection<Endpoints>,
    latest: Arc<Latest>,
    _graph: Graph,
    _tasks: JoinSet<()>,
}

impl<K: Kind + 'static> Objects<K> {
    fn new(prefetched: &[&str]) -> anyhow::Result<Self> {
        let intake = Intake::new(K::resource(), Arc::new(Budget::default()));
        for path in prefetched {
            intake.origin().prefetch_field(&FieldPath::parse(path)?);
        }
        Ok(Objects { intake, all: Vec::new(), next_version: 1_000_000_000 })
    }

    fn read(&mut self, folder: &str, name: &str) -> anyhow::Result<()> {
        let path = Path::new(folder).join(format!("{name}.jsonl"));
        let Ok(file) = std::fs::File::open(&path) else { return Ok(()) };
        for line in std::io::BufReader::new(file).lines() {
            let object = self.intake.json(line?.as_bytes(), &NothingKnown);
            self.all.push(Object::new(object.with_context(|| format!("reading {name}"))?));
            if self.all.len().is_multiple_of(OBJECTS_PER_TRAINING_CHECK)
                && let Some(training) = self.intake.training_due()
            {
                self.intake.adopt(training.run());
            }
        }
        // As the background work of an informer does after a list.
        for object in &mut self.all {
            if let Some(repacked) = self.intake.repacked(object) {
                *object = Object::new(repacked);
            }
        }
        Ok(())
    }

    /// Replaces an object by a changed one with a newer version.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Value)) -> anyhow::Result<Object<K>> {
        let at = at % self.all.len();
        let mut value: Value = self.all[at].view()?;
        self.next_version += 1;
        value["metadata"]["resourceVersion"] = self.next_version.to_string().into();
        change(&mut value);
        let object = Object::new(self.intake.json(&serde_json::to_vec(&value)?, &NothingKnown)?);
        self.all[at] = object.clone();
        Ok(object)
    }
}

/// Executes commands until its input ends.
pub(crate) fn run() -> anyhow::Result<()> {
    // One thread: a graph is one task. With more threads, most of a small change would be their wake-ups.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("starting a runtime")?;
    let mut subject = Subject {
        pods: Objects::new(&[".spec.nodeName", ".status.podIP"])?,
        nodes: Objects::new(&[])?,
        services: Objects::new(&[".spec.selector.app"])?,
        policies: Objects::new(&[".spec.selector.app"])?,
        running: None,
        steps: Vec::new(),
        evaluations: Arc::default(),
        addresses: 0,
    };
    for line in std::io::stdin().lock().lines() {
        let command = serde_json::from_str(&line?).context("reading a command")?;
        let answer = runtime.block_on(async {
            let answer = subject.execute(command).await;
            // What the last change still has to do is a part of it.
            tokio::task::yield_now().await;
            answer
        });
        let answer = answer.unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}").and_then(|()| out.flush()).context("answering")?;
    }
    runtime.shutdown_background();
    Ok(())
}

impl Subject {
    async fn execute(&mut self, command: Command) -> anyhow::Result<Value> {
        match command {
            Command::Load { folder } => {
                self.pods.read(&folder, "pods")?;
                self.nodes.read(&folder, "nodes")?;
                self.services.read(&folder, "services")?;
                self.policies.read(&folder, "policies")?;
                let loaded = self.pods.all.len() + self.nodes.all.len() + self.services.all.len();
                Ok(json!({ "loaded": loaded + self.policies.all.len() }))
            }
            Command::Build { which } => {
                let running = self.build(which).await?;
                let built = running.outputs.lister().len();
                self.running = Some(running);
                Ok(json!({ "built": built, "evaluations": self.evaluations.swap(0, Ordering::Relaxed) }))
            }
            Command::Settle => {
                tokio::time::sleep(SETTLE).await;
                Ok(json!({ "settled": true }))
            }
            Command::Prepare { change, count } => {
                self.steps = self.prepare(change, count)?;
                Ok(json!({ "ready": self.steps.len() }))
            }
            Command::Change => {
                let running = self.running.as_ref().context("nothing was built")?;
                let mut latencies_ns = Vec::with_capacity(self.steps.len());
                for step in &self.steps {
                    let started = Instant::now();
                    step.execute(running).await;
                    latencies_ns.push(u64::try_from(started.elapsed().as_nanos())?);
                }
                latencies_ns.sort_unstable();
                let latency_ns = latencies_ns.get(latencies_ns.len() / 2);
                let evaluations = self.evaluations.swap(0, Ordering::Relaxed);
                Ok(json!({
                    "changed": self.steps.len(), "evaluations": evaluations, "latency_ns": latency_ns,
                }))
            }
        }
    }
}
