//! No update is missed: for every way to map notifications to requests, and every bound of the mailbox, the last
//! reconcile of a key has seen the current state of all objects that map to this key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use proptest::prelude::*;
use serde_json::{Value, json};
use tidings_controller::{
    Action, Context, Controller, ControllerBuilder, Notification, Owned, Predicate, Request, Watched,
};
use tidings_factory::InformerOptions;
use tidings_object::{Key, LabelSelector, Object};
use tokio::sync::watch;
use tokio::task::yield_now;

use crate::controller::harness::{RunningController, TestCluster, config_maps};

const OWNERS: [&str; 3] = ["a", "b", "c"];
const CHILDREN: [&str; 2] = ["x", "y"];

/// How a controller maps a secret to config maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mapping {
    Controlled,
    EveryOwner,
    Watched,
    Selected,
}

const MAPPINGS: [Mapping; 4] =
    [Mapping::Controlled, Mapping::EveryOwner, Mapping::Watched, Mapping::Selected];

/// A secret whose first owner is its controller.
fn child(name: &str, owners: &[&str], is_on: bool) -> Value {
    let reference = |(at, owner): (usize, &&str)| {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": format!("uid-{owner}"),
            "controller": at == 0 })
    };
    let references: Vec<_> = owners.iter().enumerate().map(reference).collect();
    let labels = if is_on { json!({ "on": "yes" }) } else { json!({}) };
    json!({ "metadata": { "name": name, "ownerReferences": references, "labels": labels,
        "annotations": { "for": owners.first().unwrap_or(&"") } } })
}

impl Mapping {
    fn builder(self, bound: usize, predicate: Predicate<Secret>) -> ControllerBuilder<ConfigMap> {
        let options = InformerOptions::new().merge_above(bound);
        let owned = || Owned::<Secret>::new().options(options.clone()).predicate(predicate.clone());
        let watched = || {
            let for_annotation = |change: &Notification<Secret>| {
                change.objects().flat_map(|secret| Mapping::Watched.owners(secret)).map(request).collect()
            };
            Watched::<Secret>::new(for_annotation).options(options.clone()).predicate(predicate.clone())
        };
        let selector = LabelSelector::parse("on=yes").unwrap();
        match self {
            Mapping::Controlled => config_maps().owns_with(owned()),
            Mapping::EveryOwner => config_maps().owns_with(owned().every_owner()),
            Mapping::Watched => config_maps().watches_with(watched()),
            Mapping::Selected => config_maps().watches_with(watched().predicate(Predicate::labels(selector))),
        }
    }

    /// The config maps that a secret concerns.
    fn owners(self, secret: &Object<Secret>) -> BTreeSet<String> {
        let decoded = secret.decoded().unwrap();
        let references = decoded.metadata.owner_references.iter().flatten();
        let annotated = || decoded.metadata.annotations.iter().flat_map(|all| all.get("for")).cloned();
        match self {
            Mapping::Controlled => references
                .filter(|owner| owner.controller == Some(true))
                .map(|owner| owner.name.clone())
                .collect(),
            Mapping::EveryOwner => references.map(|owner| owner.name.clone()).collect(),
            Mapping::Selected if secret.labels().value("on").is_none() => BTreeSet::new(),
            Mapping::Watched | Mapping::Selected => annotated().filter(|name| !name.is_empty()).collect(),
        }
    }
}

fn request(name: impl AsRef<str>) -> Request {
    Request::new(Some("default"), name.as_ref()).unwrap()
}

/// What the last reconcile of each config map saw: its secrets with their versions.
#[derive(Clone, Default)]
struct Views(Arc<watch::Sender<BTreeMap<String, BTreeSet<String>>>>);

impl Views {
    fn of(&self, name: &str) -> BTreeSet<String> {
        self.0.borrow().get(name).cloned().unwrap_or_default()
    }

    /// Waits until the last reconcile of the config map saw secrets of exactly these names.
    async fn is(&self, name: &str, secrets: &[&str]) {
        let mut views = self.0.subscribe();
        let names = |view: Option<&BTreeSet<String>>| -> Vec<String> {
            let shown = view.into_iter().flatten();
            shown.map(|secret| secret.split('@').next().unwrap_or_default().to_owned()).collect()
        };
        let seen = views.wait_for(|views| names(views.get(name)) == secrets);
        let waited = tokio::time::timeout(Duration::from_secs(60), seen).await;
        assert!(waited.is_ok(), "{name} should have seen {secrets:?}, and has {:?}", self.of(name));
    }

