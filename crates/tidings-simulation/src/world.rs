//! The world: API servers, replicas that live, crash and live again, and people who change things.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::controller::{ControllerError, ManagerError};
use tidings_apiserver::InProcess;
use tidings_apiserver::{ApiServer, LaggingServer};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::faults::faults;
use crate::oracles::{self, Verdict};
use crate::people::People;
use crate::plan::{Coordination, Plan};
use crate::reconcile::{Reconcilers, Trouble};
use crate::replica::{Birth, Life};
use crate::sightings::Hands;
use crate::trace::Trace;
use crate::wire::Counts;

/// How long a world without faults has to come to its final state: 200 s until silence is noticed, and some for retries,
/// for leases that expire, and for replicas that start again.
const CALM: Duration = Duration::from_secs(330);

/// Before the end of the calm, people only touch what no controller answers with a write.
const LAST_WRITES: Duration = Duration::from_secs(60);

/// A change passes from the server to every cache, handler and reconcile within this when nothing is wrong.
const SETTLED: Duration = Duration::from_secs(10);

/// How long a settled world is looked at to see that it rests.
const REST: Duration = Duration::from_secs(200);

/// All that one seed is about.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) server: ApiServer,
    pub(crate) lagging: Option<LaggingServer>,
    pub(crate) hands: Arc<Hands>,
    pub(crate) trace: Trace,
    trouble: Arc<Trouble>,
    slots: Vec<Mutex<Option<Arc<Life>>>>,
    lives: AtomicUsize,
    ending: CancellationToken,
    calm: CancellationToken,
    counts: Arc<Counts>,
}

/// What one run came to.
#[derive(Debug, Default, Clone)]
pub struct Summary {
    /// How often each kind of fault happened.
    pub faults: BTreeMap<&'static str, u64>,
    /// How long it took in simulated time.
    pub simulated: Duration,
    /// How many reconciles there were.
    pub reconciles: u64,
    /// How many lives replicas had.
    pub lives: usize,
}

impl World {
    async fn new(plan: Plan, trace: Trace) -> Arc<World> {
        let builder = ApiServer::builder().seed(plan.seed).bookmark_interval(plan.bookmark_interval);
        let server = builder.time("2026-01-01T00:00:00Z".parse().expect("it is a time")).start().await;
        let lagging = plan.lags.then(|| server.lagging());
        Arc::new(World {
            server,
            lagging,
            hands: Arc::default(),
            trouble: Trouble::new(plan.seed),
            slots: (0..plan.replicas()).map(|_| Mutex::default()).collect(),
            lives: AtomicUsize::new(0),
            ending: CancellationToken::new(),
            calm: CancellationToken::new(),
            counts: Arc::default(),
            trace,
            plan,
        })
    }

    /// The replicas that live now.
    pub(crate) fn living(&self) -> Vec<Arc<Life>> {
        self.slots.iter().filter_map(|slot| slot.lock().clone()).collect()
    }

    pub(crate) fn count(&self, fault: &'static str) {
        self.counts.add(fault);
    }

    fn servers(&self) -> Arc<[InProcess]> {
        let lagging = self.lagging.iter().map(LaggingServer::service);
        std::iter::once(self.server.service()).chain(lagging).collect()
    }

    fn summary(&self) -> Summary {
        let mut faults = self.counts.all();
        let counts = self.server.faults().counts().into_iter();
        for (name, count) in counts.chain(self.lagging.iter().flat_map(|server| server.faults().counts())) {
            *faults.entry(name).or_insert(0) += count;
        }
        Summary {
            faults,
            simulated: self.trace.elapsed(),
            reconciles: self.hands.reconciles(),
            lives: self.lives.load(Ordering::Relaxed),
        }
    }

