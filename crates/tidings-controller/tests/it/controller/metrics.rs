//! The names of the metrics.

use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tidings_controller::{Action, ControllerMetrics, Error, Request};

use crate::controller::harness::{TestCluster, config_maps};

fn text(registry: &Registry) -> String {
    let mut text = String::new();
    encode(&mut text, registry).unwrap();
    text
}

#[tokio::test(start_paused = true)]
async fn metrics_have_controller_runtimes_names_and_end_with_their_controller() {
    let cluster = TestCluster::new().await;
    let (mut registry, metrics) = (Registry::default(), ControllerMetrics::new());
    registry.register_collector(Box::new(metrics.clone()));
    let controller = config_maps().workers(3).reconcile_timeout(Duration::from_secs(1)).reconcile(
        |request: Request, _| async move {
            match request.name() {
                "later" => Ok(Action::requeue_after(Duration::from_secs(3600))),
                "again" => Ok(Action::requeue()),
                "fails" => Err("on purpose".into()),
                "never" => Err(Error::terminal("on purpose")),
                "hangs" => std::future::pending().await,
                "panics" => panic!("on purpose"),
                _ => Ok(Action::await_change()),
            }
        },
    );
    for name in ["fine", "later", "again", "fails", "never", "hangs", "panics"] {
        cluster.put(name);
    }
    // Before the first retry.
    let started = cluster.start(controller);
    metrics.show(&started.handle);
    tokio::time::sleep(Duration::from_millis(4)).await;
    let shown = text(&registry);
    for line in [
        "controller_runtime_reconcile_total{controller=\"maps\",result=\"success\"} 1",
        "controller_runtime_reconcile_total{controller=\"maps\",result=\"requeue\"} 1",
        "controller_runtime_reconcile_total{controller=\"maps\",result=\"requeue_after\"} 1",
        "controller_runtime_reconcile_total{controller=\"maps\",result=\"error\"} 3",
        "controller_runtime_reconcile_errors_total{controller=\"maps\"} 3",
        "controller_runtime_terminal_reconcile_errors_total{controller=\"maps\"} 1",
        "controller_runtime_reconcile_panics_total{controller=\"maps\"} 1",
        "controller_runtime_reconcile_timeouts_total{controller=\"maps\"} 0",
        "controller_runtime_max_concurrent_reconciles{controller=\"maps\"} 3",
        "controller_runtime_active_workers{controller=\"maps\"} 1",
        "controller_runtime_reconcile_time_seconds_count{controller=\"maps\"} 6",
        "controller_runtime_reconcile_time_seconds_bucket{le=\"0.005\",controller=\"maps\"} 6",
        "tidings_controller_requests_total{controller=\"maps\",source=\"configmaps\",reason=\"initial\"} 7",
        "tidings_controller_requests_total{controller=\"maps\",source=\"controller\",reason=\"panic\"} 1",
    ] {
        assert!(shown.contains(&format!("{line}\n")), "{line}\nis not in\n{shown}");
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let shown = text(&registry);
    assert!(
        !shown.contains("controller_runtime_reconcile_timeouts_total{controller=\"maps\"} 0\n"),
        "{shown}"
    );
    started.shutdown().await;
    let shown = text(&registry);
    assert!(!shown.contains("maps"), "{shown}");
}
