//! Several replicas of one manager: which one works, and what a loss of leadership does.

use std::time::Duration;

use serde_json::json;
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{Manager, ManagerError};
use tokio::time::Instant;

use crate::manager::harness::{
    Log, ManagerRun, election, factory, hanging_maps, holder, put, recording, settle,
};

/// The number of lists and watches of config maps.
fn reads(server: &ApiServer) -> usize {
    let requests = server.requests();
    let reads = requests.iter().filter(|request| matches!(request.verb, Some(Verb::List | Verb::Watch)));
    reads.filter(|request| request.plural == "configmaps").count()
}

#[tokio::test(start_paused = true)]
async fn a_standby_has_filled_caches_and_works_as_soon_as_it_leads() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let (first, second) = (Log::new(), Log::new());
    let replica = |identity, log| {
        ManagerRun::new(
            Manager::new(factory(&server)).controller(recording(log)).election(election(identity)),
        )
    };
    let leader = replica("one", &first);
    first.wait_for_lines(1).await;
    let standby = replica("two", &second);
    tokio::time::sleep(Duration::from_secs(10)).await;
    put(&server, "configmaps", "b");
    first.wait_for_lines(2).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(second.lines().is_empty(), "only the leader works");
    let warm = reads(&server);
    assert_eq!(warm, 2, "each replica has one stream, also the standby");

    leader.end().await.unwrap();
    let released = Instant::now();
    second.wait_for_lines(2).await;
    assert!(released.elapsed() < Duration::from_secs(5), "{:?}", released.elapsed());
    let mut worked = second.lines();
    worked.sort();
    assert_eq!(worked, ["a", "b"], "changes during the wait were on its queue");
    assert_eq!(reads(&server), warm, "no list was needed");
    standby.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_can_not_be_renewed_ends_the_workers_in_time_and_is_the_error_of_the_manager() {
    let server = ApiServer::start().await;
    put(&server, "configmaps", "a");
    let log = Log::new();
    let controller = hanging_maps(&log);
    let run =
        ManagerRun::new(Manager::new(factory(&server)).controller(controller).election(election("one")));
    log.wait_for_lines(1).await;
    server.faults().inject(Fault::Refused.always().of("leases"));
    let cut = Instant::now();
    log.wait_for_lines(2).await;
    assert!(cut.elapsed() <= Duration::from_secs(10), "the renew deadline: {:?}", cut.elapsed());
    let error = run.ended().await.unwrap_err();
    assert!(matches!(&error, ManagerError::LeadershipLost { election } if election == "lock"), "{error}");
    assert!(
        cut.elapsed() < Duration::from_secs(15),
        "before another replica could take the lease: {:?}",
        cut.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_lease_with_another_holder_ends_the_workers() {
    let server = ApiServer::start().await;
    let log = Log::new();
    put(&server, "configmaps", "a");
    let run =
        ManagerRun::new(Manager::new(factory(&server)).controller(recording(&log)).election(election("one")));
    log.wait_for_lines(1).await;
    let mut lease = server.object("leases", "default/lock").unwrap();
    lease["spec"]["holderIdentity"] = json!("other");
    server.put("leases", lease);
    let error = run.ended().await.unwrap_err();
    assert!(matches!(error, ManagerError::LeadershipLost { .. }), "{error}");
    assert_eq!(holder(&server), "other", "the lease of another holder is not released");
}

#[tokio::test(start_paused = true)]
async fn a_standby_stops_at_once_and_does_not_change_the_lease() {
    let server = ApiServer::start().await;
    let log = Log::new();
    put(&server, "configmaps", "a");
    let leader =
        ManagerRun::new(Manager::new(factory(&server)).controller(recording(&log)).election(election("one")));
    log.wait_for_lines(1).await;
    let idle = Log::new();
    let standby = ManagerRun::new(
        Manager::new(factory(&server)).controller(recording(&idle)).election(election("two")),
    );
    settle().await;
    let stopped = Instant::now();
    standby.end().await.unwrap();
    assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
    assert_eq!(holder(&server), "one");
    leader.end().await.unwrap();
}
