//! How events, lists and bookmarks change the cache, and then reach the handlers.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::delta::QueueOrder;
use tidings_informer::indexer::Index;
use tidings_informer::reflector::ListMode;
use tidings_informer::{Handler, Notification};
use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject, Transform, Version};
use tidings_source::scripted::ListResponse;

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, config, pod, pod_of, pod_with, settle};

// holds: C6, C7, I8
#[tokio::test(start_paused = true)]
async fn an_unknown_object_is_added_a_known_one_updated_and_a_deleted_one_removed() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[]).await;
        let log = fixture.record();
        // The type of the event does not matter. The cache decides whether it is an addition or an update.
        feed.modified(&pod("a", 6));
        settle().await;
        feed.added(&pod("a", 7));
        settle().await;
        assert_eq!(fixture.cached(), ["a@7"]);
        feed.deleted(&pod("a", 8));
        settle().await;
        assert_eq!(log.lines(), ["add a@6", "update a@6->7", "delete a@8"], "{order:?}");
        assert!(fixture.cached().is_empty());
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: C8, C9, I8, I28, X14
#[tokio::test(start_paused = true)]
async fn during_every_call_about_a_list_the_cache_is_already_that_list() {
    for order in BOTH_ORDERS {
        let before = [pod("same", 1), pod("changed", 2), pod("gone", 3), pod("gone-too", 4)];
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &before).await;
        fixture.informer.add_index(Index::label("tier", "tier")).unwrap();
        settle().await;
        let (seen, lister) = (Arc::new(Mutex::new(Vec::new())), fixture.informer.lister());
        let look = {
            let seen = Arc::clone(&seen);
            move |what: String| {
                let mut keys: Vec<_> = lister.keys().iter().map(|key| key.name().to_owned()).collect();
                keys.sort();
                let web = lister.index_keys("tier", "web").unwrap().len();
                seen.lock().unwrap().push((what, keys.join(" "), web));
            }
        };
        let handler = Handler::from_fn(move |notification| match notification {
            Notification::Added { is_initial: true, .. } => {}
            Notification::Added { object, .. } => look(format!("add {}", object.name())),
            Notification::Updated { new, .. } => look(format!("update {}", new.name())),
            Notification::Deleted { object, is_final_state_unknown, .. } => {
                assert!(*is_final_state_unknown);
                look(format!("delete {}", object.name()));
            }
        });
        fixture.informer.add_handler(handler).unwrap();
        settle().await;
        let web = json!({"metadata": {"labels": {"tier": "web"}}});
        let listed = [
            pod("same", 1),
            pod_with("new", 8, web.clone()),
            pod_with("changed", 7, web.clone()),
            pod_with("newer", 9, web),
        ];
        let _feed = fixture.relist(feed, 9, &listed).await;
        let seen = seen.lock().unwrap().clone();
        let mut received: Vec<_> = seen.iter().map(|(what, ..)| what.as_str()).collect();
        if order == QueueOrder::InOrder {
            // Deletions are first, in any order.
            assert!(received[..2].iter().all(|what| what.starts_with("delete")), "{received:?}");
            assert_eq!(received[2..], ["add new", "update changed", "add newer"], "as in the list");
        }
        received.sort_unstable();
        assert_eq!(
            received,
            ["add new", "add newer", "delete gone", "delete gone-too", "update changed"],
            "{order:?}"
        );
        for (what, cached, web) in &seen {
            assert_eq!((cached.as_str(), *web), ("changed new newer same", 3), "{order:?}: {what}");
        }
        fixture.end().await;
    }
}

// holds: C14
#[tokio::test(start_paused = true)]
async fn only_objects_of_the_first_list_are_initial() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let log = fixture.record();
        let feed = fixture.script(5, &[pod("a", 1)]);
        fixture.start();
        fixture.synced().await;
        feed.added(&pod("b", 6));
        settle().await;
        let _feed = fixture.relist(feed, 8, &[pod("a", 1), pod("b", 6), pod("c", 7)]).await;
        assert_eq!(log.lines(), ["initial a@1", "add b@6", "add c@7"], "{order:?}");
        fixture.end().await;
    }
}

// holds: C2, C11
#[tokio::test(start_paused = true)]
async fn a_bookmark_moves_the_version_and_notifies_no_handler() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        assert_eq!(fixture.informer.lister().version(), None, "no list was applied yet");
        let log = fixture.record();
        let feed = fixture.script(5, &[pod("a", 1)]);
        fixture.start();
        fixture.synced().await;
        assert_eq!(fixture.informer.lister().version(), Some(Version::from(5)));
        feed.bookmark(9);
        settle().await;
        assert_eq!(fixture.informer.lister().version(), Some(Version::from(9)));
        feed.modified(&pod("a", 12));
        settle().await;
        assert_eq!(fixture.informer.lister().version(), Some(Version::from(12)));
        assert_eq!(log.lines(), ["initial a@1", "update a@1->12"], "{order:?}");
        assert_eq!(fixture.informer.stats().requests.bookmarks, 1);
        fixture.end().await;
    }
}

