//! Handlers with filters: whatever merges, panics or changes its mind, the view that a handler rebuilds from its calls is the
//! filtered cache, and every object that it heard of and that is gone was reported as deleted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use serde_json::json;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::Registration;
use tidings_object::{Object, RawObject};
use tidings_source::scripted::{ListAnswer, WatchFeed};
use tidings_source::{ChangeType, WatchEvent};
use tokio::time::sleep;

use crate::informer::heard::Heard;
use crate::informer::stage::{BOTH_ORDERS, Stage, config, pod_of, pod_with, seconds, settle};

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
    stage: &Stage,
    merge_above: usize,
    resync: bool,
    filter: impl Fn(&Object<Pod>) -> bool + Send + Sync + 'static,
) -> (Heard, Registration) {
    let heard = Heard::default();
    let resync = if resync { seconds(1) } else { seconds(0) };
    let handler = heard.handler().merge_above(merge_above).resync(resync).filter(filter);
    let registration = stage.informer.add_handler(handler).unwrap();
    (heard, registration)
}

/// What is cached and matches, as `name@version`, sorted.
fn matching(stage: &Stage, filter: impl Fn(&Object<Pod>) -> bool) -> Vec<String> {
    let objects = stage.informer.lister().list();
    let matching = objects.iter().filter(|pod| filter(pod));
    let mut shown: Vec<_> = matching.map(|pod| format!("{}@{}", pod.name(), pod.version())).collect();
    shown.sort();
    shown
}

// holds: X27, I29
#[tokio::test(start_paused = true)]
async fn a_handler_that_is_behind_hears_the_end_of_what_stopped_matching_and_was_deleted() {
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), 5, &[labelled("a", "a", 1, "yes")]).await;
        let (heard, _registration) = add(&stage, 0, false, is_on);
        settle().await;
        assert_eq!(heard.take(), ["initial a@1"]);
        feed.modified(&labelled("a", "a", 6, ""));
        feed.deleted(&labelled("a", "a", 7, ""));
        settle().await;
        assert_eq!(heard.take(), ["delete a@1"], "with the last state that it heard of: {order:?}");
        heard.makes_sense();
        stage.end().await;
    }
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn a_deletion_carries_the_final_state_if_that_matches_and_else_the_last_that_did() {
    for order in BOTH_ORDERS {
        let listed = [labelled("a", "a", 1, "yes"), labelled("b", "b", 2, "yes")];
        let (stage, feed) = Stage::watching(config(order), 5, &listed).await;
        let (heard, _registration) = add(&stage, 8, false, is_on);
        settle().await;
        heard.take();
        feed.deleted(&labelled("a", "a", 6, "yes"));
        // The server changes the labels in the event of the deletion.
        feed.deleted(&labelled("b", "b", 7, ""));
        settle().await;
        assert_eq!(heard.take(), ["delete a@6", "delete b@2"], "{order:?}");
        heard.makes_sense();
        stage.end().await;
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
    let (stage, feed) = Stage::watching(config, OBJECTS, &listed).await;
    let heard = Heard::default();
    stage.add(heard.handler().filter(is_on));
    settle().await;
    assert_eq!(heard.view().len() as u64, OBJECTS);
    // The resync and the changes come in the same instant: the handler is behind, though it is as quick as can be.
    sleep(seconds(1) - std::time::Duration::from_millis(1)).await;
    for number in 0..LEAVING {
        let (name, version) = (name(number * 7), OBJECTS + 2 * number + 1);
        feed.modified(&labelled(&name, &name, version, ""));
        feed.deleted(&labelled(&name, &name, version + 1, ""));
    }
    settle().await;
    settle().await;
    heard.makes_sense();
    assert_eq!(heard.view().len() as u64, OBJECTS - LEAVING, "it believes in objects that are gone");
    assert_eq!(heard.view(), matching(&stage, is_on));
    stage.end().await;
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn a_filter_that_panics_leaves_nothing_behind() {
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), 5, &[labelled("a", "a", 1, "yes")]).await;
        let filter = |pod: &Object<Pod>| match pod.labels().value("on") {
            Some("panic") => std::panic::panic_any("scripted"),
            label => label.is_some(),
        };
        let (heard, registration) = add(&stage, 8, false, filter);
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
        assert_eq!(heard.take(), expected, "{order:?}");
        heard.makes_sense();
        assert_eq!((registration.stats().panics, stage.faults.all().len()), (5, 5));
        stage.end().await;
    }
}

