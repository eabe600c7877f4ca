//! A part of a manager ends although nothing stopped it: the manager stops and returns the cause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tidings_apiserver::ApiServer;
use tidings_controller::{
    Action, Controller, ControllerError, Error, Manager, ManagerError, Request, Sharding,
};
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::InformerError;
use tokio::time::timeout;

use crate::manager::harness::{
    Log, ManagerRun, PanickingLimiter, election, event_recording, factory, factory_with, panicking_factory,
    put, recording, settle,
};

/// A view of objects that panics when it is dropped.
#[derive(serde::Deserialize)]
struct Brittle {}

impl Drop for Brittle {
    fn drop(&mut self) {
        panic!("scripted panic");
    }
}

async fn ended(run: ManagerRun) -> ManagerError {
    let ended = timeout(Duration::from_secs(300), run.ended()).await;
    ended.expect("the manager stops after the failure").unwrap_err()
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn an_informer_that_panics_ends_the_manager_with_that_error() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    put(&server, "secrets", "a");
    let (factory, log) = (factory(&server), Log::new());
    // No controller watches it: the causes of a request would keep the object, and drop it elsewhere.
    let secrets = factory.informer::<Secret>().cast::<Brittle>();
    let run = ManagerRun::new(Manager::new(factory.clone()).controller(recording(&log)));
    log.wait_for_lines(1).await;
    // The cache keeps the decoded object. The next version drops it, inside the task of the informer.
    drop(secrets.lister().list()[0].decoded().unwrap());
    put(&server, "secrets", "a");
    let error = ended(run).await;
    let ManagerError::Informer(InformerError::Panicked { informer, message }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((&**informer, &**message), ("secrets", "scripted panic"));
    assert_eq!(error.to_string(), "the informer of secrets panicked: scripted panic");
    assert_eq!(factory.failures().len(), 1);
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_list_and_watch_that_panics_ends_the_manager_before_and_after_the_first_list() {
    for is_filled in [false, true] {
        let server = ApiServer::start().await;
        put(&server, "configmaps", "a");
        let (log, requests) = (Log::new(), Log::new());
        let tweak = move |_: &mut _| {
            requests.push("request");
            assert!(is_filled && requests.lines().len() < 4, "scripted panic");
        };
        let options = InformerOptions::new().tweak(tweak);
        let reconciled = log.clone();
        let controller = Controller::for_kind::<ConfigMap>("maps").options(options).reconcile(
            move |request: Request, _| {
                reconciled.push(request.name());
                async { Ok(Action::await_change()) }
            },
        );
        let run = ManagerRun::new(Manager::new(factory(&server)).controller(controller));
        if is_filled {
            log.wait_for_lines(1).await;
            for _ in 0..4 {
                server.faults().cut_watches(tidings_apiserver::Ending::Broken);
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
        }
        let error = ended(run).await;
        assert!(matches!(&error, ManagerError::Informer(InformerError::StreamEnded { .. })), "{error:?}");
        assert!(error.to_string().contains("scripted panic"), "{error}");
    }
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_ends_the_manager_with_its_controller_and_cause() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .limiter(PanickingLimiter)
        .reconcile(|_, _| async { Err::<Action, _>(Error::from(std::io::Error::other("no"))) });
    let error = ended(ManagerRun::new(Manager::new(factory(&server)).controller(controller))).await;
    let ManagerError::Controller(ControllerError::Panicked { controller, message, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((&**controller, &**message), ("maps", "scripted panic"));
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn an_election_that_panics_ends_the_manager_with_that_error() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let reported = log.clone();
    let manager = Manager::new(panicking_factory(&server, "/leases"))
        .controller(recording(&Log::new()))
        .election(election("one"))
        .on_error(move |error| reported.push(error.to_string()));
    let error = ended(ManagerRun::new(manager)).await;
    let ManagerError::Panicked { name, message } = &error else { panic!("{error:?}") };
    assert_eq!((&**name, &**message), ("lock", "scripted panic"));
    assert_eq!(log.lines(), [error.to_string()], "the error hook is called once");
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn an_election_that_panics_while_the_workers_run_is_the_cause_and_not_the_lost_leadership() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let is_broken = Arc::new(AtomicBool::new(false));
    let factory = factory_with(&server, {
        let is_broken = Arc::clone(&is_broken);
        move |path| assert!(!path.contains("/leases") || !is_broken.load(Ordering::SeqCst), "scripted panic")
    });
    let manager = Manager::new(factory).controller(recording(&log)).election(election("one"));
    let run = ManagerRun::new(manager);
    log.wait_for_lines(1).await;
    is_broken.store(true, Ordering::SeqCst);
    let error = ended(run).await;
    assert!(matches!(&error, ManagerError::Panicked { name, .. } if name == "lock"), "{error:?}");
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_recorder_that_panics_ends_the_manager_with_its_controller_and_cause() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let reported = log.clone();
    let manager = Manager::new(panicking_factory(&server, "/events"))
        .controller(event_recording())
        .on_error(move |error| reported.push(error.to_string()));
    let error = ended(ManagerRun::new(manager)).await;
    let ManagerError::Controller(ControllerError::Panicked { controller, part, message }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((&**controller, *part, &**message), ("maps", "its recorder", "scripted panic"));
    assert_eq!(log.lines(), [error.to_string()], "the error hook is called once");
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_shard_whose_informer_of_leases_ends_stops_the_manager() {
    let server = ApiServer::start().await;
    let factory = factory(&server);
    let (shard, task) = Sharding::new("maps").identity("one").build(&factory).unwrap();
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .shard(shard)
        .reconcile(|_, _| async { Ok(Action::await_change()) });
    let manager =
        Manager::new(factory.clone()).controller(controller).runnable("shards", |stop| task.run(stop));
    let run = ManagerRun::new(manager);
    settle().await;
    assert!(!run.has_ended());
    let selector = "tidings.dev/shard-group=maps".parse().unwrap();
    let leases = InformerOptions::new().labels(selector).namespace("default").unwrap();
    factory.informer_with::<Lease>(leases).unwrap().stop();
    let error = ended(run).await;
    assert!(matches!(&error, ManagerError::Runnable { name, .. } if name == "shards"), "{error:?}");
}

// holds: X30
#[tokio::test(start_paused = true)]
async fn durations_without_end_are_accepted() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let log_clone = log.clone();
    let forever = Duration::MAX;
    let options = InformerOptions::new().resync(forever).stop_timeout(forever);
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .options(options)
        .reconcile_timeout(forever)
        .write_wait_max(forever)
        .debounce(Duration::from_millis(1))
        .background_allowance(forever)
        .reconcile(move |request: Request, _| {
            log_clone.push(request.name());
            async { Ok(Action::requeue_after(Duration::MAX)) }
        });
    let patient = || SharedInformerFactory::builder(server.client()).seed(7).resync(forever).build();
    let (shard, task) = Sharding::new("group").hand_over_timeout(forever).build(&patient()).unwrap();
    drop((shard, task));
    let refused = Sharding::new("group").retry_period(forever).build(&factory(&server)).map(|_| ());
    assert!(refused.is_err(), "no renew deadline fits such a retry period");
    let manager = Manager::new(patient()).sync_timeout(forever).graceful_shutdown_timeout(forever);
    let run = ManagerRun::new(manager.controller(controller));
    log.wait_for_lines(1).await;
    put(&server, "configmaps", "a");
    log.wait_for_lines(2).await;
    timeout(Duration::from_secs(300), run.end()).await.unwrap().unwrap();
}
