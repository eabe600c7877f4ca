//! Handlers with filters. With any merges, panics and changes of the filter's result, the view that a handler builds
//! from its calls equals the filtered cache, and every object that it received and that is gone was reported as
//! deleted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use serde_json::json;
use tidings_informer::Registration;
use tidings_informer::delta::QueueOrder;
use tidings_object::{Object, RawObject};
use tidings_source::scripted::{ListResponse, WatchFeed};
use tidings_source::{ChangeType, WatchEvent};
use tokio::time::sleep;

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, config, pod_of, pod_with, seconds, settle};
use crate::informer::notification_log::NotificationLog;

const NAMES: usize = 4;

/// A pod with a label `on`, or without.
fn labelled(uid: &str, name: &str, version: u64, label: &str) -> Arc<RawObject> {
    match label {
        "" => pod_of(uid, name, version),
        label => {
            let rest = json!({"metadata": {"labels": {"on": label}, "uid": uid}});
            pod_with(name, version, rest)
        }
    }
}

fn is_on(pod: &Object<Pod>) -> bool {
    pod.labels().value("on").is_some()
}

fn add(
    fixture: &InformerFixture,
    merge_above: usize,
    resync: bool,
    filter: impl Fn(&Object<Pod>) -> bool + Send + Sync + 'static,
) -> (NotificationLog, Registration) {
    let log = NotificationLog::default();
    let resync = if resync { seconds(1) } else { seconds(0) };
    let handler = log.handler().merge_above(merge_above).resync(resync).filter(filter);
    let registration = fixture.informer.add_handler(handler).unwrap();
    (log, registration)
}

/// The cached objects that match, as `name@version`, sorted.
fn matching(fixture: &InformerFixture, filter: impl Fn(&Object<Pod>) -> bool) -> Vec<String> {
    let objects = fixture.informer.lister().list();
    let matching = objects.iter().filter(|pod| filter(pod));
    let mut shown: Vec<_> = matching.map(|pod| format!("{}@{}", pod.name(), pod.version())).collect();
    shown.sort();
    shown
}

