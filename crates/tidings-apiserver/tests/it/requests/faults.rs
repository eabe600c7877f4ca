//! Fault injection: each fault happens to the selected requests, the given number of times, and is counted.

use std::time::Duration;

use http::Method;
use serde_json::Value;
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Ending, EventFault, Fault, Listen};
use tokio::time::Instant;

use crate::requests::http_calls::{StreamEnd, call, config_map, get, watch};
use crate::requests::transports::{client, open};

const MAPS: &str = "/api/v1/configmaps";
const STREAMING: &str = "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
                         &allowWatchBookmarks=true";

async fn with_maps(count: usize) -> ApiServer {
    let server = ApiServer::start().await;
    server.load("configmaps", count, |number| config_map("t", &format!("m{number}"), "1"));
    server
}

#[tokio::test]
async fn error_responses_are_sent_over_every_transport_as_often_as_injected() {
    let server = with_maps(1).await;
    let tls = open(&server, Listen::tls()).await;
    for client in [server.client(), client(&tls, ADMIN_TOKEN)] {
        for code in [429, 500, 502, 503, 504] {
            server.faults().inject(Fault::Status { code, retry_after_seconds: None }.times(2).on(Verb::List));
            for expected in [code, code, 200] {
                let answer = get(&client, MAPS).await;
                assert_eq!(answer.code, expected);
                assert!(!answer.headers.contains_key("retry-after"));
            }
        }
        server.faults().inject(Fault::Status { code: 429, retry_after_seconds: Some(7) }.once());
        let answer = get(&client, MAPS).await;
        assert_eq!((answer.code, answer.headers["retry-after"].to_str().unwrap()), (429, "7"));
        server.faults().inject(Fault::HtmlPage { code: 502 }.once());
        let page = get(&client, MAPS).await;
        assert_eq!((page.code, page.headers["content-type"].to_str().unwrap()), (502, "text/html"));
        server.faults().inject(Fault::GarbageBody.once());
        let garbage = get(&client, MAPS).await;
        assert!(garbage.code == 200 && serde_json::from_slice::<Value>(&garbage.body).is_err());
        server.faults().inject(Fault::Refused.once());
        call(Method::GET, MAPS).fails(&client).await;
    }
    let counts = server.faults().counts();
    assert_eq!(
        (counts["status"], counts["html-page"], counts["garbage-body"], counts["refused"]),
        (22, 2, 2, 2)
    );
}

