//! One incarnation of a replica: from its start with empty caches to a crash or an orderly stop.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::controller::{Election, Manager, ManagerError, OnOverrun, Shard, Sharding};
use tidings::{
    Handler, InformerOptions, Object, Registration, Running, SharedInformer, SharedInformerFactory,
    WirePreference,
};
use tidings_apiserver::InProcess;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::network::{FaultCounts, Link, load_balanced};
use crate::observations::{ActiveReconciles, Observations};
use crate::plan::{Coordination, Plan};
use crate::reconcile::Reconcilers;
use crate::trace::Trace;
use crate::views::{HandlerBehaviour, View};

pub(crate) const NAMESPACES: [&str; 3] = ["a", "b", "c"];
/// The label by which some handlers filter Pods.
pub(crate) const MATCH: &str = "match";

pub(crate) struct Incarnation {
    pub(crate) name: String,
    pub(crate) link: Arc<Link>,
    pub(crate) stop: CancellationToken,
    pub(crate) observations: Arc<Observations>,
    pub(crate) factory: SharedInformerFactory,
    pub(crate) pods: SharedInformer<Pod>,
    /// An informer of some namespaces, which change during the run.
    pub(crate) narrow: NamespacedInformer,
    pub(crate) views: Mutex<Vec<CheckedView>>,
    /// Informers that were requested for the first namespaces after the namespaced informer was redirected to others.
    pub(crate) second_users: Mutex<Vec<SecondUser>>,
    tasks: Mutex<JoinSet<()>>,
    rng: Mutex<SmallRng>,
    is_restored: bool,
    short_resync: Duration,
}

/// An informer of some namespaces, and the namespaces that it must follow.
pub(crate) struct NamespacedInformer {
    pub(crate) informer: SharedInformer<Pod>,
    pub(crate) namespaces: Mutex<BTreeSet<&'static str>>,
}

/// A second user of the factory, who requests an informer of some namespaces.
pub(crate) struct SecondUser {
    pub(crate) informer: SharedInformer<Pod>,
    pub(crate) namespaces: BTreeSet<&'static str>,
    _running: Running,
}

/// A view, and the part of the informer that it must equal.
pub(crate) struct CheckedView {
    pub(crate) view: View,
    pub(crate) is_filtered: bool,
    pub(crate) is_namespaced: bool,
    /// `None` for streams.
    pub(crate) registration: Option<Registration>,
}

/// What an incarnation needs from the cluster.
pub(crate) struct IncarnationConfig<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) number: usize,
    pub(crate) incarnation: usize,
    pub(crate) servers: Arc<[InProcess]>,
    pub(crate) active: &'a Arc<ActiveReconciles>,
    pub(crate) counts: &'a Arc<FaultCounts>,
    pub(crate) trace: &'a Trace,
    pub(crate) seed: u64,
}

/// Whether a filtered handler accepts the Pod.
pub(crate) fn matches(object: &Object<Pod>) -> bool {
    object.labels().value(MATCH) == Some("yes")
}

impl Incarnation {
    /// Creates the informers and their handlers. Does not start them.
    pub(crate) fn new(config: &IncarnationConfig<'_>) -> Arc<Incarnation> {
        let IncarnationConfig { plan, number, incarnation, .. } = *config;
        let mut rng = SmallRng::seed_from_u64(config.seed);
        let name = format!("replica-{number}.{incarnation}");
        let link = Link::new(&name, rng.random(), config);
        let client = load_balanced(Arc::clone(&config.servers), Arc::clone(&link));
        let defaults = InformerOptions::new()
            .queue_order(plan.queue_order)
            .merge_above(plan.merge_above)
            .reflector(tidings::ReflectorConfig::default().list_mode(plan.list_mode));
        let factory = SharedInformerFactory::builder(client)
            .seed(rng.random())
            .resync(plan.resync)
            .defaults(defaults)
            .wire(plan.wire)
            // Leases must be JSON, because `clock` rewrites them as text.
            .for_kind::<Lease>(InformerOptions::new().wire(WirePreference::JsonOnly))
            .build();
        let pods = factory.informer::<Pod>();
        let first = BTreeSet::from(["a", "b"]);
        let options = InformerOptions::new().namespaces(&first).expect("they are namespaces");
        let informer = factory.informer_with::<Pod>(options).expect("every request has the same options");
        let incarnation = Arc::new(Incarnation {
            name,
            link,
            stop: CancellationToken::new(),
            observations: Arc::default(),
            factory,
            pods,
            narrow: NamespacedInformer { informer, namespaces: Mutex::new(first) },
            views: Mutex::default(),
            second_users: Mutex::default(),
            tasks: Mutex::default(),
            rng: Mutex::new(rng),
            is_restored: plan.is_restored,
            short_resync: plan.short_resync,
        });
        incarnation.add_first_handlers();
        incarnation
    }