// holds: X27, I29
#[tokio::test(start_paused = true)]
async fn a_handler_that_is_behind_receives_the_deletion_of_an_object_that_stopped_matching_and_was_deleted() {
    for order in BOTH_ORDERS {
        let (fixture, feed) =
            InformerFixture::watching(config(order), 5, &[labelled("a", "a", 1, "yes")]).await;
        let (log, _registration) = add(&fixture, 0, false, is_on);
        settle().await;
        assert_eq!(log.take(), ["initial a@1"]);
        feed.modified(&labelled("a", "a", 6, ""));
        feed.deleted(&labelled("a", "a", 7, ""));
        settle().await;
        assert_eq!(log.take(), ["delete a@1"], "with the last state that it received: {order:?}");
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn a_deletion_carries_the_final_state_if_it_matches_and_otherwise_the_last_reported_one() {
    for order in BOTH_ORDERS {
        let listed = [labelled("a", "a", 1, "yes"), labelled("b", "b", 2, "yes")];
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &listed).await;
        let (log, _registration) = add(&fixture, 8, false, is_on);
        settle().await;
        log.take();
        feed.deleted(&labelled("a", "a", 6, "yes"));
        // The server changes the labels in the event of the deletion.
        feed.deleted(&labelled("b", "b", 7, ""));
        settle().await;
        assert_eq!(log.take(), ["delete a@6", "delete b@2"], "{order:?}");
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn every_object_that_left_a_filter_during_a_resync_is_reported_as_deleted() {
    const OBJECTS: u64 = 3_000;
    const LEAVING: u64 = 300;
    let name = |number| format!("pod-{number}");
    let listed: Vec<_> =
        (0..OBJECTS).map(|number| labelled(&name(number), &name(number), 1 + number, "yes")).collect();
    let mut config = config(QueueOrder::InOrder);
    config.resync = seconds(1);
    let (fixture, feed) = InformerFixture::watching(config, OBJECTS, &listed).await;
    let log = NotificationLog::default();
    fixture.add(log.handler().filter(is_on));
    settle().await;
    assert_eq!(log.view().len() as u64, OBJECTS);
    // The resync and the changes are at the same instant, so that even a fast handler is behind.
    sleep(seconds(1) - std::time::Duration::from_millis(1)).await;
    for number in 0..LEAVING {
        let (name, version) = (name(number * 7), OBJECTS + 2 * number + 1);
        feed.modified(&labelled(&name, &name, version, ""));
        feed.deleted(&labelled(&name, &name, version + 1, ""));
    }
    settle().await;
    settle().await;
    log.assert_consistent();
    assert_eq!(log.view().len() as u64, OBJECTS - LEAVING, "its view has objects that are gone");
    assert_eq!(log.view(), matching(&fixture, is_on));
    fixture.end().await;
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn a_filter_that_panics_costs_one_call_and_loses_no_deletion() {
    for order in BOTH_ORDERS {
        let (fixture, feed) =
            InformerFixture::watching(config(order), 5, &[labelled("a", "a", 1, "yes")]).await;
        let filter = |pod: &Object<Pod>| match pod.labels().value("on") {
            Some("panic") => std::panic::panic_any("scripted"),
            label => label.is_some(),
        };
        let (log, registration) = add(&fixture, 8, false, filter);
        settle().await;
        feed.modified(&labelled("a", "a", 6, "panic"));
        feed.modified(&labelled("a", "a", 7, "yes"));
        feed.modified(&labelled("a", "a", 8, "panic"));
        feed.deleted(&labelled("a", "a", 9, "panic"));
        feed.added(&labelled("b", "b", 10, "panic"));
        feed.modified(&labelled("b", "b", 11, "yes"));
        feed.modified(&labelled("b", "b", 12, "panic"));
        feed.modified(&labelled("b", "b", 13, ""));
        settle().await;
        let expected = ["initial a@1", "update a@1->7", "delete a@7", "add b@11", "delete b@11"];
        assert_eq!(log.take(), expected, "{order:?}");
        log.assert_consistent();
        assert_eq!((registration.stats().panics, fixture.faults.all().len()), (5, 5));
        fixture.end().await;
    }
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn a_filter_whose_result_changes_takes_effect_with_the_next_change_or_resync() {
    let (fixture, feed) =
        InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod_of("a", "a", 1)]).await;
    let is_wanted = Arc::new(AtomicBool::new(true));
    let filter_result = Arc::clone(&is_wanted);
    let (log, _registration) = add(&fixture, 8, true, move |_| filter_result.load(Ordering::Relaxed));
    settle().await;
    is_wanted.store(false, Ordering::Relaxed);
    sleep(seconds(1)).await;
    assert_eq!(log.take(), ["initial a@1", "delete a@1"]);
    feed.added(&pod_of("b", "b", 6));
    settle().await;
    is_wanted.store(true, Ordering::Relaxed);
    sleep(seconds(1)).await;
    let mut found = log.take();
    found.sort();
    assert_eq!(found, ["add a@1", "add b@6"]);
    is_wanted.store(false, Ordering::Relaxed);
    feed.deleted(&pod_of("b", "b", 7));
    settle().await;
    assert_eq!(log.take(), ["delete b@6"], "it was reported, so its deletion is too");
    log.assert_consistent();
    fixture.end().await;
}

#[derive(Debug, Clone)]
enum Step {
    /// An object is created or changed. The label decides whether it matches.
    Change { name: usize, label: &'static str },
    /// An object is deleted. The label is that of the final state.
    Delete { name: usize, label: &'static str },
    /// An object is deleted, and another one is created with its name.
    Recreate { name: usize, label: &'static str },
    /// The watch expires, and the informer lists again.
    Relist,
    /// All tasks run until they are idle.
    Settle,
    /// A resync period passes.
    Pass,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let label = || prop_oneof![3 => Just("yes"), 3 => Just(""), 1 => Just("panic")];
    prop::collection::vec(
        prop_oneof![
            10 => (0..NAMES, label()).prop_map(|(name, label)| Step::Change { name, label }),
            5 => (0..NAMES, label()).prop_map(|(name, label)| Step::Delete { name, label }),
            2 => (0..NAMES, label()).prop_map(|(name, label)| Step::Recreate { name, label }),
            1 => Just(Step::Relist),
            4 => Just(Step::Settle),
            1 => Just(Step::Pass),
        ],
        1..80,
    )
}

/// The server, and its watch.
struct World {
    fixture: InformerFixture,
    feed: WatchFeed,
    version: u64,
    objects: BTreeMap<usize, Arc<RawObject>>,
}

impl World {
    fn next(&mut self, name: usize, uid: Option<String>, label: &str) -> Arc<RawObject> {
        self.version += 1;
        let uid = uid.unwrap_or_else(|| format!("uid-{}", self.version));
        labelled(&uid, &format!("pod-{name}"), self.version, label)
    }

    fn put(&mut self, name: usize, label: &str) {
        let uid = self.objects.get(&name).map(|pod| pod.uid().to_owned());
        let change = if uid.is_some() { ChangeType::Modified } else { ChangeType::Added };
        let pod = self.next(name, uid, label);
        self.objects.insert(name, Arc::clone(&pod));
        self.feed.event(WatchEvent::Changed(change, pod));
    }

    fn remove(&mut self, name: usize, label: &str) {
        if let Some(pod) = self.objects.remove(&name) {
            let last = self.next(name, Some(pod.uid().to_owned()), label);
            self.feed.deleted(&last);
        }
    }

    async fn step(&mut self, step: &Step) {
        match step {
            Step::Change { name, label } => self.put(*name, label),
            Step::Delete { name, label } => self.remove(*name, label),
            Step::Recreate { name, label } => {
                // The deletion of the first one is never sent.
                self.objects.remove(name);
                self.put(*name, label);
            }
            Step::Relist => {
                let objects: Vec<_> = self.objects.values().map(Arc::clone).collect();
                let next = self.fixture.script(self.version, &objects);
                let lists = self.fixture.source.lists().len();
                self.feed.error(410, "Expired");
                self.feed = next;
                while self.fixture.source.lists().len() < lists + 1 {
                    sleep(seconds(1)).await;
                }
            }
            Step::Settle => settle().await,
            Step::Pass => sleep(seconds(1)).await,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    // holds: X27, X11, X15
    #[test]
    fn the_view_of_every_filtered_handler_equals_the_filtered_cache(
        is_in_order in any::<bool>(),
        handlers in prop::collection::vec((0..6_usize, any::<bool>(), any::<bool>()), 1..4),
        steps in steps(),
    ) {
        let order = if is_in_order { QueueOrder::InOrder } else { QueueOrder::PerObject };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (fixture, feed) = InformerFixture::watching(config(order), 5, &[]).await;
            let mut world = World { fixture, feed, version: 5, objects: BTreeMap::new() };
            let objects = Arc::new(std::sync::Mutex::new((5, Vec::new())));
            let listed = Arc::clone(&objects);
            world.fixture.source.will_list_always(move |_| {
                let (version, objects) = &*listed.lock().unwrap();
                ListResponse::page(*version).objects(objects)
            });
            // Panics only while it is allowed to, so that its result is known at the end.
            let may_panic = Arc::new(AtomicBool::new(true));
            let log: Vec<_> = handlers.iter().map(|(merge_above, resync, panics)| {
                let may_panic = Arc::clone(&may_panic);
                let panics = *panics;
                let filter = move |pod: &Object<Pod>| {
                    let label = pod.labels().value("on");
                    assert!(!(panics && label == Some("panic") && may_panic.load(Ordering::Relaxed)), "scripted");
                    label.is_some()
                };
                add(&world.fixture, *merge_above, *resync, filter)
            }).collect();
            for step in &steps {
                world.step(step).await;
                *objects.lock().unwrap() = (world.version, world.objects.values().map(Arc::clone).collect());
            }
            settle().await;
            may_panic.store(false, Ordering::Relaxed);
            for name in 0..NAMES {
                // One more change of every object makes up for the calls that a panic cost.
                if world.objects.contains_key(&name) {
                    world.put(name, "yes");
                }
            }
            *objects.lock().unwrap() = (world.version, world.objects.values().map(Arc::clone).collect());
            sleep(seconds(100)).await;
            for (log, registration) in &log {
                log.assert_consistent();
                assert_eq!(log.view(), matching(&world.fixture, is_on));
                assert_eq!(registration.stats().backlog, 0);
                assert!(registration.is_synced());
            }
            world.fixture.end().await;
        });
    }
}
