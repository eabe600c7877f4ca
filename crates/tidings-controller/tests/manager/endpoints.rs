//! The manager's endpoints over a socket, in real time.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{Action, Controller, Manager, ManagerError, Request};
use tidings_endpoints::ServeError;
use tidings_workqueue::limiter::RateLimiter;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::scene::{Log, Play, election, factory, maps, noting, put};

async fn get(address: SocketAddr, path: &str) -> Option<(u16, String)> {
    let mut socket = TcpStream::connect(address).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

/// Asks until it is answered so.
async fn answered(address: SocketAddr, path: &str, status: u16) -> String {
    loop {
        match get(address, path).await {
            Some((found, body)) if found == status => return body,
            _ => tokio::task::yield_now().await,
        }
    }
}

/// A registry of the user's, with a prefix and a label for what is in it.
fn registry() -> Registry {
    let mut registry = Registry::with_prefix_and_labels("myapp", [("shop".into(), "one".into())].into_iter());
    registry.register("orders", "Orders taken", Counter::<u64>::default());
    registry
}

// holds: M6
#[tokio::test]
async fn probes_and_metrics_tell_of_everything_that_the_manager_runs() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    server.faults().inject(Fault::Hang.always().of("configmaps"));
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap();
    let log = Log::new();
    let manager = || {
        Manager::new(factory(&server))
            .controller(noting(&log))
            .election(election("one"))
            .endpoints(address)
            .health_check("disk", || Ok::<(), String>(()))
            .registry(registry())
    };
    let error = Play::new(manager()).ended().await.unwrap_err();
    let ManagerError::Endpoints(ServeError::PortInUse { address: refused }) = error else {
        panic!("{error}")
    };
    assert_eq!(refused, address);
    drop(taken);

    let play = Play::new(manager());
    let text = answered(address, "/readyz", 500).await;
    assert!(text.contains("configmaps has not synced"), "{text}");
    let text = answered(address, "/healthz?verbose", 200).await;
    for check in ["informers", "leader-election", "disk"] {
        assert!(text.contains(&format!("[+]{check} ok\n")), "{text}");
    }
    play.end().await.unwrap();

    server.faults().clear();
    let play = Play::new(manager());
    log.grown_to(1).await;
    answered(address, "/readyz", 200).await;
    let text = answered(address, "/metrics", 200).await;
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
    assert!(answered(address, "/informers", 200).await.contains("\"name\":\"configmaps\""));
    play.end().await.unwrap();
    assert!(get(address, "/readyz").await.is_none(), "the door is closed");
}

#[tokio::test]
async fn a_program_that_stops_is_alive_and_not_ready_until_its_last_reconcile_has_ended() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let (log, release) = (Log::new(), Arc::new(Notify::new()));
    let (noted, released) = (log.clone(), Arc::clone(&release));
    let controller = maps(move |_, _| {
        let (log, released) = (noted.clone(), Arc::clone(&released));
        async move {
            log.note("begins");
            released.notified().await;
            Ok(Action::await_change())
        }
    });
    let play = Play::new(Manager::new(factory(&server)).controller(controller).endpoints(address));
    log.grown_to(1).await;
    answered(address, "/readyz", 200).await;
    play.stop.cancel();
    let text = answered(address, "/readyz", 500).await;
    assert!(text.contains("[-]shutdown failed: the program is stopping"), "{text}");
    answered(address, "/healthz", 200).await;
    release.notify_one();
    play.ended().await.unwrap();
}

/// A rate limiter of the user's that panics: it is asked outside of any reconcile.
struct Broken;

impl RateLimiter<Request> for Broken {
    fn when(&self, _: &Request) -> Duration {
        panic!("scripted panic")
    }
    fn forget(&self, _: &Request) {}
    fn requeues(&self, _: &Request) -> u32 {
        0
    }
}

// holds: X31
#[tokio::test]
async fn a_manager_that_something_ended_says_so_to_both_probes_while_it_stops() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let release = Arc::new(Notify::new());
    let released = Arc::clone(&release);
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .limiter(Broken)
        .reconcile(|_, _| async { Err::<Action, _>(std::io::Error::other("no").into()) });
    // It takes its time to end, so that the probes can be asked meanwhile.
    let manager = Manager::new(factory(&server)).controller(controller).endpoints(address).runnable(
        "slow",
        |stop| async move {
            stop.cancelled().await;
            released.notified().await;
            Ok::<(), std::io::Error>(())
        },
    );
    let play = Play::new(manager);
    for path in ["/healthz", "/readyz"] {
        loop {
            let text = answered(address, path, 500).await;
            if text.contains("[-]manager failed: ") {
                assert!(text.contains("controller \"maps\"") && text.contains("scripted panic"), "{text}");
                break;
            }
        }
    }
    release.notify_one();
    assert!(play.ended().await.is_err());
}