    fn add_first_handlers(&self) {
        let period = Some(self.short_resync);
        let plain = HandlerBehaviour::default();
        let slow = HandlerBehaviour { is_slow: true, ..plain };
        let panics = HandlerBehaviour { panics_per_mille: 100, ..plain };
        self.add_handler("plain", Options::default(), plain);
        self.add_handler(
            "filtered-0",
            Options { is_filtered: true, bound: Some(0), ..Options::default() },
            slow,
        );
        let filtered_2 = Options { is_filtered: true, bound: Some(2), period, ..Options::default() };
        self.add_handler("filtered-2", filtered_2, panics);
        let narrow = Options { is_filtered: true, is_namespaced: true, bound: Some(2), ..Options::default() };
        self.add_handler("narrow", narrow, slow);
        self.add_stream("stream-2", Some(2), 2_000);
    }

    /// Adds a handler with random options, some of them extreme.
    pub(crate) fn add_late_handler(&self) {
        let (options, behaviour) = {
            let mut rng = self.rng.lock();
            let periods = [None, Some(Duration::ZERO), Some(self.short_resync), Some(Duration::MAX)];
            let bounds = [None, Some(0), Some(2), Some(5)];
            let options = Options {
                is_filtered: rng.random(),
                is_namespaced: rng.random_range(0..4) == 0,
                bound: bounds[rng.random_range(0..4)],
                period: periods[rng.random_range(0..4)],
            };
            (options, HandlerBehaviour { is_slow: rng.random(), panics_per_mille: 20 })
        };
        self.add_handler("late", options, behaviour);
    }

    fn add_handler(&self, name: &str, options: Options, behaviour: HandlerBehaviour) {
        let name = format!("{}.{name}-{}", self.name, self.views.lock().len());
        let view = View::new(&name, self.rng.lock().random(), self.is_restored, behaviour);
        let mut handler = view.handler().named(name);
        if let Some(bound) = options.bound {
            handler = handler.merge_above(bound);
        }
        if let Some(period) = options.period {
            handler = handler.resync(period);
        }
        if options.is_filtered {
            handler = handler.filter(matches);
        }
        let informer = if options.is_namespaced { &self.narrow.informer } else { &self.pods };
        // Fails when the replica stops. Then no oracle checks the view.
        if let Ok(registration) = informer.add_handler(handler) {
            let Options { is_filtered, is_namespaced, .. } = options;
            let registration = Some(registration);
            self.views.lock().push(CheckedView { view, is_filtered, is_namespaced, registration });
        }
    }

    /// Adds a stream whose consumer pauses up to `pause_ms_max` after a notification.
    fn add_stream(&self, name: &str, bound: Option<usize>, pause_ms_max: u64) {
        let name = format!("{}.{name}", self.name);
        let mut rng = SmallRng::seed_from_u64(self.rng.lock().random());
        let view = View::new(&name, rng.random(), self.is_restored, HandlerBehaviour::default());
        let mut options = Handler::new().named(name);
        if let Some(bound) = bound {
            options = options.merge_above(bound);
        }
        let Ok(mut notifications) = self.pods.notifications_with(options) else { return };
        self.views.lock().push(CheckedView {
            view: view.clone(),
            is_filtered: false,
            is_namespaced: false,
            registration: None,
        });
        self.tasks.lock().spawn(async move {
            while let Some(event) = notifications.next().await {
                view.record(&event);
                drop(event);
                if view.may_pause() && rng.random_range(0..8) == 0 {
                    tokio::time::sleep(Duration::from_millis(rng.random_range(0..pause_ms_max))).await;
                }
            }
        });
    }

