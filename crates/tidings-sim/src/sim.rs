//! What a user configures: definitions, processes, scenario and rules. The configuration is made anew for each execution.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use kube_client::Client;
use serde::Serialize;
use serde_json::Value;
use tidings::SharedInformerFactory;
use tidings::controller::{Controller, Manager};
use tidings_apiserver::ApiServerBuilder;

use crate::plan::FaultGroup;
use crate::rule::{Rule, Verdict};
use crate::server_state::ServerState;

/// The simulation of one program: what is installed, what runs, what the user does, and what must hold.
///
/// [`check`](crate::check) calls its closure with a new `Sim` for each execution. State that rules capture is therefore
/// never shared between two executions.
pub struct Sim {
    pub(crate) server: Option<ConfigureServer>,
    pub(crate) definitions: Vec<Value>,
    pub(crate) processes: Vec<ProcessSpec>,
    pub(crate) scenario: Option<Scenario>,
    pub(crate) always: Vec<NamedRule>,
    pub(crate) finally: Vec<NamedRule>,
    pub(crate) switched_off: BTreeMap<Rule, String>,
    pub(crate) skipped: BTreeMap<FaultGroup, String>,
    pub(crate) may_differ: Vec<FieldOf>,
    pub(crate) immutable: Vec<FieldOf>,
    pub(crate) settings: Settings,
}

pub(crate) type Scenario = Box<dyn FnOnce(Client) -> BoxFuture<'static, Result<(), String>> + Send>;
pub(crate) type RuleFn = Box<dyn FnMut(&ServerState) -> Result<(), String> + Send>;
pub(crate) type ConfigureServer = Box<dyn FnOnce(ApiServerBuilder) -> ApiServerBuilder + Send>;
type Start = Box<dyn Fn(SharedInformerFactory) -> StartedProcess + Send + Sync>;

/// A process that can be started any number of times.
pub(crate) struct ProcessSpec {
    pub(crate) start: Start,
}

/// A process that was made and does not run yet.
pub(crate) struct StartedProcess {
    pub(crate) name: String,
    pub(crate) manager: Manager,
}

pub(crate) struct NamedRule {
    pub(crate) name: String,
    pub(crate) rule: RuleFn,
}

/// A field of the objects of a resource.
#[derive(Debug, Clone)]
pub(crate) struct FieldOf {
    pub(crate) resource: String,
    pub(crate) pointer: String,
    pub(crate) reason: String,
}

/// The bounds of an exploration.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) seconds: Option<f64>,
    pub(crate) executions: Option<usize>,
    pub(crate) random_executions: usize,
    pub(crate) seed: u64,
    pub(crate) threads: Option<usize>,
    pub(crate) step_quiet: Duration,
    pub(crate) final_quiet: Duration,
    pub(crate) watchdog: Duration,
    pub(crate) changes_max: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            seconds: None,
            executions: None,
            random_executions: 100,
            seed: 0,
            threads: None,
            step_quiet: Duration::from_secs(10),
            final_quiet: Duration::from_secs(200),
            watchdog: Duration::from_secs(20),
            changes_max: 1_000,
        }
    }
}

impl Sim {
    pub(crate) fn new() -> Sim {
        Sim {
            server: None,
            definitions: Vec::new(),
            processes: Vec::new(),
            scenario: None,
            always: Vec::new(),
            finally: Vec::new(),
            switched_off: BTreeMap::new(),
            skipped: BTreeMap::new(),
            may_differ: Vec::new(),
            immutable: Vec::new(),
            settings: Settings::default(),
        }
    }

    /// Configures the API server, for example to leave to a process of the simulation what the server does itself by
    /// default: `sim.server(|server| server.garbage_collection(GarbageCollection::External))`. Seed, time and wire are
    /// those of the simulation.
    pub fn server(
        &mut self,
        configure: impl FnOnce(ApiServerBuilder) -> ApiServerBuilder + Send + 'static,
    ) -> &mut Self {
        self.server = Some(Box::new(configure));
        self
    }

    /// Installs a CustomResourceDefinition before anything starts: `sim.install(Greeting::crd())`.
    ///
    /// # Panics
    ///
    /// If the definition can't be serialized.
    pub fn install(&mut self, definition: impl Serialize) -> &mut Self {
        let definition = serde_json::to_value(definition).expect("a definition can be serialized");
        self.definitions.push(definition);
        self
    }

    /// Runs this controller in a process of its own: the same value that `main` gives to
    /// [`Manager::controller`]. The process is called as the controller. It has its own client and caches, and crashes
    /// and restarts alone. Any number of controllers can take part.
    pub fn controller(
        &mut self,
        controller: impl Fn(&SharedInformerFactory) -> Controller + Send + Sync + 'static,
    ) -> &mut Self {
        self.start_with(move |factory| {
            let controller = controller(&factory);
            let name = controller.name().to_owned();
            let manager = Manager::new(factory).controller(controller);
            StartedProcess { name, manager }
        })
    }

    /// Runs a whole manager as one process: several controllers that share their caches, with runnables if there are
    /// any. Give it no [endpoints](Manager::endpoints): a simulation opens no socket.
    pub fn process(
        &mut self,
        name: impl Into<String>,
        manager: impl Fn(SharedInformerFactory) -> Manager + Send + Sync + 'static,
    ) -> &mut Self {
        let name = name.into();
        self.start_with(move |factory| StartedProcess { name: name.clone(), manager: manager(factory) })
    }

