//! How a server is set up.

use std::time::Duration;

use jiff::Timestamp;

use super::{ApiServer, Kubelet, Namespaces, ProtobufAnswers, ServerSettings, WatchCache};
use crate::auth::{Rights, Users};
use crate::server_clock::ServerClock;
use crate::store::HistoryLimits;

/// A server that is being set up.
#[derive(Clone, Debug, Default)]
pub struct ApiServerBuilder {
    settings: ServerSettings,
    users: Users,
    time: Option<Timestamp>,
}

impl ApiServerBuilder {
    /// All settings at once.
    pub fn settings(mut self, settings: ServerSettings) -> Self {
        self.settings = settings;
        self
    }

    /// How much of the past each resource keeps.
    pub fn history(mut self, limits: HistoryLimits) -> Self {
        self.settings.history = limits;
        self
    }

    /// How often watches get bookmarks.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.settings.bookmark_interval = interval;
        self
    }

    /// Whether namespaces must exist before something is created in them.
    pub fn namespaces(mut self, namespaces: Namespaces) -> Self {
        self.settings.namespaces = namespaces;
        self
    }

    /// Whether lists at version 0 are read as from a watch cache.
    pub fn watch_cache(mut self, watch_cache: WatchCache) -> Self {
        self.settings.watch_cache = watch_cache;
        self
    }

    /// Whether deleted pods on nodes go away.
    pub fn kubelet(mut self, kubelet: Kubelet) -> Self {
        self.settings.kubelet = kubelet;
        self
    }

    /// Whether built-in kinds are told as protobuf.
    pub fn protobuf(mut self, answers: ProtobufAnswers) -> Self {
        self.settings.protobuf = answers;
        self
    }

    /// Where uids, generated names and spread timeouts come from.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// What time it is when the server starts; the machine's time if not set.
    pub fn time(mut self, time: Timestamp) -> Self {
        self.time = Some(time);
        self
    }

    /// Another user, known by a bearer token.
    pub fn user(mut self, name: impl Into<String>, token: impl Into<String>, rights: Rights) -> Self {
        self.users.add(name, token, rights);
        self
    }

    /// What callers over sockets may do who show no token; without this they get a 401.
    pub fn anonymous(mut self, rights: Rights) -> Self {
        self.users.allow_anonymous(rights);
        self
    }

    /// Starts the server. Nothing runs until it is asked something.
    pub async fn start(self) -> ApiServer {
        let clock = self.time.map_or_else(ServerClock::system, ServerClock::starting_at);
        let server = ApiServer::new(self.settings, self.users, clock);
        for namespace in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            server.core().ensure_namespace(namespace);
        }
        server
    }
}
