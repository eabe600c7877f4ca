//! A reconciler that blocks its thread. The runtime can't prevent this; the test uses real time and several threads.

use std::sync::Mutex;

use k8s_openapi::api::core::v1::ConfigMap;
use tidings_controller::{Action, Controller, Request};
use tokio::sync::mpsc;

use crate::controller::harness::TestCluster;

/// Repeated, because which tasks a blocked thread delays depends on the order of wake-ups.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reconciler_that_blocks_its_thread_blocks_no_other_worker() {
    for _ in 0..20 {
        let cluster = TestCluster::new().await;
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let (done, mut finished) = mpsc::unbounded_channel();
        let blocked = Mutex::new(blocked);
        let controller =
            Controller::for_kind::<ConfigMap>("maps").workers(3).reconcile(move |request: Request, _| {
                if request.name() == "stuck" {
                    blocked.lock().unwrap().recv().unwrap();
                }
                done.send(request.name().to_owned()).unwrap();
                async { Ok(Action::await_change()) }
            });
        cluster.put("stuck");
        for other in 0..50 {
            cluster.put(&format!("other-{other}"));
        }
        let started = cluster.start(controller);
        for _ in 0..50 {
            assert_ne!(finished.recv().await.as_deref(), Some("stuck"));
        }
        release.send(()).unwrap();
        assert_eq!(finished.recv().await.as_deref(), Some("stuck"));
        started.shutdown().await;
    }
}