    fn start_with(
        &mut self,
        start: impl Fn(SharedInformerFactory) -> StartedProcess + Send + Sync + 'static,
    ) -> &mut Self {
        self.processes.push(ProcessSpec { start: Box::new(start) });
        self
    }

    /// What the user of the cluster does, through an ordinary client. Each write is one step: it is sent when the
    /// controllers are quiet, unless the plan of an execution says otherwise. Do not sleep or poll for the controllers.
    ///
    /// At the end of each execution the simulation deletes what the scenario created, and checks that nothing is left.
    pub fn scenario<F, E>(&mut self, scenario: impl FnOnce(Client) -> F + Send + 'static) -> &mut Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display,
    {
        self.scenario = Some(Box::new(move |client| {
            scenario(client).map(|result| result.map_err(|error| format!("{error:#}"))).boxed()
        }));
        self
    }

    /// A rule that holds after every write to the server.
    ///
    /// It returns nothing and uses `assert!`, or returns a `bool` or a `Result`.
    pub fn always<V: Verdict>(
        &mut self,
        name: impl Into<String>,
        mut rule: impl FnMut(&ServerState) -> V + Send + 'static,
    ) -> &mut Self {
        let rule: RuleFn = Box::new(move |state| rule(state).into_verdict());
        self.always.push(NamedRule { name: name.into(), rule });
        self
    }

    /// A rule that holds when the scenario is over and everything is quiet.
    pub fn finally<V: Verdict>(
        &mut self,
        name: impl Into<String>,
        mut rule: impl FnMut(&ServerState) -> V + Send + 'static,
    ) -> &mut Self {
        let rule: RuleFn = Box::new(move |state| rule(state).into_verdict());
        self.finally.push(NamedRule { name: name.into(), rule });
        self
    }

    /// Switches off a rule. The reason is part of the report.
    pub fn without(&mut self, rule: Rule, reason: impl Into<String>) -> &mut Self {
        self.switched_off.insert(rule, reason.into());
        self
    }

    /// Leaves out a group of faults, for example because the program takes no part in an election and never has two
    /// leaders. The reason is part of the report.
    pub fn skip(&mut self, group: FaultGroup, reason: impl Into<String>) -> &mut Self {
        self.skipped.insert(group, reason.into());
        self
    }

    /// Declares that a field may differ from the undisturbed execution. `resource` is a name such as `configmaps` or
    /// `foos.example.com`, `pointer` a JSON pointer such as `/status/attempts`. The reason is part of the report.
    pub fn may_differ(
        &mut self,
        resource: impl Into<String>,
        pointer: impl Into<String>,
        reason: impl Into<String>,
    ) -> &mut Self {
        let (resource, pointer, reason) = (resource.into(), pointer.into(), reason.into());
        self.may_differ.push(FieldOf { resource, pointer, reason });
        self
    }

    /// Declares that other clients never change this field, for example because the definition forbids it. The
    /// parameters are those of [`may_differ`](Self::may_differ).
    pub fn immutable(
        &mut self,
        resource: impl Into<String>,
        pointer: impl Into<String>,
        reason: impl Into<String>,
    ) -> &mut Self {
        let (resource, pointer, reason) = (resource.into(), pointer.into(), reason.into());
        self.immutable.push(FieldOf { resource, pointer, reason });
        self
    }

    /// Explores for this time. Without it, every single fault is explored, and 100 random combinations. The variable
    /// `SIM_SECONDS` takes precedence.
    pub fn seconds(&mut self, seconds: f64) -> &mut Self {
        self.settings.seconds = Some(seconds);
        self
    }

    /// Explores at most this many executions.
    pub fn executions(&mut self, executions: usize) -> &mut Self {
        self.settings.executions = Some(executions);
        self
    }

    /// How many random combinations of faults follow the single faults; 100 by default.
    pub fn random_executions(&mut self, executions: usize) -> &mut Self {
        self.settings.random_executions = executions;
        self
    }

    /// The seed of random combinations, 0 by default. The variable `SIM_SEED` takes precedence.
    pub fn seed(&mut self, seed: u64) -> &mut Self {
        self.settings.seed = seed;
        self
    }

    /// How many executions run at the same time; one for each core by default.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.settings.threads = Some(threads.max(1));
        self
    }

    /// How long nothing may be written, in simulated time, until a step of the scenario follows (10 s by default), and
    /// until an execution is over (200 s by default). A controller that polls needs more than its period.
    pub fn quiet_after(&mut self, step: Duration, end: Duration) -> &mut Self {
        self.settings.step_quiet = step;
        self.settings.final_quiet = end;
        self
    }

    /// How long simulated time may stand still, in real time, until the execution counts as blocked; 20 s by default.
    pub fn watchdog(&mut self, limit: Duration) -> &mut Self {
        self.settings.watchdog = limit;
        self
    }

    /// How many writes may change objects in the undisturbed execution until they count as endless; 1,000 by default.
    pub fn changes_max(&mut self, changes: u64) -> &mut Self {
        self.settings.changes_max = changes;
        self
    }

    pub(crate) fn is_on(&self, rule: Rule) -> bool {
        !self.switched_off.contains_key(&rule)
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sim")
            .field("definitions", &self.definitions.len())
            .field("processes", &self.processes.len())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
