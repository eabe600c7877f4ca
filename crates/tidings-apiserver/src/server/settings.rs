//! What can be set about a server.

use std::time::Duration;

use crate::store::HistoryLimits;

/// What can be set about a server. The defaults are Kubernetes', where it has any.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// How much of the past each resource keeps.
    pub history: HistoryLimits,
    /// How often watches that take bookmarks get one, if there is a newer version to tell.
    pub bookmark_interval: Duration,
    /// How long a watch without `timeoutSeconds` runs at least; at most twice that.
    pub watch_timeout_min: Duration,
    /// How long a read at a version that was not given out yet waits for it.
    pub future_version_wait: Duration,
    /// Whether namespaces must exist before something is created in them.
    pub namespaces: Namespaces,
    /// Whether lists at version 0 are read as from a watch cache.
    pub watch_cache: WatchCache,
    /// Whether deleted pods on nodes go away.
    pub kubelet: Kubelet,
    /// Whether built-in kinds are told as protobuf to those who ask for it.
    pub protobuf: ProtobufAnswers,
    /// Largest body of a request.
    pub request_bytes_max: usize,
    /// How many requests are remembered.
    pub requests_recorded_max: usize,
    /// Where uids, generated names and spread timeouts come from.
    pub seed: u64,
}

/// Whether namespaces must exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// The first object in a namespace creates it: what tests want.
    OnDemand,
    /// 404 for an object in a namespace that does not exist: what Kubernetes does.
    Strict,
}

/// Whether there is a watch cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchCache {
    /// As by default: `limit` is ignored for lists at version 0.
    On,
    /// As with `--watch-cache=false`: these lists have pages.
    Off,
}

/// Whether somebody ends deleted pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kubelet {
    /// Deleted pods go away at once.
    Imitated,
    /// Deleted pods that have a node stay, with `deletionTimestamp`, until they are deleted without grace period.
    Absent,
}

/// Whether answers are given as protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtobufAnswers {
    /// Encoded when somebody asks, and kept while the change is new.
    OnDemand,
    /// Encoded once and kept with the object: twice the memory, for servers that are measured.
    Kept,
    /// JSON is all there is: those who accept nothing else get a 406.
    Refused,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            history: HistoryLimits::default(),
            bookmark_interval: Duration::from_secs(60),
            watch_timeout_min: Duration::from_secs(1800),
            future_version_wait: Duration::from_secs(3),
            namespaces: Namespaces::OnDemand,
            watch_cache: WatchCache::On,
            kubelet: Kubelet::Imitated,
            protobuf: ProtobufAnswers::OnDemand,
            request_bytes_max: 3 << 20,
            requests_recorded_max: 65_536,
            seed: 0,
        }
    }
}