// holds: C12
#[tokio::test(start_paused = true)]
async fn a_batch_is_readable_as_a_whole_before_any_of_it_is_delivered() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[]).await;
        let (seen, lister) = (Arc::new(Mutex::new(Vec::new())), fixture.informer.lister());
        let sizes = Arc::clone(&seen);
        let handler = Handler::new()
            .on_add(move |pod, _| sizes.lock().unwrap().push((pod.name().to_owned(), lister.len())));
        fixture.informer.add_handler(handler).unwrap();
        settle().await;
        let names: Vec<_> = (0..100).map(|n| format!("pod-{n}")).collect();
        for (name, version) in names.iter().zip(6..) {
            feed.added(&pod(name, version));
        }
        settle().await;
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen.iter().map(|(name, _)| name).collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
        // The scheduler decides the size of a batch. The cache contains what the handler received, and may contain
        // more.
        for (received, (name, cached)) in (1..).zip(&seen) {
            assert!(*cached >= received, "{name} was delivered with {cached} cached");
        }
        assert!(seen.iter().zip(1..).any(|((_, cached), received)| *cached > received), "no batch had two");
        fixture.end().await;
    }
}

// holds: C15
#[tokio::test(start_paused = true)]
async fn fields_that_a_transform_removed_are_never_visible() {
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()))
        .with_transform(Transform::json(|pod| pod["spec"]["nodeName"] = json!("hidden")));
    let taken_in = |name: &str, version: u64| -> Arc<RawObject> {
        let whole = json!({
            "metadata": {"namespace": "default", "name": name, "uid": name, "resourceVersion": version.to_string()},
            "spec": {"nodeName": "node-1"},
        });
        intake.json(whole.to_string().as_bytes(), &NothingKnown).unwrap()
    };
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        fixture.informer.add_index(Index::field("node", ".spec.nodeName")).unwrap();
        let nodes = Arc::new(Mutex::new(Vec::new()));
        let (added, updated) = (Arc::clone(&nodes), Arc::clone(&nodes));
        let node = |pod: &RawObject| pod.field(".spec.nodeName").unwrap().text().unwrap().to_string();
        let handler = Handler::new()
            .on_add(move |pod, _| added.lock().unwrap().push(node(pod.raw())))
            .on_update(move |old, new| updated.lock().unwrap().extend([node(old.raw()), node(new.raw())]));
        fixture.informer.add_handler(handler).unwrap();
        let feed = fixture.script(5, &[taken_in("a", 1)]);
        fixture.start();
        fixture.synced().await;
        feed.modified(&taken_in("a", 6));
        settle().await;
        assert_eq!(*nodes.lock().unwrap(), ["hidden"; 3]);
        assert_eq!(fixture.informer.lister().index_values("node").unwrap(), ["hidden"]);
        fixture.end().await;
    }
}

// holds: X10, Q15
#[tokio::test(start_paused = true)]
async fn a_deletion_of_an_unknown_object_notifies_no_handler() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1)]).await;
        let log = fixture.record();
        feed.deleted(&pod("never", 6));
        settle().await;
        feed.deleted(&pod("a", 7));
        settle().await;
        feed.deleted(&pod("a", 7));
        settle().await;
        assert_eq!(log.lines(), ["initial a@1", "delete a@7"], "{order:?}");
        // The per-object queue has dropped them before.
        let expected = if order == QueueOrder::InOrder { 2 } else { 0 };
        assert_eq!(fixture.informer.stats().applied.unknown_deletions, expected);
        fixture.end().await;
    }
}

// holds: X25
#[tokio::test(start_paused = true)]
async fn replays_and_duplicates_are_counted_and_notify_no_handler() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 3)]).await;
        let log = fixture.record();
        settle().await;
        for stale in [pod("a", 3), pod("a", 2)] {
            feed.added(&stale);
            feed.modified(&stale);
            settle().await;
        }
        feed.deleted(&pod("a", 2));
        settle().await;
        feed.modified(&pod("a", 9));
        // Versions compare as numbers: 10 is newer than 9.
        feed.modified(&pod("a", 10));
        feed.modified(&pod("a", 9));
        settle().await;
        assert_eq!(log.lines(), ["initial a@3", "update a@3->9", "update a@9->10"], "{order:?}");
        assert_eq!(fixture.informer.stats().applied.stale, 6, "{order:?}");
        assert_eq!(fixture.cached(), ["a@10"]);
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: X14, I25, I26
#[tokio::test(start_paused = true)]
async fn a_relist_notifies_only_of_changes_and_another_body_under_the_same_version_is_a_change() {
    for order in BOTH_ORDERS {
        let (fixture, feed) =
            InformerFixture::watching(config(order), 5, &[pod("same", 1), pod("restored", 2)]).await;
        let log = fixture.record();
        settle().await;
        log.take();
        let restored = pod_with("restored", 2, json!({"spec": {"nodeName": "n"}}));
        let _feed = fixture.relist(feed, 8, &[pod("same", 1), restored]).await;
        assert_eq!(log.lines(), ["update restored@2->2"], "{order:?}");
        let applied = fixture.informer.stats().applied;
        assert_eq!(applied.changed_in_place, 1, "{order:?}");
        fixture.end().await;
    }
}

