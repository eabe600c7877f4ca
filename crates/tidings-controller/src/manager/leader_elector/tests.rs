//! Tests of `leader_elector`.

use tidings_apiserver::ApiServer;

use super::*;

// Without this, a manager that is slow after it acquired the lease would end instead of waiting for the next term.
#[tokio::test(start_paused = true)]
async fn a_term_that_has_ended_before_its_guard_exists_is_not_led_and_is_no_error() {
    let server = ApiServer::start().await;
    let election = Election::new("lock").namespace("default").identity("one").seed(11);
    let mut elector = LeaderElector::new(election, server.client(), OnOverrun::default()).unwrap();
    let (task, leadership) = (elector.task.take().unwrap(), elector.leadership.clone());
    let term = tokio::select! {
        () = task.run(CancellationToken::new()) => unreachable!("it is not stopped"),
        term = leadership.acquired() => term.unwrap(),
    };
    // `select!` dropped the task, which ends its term.
    assert!(term.is_lost());
    assert!(matches!(elector.guard_term(&term), Ok(false)));
    assert!(elector.guard.is_none());
}
