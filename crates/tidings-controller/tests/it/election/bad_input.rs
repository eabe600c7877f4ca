//! Wrong options, and leases without usable content.

use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Election, LeaseError};
use tokio::task::JoinSet;

use crate::election::replica::{advance, election, join, lease};

// holds: E1
#[tokio::test(start_paused = true)]
async fn an_election_with_wrong_options_is_refused_before_it_starts() {
    let server = ApiServer::start().await;
    let refused = |election: Election| election.build(server.client()).err();
    let seconds = std::time::Duration::from_secs;
    assert!(refused(election("us")).is_none());
    assert!(matches!(refused(election("")), Some(LeaseError::Identity { .. })));
    assert!(matches!(refused(Election::new("")), Some(LeaseError::NoName)));
    assert!(refused(election("us").lease_duration(seconds(10))).is_some());
    assert!(refused(election("us").renew_deadline(seconds(15))).is_some());
    assert!(refused(election("us").retry_period(seconds(9))).is_some());
    assert!(refused(election("us").retry_period(seconds(0))).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_replica_without_an_identity_gets_a_unique_one() {
    let server = ApiServer::start().await;
    let names = [0, 1].map(|_| {
        let (leadership, _task) =
            Election::new("lock").build(server.client()).expect("the options are valid");
        leadership.identity().to_owned()
    });
    assert_ne!(names[0], names[1]);
}

#[tokio::test(start_paused = true)]
async fn a_lease_without_a_spec_is_taken_and_its_labels_are_kept() {
    let (server, mut tasks) = (ApiServer::start().await, JoinSet::new());
    let metadata =
        json!({ "namespace": "default", "name": "lock", "labels": { "kept": "yes", "team": "theirs" } });
    server.put("leases", json!({ "metadata": metadata }));
    let labels = [("team".to_owned(), "ours".to_owned())];
    let us = join(&server, &mut tasks, election("us").labels(labels));
    us.leadership.acquired().await.expect("it has no holder");
    advance(5.0).await;
    assert_eq!(lease(&server).holder_identity.as_deref(), Some("us"));
    let stored = server.object("leases", "default/lock").expect("it is there");
    assert_eq!(stored["metadata"]["labels"], json!({ "kept": "yes", "team": "ours" }));
}
