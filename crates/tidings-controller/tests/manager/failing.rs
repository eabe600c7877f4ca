//! Something that a manager runs ends without being asked to: the manager ends with its cause.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use tidings_apiserver::ApiServer;
use tidings_controller::{
    Action, Controller, ControllerError, Error, Manager, ManagerError, Request, Sharding,
};
use tidings_factory::InformerOptions;
use tidings_informer::informer::InformerFailure;
use tidings_workqueue::limiter::RateLimiter;
use tokio::time::timeout;

use crate::scene::{Log, Play, factory, noting, put, settle};

/// A view on config maps that panics when it is dropped.
#[derive(serde::Deserialize)]
struct Brittle {}

impl Drop for Brittle {
    fn drop(&mut self) {
        panic!("scripted panic");
    }
}

async fn ended(play: Play) -> ManagerError {
    let ended = timeout(Duration::from_secs(300), play.ended()).await;
    ended.expect("a manager does not go on without it").unwrap_err()
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn an_informer_that_panics_ends_the_manager_with_that_error() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let (factory, log) = (factory(&server), Log::new());
    let maps = factory.informer::<ConfigMap>().seen_as::<Brittle>();
    let play = Play::new(Manager::new(factory.clone()).controller(noting(&log)));
    log.grown_to(1).await;
    // Decoded and kept in the cache; its next version drops it inside the informer.
    drop(maps.lister().list()[0].decoded().unwrap());
    put(&server, "configmaps", "a");
    let error = ended(play).await;
    let ManagerError::Informer(InformerFailure::Panicked { informer, message }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((&**informer, &**message), ("configmaps", "scripted panic"));
    assert_eq!(error.to_string(), "the informer of configmaps panicked: scripted panic");
    assert_eq!(factory.failures().len(), 1);
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_list_and_watch_that_panics_ends_the_manager_before_and_after_the_first_list() {
    for is_filled in [false, true] {
        let server = ApiServer::start().await;
        put(&server, "configmaps", "a");
        let (log, noted) = (Log::new(), Log::new());
        let asked = noted.clone();
        let tweak = move |_: &mut _| {
            asked.note("asked");
            assert!(is_filled && asked.lines().len() < 4, "scripted panic");
        };
        let options = InformerOptions::new().tweak(tweak);
        let noting = log.clone();
        let controller = Controller::for_kind::<ConfigMap>("maps").options(options).reconcile(
            move |request: Request, _| {
                noting.note(request.name());
                async { Ok(Action::await_change()) }
            },
        );
        let play = Play::new(Manager::new(factory(&server)).controller(controller));
        if is_filled {
            log.grown_to(1).await;
            for _ in 0..4 {
                server.faults().cut_watches(tidings_apiserver::Ending::Broken);
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
        }
        let error = ended(play).await;
        assert!(matches!(&error, ManagerError::Informer(InformerFailure::StreamEnded { .. })), "{error:?}");
        assert!(error.to_string().contains("scripted panic"), "{error}");
    }
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
#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_ends_the_manager_with_its_controller_and_cause() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .limiter(Broken)
        .reconcile(|_, _| async { Err::<Action, _>(Error::from(std::io::Error::other("no"))) });
    let error = ended(Play::new(Manager::new(factory(&server)).controller(controller))).await;
    let ManagerError::Controller(ControllerError::Panicked { controller, message, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((&**controller, &**message), ("maps", "scripted panic"));
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_shard_that_no_longer_sees_the_others_ends_the_manager() {
    let server = ApiServer::start().await;
    let factory = factory(&server);
    let (shard, task) = Sharding::new("maps").identity("one").build(&factory).unwrap();
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .shard(shard)
        .reconcile(|_, _| async { Ok(Action::await_change()) });
    let manager =
        Manager::new(factory.clone()).controller(controller).runnable("shards", |stop| task.run(stop));
    let play = Play::new(manager);
    settle().await;
    assert!(!play.has_ended());
    let selector = "tidings.dev/shard-group=maps".parse().unwrap();
    let leases = InformerOptions::new().labels(selector).namespace("default").unwrap();
    factory.informer_with::<Lease>(leases).stop();
    let error = ended(play).await;
    assert!(matches!(&error, ManagerError::Runnable { name, .. } if name == "shards"), "{error:?}");
}

// holds: X30
#[tokio::test(start_paused = true)]
async fn durations_without_end_are_taken_for_what_they_say() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let noted = log.clone();
    let forever = Duration::MAX;
    let options = InformerOptions::new().resync(forever).stop_deadline(forever);
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .options(options)
        .reconcile_timeout(forever)
        .write_wait_max(forever)
        .debounce(Duration::from_millis(1))
        .background_allowance(forever)
        .reconcile(move |request: Request, _| {
            noted.note(request.name());
            async { Ok(Action::requeue_after(Duration::MAX)) }
        });
    let (shard, task) =
        Sharding::new("group").hand_over_timeout(forever).build(&factory(&server).resync(forever)).unwrap();
    drop((shard, task));
    let refused = Sharding::new("group").retry_period(forever).build(&factory(&server)).map(|_| ());
    assert!(refused.is_err(), "no period fits, and it says so");
    let manager = Manager::new(factory(&server).resync(forever))
        .sync_timeout(forever)
        .graceful_shutdown_timeout(forever);
    let play = Play::new(manager.controller(controller));
    log.grown_to(1).await;
    put(&server, "configmaps", "a");
    log.grown_to(2).await;
    timeout(Duration::from_secs(300), play.end()).await.unwrap().unwrap();
}