// holds: X27
#[tokio::test(start_paused = true)]
async fn a_filter_that_changes_its_mind_is_followed_from_the_next_change_or_resync_on() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod_of("a", "a", 1)]).await;
    let is_wanted = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&is_wanted);
    let (heard, _registration) = add(&stage, 8, true, move |_| asked.load(Ordering::Relaxed));
    settle().await;
    is_wanted.store(false, Ordering::Relaxed);
    sleep(seconds(1)).await;
    assert_eq!(heard.take(), ["initial a@1", "delete a@1"]);
    feed.added(&pod_of("b", "b", 6));
    settle().await;
    is_wanted.store(true, Ordering::Relaxed);
    sleep(seconds(1)).await;
    let mut found = heard.take();
    found.sort();
    assert_eq!(found, ["add a@1", "add b@6"]);
    is_wanted.store(false, Ordering::Relaxed);
    feed.deleted(&pod_of("b", "b", 7));
    settle().await;
    assert_eq!(heard.take(), ["delete b@6"], "it was reported, so its end is");
    heard.makes_sense();
    stage.end().await;
}

#[derive(Debug, Clone)]
enum Step {
    /// An object is made, or changed: it matches from now on, or does not.
    Change { name: usize, label: &'static str },
    /// It goes; the event carries a state that matches, or not. Sometimes the watch expires instead of saying so.
    Delete { name: usize, label: &'static str },
    /// It goes, and another one takes its name.
    Recreate { name: usize, label: &'static str },
    /// Everything is listed again.
    Relist,
    /// Everybody does what there is to do.
    Settle,
    /// A resync comes round.
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
    stage: Stage,
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
                // Nobody says that the first one went.
                self.objects.remove(name);
                self.put(*name, label);
            }
            Step::Relist => {
                let objects: Vec<_> = self.objects.values().map(Arc::clone).collect();
                let next = self.stage.script(self.version, &objects);
                let lists = self.stage.source.lists().len();
                self.feed.error(410, "Expired");
                self.feed = next;
                while self.stage.source.lists().len() < lists + 1 {
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
    fn the_view_of_every_filtered_handler_is_the_filtered_cache(
        is_in_order in any::<bool>(),
        handlers in prop::collection::vec((0..6_usize, any::<bool>(), any::<bool>()), 1..4),
        steps in steps(),
    ) {
        let order = if is_in_order { QueueOrder::InOrder } else { QueueOrder::PerObject };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (stage, feed) = Stage::watching(config(order), 5, &[]).await;
            let mut world = World { stage, feed, version: 5, objects: BTreeMap::new() };
            let objects = Arc::new(std::sync::Mutex::new((5, Vec::new())));
            let listed = Arc::clone(&objects);
            world.stage.source.will_list_always(move |_| {
                let (version, objects) = &*listed.lock().unwrap();
                ListAnswer::page(*version).objects(objects)
            });
            // Panics only while it is allowed to, so that in the end its answer is known.
            let may_panic = Arc::new(AtomicBool::new(true));
            let heard: Vec<_> = handlers.iter().map(|(merge_above, resync, panics)| {
                let may_panic = Arc::clone(&may_panic);
                let panics = *panics;
                let filter = move |pod: &Object<Pod>| {
                    let label = pod.labels().value("on");
                    assert!(!(panics && label == Some("panic") && may_panic.load(Ordering::Relaxed)), "scripted");
                    label.is_some()
                };
                add(&world.stage, *merge_above, *resync, filter)
            }).collect();
            for step in &steps {
                world.step(step).await;
                *objects.lock().unwrap() = (world.version, world.objects.values().map(Arc::clone).collect());
            }
            settle().await;
            may_panic.store(false, Ordering::Relaxed);
            for name in 0..NAMES {
                // One more change of everything: a panic cost one call.
                if world.objects.contains_key(&name) {
                    world.put(name, "yes");
                }
            }
            *objects.lock().unwrap() = (world.version, world.objects.values().map(Arc::clone).collect());
            sleep(seconds(100)).await;
            for (heard, registration) in &heard {
                heard.makes_sense();
                assert_eq!(heard.view(), matching(&world.stage, is_on));
                assert_eq!(registration.stats().backlog, 0);
                assert!(registration.is_synced());
            }
            world.stage.end().await;
        });
    }
}
