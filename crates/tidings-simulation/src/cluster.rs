//! The simulated cluster: API servers, replicas that start, crash and restart, and a workload.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::controller::{ControllerError, ManagerError};
use tidings_apiserver::InProcess;
use tidings_apiserver::{ApiServer, Ending, LaggingServer};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::faults::faults;
use crate::network::FaultCounts;
use crate::observations::ActiveReconciles;
use crate::oracles::{self, Verdict};
use crate::plan::{Coordination, Plan};
use crate::reconcile::{ReconcileFaults, Reconcilers};
use crate::replica::{Incarnation, IncarnationConfig};
use crate::trace::Trace;
use crate::workload::Workload;

/// How long the cluster may take to reach its final state after the last fault: 200 s until a silent watch is noticed,
/// plus time for retries, expired leases and restarts of replicas.
const RECOVERY: Duration = Duration::from_secs(330);

/// Before the end of the recovery the workload changes only objects that cause no writes of controllers.
const NO_WRITES_AT_END: Duration = Duration::from_secs(60);

/// Without faults, a change reaches every cache, handler and reconcile within this time.
const SETTLED: Duration = Duration::from_secs(10);

/// How long the settled cluster is observed to check that no controller writes.
const QUIET: Duration = Duration::from_secs(200);

pub(crate) struct Cluster {
    pub(crate) plan: Plan,
    pub(crate) server: ApiServer,
    pub(crate) lagging: Option<LaggingServer>,
    pub(crate) active: Arc<ActiveReconciles>,
    pub(crate) trace: Trace,
    reconcile_faults: Arc<ReconcileFaults>,
    slots: Vec<Mutex<Option<Arc<Incarnation>>>>,
    incarnations: AtomicUsize,
    ending: CancellationToken,
    calm: CancellationToken,
    counts: Arc<FaultCounts>,
}

/// The result of one run.
#[derive(Debug, Default, Clone)]
pub struct RunSummary {
    /// How often each kind of fault happened.
    pub faults: BTreeMap<&'static str, u64>,
    /// The duration in simulated time.
    pub simulated: Duration,
    /// The number of reconciles.
    pub reconciles: u64,
    /// How many times replicas were started.
    pub incarnations: usize,
}

impl Cluster {
    async fn new(plan: Plan, trace: Trace) -> Arc<Cluster> {
        let builder = ApiServer::builder().seed(plan.seed).bookmark_interval(plan.bookmark_interval);
        let server = builder.time("2026-01-01T00:00:00Z".parse().expect("it is a time")).start().await;
        let lagging = plan.has_lagging_server.then(|| server.lagging());
        Arc::new(Cluster {
            server,
            lagging,
            active: Arc::default(),
            reconcile_faults: ReconcileFaults::new(plan.seed),
            slots: (0..plan.replicas()).map(|_| Mutex::default()).collect(),
            incarnations: AtomicUsize::new(0),
            ending: CancellationToken::new(),
            calm: CancellationToken::new(),
            counts: Arc::default(),
            trace,
            plan,
        })
    }

    /// The running replicas.
    pub(crate) fn running(&self) -> Vec<Arc<Incarnation>> {
        self.slots.iter().filter_map(|slot| slot.lock().clone()).collect()
    }

    pub(crate) fn count(&self, fault: &'static str) {
        self.counts.add(fault);
    }

    fn servers(&self) -> Arc<[InProcess]> {
        let lagging = self.lagging.iter().map(LaggingServer::service);
        std::iter::once(self.server.service()).chain(lagging).collect()
    }

    fn summary(&self) -> RunSummary {
        let mut faults = self.counts.all();
        let counts = self.server.faults().counts().into_iter();
        for (name, count) in counts.chain(self.lagging.iter().flat_map(|server| server.faults().counts())) {
            *faults.entry(name).or_insert(0) += count;
        }
        RunSummary {
            faults,
            simulated: self.trace.elapsed(),
            reconciles: self.active.reconciles(),
            incarnations: self.incarnations.load(Ordering::Relaxed),
        }
    }

