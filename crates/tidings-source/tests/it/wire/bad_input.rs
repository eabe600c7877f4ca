//! Error responses, malformed bytes, and servers that hang.

use std::io;
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use serde_json::{Value, json};
use tidings_object::{Kind as _, Version, Wire};
use tidings_source::{
    ErrorClass, ErrorKind, KubeSource, ListOptions, ListPart, ListWatch as _, SourceError, WatchEvent,
    WatchOptions,
};
use tokio::time::Instant;

use crate::wire::body::{self, WIRES, envelope, field, framed};
use crate::wire::server::{Answer, Server};

/// The error of a list at version 5.
async fn list_error(answer: Answer) -> SourceError {
    list_error_of(&Server::answering([answer]).pods()).await
}

async fn list_error_of(source: &KubeSource) -> SourceError {
    let options = ListOptions { version: Some(Version::from(5)), ..ListOptions::default() };
    match source.list(options).await {
        Err(error) => error,
        Ok(page) => {
            let parts: Vec<_> = page.collect().await;
            parts.into_iter().find_map(Result::err).expect("an error")
        }
    }
}

/// The error of a watch.
async fn watch_error(answer: Answer) -> SourceError {
    let options = WatchOptions { version: Some(Version::from(5)), ..WatchOptions::default() };
    match Server::answering([answer]).pods().watch(options).await {
        Err(error) => error,
        Ok(events) => {
            let events: Vec<_> = events.collect().await;
            events.into_iter().find_map(Result::err).expect("an error")
        }
    }
}

fn status(wire: Wire, code: u16, reason: &str, message: &str) -> Answer {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "metadata": {},
        "code": code, "reason": reason, "message": message,
    });
    Answer::new(code).on(wire).chunk(body::object(wire, &status))
}

// holds: R22, R23, X7
#[tokio::test]
async fn every_error_response_has_its_class() {
    use ErrorClass::*;
    for (code, reason, message, class) in [
        (400, "BadRequest", "unknown field", Server),
        (400, "BadRequest", "sendInitialEvents is forbidden for watch", StreamingListRefused),
        (422, "Invalid", "resourceVersionMatch: Forbidden", StreamingListRefused),
        (422, "Invalid", "metadata.name", Server),
        (401, "Unauthorized", "", Unauthorized),
        (403, "Forbidden", "pods is forbidden", Forbidden),
        (404, "NotFound", "the server could not find the requested resource", NotFound),
        (410, "Expired", "too old resource version", Expired),
        (410, "Gone", "", Expired),
        (429, "TooManyRequests", "", TooManyRequests),
        (500, "InternalError", "", Internal),
        (500, "Unknown", "", Server),
        (502, "", "", Server),
        (503, "ServiceUnavailable", "", Server),
        (504, "Timeout", "", Server),
        (504, "Timeout", "Too large resource version: 9, current: 5", VersionTooLarge),
    ] {
        for wire in WIRES {
            let error = watch_error(status(wire, code, reason, message)).await;
            assert_eq!(error.class(), class, "{error}");
            assert_eq!(list_error(status(wire, code, reason, message)).await.class(), class, "{error}");
        }
    }
}

#[tokio::test]
async fn an_error_names_the_request() {
    for wire in WIRES {
        let forbidden = || status(wire, 403, "Forbidden", "pods is forbidden");
        assert_eq!(
            list_error(forbidden()).await.to_string(),
            "list pods in all namespaces at version 5: the server answered 403 Forbidden: pods is forbidden"
        );
        assert_eq!(
            watch_error(forbidden()).await.to_string(),
            "watch pods in all namespaces from version 5: the server answered 403 Forbidden: pods is forbidden"
        );
    }
    let server = Server::answering([status(Wire::Json, 404, "NotFound", "namespaces \"gone\" not found")]);
    let error = list_error_of(&server.builder().namespace("gone").build().unwrap()).await;
    assert!(error.to_string().starts_with("list pods in namespace gone at version 5: "), "{error}");
}

