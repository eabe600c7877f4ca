//! The record that a member publishes in its Lease, and how others read it.
//!
//! No content of a Lease may break the protocol: a record that can't be read counts as a claim on all keys, until it
//! expires. Example of the annotation `tidings.dev/shard-view`:
//!
//! ```json
//! {"hash":1,"turn":7,"members":["web-0","web-1"]}
//! ```

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube_core::ObjectMeta;
use serde::{Deserialize, Serialize};

use super::view::{GroupView, HASH};

/// The label with the group of a member's Lease.
pub(super) const GROUP_LABEL: &str = "tidings.dev/shard-group";

/// The annotation with the published view.
const VIEW_ANNOTATION: &str = "tidings.dev/shard-view";

/// Longer lease durations in a Lease are shortened to this, so that a typing error does not block keys for a day.
const LEASE_DURATION_MAX: Duration = Duration::from_secs(3600);
const LEASE_DURATION_MIN: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemberRecord {
    /// Empty if another program wrote the Lease.
    pub(super) identity: Arc<str>,
    /// The member is dead if its Lease has not changed for this time.
    pub(super) lease_duration: Duration,
    /// The sequence number of the write, counted by the writer; 0 if unknown.
    pub(super) sequence: u64,
    pub(super) claim: Claim,
}

/// Which keys a member may be working on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claim {
    /// No key: the member is leaving.
    Nothing,
    /// The keys that this view assigns to the member.
    Own(Arc<GroupView>),
    /// All keys: the record can't be read.
    Anything,
}

/// The content of the annotation. `turn` is the published name of the sequence number and can't change.
#[derive(Debug, Serialize, Deserialize)]
struct ViewAnnotation<'a> {
    hash: u32,
    #[serde(rename = "turn")]
    sequence: u64,
    #[serde(borrow)]
    members: Vec<std::borrow::Cow<'a, str>>,
}

impl MemberRecord {
    pub(super) fn of(lease: &Lease) -> MemberRecord {
        let spec = lease.spec.as_ref();
        let identity = spec.and_then(|spec| spec.holder_identity.as_deref()).unwrap_or_default();
        let seconds = spec.and_then(|spec| spec.lease_duration_seconds).unwrap_or_default();
        let duration = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
        let text = lease.metadata.annotations.as_ref().and_then(|all| all.get(VIEW_ANNOTATION));
        let published: Option<ViewAnnotation<'_>> = text.and_then(|text| serde_json::from_str(text).ok());
        let (sequence, claim) = match published {
            Some(ViewAnnotation { hash: HASH, sequence, members }) if members.is_empty() => {
                (sequence, Claim::Nothing)
            }
            Some(ViewAnnotation { hash: HASH, sequence, members }) => (
                sequence,
                Claim::Own(Arc::new(GroupView::of(members.iter().map(|member| Arc::from(&**member))))),
            ),
            _ => (0, Claim::Anything),
        };
        let lease_duration = duration.clamp(LEASE_DURATION_MIN, LEASE_DURATION_MAX);
        MemberRecord { identity: identity.into(), lease_duration, sequence, claim }
    }

    /// The record of a Lease that can't be decoded.
    pub(super) fn unreadable() -> MemberRecord {
        let lease_duration = LEASE_DURATION_MAX;
        MemberRecord { identity: "".into(), lease_duration, sequence: 0, claim: Claim::Anything }
    }

    /// The Lease with this record. Its times are for people and are never read.
    pub(super) fn lease(
        &self,
        namespace: &str,
        name: &str,
        group: &str,
        acquired: Timestamp,
        now: Timestamp,
    ) -> Lease {
        let members = match &self.claim {
            Claim::Own(view) => view.members().map(|member| (&**member).into()).collect(),
            Claim::Nothing => Vec::new(),
            Claim::Anything => unreachable!("a member knows what it claims"),
        };
        let published = ViewAnnotation { hash: HASH, sequence: self.sequence, members };
        let published = serde_json::to_string(&published).expect("numbers and texts are JSON");
        let seconds = i32::try_from(self.lease_duration.as_secs()).unwrap_or(i32::MAX);
        Lease {
            metadata: ObjectMeta {
                namespace: Some(namespace.to_owned()),
                name: Some(name.to_owned()),
                labels: Some([(GROUP_LABEL.to_owned(), group.to_owned())].into()),
                annotations: Some([(VIEW_ANNOTATION.to_owned(), published)].into()),
                ..ObjectMeta::default()
            },
            spec: Some(LeaseSpec {
                holder_identity: Some(self.identity.to_string()),
                lease_duration_seconds: Some(seconds),
                acquire_time: Some(MicroTime(acquired)),
                renew_time: Some(MicroTime(now)),
                ..LeaseSpec::default()
            }),
        }
    }
}

impl Claim {
    /// Whether a member with this identity may be working on the key.
    pub(super) fn has(&self, key: &str, identity: &str) -> bool {
        match self {
            Claim::Nothing => false,
            Claim::Own(view) => view.assigns(key, identity),
            Claim::Anything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(claim: Claim) -> MemberRecord {
        MemberRecord { identity: "web-0".into(), lease_duration: Duration::from_secs(15), sequence: 7, claim }
    }

    #[test]
    fn a_record_survives_being_written_and_read() {
        for claim in
            [Claim::Nothing, Claim::Own(Arc::new(GroupView::of(["web-0", "a \"b\""].map(Arc::from))))]
        {
            let written = record(claim);
            let lease = written.lease("default", "g-1", "g", Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH);
            assert_eq!(MemberRecord::of(&lease), written);
        }
    }

    #[test]
    fn a_record_that_cannot_be_read_claims_every_key() {
        let lease =
            record(Claim::Nothing).lease("n", "g-1", "g", Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH);
        let views = [
            None,
            Some("{"),
            Some(r#"{"hash":2,"turn":1,"members":["web-0"]}"#),
            Some(r#"{"hash":1,"turn":-1,"members":[]}"#),
            Some(r#"{"hash":1,"turn":1,"members":[1]}"#),
        ];
        for view in views {
            let mut lease = lease.clone();
            lease.metadata.annotations =
                view.map(|view| [(VIEW_ANNOTATION.to_owned(), view.to_owned())].into());
            let read = MemberRecord::of(&lease);
            assert_eq!(read.claim, Claim::Anything, "{view:?}");
            assert!(read.claim.has("default/a", "web-0"));
        }
        assert_eq!(MemberRecord::of(&Lease::default()).claim, Claim::Anything);
    }

    #[test]
    fn the_lease_duration_of_others_is_limited_to_between_a_second_and_an_hour() {
        for (seconds, lasts) in [(-5, 1), (0, 1), (15, 15), (i32::MAX, 3600)] {
            let mut lease = Lease::default();
            lease.spec.get_or_insert_default().lease_duration_seconds = Some(seconds);
            assert_eq!(MemberRecord::of(&lease).lease_duration, Duration::from_secs(lasts));
        }
    }
}
