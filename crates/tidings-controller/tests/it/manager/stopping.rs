//! The stop of a manager: what finishes, what is dropped, and that nothing runs after it.

use std::time::Duration;

use tidings_apiserver::ApiServer;
use tidings_apiserver::Verb;
use tidings_controller::{Action, Context, Manager};
use tokio::time::{Instant, timeout};

use crate::manager::harness::{
    Log, ManagerRun, election, factory, hanging_maps, holder, maps, put, recording, settle,
};

#[tokio::test(start_paused = true)]
async fn a_stop_lets_a_reconcile_finish_and_releases_the_lease_after_it() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    put(&server, "configmaps", "b");
    let log = Log::new();
    let (log_clone, seen) = (log.clone(), server.clone());
    let controller = maps(move |_, context: Context| {
        let (log, server) = (log_clone.clone(), seen.clone());
        async move {
            log.push("begins");
            context.cancelled().await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            log.push(format!("ends while {:?} holds the lease", holder(&server)));
            Ok(Action::await_change())
        }
    });
    let run =
        ManagerRun::new(Manager::new(factory(&server)).controller(controller).election(election("one")));
    log.wait_for_lines(1).await;
    let stopped = Instant::now();
    run.end().await.unwrap();
    assert_eq!(stopped.elapsed().as_secs(), 5);
    assert_eq!(log.lines(), ["begins", "ends while \"one\" holds the lease"], "no new request is taken");
    assert_eq!(holder(&server), "");
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_has_not_finished_at_the_deadline_is_dropped() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let controller = hanging_maps(&log);
    let manager = Manager::new(factory(&server)).controller(controller).election(election("one"));
    let run = ManagerRun::new(manager.graceful_shutdown_timeout(Duration::from_secs(3)));
    log.wait_for_lines(1).await;
    let stopped = Instant::now();
    run.end().await.unwrap();
    assert_eq!((log.lines().join(", "), stopped.elapsed().as_secs()), ("begins, dropped".to_owned(), 3));
    assert_eq!(holder(&server), "", "the lease is still released");
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_after_run_has_returned() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let manager = Manager::new(factory(&server)).controller(recording(&log)).election(election("one"));
    manager.run_until(log.wait_for_lines(1)).await.unwrap();
    assert_eq!(log.lines(), ["a"]);

    // The tasks of the client end soon after its last clone is dropped.
    let tasks = tokio::runtime::Handle::current().metrics();
    let gone = async {
        while tasks.num_alive_tasks() > 0 {
            settle().await;
        }
    };
    assert!(
        timeout(Duration::from_secs(60), gone).await.is_ok(),
        "{} tasks are left",
        tasks.num_alive_tasks()
    );
    let requests = server.requests().len();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(server.requests().len(), requests, "no request is sent");
    assert!(server.requests().iter().any(|request| request.verb == Some(Verb::Watch)));
}

#[tokio::test(start_paused = true)]
async fn runnables_have_a_second_to_stop_even_if_the_workers_used_all_the_time() {
    let server = ApiServer::start().await;
    let log = Log::new();
    let log_clone = log.clone();
    let manager =
        Manager::new(factory(&server)).controller(recording(&log)).graceful_shutdown_timeout(Duration::ZERO);
    let run = ManagerRun::new(manager.runnable("beside", move |stop| async move {
        log_clone.push("begins");
        stop.cancelled().await;
        tokio::time::sleep(Duration::from_millis(900)).await;
        log_clone.push("ends");
        Ok::<(), std::io::Error>(())
    }));
    log.wait_for_lines(1).await;
    settle().await;
    run.end().await.unwrap();
    assert_eq!(log.lines(), ["begins", "ends"]);
}
