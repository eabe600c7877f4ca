//! Work that blocks the runtime of its shard. The watchdog needs neither that runtime nor a log that is read. In real
//! time: the tests wait only for the watchdog.

use std::sync::mpsc;
use std::time::Duration;

use tidings_apiserver::ApiServer;
use tidings_controller::{OnOverrun, Permit, Sharding};

use crate::election::blocked_log::{
    aborts_with_a_blocked_log, log_to_standard_error, write_to_standard_error_for_ever,
};
use crate::shard::replica::{Replica, keys, sharding};

/// How long something that must happen is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a replica on one thread until it has a permit, then calls `block` on that thread.
fn block_a_runtime(sharding: Sharding, block: impl FnOnce(Permit, &mut Replica)) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async {
        let server = ApiServer::start().await;
        let mut replica = Replica::start_with(&server, sharding);
        let permit = replica.permit(&keys()[3]).await;
        block(permit, &mut replica);
    });
}

fn quick() -> Sharding {
    let seconds = Duration::from_secs;
    sharding("a")
        .lease_duration(seconds(3))
        .renew_deadline(seconds(2))
        .retry_period(Duration::from_millis(200))
}

// holds: X43
#[test]
fn work_that_blocks_all_threads_of_the_runtime_is_reported() {
    let (report, reported) = mpsc::channel();
    let hook = OnOverrun::call(move |overrun| report.send(overrun.keys.clone()).expect("the test waits"));
    block_a_runtime(quick().on_overrun(hook), |permit, _| {
        assert_eq!(reported.recv_timeout(PATIENCE).expect("it is reported"), [keys()[3].clone()]);
        assert!(permit.lost().is_cancelled());
    });
    assert!(reported.recv().is_err(), "it is reported once, then the watchdog ends");
}

// holds: X43
#[test]
fn work_is_reported_after_its_task_and_runtime_have_ended() {
    let (report, reported) = mpsc::channel();
    let hook = OnOverrun::call(move |overrun| report.send(overrun.keys.clone()).expect("the test waits"));
    let mut held = None;
    block_a_runtime(quick().on_overrun(hook), |permit, _| held = Some(permit));
    // The runtime and all its tasks are dropped.
    let held = held.expect("a permit was given");
    assert!(held.lost().is_cancelled());
    assert_eq!(reported.recv_timeout(PATIENCE).expect("it is reported"), [keys()[3].clone()]);
    drop(held);
    assert!(reported.recv().is_err(), "it is reported once, then the watchdog ends");
}

// holds: X43
#[test]
fn a_hook_that_panics_ends_neither_the_watchdog_nor_the_task() {
    let (report, reported) = mpsc::channel();
    let hook = OnOverrun::call(move |_| {
        report.send(()).expect("the test waits");
        panic!("scripted panic");
    });
    block_a_runtime(quick().on_overrun(hook), |permit, replica| {
        reported.recv_timeout(PATIENCE).expect("it is called");
        drop(permit);
        assert_eq!(replica.tasks.len(), 1);
        assert!(replica.tasks.try_join_next().is_none(), "the task still runs");
    });
}

// holds: X43
#[test]
fn an_overrun_aborts_the_process_even_if_its_log_is_blocked() {
    aborts_with_a_blocked_log(
        "shard::fence::an_overrun_aborts_the_process_even_if_its_log_is_blocked",
        || {
            log_to_standard_error();
            block_a_runtime(quick(), |_permit, _| write_to_standard_error_for_ever());
        },
    );
}
