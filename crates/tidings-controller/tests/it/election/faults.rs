//! What goes wrong with servers, wires and people.

use std::time::Duration;

use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::election::replica::{Link, edit, election, join, lease, pass};

// holds: E4
#[tokio::test(start_paused = true)]
async fn a_server_down_for_longer_than_the_lease_costs_leadership_and_gives_it_back() {
    for fault in [Fault::Hang, Fault::Refused, Fault::Status { code: 503, retry_after_seconds: None }] {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let replicas = ["first", "second"].map(|name| join(&server, &mut tasks, election(name)));
        let term = replicas[0].leadership.acquired().await.expect("it is the first");
        pass(7.0).await;
        server.faults().inject(fault.clone().always());
        let down = Instant::now();
        term.lost().cancelled().await;
        let told = down.elapsed();
        assert!(told >= Duration::from_secs(8) && told <= Duration::from_secs(10), "{fault:?}: {told:?}");
        assert!(!replicas[0].leads());
        pass(60.0).await;
        assert!(!replicas.iter().any(|replica| replica.leads()), "{fault:?}");
        server.faults().clear();
        let up = Instant::now();
        tokio::select! {
            term = replicas[0].leadership.acquired() => assert!(term.is_some()),
            term = replicas[1].leadership.acquired() => assert!(term.is_some()),
        }
        assert!(up.elapsed() < Duration::from_secs(31), "{fault:?}: {:?}", up.elapsed());
        assert!(term.is_lost(), "a term that is over does not come back");
    }
}

// holds: E4
#[tokio::test(start_paused = true)]
async fn a_leader_cut_off_has_lost_before_another_leads() {
    for link in [Link::Cut, Link::Mute, Link::Refused] {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let first = join(&server, &mut tasks, election("first"));
        let term = first.leadership.acquired().await.expect("it is the first");
        let second = join(&server, &mut tasks, election("second"));
        pass(7.0).await;
        first.set(link);
        second.leadership.acquired().await.expect("the first is cut off");
        assert!(term.is_lost() && term.lost().is_cancelled(), "{link:?}");
        assert!(Instant::now() >= term.expires_at(), "{link:?}");
        first.set(Link::Whole);
        pass(60.0).await;
        assert!(second.leads() && !first.leads(), "{link:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_counts_from_before_its_request_and_not_from_the_answer() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    server.faults().inject(Fault::Delay(Duration::from_secs(4)).once());
    server.faults().inject(Fault::Hang.always().after(1));
    server.clear_requests();
    term.lost().cancelled().await;
    let renewal = server.requests().first().expect("it was asked for").at;
    assert!(renewal.elapsed() <= Duration::from_secs(10), "{:?}", renewal.elapsed());
    assert!(renewal.elapsed() > Duration::from_secs(9), "it was renewed");
}

#[tokio::test(start_paused = true)]
async fn an_answer_lost_on_the_way_costs_a_leader_nothing() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let second = join(&server, &mut tasks, election("second"));
    for _ in 0..20 {
        first.set(Link::Mute);
        pass(3.0).await;
        first.set(Link::Whole);
        pass(12.0).await;
    }
    assert!(!term.is_lost() && !second.leads());
    assert!(first.leadership.slow_paths() > 10);
}

#[tokio::test(start_paused = true)]
async fn a_lease_taken_away_by_hand_is_nobodys_until_it_has_expired() {
    for name in ["stranger", "second"] {
        let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
        let first = join(&server, &mut tasks, election("first"));
        let term = first.leadership.acquired().await.expect("it is the first");
        let second = join(&server, &mut tasks, election("second"));
        pass(7.0).await;
        edit(&server, name);
        let edited = Instant::now();
        term.lost().cancelled().await;
        assert!(edited.elapsed() <= Duration::from_secs(2), "{name}: {:?}", edited.elapsed());
        while !first.leads() && !second.leads() {
            pass(0.1).await;
        }
        let took = edited.elapsed();
        assert!(took >= Duration::from_secs(15) && took < Duration::from_secs(24), "{name}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_deleted_by_hand_stays_its_holders() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    let term = first.leadership.acquired().await.expect("it is the first");
    let second = join(&server, &mut tasks, election("second"));
    for _ in 0..10 {
        pass(7.3).await;
        assert!(server.remove("leases", "default/lock"));
    }
    pass(20.0).await;
    assert!(!term.is_lost() && !second.leads());
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("first"));
}

#[tokio::test(start_paused = true)]
async fn of_two_that_go_by_one_name_only_one_leads() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let twins = [1, 2].map(|seed| join(&server, &mut tasks, election("twin").seed(seed)));
    for _ in 0..600 {
        pass(0.1).await;
        assert!(!(twins[0].leads() && twins[1].leads()));
    }
    assert!(twins[0].leads() || twins[1].leads());
}

#[tokio::test(start_paused = true)]
async fn of_two_that_write_at_once_one_leads() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    server.faults().inject(Fault::Delay(Duration::from_millis(300)).times(4));
    let replicas = ["first", "second"].map(|name| join(&server, &mut tasks, election(name)));
    pass(1.0).await;
    assert_eq!(replicas.iter().filter(|replica| replica.leads()).count(), 1);
    assert_eq!(server.requests().iter().filter(|request| request.verb == Some(Verb::Create)).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_quick_whatever_the_server_does() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let first = join(&server, &mut tasks, election("first"));
    first.leadership.acquired().await.expect("it is the first");
    let second = join(&server, &mut tasks, election("second"));
    pass(7.0).await;
    server.faults().inject(Fault::Hang.always());
    pass(0.5).await;
    let asked = Instant::now();
    second.stop.cancel();
    tasks.join_next().await.expect("the candidate ends").expect("and well");
    assert_eq!(asked.elapsed(), Duration::ZERO);
    first.stop.cancel();
    tasks.join_next().await.expect("the leader ends").expect("and well");
    assert!(asked.elapsed() <= Duration::from_secs(10), "{:?}", asked.elapsed());
}
