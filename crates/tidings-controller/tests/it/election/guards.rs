//! Work that goes on in a term, and what happens if it outlasts the lease.

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
use crate::election::replica::{Link, election, join, lease, pass};

/// Set in the process that is to be aborted.
const TO_BE_ABORTED: &str = "TIDINGS_TEST_TO_BE_ABORTED";

/// How long something that must happen is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// When what overran.
type Overruns = Arc<Mutex<Vec<(Instant, Overrun)>>>;

fn remembering() -> (Overruns, OnOverrun) {
    let overruns = Overruns::default();
    let remember = Arc::clone(&overruns);
    let hook = OnOverrun::call(move |overrun| {
        remember.lock().unwrap().push((Instant::now(), overrun.clone()));
    });
    (overruns, hook)
}

#[tokio::test(start_paused = true)]
async fn work_that_outlasts_its_lease_is_acted_upon_once_and_before_another_leads() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let second = join(&server, &mut tasks, election("second"));
    let (overruns, hook) = remembering();
    let guard = term.guard(hook).expect("the term goes on");
    pass(60.0).await;
    first.set(Link::Cut);
    term.lost().cancelled().await;
    assert_eq!(*overruns.lock().unwrap(), []);
    second.leadership.acquired().await.expect("the first is cut off");
    {
        let overruns = overruns.lock().unwrap();
        let [(at, overrun)] = overruns.as_slice() else { panic!("{overruns:?}") };
        assert_eq!((&*overrun.lease, overrun.expired_at), ("default/lock", term.expires_at()));
        assert!(*at >= term.expires_at() && *at < Instant::now());
    }
    pass(60.0).await;
    drop(guard);
    assert_eq!(overruns.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_when_it_is_told_is_left_alone() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let (overruns, hook) = remembering();
    let guard = term.guard(hook.clone()).expect("the term goes on");
    server.faults().inject(Fault::Hang.always());
    term.lost().cancelled().await;
    pass(1.0).await;
    drop(guard);
    pass(60.0).await;
    assert_eq!(*overruns.lock().unwrap(), []);
    assert!(matches!(term.guard(hook), Err(LeaseError::TermEnded)), "nothing begins in a term that is over");
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_takes_nothing_with_it() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let _guard = term.guard(OnOverrun::call(|_| panic!("by design"))).expect("the term goes on");
    first.set(Link::Cut);
    pass(60.0).await;
    first.set(Link::Whole);
    assert!(first.leadership.acquired().await.is_some());
}

// holds: E8
#[tokio::test(start_paused = true)]
async fn a_lease_is_renewed_and_not_released_while_work_goes_on() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let second = join(&server, &mut tasks, election("second"));
    let (overruns, hook) = remembering();
    let guard = term.guard(hook).expect("the term goes on");
    pass(5.0).await;
    first.stop.cancel();
    pass(100.0).await;
    assert!(term.lost().is_cancelled() && !first.leads(), "nobody is to go on");
    assert!(!second.leads(), "and nobody else may begin");
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("first"));
    assert_eq!(*overruns.lock().unwrap(), []);
    let ended = Instant::now();
    drop(guard);
    second.leadership.acquired().await.expect("it was released");
    assert!(ended.elapsed() < Duration::from_millis(4400), "{:?}", ended.elapsed());
}

#[tokio::test(start_paused = true)]
async fn work_that_outlasts_a_stop_and_the_lease_is_acted_upon() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let (overruns, hook) = remembering();
    let _guard = term.guard(hook).expect("the term goes on");
    pass(5.0).await;
    first.stop.cancel();
    first.set(Link::Cut);
    tasks.join_next().await.expect("the task ends").expect("and well");
    assert_eq!(overruns.lock().unwrap().len(), 1);
    assert!(Instant::now() >= term.expires_at());
}

// Real time: nothing is waited for but the hook itself, on the runtime's only thread.
#[test]
fn work_that_blocks_every_thread_of_the_runtime_is_acted_upon_all_the_same() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let first = join(&server, &mut tasks, quick("first"));
        let term = first.leadership.acquired().await.expect("it is the first");
        let (told, hears) = mpsc::channel();
        let guard = term.guard(OnOverrun::call(move |overrun| {
            told.send(overrun.clone()).expect("somebody waits");
        }));
        let overrun = hears.recv_timeout(PATIENCE).expect("it is told");
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
    let status = child.expect("it can be started").status;
    assert!(!status.success());
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(6), "{status:?}");
}

// holds: X43
#[test]
fn work_that_outlasts_its_lease_aborts_the_process_though_nobody_reads_its_log() {
    let name =
        "election::guards::work_that_outlasts_its_lease_aborts_the_process_though_nobody_reads_its_log";
    aborts_with_a_blocked_log(name, || {
        log_to_standard_error();
        block_the_runtime(write_to_standard_error_for_ever);
    });
}

// holds: X43
#[test]
fn a_hook_is_called_though_nobody_reads_the_log() {
    aborts_with_a_blocked_log("election::guards::a_hook_is_called_though_nobody_reads_the_log", || {
        log_to_standard_error();
        let abort = OnOverrun::call(|_| std::process::abort());
        block_the_runtime_with(abort, write_to_standard_error_for_ever);
    });
}

/// A leader whose work does not await.
fn block_the_runtime(work: impl FnOnce()) {
    block_the_runtime_with(OnOverrun::default(), work);
}

fn block_the_runtime_with(on_overrun: OnOverrun, work: impl FnOnce()) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        let server = ApiServer::start().await;
        let (leadership, task) = quick("first").build(server.client()).expect("it can be held");
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run(CancellationToken::new()));
        let term = leadership.acquired().await.expect("it is the first");
        let _guard = term.guard(on_overrun).expect("the term goes on");
        work();
    });
}

fn quick(identity: &str) -> Election {
    let ms = Duration::from_millis;
    election(identity).lease_duration(ms(3_000)).renew_deadline(ms(2_000)).retry_period(ms(200))
}
