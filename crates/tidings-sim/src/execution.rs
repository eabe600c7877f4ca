//! One execution: one plan, one thread, paused time, from an empty server to the deletion of everything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::cluster::Cluster;
use crate::execution_log::{StepRecord, WriteRecord};
use crate::normal::FinalState;
use crate::panics::{self, PanicCapture};
use crate::plan::Plan;
use crate::process::supervise;
use crate::progress::Progress;
use crate::rule::{Rule, Violation};
use crate::scenario::UserLink;
use crate::server_state::ServerState;
use crate::sim::{NamedRule, Sim};
use crate::target::Target;

/// How long the scenario may take in simulated time.
const SCENARIO_MAX: Duration = Duration::from_secs(2 * 3600);

/// How long a settled cluster is observed after all processes have restarted.
const RESTARTED_QUIET: Duration = Duration::from_secs(30);

/// What one execution showed.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) violation: Option<Violation>,
    /// The error of the scenario, in an execution in which other clients interfere.
    pub(crate) scenario_error: Option<String>,
    pub(crate) state: FinalState,
    /// The largest number of objects for each purpose.
    pub(crate) purposes: BTreeMap<String, usize>,
    pub(crate) timeline: Vec<String>,
    pub(crate) writes: BTreeMap<String, Vec<WriteRecord>>,
    pub(crate) events: BTreeMap<(String, String), u32>,
    pub(crate) steps: Vec<StepRecord>,
    pub(crate) changes: u64,
    pub(crate) reconciles: u64,
    pub(crate) injected: usize,
}

/// Executes a plan in this thread.
pub(crate) fn execute(mut sim: Sim, plan: Plan, changes_max: u64, progress: Arc<Progress>) -> Outcome {
    let capture = PanicCapture::start();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O can always be built");
    let outcome = runtime.block_on(async {
        let cluster = Cluster::start(plan, &mut sim, changes_max, progress).await;
        run(&mut sim, &cluster, &capture).await
    });
    drop(runtime);
    outcome
}

async fn run(sim: &mut Sim, cluster: &Arc<Cluster>, capture: &PanicCapture) -> Outcome {
    let mut processes = JoinSet::new();
    for spec in std::mem::take(&mut sim.processes) {
        processes.spawn(supervise(Arc::clone(cluster), Arc::new(spec)));
    }
    let mut result = Phases { scenario_error: None, state: FinalState::default() };
    tokio::select! {
        biased;
        () = cluster.over.cancelled() => {}
        () = phases(sim, cluster, &mut result) => {}
    }
    let reconciles = cluster.reconciles();
    processes.shutdown().await;
    let panics = capture.take();
    if let Some(first) = panics.first()
        && sim.is_on(Rule::NoPanic)
    {
        let more = if panics.len() > 1 { format!(", and {} more", panics.len() - 1) } else { String::new() };
        cluster.violate(Violation::of(Rule::NoPanic, format!("{first}{more}")));
    }
    if sim.is_on(Rule::NoOwnTasks) && !cluster.over.is_cancelled() {
        no_own_tasks(cluster).await;
    }
    let violation = cluster.violation();
    let injected = cluster.injected();
    let purposes = cluster.purposes();
    let log = cluster.log.lock();
    Outcome {
        violation,
        scenario_error: result.scenario_error,
        state: result.state,
        purposes,
        timeline: log.timeline(),
        writes: log.writes.clone(),
        events: log.events.clone(),
        steps: log.steps.clone(),
        changes: log.changes,
        reconciles,
        injected,
    }
}

/// What the phases of an execution leave behind.
struct Phases {
    scenario_error: Option<String>,
    state: FinalState,
}

async fn phases(sim: &mut Sim, cluster: &Arc<Cluster>, result: &mut Phases) {
    let link = UserLink::new(Arc::clone(cluster), sim.settings.step_quiet, sim.immutable.clone());
    result.scenario_error = scenario(sim, cluster, &link).await;
    cluster.settle(sim.settings.final_quiet, true).await;
    if result.scenario_error.is_none() {
        cluster.line("", "the scenario is over and everything is quiet");
        result.state = FinalState::of(cluster.objects(), &sim.may_differ);
        finally(&mut sim.finally, cluster);
    }
    if sim.is_on(Rule::Idempotent) {
        restart_changes_nothing(cluster).await;
    }
    if sim.is_on(Rule::NoLeftovers) || sim.is_on(Rule::NoFinalizers) {
        tear_down(sim, cluster, &link).await;
    }
}

