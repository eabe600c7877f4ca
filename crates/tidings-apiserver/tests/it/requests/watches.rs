//! WATCH: where it starts, which events it sends, when it ends.

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::json;
use tidings_apiserver::HistoryLimits;
use tidings_apiserver::{ApiServer, Listen};
use tokio::time::Instant;

use crate::requests::http_calls::{StreamEnd, config_map, get, pod, watch};
use crate::requests::transports::{client, open};

const MAPS: &str = "/api/v1/configmaps";

#[tokio::test(start_paused = true)]
async fn a_watch_without_a_version_starts_with_all_objects() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("a", "one", "1"));
    for (query, marks) in
        [("", 0), ("&resourceVersion=0", 0), ("&resourceVersion=0&allowWatchBookmarks=true", 1)]
    {
        let mut events = watch(&server.client(), &format!("{MAPS}?watch=1{query}")).await;
        assert_eq!(events.type_and_name().await, "ADDED one", "{query}");
        for _ in 0..marks {
            let marker = events.event().await;
            assert_eq!(marker["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
        }
        server.put("configmaps", config_map("a", "two", "1"));
        assert_eq!(events.type_and_name().await, "ADDED two", "{query}");
        server.remove("configmaps", "a/two");
    }
}

#[tokio::test]
async fn a_watch_continues_after_its_version_over_every_transport() {
    let server = ApiServer::start().await;
    let tls = open(&server, Listen::tls()).await;
    for client in [server.client(), client(&tls, tidings_apiserver::ADMIN_TOKEN)] {
        let from = server.put("configmaps", config_map("a", "one", "1"));
        server.put("configmaps", config_map("a", "one", "2"));
        server.put("configmaps", config_map("b", "other", "1"));
        let path = format!("/api/v1/namespaces/a/configmaps?watch=1&resourceVersion={from}");
        let mut events = watch(&client, &path).await;
        let event = events.event().await;
        assert_eq!((&event["type"], &event["object"]["data"]["value"]), (&json!("MODIFIED"), &json!("2")));
        assert_eq!(event["object"]["kind"], "ConfigMap");
        server.remove("configmaps", "a/one");
        let gone = events.event().await;
        assert_eq!(gone["type"], "DELETED");
        assert_eq!(gone["object"]["metadata"]["resourceVersion"], server.version().to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn entering_a_selection_is_an_added_event_and_leaving_it_a_deleted_event_with_the_old_state() {
    let server = ApiServer::start().await;
    let from = server.put("configmaps", config_map("a", "m", "out"));
    let path = format!("{MAPS}?watch=1&resourceVersion={from}&labelSelector=value%3Din");
    let mut events = watch(&server.client(), &path).await;
    server.put("configmaps", config_map("a", "m", "in"));
    assert_eq!(events.type_and_name().await, "ADDED m");
    let mut inside = config_map("a", "m", "in");
    inside["data"]["more"] = json!("x");
    server.put("configmaps", inside);
    assert_eq!(events.type_and_name().await, "MODIFIED m");
    let left = server.put("configmaps", config_map("a", "m", "out"));
    let gone = events.event().await;
    assert_eq!(gone["type"], "DELETED");
    assert_eq!(gone["object"]["metadata"]["labels"]["value"], "in");
    assert_eq!(gone["object"]["data"]["more"], "x");
    assert_eq!(gone["object"]["metadata"]["resourceVersion"], left.to_string());
    server.remove("configmaps", "a/m");
    server.put("configmaps", config_map("a", "n", "in"));
    assert_eq!(events.type_and_name().await, "ADDED n");
}

#[tokio::test(start_paused = true)]
async fn field_selectors_follow_changes_of_body_fields() {
    let server = ApiServer::start().await;
    let path = "/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1";
    let mut events = watch(&server.client(), path).await;
    let mut pod = pod("a", "p");
    server.put("pods", pod.clone());
    pod["spec"]["nodeName"] = json!("n1");
    server.put("pods", pod.clone());
    assert_eq!(events.type_and_name().await, "ADDED p");
    pod["spec"]["nodeName"] = json!("n2");
    server.put("pods", pod);
    assert_eq!(events.type_and_name().await, "DELETED p");
}

#[tokio::test(start_paused = true)]
async fn a_version_older_than_the_history_is_an_error_event_in_the_stream() {
    let server = ApiServer::start().await;
    let from = server.put("configmaps", config_map("a", "m", "1"));
    server.expire_history();
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    let error = events.event().await;
    assert_eq!(error["type"], "ERROR");
    assert_eq!((&error["object"]["code"], &error["object"]["reason"]), (&json!(410), &json!("Expired")));
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
}

#[tokio::test(start_paused = true)]
async fn an_idle_watch_survives_a_compaction() {
    let server = ApiServer::start().await;
    let from = server.put("configmaps", config_map("a", "m", "1"));
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    server.put("configmaps", config_map("a", "m", "2"));
    assert_eq!(events.type_and_name().await, "MODIFIED m");
    for value in 3..6 {
        server.expire_history();
        server.put("configmaps", config_map("a", "m", &value.to_string()));
        assert_eq!(events.type_and_name().await, "MODIFIED m");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_reads_too_slowly_is_ended() {
    let few = HistoryLimits::default().changes_max(10);
    let server = ApiServer::builder().history(few).start().await;
    let from = server.put("configmaps", config_map("a", "m", "0"));
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    server.put("configmaps", config_map("a", "m", "1"));
    assert_eq!(events.type_and_name().await, "MODIFIED m");
    for value in 0..1000 {
        server.put("configmaps", config_map("a", "m", &value.to_string()));
    }
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_at_its_timeout() {
    let server = ApiServer::start().await;
    let started = Instant::now();
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&timeoutSeconds=30")).await;
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
    assert_eq!(started.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_busy_watch_ends_at_its_timeout_and_can_be_cut() {
    let server = ApiServer::start().await;
    let client = server.client();
    for (query, end) in [("&timeoutSeconds=10", StreamEnd::Clean), ("", StreamEnd::Broken)] {
        let from = server.put("configmaps", config_map("a", "m", "0"));
        let started = Instant::now();
        let mut events = watch(&client, &format!("{MAPS}?watch=1&resourceVersion={from}{query}")).await;
        let mut seen = 0;
        let ended = loop {
            // There is always one more event to send.
            server.put("configmaps", config_map("a", "m", &seen.to_string()));
            server.put("configmaps", config_map("a", "m", "again"));
            if let Err(end) = events.frame().await {
                break end;
            }
            if let Err(end) = events.frame().await {
                break end;
            }
            seen += 1;
            tokio::time::advance(Duration::from_secs(1)).await;
            if end == StreamEnd::Broken && seen == 15 {
                server.faults().cut_watches(tidings_apiserver::Ending::Broken);
            }
        };
        assert_eq!(ended, end);
        assert!((10..=16).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn bookmarks_are_sent_at_the_interval_and_before_the_end_only_for_newer_versions() {
    let server = ApiServer::builder().bookmark_interval(Duration::from_secs(10)).start().await;
    let from = server.version();
    let started = Instant::now();
    let path = format!("{MAPS}?watch=1&resourceVersion={from}&allowWatchBookmarks=true&timeoutSeconds=45");
    let mut events = watch(&server.client(), &path).await;
    server.skip_version();
    let newest = server.version();
    assert_eq!(events.event().await["object"]["metadata"]["resourceVersion"], newest.to_string());
    assert_eq!(started.elapsed().as_secs(), 10);
    // No newer version: no bookmark at 20, 30 and 40 seconds. A newer version just after 40: a bookmark at 43, two
    // seconds before the end.
    tokio::time::sleep(Duration::from_secs(31)).await;
    let waiting = tokio::time::timeout(Duration::from_millis(1), events.frame()).await;
    assert!(waiting.is_err());
    server.skip_version();
    let last = events.event().await;
    assert_eq!((started.elapsed().as_secs(), last["type"].as_str()), (43, Some("BOOKMARK")));
    assert_eq!(last["object"]["metadata"]["resourceVersion"], (newest + 1).to_string());
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
    assert_eq!(started.elapsed().as_secs(), 45);
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_a_future_version_is_silent_until_that_version_is_assigned() {
    let server = ApiServer::start().await;
    let future = server.version() + 2;
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={future}")).await;
    server.put("configmaps", config_map("a", "one", "1"));
    server.put("configmaps", config_map("a", "two", "1"));
    server.put("configmaps", config_map("a", "three", "1"));
    assert_eq!(events.type_and_name().await, "ADDED three");
}

#[tokio::test(start_paused = true)]
async fn a_restore_ends_watches_and_assigns_versions_again() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("a", "kept", "1"));
    let saved = server.save();
    let mut events =
        watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={}", saved.version())).await;
    let lost = server.put("configmaps", config_map("a", "lost", "1"));
    assert_eq!(events.type_and_name().await, "ADDED lost");
    server.restore(&saved);
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
    assert_eq!(server.put("configmaps", config_map("a", "other", "1")), lost);
    let list = get(&server.client(), MAPS).await.json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_one_object_by_its_path_receives_only_its_events() {
    let server = ApiServer::start().await;
    let mut events = watch(&server.client(), "/api/v1/watch/namespaces/a/configmaps/m").await;
    server.put("configmaps", config_map("a", "other", "1"));
    server.put("configmaps", config_map("a", "m", "1"));
    assert_eq!(events.type_and_name().await, "ADDED m");
    let mut old_path = watch(&server.client(), "/api/v1/watch/namespaces/a/configmaps").await;
    assert_eq!(old_path.types_and_names(2).await, ["ADDED m", "ADDED other"]);
}

#[tokio::test(start_paused = true)]
async fn watches_of_metadata_and_of_tables_send_their_representation() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("a", "m", "1"));
    for (kind, expected) in [("PartialObjectMetadata", "PartialObjectMetadata"), ("Table", "Table")] {
        let accept = format!("application/json;as={kind};g=meta.k8s.io;v=v1");
        let call = crate::requests::http_calls::call(http::Method::GET, &format!("{MAPS}?watch=1"))
            .header("accept", &accept);
        let mut events = crate::requests::http_calls::WatchEvents::of(call.open(&server.client()).await);
        let event = events.event().await;
        assert_eq!((&event["type"], &event["object"]["kind"]), (&json!("ADDED"), &json!(expected)));
        assert!(event["object"]["data"].is_null());
    }
}

#[tokio::test(start_paused = true)]
async fn silent_changes_are_in_lists_and_not_in_watches() {
    let server = ApiServer::start().await;
    let from = server.version();
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    server.put_silently("configmaps", config_map("a", "hidden", "1"));
    server.put("configmaps", config_map("a", "visible", "1"));
    assert_eq!(events.type_and_name().await, "ADDED visible");
    assert_eq!(server.list_versions("configmaps").len(), 2);
}

/// Makes one change per interval. Returns how many events arrive after each change.
async fn events_after_each(changes: usize, every: Duration) -> Vec<usize> {
    let server = ApiServer::start().await;
    let mut events =
        watch(&server.client(), &format!("{MAPS}?watch=1&resourceVersion={}", server.version())).await;
    let mut received = 0;
    let mut after_each = Vec::new();
    for change in 0..changes {
        tokio::time::advance(every).await;
        server.put("configmaps", config_map("a", &format!("map-{change}"), "1"));
        let before = received;
        while let Some(event) = events.type_and_name().now_or_never() {
            assert_eq!(event, format!("ADDED map-{received}"));
            received += 1;
        }
        after_each.push(received - before);
    }
    events.types_and_names(changes - received).await;
    after_each
}

#[tokio::test(start_paused = true)]
async fn events_are_sent_at_once_and_under_load_in_batches_once_per_millisecond() {
    assert_eq!(events_after_each(20, Duration::from_micros(150)).await, [1; 20]);
    let received = events_after_each(40, Duration::from_micros(100)).await;
    assert_eq!(received[..8], [1; 8]);
    let batches: Vec<usize> = received[8..].iter().copied().filter(|events| *events > 0).collect();
    assert!(!batches.is_empty() && batches.iter().all(|events| (10..=20).contains(events)), "{received:?}");
}

#[tokio::test(start_paused = true)]
async fn every_change_is_sent_at_once_while_the_clock_is_paused() {
    assert_eq!(events_after_each(100, Duration::ZERO).await, [1; 100]);
}