    /// Lets one replica live, and live again, until the world ends.
    async fn supervise(self: Arc<Self>, number: usize) {
        let mut chance = SmallRng::seed_from_u64(self.plan.seed ^ (number as u64 + 1));
        loop {
            let life = self.lives.fetch_add(1, Ordering::Relaxed);
            let birth = Birth {
                plan: &self.plan,
                number,
                life,
                servers: self.servers(),
                hands: &self.hands,
                counts: &self.counts,
                trace: &self.trace,
                seed: chance.random(),
            };
            let replica = Life::new(&birth);
            self.trace.note(|| format!("{} lives", replica.name));
            *self.slots[number].lock() = Some(Arc::clone(&replica));
            let reconcilers = self.reconcilers(&replica);
            tokio::select! {
                biased;
                ended = replica.run(&birth, &reconcilers) => {
                    self.trace.note(|| format!("{} ends: {ended:?}", replica.name));
                    self.check_end(&replica, ended);
                }
                () = self.ended(&replica) => {}
            }
            *self.slots[number].lock() = None;
            drop((replica, reconcilers));
            if self.ending.is_cancelled() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(chance.random_range(0..5_000))).await;
        }
    }

    /// A replica may lose its leadership, and may not sync in time; nothing in it ends by itself.
    fn check_end(&self, replica: &Life, ended: Result<(), ManagerError>) {
        match ended {
            Ok(())
            | Err(
                ManagerError::LeadershipLost { .. }
                | ManagerError::NotSynced { .. }
                | ManagerError::Guard(_)
                | ManagerError::Controller(ControllerError::NotSynced { .. }),
            ) => {}
            Err(error) => self.hands.object(format!("{} ends by itself: {error:?}", replica.name)),
        }
    }

    /// Stops a replica when the world ends, in order; never returns.
    async fn ended(&self, replica: &Life) {
        self.ending.cancelled().await;
        replica.stop.cancel();
        std::future::pending().await
    }

    fn reconcilers(&self, replica: &Life) -> Arc<Reconcilers> {
        let group = match self.plan.coordination {
            Coordination::None => replica.name.clone(),
            Coordination::Election | Coordination::Sharding => String::new(),
        };
        Reconcilers::new(
            replica.name.clone(),
            group,
            !self.plan.goes_back,
            Arc::clone(&self.hands),
            Arc::clone(&replica.sightings),
            self.server.clone(),
            Arc::clone(&self.trouble),
            self.trace.clone(),
        )
    }

    /// Nothing goes wrong any more.
    fn stop_faults(&self) {
        self.trace.note(|| "no more faults".to_owned());
        self.server.faults().clear();
        self.trouble.calm();
        if let Some(lagging) = &self.lagging {
            lagging.faults().clear();
        }
        self.calm.cancel();
        self.keep_calm();
    }

    fn keep_calm(&self) {
        if let Some(lagging) = &self.lagging {
            lagging.catch_up();
        }
        for replica in self.living() {
            replica.link.calm();
            replica.views.lock().iter().for_each(|watching| watching.view.calm());
        }
    }

    /// Things happen, with faults.
    async fn live(&self, people: &mut People) -> Verdict {
        let plan = &self.plan;
        if plan.faults_per_mille > 0 {
            self.server.faults().plan(plan.seed, plan.faults_per_mille, faults(plan));
            if let Some(lagging) = &self.lagging {
                lagging.faults().plan(plan.seed + 1, plan.faults_per_mille, faults(plan));
            }
        }
        for step in 0..plan.steps {
            people.step(self).await;
            oracles::always(self)?;
            if step % 16 == 0 {
                oracles::bounded(self)?;
            }
        }
        Ok(())
    }

    /// The faults end, people go on for a while, and then everything must be as it should be.
    async fn come_to_rest(&self, people: &mut People) -> Verdict {
        self.stop_faults();
        let calm = tokio::time::Instant::now();
        while calm.elapsed() < CALM {
            people.touch(self, calm.elapsed() + LAST_WRITES < CALM);
            tokio::time::sleep(Duration::from_secs(5)).await;
            self.keep_calm();
            oracles::always(self)?;
        }
        let quiet = tokio::time::Instant::now();
        while let Err(difference) = oracles::settled(self) {
            if quiet.elapsed() >= SETTLED {
                return Err(format!("{:?} after the last fault: {difference}", calm.elapsed()));
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let before = oracles::written(self);
        tokio::time::sleep(REST).await;
        oracles::always(self)?;
        oracles::settled(self)?;
        if oracles::written(self) != before {
            return Err("controllers write though nothing changes".to_owned());
        }
        Ok(())
    }
}

/// Runs the world of one plan.
pub(crate) async fn run(plan: Plan, trace: Trace) -> (Summary, Verdict) {
    let world = World::new(plan, trace).await;
    world.trace.note(|| format!("{:?}", world.plan));
    let mut people = People::new(&world.plan);
    people.settle_in(&world);
    let mut replicas = JoinSet::new();
    for number in 0..world.plan.replicas() {
        replicas.spawn(Arc::clone(&world).supervise(number));
    }
    let mut verdict = world.live(&mut people).await;
    if verdict.is_ok() {
        verdict = world.come_to_rest(&mut people).await;
    }
    world.ending.cancel();
    let stopped = tokio::time::timeout(Duration::from_secs(3600), async {
        while let Some(ended) = replicas.join_next().await {
            ended.expect("a supervisor does not panic");
        }
    });
    let stopped = stopped.await.map_err(|_| "replicas do not stop within an hour".to_owned());
    let summary = world.summary();
    drop((world, replicas));
    let verdict = match (verdict, stopped) {
        (Ok(()), Ok(())) => oracles::nothing_runs().await,
        (Err(verdict), _) | (_, Err(verdict)) => Err(verdict),
    };
    (summary, verdict)
}
