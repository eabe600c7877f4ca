//! The requests about Leases: writes into the own one, in the order in which they were begun, and the removal of it
//! and of dead members' ones.
//!
//! A write whose answer got lost may reach the server later than one thinks, but never after a later write: each
//! names the version that it replaces.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube_client::{Api, Client};
use kube_core::params::{DeleteParams, PostParams, Preconditions};
use tokio::time::timeout;

use super::member::Answer;
use super::peers::Stamp;
use super::record::Record;

/// The own Lease, and the way to the others.
pub(super) struct LeaseWriter {
    api: Api<Lease>,
    namespace: Arc<str>,
    group: Arc<str>,
    name: Arc<str>,
    /// No request is waited for longer.
    request_timeout: Duration,
    acquired: Option<Timestamp>,
    known: Known,
}

/// What is known of the own Lease on the server.
enum Known {
    /// There is none.
    Nothing,
    /// There may be one of any version.
    Unsure,
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
        LeaseWriter { api, namespace, group, name, request_timeout, acquired: None, known: Known::Nothing }
    }

    /// Writes a record into the own Lease, within the time of one request.
    pub(super) async fn write(&mut self, record: &Record) -> Answer {
        let request_timeout = self.request_timeout;
        let error = match timeout(request_timeout, self.try_write(record)).await {
            Ok(Ok(())) => return Answer::Done,
            Ok(Err(error)) => error.to_string(),
            Err(elapsed) => elapsed.to_string(),
        };
        self.known = Known::Unsure;
        tracing::warn!(lease = %self.name, %error, "renewing the lease of a shard");
        Answer::Failed
    }

    async fn try_write(&mut self, record: &Record) -> kube_client::Result<()> {
        if matches!(self.known, Known::Unsure) {
            self.known = self.api.get_opt(&self.name).await?.map_or(Known::Nothing, Known::of);
        }
        // For people: nobody judges by it.
        let now = Timestamp::now();
        let acquired = *self.acquired.get_or_insert(now);
        let mut lease = record.lease(&self.namespace, &self.name, &self.group, acquired, now);
        let before = std::mem::replace(&mut self.known, Known::Unsure);
        let written = match before {
            Known::Version { uid, version } => {
                (lease.metadata.uid, lease.metadata.resource_version) = (Some(uid), Some(version));
                self.api.replace(&self.name, &PostParams::default(), &lease).await?
            }
            Known::Nothing | Known::Unsure => self.api.create(&PostParams::default(), &lease).await?,
        };
        self.known = Known::of(written);
        Ok(())
    }

    /// Takes the own Lease away. If it can't be, it expires.
    pub(super) async fn remove(&mut self) {
        let Known::Version { uid, version } = &self.known else { return };
        let stamp = Stamp { uid: uid.as_str().into(), version: version.as_str().into() };
        self.clear(&self.name, &stamp).await;
    }

    /// Takes away one version of a Lease.
    pub(super) async fn clear(&self, name: &str, stamp: &Stamp) {
        let (uid, version) = (Some(stamp.uid.to_string()), Some(stamp.version.to_string()));
        let preconditions = Some(Preconditions { uid, resource_version: version });
        let params = DeleteParams { preconditions, ..DeleteParams::default() };
        match timeout(self.request_timeout, self.api.delete(name, &params)).await {
            Ok(Ok(_)) => tracing::debug!(lease = name, "removed the lease of a shard"),
            Ok(Err(error)) => tracing::debug!(lease = name, %error, "removing the lease of a shard"),
            Err(error) => tracing::debug!(lease = name, %error, "removing the lease of a shard"),
        }
    }
}

impl Known {
    fn of(lease: Lease) -> Known {
        match (lease.metadata.uid, lease.metadata.resource_version) {
            (Some(uid), Some(version)) => Known::Version { uid, version },
            _ => Known::Unsure,
        }
    }
}
