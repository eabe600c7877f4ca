//! Elections that can't be held, and leases that make no sense.

use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Election, ElectionError};
use tokio::task::JoinSet;

use crate::replica::{election, join, lease, pass};

// holds: E1
#[tokio::test(start_paused = true)]
async fn an_election_that_can_not_work_is_refused_before_it_begins() {
    let server = ApiServer::start().await;
    let refused = |election: Election| election.build(server.client()).err();
    let seconds = std::time::Duration::from_secs;
    assert_eq!(refused(election("us")), None);
    assert_eq!(refused(election("")), Some(ElectionError::NoIdentity));
    assert_eq!(refused(Election::new("")), Some(ElectionError::NoName));
    assert!(refused(election("us").lease_duration(seconds(10))).is_some());
    assert!(refused(election("us").renew_deadline(seconds(15))).is_some());
    assert!(refused(election("us").retry_period(seconds(9))).is_some());
    assert!(refused(election("us").retry_period(seconds(0))).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_replica_without_a_name_makes_one_that_no_other_has() {
    let server = ApiServer::start().await;
    let names = [0, 1].map(|_| {
        let (leadership, _task) = Election::new("lock").build(server.client()).expect("it can be held");
        leadership.identity().to_owned()
    });
    assert_ne!(names[0], names[1]);
}

#[tokio::test(start_paused = true)]
async fn a_lease_with_nothing_in_it_is_taken_and_what_else_it_has_stays() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let metadata =
        json!({ "namespace": "default", "name": "lock", "labels": { "kept": "yes", "team": "theirs" } });
    server.put("leases", json!({ "metadata": metadata }));
    let labels = [("team".to_owned(), "ours".to_owned())];
    let us = join(&server, &mut tasks, election("us").labels(labels));
    us.leadership.acquired().await.expect("nobody holds it");
    pass(5.0).await;
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("us"));
    let stored = server.object("leases", "default/lock").expect("it is there");
    assert_eq!(stored["metadata"]["labels"], json!({ "kept": "yes", "team": "ours" }));
}
