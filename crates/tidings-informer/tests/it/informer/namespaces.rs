//! Namespaces that come and go while the informer runs, also such as overlap.

use std::sync::Arc;

use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::StopPolicy;
use tidings_source::StreamScope;
use tidings_source::scripted::{ListAnswer, WatchAnswer};

use crate::informer::stage::{BOTH_ORDERS, LONG, Stage, config, pod_in, seconds, settle};

fn scope(namespace: &str) -> StreamScope {
    StreamScope::Namespace(namespace.into())
}

// holds: I14
#[tokio::test(start_paused = true)]
async fn an_informer_of_no_namespace_is_synced_and_can_be_given_some() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::over(config(order), &[], &[scope("a")]);
        let (heard, registration) = stage.listen_as("heard");
        stage.start();
        stage.synced().await;
        assert!(registration.is_synced());
        let a = stage.source_of(&scope("a"));
        a.will_list(ListAnswer::page(5).object(&pod_in("a", "x", 1)));
        stage.informer.set_namespaces(["a"]).unwrap();
        settle().await;
        assert_eq!(stage.cached(), ["a/x@1"], "{order:?}");
        assert_eq!(heard.view(), ["a/x@1"]);
        stage.end().await;
    }
}

// holds: I14, I36
#[tokio::test(start_paused = true)]
async fn it_is_synced_when_the_last_of_its_namespaces_has_listed_or_is_no_longer_wanted() {
    for order in BOTH_ORDERS {
        for is_dropped in [false, true] {
            let mut stage = Stage::over(config(order), &[scope("a"), scope("b")], &[]);
            let (_, registration) = stage.listen_as("heard");
            stage.source_of(&scope("a")).will_list(ListAnswer::page(5).object(&pod_in("a", "x", 1)));
            stage.source_of(&scope("b")).will_list(ListAnswer::page(5).after(seconds(20)));
            stage.start();
            tokio::time::sleep(seconds(10)).await;
            assert!(!stage.informer.is_synced() && !registration.is_synced());
            if is_dropped {
                stage.informer.set_namespaces(["a"]).unwrap();
                settle().await;
                assert!(stage.informer.is_synced());
            }
            stage.synced().await;
            assert!(registration.is_synced());
            stage.end().await;
        }
    }
}

// holds: X23
#[tokio::test(start_paused = true)]
async fn going_from_all_namespaces_to_one_and_back_keeps_what_both_have() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::over(config(order), &[StreamScope::All], &[scope("a")]);
        let heard = stage.listen();
        let of_a = [pod_in("a", "x", 1), pod_in("a", "y", 2)];
        let of_all = [pod_in("a", "x", 1), pod_in("a", "y", 2), pod_in("b", "z", 3)];
        stage.source.will_list_always({
            let of_all = of_all.clone();
            move |_| ListAnswer::page(9).objects(&of_all)
        });
        stage.source.will_watch_always(|_| WatchAnswer::open().hang());
        stage.source_of(&scope("a")).will_list_always(move |_| ListAnswer::page(9).objects(&of_a));
        stage.source_of(&scope("a")).will_watch_always(|_| WatchAnswer::open().hang());
        stage.start();
        stage.synced().await;
        assert_eq!(heard.take().len(), 3);
        for _ in 0..3 {
            stage.informer.set_namespaces(["a"]).unwrap();
            settle().await;
            assert_eq!(stage.cached(), ["a/x@1", "a/y@2"], "{order:?}");
            assert_eq!(heard.take(), ["lose b/z@3"], "{order:?}");
            stage.informer.set_all_namespaces().unwrap();
            settle().await;
            assert_eq!(stage.cached(), ["a/x@1", "a/y@2", "b/z@3"], "{order:?}");
            assert_eq!(heard.take().len(), 1, "{order:?}");
        }
        heard.makes_sense();
        stage.end().await;
    }
}

