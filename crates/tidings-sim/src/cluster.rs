//! The simulated cluster of one execution: the API server, the record of what happened, and the state of all faults.
//!
//! Every write passes through [`Cluster::write`], which numbers it, records it, and evaluates the user's rules. Nothing else
//! may change the server.

mod garbage;
mod purpose;
mod quiet;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::Value;
use tidings_apiserver::{ApiServer, LaggingServer, ProtobufResponses};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::execution_log::ExecutionLog;
use crate::plan::{Fault, Plan, WriteFault};
use crate::process::Process;
use crate::progress::Progress;
use crate::rule::Violation;
use crate::server_state::ServerState;
use crate::sim::{NamedRule, Sim};
use crate::sync::Mutex;

use purpose::Purposes;
pub(crate) use write::{Created, Writer, Written};

/// The name of the scenario's client in the timeline.
pub(crate) const USER: &str = "user";

pub(crate) struct Cluster {
    pub(crate) server: ApiServer,
    pub(crate) plan: Plan,
    pub(crate) log: Mutex<ExecutionLog>,
    /// Cancelled when a rule is broken: the execution ends.
    pub(crate) over: CancellationToken,
    pub(crate) progress: Arc<Progress>,
    state: Mutex<State>,
    always: Mutex<Vec<NamedRule>>,
    jitter: Option<Mutex<SmallRng>>,
    changes_max: u64,
    /// The names of the rules that are switched off.
    switched_off: BTreeSet<&'static str>,
}

struct State {
    last_change: Instant,
    /// Faults and restarts are going on until then.
    busy_until: Instant,
    violation: Option<Violation>,
    /// All resources that were written.
    resources: BTreeSet<String>,
    created: Vec<Created>,
    purposes: Purposes,
    /// The faults of the plan that happened, by their position.
    injected: BTreeSet<usize>,
    /// Servers that lag, by the version at which they stopped.
    followers: BTreeMap<u64, LaggingServer>,
    /// Servers that lagged and follow again.
    following: Vec<LaggingServer>,
    processes: Vec<Arc<Process>>,
    /// The reconciles of processes that have ended.
    past_reconciles: u64,
}

impl Cluster {
    pub(crate) async fn start(
        plan: Plan,
        sim: &mut Sim,
        changes_max: u64,
        progress: Arc<Progress>,
    ) -> Arc<Cluster> {
        let time = "2026-01-01T00:00:00Z".parse().expect("it is a time");
        let configure = sim.server.take().unwrap_or_else(|| Box::new(|server| server));
        let builder = configure(ApiServer::builder()).seed(1).time(time).protobuf(ProtobufResponses::Refused);
        let server = builder.recorded_requests_max(1).recorded_body_bytes_max(0).start().await;
        for definition in &sim.definitions {
            server.put("customresourcedefinitions.apiextensions.k8s.io", definition.clone());
        }
        let jitter = plan.faults.iter().find_map(|fault| match fault {
            Fault::Order(seed) => Some(Mutex::new(SmallRng::seed_from_u64(*seed))),
            _ => None,
        });
        let now = Instant::now();
        Arc::new(Cluster {
            server,
            plan,
            log: Mutex::new(ExecutionLog::new()),
            over: CancellationToken::new(),
            progress,
            state: Mutex::new(State {
                last_change: now,
                busy_until: now,
                violation: None,
                resources: BTreeSet::new(),
                created: Vec::new(),
                purposes: Purposes::default(),
                injected: BTreeSet::new(),
                followers: BTreeMap::new(),
                following: Vec::new(),
                processes: Vec::new(),
                past_reconciles: 0,
            }),
            always: Mutex::new(std::mem::take(&mut sim.always)),
            jitter,
            changes_max,
            switched_off: sim.switched_off.keys().map(|rule| rule.name()).collect(),
        })
    }

    pub(crate) fn line(&self, who: &str, text: impl AsRef<str>) {
        self.progress.step();
        self.log.lock().line(who, text.as_ref());
    }

    /// Records the first broken rule and ends the execution, unless the rule is switched off.
    pub(crate) fn violate(&self, violation: Violation) {
        if self.switched_off.contains(violation.rule.as_str()) {
            return;
        }
        let mut state = self.state.lock();
        if state.violation.is_none() {
            let text = format!("✗ {} is broken: {}", violation.rule, violation.message);
            state.violation = Some(violation);
            drop(state);
            self.line("", text);
            self.over.cancel();
        }
    }