    /// Redirects the namespaced informer to other namespaces.
    pub(crate) fn set_namespaces(&self, namespaces: BTreeSet<&'static str>) {
        if self.narrow.informer.set_namespaces(namespaces.iter().copied()).is_ok() {
            *self.narrow.namespaces.lock() = namespaces;
        }
    }

    /// Requests an informer for the first namespaces of the namespaced informer.
    ///
    /// Does so only after that informer was redirected. Before, the factory would return the same informer, which would
    /// later be redirected.
    pub(crate) fn ask(&self) {
        if !self.narrow.informer.is_redirected() {
            return;
        }
        let namespaces = BTreeSet::from(["a", "b"]);
        let options = InformerOptions::new().namespaces(&namespaces).expect("they are namespaces");
        let informer =
            self.factory.informer_with::<Pod>(options).expect("every request has the same options");
        let mut second_users = self.second_users.lock();
        if second_users.len() < 2 {
            second_users.push(SecondUser { informer, namespaces, _running: self.factory.start() });
        }
    }

    /// Removes the handler that was added last.
    pub(crate) fn remove_late_handler(&self) {
        let mut views = self.views.lock();
        if views.len() > 5
            && let Some(CheckedView { registration: Some(registration), .. }) = views.pop()
        {
            drop(registration.remove());
        }
    }

    /// Runs until it is stopped, fails, or crashes.
    pub(crate) async fn run(
        self: &Arc<Self>,
        config: &IncarnationConfig<'_>,
        reconcilers: &Arc<Reconcilers>,
    ) -> Result<(), ManagerError> {
        let IncarnationConfig { plan, number, .. } = *config;
        let rate = plan.clocks[number];
        let seed: u64 = self.rng.lock().random();
        let mut manager = Manager::new(self.factory.clone()).sync_timeout(plan.sync_timeout);
        let mut shard: Option<Shard> = None;
        match plan.coordination {
            Coordination::None => {}
            Coordination::Election => {
                let active = Arc::clone(config.active);
                let name = self.name.clone();
                let overrun =
                    move |_: &_| active.report_violation(format!("{name}: work has outlasted its lease"));
                let election = Election::new("lock").identity(&self.name).seed(seed);
                manager = manager.election(rate.election(election)).on_overrun(OnOverrun::call(overrun));
            }
            Coordination::Sharding => {
                let active = Arc::clone(config.active);
                let name = self.name.clone();
                let sharding = Sharding::new("group")
                    .identity(format!("replica-{number}"))
                    .seed(seed)
                    .on_overrun(OnOverrun::call(move |overrun| {
                        active.report_violation(format!("{name}: {:?} outlasted their lease", overrun.keys))
                    }));
                let (own, task) = rate.sharding(sharding).build(&self.factory).expect("it can join");
                shard = Some(own);
                manager = manager.runnable("shards", move |stop| task.run(stop));
            }
        }
        if plan.has_copier() {
            manager = manager.controller(reconcilers.copier(plan.copiers, shard.clone()));
        }
        if plan.has_observer() {
            manager = manager.controller(reconcilers.observer(shard));
        }
        let ended = tokio::select! {
            biased;
            () = self.link.crashed() => Ok(()),
            ended = manager.run_until(self.stop.clone().cancelled_owned()) => ended,
        };
        // Stops the tasks of the streams before anything else happens to this replica.
        self.second_users.lock().clear();
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        tasks.shutdown().await;
        ended
    }
}

/// The options of one handler.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    is_filtered: bool,
    is_namespaced: bool,
    bound: Option<usize>,
    period: Option<Duration>,
}