    /// Runs one replica, and restarts it after each end, until the simulation is over.
    async fn supervise(self: Arc<Self>, number: usize) {
        let mut rng = SmallRng::seed_from_u64(self.plan.seed ^ (number as u64 + 1));
        loop {
            let incarnation = self.incarnations.fetch_add(1, Ordering::Relaxed);
            let config = IncarnationConfig {
                plan: &self.plan,
                number,
                incarnation,
                servers: self.servers(),
                active: &self.active,
                counts: &self.counts,
                trace: &self.trace,
                seed: rng.random(),
            };
            let replica = Incarnation::new(&config);
            self.trace.record(|| format!("{} starts", replica.name));
            *self.slots[number].lock() = Some(Arc::clone(&replica));
            let reconcilers = self.reconcilers(&replica);
            tokio::select! {
                biased;
                ended = replica.run(&config, &reconcilers) => {
                    self.trace.record(|| format!("{} ends: {ended:?}", replica.name));
                    self.check_result(&replica, ended);
                }
                () = self.ended(&replica) => {}
            }
            *self.slots[number].lock() = None;
            drop((replica, reconcilers));
            if self.ending.is_cancelled() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(rng.random_range(0..5_000))).await;
        }
    }

    /// A replica may lose its leadership, and may fail to sync in time. Every other end is a violation.
    fn check_result(&self, replica: &Incarnation, ended: Result<(), ManagerError>) {
        match ended {
            Ok(())
            | Err(
                ManagerError::LeadershipLost { .. }
                | ManagerError::NotSynced { .. }
                | ManagerError::Election(_)
                | ManagerError::Controller(ControllerError::NotSynced { .. }),
            ) => {}
            Err(error) => self.active.report_violation(format!("{} ends by itself: {error:?}", replica.name)),
        }
    }

    /// Stops the replica in order when the simulation is over. Never returns.
    async fn ended(&self, replica: &Incarnation) {
        self.ending.cancelled().await;
        replica.stop.cancel();
        std::future::pending().await
    }

    fn reconcilers(&self, replica: &Incarnation) -> Arc<Reconcilers> {
        let group = match self.plan.coordination {
            Coordination::None => replica.name.clone(),
            Coordination::Election | Coordination::Sharding => String::new(),
        };
        Reconcilers::new(
            replica.name.clone(),
            group,
            !self.plan.is_restored,
            Arc::clone(&self.active),
            Arc::clone(&replica.observations),
            self.server.clone(),
            Arc::clone(&self.reconcile_faults),
            self.trace.clone(),
        )
    }

    /// Ends all faults.
    fn stop_faults(&self) {
        self.trace.record(|| "no more faults".to_owned());
        self.server.faults().clear();
        self.reconcile_faults.stop();
        if let Some(lagging) = &self.lagging {
            lagging.faults().clear();
        }
        self.calm.cancel();
        self.clear_link_faults();
    }

    fn clear_link_faults(&self) {
        if let Some(lagging) = &self.lagging {
            lagging.catch_up();
        }
        for replica in self.running() {
            replica.link.clear_faults();
            replica.views.lock().iter().for_each(|checked| checked.view.stop_faults());
        }
    }

    /// Runs the workload with faults.
    async fn run_with_faults(&self, workload: &mut Workload) -> Verdict {
        let plan = &self.plan;
        if plan.faults_per_mille > 0 {
            self.server.faults().plan(plan.seed, plan.faults_per_mille, faults(plan));
            if let Some(lagging) = &self.lagging {
                lagging.faults().plan(plan.seed + 1, plan.faults_per_mille, faults(plan));
            }
        }
        for step in 0..plan.steps {
            workload.step(self).await;
            oracles::always(self)?;
            if step % 16 == 0 {
                oracles::bounded(self)?;
            }
        }
        Ok(())
    }

    async fn wait_until_settled(&self, calm: Instant) -> Verdict {
        let quiet = Instant::now();
        while let Err(difference) = oracles::settled(self) {
            if quiet.elapsed() >= SETTLED {
                return Err(format!("{:?} after the last fault: {difference}", calm.elapsed()));
            }
            self.clear_link_faults();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    }

    /// Replaces watches that were opened with a fault, such as a slow stream. Such a watch delivers a few changes in time, but
    /// not hundreds.
    async fn reopen_watches(&self) {
        self.server.faults().cut_watches(Ending::Clean);
        if let Some(lagging) = &self.lagging {
            lagging.faults().cut_watches(Ending::Clean);
        }
        tokio::time::sleep(SETTLED).await;
    }

    /// Ends the faults, continues the workload for a while, and then checks the final state.
    async fn recover(&self, workload: &mut Workload) -> Verdict {
        self.stop_faults();
        let calm = Instant::now();
        while calm.elapsed() < RECOVERY {
            workload.make_small_changes(self, calm.elapsed() + NO_WRITES_AT_END < RECOVERY);
            tokio::time::sleep(Duration::from_secs(5)).await;
            self.clear_link_faults();
            oracles::always(self)?;
        }
        self.wait_until_settled(calm).await?;
        self.reopen_watches().await;
        workload.churn_behind_slow_subscriber(self).await;
        self.wait_until_settled(calm).await?;
        let before = oracles::written(self);
        tokio::time::sleep(QUIET).await;
        oracles::always(self)?;
        oracles::settled(self)?;
        if oracles::written(self) != before {
            return Err("controllers write though nothing changes".to_owned());
        }
        Ok(())
    }
}

/// Runs the simulation of one plan.
pub(crate) async fn run(plan: Plan, trace: Trace) -> (RunSummary, Verdict) {
    let cluster = Cluster::new(plan, trace).await;
    cluster.trace.record(|| format!("{:?}", cluster.plan));
    let mut workload = Workload::new(&cluster.plan);
    workload.create_initial_objects(&cluster);
    let mut replicas = JoinSet::new();
    for number in 0..cluster.plan.replicas() {
        replicas.spawn(Arc::clone(&cluster).supervise(number));
    }
    let mut verdict = cluster.run_with_faults(&mut workload).await;
    if verdict.is_ok() {
        verdict = cluster.recover(&mut workload).await;
    }
    cluster.ending.cancel();
    let stopped = tokio::time::timeout(Duration::from_secs(3600), async {
        while let Some(ended) = replicas.join_next().await {
            ended.expect("a supervisor does not panic");
        }
    });
    let stopped = stopped.await.map_err(|_| "replicas do not stop within an hour".to_owned());
    let summary = cluster.summary();
    drop((cluster, replicas));
    let verdict = match (verdict, stopped) {
        (Ok(()), Ok(())) => oracles::nothing_runs().await,
        (Err(verdict), _) | (_, Err(verdict)) => Err(verdict),
    };
    (summary, verdict)
}
