//! What each endpoint answers, over the router in paused time and once over a socket.

#[path = "endpoints/graphs.rs"]
mod graphs;

use std::io;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::{Pod, Secret};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tidings_endpoints::Endpoints;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::Handler;
use tidings_informer::reflector::{ReflectorConfig, StopPolicy};
use tidings_test_types as _;
use tidings_workqueue::{QueueMetrics, WorkQueue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tower::ServiceExt;

async fn get(router: &Router, path: &str) -> (StatusCode, String, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let answer = router.clone().oneshot(request).await.expect("a router does not fail");
    let kind = answer.headers().get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap().to_owned());
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, kind.unwrap_or_default(), String::from_utf8(body.to_vec()).unwrap())
}

fn pod(name: &str) -> Value {
    json!({ "metadata": { "namespace": "default", "name": name }, "spec": { "containers": [] } })
}

#[tokio::test(start_paused = true)]
async fn readiness_passes_when_the_caches_are_filled_and_names_the_missing_ones_before() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Status { code: 403, retry_after_seconds: None }.times(3).of("secrets"));
    let factory = SharedInformerFactory::new(server.client());
    let (pods, secrets) = (factory.informer::<Pod>(), factory.informer::<Secret>());
    let router = Endpoints::new(&factory).router();
    let (status, _, text) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(text.contains("pods has not synced: it was not started"), "{text}");

    let running = factory.start();
    pods.synced().await.unwrap();
    let (status, _, text) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(text.contains("secrets has not synced") && text.contains("403"), "{text}");
    assert!(!text.contains("pods"), "{text}");
    assert_eq!(get(&router, "/healthz").await.0, StatusCode::OK, "a restart would not mend it");

    running.synced().await.unwrap();
    assert_eq!(
        get(&router, "/readyz").await,
        (StatusCode::OK, "text/plain; charset=utf-8".into(), "ok".into())
    );
    let (_, _, text) = get(&router, "/readyz?verbose").await;
    assert_eq!(
        text,
        "[+]ping ok\n[+]informer-sync ok\n[+]informers ok\n[+]stopped ok\nreadyz check passed\n"
    );
    assert_eq!(get(&router, "/readyz/informer-sync").await.0, StatusCode::OK);
    assert_eq!(get(&router, "/readyz/none").await.0, StatusCode::NOT_FOUND);
    drop((pods, secrets));
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_gave_up_is_unhealthy_and_one_that_is_retried_is_not() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Status { code: 500, retry_after_seconds: None }.always());
    let factory = SharedInformerFactory::new(server.client());
    let at_once = StopPolicy::default().unauthorized_max(NonZeroU32::new(1));
    let gives_up = ReflectorConfig::default().stop_policy(at_once);
    let pods = factory.informer::<Pod>();
    let secrets = factory.informer_with::<Secret>(InformerOptions::new().reflector(gives_up)).unwrap();
    let router = Endpoints::new(&factory).router();
    let running = factory.start();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(get(&router, "/healthz").await.0, StatusCode::OK);

    server.faults().clear();
    server.faults().inject(Fault::Status { code: 401, retry_after_seconds: None }.always().of("secrets"));
    tokio::time::sleep(Duration::from_secs(120)).await;
    let (status, _, text) = get(&router, "/healthz").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(text.contains("secrets has stopped watching all namespaces"), "{text}");
    drop((pods, secrets));
    running.shutdown().await;
}

/// A type of pods that panics when it is dropped.
#[derive(serde::Deserialize)]
struct Brittle {}