// holds: X32
#[tokio::test(start_paused = true)]
async fn what_a_new_namespace_brings_is_initial_only_to_handlers_that_have_not_synced() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::over(config(order), &[scope("a")], &[scope("b")]);
        let (early, registration) = stage.listen_as("early");
        stage.source_of(&scope("a")).will_list(ListAnswer::page(5).object(&pod_in("a", "x", 1)));
        stage
            .source_of(&scope("b"))
            .will_list(ListAnswer::page(9).object(&pod_in("b", "y", 7)).after(seconds(20)));
        stage.start();
        stage.synced().await;
        assert!(registration.is_synced());
        stage.informer.set_namespaces(["a", "b"]).unwrap();
        tokio::time::sleep(seconds(10)).await;
        let while_listing = stage.listen();
        tokio::time::sleep(seconds(20)).await;
        let late = stage.listen();
        settle().await;
        assert_eq!(early.lines(), ["initial a/x@1", "add b/y@7"], "{order:?}");
        assert_eq!(while_listing.lines(), ["initial a/x@1", "add b/y@7"], "{order:?}");
        let mut lines = late.lines();
        lines.sort();
        assert_eq!(lines, ["initial a/x@1", "initial b/y@7"], "{order:?}");
        stage.end().await;
    }
}

// holds: X25, X23
#[tokio::test(start_paused = true)]
async fn a_stream_that_is_no_longer_followed_brings_nothing_back() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::over(config(order), &[StreamScope::All], &[scope("a")]);
        let heard = stage.listen();
        let feed = stage.script(5, &[]);
        // By the time that namespace a is listed, x is gone again.
        stage.source_of(&scope("a")).will_list(ListAnswer::page(9));
        stage.start();
        stage.synced().await;
        stage.informer.set_namespaces(["a"]).unwrap();
        feed.added(&pod_in("a", "x", 6));
        tokio::time::timeout(LONG, stage.source_of(&scope("a")).wait_for_requests(2)).await.unwrap();
        settle().await;
        assert!(stage.cached().is_empty(), "{order:?}: {:?}", stage.cached());
        assert!(heard.view().is_empty(), "{order:?}");
        stage.end().await;
    }
}

// holds: I13
#[tokio::test(start_paused = true)]
async fn namespaces_that_are_set_while_it_stops_are_not_asked_for() {
    let mut stage = Stage::over(config(QueueOrder::InOrder), &[scope("a")], &[scope("b")]);
    stage.source.will_list(ListAnswer::page(5).object(&pod_in("a", "x", 1)));
    stage.start();
    stage.synced().await;
    stage.informer.set_namespaces(["b"]).unwrap();
    stage.informer.stop();
    stage.ended().await;
    assert!(stage.source_of(&scope("b")).requests().is_empty());
    assert_eq!(stage.cached(), ["a/x@1"], "what it had stays readable");
    stage.end().await;
}

// holds: X3, X23
#[tokio::test(start_paused = true)]
async fn what_a_stream_that_gave_up_had_brought_goes_with_its_namespace() {
    for order in BOTH_ORDERS {
        let mut config = config(order);
        config.reflector.stop_policy =
            StopPolicy { forbidden_max: std::num::NonZeroU32::new(2), ..StopPolicy::default() };
        let mut stage = Stage::over(config, &[scope("a"), scope("b")], &[]);
        let heard = stage.listen();
        let [a, b] = ["a", "b"].map(|namespace| Arc::clone(stage.source_of(&scope(namespace))));
        a.will_list(ListAnswer::page(5).object(&pod_in("a", "x", 1)));
        b.will_list(ListAnswer::page(5).object(&pod_in("b", "y", 2)));
        b.will_watch_always(|_| WatchAnswer::status(403, "Forbidden"));
        b.will_list_always(|_| ListAnswer::status(403, "Forbidden"));
        stage.start();
        stage.synced().await;
        tokio::time::sleep(seconds(600)).await;
        assert_eq!(stage.cached(), ["a/x@1", "b/y@2"], "{order:?}");
        stage.informer.set_namespaces(["a"]).unwrap();
        settle().await;
        assert_eq!(stage.cached(), ["a/x@1"], "{order:?}");
        b.will_list(ListAnswer::page(9).object(&pod_in("b", "y", 8)));
        stage.informer.set_namespaces(["a", "b"]).unwrap();
        settle().await;
        assert_eq!(heard.view(), ["a/x@1", "b/y@8"], "it is tried anew: {order:?}");
        heard.makes_sense();
        stage.end().await;
    }
}
