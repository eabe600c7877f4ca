//! The manager's endpoints over a socket. The clock is real; the tests wait for conditions and never for a duration.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::params::{Patch, PatchParams};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{Action, Controller, Manager, ManagerError};
use tidings_endpoints::axum::{Router, routing};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::manager::harness::{
    Log, ManagerRun, PanickingLimiter, election, event_recording, factory, maps, panicking_factory, put,
    recording,
};

/// An address on which nothing listens now.
fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

async fn get(address: SocketAddr, path: &str) -> Option<(u16, String)> {
    let mut socket = TcpStream::connect(address).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

/// Sends requests until one is answered with this status. Returns its body.
async fn wait_for_status(address: SocketAddr, path: &str, status: u16) -> String {
    loop {
        match get(address, path).await {
            Some((found, body)) if found == status => return body,
            _ => tokio::task::yield_now().await,
        }
    }
}

/// A user's registry, with a prefix and a label for its metrics.
fn registry() -> Registry {
    let mut registry = Registry::with_prefix_and_labels("myapp", [("shop".into(), "one".into())].into_iter());
    registry.register("orders", "Orders taken", Counter::<u64>::default());
    registry
}

// holds: M6
#[tokio::test]
async fn probes_and_metrics_cover_everything_that_the_manager_runs() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    server.faults().inject(Fault::Hang.always().of("configmaps"));
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap();
    let log = Log::new();
    let manager = || {
        Manager::new(factory(&server))
            .controller(recording(&log))
            .election(election("one"))
            .endpoints(address)
            .health_check("disk", || Ok::<(), String>(()))
            .registry(registry())
    };
    let error = ManagerRun::new(manager()).ended().await.unwrap_err();
    let ManagerError::Endpoints(error) = error else { panic!("{error}") };
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    drop(taken);

    let run = ManagerRun::new(manager());
    let text = wait_for_status(address, "/readyz", 500).await;
    assert!(text.contains("configmaps has not synced"), "{text}");
    let text = wait_for_status(address, "/healthz?verbose", 200).await;
    for check in ["informers", "leader-election", "disk"] {
        assert!(text.contains(&format!("[+]{check} ok\n")), "{text}");
    }
    run.end().await.unwrap();

    server.faults().clear();
    let run = ManagerRun::new(manager());
    log.wait_for_lines(1).await;
    wait_for_status(address, "/readyz", 200).await;
    let text = wait_for_status(address, "/metrics", 200).await;
    for series in [
        "informer_queued_items{name=\"configmaps\"",
        "workqueue_depth{name=\"maps\"}",
        "controller_runtime_reconcile_total{controller=\"maps\"",
        "leader_election_master_status{name=\"lock\"} 1",
        "reflector_lists_total{name=\"configmaps\"",
        "myapp_orders_total{shop=\"one\"} 0",
    ] {
        assert!(text.contains(series), "{series} is missing in\n{text}");
    }
    assert!(
        text.lines().all(|line| !line.starts_with("myapp_") || line.starts_with("myapp_orders_total")),
        "{text}"
    );
    assert_eq!(text.matches("# EOF").count(), 1);
    assert!(wait_for_status(address, "/informers", 200).await.contains("\"name\":\"configmaps\""));
    run.end().await.unwrap();
    assert!(get(address, "/readyz").await.is_none(), "the endpoints are closed");
}

/// Reads `/controllers` until it shows this.
async fn wait_for_controllers(address: SocketAddr, query: &str, holds: impl Fn(&Value) -> bool) -> Value {
    loop {
        let text = wait_for_status(address, &format!("/controllers{query}"), 200).await;
        let found: Value = serde_json::from_str(&text).unwrap();
        if holds(&found) {
            return found;
        }
        tokio::task::yield_now().await;
    }
}

