//! The order in which a manager starts its parts, and what keeps it from starting.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{
    Action, Context, Controller, ControllerError, LeaseError, Manager, ManagerError, Request,
};
use tidings_informer::WaitError;
use tokio::time::Instant;

use crate::manager::harness::{
    Log, ManagerRun, PushOnDrop, election, factory, holder, maps, put, recording, settle,
};

#[tokio::test(start_paused = true)]
async fn no_worker_runs_before_all_caches_are_filled() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    put(&server, "secrets", "s");
    server.faults().inject(Fault::Status { code: 503, retry_after_seconds: None }.times(4).of("secrets"));
    let log = Log::new();
    let log_clone = log.clone();
    let reader =
        Controller::for_kind::<ConfigMap>("maps").reads::<Secret>().reconcile(move |_, context: Context| {
            log_clone.push(format!("{} secrets", context.lister::<Secret>().unwrap().len()));
            async { Ok(Action::await_change()) }
        });
    // Its own caches are filled at once, but it waits for the caches of the other controller.
    let other = Log::new();
    let log_clone = other.clone();
    let quick = Controller::for_kind::<ConfigMap>("quick").reconcile(move |_, _| {
        log_clone.push("quick");
        async { Ok(Action::await_change()) }
    });
    let run = ManagerRun::new(Manager::new(factory(&server)).controller(reader).controller(quick));
    settle().await;
    assert!(other.lines().is_empty(), "the caches of the other controller are not filled");
    log.wait_for_lines(1).await;
    other.wait_for_lines(1).await;
    assert_eq!(log.lines(), ["1 secrets"]);
    run.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_is_not_filled_in_time_is_named_in_the_error_with_the_reason() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Status { code: 403, retry_after_seconds: None }.always().of("secrets"));
    let log = Log::new();
    let log_clone = log.clone();
    let controller = Controller::for_kind::<ConfigMap>("maps").reads::<Secret>().reconcile(move |_, _| {
        log_clone.push("reconciled");
        async { Ok(Action::await_change()) }
    });
    put(&server, "configmaps", "a");
    let manager = Manager::new(factory(&server)).controller(controller).election(election("one"));
    let started = Instant::now();
    let error = ManagerRun::new(manager.sync_timeout(Duration::from_secs(10))).ended().await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 10);
    let ManagerError::NotSynced { source, .. } = &error else { panic!("{error:?}") };
    let WaitError::NotSynced { informers } = source else { panic!("{source}") };
    let [unsynced] = &informers[..] else { panic!("only one is not filled: {source}") };
    assert_eq!(unsynced.name, "secrets");
    assert!(unsynced.reason.contains("403"), "{}", unsynced.reason);
    assert!(log.lines().is_empty());
    assert_eq!(holder(&server), "", "a replica that can't work is no candidate");
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_caches_are_filled_ends_at_once() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Hang.always());
    let run = ManagerRun::new(Manager::new(factory(&server)).controller(recording(&Log::new())));
    settle().await;
    let stopped = Instant::now();
    run.end().await.unwrap();
    assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
}

#[tokio::test(start_paused = true)]
async fn wrong_options_are_refused_before_any_request_is_sent() {
    let server = ApiServer::start().await;
    let (manager, log) = (|| Manager::new(factory(&server)), Log::new());
    let twice = manager().controller(recording(&log)).controller(recording(&log));
    assert!(
        matches!(ManagerRun::new(twice).ended().await, Err(ManagerError::SameName { name }) if name == "maps")
    );
    let idle = Controller::for_kind::<ConfigMap>("idle").workers(0);
    let idle = manager().controller(idle.reconcile(async |_, _| Ok(Action::await_change())));
    let error = ManagerRun::new(idle).ended().await.unwrap_err();
    assert!(matches!(error, ManagerError::Controller(ControllerError::NoWorkers { .. })), "{error}");
    let error = ManagerRun::new(manager().election(election(""))).ended().await.unwrap_err();
    assert!(matches!(error, ManagerError::Election(LeaseError::Identity { .. })), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_runnable_runs_from_the_start_until_the_workers_have_ended() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let (worked, ran) = (log.clone(), log.clone());
    let controller = maps(move |_, context: Context| {
        let log = worked.clone();
        async move {
            log.push("reconcile begins");
            context.cancelled().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            log.push("reconcile ends");
            Ok(Action::await_change())
        }
    });
    let manager =
        Manager::new(factory(&server)).controller(controller).runnable("webhook", move |stop| async move {
            ran.push("webhook begins");
            stop.cancelled().await;
            ran.push("webhook ends");
            Ok::<(), std::io::Error>(())
        });
    let run = ManagerRun::new(manager);
    log.wait_for_lines(2).await;
    run.end().await.unwrap();
    assert_eq!(log.lines(), ["webhook begins", "reconcile begins", "reconcile ends", "webhook ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_runnable_that_fails_or_panics_ends_the_manager_and_is_named() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let manager = || Manager::new(factory(&server)).controller(recording(&log));
    let failing = manager().runnable("webhook", |_| async { Err(std::io::Error::other("no certificate")) });
    let error = ManagerRun::new(failing).ended().await.unwrap_err();
    assert!(matches!(&error, ManagerError::Runnable { name, source } if name == "webhook"
        && source.to_string() == "no certificate"));
    let panicking = manager().runnable("webhook", |stop| async move {
        assert!(stop.is_cancelled(), "scripted panic");
        Ok::<(), std::io::Error>(())
    });
    let error = ManagerRun::new(panicking).ended().await.unwrap_err();
    assert_eq!(error.to_string(), "\"webhook\" panicked: scripted panic");
    let done = ManagerRun::new(manager().runnable("migration", |_| async { Ok::<(), std::io::Error>(()) }));
    settle().await;
    assert!(!done.has_ended(), "a runnable may end with Ok");
    done.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_runnable_that_does_not_end_is_dropped_at_the_deadline() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let on_drop = log.clone();
    let manager = Manager::new(factory(&server)).graceful_shutdown_timeout(Duration::from_secs(3)).runnable(
        "deaf",
        move |_| async move {
            let _on_drop = PushOnDrop(on_drop, "dropped");
            std::future::pending::<Result<(), std::io::Error>>().await
        },
    );
    let run = ManagerRun::new(manager);
    settle().await;
    let stopped = Instant::now();
    run.end().await.unwrap();
    assert_eq!((log.lines(), stopped.elapsed().as_secs()), (vec!["dropped".to_owned()], 3));
}

#[tokio::test(start_paused = true)]
async fn the_handle_of_a_controller_adds_requests_before_and_while_the_manager_runs() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let manager = Manager::new(factory(&server)).controller(recording(&log));
    assert!(manager.handle("other").is_none());
    let maps = manager.handle("maps").unwrap();
    maps.request(Request::new(Some("default"), "before").unwrap());
    let run = ManagerRun::new(manager);
    log.wait_for_lines(1).await;
    maps.request(Request::new(Some("default"), "while").unwrap());
    log.wait_for_lines(2).await;
    assert_eq!(log.lines(), ["before", "while"]);
    assert_eq!(maps.stats().successes, 2);
    run.end().await.unwrap();
}
