//! One life of a replica: from new caches to a crash or an orderly stop.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::controller::{Election, Manager, ManagerError, OnOverrun, Shard, Sharding};
use tidings::{
    HandlerOptions, InformerOptions, Object, Registration, Running, SharedInformer, SharedInformerFactory,
    WirePreference,
};
use tidings_apiserver::InProcess;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::plan::{Coordination, Plan};
use crate::reconcile::Reconcilers;
use crate::sightings::{Hands, Sightings};
use crate::trace::Trace;
use crate::views::{Manners, View};
use crate::wire::{Counts, Link, Wire};

/// The namespaces of the world.
pub(crate) const NAMESPACES: [&str; 3] = ["a", "b", "c"];
/// The label by which some handlers filter Pods.
pub(crate) const MATCH: &str = "match";

/// One life of a replica.
pub(crate) struct Life {
    pub(crate) name: String,
    pub(crate) link: Arc<Link>,
    pub(crate) stop: CancellationToken,
    pub(crate) sightings: Arc<Sightings>,
    pub(crate) factory: SharedInformerFactory,
    pub(crate) pods: SharedInformer<Pod>,
    /// Follows some namespaces only, and not always the same.
    pub(crate) narrow: Narrow,
    pub(crate) views: Mutex<Vec<Watching>>,
    /// Others who asked for the first namespaces of the narrow informer, after it was told to follow others.
    pub(crate) askers: Mutex<Vec<Asker>>,
    tasks: Mutex<JoinSet<()>>,
    chance: Mutex<SmallRng>,
    goes_back: bool,
    short_period: Duration,
}

/// An informer of some namespaces, with those that it was told to follow.
pub(crate) struct Narrow {
    pub(crate) informer: SharedInformer<Pod>,
    pub(crate) namespaces: Mutex<BTreeSet<&'static str>>,
}

/// Somebody who asked for the informer of some namespaces.
pub(crate) struct Asker {
    pub(crate) informer: SharedInformer<Pod>,
    pub(crate) namespaces: BTreeSet<&'static str>,
    _running: Running,
}

/// A view, and which part of which informer it should equal.
pub(crate) struct Watching {
    pub(crate) view: View,
    pub(crate) is_filtered: bool,
    pub(crate) is_narrow: bool,
    /// Not for streams.
    pub(crate) registration: Option<Registration>,
}

/// What a life needs of the world.
pub(crate) struct Birth<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) number: usize,
    pub(crate) life: usize,
    pub(crate) servers: Arc<[InProcess]>,
    pub(crate) hands: &'a Arc<Hands>,
    pub(crate) counts: &'a Arc<Counts>,
    pub(crate) trace: &'a Trace,
    pub(crate) seed: u64,
}

/// Whether a filtered handler looks at a Pod.
pub(crate) fn matches(object: &Object<Pod>) -> bool {
    object.labels().value(MATCH) == Some("yes")
}

impl Life {
    /// Makes the informers and their handlers. Nothing runs yet.
    pub(crate) fn new(birth: &Birth<'_>) -> Arc<Life> {
        let Birth { plan, number, life, .. } = *birth;
        let mut chance = SmallRng::seed_from_u64(birth.seed);
        let name = format!("replica-{number}.{life}");
        let link = Link::new(&name, chance.random(), birth);
        let wire = Wire { servers: Arc::clone(&birth.servers), link: Arc::clone(&link) };
        let defaults = InformerOptions::new()
            .queue_order(plan.queue_order)
            .merge_above(plan.merge_above)
            .reflector(tidings::ReflectorConfig::default().list_mode(plan.list_mode));
        let factory = SharedInformerFactory::new(Client::new(wire, "default"))
            .seed(chance.random())
            .resync(plan.resync_period)
            .defaults(defaults)
            .wire(plan.wire)
            // The clocks of others are read from Leases, as text.
            .for_kind::<Lease>(InformerOptions::new().wire(WirePreference::JsonOnly));
        let pods = factory.informer::<Pod>();
        let first = BTreeSet::from(["a", "b"]);
        let options = InformerOptions::new().namespaces(&first).expect("they are namespaces");
        let informer = factory.informer_with::<Pod>(options);
        let life = Arc::new(Life {
            name,
            link,
            stop: CancellationToken::new(),
            sightings: Arc::default(),
            factory,
            pods,
            narrow: Narrow { informer, namespaces: Mutex::new(first) },
            views: Mutex::default(),
            askers: Mutex::default(),
            tasks: Mutex::default(),
            chance: Mutex::new(chance),
            goes_back: plan.goes_back,
            short_period: plan.short_period,
        });
        life.add_first_handlers();
        life
    }

    fn add_first_handlers(&self) {
        let period = Some(self.short_period);
        let plain = Manners::default();
        let slow = Manners { is_slow: true, ..plain };
        let panics = Manners { panics_per_mille: 100, ..plain };
        self.add_handler("plain", Options::default(), plain);
        self.add_handler(
            "filtered-0",
            Options { is_filtered: true, bound: Some(0), ..Options::default() },
            slow,
        );
        let filtered_2 = Options { is_filtered: true, bound: Some(2), period, ..Options::default() };
        self.add_handler("filtered-2", filtered_2, panics);
        let narrow = Options { is_filtered: true, is_narrow: true, bound: Some(2), ..Options::default() };
        self.add_handler("narrow", narrow, slow);
        self.add_stream("stream-2", Some(2), 2_000);
    }

