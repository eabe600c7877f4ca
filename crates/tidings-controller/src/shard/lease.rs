//! The requests of a member: writes into its own Lease, one after the other, and deletions of its own Lease and of
//! those of dead members.
//!
//! A write whose response got lost may be applied late, but never after a later write, because each write names the
//! version that it replaces.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube_client::{Api, Client};
use kube_core::params::{DeleteParams, PostParams, Preconditions};
use tokio::time::timeout;

use super::member::LeaseWriteResult;
use super::peers::LeaseVersion;
use super::record::MemberRecord;

pub(super) struct LeaseWriter {
    api: Api<Lease>,
    namespace: Arc<str>,
    group: Arc<str>,
    name: Arc<str>,
    request_timeout: Duration,
    acquired: Option<Timestamp>,
    known_lease: KnownLease,
}

/// What is known about the own Lease on the server.
enum KnownLease {
    /// It does not exist.
    Absent,
    /// It may exist in any version: a response got lost.
    Unknown,
    Version {
        uid: String,
        version: String,
    },
}

impl LeaseWriter {
    pub(super) fn new(
        client: Client,
        namespace: Arc<str>,
        group: Arc<str>,
        name: Arc<str>,
        request_timeout: Duration,
    ) -> Self {
        let api = Api::namespaced(client, &namespace);
        LeaseWriter {
            api,
            namespace,
            group,
            name,
            request_timeout,
            acquired: None,
            known_lease: KnownLease::Absent,
        }
    }

    /// OwnWrites a record into the own Lease, within the time of one request.
    pub(super) async fn write(&mut self, record: &MemberRecord) -> LeaseWriteResult {
        let request_timeout = self.request_timeout;
        let error = match timeout(request_timeout, self.try_write(record)).await {
            Ok(Ok(())) => return LeaseWriteResult::Done,
            Ok(Err(error)) => error.to_string(),
            Err(elapsed) => elapsed.to_string(),
        };
        self.known_lease = KnownLease::Unknown;
        tracing::warn!(lease = %self.name, %error, "renewing the lease of a shard");
        LeaseWriteResult::Failed
    }

    async fn try_write(&mut self, record: &MemberRecord) -> kube_client::Result<()> {
        if matches!(self.known_lease, KnownLease::Unknown) {
            self.known_lease = self.api.get_opt(&self.name).await?.map_or(KnownLease::Absent, KnownLease::of);
        }
        // Written for people; members never read it.
        let now = Timestamp::now();
        let acquired = *self.acquired.get_or_insert(now);
        let mut lease = record.lease(&self.namespace, &self.name, &self.group, acquired, now);
        let before = std::mem::replace(&mut self.known_lease, KnownLease::Unknown);
        let written = match before {
            KnownLease::Version { uid, version } => {
                (lease.metadata.uid, lease.metadata.resource_version) = (Some(uid), Some(version));
                self.api.replace(&self.name, &PostParams::default(), &lease).await?
            }
            KnownLease::Absent | KnownLease::Unknown => {
                self.api.create(&PostParams::default(), &lease).await?
            }
        };
        self.known_lease = KnownLease::of(written);
        Ok(())
    }

    /// Deletes the own Lease. If that fails, the Lease expires by itself.
    pub(super) async fn delete_own(&mut self) {
        let KnownLease::Version { uid, version } = &self.known_lease else { return };
        let version = LeaseVersion { uid: uid.as_str().into(), version: version.as_str().into() };
        self.delete(&self.name, &version).await;
    }

    /// Deletes this version of a Lease.
    pub(super) async fn delete(&self, name: &str, version: &LeaseVersion) {
        let (uid, version) = (Some(version.uid.to_string()), Some(version.version.to_string()));
        let preconditions = Some(Preconditions { uid, resource_version: version });
        let params = DeleteParams { preconditions, ..DeleteParams::default() };
        match timeout(self.request_timeout, self.api.delete(name, &params)).await {
            Ok(Ok(_)) => tracing::debug!(lease = name, "removed the lease of a shard"),
            Ok(Err(error)) => tracing::debug!(lease = name, %error, "removing the lease of a shard"),
            Err(error) => tracing::debug!(lease = name, %error, "removing the lease of a shard"),
        }
    }
}

impl KnownLease {
    fn of(lease: Lease) -> KnownLease {
        match (lease.metadata.uid, lease.metadata.resource_version) {
            (Some(uid), Some(version)) => KnownLease::Version { uid, version },
            _ => KnownLease::Unknown,
        }
    }
}