// holds: X4
#[tokio::test]
async fn retry_after_is_read_from_the_header_and_from_the_status() {
    let error = list_error(Answer::new(429).header("retry-after", "7")).await;
    assert_eq!(
        (error.class(), error.retry_after()),
        (ErrorClass::TooManyRequests, Some(Duration::from_secs(7)))
    );
    let busy = json!({"kind":"Status","apiVersion":"v1","code":429,"details":{"retryAfterSeconds":3}});
    for wire in WIRES {
        let error = list_error(status(wire, 503, "ServiceUnavailable", "")).await;
        assert_eq!(error.retry_after(), None);
        let error = list_error(Answer::new(429).on(wire).chunk(body::object(wire, &busy))).await;
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
        let server = Server::answering([Answer::ok(body::event(wire, "ERROR", &busy)).on(wire)]);
        let mut events = server.pods().watch(WatchOptions::default()).await.unwrap();
        let Some(Ok(WatchEvent::Error(status))) = events.next().await else { panic!() };
        assert_eq!((status.code, status.retry_after), (429, Some(Duration::from_secs(3))));
    }
}

// holds: R23
#[tokio::test]
async fn an_error_event_has_the_causes_of_its_status() {
    let too_large = json!({"kind":"Status","apiVersion":"v1","code":504,"reason":"Timeout","details":{"causes":[
        {"reason":"ResourceVersionTooLarge","message":"m","field":"f"}]}});
    let mut statuses = Vec::new();
    for wire in WIRES {
        let server = Server::answering([Answer::ok(body::event(wire, "ERROR", &too_large)).on(wire)]);
        let mut events = server.pods().watch(WatchOptions::default()).await.unwrap();
        let Some(Ok(WatchEvent::Error(status))) = events.next().await else { panic!() };
        assert_eq!(status.class(), ErrorClass::VersionTooLarge, "{wire:?}");
        statuses.push(status);
    }
    assert_eq!(statuses[0], statuses[1]);
}

#[tokio::test]
async fn a_page_of_html_is_reported_at_once() {
    let html = || {
        Answer::ok("<!DOCTYPE html>\n<html><body>Please log in</body></html>")
            .header("content-type", "text/html")
            .hang()
    };
    for (error, wanted) in
        [(list_error_now(html()).await, "a list"), (watch_error_now(html()).await, "a watch")]
    {
        assert!(
            error.to_string().ends_with(&format!(
                "the response is malformed: expected {wanted}, got text/html of 55 bytes: \
                 \"<!DOCTYPE html> <html><body>Please log in</body></html>\""
            )),
            "{error}"
        );
    }
}

