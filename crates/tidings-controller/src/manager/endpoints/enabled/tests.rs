//! Tests of `enabled`.

use std::pin::pin;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_endpoints::axum::body::{Body, to_bytes};
use tidings_endpoints::axum::routing;
use tower::ServiceExt as _;

use super::*;
use crate::action::Action;
use crate::controller::Controller;
use crate::election::{Election, OnOverrun};
use crate::manager::leader_elector::LeaderElector;

async fn get(router: &Router, path: &str) -> (u16, String) {
    let request = http::Request::builder().uri(path).body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn healthz_fails_when_the_election_of_a_leader_is_stuck() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let election = Election::new("lock").namespace("default").identity("one").seed(11);
    let mut elector = LeaderElector::new(election, server.client(), OnOverrun::default()).unwrap();
    let (task, leadership) = (elector.task.take().unwrap(), elector.leadership.clone());
    let controllers = ControllerSet::with_elector(elector);
    let router = EndpointOptions::default().router(&factory, &controllers, &Arc::default());

    // The task leads, and is not polled after that.
    let mut task = pin!(task.run(CancellationToken::new()));
    tokio::select! {
        () = &mut task => unreachable!("it is not stopped"),
        term = leadership.acquired() => assert!(term.is_some()),
    }
    let lease_duration = Duration::from_secs(15);
    tokio::time::advance(lease_duration + ELECTION_TOLERANCE).await;
    assert_eq!(get(&router, "/healthz/leader-election").await.0, 200);
    tokio::time::advance(Duration::from_secs(1)).await;
    let (status, text) = get(&router, "/healthz").await;
    assert_eq!(status, 500);
    assert!(
        text.contains("[-]leader-election failed: leader of default/lock, but the lease was last renewed 36"),
        "{text}"
    );
}

// The handler's task yields after 64 notifications, so that the caches are filled before it has seen all objects.
#[tokio::test(start_paused = true)]
async fn readyz_names_the_controllers_whose_handlers_are_behind() {
    let server = ApiServer::start().await;
    for number in 0..500 {
        let name = format!("map-{number}");
        server.put("configmaps", json!({ "metadata": { "namespace": "default", "name": name } }));
    }
    let factory = SharedInformerFactory::new(server.client());
    let mut controllers = ControllerSet::default();
    let reconcile = |_, _| async { Ok(Action::await_change()) };
    controllers.attach(Controller::for_kind::<ConfigMap>("maps").reconcile(reconcile), &factory);
    let router = EndpointOptions::default().router(&factory, &controllers, &Arc::default());
    let running = factory.start();
    running.synced().await.unwrap();
    let (status, text) = get(&router, "/readyz").await;
    assert_eq!(status, 500);
    assert!(text.contains("[+]informer-sync ok\n"), "{text}");
    assert!(text.contains("[-]controllers failed: maps has not synced\n"), "{text}");
    controllers.handle("maps").unwrap().synced().await.unwrap();
    assert_eq!(get(&router, "/readyz").await, (200, "ok".to_owned()));
    running.shutdown().await;
}

#[tokio::test]
async fn two_routes_with_the_same_path_are_an_error_of_the_start() {
    let server = ApiServer::start().await;
    let route = || Router::new().route("/version", routing::get(|| async { "1.2.3" }));
    let other_method = Router::new().route("/version", routing::post(|| async { "done" }));
    let mut options = EndpointOptions::default();
    options.add_routes(route());
    options.add_routes(other_method);
    assert_eq!(options.routes_error, None);
    options.add_routes(route());
    let factory = SharedInformerFactory::new(server.client());
    let served = options.serve(&factory, &ControllerSet::default(), &Arc::default()).await;
    let error = served.map(drop).unwrap_err().to_string();
    assert!(error.starts_with("adding routes to the endpoints: ") && error.contains("/version"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_users_routes_are_served_and_the_managers_paths_take_precedence() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let routes = Router::new()
        .route("/version", routing::get(|| async { "1.2.3" }))
        .route("/healthz", routing::get(|| async { "the user's" }));
    let options = EndpointOptions { routes, ..EndpointOptions::default() };
    let router = options.router(&factory, &ControllerSet::default(), &Arc::default());
    assert_eq!(get(&router, "/version").await, (200, "1.2.3".to_owned()));
    assert_eq!(get(&router, "/healthz").await, (200, "ok".to_owned()));
    assert_eq!(get(&router, "/nothing").await.0, 404);
}
