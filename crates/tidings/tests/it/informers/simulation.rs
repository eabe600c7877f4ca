//! Random faults in random order: after the last fault, cache and handlers equal the server. A seed repeats a run:
//! `TIDINGS_SEED=17 cargo test -p tidings --test it informers::simulation`. `TIDINGS_SEEDS=1000` runs a thousand seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tidings::{
    InformerOptions, ListMode, QueueOrder, ReflectorConfig, SharedInformer, SharedInformerFactory,
};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Ending, Fault};
use tidings_apiserver::{EventFault, Injection};

use tidings_informer::testing::NotificationRecorder;

/// The configuration of a run.
#[derive(Debug, Clone, Copy)]
struct Run {
    seed: u64,
    order: QueueOrder,
    list_mode: ListMode,
    /// Whether the server is restored from a backup during the run.
    goes_back: bool,
    /// Whether watches can become silent. A client notices it after minutes, so such runs have few other faults.
    stalls: bool,
}

/// Seeds that found a bug: an event that was repeated after a deletion restored the object.
const FOUND: [u64; 1] = [427];

/// The versions of each object on the server, in order, including its deletion.
type VersionsByKey = BTreeMap<String, Vec<u64>>;

// holds: R17, R36, R37, X1, X5, X11, X14, X15, X16, X25, X26, C9, I7, I8
#[test]
fn after_random_faults_cache_and_handlers_equal_the_server() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("seeds are numbers"));
    let seeds: Vec<u64> = match number("TIDINGS_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("TIDINGS_SEEDS").unwrap_or(60)).chain(FOUND).collect(),
    };
    let all = seeds.len() > 1;
    let mut met = BTreeSet::new();
    for seed in seeds {
        for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
            let list_mode = if seed % 2 == 0 { ListMode::Streaming } else { ListMode::Chunked };
            let (goes_back, stalls) = (seed % 3 == 2, seed % 5 == 1);
            met.extend(simulate(Run { seed, order, list_mode, goes_back, stalls }));
        }
    }
    let kinds: BTreeSet<_> = faults().iter().map(|injection| injection.fault().name()).collect();
    assert!(!all || met.is_superset(&kinds), "never met: {:?}", kinds.difference(&met));
}

/// One run, in one thread and in paused time. Returns the kinds of fault that happened.
fn simulate(run: Run) -> Vec<&'static str> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime can be made").block_on(async {
        let server = ApiServer::builder().seed(run.seed).start().await;
        server.faults().plan(run.seed, 250, faults());
        let factory = SharedInformerFactory::builder(server.client()).seed(run.seed).build();
        let reflector = ReflectorConfig::default().list_mode(run.list_mode);
        let pods: SharedInformer<Pod> = factory
            .informer_with(InformerOptions::new().queue_order(run.order).reflector(reflector).merge_above(8))
            .unwrap();
        let early = NotificationRecorder::default();
        pods.add_handler(early.handler()).unwrap();
        let running = factory.start();

        let mut versions = VersionsByKey::new();
        let mut rng = SmallRng::seed_from_u64(run.seed);
        change_objects(&server, &mut rng, &mut versions, run).await;
        let late = NotificationRecorder::default();
        pods.add_handler(late.handler()).unwrap();
        change_objects(&server, &mut rng, &mut versions, run).await;

        server.faults().clear();
        agree(&server, &pods, &[&early, &late], run).await;
        for recorder in [&early, &late] {
            assert_eq!(recorder.violations(), Vec::<String>::new(), "{run:?}");
            if !run.goes_back {
                notified_in_order(recorder, &versions, run);
            }
        }
        running.shutdown().await;
        server.faults().counts().into_keys().collect()
    })
}