/// Runs the scenario. Returns its error.
async fn scenario(sim: &mut Sim, cluster: &Arc<Cluster>, link: &UserLink) -> Option<String> {
    let scenario = sim.scenario.take()?;
    let client = link.client();
    tokio::select! {
        biased;
        () = link.cut_off.cancelled() => None,
        result = tokio::time::timeout(SCENARIO_MAX, scenario(client)) => match result {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                cluster.line("", format!("the scenario ends with an error: {error}"));
                Some(error)
            }
            Err(_) => {
                let hours = SCENARIO_MAX.as_secs() / 3600;
                let message = format!(
                    "the scenario has not ended after {hours} simulated hours: it waits for something that never happens"
                );
                cluster.violate(Violation::of(Rule::Quiet, message));
                None
            }
        },
    }
}

fn finally(rules: &mut [NamedRule], cluster: &Cluster) {
    let state = ServerState::new(cluster.server.clone());
    for NamedRule { name, rule } in rules {
        if let Err(message) = panics::caught(|| rule(&state)).unwrap_or_else(Err) {
            cluster.violate(Violation { rule: name.clone(), message });
        }
    }
}

/// Restarts every process, so that every object is reconciled again, and checks that nothing changes.
async fn restart_changes_nothing(cluster: &Arc<Cluster>) {
    let before = cluster.log.lock().process_changes;
    cluster.line("", "all processes restart, so that everything is reconciled again");
    cluster.processes().iter().for_each(|process| process.crash());
    cluster.busy_for(Duration::from_secs(2));
    cluster.settle(RESTARTED_QUIET, true).await;
    let changes = cluster.log.lock().process_changes - before;
    if changes > 0 {
        let message = format!(
            "{changes} writes changed objects after a restart, although everything had settled: see the end of the timeline"
        );
        cluster.violate(Violation::of(Rule::Idempotent, message));
    }
}

/// Deletes what the scenario created, and checks that nothing is left.
async fn tear_down(sim: &Sim, cluster: &Arc<Cluster>, link: &UserLink) {
    cluster.line("", "everything that the scenario created is deleted");
    for created in cluster.created().into_iter().rev().filter(|created| !created.is_by_process) {
        let found = cluster.server.object(&created.resource, &created.key);
        if found.is_none_or(|object| object["metadata"]["uid"] != created.uid.as_str()) {
            continue;
        }
        let request = Request::builder().method(Method::DELETE).uri(&created.path).body(Bytes::new());
        let Ok(request) = request else { continue };
        let Some(target) = Target::parse(request.method(), request.uri()) else { continue };
        // Fails only if the server is closed.
        let _ = link.step(target, request, true).await;
    }
    cluster.settle(sim.settings.final_quiet, true).await;
    let objects = cluster.objects();
    let is_waiting = |object: &Value| !object["metadata"]["deletionTimestamp"].is_null();
    if let Some((resource, object)) = objects.iter().find(|(_, object)| is_waiting(object))
        && sim.is_on(Rule::NoFinalizers)
    {
        let message = format!(
            "{resource} {} was deleted and waits for its finalizers {}",
            name_of(object),
            object["metadata"]["finalizers"]
        );
        cluster.violate(Violation::of(Rule::NoFinalizers, message));
    }
    let created = cluster.created();
    let is_left = |object: &Value| {
        let uid = object["metadata"]["uid"].as_str();
        !is_waiting(object)
            && created.iter().any(|created| created.is_by_process && Some(created.uid.as_str()) == uid)
    };
    let left: Vec<String> = objects
        .iter()
        .filter(|(_, object)| is_left(object))
        .map(|(resource, object)| format!("{resource} {}", name_of(object)))
        .collect();
    if !left.is_empty() && sim.is_on(Rule::NoLeftovers) {
        let message = format!(
            "the scenario's objects are deleted, and this was created for them and is left: {}",
            left.join(", ")
        );
        cluster.violate(Violation::of(Rule::NoLeftovers, message));
    }
}

fn name_of(object: &Value) -> String {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    match text("namespace") {
        "" => text("name").to_owned(),
        namespace => format!("{namespace}/{}", text("name")),
    }
}

/// No task is left when all processes have ended.
async fn no_own_tasks(cluster: &Cluster) {
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    for _ in 0..100 {
        if alive() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let message = format!(
        "{} tasks run on after all processes have ended: the controller spawns tasks of its own, which a crash would not \
         end here; run them with Manager::runnable, or in a JoinSet that the reconcile owns",
        alive()
    );
    cluster.violate(Violation::of(Rule::NoOwnTasks, message));
}

#[cfg(test)]
mod tests;