impl Drop for Brittle {
    fn drop(&mut self) {
        panic!("scripted panic");
    }
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn an_informer_that_panicked_fails_both_probes_even_when_it_is_no_longer_in_use() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    pods.add_handler(Handler::new().on_add(|_, _| {})).unwrap();
    let router = Endpoints::new(&factory).router();
    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::OK);

    // The decoded object is kept in the cache. The next version drops it in the task of the informer.
    drop(pods.cast::<Brittle>().lister().list()[0].decoded().unwrap());
    server.put("pods", pod("web-0"));
    let cause = running.failed().await;
    assert_eq!(cause.to_string(), "the informer of pods panicked: scripted panic");
    pods.stopped().await;
    let (_, _, text) = get(&router, "/informers").await;
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&read["informers"][0]["name"], &read["informers"][0]["isHealthy"]),
        (&json!("pods"), &json!(false))
    );
    drop(pods);
    for path in ["/healthz", "/readyz", "/healthz/informers", "/readyz/informers"] {
        let (status, _, text) = get(&router, path).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        assert!(text.contains("informers failed: the informer of pods panicked: scripted panic\n"), "{text}");
    }
    let (_, _, text) = get(&router, "/informers").await;
    let read: Value = serde_json::from_str(&text).unwrap();
    let failure = json!({ "informer": "pods", "cause": "it panicked: scripted panic" });
    assert_eq!(read["failures"], json!([failure]));

    // A new request makes a new informer.
    let pods = factory.informer::<Pod>();
    let again = factory.start();
    again.synced().await.unwrap();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(&router, path).await.0, StatusCode::OK, "{path}");
    }
    drop(pods);
    running.shutdown().await;
    again.shutdown().await;
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn both_probes_fail_when_all_informers_are_stopped() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    pods.add_handler(Handler::new()).unwrap();
    drop(pods);
    let router = Endpoints::new(&factory).router();
    assert_eq!(get(&router, "/healthz").await.0, StatusCode::OK, "not started is not stopped");
    let one = factory.start();
    one.synced().await.unwrap();
    let secrets = factory.informer::<Secret>();
    let other = factory.start();
    other.synced().await.unwrap();
    one.shutdown().await;
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::OK, "the others still run");
    other.shutdown().await;
    for path in ["/healthz", "/readyz"] {
        let (status, _, text) = get(&router, path).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        assert!(text.contains("[-]stopped failed: all informers are stopped"), "{text}");
    }
    drop(secrets);
    let secrets = factory.informer::<Secret>();
    let again = factory.start();
    again.synced().await.unwrap();
    assert_eq!(get(&router, "/healthz").await.0, StatusCode::OK, "it was started again");
    // A dropped `Running` stops its informers too.
    drop(again);
    assert_eq!(get(&router, "/healthz").await.0, StatusCode::INTERNAL_SERVER_ERROR);
    drop(secrets);
}