#[tokio::test]
async fn text_with_the_content_type_of_protobuf_is_reported_at_once() {
    let text = || Answer::ok("<!DOCTYPE html>").on(Wire::Protobuf).hang();
    let kind = "application/vnd.kubernetes.protobuf";
    for (error, wanted) in
        [(list_error_now(text()).await, "a list"), (watch_error_now(text()).await, "a watch")]
    {
        let expected = format!("the response is malformed: expected {wanted}, got {kind} of 15 bytes");
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
}

/// The error of a list whose first part is an error.
async fn list_error_now(answer: Answer) -> SourceError {
    match Server::answering([answer]).pods().list(ListOptions::default()).await {
        Ok(mut page) => page.next().await.unwrap().unwrap_err(),
        Err(error) => error,
    }
}

async fn watch_error_now(answer: Answer) -> SourceError {
    match Server::answering([answer]).pods().watch(WatchOptions::default()).await {
        Ok(mut events) => events.next().await.unwrap().unwrap_err(),
        Err(error) => error,
    }
}

// holds: R26
#[tokio::test]
async fn a_table_or_another_list_in_place_of_a_list_is_an_error() {
    let table = r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]}"#;
    assert!(list_error(Answer::ok(table)).await.to_string().contains("a Table instead of a list"));
    let services = json!({"kind":"ServiceList","apiVersion":"v1","metadata":{},"items":[]});
    let gone = json!({"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"m"});
    for wire in WIRES {
        let error = list_error(Answer::ok(body::list(wire, &services)).on(wire)).await.to_string();
        assert!(error.ends_with("expected v1 PodList, got v1 ServiceList"), "{error}");
        let error = list_error(Answer::ok(body::object(wire, &gone)).on(wire)).await;
        assert_eq!(error.class(), ErrorClass::Expired);
    }
}

// holds: X5
#[tokio::test]
async fn a_list_that_is_truncated_or_not_well_formed_fails_as_a_whole() {
    let error = list_error(Answer::ok(r#"{"items":[{"metadata":{"name":"x","resourceVersion":"1"}}"#)).await;
    assert!(matches!(error.kind, ErrorKind::Truncated { objects: 1 }), "{error}");
    assert!(matches!(list_error(Answer::new(200)).await.kind, ErrorKind::Truncated { objects: 0 }));
    for body in
        [&br#"{"items":[{"metadata":{"name":"x"},}]}"#[..], br#"{"items":[{]}]}"#, b"{\"items\":[{}] garbage"]
    {
        let error = list_error(Answer::ok(body.to_vec())).await;
        assert_eq!(error.class(), ErrorClass::Malformed, "{error}");
    }
    let pods = json!({"kind":"PodList","apiVersion":"v1"});
    let end = field(1, &field(2, b"5"));
    for items in [
        [field(2, b"\x0a\x09"), end.clone()],
        [end.clone(), field(2, b"garbage")],
        [end.clone(), b"\x13".to_vec()],
        [end, b"\x12\x09x".to_vec()],
    ] {
        let answer = Answer::ok(envelope(&pods, &items.concat())).on(Wire::Protobuf);
        let error = list_error(answer).await;
        assert_eq!(error.class(), ErrorClass::Malformed, "{error}");
    }
    let broken = Answer::ok(r#"{"items":["#).reset();
    assert_eq!(list_error(broken).await.class(), ErrorClass::Network);
}

/// Objects with an invalid field, on each wire, and the expected result of each.
fn odd_objects(wire: Wire) -> Vec<(Vec<u8>, &'static str)> {
    let metadata = json!({"name":"odd","namespace":"a","resourceVersion":"7","uid":"ODD"});
    let pod = |metadata: &Value| json!({"kind":"Pod","apiVersion":"v1","metadata":metadata});
    let odd_uid = body::bare(wire, &pod(&metadata));
    let odd_uid = odd_uid.split(|byte| *byte == b'O').collect::<Vec<_>>().join(&b"\xff"[..]);
    let mut objects = vec![(odd_uid, "a/odd"), (body::bare(wire, &pod(&json!({"name":"b"}))), "skipped")];
    match wire {
        Wire::Json => objects.extend([
            (b"null".to_vec(), "skipped"),
            (b"7".to_vec(), "skipped"),
            (br#"{"metadata":{"name":"odd","resourceVersion":"7","labels":5,"uid":{}}}"#.to_vec(), "odd"),
        ]),
        Wire::Protobuf => {
            let cut = [body::bare(wire, &pod(&metadata)), b"\x12\x09".to_vec()].concat();
            let mistyped =
                [body::bare(wire, &pod(&metadata)), b"\x0a\x0a\x0a\x03odd\x32\x017\x28\x01".to_vec()];
            objects.extend([(cut, "a/odd"), (mistyped.concat(), "odd")]);
        }
    }
    objects
}

// holds: X35
#[tokio::test]
async fn an_invalid_field_of_one_object_breaks_neither_a_list_nor_a_watch() {
    let good =
        |name: &str| json!({"kind":"Pod","apiVersion":"v1","metadata":{"name":name,"resourceVersion":"5"}});
    for wire in WIRES {
        for (odd, expected) in odd_objects(wire) {
            let items = [body::bare(wire, &good("x")), odd.clone(), body::bare(wire, &good("y"))];
            let events =
                items.iter().map(|item| body::event_of_bytes(wire, "ADDED", item)).collect::<Vec<_>>();
            let server = Server::answering([
                Answer::ok(body::list_of_bytes(wire, &items)).on(wire),
                Answer::ok(events.concat()).on(wire),
            ]);
            let parts: Vec<_> = server.pods().list(ListOptions::default()).await.unwrap().collect().await;
            let listed = parts.into_iter().map(|part| match part.unwrap() {
                ListPart::Object(object) => object.key().to_string(),
                ListPart::Skipped(_) => "skipped".to_owned(),
                ListPart::End(_) => "end".to_owned(),
            });
            assert_eq!(listed.collect::<Vec<_>>(), ["x", expected, "y", "end"], "{wire:?} {odd:x?}");
            let events: Vec<_> = server.pods().watch(WatchOptions::default()).await.unwrap().collect().await;
            let watched = events.into_iter().map(|event| match event.unwrap() {
                WatchEvent::Changed(_, object) => object.key().to_string(),
                other => format!("{other:?}").split('(').next().unwrap().to_lowercase(),
            });
            assert_eq!(watched.collect::<Vec<_>>(), ["x", expected, "y"], "{wire:?} {odd:x?}");
        }
    }
}

#[tokio::test]
async fn deep_nesting_does_not_recurse() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    let body = format!(
        r#"{{"items":[{{"metadata":{{"name":"x","resourceVersion":"1"}},"spec":{deep}}}],"metadata":{{}}}}"#
    );
    let page = Server::answering([Answer::ok(body)]).pods().list(ListOptions::default()).await.unwrap();
    let parts: Vec<_> = page.collect().await;
    match &parts[0] {
        Ok(ListPart::Object(pod)) => assert_eq!(pod.name(), "x"),
        Ok(_) => panic!("neither an object nor an error"),
        Err(error) => assert_eq!(error.class(), ErrorClass::Malformed, "a limit of the depth is an error"),
    }
}

#[tokio::test]
async fn a_frame_over_the_limit_ends_the_stream_and_the_error_says_what_to_do() {
    let large = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(100));
    let server = Server::answering([
        Answer::ok(format!(r#"{{"items":[{large}]}}"#)),
        Answer::ok(format!("{{\"type\":\"ADDED\",\"object\":{large}}}\n")),
        Answer::ok("{").chunk("x".repeat(60)).chunk("x".repeat(60)).hang(),
        Answer::ok(101_u32.to_be_bytes().to_vec()).on(Wire::Protobuf).hang(),
    ]);
    let source = server.builder().frame_bytes_max(100).build().unwrap();
    let error = list_error_of(&source).await;
    assert!(matches!(error.kind, ErrorKind::FrameTooLarge { limit_bytes: 100 }));
    assert!(error.to_string().ends_with("raise frame_bytes_max if such objects are expected"));
    for _ in 0..3 {
        let mut events = source.watch(WatchOptions::default()).await.unwrap();
        let error = events.next().await.unwrap().unwrap_err();
        assert!(matches!(error.kind, ErrorKind::FrameTooLarge { limit_bytes: 100 }));
        assert!(events.next().await.is_none());
    }
}

#[tokio::test]
async fn an_error_never_quotes_an_object() {
    let secret = r#"{"kind":"Secret","data":{"password":"aHVudGVyMg=="}"#;
    for answer in [
        Answer::ok(format!(r#"{{"items":[{secret}]}}"#)),
        Answer::ok(format!(r#"[{secret}]"#)),
        Answer::ok(format!(r#"{{"metadata":{secret}"#)),
        Answer::new(500).chunk(secret),
        Answer::ok(secret),
        Answer::ok(secret).on(Wire::Protobuf),
        Answer::new(500).chunk(envelope(&json!({"kind":"Secret"}), b"aHVudGVyMg==")).on(Wire::Protobuf),
        Answer::new(500).chunk("k8s\0aHVudGVyMg=="),
        Answer::ok(envelope(&json!({"kind":"PodList"}), b"aHVudGVyMg==")).on(Wire::Protobuf),
    ] {
        let error = list_error(answer).await;
        assert!(!error.to_string().contains("aHVudGVyMg"), "{error}");
    }
    for answer in [
        Answer::ok(format!("{{\"type\":\"ADDED\",\"object\":{secret}}}\n")),
        Answer::ok("{\"type\":\"ADDED\",\"object\":{}}\naHVudGVyMg\n"),
        Answer::ok(format!("[{secret}]\n")),
        Answer::ok("aHVudGVyMg==").on(Wire::Protobuf),
        Answer::ok(framed(b"aHVudGVyMg==")).on(Wire::Protobuf),
    ] {
        let error = watch_error(answer).await;
        assert!(!error.to_string().contains("aHVudGVyMg"), "{error}");
    }
}

// holds: R32
#[tokio::test]
async fn a_refused_connection_is_distinguished_from_other_network_errors() {
    for (kind, class) in [
        (io::ErrorKind::ConnectionRefused, ErrorClass::ConnectionRefused),
        (io::ErrorKind::ConnectionReset, ErrorClass::Network),
    ] {
        let service = tower::service_fn(move |_: http::Request<kube_client::client::Body>| async move {
            Err::<http::Response<kube_client::client::Body>, _>(io::Error::from(kind))
        });
        let source = KubeSource::builder(Client::new(service, "default"), Pod::resource()).build().unwrap();
        assert_eq!(list_error_of(&source).await.class(), class);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_response_whose_body_never_ends_is_reported() {
    let start = Instant::now();
    let error = list_error(Answer::new(503).header("retry-after", "2").chunk("busy").hang()).await;
    assert_eq!(error.class(), ErrorClass::Server);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    assert!(start.elapsed() <= Duration::from_secs(5));
    let endless = (0..100).fold(Answer::new(500), |answer, _| answer.chunk("x".repeat(64 << 10)));
    assert!(list_error(endless).await.to_string().len() < 400);
}
