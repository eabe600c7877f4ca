//! The settings of a server. [`ApiServerBuilder`](super::ApiServerBuilder) sets them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::store::HistoryLimits;

/// The settings of a server. The defaults are those of Kubernetes, where it has any.
#[derive(Clone, Debug)]
pub(crate) struct ServerSettings {
    pub(crate) history: HistoryLimits,
    /// How often a watch that allows bookmarks gets one. Skipped while there is no newer version.
    pub(crate) bookmark_interval: Duration,
    /// The shortest time that a watch without `timeoutSeconds` runs. The longest is twice that.
    pub(crate) watch_timeout_min: Duration,
    /// How long a read waits for a version that is newer than the server's.
    pub(crate) future_version_timeout: Duration,
    pub(crate) bootstrap: Bootstrap,
    pub(crate) namespaces: Namespaces,
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) watch_cache: WatchCache,
    pub(crate) shard_selectors: ShardSelectors,
    pub(crate) kubelet: Kubelet,
    pub(crate) namespace_deletion: NamespaceDeletion,
    pub(crate) protobuf: ProtobufResponses,
    pub(crate) request_bytes_max: usize,
    pub(crate) recorded_requests_max: usize,
    pub(crate) recorded_body_bytes_max: usize,
    pub(crate) seed: u64,
    /// The addresses of Services that webhooks name: by `namespace/name` or `namespace/name:port`.
    pub(crate) services: BTreeMap<String, SocketAddr>,
}

impl ServerSettings {
    /// The address of a Service's port: that of the port, else that of the whole Service.
    pub(crate) fn service_address(&self, service: &str, port: u64) -> Option<SocketAddr> {
        let of_port = self.services.get(&format!("{service}:{port}"));
        of_port.or_else(|| self.services.get(service)).copied()
    }
}

/// Which objects a new server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bootstrap {
    /// The namespaces `default`, `kube-system`, `kube-public` and `kube-node-lease`, and nothing else.
    Namespaces,
    /// Also what a new Kubernetes cluster has: the Service `kubernetes` with its endpoints, the roles and bindings of
    /// RBAC, the system priority classes, component statuses, and in each namespace, also in later ones, the
    /// ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`.
    Kubernetes,
    /// What kube-apiserver creates itself: as `Kubernetes`, without the ServiceAccounts and `kube-root-ca.crt`, which
    /// controllers create. As in envtest.
    ApiServer,
}

/// Whether a namespace must exist before an object is created in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Namespaces {
    /// The first object in a namespace creates the namespace. Convenient for tests.
    OnDemand,
    /// Creating an object in a missing namespace is a 404, as in Kubernetes.
    Strict,
}

/// Whether the server behaves as with or without a watch cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchCache {
    /// The default of kube-apiserver: a list at version 0 ignores `limit`.
    On,
    /// As with `--watch-cache=false`: a list at version 0 has pages.
    Off,
}

/// Whether `shardSelector` selects the objects of lists and watches (KEP-5866).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardSelectors {
    /// The default of kube-apiserver up to 1.37: the parameter is ignored silently, and all objects are sent.
    Ignored,
    /// As with `--feature-gates=ShardedListAndWatch=true`, which is alpha in 1.36 and 1.37: ranges of the hashes of uids
    /// or namespaces are applied, and lists of built-in kinds report them in `metadata.shardInfo`.
    Applied,
}

/// Whether a kubelet is imitated, which stops deleted pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kubelet {
    /// A deleted pod is removed at once.
    Imitated,
    /// A deleted pod that is bound to a node stays, with a `deletionTimestamp`, until it is deleted with grace period
    /// 0.
    Absent,
}

/// Who deletes the dependents of a deleted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GarbageCollection {
    /// The server, before it answers the deletion. Tests need not wait, and do not see the states in between.
    Synchronous,
    /// A controller, later, as in Kubernetes. The server only sets the finalizers `foregroundDeletion` and `orphan`;
    /// without such a controller, dependents stay.
    External,
}

/// Who deletes the content of a deleted namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamespaceDeletion {
    /// The server, before it answers the deletion.
    Synchronous,
    /// A controller, later, as in Kubernetes. The namespace is `Terminating` until a request to its subresource
    /// `finalize` empties `spec.finalizers`.
    External,
}

/// Whether the server answers in protobuf, and how long it keeps encoded objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtobufResponses {
    /// An object is encoded when a client requests it, and the bytes are kept while its last change is recent.
    OnDemand,
    /// An object is encoded once and the bytes are kept as long as the object. Takes twice the memory; for benchmarks.
    Kept,
    /// The server answers in JSON only. A client that accepts only protobuf gets a 406.
    Refused,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            history: HistoryLimits::default(),
            bookmark_interval: Duration::from_secs(60),
            watch_timeout_min: Duration::from_secs(1800),
            future_version_timeout: Duration::from_secs(3),
            bootstrap: Bootstrap::Namespaces,
            namespaces: Namespaces::OnDemand,
            garbage_collection: GarbageCollection::Synchronous,
            watch_cache: WatchCache::On,
            shard_selectors: ShardSelectors::Ignored,
            kubelet: Kubelet::Imitated,
            namespace_deletion: NamespaceDeletion::Synchronous,
            protobuf: ProtobufResponses::OnDemand,
            request_bytes_max: 3 << 20,
            recorded_requests_max: 65_536,
            recorded_body_bytes_max: 1 << 20,
            seed: 0,
            services: BTreeMap::new(),
        }
    }
}
