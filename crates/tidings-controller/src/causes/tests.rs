//! Causes of waiting requests: merged, bounded, taken and put back.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};
use tidings_object::{Intake, Kind as _, NothingKnown, Object, RawObject};

use super::*;
use crate::request::Request;
use crate::writes::{TrackedWrite, WriteEffect};

fn request(name: &str) -> Request {
    Request::new(Some("default"), name).unwrap()
}

fn object(name: &str, version: u64, value: &str) -> Arc<RawObject> {
    let object: Value = json!({
        "metadata": { "name": name, "namespace": "default", "uid": name, "resourceVersion": version.to_string() },
        "data": { "value": value },
    });
    let resource = k8s_openapi::api::core::v1::ConfigMap::resource();
    Intake::new(resource, Arc::default()).json(object.to_string().as_bytes(), &NothingKnown).unwrap()
}

/// An update from one version to the next.
fn updated(name: &str, version: u64) -> Cause {
    let notification = Notification::<()>::Updated {
        old: Object::new(object(name, version, &version.to_string())),
        new: Object::new(object(name, version + 1, &(version + 1).to_string())),
        is_resync: false,
    };
    let resource = Arc::new(k8s_openapi::api::core::v1::ConfigMap::resource());
    Cause::notified(RequestReason::Updated, &notification, &resource)
}

fn log() -> CauseLog {
    CauseLog::default()
}

#[test]
fn changes_of_one_object_merge_from_the_first_version_to_the_last() {
    let log = log();
    for version in 41..44 {
        log.add(&request("m"), updated("s", version));
    }
    log.add(&request("m"), updated("s", 43));
    log.add(&request("m"), updated("t", 50));
    log.add(&request("other"), updated("t", 50));
    let causes = log.take(&request("m"));
    let text = "updated configmaps default/s from version 41 to 44 (3 changes); \
                updated configmaps default/t from version 50 to 51";
    assert_eq!(causes.to_string(), text, "a change that two watches report counts once");
    assert_eq!(causes.iter().next().unwrap().fields(), Some(vec![".data.value".to_owned()]));
    assert!(log.take(&request("m")).is_empty(), "they were taken");
    assert_eq!(log.take(&request("other")).len(), 1);
}

#[test]
fn the_causes_of_a_request_are_bounded_and_the_others_are_counted() {
    let log = log();
    for at in 0..2000 {
        log.add(&request("m"), updated(&format!("s-{at}"), at + 1));
    }
    let causes = log.take(&request("m"));
    assert_eq!((causes.len(), causes.omitted()), (CAUSES_PER_REQUEST_MAX, 2000 - 16));
    assert!(causes.to_string().ends_with("; and 1984 more"));
    assert!(!causes.are_own_writes());
}

#[test]
fn causes_of_many_waiting_requests_keep_keys_and_versions_only() {
    let log = log();
    for at in 0..5000 {
        log.add(&request(&format!("m-{at}")), updated("s", at + 1));
    }
    assert!(log.kept_bodies() <= 1024 + 2, "{}", log.kept_bodies());
    let first = log.take(&request("m-0"));
    assert!(first.iter().all(|cause| cause.fields().is_some()));
    let last = log.take(&request("m-4999"));
    assert_eq!(last.to_string(), "updated configmaps default/s from version 5000 to 5001");
    assert!(last.iter().all(|cause| cause.fields().is_none()));
    for at in 1..4999 {
        assert!(!log.take(&request(&format!("m-{at}"))).is_empty());
    }
    assert_eq!(log.kept_bodies(), 0, "every body is released");
}

#[test]
fn causes_that_are_put_back_precede_later_ones() {
    let log = log();
    log.add(&request("m"), updated("s", 41));
    let taken = log.take(&request("m"));
    log.add(&request("m"), updated("s", 42));
    log.put_back(&request("m"), taken);
    log.add(&request("m"), Cause::of(RequestReason::Abandoned));
    let text = "updated configmaps default/s from version 41 to 43 (2 changes); abandoned";
    assert_eq!(log.take(&request("m")).to_string(), text);
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_is_not_due_is_no_cause() {
    let (log, minute) = (log(), std::time::Duration::from_secs(60));
    let later = || Cause::from_time(RequestReason::RequeueAfter, Instant::now() + minute);
    log.add(&request("m"), later());
    log.add(&request("m"), updated("s", 41));
    assert_eq!(log.take(&request("m")).to_string(), "updated configmaps default/s from version 41 to 42");
    log.add(&request("m"), later());
    tokio::time::advance(minute).await;
    assert_eq!(log.take(&request("m")).to_string(), "requeue_after");
}

/// Whether the changes that caused a reconcile count as the controller's own. `own` are the versions that it wrote.
fn are_own(changes: impl IntoIterator<Item = Cause>, own: impl IntoIterator<Item = u64>) -> bool {
    let log = log();
    for version in own {
        let meta = ObjectMeta { resource_version: Some(version.to_string()), ..ObjectMeta::default() };
        let resource = k8s_openapi::api::core::v1::ConfigMap::resource();
        log.wrote(1, &TrackedWrite { resource, effect: WriteEffect::written(&meta) });
    }
    changes.into_iter().for_each(|change| log.add(&request("m"), change));
    log.take(&request("m")).are_own_writes()
}

// holds: X76
#[test]
fn a_wake_is_an_own_one_only_if_the_controller_made_every_change_that_caused_it() {
    // Two objects.
    let two = || [updated("s", 41), updated("t", 42)];
    assert!(are_own(two(), [42, 43]));
    assert!(!are_own(two(), [42]) && !are_own(two(), [43]));
    // Two changes of one object, which are one cause.
    let merged = || [updated("s", 41), updated("s", 42)];
    assert!(are_own(merged(), [42, 43]));
    assert!(!are_own(merged(), [42]) && !are_own(merged(), [43]));
    // More objects than are kept.
    let many = || (41..=60).map(|version| updated(&format!("s-{version}"), version));
    assert!(are_own(many(), 42..=61));
    assert!(!are_own(many(), 42..=60), "the last, which is not kept, is of another client");
    // A requeue changes nothing, and a reconcile without a change is no wake by a write.
    assert!(are_own([updated("s", 41), Cause::of(RequestReason::Requeue)], [42]));
    assert!(!are_own([Cause::of(RequestReason::Requeue)], [42]));
}