    /// Records the secrets that the lister shows for a config map.
    fn look(&self, mapping: Mapping, request: &Request, context: &Context) {
        let secrets = context.lister::<Secret>().unwrap().list();
        let own = secrets.iter().filter(|secret| mapping.owners(secret).contains(request.name()));
        let seen = own.map(|secret| format!("{}@{}", secret.name(), secret.version())).collect();
        self.0.send_modify(|views| _ = views.insert(request.name().to_owned(), seen));
    }

    fn controller(&self, mapping: Mapping, bound: usize, predicate: Predicate<Secret>) -> Controller {
        let (views, reconciles) = (self.clone(), Arc::new(AtomicUsize::new(0)));
        mapping.builder(bound, predicate).workers(2).reconcile(move |request: Request, context: Context| {
            let (views, reconciles) = (views.clone(), Arc::clone(&reconciles));
            async move {
                // A varying delay, so that it reads the cache at different times between a change and its request.
                for _ in 0..reconciles.fetch_add(1, Ordering::Relaxed) % 5 {
                    yield_now().await;
                }
                views.look(mapping, &request, &context);
                Ok(Action::await_change())
            }
        })
    }
}

fn everything() -> Predicate<Secret> {
    Predicate::new(|_| true)
}

// holds: X28
#[tokio::test(start_paused = true)]
async fn after_a_move_and_a_deletion_every_owner_that_saw_the_object_is_reconciled() {
    for mapping in MAPPINGS {
        for bound in [0, 1] {
            let cluster = TestCluster::new().await;
            let views = Views::default();
            cluster.server.put("secrets", child("x", &["a"], true));
            let started = cluster.start_synced(views.controller(mapping, bound, everything())).await;
            views.is("a", &["x"]).await;
            cluster.server.put("secrets", child("x", &["b"], true));
            cluster.server.remove("secrets", "default/x");
            for owner in ["a", "b"] {
                views.is(owner, &[]).await;
            }
            // The label is removed first.
            cluster.server.put("secrets", child("y", &["a"], true));
            views.is("a", &["y"]).await;
            cluster.server.put("secrets", child("y", &["a"], false));
            cluster.server.remove("secrets", "default/y");
            views.is("a", &[]).await;
            started.shutdown().await;
        }
    }
}

/// Blocks a subscriber in its call for the secret `stall`, on its own thread, until the test releases it.
#[derive(Clone, Default)]
struct Stall(Arc<(Mutex<(bool, bool)>, Condvar)>);

impl Stall {
    fn predicate(&self) -> Predicate<Secret> {
        let stall = self.clone();
        Predicate::new(move |change| {
            if change.object().name() == "stall" {
                let (state, changed) = &*stall.0;
                let mut state = state.lock().unwrap();
                state.0 = true;
                changed.notify_all();
                drop(changed.wait_while(state, |(_, is_released)| !*is_released).unwrap());
            }
            true
        })
    }

    /// Waits until the call is blocked. This blocks its own thread too; the runtime has others.
    fn stalled(&self) {
        let (state, changed) = &*self.0;
        drop(changed.wait_while(state.lock().unwrap(), |(is_stalled, _)| !*is_stalled).unwrap());
    }

    fn release(&self) {
        self.0.0.lock().unwrap().1 = true;
        self.0.1.notify_all();
    }
}

/// Releases the blocked call, so that a failing test does not hang.
struct ReleaseOnDrop(Stall);