// holds: X77
#[tokio::test]
async fn the_endpoints_show_for_a_key_which_change_requested_which_reconcile_and_what_it_wrote() {
    let server = ApiServer::start().await;
    let address = free_address();
    let controller = maps(|request, context| async move {
        let Some(map) = context.get::<ConfigMap>(&request).await? else { return Ok(Action::await_change()) };
        if map.data.as_ref().is_some_and(|data| data["wanted"] != data["found"]) {
            let patch = Patch::Merge(json!({ "data": { "found": map.data.as_ref().unwrap()["wanted"] } }));
            context.api::<ConfigMap>().patch(request.name(), &PatchParams::default(), &patch).await?;
        }
        Ok(Action::await_change())
    });
    let map = |name: &str, wanted: &str| {
        let data = json!({ "wanted": wanted, "found": "secret-value-0" });
        server.put("configmaps", json!({ "metadata": { "name": name }, "data": data }));
    };
    map("a", "secret-value-0");
    let run = ManagerRun::new(Manager::new(factory(&server)).controller(controller).endpoints(address));
    let has_reconciles = |count: usize| {
        move |found: &Value| found[0]["reconciles"].as_array().is_some_and(|all| all.len() >= count)
    };
    wait_for_controllers(address, "", has_reconciles(1)).await;
    map("b", "secret-value-0");
    map("a", "secret-value-1");
    let found = wait_for_controllers(address, "?key=default/a&controller=maps", has_reconciles(3)).await;
    let reconciles = found[0]["reconciles"].as_array().unwrap();
    let [first, changed, woken] = &reconciles[..] else { panic!("{found:#}") };
    assert!(reconciles.iter().all(|reconcile| reconcile["key"] == "default/a"), "{found:#}");
    assert_eq!((&first["causes"][0]["reason"], &first["writes"]), (&json!("initial"), &json!([])));
    let cause = &changed["causes"][0];
    assert_eq!((&cause["reason"], &cause["resource"]), (&json!("updated"), &json!("configmaps")));
    assert_eq!((&cause["key"], &cause["writtenBy"]), (&json!("default/a"), &Value::Null));
    assert_eq!(cause["fields"], json!([".data.wanted"]));
    let write = &changed["writes"][0];
    assert_eq!((&write["resource"], &write["key"]), (&json!("configmaps"), &json!("default/a")));
    assert_eq!(write["requested"], json!([woken["id"]]));
    let cause = &woken["causes"][0];
    assert_eq!((&cause["writtenBy"], &cause["version"]), (&changed["id"], &write["version"]));
    assert_eq!((&woken["result"], &woken["writes"]), (&json!("success"), &json!([])));

    let (_, text) = get(address, "/controllers").await.unwrap();
    assert!(!text.contains("secret-value"), "no values of fields: {text}");
    assert_eq!(get(address, "/controllers?controller=other").await.unwrap().1, "[]");
    let (_, text) = get(address, "/informers").await.unwrap();
    let shown: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown["controllers"], json!([{ "name": "maps", "loops": [] }]));
    run.end().await.unwrap();
}

#[tokio::test]
async fn a_stopping_program_is_alive_and_not_ready_until_its_last_reconcile_has_ended() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let address = free_address();
    let (log, release) = (Log::new(), Arc::new(Notify::new()));
    let (log_clone, released) = (log.clone(), Arc::clone(&release));
    let controller = maps(move |_, _| {
        let (log, released) = (log_clone.clone(), Arc::clone(&released));
        async move {
            log.push("begins");
            released.notified().await;
            Ok(Action::await_change())
        }
    });
    let run = ManagerRun::new(Manager::new(factory(&server)).controller(controller).endpoints(address));
    log.wait_for_lines(1).await;
    wait_for_status(address, "/readyz", 200).await;
    run.stop.cancel();
    let text = wait_for_status(address, "/readyz", 500).await;
    assert!(text.contains("[-]shutdown failed: the program is stopping"), "{text}");
    wait_for_status(address, "/healthz", 200).await;
    release.notify_one();
    run.ended().await.unwrap();
}

/// Waits until both probes fail because of the manager, with all of these texts. Ends the manager then.
async fn check_failed_probes(manager: Manager, texts: &[&str]) {
    let address = free_address();
    let release = Arc::new(Notify::new());
    let released = Arc::clone(&release);
    // It ends only when it is released, so that the endpoints still answer while the manager stops.
    let manager = manager.endpoints(address).runnable("slow", |stop| async move {
        stop.cancelled().await;
        released.notified().await;
        Ok::<(), io::Error>(())
    });
    let run = ManagerRun::new(manager);
    for path in ["/healthz", "/readyz"] {
        loop {
            let body = wait_for_status(address, path, 500).await;
            if let Some((_, reason)) = body.split_once("[-]manager failed: ") {
                assert!(texts.iter().all(|text| reason.contains(text)), "{body}");
                break;
            }
        }
    }
    release.notify_one();
    assert!(run.ended().await.is_err());
}

// holds: X31
#[tokio::test]
async fn both_probes_report_the_worker_that_ended_the_manager_while_it_stops() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .limiter(PanickingLimiter)
        .reconcile(|_, _| async { Err::<Action, _>(io::Error::other("no").into()) });
    let manager = Manager::new(factory(&server)).controller(controller);
    check_failed_probes(manager, &["controller \"maps\"", "scripted panic"]).await;
}

// holds: X31
#[tokio::test]
async fn both_probes_report_the_election_that_ended_the_manager_while_it_stops() {
    let server = ApiServer::start().await;
    let manager = Manager::new(panicking_factory(&server, "/leases")).election(election("one"));
    check_failed_probes(manager, &["\"lock\" panicked: scripted panic"]).await;
}

// holds: X31
#[tokio::test]
async fn both_probes_report_the_recorder_that_ended_the_manager_while_it_stops() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let manager = Manager::new(panicking_factory(&server, "/events")).controller(event_recording());
    check_failed_probes(manager, &["controller \"maps\"", "its recorder", "scripted panic"]).await;
}

#[tokio::test]
async fn the_users_routes_are_served_beside_the_managers() {
    let server = ApiServer::start().await;
    let address = free_address();
    let [version, hello] = ["/version", "/hello"]
        .map(|path| Router::new().route(path, routing::get(move || async move { path })));
    let run =
        ManagerRun::new(Manager::new(factory(&server)).routes(version).endpoints(address).routes(hello));
    assert_eq!(wait_for_status(address, "/version", 200).await, "/version");
    assert_eq!(wait_for_status(address, "/hello", 200).await, "/hello");
    wait_for_status(address, "/readyz", 200).await;
    wait_for_status(address, "/nothing", 404).await;
    run.end().await.unwrap();
}