/// Waits until cache and handlers equal the server, after the last fault.
async fn agree(server: &ApiServer, pods: &SharedInformer<Pod>, handlers: &[&NotificationRecorder], run: Run) {
    let cached = || -> BTreeMap<String, u64> {
        let list = pods.lister().list();
        list.iter().map(|pod| (pod.key().to_string(), pod.version().number().unwrap())).collect()
    };
    for _ in 0..7200 {
        let truth = server.list_versions("pods");
        if cached() == truth && handlers.iter().all(|recorder| recorder.versions() == truth) {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!(
        "{run:?}: after two hours without a fault\nserver {:?}\ncache  {:?}\nheard  {:?}\nhealth {:?}",
        server.list_versions("pods"),
        cached(),
        handlers.iter().map(|recorder| recorder.versions()).collect::<Vec<_>>(),
        pods.health(),
    );
}

/// The notifications about each object are a subsequence of its versions.
fn notified_in_order(recorder: &NotificationRecorder, versions: &VersionsByKey, run: Run) {
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for notification in recorder.notifications() {
        let versions_of_key = versions
            .get(&notification.key)
            .unwrap_or_else(|| panic!("{run:?}: {notification:?} was never on the server"));
        assert!(
            versions_of_key.contains(&notification.version),
            "{run:?}: {notification:?} was never a version of {versions_of_key:?}"
        );
        let before = last.insert(notification.key.clone(), notification.version);
        // A deletion with unknown final state repeats the last known version.
        let goes_on = before.is_none_or(|before| {
            notification.version > before || (notification.event == "lose" && notification.version == before)
        });
        assert!(goes_on, "{run:?}: {notification:?} after version {before:?}");
    }
}

/// Changes objects on the server.
async fn change_objects(server: &ApiServer, rng: &mut SmallRng, versions: &mut VersionsByKey, run: Run) {
    let mut saved = server.save();
    for _ in 0..120 {
        let key = (["a", "b", "c"][rng.random_range(0..3)], format!("pod-{}", rng.random_range(0..8)));
        let text = format!("{}/{}", key.0, key.1);
        match rng.random_range(0..100) {
            0..70 => {
                let pod = json!({
                    "metadata": { "namespace": key.0, "name": key.1, "labels": { "round": rng.random_range(0..9u8).to_string() } },
                    "spec": { "nodeName": format!("node-{}", rng.random_range(0..4)), "containers": [] },
                });
                let version = server.put("pods", pod);
                versions.entry(text).or_default().push(version);
            }
            70..90 if server.remove("pods", &text) => {
                versions.entry(text).or_default().push(server.version());
            }
            90..93 => {
                let silent = if run.stalls { Ending::Stalled } else { Ending::Broken };
                let ending = [Ending::Clean, Ending::Broken, silent][rng.random_range(0..3)];
                server.faults().cut_watches(ending);
            }
            93..96 => server.expire_history(),
            96..98 if run.goes_back => saved = server.save(),
            98..100 if run.goes_back => {
                server.restore(&saved);
                // A client can't detect a restore if the server has reached the old version again before the
                // client asks. So there are no writes for a while after a restore.
                tokio::time::sleep(Duration::from_secs(7200)).await;
            }
            _ => {}
        }
        if rng.random_range(0..4) == 0 {
            tokio::time::sleep(Duration::from_millis(rng.random_range(1..20_000))).await;
        }
    }
}

/// The faults that are injected at random.
fn faults() -> Vec<Injection> {
    let event = |after_events, fault| Fault::Event { after_events, fault }.always();
    let status = |code, retry_after_seconds| Fault::Status { code, retry_after_seconds }.always();
    let mut faults = vec![
        status(429, Some(3)),
        status(429, None),
        status(500, None),
        status(502, None),
        status(503, Some(1)),
        status(504, None),
        status(401, None),
        status(403, None),
        status(404, None),
        Fault::Refused.always(),
        Fault::GarbageBody.always(),
        Fault::Delay(Duration::from_secs(2)).always(),
        Fault::RefuseStreamingList.always(),
        Fault::FailStreamingList.always(),
        Fault::HideMarker.always(),
        Fault::ExpireOnOpen.always(),
        Fault::CutBody { after_bytes: 300, ending: Ending::Broken }.always(),
        Fault::CutStream { after_events: 2, ending: Ending::Clean }.always(),
        Fault::CutStream { after_events: 3, ending: Ending::Broken }.always(),
        Fault::CutStream { after_events: 1, ending: Ending::Stalled }.always(),
        Fault::CutMidFrame { after_events: 2 }.always(),
        Fault::StallStream { after_events: 2 }.always(),
        Fault::SlowStream(Duration::from_millis(300)).always(),
        Fault::WrongKind.always().on(Verb::List),
    ];
    faults.extend([
        event(1, EventFault::Duplicate),
        event(2, EventFault::Stale),
        event(1, EventFault::UnknownType),
        event(1, EventFault::Garbage),
        event(2, EventFault::Error { code: 410 }),
        event(1, EventFault::Error { code: 500 }),
        event(1, EventFault::Error { code: 429 }),
    ]);
    faults
}
