//! Configures and starts a server.

use std::net::SocketAddr;
use std::time::Duration;

use jiff::Timestamp;

use super::{
    ApiServer, Bootstrap, GarbageCollection, Kubelet, NamespaceDeletion, Namespaces, ProtobufResponses,
    ServerSettings, ShardSelectors, WatchCache,
};
use crate::auth::{Rights, Users};
use crate::server_clock::ServerClock;
use crate::store::HistoryLimits;

/// Configures and starts an [`ApiServer`].
///
/// ```
/// use tidings_apiserver::{ApiServer, Namespaces};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = ApiServer::builder().namespaces(Namespaces::Strict).seed(7).start().await;
/// # drop(server);
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ApiServerBuilder {
    settings: ServerSettings,
    users: Users,
    time: Option<Timestamp>,
}

impl ApiServerBuilder {
    /// How much history each resource keeps. A watch can start only from a version within the history.
    pub fn history(mut self, limits: HistoryLimits) -> Self {
        self.settings.history = limits;
        self
    }

    /// How often a watch that allows bookmarks gets one; 60 seconds if not set.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.settings.bookmark_interval = interval;
        self
    }

    /// The shortest time that a watch without `timeoutSeconds` runs; 30 minutes if not set. The longest is twice that.
    pub fn watch_timeout_min(mut self, timeout: Duration) -> Self {
        self.settings.watch_timeout_min = timeout;
        self
    }

    /// How long a read waits for a version that is newer than the server's; 3 seconds if not set.
    pub fn future_version_timeout(mut self, timeout: Duration) -> Self {
        self.settings.future_version_timeout = timeout;
        self
    }

    /// How many requests [`ApiServer::requests`] returns at most; 65,536 if not set. The oldest are dropped.
    pub fn recorded_requests_max(mut self, requests: usize) -> Self {
        self.settings.recorded_requests_max = requests;
        self
    }

    /// How many bytes of request bodies are recorded in total; 1 MiB if not set, 0 records none.
    ///
    /// The oldest bodies are dropped. Bodies of Secrets are never recorded.
    pub fn recorded_body_bytes_max(mut self, bytes: usize) -> Self {
        self.settings.recorded_body_bytes_max = bytes;
        self
    }

    /// Behaves as Kubernetes where the defaults are lenient, because a lenient server lets wrong programs pass.
    ///
    /// Sets [`Bootstrap::Kubernetes`], [`Namespaces::Strict`] and [`Kubelet::Absent`]. Later calls change single
    /// settings again.
    pub fn strict(self) -> Self {
        self.bootstrap(Bootstrap::Kubernetes).namespaces(Namespaces::Strict).kubelet(Kubelet::Absent)
    }

    /// Which objects a new server has; only namespaces if not set.
    pub fn bootstrap(mut self, bootstrap: Bootstrap) -> Self {
        self.settings.bootstrap = bootstrap;
        self
    }

    /// Who deletes the dependents of a deleted object; the server itself if not set.
    pub fn garbage_collection(mut self, garbage_collection: GarbageCollection) -> Self {
        self.settings.garbage_collection = garbage_collection;
        self
    }

    /// Whether a namespace must exist before an object is created in it.
    pub fn namespaces(mut self, namespaces: Namespaces) -> Self {
        self.settings.namespaces = namespaces;
        self
    }

    /// Whether lists at version 0 behave as with a watch cache.
    pub fn watch_cache(mut self, watch_cache: WatchCache) -> Self {
        self.settings.watch_cache = watch_cache;
        self
    }

    /// Whether `shardSelector` is applied; it is ignored if not set, as Kubernetes does by default.
    pub fn shard_selectors(mut self, shard_selectors: ShardSelectors) -> Self {
        self.settings.shard_selectors = shard_selectors;
        self
    }

    /// Whether a deleted pod that is bound to a node is removed at once.
    pub fn kubelet(mut self, kubelet: Kubelet) -> Self {
        self.settings.kubelet = kubelet;
        self
    }

    /// Who deletes the content of a deleted namespace: the server at once, or a controller later.
    pub fn namespace_deletion(mut self, namespace_deletion: NamespaceDeletion) -> Self {
        self.settings.namespace_deletion = namespace_deletion;
        self
    }

    /// Whether the server answers in protobuf.
    pub fn protobuf(mut self, responses: ProtobufResponses) -> Self {
        self.settings.protobuf = responses;
        self
    }

    /// The address of a Service that webhooks name, because there is no cluster network.
    ///
    /// `service` is `namespace/name` for all its ports, or `namespace/name:port` for one. A webhook whose Service has
    /// no address fails, and its failure policy decides.
    pub fn service_address(mut self, service: impl Into<String>, address: SocketAddr) -> Self {
        self.settings.services.insert(service.into(), address);
        self
    }

    /// The seed of all random choices: uids, generated names and watch timeouts.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// The server's time when it starts; the machine's time if not set.
    pub fn time(mut self, time: Timestamp) -> Self {
        self.time = Some(time);
        self
    }

    /// Adds a user, who is identified by a bearer token.
    pub fn user(mut self, name: impl Into<String>, token: impl Into<String>, rights: Rights) -> Self {
        self.users.add(name, token, rights);
        self
    }

    /// The rights of requests over a socket that have no token; without this they get a 401.
    pub fn anonymous(mut self, rights: Rights) -> Self {
        self.users.allow_anonymous(rights);
        self
    }

    /// Starts the server. It has no task: nothing runs until a request arrives.
    pub async fn start(self) -> ApiServer {
        let clock = self.time.map_or_else(ServerClock::system, ServerClock::starting_at);
        let server = ApiServer::new(self.settings, self.users, clock);
        server.core().bootstrap();
        server
    }
}
