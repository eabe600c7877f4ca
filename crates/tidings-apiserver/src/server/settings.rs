//! The settings of a server. [`ApiServerBuilder`](super::ApiServerBuilder) sets them.

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
    pub(crate) namespaces: Namespaces,
    pub(crate) watch_cache: WatchCache,
    pub(crate) kubelet: Kubelet,
    pub(crate) protobuf: ProtobufAnswers,
    pub(crate) request_bytes_max: usize,
    pub(crate) recorded_requests_max: usize,
    pub(crate) recorded_body_bytes_max: usize,
    pub(crate) seed: u64,
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

/// Whether the server answers in protobuf, and how long it keeps encoded objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtobufAnswers {
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
            namespaces: Namespaces::OnDemand,
            watch_cache: WatchCache::On,
            kubelet: Kubelet::Imitated,
            protobuf: ProtobufAnswers::OnDemand,
            request_bytes_max: 3 << 20,
            recorded_requests_max: 65_536,
            recorded_body_bytes_max: 1 << 20,
            seed: 0,
        }
    }
}
