//! Guarded work of a term, and what happens if it outlasts the lease.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{Election, LeaseError, OnOverrun, Overrun};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::election::blocked_log::{
    aborts_with_a_blocked_log, log_to_standard_error, write_to_standard_error_for_ever,
};
use crate::election::replica::{Link, advance, election, join, lease};

/// Set in the child process that must be aborted.
const TO_BE_ABORTED: &str = "TIDINGS_TEST_TO_BE_ABORTED";

/// The time limit for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// When and what overran.
type Overruns = Arc<Mutex<Vec<(Instant, Overrun)>>>;

fn recording_hook() -> (Overruns, OnOverrun) {
    let overruns = Overruns::default();
    let remember = Arc::clone(&overruns);
    let hook = OnOverrun::call(move |overrun| {
        remember.lock().unwrap().push((Instant::now(), overrun.clone()));
    });
    (overruns, hook)
}

#[tokio::test(start_paused = true)]
async fn work_that_outlasts_its_lease_is_reported_once_and_before_another_replica_leads() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let second = join(&server, &mut tasks, election("second"));
    let (overruns, hook) = recording_hook();
    let guard = term.guard(hook).expect("the term is active");
    advance(60.0).await;
    first.set(Link::Cut);
    term.lost().cancelled().await;
    assert_eq!(*overruns.lock().unwrap(), []);
    second.leadership.acquired().await.expect("the first is disconnected");
    {
        let overruns = overruns.lock().unwrap();
        let [(at, overrun)] = overruns.as_slice() else { panic!("{overruns:?}") };
        assert_eq!((&*overrun.lease, overrun.expired_at), ("default/lock", term.expires_at()));
        assert!(*at >= term.expires_at() && *at < Instant::now());
    }
    advance(60.0).await;
    drop(guard);
    assert_eq!(overruns.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_when_its_term_is_lost_is_not_reported() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let (overruns, hook) = recording_hook();
    let guard = term.guard(hook.clone()).expect("the term is active");
    server.faults().inject(Fault::Hang.always());
    term.lost().cancelled().await;
    advance(1.0).await;
    drop(guard);
    advance(60.0).await;
    assert_eq!(*overruns.lock().unwrap(), []);
    assert!(
        matches!(term.guard(hook), Err(LeaseError::TermEnded)),
        "no work starts in a term that has ended"
    );
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_ends_neither_the_task_nor_the_process() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let _guard = term.guard(OnOverrun::call(|_| panic!("scripted panic"))).expect("the term is active");
    first.set(Link::Cut);
    advance(60.0).await;
    first.set(Link::Whole);
    assert!(first.leadership.acquired().await.is_some());
}

// holds: E8
#[tokio::test(start_paused = true)]
async fn a_lease_is_renewed_and_not_released_while_a_guard_exists() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let second = join(&server, &mut tasks, election("second"));
    let (overruns, hook) = recording_hook();
    let guard = term.guard(hook).expect("the term is active");
    advance(5.0).await;
    first.stop.cancel();
    advance(100.0).await;
    assert!(term.lost().is_cancelled() && !first.leads(), "the term has ended");
    assert!(!second.leads(), "no other replica may start");
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("first"));
    assert_eq!(*overruns.lock().unwrap(), []);
    let ended = Instant::now();
    drop(guard);
    second.leadership.acquired().await.expect("it was released");
    assert!(ended.elapsed() < Duration::from_millis(4400), "{:?}", ended.elapsed());
}

#[tokio::test(start_paused = true)]
async fn work_that_outlasts_a_stop_and_the_lease_is_reported() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let (overruns, hook) = recording_hook();
    let _guard = term.guard(hook).expect("the term is active");
    advance(5.0).await;
    first.stop.cancel();
    first.set(Link::Cut);
    tasks.join_next().await.expect("the task ends").expect("without a panic");
    assert_eq!(overruns.lock().unwrap().len(), 1);
    assert!(Instant::now() >= term.expires_at());
}

// In real time: the only thread of the runtime waits for the hook.
#[test]
fn work_that_blocks_all_threads_of_the_runtime_is_reported() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    runtime.block_on(async {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let first = join(&server, &mut tasks, quick("first"));
        let term = first.leadership.acquired().await.expect("no other replica holds it");
        let (report, reported) = mpsc::channel();
        let guard = term.guard(OnOverrun::call(move |overrun| {
            report.send(overrun.clone()).expect("the test waits");
        }));
        let overrun = reported.recv_timeout(PATIENCE).expect("it is reported");
        assert_eq!(overrun.expired_at, term.expires_at());
        assert!(Instant::now() >= overrun.expired_at);
        assert!(term.lost().is_cancelled() && !first.leads());
        drop(guard);
    });
}

#[test]
fn work_that_outlasts_its_lease_aborts_the_process_by_default() {
    if std::env::var_os(TO_BE_ABORTED).is_some() {
        return block_the_runtime(|| std::thread::park_timeout(PATIENCE));
    }
    let name = "election::guards::work_that_outlasts_its_lease_aborts_the_process_by_default";
    let this = std::env::current_exe().expect("this program has a path");
    let child = std::process::Command::new(this).args([name, "--exact"]).env(TO_BE_ABORTED, "1").output();
    let status = child.expect("the process can be started").status;
    assert!(!status.success());
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(6), "{status:?}");
}

// holds: X43
#[test]
fn work_that_outlasts_its_lease_aborts_the_process_even_if_its_log_is_blocked() {
    let name = "election::guards::work_that_outlasts_its_lease_aborts_the_process_even_if_its_log_is_blocked";
    aborts_with_a_blocked_log(name, || {
        log_to_standard_error();
        block_the_runtime(write_to_standard_error_for_ever);
    });
}

// holds: X43
#[test]
fn a_hook_is_called_even_if_the_log_is_blocked() {
    aborts_with_a_blocked_log("election::guards::a_hook_is_called_even_if_the_log_is_blocked", || {
        log_to_standard_error();
        let abort = OnOverrun::call(|_| std::process::abort());
        block_the_runtime_with(abort, write_to_standard_error_for_ever);
    });
}

/// Runs work that blocks the only thread of a runtime, as the leader.
fn block_the_runtime(work: impl FnOnce()) {
    block_the_runtime_with(OnOverrun::default(), work);
}

fn block_the_runtime_with(on_overrun: OnOverrun, work: impl FnOnce()) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    runtime.block_on(async {
        let server = ApiServer::start().await;
        let (leadership, task) = quick("first").build(server.client()).expect("the options are valid");
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run(CancellationToken::new()));
        let term = leadership.acquired().await.expect("no other replica holds it");
        let _guard = term.guard(on_overrun).expect("the term is active");
        work();
    });
}

fn quick(identity: &str) -> Election {
    let ms = Duration::from_millis;
    election(identity).lease_duration(ms(3_000)).renew_deadline(ms(2_000)).retry_period(ms(200))
}