    pub(crate) fn violation(&self) -> Option<Violation> {
        self.state.lock().violation.clone()
    }

    /// The fault of this write, if the plan has one. A fault happens once.
    pub(crate) fn write_fault(&self, process: &str, write: u32) -> Vec<WriteFault> {
        self.take_faults(|fault| match fault {
            Fault::Write(at, what) if at.process == process && at.write == write => Some(*what),
            _ => None,
        })
    }

    /// The faults of the plan that `select` accepts and that have not happened yet.
    pub(crate) fn take_faults<T>(&self, select: impl Fn(&Fault) -> Option<T>) -> Vec<T> {
        if self.plan.faults.is_empty() {
            return Vec::new();
        }
        let mut state = self.state.lock();
        let mut taken = Vec::new();
        for (at, fault) in self.plan.faults.iter().enumerate() {
            if !state.injected.contains(&at)
                && let Some(selected) = select(fault)
            {
                state.injected.insert(at);
                taken.push(selected);
            }
        }
        taken
    }

    /// How many faults of the plan have happened.
    pub(crate) fn injected(&self) -> usize {
        let order = self.plan.faults.iter().filter(|fault| matches!(fault, Fault::Order(_))).count();
        self.state.lock().injected.len() + order
    }

    /// Waits for a random time, if the plan delays requests.
    pub(crate) async fn jitter(&self) {
        let Some(rng) = &self.jitter else { return };
        let delay_ms = {
            let mut rng = rng.lock();
            if rng.random_range(0..3) == 0 { 0 } else { rng.random_range(1..40u64) }
        };
        if delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        }
    }

    /// Keeps the cluster from being quiet for this time.
    pub(crate) fn busy_for(&self, time: Duration) {
        let mut state = self.state.lock();
        state.busy_until = state.busy_until.max(Instant::now() + time);
    }

    pub(crate) fn add_process(&self, process: Arc<Process>) {
        let mut state = self.state.lock();
        let ended = state.processes.extract_if(.., |other| other.is_dead());
        let reconciles: u64 = ended.map(|other| other.reconciles()).sum();
        state.past_reconciles += reconciles;
        state.processes.push(process);
    }

    pub(crate) fn processes(&self) -> Vec<Arc<Process>> {
        self.state.lock().processes.clone()
    }

    /// The reconciles of all processes so far.
    pub(crate) fn reconciles(&self) -> u64 {
        let (processes, past) = {
            let state = self.state.lock();
            (state.processes.clone(), state.past_reconciles)
        };
        past + processes.iter().map(|process| process.reconciles()).sum::<u64>()
    }

    /// Creates the lagging servers of the plan whose version is reached.
    fn prepare_followers(&self) {
        let wanted = self.plan.faults.iter().filter_map(|fault| match fault {
            Fault::Write(_, WriteFault::Rewind(version)) => Some(*version),
            _ => None,
        });
        for version in wanted {
            let mut state = self.state.lock();
            if self.server.version() >= version && !state.followers.contains_key(&version) {
                state.followers.insert(version, self.server.lagging());
            }
        }
    }

    /// The lagging server of this version.
    pub(crate) fn follower(&self, version: u64) -> Option<LaggingServer> {
        self.state.lock().followers.get(&version).cloned()
    }

    /// Lets a lagging server show every change from now on.
    pub(crate) fn follow(&self, follower: LaggingServer) {
        follower.catch_up();
        self.state.lock().following.push(follower);
    }

    /// All objects of all resources that were written, with their resource.
    pub(crate) fn objects(&self) -> Vec<(String, Value)> {
        let resources = self.state.lock().resources.clone();
        let state = ServerState::new(self.server.clone());
        let is_state = |resource: &String| !crate::target::is_ignored(resource);
        let of = |resource: String| {
            let objects = state.objects(&resource);
            objects.into_iter().map(move |object| (resource.clone(), object))
        };
        resources.into_iter().filter(is_state).flat_map(of).collect()
    }

    pub(crate) fn created(&self) -> Vec<Created> {
        self.state.lock().created.clone()
    }

    /// The largest number of objects that existed at the same time, for each purpose.
    pub(crate) fn purposes(&self) -> BTreeMap<String, usize> {
        self.state.lock().purposes.counts()
    }
}
