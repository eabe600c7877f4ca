//! The content of a lease: how this replica writes it (created, taken, renewed, released, recreated) and how it reads
//! the leases of others.
//!
//! Pure. The times in a lease are for people. They are written and compared for equality, but never compared with a
//! clock: the clocks of replicas may differ. All other fields of the object stay as they were read.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use tokio::time::Instant;

/// The lease duration of a released lease, as client-go writes it.
const RELEASED_LEASE_SECONDS: i32 = 1;

/// Caps the lease duration that others write, so that adding it to an `Instant` can't overflow.
const FAR_FUTURE: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// What this replica writes into leases.
#[derive(Debug, Clone)]
pub(super) struct LeaseTemplate {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) identity: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) lease_seconds: i32,
}

/// The record of a lease as last observed, and when a change of it was last observed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObservedRecord {
    spec: LeaseSpec,
    pub(super) changed_at: Instant,
    /// Whether the lease was deleted. That counts as a change, because its holder may still rely on it.
    is_deleted: bool,
}

impl ObservedRecord {
    pub(super) fn first(lease: &Lease, now: Instant) -> Self {
        ObservedRecord { spec: spec_of(lease), changed_at: now, is_deleted: false }
    }

    pub(super) fn update(&mut self, lease: &Lease, now: Instant) {
        let spec = spec_of(lease);
        if self.is_deleted || self.spec != spec {
            *self = ObservedRecord { spec, changed_at: now, is_deleted: false };
        }
    }

    pub(super) fn set_deleted(&mut self, now: Instant) {
        if !self.is_deleted {
            (self.is_deleted, self.changed_at) = (true, now);
        }
    }

    pub(super) fn holder(&self) -> Option<&str> {
        self.spec.holder_identity.as_deref().filter(|holder| !holder.is_empty())
    }

    /// When a candidate may take the lease. A released lease: at once. A held lease: when it has not changed for the
    /// lease duration written in it, or for `own_duration` if that field is unusable. A deleted lease: after the longer
    /// of the two, because its last holder may still rely on it.
    pub(super) fn takeable_at(&self, own_duration: Duration) -> Instant {
        let seconds = self.spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let written =
            seconds.filter(|seconds| *seconds > 0).map_or(own_duration, Duration::from_secs).min(FAR_FUTURE);
        match self.holder() {
            _ if self.is_deleted => self.changed_at + written.max(own_duration),
            Some(_) => self.changed_at + written,
            None => self.changed_at,
        }
    }
}

impl LeaseTemplate {
    /// A new lease, held by this replica.
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

    /// The lease of another holder, or a released one, taken over by this replica.
    pub(super) fn taken(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = self.with_holder(lease);
        let spec = lease.spec.get_or_insert_default();
        spec.lease_transitions = Some(spec.lease_transitions.unwrap_or(0).saturating_add(1));
        spec.acquire_time = Some(MicroTime(wall));
        spec.renew_time = Some(MicroTime(wall));
        lease
    }

    /// The lease of this replica, renewed. The renew time always increases, even if the wall clock does not: other
    /// replicas take an unchanged record for one that is not renewed.
    pub(super) fn renewed(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = self.with_holder(lease);
        let spec = lease.spec.get_or_insert_default();
        let next = spec.renew_time.as_ref().and_then(|last| microsecond_after(last.0));
        spec.renew_time = Some(MicroTime(next.map_or(wall, |next| next.max(wall))));
        lease
    }

    /// The lease of this replica, created again after someone deleted it.
    pub(super) fn recreated(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = self.renewed(lease, wall);
        let labels = lease.metadata.labels.take();
        let annotations = lease.metadata.annotations.take();
        lease.metadata = ObjectMeta { labels, annotations, ..self.created(wall).metadata };
        lease
    }

    /// The lease of this replica, released: another replica takes it at once.
    pub(super) fn released(&self, lease: &Lease, wall: Timestamp) -> Lease {
        let mut lease = lease.clone();
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(String::new());
        spec.lease_duration_seconds = Some(RELEASED_LEASE_SECONDS);
        spec.acquire_time = Some(MicroTime(wall));
        spec.renew_time = Some(MicroTime(wall));
        lease
    }

    /// Whether this replica wrote this lease in the term that it acquired at `acquired`. The identity alone does not
    /// prove it: a person may have written it, or another process may use the same identity.
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

/// Leases have times in microseconds.
pub(super) fn in_microseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

fn microsecond_after(time: Timestamp) -> Option<Timestamp> {
    Timestamp::from_microsecond(time.as_microsecond().checked_add(1)?).ok()
}

fn spec_of(lease: &Lease) -> LeaseSpec {
    lease.spec.clone().unwrap_or_default()
}
