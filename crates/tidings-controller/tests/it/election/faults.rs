//! Faults of servers, connections and people.

use std::time::Duration;

use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::election::replica::{Link, advance, edit, election, join, lease};

// holds: E4
#[tokio::test(start_paused = true)]
async fn an_outage_longer_than_the_lease_ends_the_term_and_a_replica_leads_again_after_it() {
    for fault in [Fault::Hang, Fault::Refused, Fault::Status { code: 503, retry_after_seconds: None }] {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let replicas = ["first", "second"].map(|name| join(&server, &mut tasks, election(name)));
        let term = replicas[0].leadership.acquired().await.expect("no other replica holds it");
        advance(7.0).await;
        server.faults().inject(fault.clone().always());
        let down = Instant::now();
        term.lost().cancelled().await;
        let lost_after = down.elapsed();
        assert!(
            lost_after >= Duration::from_secs(8) && lost_after <= Duration::from_secs(10),
            "{fault:?}: {lost_after:?}"
        );
        assert!(!replicas[0].leads());
        advance(60.0).await;
        assert!(!replicas.iter().any(|replica| replica.leads()), "{fault:?}");
        server.faults().clear();
        let up = Instant::now();
        tokio::select! {
            term = replicas[0].leadership.acquired() => assert!(term.is_some()),
            term = replicas[1].leadership.acquired() => assert!(term.is_some()),
        }
        assert!(up.elapsed() < Duration::from_secs(31), "{fault:?}: {:?}", up.elapsed());
        assert!(term.is_lost(), "a term that has ended does not become active again");
    }
}

// holds: E4
#[tokio::test(start_paused = true)]
async fn a_disconnected_leader_has_lost_before_another_leads() {
    for link in [Link::Cut, Link::Mute, Link::Refused] {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let first = join(&server, &mut tasks, election("first"));
        let term = first.leadership.acquired().await.expect("no other replica holds it");
        let second = join(&server, &mut tasks, election("second"));
        advance(7.0).await;
        first.set(link);
        second.leadership.acquired().await.expect("the first is disconnected");
        assert!(term.is_lost() && term.lost().is_cancelled(), "{link:?}");
        assert!(Instant::now() >= term.expires_at(), "{link:?}");
        first.set(Link::Whole);
        advance(60.0).await;
        assert!(second.leads() && !first.leads(), "{link:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_renew_deadline_counts_from_before_the_request_and_not_from_the_response() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    server.faults().inject(Fault::Delay(Duration::from_secs(4)).once());
    server.faults().inject(Fault::Hang.always().after(1));
    server.clear_requests();
    term.lost().cancelled().await;
    let renewal = server.requests().first().expect("a renewal was sent").at;
    assert!(renewal.elapsed() <= Duration::from_secs(10), "{:?}", renewal.elapsed());
    assert!(renewal.elapsed() > Duration::from_secs(9), "it was renewed");
}

#[tokio::test(start_paused = true)]
async fn a_lost_response_does_not_end_the_term() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let second = join(&server, &mut tasks, election("second"));
    for _ in 0..20 {
        first.set(Link::Mute);
        advance(3.0).await;
        first.set(Link::Whole);
        advance(12.0).await;
    }
    assert!(!term.is_lost() && !second.leads());
    assert!(first.leadership.slow_paths() > 10);
}

#[tokio::test(start_paused = true)]
async fn a_lease_with_a_holder_written_by_hand_is_taken_only_after_it_has_expired() {
    for name in ["stranger", "second"] {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let first = join(&server, &mut tasks, election("first"));
        let term = first.leadership.acquired().await.expect("no other replica holds it");
        let second = join(&server, &mut tasks, election("second"));
        advance(7.0).await;
        edit(&server, name);
        let edited = Instant::now();
        term.lost().cancelled().await;
        assert!(edited.elapsed() <= Duration::from_secs(2), "{name}: {:?}", edited.elapsed());
        while !first.leads() && !second.leads() {
            advance(0.1).await;
        }
        let took = edited.elapsed();
        assert!(took >= Duration::from_secs(15) && took < Duration::from_secs(24), "{name}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_deleted_by_hand_keeps_its_holder() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("no other replica holds it");
    let second = join(&server, &mut tasks, election("second"));
    for _ in 0..10 {
        advance(7.3).await;
        assert!(server.remove("leases", "default/lock"));
    }
    advance(20.0).await;
    assert!(!term.is_lost() && !second.leads());
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("first"));
}

#[tokio::test(start_paused = true)]
async fn only_one_of_two_replicas_with_the_same_identity_leads() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let twins = [1, 2].map(|seed| join(&server, &mut tasks, election("twin").seed(seed)));
    for _ in 0..600 {
        advance(0.1).await;
        assert!(!(twins[0].leads() && twins[1].leads()));
    }
    assert!(twins[0].leads() || twins[1].leads());
}

#[tokio::test(start_paused = true)]
async fn if_two_replicas_write_at_the_same_time_one_leads() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    server.faults().inject(Fault::Delay(Duration::from_millis(300)).times(4));
    let replicas = ["first", "second"].map(|name| join(&server, &mut tasks, election(name)));
    advance(1.0).await;
    assert_eq!(replicas.iter().filter(|replica| replica.leads()).count(), 1);
    assert_eq!(server.requests().iter().filter(|request| request.verb == Some(Verb::Create)).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_quick_even_if_the_server_hangs() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    first.leadership.acquired().await.expect("no other replica holds it");
    let second = join(&server, &mut tasks, election("second"));
    advance(7.0).await;
    server.faults().inject(Fault::Hang.always());
    advance(0.5).await;
    let stopped = Instant::now();
    second.stop.cancel();
    tasks.join_next().await.expect("the candidate ends").expect("without a panic");
    assert_eq!(stopped.elapsed(), Duration::ZERO);
    first.stop.cancel();
    tasks.join_next().await.expect("the leader ends").expect("without a panic");
    assert!(stopped.elapsed() <= Duration::from_secs(10), "{:?}", stopped.elapsed());
}
