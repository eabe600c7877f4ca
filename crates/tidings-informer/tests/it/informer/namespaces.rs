//! Namespaces that are added and removed while the informer runs, also overlapping ones.

use std::sync::Arc;

use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::StopPolicy;
use tidings_source::StreamScope;
use tidings_source::scripted::{ListResponse, WatchResponse};

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, TIMEOUT, config, pod_in, seconds, settle};

fn scope(namespace: &str) -> StreamScope {
    StreamScope::Namespace(namespace.into())
}

// holds: I14
#[tokio::test(start_paused = true)]
async fn an_informer_without_namespaces_is_synced_and_namespaces_can_be_added() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::over(config(order), &[], &[scope("a")]);
        let (log, registration) = fixture.record_as("log");
        fixture.start();
        fixture.synced().await;
        assert!(registration.is_synced());
        let a = fixture.source_of(&scope("a"));
        a.will_list(ListResponse::page(5).object(&pod_in("a", "x", 1)));
        fixture.informer.set_namespaces(["a"]).unwrap();
        settle().await;
        assert_eq!(fixture.cached(), ["a/x@1"], "{order:?}");
        assert_eq!(log.view(), ["a/x@1"]);
        fixture.end().await;
    }
}

// holds: I14, I36
#[tokio::test(start_paused = true)]
async fn an_informer_is_synced_when_its_last_namespace_has_listed_or_is_no_longer_wanted() {
    for order in BOTH_ORDERS {
        for is_dropped in [false, true] {
            let mut fixture = InformerFixture::over(config(order), &[scope("a"), scope("b")], &[]);
            let (_, registration) = fixture.record_as("log");
            fixture.source_of(&scope("a")).will_list(ListResponse::page(5).object(&pod_in("a", "x", 1)));
            fixture.source_of(&scope("b")).will_list(ListResponse::page(5).after(seconds(20)));
            fixture.start();
            tokio::time::sleep(seconds(10)).await;
            assert!(!fixture.informer.is_synced() && !registration.is_synced());
            if is_dropped {
                fixture.informer.set_namespaces(["a"]).unwrap();
                settle().await;
                assert!(fixture.informer.is_synced());
            }
            fixture.synced().await;
            assert!(registration.is_synced());
            fixture.end().await;
        }
    }
}

// holds: X23
#[tokio::test(start_paused = true)]
async fn a_change_from_all_namespaces_to_one_and_back_keeps_the_objects_of_both() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::over(config(order), &[StreamScope::All], &[scope("a")]);
        let log = fixture.record();
        let of_a = [pod_in("a", "x", 1), pod_in("a", "y", 2)];
        let of_all = [pod_in("a", "x", 1), pod_in("a", "y", 2), pod_in("b", "z", 3)];
        fixture.source.will_list_always({
            let of_all = of_all.clone();
            move |_| ListResponse::page(9).objects(&of_all)
        });
        fixture.source.will_watch_always(|_| WatchResponse::open().hang());
        fixture.source_of(&scope("a")).will_list_always(move |_| ListResponse::page(9).objects(&of_a));
        fixture.source_of(&scope("a")).will_watch_always(|_| WatchResponse::open().hang());
        fixture.start();
        fixture.synced().await;
        assert_eq!(log.take().len(), 3);
        for _ in 0..3 {
            fixture.informer.set_namespaces(["a"]).unwrap();
            settle().await;
            assert_eq!(fixture.cached(), ["a/x@1", "a/y@2"], "{order:?}");
            assert_eq!(log.take(), ["lose b/z@3"], "{order:?}");
            fixture.informer.set_all_namespaces().unwrap();
            settle().await;
            assert_eq!(fixture.cached(), ["a/x@1", "a/y@2", "b/z@3"], "{order:?}");
            assert_eq!(log.take().len(), 1, "{order:?}");
        }
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: X32
#[tokio::test(start_paused = true)]
async fn objects_of_a_new_namespace_are_initial_only_for_handlers_that_have_not_synced() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::over(config(order), &[scope("a")], &[scope("b")]);
        let (early, registration) = fixture.record_as("early");
        fixture.source_of(&scope("a")).will_list(ListResponse::page(5).object(&pod_in("a", "x", 1)));
        fixture
            .source_of(&scope("b"))
            .will_list(ListResponse::page(9).object(&pod_in("b", "y", 7)).after(seconds(20)));
        fixture.start();
        fixture.synced().await;
        assert!(registration.is_synced());
        fixture.informer.set_namespaces(["a", "b"]).unwrap();
        tokio::time::sleep(seconds(10)).await;
        let while_listing = fixture.record();
        tokio::time::sleep(seconds(20)).await;
        let late = fixture.record();
        settle().await;
        assert_eq!(early.lines(), ["initial a/x@1", "add b/y@7"], "{order:?}");
        assert_eq!(while_listing.lines(), ["initial a/x@1", "add b/y@7"], "{order:?}");
        let mut lines = late.lines();
        lines.sort();
        assert_eq!(lines, ["initial a/x@1", "initial b/y@7"], "{order:?}");
        fixture.end().await;
    }
}