#[tokio::test(start_paused = true)]
async fn checks_of_users_can_be_requested_by_name() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let endpoints = Endpoints::new(&factory)
        .health_check("disk", || Err("it is full"))
        .readiness_check("peers", || Ok::<(), String>(()));
    let router = endpoints.router();
    let (status, _, text) = get(&router, "/healthz").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(text.contains("[-]disk failed: it is full\n"), "{text}");
    assert_eq!(get(&router, "/healthz?exclude=disk").await.0, StatusCode::OK);
    assert_eq!(get(&router, "/readyz/peers").await.0, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn metrics_include_the_informers_and_the_registry_of_the_user() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let (mut registry, orders) = (Registry::default(), Counter::<u64>::default());
    registry.register("orders", "Orders taken", orders.clone());
    orders.inc();
    let router = Endpoints::new(&factory).registry(registry).router();
    let running = factory.start();
    running.synced().await.unwrap();

    let (status, kind, text) = get(&router, "/metrics").await;
    assert_eq!(
        (status, &*kind),
        (StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let objects = r#"tidings_informer_objects{name="pods",group="",version="v1",resource="pods"} 1"#;
    for line in ["orders_total 1", objects, "# EOF"] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
    }
    drop(pods);
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn informers_are_shown_without_data_of_objects() {
    let server = ApiServer::start().await;
    server.put(
        "secrets",
        json!({ "metadata": { "namespace": "default", "name": "hidden-name" }, "data": { "password": "aHVudGVyMg==" } }),
    );
    let factory = SharedInformerFactory::new(server.client());
    let secrets = factory.informer::<Secret>();
    secrets.add_handler(Handler::new().named("counts").on_add(|_, _| {})).unwrap();
    let router = Endpoints::new(&factory).router();
    let running = factory.start();
    running.synced().await.unwrap();
    server.faults().inject(Fault::Refused.always().on(Verb::Watch));
    server.faults().cut_watches(tidings_apiserver::Ending::Broken);
    tokio::time::sleep(Duration::from_secs(10)).await;

    let (status, kind, text) = get(&router, "/informers").await;
    assert_eq!((status, &*kind), (StatusCode::OK, "application/json"));
    for word in ["aHVudGVyMg", "hunter2", "password", "hidden-name"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let shown: Value = serde_json::from_str(&text).unwrap();
    let informer = &shown["informers"][0];
    assert_eq!(informer["name"], "secrets");
    assert_eq!((&informer["kind"], &informer["state"]), (&json!("Secret"), &json!("started")));
    assert_eq!((&informer["objects"], &informer["isSynced"]), (&json!(1), &json!(true)));
    assert_eq!((&informer["isHealthy"], &informer["requests"]["lists"]), (&json!(false), &json!(1)));
    assert!(informer["memory"]["packedBytes"].as_u64() > Some(0));
    let stream = &informer["streams"][0];
    assert_eq!(
        (&stream["namespace"], &stream["failing"]["class"]),
        (&Value::Null, &json!("ConnectionRefused"))
    );
    assert!(stream["failing"]["attempts"].as_u64() > Some(1), "{stream}");
    let handler = &informer["handlers"][0];
    assert_eq!((&handler["name"], &handler["delivered"]), (&json!("counts"), &json!(1)));
    drop(secrets);
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn queues_are_shown_until_they_are_dropped() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let (queue, queues) = (WorkQueue::builder().named("replicas").build(), QueueMetrics::new());
    queues.show(&queue);
    let router = Endpoints::new(&factory).queues(queues).router();
    for item in ["a", "b", "c"] {
        queue.add(item);
    }
    queue.add_after("d", Duration::from_secs(60));
    let working = queue.next().await;
    queue.add("a");
    tokio::time::advance(Duration::from_secs(4)).await;

    let (_, _, text) = get(&router, "/informers").await;
    let shown: Value = serde_json::from_str(&text).unwrap();
    let expected = json!({
        "name": "replicas", "waiting": 3, "delayed": 1, "working": 1, "oldestSeconds": 4.0, "retries": 1, "adds": 4
    });
    assert_eq!(shown["queues"], json!([expected]));
    assert_eq!(shown["informers"][0]["name"], "pods");
    assert!(get(&router, "/metrics").await.2.contains("workqueue_depth{name=\"replicas\"} 3\n"));

    drop((working, queue));
    let (_, _, text) = get(&router, "/informers").await;
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["queues"], json!([]));
    drop(pods);
}

#[tokio::test(start_paused = true)]
async fn only_get_requests_are_answered() {
    let server = ApiServer::start().await;
    let router = Endpoints::new(&SharedInformerFactory::new(server.client())).router();
    for path in ["/metrics", "/healthz", "/readyz", "/informers"] {
        let request = Request::post(path).body(Body::from("x")).unwrap();
        let answer = router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
    assert_eq!(get(&router, "/").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_server_answers_until_it_is_stopped_and_its_port_is_in_use_until_then() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let (serving, task) = Endpoints::new(&factory).serve(([127, 0, 0, 1], 0)).await.unwrap();
    let address = serving.address();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());

    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut answer = [0; 15];
    socket.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    let taken = Endpoints::new(&factory).serve(address).await.unwrap_err();
    assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
    let advice = "the port is in use; choose another port, or 0 for any free port";
    assert_eq!(taken.to_string(), format!("listening on {address}: {advice}"));

    let huge = format!("GET /readyz HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(1 << 20));
    let mut greedy = TcpStream::connect(address).await.unwrap();
    let _ = greedy.write_all(huge.as_bytes()).await;
    let mut refused = String::new();
    let _ = greedy.read_to_string(&mut refused).await;
    assert!(!refused.contains("200 OK"), "{refused}");

    // An open connection does not delay the stop.
    serving.stop();
    while tasks.join_next().await.is_some() {}
    assert!(TcpStream::connect(address).await.is_err());
}

/// Sends a request over a connection that stays open. Returns the first line of the response; empty if it was closed.
async fn request(socket: &mut TcpStream) -> String {
    let mut answer = [0; 15];
    let sent = socket.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    match (sent, socket.read_exact(&mut answer).await) {
        (Ok(()), Ok(_)) => String::from_utf8_lossy(&answer).into_owned(),
        _ => String::new(),
    }
}

const OK: &str = "HTTP/1.1 200 OK";

// holds: X33
#[tokio::test]
async fn silent_connections_do_not_block_a_probe_and_the_newest_stay_open() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let (serving, task) = Endpoints::new(&factory).serve(([127, 0, 0, 1], 0)).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(TcpStream::connect(serving.address()).await.unwrap());
    }
    let mut probe = TcpStream::connect(serving.address()).await.unwrap();
    assert_eq!(request(&mut probe).await, OK);
    // If the probe had waited for the timeout of the silent ones, this one would be closed too.
    assert_eq!(request(&mut silent[250]).await, OK);
    assert_eq!(request(&mut silent[0]).await, "", "the oldest had to go");
    serving.stop();
    while tasks.join_next().await.is_some() {}
}

// holds: X33
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_peer_with_few_connections_keeps_them() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let (serving, task) = Endpoints::new(&factory).serve(([127, 0, 0, 1], 0)).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    let from = async |last: u8| {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, last], 0).into()).unwrap();
        socket.connect(serving.address()).await.unwrap()
    };
    // It is the oldest and idle: with one peer for all it would be closed first.
    let mut kubelet = from(9).await;
    let mut silent = Vec::new();
    for last in [2, 3, 4] {
        for _ in 0..150 {
            silent.push(from(last).await);
        }
    }
    let mut probe = from(2).await;
    assert_eq!(request(&mut probe).await, OK);
    assert_eq!(request(&mut kubelet).await, OK);
    serving.stop();
    while tasks.join_next().await.is_some() {}
}