#[tokio::test(start_paused = true)]
async fn faults_happen_only_to_the_selected_requests() {
    let server = with_maps(1).await;
    let client = server.client();
    let fault = Fault::Status { code: 503, retry_after_seconds: None };
    server.faults().inject(fault.clone().always().on(Verb::List).of("pods").after(1));
    assert_eq!(get(&client, MAPS).await.code, 200);
    assert_eq!(get(&client, "/api/v1/pods").await.code, 200);
    assert_eq!(get(&client, "/api/v1/pods").await.code, 503);
    assert_eq!(get(&client, "/api/v1/namespaces/t/pods/x").await.code, 404);
    server.faults().clear();
    assert_eq!(get(&client, "/api/v1/pods").await.code, 200);
    assert_eq!(server.faults().count("status"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_response_can_be_delayed_hang_or_end_early() {
    let server = with_maps(50).await;
    let client = server.client();
    server.faults().inject(Fault::Delay(Duration::from_secs(20)).once());
    let started = Instant::now();
    let whole = get(&client, MAPS).await;
    assert_eq!((whole.code, started.elapsed()), (200, Duration::from_secs(20)));
    for (ending, expected) in [(Ending::Broken, StreamEnd::Broken), (Ending::Clean, StreamEnd::Clean)] {
        server.faults().inject(Fault::CutBody { after_bytes: 1000, ending }.once());
        let mut cut = watch(&client, MAPS).await;
        assert_eq!(cut.frame().await, Err(expected));
        assert_eq!(cut.rest(), &whole.body[..1000]);
    }
    server.faults().inject(Fault::Hang.once());
    let hanging = tokio::time::timeout(Duration::from_secs(3600), get(&client, MAPS)).await;
    assert!(hanging.is_err());
}

#[tokio::test]
async fn a_stream_can_be_cut_after_events_within_a_frame_or_at_once_over_every_transport() {
    let server = with_maps(5).await;
    let tls = open(&server, Listen::tls()).await;
    let path = &format!("{MAPS}?watch=1");
    for client in [server.client(), client(&tls, ADMIN_TOKEN)] {
        for (ending, expected) in [(Ending::Broken, StreamEnd::Broken), (Ending::Clean, StreamEnd::Clean)] {
            server.faults().inject(Fault::CutStream { after_events: 2, ending }.once());
            let mut events = watch(&client, path).await;
            assert_eq!(events.types_and_names(2).await, ["ADDED m0", "ADDED m1"]);
            assert_eq!(events.frame().await, Err(expected));
        }
        server.faults().inject(Fault::CutMidFrame { after_events: 1 }.once());
        let mut events = watch(&client, path).await;
        assert_eq!(events.type_and_name().await, "ADDED m0");
        assert_eq!(events.frame().await, Err(StreamEnd::Broken));
        assert!(events.rest().starts_with(b"{\"type\":\"ADDED\""));
        let mut events = watch(&client, path).await;
        events.types_and_names(5).await;
        server.faults().cut_watches(Ending::Broken);
        assert_eq!(events.frame().await, Err(StreamEnd::Broken));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stalled_stream_stays_open_without_events() {
    let server = with_maps(2).await;
    server.faults().inject(Fault::StallStream { after_events: 1 }.once());
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&timeoutSeconds=60")).await;
    assert_eq!(events.type_and_name().await, "ADDED m0");
    let waiting = tokio::time::timeout(Duration::from_secs(3600), events.frame()).await;
    assert!(waiting.is_err());
    server.faults().cut_watches(Ending::Clean);
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
}

#[tokio::test(start_paused = true)]
async fn watches_that_are_stalled_send_no_change_until_they_are_cut() {
    let server = with_maps(1).await;
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1&timeoutSeconds=60")).await;
    assert_eq!(events.type_and_name().await, "ADDED m0");
    for _ in 0..2 {
        server.faults().cut_watches(Ending::Stalled);
        server.put("configmaps", config_map("t", "m0", "2"));
        let waiting = tokio::time::timeout(Duration::from_secs(3600), events.frame()).await;
        assert!(waiting.is_err());
    }
    server.faults().cut_watches(Ending::Broken);
    assert_eq!(events.frame().await, Err(StreamEnd::Broken));
}

#[tokio::test(start_paused = true)]
async fn streaming_lists_can_be_refused_fail_or_miss_their_marker() {
    let server = with_maps(1).await;
    let client = server.client();
    server.faults().inject(Fault::RefuseStreamingList.once());
    let refused = get(&client, STREAMING).await;
    assert_eq!(refused.code_and_reason(), (422, "Invalid".to_owned()));
    assert_eq!(refused.json()["details"]["causes"][0]["field"], "sendInitialEvents");
    server.faults().inject(Fault::FailStreamingList.once());
    let mut failed = watch(&client, STREAMING).await;
    let error = failed.event().await;
    assert_eq!((error["type"].as_str(), error["object"]["code"].as_u64()), (Some("ERROR"), Some(500)));
    assert_eq!(failed.frame().await, Err(StreamEnd::Clean));
    server.faults().inject(Fault::HideMarker.once());
    assert_eq!(get(&client, MAPS).await.code, 200);
    let mut unmarked = watch(&client, STREAMING).await;
    assert_eq!(unmarked.type_and_name().await, "ADDED m0");
    server.put("configmaps", config_map("t", "next", "1"));
    assert_eq!(unmarked.type_and_name().await, "ADDED next");
}

#[tokio::test(start_paused = true)]
async fn single_events_can_be_faulty_in_every_way() {
    let server = with_maps(3).await;
    let client = server.client();
    let path = &format!("{MAPS}?watch=1");
    for (fault, expected) in [
        (EventFault::Duplicate, vec!["ADDED m0", "ADDED m1", "ADDED m1", "ADDED m2"]),
        (EventFault::Stale, vec!["ADDED m0", "ADDED m1", "ADDED m0", "ADDED m2"]),
        (EventFault::UnknownType, vec!["ADDED m0", "ADDED m1", "SURPRISE m1", "ADDED m2"]),
        (EventFault::WithoutMetadata, vec!["ADDED m0", "ADDED -", "ADDED m2"]),
        (EventFault::Error { code: 500 }, vec!["ADDED m0", "ERROR -"]),
    ] {
        server.faults().inject(Fault::Event { after_events: 1, fault: fault.clone() }.once());
        let mut events = watch(&client, path).await;
        assert_eq!(events.types_and_names(expected.len()).await, expected, "{fault:?}");
    }
    server.faults().inject(Fault::Event { after_events: 0, fault: EventFault::WithoutVersion }.once());
    let event = watch(&client, path).await.event().await;
    assert!(
        event["object"]["metadata"]["name"] == "m0"
            && event["object"]["metadata"]["resourceVersion"].is_null()
    );
    server.faults().inject(Fault::Event { after_events: 0, fault: EventFault::WrongKind }.once());
    assert_eq!(watch(&client, path).await.event().await["object"]["kind"], "Surprise");
    server.faults().inject(Fault::Event { after_events: 0, fault: EventFault::Garbage }.once());
    let frame = watch(&client, path).await.frame().await.unwrap();
    assert!(serde_json::from_slice::<Value>(&frame).is_err());
    server.faults().inject(Fault::WrongKind.once());
    assert_eq!(get(&client, MAPS).await.json()["kind"], "SurpriseList");
    server.faults().inject(Fault::ExpireOnOpen.once());
    assert_eq!(get(&client, path).await.code_and_reason(), (410, "Expired".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn bytes_are_replaced_in_lists_and_watches_and_a_given_json_body_is_sent() {
    let server = with_maps(2).await;
    let client = server.client();
    let replaced = Fault::ReplacedBytes { from: b"\"m1\"".to_vec(), to: b"\"\xff\xfe\"".to_vec() };
    server.faults().inject(replaced.times(2));
    let has = |body: &[u8], part: &[u8]| body.windows(part.len()).any(|window| window == part);
    let list = get(&client, MAPS).await;
    assert!(has(&list.body, b"\"name\":\"\xff\xfe\"") && !has(&list.body, b"\"m1\""));
    let mut events = watch(&client, &format!("{MAPS}?watch=1")).await;
    assert!(has(&events.frame().await.unwrap(), b"\"m0\""));
    assert!(has(&events.frame().await.unwrap(), b"\"\xff\xfe\""));
    assert_eq!(server.faults().count("replaced-bytes"), 2);
    server.faults().inject(Fault::JsonBody(r#"{"items":null}"#).once());
    let answer = get(&client, MAPS).await;
    assert_eq!((answer.code, &*answer.body), (200, &br#"{"items":null}"#[..]));
}

#[tokio::test(start_paused = true)]
async fn each_event_of_a_slow_stream_is_delayed() {
    let server = with_maps(3).await;
    server.faults().inject(Fault::SlowStream(Duration::from_secs(5)).once());
    let started = Instant::now();
    let mut events = watch(&server.client(), &format!("{MAPS}?watch=1")).await;
    events.types_and_names(3).await;
    assert_eq!(started.elapsed(), Duration::from_secs(15));
}

#[tokio::test(start_paused = true)]
async fn random_faults_are_the_same_for_the_same_seed() {
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        let server = with_maps(1).await;
        let client = server.client();
        let faults = [500, 503].map(|code| Fault::Status { code, retry_after_seconds: None }.always());
        server.faults().plan(seed, 300, faults.into());
        let mut codes = Vec::new();
        for _ in 0..60 {
            codes.push(get(&client, MAPS).await.code);
        }
        let wrong = codes.iter().filter(|code| **code != 200).count();
        assert_eq!(server.faults().count("status"), wrong as u64);
        assert!((5..40).contains(&wrong), "{wrong}");
        runs.push(codes);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}