// holds: X25, X23
#[tokio::test(start_paused = true)]
async fn a_stream_that_is_no_longer_followed_adds_nothing_to_the_cache() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::over(config(order), &[StreamScope::All], &[scope("a")]);
        let log = fixture.record();
        let feed = fixture.script(5, &[]);
        // When namespace a is listed, x is already deleted.
        fixture.source_of(&scope("a")).will_list(ListResponse::page(9));
        fixture.start();
        fixture.synced().await;
        fixture.informer.set_namespaces(["a"]).unwrap();
        feed.added(&pod_in("a", "x", 6));
        tokio::time::timeout(TIMEOUT, fixture.source_of(&scope("a")).wait_for_requests(2)).await.unwrap();
        settle().await;
        assert!(fixture.cached().is_empty(), "{order:?}: {:?}", fixture.cached());
        assert!(log.view().is_empty(), "{order:?}");
        fixture.end().await;
    }
}

// holds: I13
#[tokio::test(start_paused = true)]
async fn namespaces_that_are_set_while_the_informer_stops_are_not_requested() {
    let mut fixture = InformerFixture::over(config(QueueOrder::InOrder), &[scope("a")], &[scope("b")]);
    fixture.source.will_list(ListResponse::page(5).object(&pod_in("a", "x", 1)));
    fixture.start();
    fixture.synced().await;
    fixture.informer.set_namespaces(["b"]).unwrap();
    fixture.informer.stop();
    fixture.ended().await;
    assert!(fixture.source_of(&scope("b")).requests().is_empty());
    assert_eq!(fixture.cached(), ["a/x@1"], "the cache stays readable");
    fixture.end().await;
}

// holds: X3, X23
#[tokio::test(start_paused = true)]
async fn the_objects_of_a_stream_that_gave_up_are_removed_with_its_namespace() {
    for order in BOTH_ORDERS {
        let mut config = config(order);
        config.reflector =
            config.reflector.stop_policy(StopPolicy::default().forbidden_max(std::num::NonZeroU32::new(2)));
        let mut fixture = InformerFixture::over(config, &[scope("a"), scope("b")], &[]);
        let log = fixture.record();
        let [a, b] = ["a", "b"].map(|namespace| Arc::clone(fixture.source_of(&scope(namespace))));
        a.will_list(ListResponse::page(5).object(&pod_in("a", "x", 1)));
        b.will_list(ListResponse::page(5).object(&pod_in("b", "y", 2)));
        b.will_watch_always(|_| WatchResponse::status(403, "Forbidden"));
        b.will_list_always(|_| ListResponse::status(403, "Forbidden"));
        fixture.start();
        fixture.synced().await;
        tokio::time::sleep(seconds(600)).await;
        assert_eq!(fixture.cached(), ["a/x@1", "b/y@2"], "{order:?}");
        fixture.informer.set_namespaces(["a"]).unwrap();
        settle().await;
        assert_eq!(fixture.cached(), ["a/x@1"], "{order:?}");
        b.will_list(ListResponse::page(9).object(&pod_in("b", "y", 8)));
        fixture.informer.set_namespaces(["a", "b"]).unwrap();
        settle().await;
        assert_eq!(log.view(), ["a/x@1", "b/y@8"], "it is tried anew: {order:?}");
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: X48
#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_followed_again_is_listed_no_older_than_what_the_informer_has_seen() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::over(config(order), &[scope("a")], &[scope("b")]);
        let listed = Arc::new(std::sync::Mutex::new(Vec::new()));
        let versions = Arc::clone(&listed);
        fixture.source_of(&scope("a")).will_list_always(move |options| {
            versions.lock().unwrap().push(options.version.as_ref().map(ToString::to_string));
            ListResponse::page(9).object(&pod_in("a", "x", 7))
        });
        fixture.source_of(&scope("a")).will_watch_always(|_| WatchResponse::open().hang());
        fixture.source_of(&scope("b")).will_list_always(|_| ListResponse::page(12));
        fixture.source_of(&scope("b")).will_watch_always(|_| WatchResponse::open().hang());
        fixture.start();
        fixture.synced().await;
        for namespaces in ["b", "a"] {
            fixture.informer.set_namespaces([namespaces]).unwrap();
            settle().await;
        }
        assert_eq!(*listed.lock().unwrap(), [Some("0".to_owned()), Some("12".to_owned())], "{order:?}");
        fixture.end().await;
    }
}
