//! What a server should not have sent costs as little as it can.

use std::time::Duration;

use tidings_object::IntakeError;
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tidings_source::{ErrorKind, Skipped, WatchEvent};

use crate::reflector::scene::*;

fn no_name() -> Skipped {
    Skipped::Object(IntakeError::NoIdentity { missing: "metadata.name" })
}

fn wrong_kind() -> Skipped {
    Skipped::Object(IntakeError::WrongKind { expected: "Pod".to_owned(), found: "Node".to_owned() })
}

fn unknown_event() -> Skipped {
    Skipped::UnknownEvent { event_type: "RENAMED".to_owned() }
}

fn too_large() -> ErrorKind {
    ErrorKind::FrameTooLarge { limit_bytes: 1000 }
}

// holds: R27, X5
#[tokio::test(start_paused = true)]
async fn a_list_that_is_cut_off_or_malformed_leaves_the_sink_as_it_was_and_is_asked_for_again() {
    let truncated = ErrorKind::Truncated { objects: 1 };
    for kind in [malformed(), truncated, too_large(), status(500, "Other", "")] {
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)));
        scene.source.will_watch(WatchAnswer::open().error(500, "StoreReadError"));
        for _ in 0..3 {
            scene.source.will_list(ListAnswer::page(7).object(&pod("b", 6)).broken(kind.clone()));
        }
        let asked = scene.asked(6).await;
        assert_eq!(asked[2..], ["list @5"; 4], "{kind}: the version is kept");
        assert!(scene.gaps()[2..].iter().all(|gap| *gap >= Duration::from_millis(800)));
        assert_eq!(scene.sunk.log(), ["Replaced [a@1] @5"], "{kind}");
        assert_eq!(scene.told.only("failed List").len(), 3);
    }
}

// holds: X5, X7
#[tokio::test(start_paused = true)]
async fn a_malformed_streaming_list_leaves_the_sink_as_it_was_and_gives_way_to_a_list() {
    let mut scene = Scene::new(Default::default());
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 1)).broken(malformed()));
    assert_eq!(scene.asked(2).await, ["stream", "list @0 limit 500"]);
    assert_eq!(scene.sunk.log(), [""; 0]);
    assert_eq!(scene.told.only("refused"), [""; 0]);
}

// holds: R37, X5
#[tokio::test(start_paused = true)]
async fn a_malformed_watch_is_opened_again_at_the_last_version_and_relisted_if_the_same_place_fails_again() {
    for kind in [malformed(), too_large()] {
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(5));
        scene.source.will_watch(WatchAnswer::open().added(&pod("a", 6)).broken(kind.clone()));
        scene.source.will_watch(WatchAnswer::open().added(&pod("b", 7)).broken(kind.clone()));
        scene.source.will_watch(WatchAnswer::open().broken(kind.clone()));
        let asked = scene.asked(5).await;
        assert_eq!(asked[1..], ["watch @5", "watch @6", "watch @7", "list @7"], "{kind}");
        assert!(scene.gaps()[1..].iter().all(|gap| *gap >= Duration::from_millis(800)));
        assert_eq!(scene.sunk.objects(), ["a@6", "b@7"], "what had arrived is not lost");
        assert_eq!(scene.told.only("relisting"), ["relisting Malformed"]);
        let failed = scene.told.only("failed Watch");
        assert_eq!(failed.len(), 3);
        assert!(failed[0].contains("watch pods in all namespaces from version 5"), "{failed:?}");
    }
}

// holds: X5
#[tokio::test(start_paused = true)]
async fn what_has_no_usable_identity_is_left_out_of_a_list_and_told() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).skipped(no_name()).object(&pod("a", 1)).skipped(wrong_kind()));
    scene.asked(2).await;
    assert_eq!(scene.sunk.log(), ["Replaced [a@1] @5"]);
    assert_eq!(scene.told.only("skipped").len(), 2);

    let mut scene = Scene::new(Default::default());
    let initial = WatchAnswer::open().event(WatchEvent::Skipped(no_name())).added(&pod("a", 1));
    scene.source.will_watch(initial.event(WatchEvent::Skipped(unknown_event())).initial_events_end(5).hang());
    scene.asked(1).await;
    assert_eq!(scene.sunk.log(), ["Replaced [a@1] @5"]);
    assert_eq!(scene.told.only("skipped").len(), 2);
}

// holds: R42, X5
#[tokio::test(start_paused = true)]
async fn what_is_no_object_of_the_resource_moves_no_version_and_counts_as_no_event() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    let bad = [no_name(), wrong_kind(), unknown_event()].map(WatchEvent::Skipped);
    let watch = bad.into_iter().fold(WatchAnswer::open(), WatchAnswer::event);
    scene.source.will_watch(watch);
    assert_eq!(scene.asked(3).await[2], "list @5");
    assert_eq!(scene.told.only("skipped").len(), 3);
    assert_eq!(scene.told.only("relisting"), ["relisting VeryShortWatch"]);
    assert_eq!(scene.sunk.log(), ["Replaced [] @5"]);
}

// holds: X5
#[tokio::test(start_paused = true)]
async fn events_after_one_that_was_left_out_arrive() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(WatchAnswer::open().event(WatchEvent::Skipped(wrong_kind())).added(&pod("a", 6)));
    assert_eq!(scene.asked(3).await[2], "watch @6");
    assert_eq!(scene.sunk.objects(), ["a@6"]);
}
