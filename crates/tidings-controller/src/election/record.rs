//! What stands in a lease, and the four ways in which we write it: taken, renewed, released, made anew.
//!
//! Pure. Times in a lease are for people: they are written, and compared for being the same, and never for being
//! over. Whatever else stands in the object stays as it was found.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use tokio::time::Instant;

/// A released lease is written with this duration, as other clients do.
const RELEASED_LEASE_SECONDS: i32 = 1;

/// Far enough for what never comes.
const FAR_FUTURE: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// What a replica writes in its own name.
#[derive(Debug, Clone)]
pub(super) struct LeaseTemplate {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) identity: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) lease_seconds: i32,
}

/// The record as it was last seen, and when it was seen to change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObservedRecord {
    spec: LeaseSpec,
    pub(super) changed_at: Instant,
    /// Whether the lease has gone since. That is a change like another: its holder may still believe in it.
    is_gone: bool,
}

impl ObservedRecord {
    pub(super) fn first(lease: &Lease, now: Instant) -> Self {
        ObservedRecord { spec: spec_of(lease), changed_at: now, is_gone: false }
    }

    pub(super) fn again(&mut self, lease: &Lease, now: Instant) {
        let spec = spec_of(lease);
        if self.is_gone || self.spec != spec {
            *self = ObservedRecord { spec, changed_at: now, is_gone: false };
        }
    }

    pub(super) fn gone(&mut self, now: Instant) {
        if !self.is_gone {
            (self.is_gone, self.changed_at) = (true, now);
        }
    }

    /// Who holds the lease, if anyone does.
    pub(super) fn holder(&self) -> Option<&str> {
        self.spec.holder_identity.as_deref().filter(|holder| !holder.is_empty())
    }

    /// When it may be taken: at once if it was released, otherwise when it has not changed for as long as is
    /// written in it; `ours` counts if nothing usable is written there. One that is gone is left alone for a whole
    /// lease, whatever was last seen: somebody may hold what was there last.
    pub(super) fn takeable_at(&self, ours: Duration) -> Instant {
        let seconds = self.spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let written =
            seconds.filter(|seconds| *seconds > 0).map_or(ours, Duration::from_secs).min(FAR_FUTURE);
        match self.holder() {
            _ if self.is_gone => self.changed_at + written.max(ours),
            Some(_) => self.changed_at + written,
            None => self.changed_at,
        }
    }
}

impl LeaseTemplate {
    /// A lease that did not exist.
    pub(super) fn created(&self, wall: Timestamp) -> Lease {
        let now = Some(MicroTime(wall));
        let metadata = ObjectMeta {
            name: Some(self.name.clone()),
            namespace: Some(self.namespace.clone()),
            labels: (!self.labels.is_empty()).then(|| self.labels.clone()),
            ..ObjectMeta::default()
        };
        let spec = LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: Some(self.lease_seconds),
            lease_transitions: Some(0),
            acquire_time: now.clone(),
            renew_time: now,
            ..LeaseSpec::default()
        };
        Lease { metadata, spec: Some(spec) }
    }

    /// A lease that was another's, or nobody's.
    pub(super) fn taken(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = self.with_holder(lease);
        let spec = lease.spec.get_or_insert_default();
        spec.lease_transitions = Some(spec.lease_transitions.unwrap_or(0).saturating_add(1));
        spec.acquire_time = Some(MicroTime(wall));
        spec.renew_time = Some(MicroTime(wall));
        lease
    }

    /// Our lease, held on to. Its renew time always moves on, even if the wall clock stands: to others a record
    /// that stays the same is one that nobody renews.
    pub(super) fn renewed(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = self.with_holder(lease);
        let spec = lease.spec.get_or_insert_default();
        let next = spec.renew_time.as_ref().and_then(|last| microsecond_after(last.0));
        spec.renew_time = Some(MicroTime(next.map_or(wall, |next| next.max(wall))));
        lease
    }

    /// Our lease, which someone deleted, as we last saw it.
    pub(super) fn recreated(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = self.renewed(lease, wall);
        let labels = lease.metadata.labels.take();
        let annotations = lease.metadata.annotations.take();
        lease.metadata = ObjectMeta { labels, annotations, ..self.created(wall).metadata };
        lease
    }

    /// Our lease, given up: whoever comes next takes it at once.
    pub(super) fn released(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = lease.clone();
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(String::new());
        spec.lease_duration_seconds = Some(RELEASED_LEASE_SECONDS);
        spec.acquire_time = Some(MicroTime(wall));
        spec.renew_time = Some(MicroTime(wall));
        lease
    }

    /// Whether this is what we wrote when we acquired the lease at `acquired`, or a renewal of it. The name alone
    /// does not tell: someone may have put it there, or another process may go by it.
    pub(super) fn is_ours(&self, lease: &Lease, acquired: &Option<MicroTime>) -> bool {
        let spec = lease.spec.as_ref();
        spec.is_some_and(|spec| {
            spec.holder_identity.as_deref() == Some(&self.identity) && spec.acquire_time == *acquired
        })
    }

    fn with_holder(&self, lease: &Lease) -> Lease {
        let mut lease = lease.clone();
        if !self.labels.is_empty() {
            let labels = lease.metadata.labels.get_or_insert_default();
            labels.extend(self.labels.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(self.identity.clone());
        spec.lease_duration_seconds = Some(self.lease_seconds);
        lease
    }
}

/// The time as a lease can carry it.
pub(super) fn in_microseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

fn microsecond_after(time: Timestamp) -> Option<Timestamp> {
    Timestamp::from_microsecond(time.as_microsecond().checked_add(1)?).ok()
}

fn spec_of(lease: &Lease) -> LeaseSpec {
    lease.spec.clone().unwrap_or_default()
}