// holds: X15, I27, I28
#[tokio::test(start_paused = true)]
async fn an_object_recreated_during_a_gap_is_a_deletion_and_an_addition_and_without_uids_an_update() {
    for order in BOTH_ORDERS {
        let first = [pod_of("one", "a", 3), pod_of("", "b", 3), pod_of("one", "c", 4)];
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &first).await;
        let log = fixture.record();
        settle().await;
        log.take();
        let second = [pod_of("two", "a", 7), pod_of("", "b", 8), pod_of("one", "c", 4)];
        let feed = fixture.relist(feed, 9, &second).await;
        let mut received = log.take();
        assert!(
            received.iter().position(|line| line == "lose a@3")
                < received.iter().position(|line| line == "add a@7")
        );
        received.sort();
        assert_eq!(received, ["add a@7", "lose a@3", "update b@3->8"], "{order:?}");
        // Also on a watch, when the deletion was missed.
        feed.added(&pod_of("two", "c", 10));
        settle().await;
        assert_eq!(log.take(), ["lose c@4", "add c@10"], "{order:?}");
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: X15, I28
#[tokio::test(start_paused = true)]
async fn the_deletion_of_another_object_of_the_same_name_deletes_the_known_one() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod_of("one", "a", 3)]).await;
        let log = fixture.record();
        feed.deleted(&pod_of("two", "a", 8));
        settle().await;
        assert_eq!(log.lines(), ["initial a@3", "lose a@3"], "{order:?}");
        assert!(fixture.cached().is_empty());
        log.assert_consistent();
        fixture.end().await;
    }
}

// holds: I28
#[tokio::test(start_paused = true)]
async fn a_deletion_carries_the_final_state_or_says_that_it_is_unknown() {
    for order in BOTH_ORDERS {
        let (fixture, feed) =
            InformerFixture::watching(config(order), 5, &[pod("watched", 1), pod("missed", 2)]).await;
        let log = fixture.record();
        feed.deleted(&pod("watched", 6));
        settle().await;
        fixture.source.will_list(ListResponse::page(9));
        feed.error(410, "Expired");
        drop(feed);
        tokio::time::sleep(crate::informer::fixture::seconds(10)).await;
        assert_eq!(log.take()[2..], ["delete watched@6", "lose missed@2"], "{order:?}");
        fixture.end().await;
    }
}

// holds: C14, I14
#[tokio::test(start_paused = true)]
async fn a_streaming_list_is_initial_too_and_applied_as_a_whole() {
    for order in BOTH_ORDERS {
        let mut config = config(order);
        config.reflector = config.reflector.list_mode(ListMode::Streaming);
        let mut fixture = InformerFixture::with(config);
        let log = fixture.record();
        let feed = fixture.source.will_watch_live();
        fixture.start();
        feed.added(&pod("a", 1));
        feed.added(&pod("gone", 2));
        feed.modified(&pod("a", 3));
        feed.deleted(&pod("gone", 4));
        settle().await;
        assert!(log.lines().is_empty() && fixture.cached().is_empty() && !fixture.informer.is_synced());
        feed.initial_events_end(5);
        fixture.synced().await;
        feed.added(&pod("b", 6));
        settle().await;
        assert_eq!(log.lines(), ["initial a@3", "add b@6"], "{order:?}");
        fixture.end().await;
    }
}

// holds: X17
#[tokio::test(start_paused = true)]
async fn a_snapshot_never_changes_and_never_delays_the_writer() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let log = fixture.record();
    let snapshot = fixture.informer.lister().snapshot();
    feed.modified(&pod("a", 6));
    feed.added(&pod("b", 7));
    settle().await;
    assert_eq!(log.lines().len(), 3);
    assert_eq!(fixture.cached(), ["a@6", "b@7"]);
    let versions: Vec<_> = snapshot.iter().map(|pod| pod.version().number()).collect();
    assert_eq!((versions, snapshot.version()), (vec![Some(1)], Some(Version::from(5))));
    fixture.end().await;
}
