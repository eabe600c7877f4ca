//! One replica leads, the others wait, and one of them takes over.

use std::time::Duration;

use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::LeaseError;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::election::replica::{Replica, advance, election, join, lease};

// holds: E7, E9
#[tokio::test(start_paused = true)]
async fn the_first_replica_leads_and_the_second_waits() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("there is no other candidate");
    let second = join(&server, &mut tasks, election("second"));
    advance(120.0).await;
    assert!(first.leads() && !term.is_lost() && !term.lost().is_cancelled());
    assert!(!second.leads());
    assert_eq!(second.leadership.holder().as_deref(), Some("first"));
    assert_eq!(lease(&server).lease_transitions, Some(0));
    assert_eq!(lease(&server).lease_duration_seconds, Some(15));
    assert!(lease(&server).renew_time > lease(&server).acquire_time);
}

// holds: E4, E6
#[tokio::test(start_paused = true)]
async fn a_leader_renews_every_retry_period_with_one_request() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    first.leadership.acquired().await.expect("there is no other candidate");
    server.clear_requests();
    advance(20.5).await;
    let verbs: Vec<_> = server.requests().iter().map(|request| request.verb).collect();
    assert_eq!(verbs, vec![Some(Verb::Update); 10]);
    assert_eq!(first.leadership.slow_paths(), 0);
}

// holds: E5, E7
#[tokio::test(start_paused = true)]
async fn when_the_leader_crashes_the_second_takes_over_after_the_lease() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("there is no other candidate");
    let second = join(&server, &mut tasks, election("second"));
    advance(30.0).await;
    first.task.abort();
    let gone = Instant::now();
    second.leadership.acquired().await.expect("the first has crashed");
    let took = gone.elapsed();
    assert!(term.lost().is_cancelled() && !first.leads());
    assert!(took >= Duration::from_secs(13) && took <= Duration::from_secs(24), "{took:?}");
    assert_eq!(lease(&server).lease_transitions, Some(1));
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("second"));
}

// holds: E8
#[tokio::test(start_paused = true)]
async fn a_leader_that_is_stopped_hands_over_at_once() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("there is no other candidate");
    let second = join(&server, &mut tasks, election("second"));
    advance(30.0).await;
    first.stop.cancel();
    tasks.join_next().await.expect("the first ends").expect("without a panic");
    assert!(term.lost().is_cancelled() && !first.leads());
    assert!(first.leadership.acquired().await.is_none(), "its election has ended");
    assert_eq!(lease(&server).holder_identity.as_deref(), Some(""));
    assert_eq!(lease(&server).lease_duration_seconds, Some(1));
    let released = Instant::now();
    second.leadership.acquired().await.expect("it has no holder");
    assert!(released.elapsed() < Duration::from_millis(4400), "{:?}", released.elapsed());
}

// holds: E8
#[tokio::test(start_paused = true)]
async fn a_release_with_a_conflict_is_retried() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    first.leadership.acquired().await.expect("there is no other candidate");
    server.faults().inject(Fault::Status { code: 409, retry_after_seconds: None }.times(3).on(Verb::Update));
    first.stop.cancel();
    tasks.join_next().await.expect("it ends").expect("without a panic");
    assert_eq!(lease(&server).holder_identity.as_deref(), Some(""));
}

#[tokio::test(start_paused = true)]
async fn with_keep_lease_on_stop_the_lease_is_not_released() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first").keep_lease_on_stop());
    first.leadership.acquired().await.expect("there is no other candidate");
    first.stop.cancel();
    tasks.join_next().await.expect("it ends").expect("without a panic");
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("first"));
}

// holds: E9
#[tokio::test(start_paused = true)]
async fn waiting_for_leadership_ends_when_the_election_ends() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    first.leadership.acquired().await.expect("there is no other candidate");
    for end in [|replica: &Replica| replica.stop.cancel(), |replica: &Replica| replica.task.abort()] {
        let second = join(&server, &mut tasks, election("second"));
        let waiting = second.leadership.clone();
        let mut waits = JoinSet::new();
        waits.spawn(async move { waiting.acquired().await.is_none() });
        advance(10.0).await;
        end(&second);
        assert!(waits.join_next().await.expect("it waits").expect("it does not panic"));
    }
    assert!(first.leads());
}

// holds: E9
#[tokio::test(start_paused = true)]
async fn a_new_holder_is_reported() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let second = join(&server, &mut tasks, election("second"));
    assert_eq!(second.leadership.holder_other_than(None).await.as_deref(), Some("first"));
    first.task.abort();
    assert_eq!(second.leadership.holder_other_than(Some("first")).await.as_deref(), Some("second"));
    second.stop.cancel();
    assert_eq!(second.leadership.holder_other_than(Some("second")).await, None);
}

// holds: E10
#[tokio::test(start_paused = true)]
async fn only_a_leader_with_a_stuck_task_is_unhealthy() {
    let server = ApiServer::start().await;
    let (leadership, task) = election("first").build(server.client()).expect("the options are valid");
    let tolerance = Duration::from_secs(20);
    assert!(leadership.check(tolerance).is_ok());
    let mut task = Box::pin(task.run(tokio_util::sync::CancellationToken::new()));
    tokio::select! {
        () = &mut task => panic!("it is not stopped"),
        term = leadership.acquired() => assert!(term.is_some()),
    }
    // From here on the task is not polled.
    advance(10.1).await;
    assert!(!leadership.is_leader(), "by the clock");
    advance(24.8).await;
    assert!(leadership.check(tolerance).is_ok());
    advance(0.2).await;
    let stalled = leadership.check(tolerance).unwrap_err();
    assert!(matches!(stalled, LeaseError::Stalled { age, .. } if age > Duration::from_secs(35)), "{stalled}");
    let tick = tokio::time::timeout(Duration::from_millis(1), &mut task).await;
    assert!(tick.is_err());
    assert!(leadership.check(tolerance).is_ok(), "a candidate is always healthy");
}

// holds: M4
#[cfg(feature = "metrics")]
#[tokio::test(start_paused = true)]
async fn metrics_have_the_names_of_kubernetes_and_disappear_with_the_election() {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;
    use tidings_controller::ElectionMetrics;

    use crate::election::replica::Link;

    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let (metrics, mut registry) = (ElectionMetrics::new(), Registry::default());
    registry.register_collector(Box::new(metrics.clone()));
    metrics.show(&first.leadership);
    let shown = || {
        let mut text = String::new();
        encode(&mut text, &registry).expect("text can be written");
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
    };
    let status = |status: u8, slow: u64| {
        vec![
            format!("leader_election_master_status{{name=\"lock\"}} {status}"),
            format!("leader_election_slowpath_total{{name=\"lock\"}} {slow}"),
        ]
    };
    assert_eq!(shown(), status(0, 0));
    first.leadership.acquired().await.expect("there is no other candidate");
    assert_eq!(shown(), status(1, 0));
    first.set(Link::Refused);
    advance(3.0).await;
    assert_eq!(shown(), status(1, 1));
    advance(10.0).await;
    assert_eq!(shown(), status(0, 4));
    drop(first);
    tasks.shutdown().await;
    assert_eq!(shown(), Vec::<String>::new());
}
