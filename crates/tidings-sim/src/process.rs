//! One process of the simulation: a manager with its own client and caches, which crashes and starts again.
//!
//! A crash drops the future of the manager. Everything that the process has sent before has happened, and nothing after it
//! does: the link of a dead process lets nothing pass.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tidings::SharedInformerFactory;
use tidings::controller::{ControllerHandle, ManagerError};
use tidings_apiserver::LaggingServer;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::link::Link;
use crate::rule::{Rule, Violation};
use crate::sim::{ProcessSpec, StartedProcess};
use crate::sync::Mutex;

/// How long a crashed process takes to start again.
const RESTART: Duration = Duration::from_secs(1);

/// How long the API server of a restarted process lags.
pub(crate) const LAG: Duration = Duration::from_secs(20);

/// How long an old leader lives on after a new one has started.
const OLD_LEADER: Duration = Duration::from_secs(15);

/// Later than any execution ends.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// One incarnation of a process.
pub(crate) struct Process {
    state: Mutex<State>,
    changed: Notify,
    upstream: Upstream,
}

/// The API server that a process is connected to.
#[derive(Clone)]
pub(crate) enum Upstream {
    Current,
    Lagging(LaggingServer),
}

#[derive(Default)]
struct State {
    name: String,
    life: Life,
    /// How long the process is down after its crash, if not for the usual time.
    down: Option<Duration>,
    /// The version at which the server of the next incarnation lags.
    next_version: Option<u64>,
    /// Until when no event of a resource passes; `None` is all resources.
    frozen: BTreeMap<Option<String>, Instant>,
    handles: Vec<ControllerHandle>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Life {
    #[default]
    Running,
    /// A new leader has started, and this one lives on for a while.
    OldLeader,
    Dead,
}

/// How an incarnation ended.
enum End {
    Crashed,
    Replaced,
    ByItself(Result<(), ManagerError>),
}

impl Process {
    fn new(upstream: Upstream) -> Arc<Process> {
        Arc::new(Process { state: Mutex::default(), changed: Notify::new(), upstream })
    }

    pub(crate) fn name(&self) -> String {
        self.state.lock().name.clone()
    }

    pub(crate) fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.state.lock().life == Life::Dead
    }

    /// Ends the process at its next await. Nothing that it sends arrives any more.
    pub(crate) fn crash(&self) {
        self.state.lock().life = Life::Dead;
        self.changed.notify_waiters();
    }

    /// As [`crash`](Self::crash); the next incarnation reads from the server that lags at this version.
    pub(crate) fn crash_and_rewind(&self, version: u64) {
        self.state.lock().next_version = Some(version);
        self.crash();
    }

    /// As [`crash`](Self::crash); the next incarnation starts after this time.
    pub(crate) fn crash_for(&self, time: Duration) {
        self.state.lock().down = Some(time);
        self.crash();
    }

    /// Starts a second process, while this one sees no event any more.
    pub(crate) fn become_old_leader(&self) {
        let mut state = self.state.lock();
        if state.life == Life::Running {
            state.life = Life::OldLeader;
            state.frozen.insert(None, Instant::now() + FOREVER);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Lets no event of this resource pass for a while.
    pub(crate) fn freeze(&self, resource: Option<&str>, time: Duration) {
        let until = Instant::now() + time;
        self.state.lock().frozen.insert(resource.map(str::to_owned), until);
    }

    /// Until when no event of this resource may pass.
    pub(crate) fn frozen_until(&self, resource: &str) -> Option<Instant> {
        let state = self.state.lock();
        let until = [Some(resource.to_owned()), None].into_iter().filter_map(|key| state.frozen.get(&key));
        until.max().copied().filter(|until| *until > Instant::now())
    }

    /// The number of reconciles so far.
    pub(crate) fn reconciles(&self) -> u64 {
        let handles = self.state.lock().handles.clone();
        handles.iter().map(ControllerHandle::stats).map(|stats| stats.reconcile_time.count()).sum()
    }

    /// Waits until the process does not run as the only one any more.
    async fn changed_life(&self) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if self.state.lock().life != Life::Running {
                return;
            }
            changed.await;
        }
    }
}

/// Runs one process, and starts it again after each crash, until it is dropped.
pub(crate) async fn supervise(cluster: Arc<Cluster>, spec: Arc<ProcessSpec>) {
    let mut incarnations = JoinSet::new();
    let mut upstream = Upstream::Current;
    for number in 1u64.. {
        let process = Process::new(upstream);
        let link = Link::new(Arc::clone(&cluster), Arc::clone(&process));
        let factory = SharedInformerFactory::builder(link.into_client()).seed(number).build();
        let StartedProcess { name, manager } = (spec.start)(factory);
        {
            let mut state = process.state.lock();
            state.name.clone_from(&name);
            state.handles = manager.handles().to_vec();
        }
        cluster.add_process(Arc::clone(&process));
        let again = if number == 1 { "starts" } else { "starts again, with empty caches" };
        cluster.line(&name, again);
        let (ended, has_ended) = tokio::sync::oneshot::channel();
        let running = incarnations.spawn(async move {
            let result = manager.run_until(std::future::pending()).await;
            // The supervisor is gone if nobody receives it.
            let _ = ended.send(result);
        });
        let end = tokio::select! {
            biased;
            () = process.changed_life() => if process.is_dead() { End::Crashed } else { End::Replaced },
            Ok(result) = has_ended => End::ByItself(result),
        };
        upstream = Upstream::Current;
        match end {
            End::Crashed => {
                running.abort();
                upstream = next_upstream(&cluster, &process);
                if let Upstream::Lagging(follower) = &upstream {
                    incarnations.spawn(catch_up(Arc::clone(&cluster), follower.clone(), name.clone()));
                }
                let down = process.state.lock().down.unwrap_or(RESTART);
                cluster.busy_for(down);
                tokio::time::sleep(down).await;
            }
            End::Replaced => {
                cluster.busy_for(OLD_LEADER);
                incarnations.spawn(async move {
                    tokio::time::sleep(OLD_LEADER).await;
                    process.crash();
                    running.abort();
                });
            }
            End::ByItself(result) => {
                process.crash();
                let why = result.map_or_else(|error| error.to_string(), |()| "without an error".to_owned());
                cluster.line(&name, format!("ends by itself: {why}"));
                if !why.contains("caches were not filled") {
                    cluster.violate(Violation::of(Rule::StaysUp, format!("{name} ended by itself: {why}")));
                }
                cluster.busy_for(RESTART);
                tokio::time::sleep(RESTART).await;
            }
        }
    }
}

/// Lets a lagging server follow the current one after a while.
async fn catch_up(cluster: Arc<Cluster>, follower: LaggingServer, name: String) {
    tokio::time::sleep(RESTART + LAG).await;
    cluster.line("", format!("the API server of {name} catches up"));
    cluster.follow(follower);
}

/// The server of the next incarnation.
fn next_upstream(cluster: &Arc<Cluster>, process: &Process) -> Upstream {
    let version = process.state.lock().next_version;
    let Some(follower) = version.and_then(|version| cluster.follower(version)) else {
        return Upstream::Current;
    };
    cluster.busy_for(RESTART + LAG);
    Upstream::Lagging(follower)
}
