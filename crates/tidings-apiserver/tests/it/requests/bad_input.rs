//! Malformed requests get a `Status` with the right code and reason, and change nothing.

use http::Method;
use serde_json::json;
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Listen};

use crate::requests::http_calls::{call, config_map, get};
use crate::requests::transports::{client, open};

const MAPS: &str = "/api/v1/namespaces/t/configmaps";

#[tokio::test]
async fn bad_requests_get_their_status_over_every_transport_and_change_nothing() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("t", "m", "1"));
    let before = server.version();
    let tls = open(&server, Listen::tls()).await;
    let one = format!("{MAPS}/m");
    for client in [server.client(), client(&tls, ADMIN_TOKEN)] {
        for (path, code, reason) in [
            ("/api/v1/nothings".to_owned(), 404, "NotFound"),
            ("/apis/none.example/v1/things".to_owned(), 404, "NotFound"),
            ("/api/v1/namespaces/t/configmaps/../secrets".to_owned(), 404, "NotFound"),
            ("/api/v1/namespaces/t%2f..%2fu/configmaps".to_owned(), 404, "NotFound"),
            ("/api//v1/pods".to_owned(), 404, "NotFound"),
            (format!("{one}/unknown"), 404, "NotFound"),
            ("/nowhere".to_owned(), 404, "NotFound"),
            (format!("{MAPS}?limit=many"), 400, "BadRequest"),
            (format!("{MAPS}?resourceVersion=abc"), 400, "BadRequest"),
            (format!("{MAPS}?resourceVersion=-1"), 400, "BadRequest"),
            (format!("{MAPS}?continue=%21%21"), 400, "BadRequest"),
            (format!("{MAPS}?labelSelector=a%20b"), 400, "BadRequest"),
            (format!("{MAPS}?fieldSelector=spec.none%3Dx"), 400, "BadRequest"),
            (format!("{MAPS}?resourceVersionMatch=Exact"), 422, "Invalid"),
            (format!("{MAPS}?watch=1&sendInitialEvents=true"), 422, "Invalid"),
            (format!("{MAPS}?watch=1&labelSelector=%28"), 400, "BadRequest"),
            (format!("{MAPS}?labelSelector=%zz"), 400, "BadRequest"),
        ] {
            let answer = get(&client, &path).await;
            assert_eq!(answer.code_and_reason(), (code, reason.to_owned()), "{path}");
            assert_eq!(answer.json()["kind"], "Status", "{path}");
        }
        for (method, path, media_type, body, code) in [
            (Method::POST, MAPS, "application/json", b"{".to_vec(), 400),
            (Method::POST, MAPS, "application/json", b"\xff\xfe".to_vec(), 400),
            (Method::POST, MAPS, "application/json", b"null".to_vec(), 422),
            (Method::POST, MAPS, "text/plain", b"{}".to_vec(), 415),
            (Method::POST, MAPS, "application/json", vec![b' '; (3 << 20) + 1], 413),
            (Method::PATCH, &one, "application/json", b"{}".to_vec(), 415),
            (Method::PATCH, &one, "application/json-patch+json", b"{}".to_vec(), 400),
            (Method::PATCH, &one, "application/merge-patch+json", b"[]".to_vec(), 400),
            (Method::DELETE, &one, "application/json", b"[".to_vec(), 400),
            (Method::PUT, MAPS, "application/json", b"{}".to_vec(), 405),
            (Method::OPTIONS, MAPS, "application/json", b"".to_vec(), 405),
            (Method::POST, "/healthz", "application/json", b"".to_vec(), 405),
        ] {
            let sent = call(method.clone(), path).bytes(body).header("content-type", media_type);
            let answer = sent.send(&client).await;
            assert_eq!(answer.code, code, "{method} {path} {media_type}: {:?}", answer.body);
        }
    }
    assert_eq!(server.version(), before);
}

#[tokio::test(start_paused = true)]
async fn deeply_nested_bodies_are_refused() {
    let server = ApiServer::start().await;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{{\"data\":{}1{}}}", open.repeat(50_000), close.repeat(50_000));
        let sent = call(Method::POST, MAPS).bytes(deep).header("content-type", "application/json");
        assert_eq!(sent.send(&server.client()).await.code, 400);
    }
}

#[tokio::test(start_paused = true)]
async fn documents_describe_the_server() {
    let server = ApiServer::start().await;
    let client = server.client();
    for path in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(&get(&client, path).await.body[..], b"ok");
    }
    assert_eq!(get(&client, "/version").await.json()["minor"], json!("37"));
    let core = get(&client, "/api/v1").await.json();
    assert!(core["resources"].as_array().unwrap().iter().any(|resource| resource["name"] == "pods/status"));
    let groups = get(&client, "/apis").await.json();
    assert!(groups["groups"].as_array().unwrap().iter().any(|group| group["name"] == "apps"));
    assert_eq!(get(&client, "/openapi/v3").await.code, 200);
}