    /// Adds a handler of a random kind, as users do at any time: some with periods beyond all reason.
    pub(crate) fn add_late_handler(&self) {
        let (options, manners) = {
            let mut chance = self.chance.lock();
            let periods = [None, Some(Duration::ZERO), Some(self.short_period), Some(Duration::MAX)];
            let bounds = [None, Some(0), Some(2), Some(5)];
            let options = Options {
                is_filtered: chance.random(),
                is_narrow: chance.random_range(0..4) == 0,
                bound: bounds[chance.random_range(0..4)],
                period: periods[chance.random_range(0..4)],
            };
            (options, Manners { is_slow: chance.random(), panics_per_mille: 20 })
        };
        self.add_handler("late", options, manners);
    }

    fn add_handler(&self, name: &str, options: Options, manners: Manners) {
        let name = format!("{}.{name}-{}", self.name, self.views.lock().len());
        let view = View::new(&name, self.chance.lock().random(), self.goes_back, manners);
        let mut handler = view.handler().named(name);
        if let Some(bound) = options.bound {
            handler = handler.merge_above(bound);
        }
        if let Some(period) = options.period {
            handler = handler.resync_period(period);
        }
        if options.is_filtered {
            handler = handler.filter(matches);
        }
        let informer = if options.is_narrow { &self.narrow.informer } else { &self.pods };
        // Refused when the replica stops: then nobody looks at it either.
        if let Ok(registration) = informer.add_handler(handler) {
            let Options { is_filtered, is_narrow, .. } = options;
            let registration = Some(registration);
            self.views.lock().push(Watching { view, is_filtered, is_narrow, registration });
        }
    }

    /// A consumer that takes up to so long for each notification.
    fn add_stream(&self, name: &str, bound: Option<usize>, pause_ms_max: u64) {
        let name = format!("{}.{name}", self.name);
        let mut chance = SmallRng::seed_from_u64(self.chance.lock().random());
        let view = View::new(&name, chance.random(), self.goes_back, Manners::default());
        let options = HandlerOptions { name: Some(name), merge_above: bound, ..HandlerOptions::default() };
        let Ok(mut notifications) = self.pods.notifications_with(options) else { return };
        self.views.lock().push(Watching {
            view: view.clone(),
            is_filtered: false,
            is_narrow: false,
            registration: None,
        });
        self.tasks.lock().spawn(async move {
            while let Some(event) = notifications.next().await {
                view.take(&event);
                drop(event);
                if view.may_pause() && chance.random_range(0..8) == 0 {
                    tokio::time::sleep(Duration::from_millis(chance.random_range(0..pause_ms_max))).await;
                }
            }
        });
    }

    /// Lets the narrow informer follow other namespaces.
    pub(crate) fn set_namespaces(&self, namespaces: BTreeSet<&'static str>) {
        if self.narrow.informer.set_namespaces(namespaces.iter().copied()).is_ok() {
            *self.narrow.namespaces.lock() = namespaces;
        }
    }

    /// Somebody else asks for the namespaces that the narrow informer had at first.
    ///
    /// Only after that one was told to follow others: whoever asks before shares it, and is redirected with it.
    pub(crate) fn ask(&self) {
        if !self.narrow.informer.is_redirected() {
            return;
        }
        let namespaces = BTreeSet::from(["a", "b"]);
        let options = InformerOptions::new().namespaces(&namespaces).expect("they are namespaces");
        let informer = self.factory.informer_with::<Pod>(options);
        let mut askers = self.askers.lock();
        if askers.len() < 2 {
            askers.push(Asker { informer, namespaces, _running: self.factory.start() });
        }
    }

    /// Removes a handler that was added late.
    pub(crate) fn remove_late_handler(&self) {
        let mut views = self.views.lock();
        if views.len() > 5
            && let Some(Watching { registration: Some(registration), .. }) = views.pop()
        {
            drop(registration.remove());
        }
    }

    /// Runs until it is told to stop, something ends it, or it crashes.
    pub(crate) async fn run(
        self: &Arc<Self>,
        birth: &Birth<'_>,
        reconcilers: &Arc<Reconcilers>,
    ) -> Result<(), ManagerError> {
        let Birth { plan, number, .. } = *birth;
        let rate = plan.clocks[number];
        let seed: u64 = self.chance.lock().random();
        let mut manager = Manager::new(self.factory.clone()).sync_timeout(plan.sync_timeout);
        let mut shard: Option<Shard> = None;
        match plan.coordination {
            Coordination::None => {}
            Coordination::Election => {
                let hands = Arc::clone(birth.hands);
                let name = self.name.clone();
                let overrun = move |_: &_| hands.object(format!("{name}: work has outlasted its lease"));
                let election = Election::new("lock").identity(&self.name).seed(seed);
                manager = manager.election(rate.election(election)).on_overrun(OnOverrun::call(overrun));
            }
            Coordination::Sharding => {
                let hands = Arc::clone(birth.hands);
                let name = self.name.clone();
                let sharding = Sharding::new("group")
                    .identity(format!("replica-{number}"))
                    .seed(seed)
                    .on_overrun(move |keys| hands.object(format!("{name}: {keys:?} outlasted their lease")));
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
        // Its streams die with it. Their tasks are dropped before anything else happens to this replica.
        self.askers.lock().clear();
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        tasks.shutdown().await;
        ended
    }
}

/// How one handler is added.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    is_filtered: bool,
    is_narrow: bool,
    bound: Option<usize>,
    period: Option<Duration>,
}
