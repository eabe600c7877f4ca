//! GET and LIST: versions, pages, tokens, selectors, representations.

use std::collections::BTreeSet;
use std::time::Duration;

use http::Method;
use proptest::prelude::*;
use serde_json::Value;
use tidings_apiserver::WatchCache;
use tidings_apiserver::{ApiServer, Listen};

use crate::requests::http_calls::{call, config_map, get, pod};
use crate::requests::transports::{client, open};

const MAPS: &str = "/api/v1/namespaces/t/configmaps";

async fn with_maps(count: usize) -> ApiServer {
    let server = ApiServer::start().await;
    server.load("configmaps", count, |number| config_map("t", &format!("c{number:03}"), "1"));
    server
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

fn token(list: &Value) -> &str {
    list["metadata"]["continue"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn all_pages_have_one_version_over_every_transport() {
    let server = with_maps(5).await;
    let tls = open(&server, Listen::tls()).await;
    for client in [server.client(), client(&tls, tidings_apiserver::ADMIN_TOKEN)] {
        let first = get(&client, &format!("{MAPS}?limit=2")).await.json();
        assert_eq!(names(&first), ["c000", "c001"]);
        assert_eq!(first["metadata"]["remainingItemCount"], 3);
        server.put("configmaps", config_map("t", "c0005", "late"));
        server.remove("configmaps", "t/c003");
        let second = get(&client, &format!("{MAPS}?limit=2&continue={}", token(&first))).await.json();
        assert_eq!(names(&second), ["c002", "c003"]);
        assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
        let third = get(&client, &format!("{MAPS}?limit=2&continue={}", token(&second))).await.json();
        assert_eq!(names(&third), ["c004"]);
        assert_eq!((token(&third), &third["metadata"]["remainingItemCount"]), ("", &Value::Null));
        server.remove("configmaps", "t/c0005");
        server.put("configmaps", config_map("t", "c003", "1"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_expired_token_offers_one_that_continues_at_the_newest_version() {
    let server = with_maps(4).await;
    let client = server.client();
    let first = get(&client, &format!("{MAPS}?limit=2")).await.json();
    server.put("configmaps", config_map("t", "c999", "1"));
    server.expire_history();
    let expired = get(&client, &format!("{MAPS}?limit=2&continue={}", token(&first))).await;
    assert_eq!(expired.code_and_reason(), (410, "Expired".to_owned()));
    let fresh = expired.json();
    let fresh = token(&fresh);
    assert!(!fresh.is_empty());
    let rest = get(&client, &format!("{MAPS}?continue={fresh}")).await.json();
    assert_eq!(names(&rest), ["c002", "c003", "c999"]);
    assert_eq!(rest["metadata"]["resourceVersion"], server.version().to_string());
}

#[tokio::test(start_paused = true)]
async fn a_limit_at_version_0_is_ignored_unless_there_is_no_watch_cache() {
    for (cache, expected) in [(WatchCache::On, 4), (WatchCache::Off, 2)] {
        let server = ApiServer::builder().watch_cache(cache).start().await;
        server.load("configmaps", 4, |number| config_map("t", &format!("c{number}"), "1"));
        let list = get(&server.client(), &format!("{MAPS}?limit=2&resourceVersion=0")).await.json();
        assert_eq!(names(&list).len(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_exact_version_reads_as_it_was_and_an_expired_one_is_a_410() {
    let server = with_maps(1).await;
    let client = server.client();
    let then = server.version();
    server.put("configmaps", config_map("t", "later", "1"));
    let exact = format!("{MAPS}?resourceVersion={then}&resourceVersionMatch=Exact");
    let list = get(&client, &exact).await.json();
    assert_eq!(
        (names(&list), &list["metadata"]["resourceVersion"]),
        (vec!["c000".to_owned()], &then.to_string().into())
    );
    let not_older = get(&client, &format!("{MAPS}?resourceVersion={then}")).await.json();
    assert_eq!(names(&not_older).len(), 2);
    server.expire_history();
    assert_eq!(get(&client, &exact).await.code_and_reason(), (410, "Expired".to_owned()));
    let limited = format!("{MAPS}?resourceVersion={then}&limit=1");
    assert_eq!(get(&client, &limited).await.code_and_reason(), (410, "Expired".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_list_waits_for_a_future_version_and_then_fails_as_too_large() {
    let server = with_maps(1).await;
    let client = server.client();
    let started = tokio::time::Instant::now();
    for path in [format!("{MAPS}?resourceVersion=999"), format!("{MAPS}/c000?resourceVersion=999")] {
        let answer = get(&client, &path).await;
        assert_eq!(answer.code_and_reason(), (504, "Timeout".to_owned()));
        let details = &answer.json()["details"];
        assert_eq!(details["causes"][0]["reason"], "ResourceVersionTooLarge");
        assert_eq!(details["retryAfterSeconds"], 1);
    }
    assert_eq!(started.elapsed(), Duration::from_secs(6));
    let next = server.version() + 1;
    let path = format!("{MAPS}?resourceVersion={next}");
    let (answer, _) = tokio::join!(get(&client, &path), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        server.put("configmaps", config_map("t", "soon", "1"));
    });
    assert_eq!(names(&answer.json()), ["c000", "soon"]);
}

#[tokio::test(start_paused = true)]
async fn selectors_filter_and_omit_the_remaining_count() {
    let server = ApiServer::start().await;
    for number in 0..6 {
        let mut pod = pod("t", &format!("p{number}"));
        pod["metadata"]["labels"]["parity"] = ["even", "odd"][number % 2].into();
        pod["spec"]["nodeName"] = format!("n{}", number % 3).into();
        server.put("pods", pod);
    }
    let client = server.client();
    let base = "/api/v1/pods";
    for (query, expected) in [
        ("labelSelector=parity%3Dodd", vec!["p1", "p3", "p5"]),
        ("fieldSelector=spec.nodeName%3Dn0", vec!["p0", "p3"]),
        ("labelSelector=parity+in+(even)&fieldSelector=spec.nodeName%3Dn0", vec!["p0"]),
        ("fieldSelector=metadata.name%3Dp4,metadata.namespace%3Dt", vec!["p4"]),
        ("fieldSelector=metadata.namespace%3Dother", vec![]),
    ] {
        assert_eq!(names(&get(&client, &format!("{base}?{query}")).await.json()), expected, "{query}");
    }
    let page = get(&client, &format!("{base}?labelSelector=parity%3Dodd&limit=2")).await.json();
    assert_eq!(names(&page), ["p1", "p3"]);
    assert!(page["metadata"]["remainingItemCount"].is_null());
    let rest = format!("{base}?labelSelector=parity%3Dodd&limit=2&continue={}", token(&page));
    assert_eq!(names(&get(&client, &rest).await.json()), ["p5"]);
}

#[tokio::test(start_paused = true)]
async fn list_items_of_built_in_kinds_have_no_kind_and_single_objects_have_one() {
    let server = with_maps(1).await;
    let client = server.client();
    let list = get(&client, MAPS).await;
    let text = std::str::from_utf8(&list.body).unwrap();
    assert!(
        text.starts_with(r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":""#),
        "{text}"
    );
    assert!(list.json()["items"][0]["kind"].is_null());
    let one = get(&client, &format!("{MAPS}/c000")).await;
    assert!(one.body.starts_with(br#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c000""#));
}

#[tokio::test(start_paused = true)]
async fn metadata_and_tables_are_sent_if_the_client_accepts_them() {
    let server = with_maps(2).await;
    let client = server.client();
    let accept = |kind: &str| format!("application/json;as={kind};g=meta.k8s.io;v=v1");
    let partial = accept("PartialObjectMetadataList");
    let list = call(Method::GET, MAPS).header("accept", &partial).send(&client).await.json();
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    assert_eq!(list["items"][1]["kind"], "PartialObjectMetadata");
    assert_eq!(list["items"][1]["metadata"]["name"], "c001");
    assert!(list["items"][1]["data"].is_null());
    // As in Kubernetes, where only lists of metadata are so.
    let none = "/api/v1/namespaces/t/secrets";
    let list = call(Method::GET, none).header("accept", &partial).send(&client).await.json();
    assert_eq!(list.get("items"), Some(&Value::Null), "{list}");
    assert_eq!(get(&client, none).await.json()["items"], Value::Array(Vec::new()));
    let table = call(Method::GET, MAPS).header("accept", &accept("Table")).send(&client).await.json();
    assert_eq!((table["kind"].as_str(), table["rows"].as_array().map(Vec::len)), (Some("Table"), Some(2)));
    assert_eq!(table["rows"][0]["cells"][0], "c000");
    let one = format!("{MAPS}/c001");
    let table = call(Method::GET, &one).header("accept", &accept("Table")).send(&client).await.json();
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    let cbor = call(Method::GET, MAPS).header("accept", "application/cbor");
    assert_eq!(cbor.send(&client).await.code_and_reason(), (406, "NotAcceptable".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever changes between the pages, all pages together are the list at the version of the first page.
    #[test]
    fn pages_together_are_one_consistent_list(
        count in 0usize..30,
        limit in 1usize..8,
        writes in prop::collection::vec((any::<bool>(), 0usize..40), 0..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let server = with_maps(count).await;
            let client = server.client();
            let expected: BTreeSet<_> = (0..count).map(|number| format!("c{number:03}")).collect();
            let mut writes = writes.into_iter();
            let mut read = Vec::new();
            let mut next = String::new();
            loop {
                let page = get(&client, &format!("{MAPS}?limit={limit}&continue={next}")).await.json();
                read.extend(names(&page));
                next = token(&page).to_owned();
                let remaining = page["metadata"]["remainingItemCount"].as_u64().unwrap_or(0);
                assert_eq!(remaining as usize, count - read.len());
                if next.is_empty() {
                    break;
                }
                for (is_put, number) in writes.by_ref().take(5) {
                    let name = format!("c{number:03}");
                    if is_put {
                        server.put("configmaps", config_map("t", &name, "changed"));
                    } else {
                        server.remove("configmaps", &format!("t/{name}"));
                    }
                }
            }
            assert_eq!(read, expected.into_iter().collect::<Vec<_>>());
        });
    }
}