impl Drop for ReleaseOnDrop {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Room for the notification that blocks, so that the subscriber's own task makes the call.
const STALLED_BOUND: usize = 1;

/// A controller whose subscriber for secrets is blocked. Later notifications are in its mailbox, or above its bound.
async fn stalled(cluster: &TestCluster, mapping: Mapping) -> (RunningController, Views, ReleaseOnDrop) {
    let (views, stall) = (Views::default(), Stall::default());
    let started = cluster.start(views.controller(mapping, STALLED_BOUND, stall.predicate()));
    started.handle.synced().await.unwrap();
    cluster.server.put("secrets", child("stall", &[], true));
    tokio::task::block_in_place(|| stall.stalled());
    (started, views, ReleaseOnDrop(stall))
}

/// Waits until the cache contains the secret with this owner, or no longer contains the secret.
async fn cached(cluster: &TestCluster, mapping: Mapping, name: &str, owner: Option<&str>) {
    let informer =
        cluster.factory.informer_with::<Secret>(InformerOptions::new().merge_above(STALLED_BOUND)).unwrap();
    let key = Key::new(Some("default"), name).unwrap();
    let is_so = |secret: Option<&Object<Secret>>| match (secret, owner) {
        (Some(secret), Some(owner)) => mapping.owners(secret).contains(owner),
        (secret, owner) => secret.is_none() && owner.is_none(),
    };
    informer.wait_until(&key, Duration::from_secs(60), is_so).await.unwrap();
}

// holds: X28
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn after_an_object_was_added_seen_and_deleted_its_owner_is_reconciled() {
    for mapping in MAPPINGS {
        let cluster = TestCluster::new().await;
        let (started, views, release) = stalled(&cluster, mapping).await;
        cluster.server.put("secrets", child("x", &["a"], true));
        cached(&cluster, mapping, "x", Some("a")).await;
        started.handle.request(request("a"));
        views.is("a", &["x"]).await;
        cluster.server.remove("secrets", "default/x");
        cached(&cluster, mapping, "x", None).await;
        drop(release);
        views.is("a", &[]).await;
        started.shutdown().await;
    }
}

// holds: X28
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn after_an_object_moved_was_seen_and_moved_back_both_owners_are_reconciled() {
    for mapping in MAPPINGS {
        let cluster = TestCluster::new().await;
        cluster.server.put("secrets", child("x", &["a"], true));
        let (started, views, release) = stalled(&cluster, mapping).await;
        views.is("a", &["x"]).await;
        cluster.server.put("secrets", child("x", &["b"], true));
        cached(&cluster, mapping, "x", Some("b")).await;
        started.handle.request(request("b"));
        views.is("b", &["x"]).await;
        cluster.server.put("secrets", child("x", &["a"], true));
        cached(&cluster, mapping, "x", Some("a")).await;
        drop(release);
        views.is("b", &[]).await;
        views.is("a", &["x"]).await;
        started.shutdown().await;
    }
}

#[derive(Debug, Clone)]
enum Operation {
    Put {
        child: usize,
        owners: Vec<usize>,
        is_on: bool,
    },
    Remove {
        child: usize,
    },
    /// A manual request.
    Ask {
        owner: usize,
    },
    /// Yields to other tasks this many times.
    Yield {
        times: usize,
    },
    Settle,
}

fn steps() -> impl Strategy<Value = Vec<Operation>> {
    let owners = prop::collection::vec(0..OWNERS.len(), 0..3);
    prop::collection::vec(
        prop_oneof![
            6 => (0..CHILDREN.len(), owners, prop::bool::weighted(0.7))
                .prop_map(|(child, owners, is_on)| Operation::Put { child, owners, is_on }),
            3 => (0..CHILDREN.len()).prop_map(|child| Operation::Remove { child }),
            4 => (0..OWNERS.len()).prop_map(|owner| Operation::Ask { owner }),
            8 => (1..8_usize).prop_map(|times| Operation::Yield { times }),
            1 => Just(Operation::Settle),
        ],
        1..60,
    )
}

async fn run(mapping: Mapping, bound: usize, steps: &[Operation]) {
    let (cluster, views) = (TestCluster::new().await, Views::default());
    let started = cluster.start_synced(views.controller(mapping, bound, everything())).await;
    for step in steps {
        match step {
            Operation::Put { child: name, owners, is_on } => {
                let mut owners: Vec<_> = owners.iter().map(|owner| OWNERS[*owner]).collect();
                owners.dedup();
                cluster.server.put("secrets", child(CHILDREN[*name], &owners, *is_on));
            }
            Operation::Remove { child } => {
                cluster.server.remove("secrets", &format!("default/{}", CHILDREN[*child]));
            }
            Operation::Ask { owner } => started.handle.request(request(OWNERS[*owner])),
            Operation::Yield { times } => {
                for _ in 0..*times {
                    yield_now().await;
                }
            }
            Operation::Settle => crate::controller::harness::settle().await,
        }
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    let secrets = cluster
        .factory
        .informer_with::<Secret>(InformerOptions::new().merge_above(bound))
        .unwrap()
        .lister()
        .list();
    for owner in OWNERS {
        let own = secrets.iter().filter(|secret| mapping.owners(secret).contains(owner));
        let truth: BTreeSet<_> =
            own.map(|secret| format!("{}@{}", secret.name(), secret.version())).collect();
        assert_eq!(views.of(owner), truth, "{mapping:?}, bound {bound}: {owner} was not reconciled again");
    }
    started.shutdown().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    // holds: X28
    #[test]
    fn after_a_state_that_a_reconcile_saw_has_changed_the_key_is_reconciled_again(
        mapping in prop::sample::select(&MAPPINGS[..]),
        bound in 0..6_usize,
        steps in steps(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run(mapping, bound, &steps));
    }
}
