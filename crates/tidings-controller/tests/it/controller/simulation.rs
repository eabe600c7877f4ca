//! Random faults in random order. After they stop, the actual state must reach the desired state, and the controller
//! must become idle. One seed repeats a run: `TIDINGS_SEED=17 cargo test -p tidings-controller --test it
//! controller::simulation`; `TIDINGS_SEEDS=1000` runs a thousand seeds.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::ResourceExt;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tidings_apiserver::Injection;
use tidings_apiserver::{ApiServer, Ending, Fault};
use tidings_controller::{Action, Context, Controller, Error, Request, is_controlled_by, set_controller};

use crate::controller::harness::TestCluster;

const WISH: &str = "wish";
const COPY: &str = "copy";

#[test]
fn after_any_faults_the_actual_state_equals_the_desired_state() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("seeds are numbers"));
    let seeds = match number("TIDINGS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TIDINGS_SEEDS").unwrap_or(20),
    };
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime can be made").block_on(simulate(seed));
    }
}

/// One run, on one thread and in paused time.
async fn simulate(seed: u64) {
    let server = ApiServer::builder().seed(seed).start().await;
    server.faults().plan(seed, 200, faults());
    let cluster = TestCluster::over(server);
    let mut chance = SmallRng::seed_from_u64(seed);
    let copier = Arc::new(Copier::new(seed));
    for _ in 0..3 {
        let started = cluster.start(controller(&copier));
        change_objects(&cluster.server, &mut chance).await;
        if chance.random_range(0..2) == 0 {
            started.abandon.cancel();
        }
        started.shutdown().await;
    }
    // The last controller reconciles what the others left.
    let started = cluster.start(controller(&copier));
    change_objects(&cluster.server, &mut chance).await;
    cluster.server.faults().clear();
    copier.stop_failing();
    wait_until_copied(&cluster.server, seed).await;
    let (version, reconciles) = (cluster.server.version(), started.handle.stats().successes);
    tokio::time::sleep(Duration::from_secs(7200)).await;
    assert_eq!(cluster.server.version(), version, "seed {seed}: it still writes");
    assert!(started.handle.stats().successes - reconciles < 100, "seed {seed}: it does not come to rest");
    started.shutdown().await;
}

fn controller(copier: &Arc<Copier>) -> Controller {
    let copier = Arc::clone(copier);
    Controller::for_kind::<ConfigMap>("copier")
        .owns::<Secret>()
        .workers(3)
        .reconcile_timeout(Duration::from_secs(20))
        .reconcile(move |request: Request, context: Context| {
            let copier = Arc::clone(&copier);
            async move { copier.copy(&request, &context).await }
        })
}

/// Copies the data of a config map into a secret that it owns, and fails at random.
struct Copier {
    failures: Mutex<FailureRate>,
    busy: Mutex<HashSet<Request>>,
}

struct FailureRate {
    chance: SmallRng,
    per_mille: u32,
}

/// Marks a request as busy until the reconcile has ended in any way.
struct BusyGuard<'a>(&'a Copier, &'a Request);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.busy.lock().unwrap().remove(self.1);
    }
}

impl Copier {
    fn new(seed: u64) -> Copier {
        let failures = FailureRate { chance: SmallRng::seed_from_u64(seed + 1), per_mille: 100 };
        Copier { failures: Mutex::new(failures), busy: Mutex::default() }
    }

    fn stop_failing(&self) {
        self.failures.lock().unwrap().per_mille = 0;
    }

    /// Fails, panics, hangs or sleeps at random.
    async fn maybe_fail(&self) -> Result<(), Error> {
        let (is_hit, how) = {
            let FailureRate { chance, per_mille } = &mut *self.failures.lock().unwrap();
            (chance.random_range(0..1000) < *per_mille, chance.random_range(0..4))
        };
        match how {
            _ if !is_hit => Ok(()),
            0 => Err("on purpose".into()),
            1 => panic!("on purpose"),
            2 => std::future::pending().await,
            _ => {
                tokio::time::sleep(Duration::from_secs(3)).await;
                Ok(())
            }
        }
    }

