//! What starts in which order, and what keeps a manager from starting.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{
    Action, Context, Controller, ControllerError, ElectionError, Manager, ManagerError,
};
use tokio::time::Instant;

use crate::scene::{Log, NoteOnDrop, Play, election, factory, holder, maps, noting, put, settle};

#[tokio::test(start_paused = true)]
async fn nobody_works_before_every_cache_is_filled() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    put(&server, "secrets", "s");
    server.faults().inject(Fault::Status { code: 503, retry_after_seconds: None }.times(4).of("secrets"));
    let log = Log::new();
    let noted = log.clone();
    let reader =
        Controller::for_kind::<ConfigMap>("maps").reads::<Secret>().reconcile(move |_, context: Context| {
            noted.note(format!("{} secrets", context.lister::<Secret>().len()));
            async { Ok(Action::await_change()) }
        });
    // It has what it needs from the first moment, and waits for the other all the same.
    let other = Log::new();
    let noted = other.clone();
    let quick = Controller::for_kind::<ConfigMap>("quick").reconcile(move |_, _| {
        noted.note("quick");
        async { Ok(Action::await_change()) }
    });
    let play = Play::new(Manager::new(factory(&server)).controller(reader).controller(quick));
    settle().await;
    assert!(other.lines().is_empty(), "the caches of the other are not filled");
    log.grown_to(1).await;
    other.grown_to(1).await;
    assert_eq!(log.lines(), ["1 secrets"]);
    play.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_is_not_filled_in_time_is_named_with_the_reason() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Status { code: 403, retry_after_seconds: None }.always().of("secrets"));
    let log = Log::new();
    let noted = log.clone();
    let controller = Controller::for_kind::<ConfigMap>("maps").reads::<Secret>().reconcile(move |_, _| {
        noted.note("reconciled");
        async { Ok(Action::await_change()) }
    });
    put(&server, "configmaps", "a");
    let manager = Manager::new(factory(&server)).controller(controller).election(election("one"));
    let started = Instant::now();
    let error = Play::new(manager.sync_timeout(Duration::from_secs(10))).ended().await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 10);
    let ManagerError::NotSynced { source, .. } = &error else { panic!("{error:?}") };
    let [unsynced] = &source.informers[..] else { panic!("only one is not filled: {source}") };
    assert_eq!(unsynced.name, "secrets");
    assert!(unsynced.reason.contains("403"), "{}", unsynced.reason);
    assert!(log.lines().is_empty());
    assert_eq!(holder(&server), "", "who can't work does not stand for election");
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_caches_are_filled_ends_at_once() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Hang.always());
    let play = Play::new(Manager::new(factory(&server)).controller(noting(&Log::new())));
    settle().await;
    let stopped = Instant::now();
    play.end().await.unwrap();
    assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_run_is_refused_before_anything_is_asked_of_the_server() {
    let server = ApiServer::start().await;
    let (manager, log) = (|| Manager::new(factory(&server)), Log::new());
    let twice = manager().controller(noting(&log)).controller(noting(&log));
    assert!(matches!(Play::new(twice).ended().await, Err(ManagerError::SameName { name }) if name == "maps"));
    let idle = Controller::for_kind::<ConfigMap>("idle").workers(0);
    let idle = manager().controller(idle.reconcile(async |_, _| Ok(Action::await_change())));
    let error = Play::new(idle).ended().await.unwrap_err();
    assert!(matches!(error, ManagerError::Controller(ControllerError::NoWorkers { .. })), "{error}");
    let error = Play::new(manager().election(election(""))).ended().await.unwrap_err();
    assert!(matches!(error, ManagerError::Election(ElectionError::NoIdentity)), "{error}");
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
            log.note("reconcile begins");
            context.cancelled().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            log.note("reconcile ends");
            Ok(Action::await_change())
        }
    });
    let manager =
        Manager::new(factory(&server)).controller(controller).runnable("webhook", move |stop| async move {
            ran.note("webhook begins");
            stop.cancelled().await;
            ran.note("webhook ends");
            Ok::<(), std::io::Error>(())
        });
    let play = Play::new(manager);
    log.grown_to(2).await;
    play.end().await.unwrap();
    assert_eq!(log.lines(), ["webhook begins", "reconcile begins", "reconcile ends", "webhook ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_runnable_that_fails_or_panics_ends_the_manager_and_is_named() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let manager = || Manager::new(factory(&server)).controller(noting(&log));
    let failing = manager().runnable("webhook", |_| async { Err(std::io::Error::other("no certificate")) });
    let error = Play::new(failing).ended().await.unwrap_err();
    assert!(matches!(&error, ManagerError::Runnable { name, source } if name == "webhook"
        && source.to_string() == "no certificate"));
    let panicking = manager().runnable("webhook", |stop| async move {
        assert!(stop.is_cancelled(), "a bug of the user's");
        Ok::<(), std::io::Error>(())
    });
    let error = Play::new(panicking).ended().await.unwrap_err();
    assert!(
        matches!(&error, ManagerError::Panicked { name, message } if name == "webhook" && message.contains("a bug of the user")),
        "{error}"
    );
    let done = Play::new(manager().runnable("migration", |_| async { Ok::<(), std::io::Error>(()) }));
    settle().await;
    assert!(!done.has_ended(), "one that has done its work is no failure");
    done.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_runnable_that_does_not_end_is_dropped_at_the_deadline() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let held = log.clone();
    let manager = Manager::new(factory(&server)).graceful_shutdown_timeout(Duration::from_secs(3)).runnable(
        "deaf",
        move |_| async move {
            let _noted = NoteOnDrop(held, "dropped");
            std::future::pending::<Result<(), std::io::Error>>().await
        },
    );
    let play = Play::new(manager);
    settle().await;
    let stopped = Instant::now();
    play.end().await.unwrap();
    assert_eq!((log.lines(), stopped.elapsed().as_secs()), (vec!["dropped".to_owned()], 3));
}
