//! Tests of `controllers`.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;

use super::*;
use crate::action::Action;
use crate::election::{Election, OnOverrun};

fn lease_holder(server: &ApiServer) -> String {
    let lease = server.object("leases", "default/lock").unwrap_or_default();
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned()
}

// The handler's task yields after 64 notifications, so that the caches are filled before it has seen all objects.
#[tokio::test(start_paused = true)]
async fn a_controller_whose_handlers_are_behind_is_named_once_the_caches_are_filled() {
    let server = ApiServer::start().await;
    for number in 0..500 {
        server.put(
            "configmaps",
            json!({ "metadata": { "namespace": "default", "name": format!("map-{number}") } }),
        );
    }
    let factory = SharedInformerFactory::new(server.client());
    let mut controllers = ControllerSet::default();
    let controller =
        Controller::for_kind::<ConfigMap>("maps").reconcile(|_, _| async { Ok(Action::await_change()) });
    controllers.attach(controller, &factory);
    let names = |controllers: &ControllerSet| {
        controllers.unsynced(&factory).into_iter().map(|unsynced| unsynced.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&controllers), ["configmaps"], "the cache is not filled");

    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(names(&controllers), ["maps"], "the cache is filled, but the handler is behind");

    controllers.handle("maps").unwrap().synced().await.unwrap();
    assert!(names(&controllers).is_empty());
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_released_only_after_all_dropped_workers_have_ended() {
    let server = ApiServer::start().await;
    let election = Election::new("lock").namespace("default").identity("one").seed(11);
    let elector = LeaderElector::new(election, server.client(), OnOverrun::default()).unwrap();
    let mut controllers = ControllerSet::with_elector(elector);
    let second = Duration::from_secs(1);
    assert!(tokio::time::timeout(second, controllers.work()).await.is_err(), "it leads and works");
    assert_eq!(lease_holder(&server), "one");

    // A worker that takes 5 s to end after its request is abandoned.
    let holder_at_end = Arc::new(Mutex::new(String::new()));
    let (abandon, observed, observer) =
        (controllers.abandon.clone(), Arc::clone(&holder_at_end), server.clone());
    controllers.workers.spawn("slow", async move {
        abandon.cancelled().await;
        tokio::time::sleep(5 * second).await;
        *observed.lock().unwrap() = lease_holder(&observer);
        Ok(())
    });
    controllers.stop(Instant::now()).await;
    assert_eq!(*holder_at_end.lock().unwrap(), "one");
    assert_eq!(lease_holder(&server), "");
}