    async fn copy(&self, request: &Request, context: &Context) -> Result<Action, Error> {
        assert!(self.busy.lock().unwrap().insert(request.clone()), "{request} is reconciled concurrently");
        let _begun = BusyGuard(self, request);
        self.maybe_fail().await?;
        let copy = context.lister::<Secret>()?.get(request).map(|copy| copy.decoded()).transpose()?;
        let Some(map) = context.lister::<ConfigMap>()?.get(request) else {
            if copy.is_some() {
                context.api::<Secret>().delete(request.name()).await?;
            }
            return Ok(Action::await_change());
        };
        let map = map.decoded()?;
        let wish = map.data.as_ref().and_then(|data| data.get(WISH)).cloned().unwrap_or_default();
        match copy {
            Some(copy) if is_controlled_by(&*copy, map.metadata.uid.as_deref().unwrap_or_default()) => {
                if copy.annotations().get(COPY) != Some(&wish) {
                    let mut copy = (*copy).clone();
                    copy.annotations_mut().insert(COPY.to_owned(), wish);
                    context.api::<Secret>().replace(&copy).await?;
                }
            }
            // Owned by a deleted config map of the same name, or by none.
            Some(_) => {
                context.api::<Secret>().delete(request.name()).await?;
                return Ok(Action::requeue_after(Duration::ZERO));
            }
            None => {
                let mut copy: Secret = serde_json::from_value(
                    json!({ "metadata": { "name": request.name(), "namespace": request.namespace(),
                        "annotations": { COPY: wish } } }),
                )?;
                set_controller(&mut copy, &*map)?;
                context.api::<Secret>().create(&copy).await?;
            }
        }
        self.maybe_fail().await?;
        Ok(Action::await_change())
    }
}

/// Changes config maps and copies at random, and breaks watches.
async fn change_objects(server: &ApiServer, chance: &mut SmallRng) {
    for _ in 0..60 {
        let name = format!("map-{}", chance.random_range(0..8));
        let key = format!("default/{name}");
        match chance.random_range(0..100) {
            0..60 => {
                let wish = chance.random_range(0..9u8).to_string();
                let mut map = json!({ "metadata": { "name": name }, "data": { WISH: wish } });
                if let Some(there) = server.object("configmaps", &key) {
                    map["metadata"]["uid"] = there["metadata"]["uid"].clone();
                }
                server.put("configmaps", map);
            }
            60..75 => drop(server.remove("configmaps", &key)),
            75..82 => drop(server.remove("secrets", &key)),
            82..90 => {
                if let Some(mut copy) = server.object("secrets", &key) {
                    copy["metadata"]["annotations"][COPY] = json!("meddled");
                    server.put("secrets", copy);
                }
            }
            90..95 => server
                .faults()
                .cut_watches([Ending::Clean, Ending::Broken, Ending::Stalled][chance.random_range(0..3)]),
            _ => server.expire_history(),
        }
        if chance.random_range(0..3) == 0 {
            tokio::time::sleep(Duration::from_millis(chance.random_range(1..20_000))).await;
        }
    }
}

/// The data of the config maps and of their copies.
fn world(server: &ApiServer) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let read = |resource: &str, path: &str| {
        let keys = server.list_versions(resource).into_keys();
        let value = |key: &String| {
            let object = server.object(resource, key)?;
            Some(object.pointer(path)?.as_str()?.to_owned())
        };
        keys.map(|key| (value(&key).unwrap_or_default(), key)).map(|(value, key)| (key, value)).collect()
    };
    (read("configmaps", "/data/wish"), read("secrets", "/metadata/annotations/copy"))
}

/// Waits until every config map has its copy and there are no others. No more faults happen, so this must succeed.
async fn wait_until_copied(server: &ApiServer, seed: u64) {
    for _ in 0..7200 {
        let (wishes, copies) = world(server);
        if wishes == copies {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("seed {seed}: after two hours without a fault\n{:#?}", world(server));
}

/// All faults of requests.
fn faults() -> Vec<Injection> {
    let status = |code, retry_after_seconds| Fault::Status { code, retry_after_seconds }.always();
    vec![
        status(429, Some(3)),
        status(500, None),
        status(503, Some(1)),
        status(504, None),
        status(401, None),
        status(403, None),
        status(409, None),
        Fault::Refused.always(),
        Fault::GarbageBody.always(),
        Fault::Hang.always(),
        Fault::Delay(Duration::from_secs(2)).always(),
        Fault::CutBody { after_bytes: 100, ending: Ending::Broken }.always(),
        Fault::CutStream { after_events: 2, ending: Ending::Clean }.always(),
        Fault::CutStream { after_events: 1, ending: Ending::Stalled }.always(),
        Fault::StallStream { after_events: 2 }.always(),
        Fault::SlowStream(Duration::from_millis(300)).always(),
    ]
}
