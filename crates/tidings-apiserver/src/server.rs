//! The server: its shared state, its start and end, and the methods with which tests control it.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio::sync::watch;

use crate::auth::Users;
use crate::auth::service_account::SigningKey;
use crate::fault::{Ending, Faults};
use crate::registry::ResourceRegistry;
use crate::request_log::{RecordedRequest, RequestLog};
use crate::server_clock::ServerClock;
use crate::store::{SavedState, Store, StoreSize};
use crate::sync::Mutex;
use crate::write::{ForegroundDeletions, TerminatingNamespaces};

mod builder;
mod direct;
mod documents;
mod in_process;
mod lagging;
mod route;
mod settings;
mod state;

pub use builder::ApiServerBuilder;
pub(crate) use in_process::ConnectionRefused;
pub use in_process::InProcess;
pub use lagging::LaggingServer;
pub(crate) use settings::ServerSettings;
pub use settings::{
    Bootstrap, GarbageCollection, Kubelet, NamespaceDeletion, Namespaces, ProtobufResponses, ShardSelectors,
    WatchCache,
};
pub use state::StateError;

pub(crate) use route::{Authentication, handle};

use lagging::Leader;

/// The longest timeout. Larger ones are capped, so that adding them to an `Instant` can't overflow.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A Kubernetes API server in this process.
///
/// Clones are handles of the same server. When the last one is dropped, the server closes: it ends running requests and
/// refuses new ones.
///
/// ```
/// use tidings_apiserver::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::start().await;
/// server.put("pods", serde_json::json!({ "metadata": { "namespace": "default", "name": "web-0" } }));
/// let client = server.client(); // a kube client without a socket, which works in paused time too
/// assert_eq!(client.apiserver_version().await?.major, "1");
/// assert!(server.object("pods", "default/web-0").is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ApiServer {
    handle: Arc<CloseOnDrop>,
}

/// Closes the server when the last handle is dropped.
struct CloseOnDrop {
    core: Arc<Core>,
}

/// The state of a server, shared by all requests.
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) registry: Arc<ResourceRegistry>,
    pub(crate) clock: ServerClock,
    pub(crate) settings: ServerSettings,
    pub(crate) faults: Faults,
    pub(crate) request_log: RequestLog,
    pub(crate) users: Users,
    pub(crate) signing_key: SigningKey,
    /// The certificate authority of the newest socket in PEM; empty if there is none.
    pub(crate) root_ca: Mutex<String>,
    pub(crate) terminating_namespaces: TerminatingNamespaces,
    pub(crate) foreground_deletions: ForegroundDeletions,
    /// The number of the last cluster address that a Service got.
    service_addresses: Mutex<u32>,
    rng: Mutex<SmallRng>,
    closed: watch::Sender<bool>,
    /// The server whose changes this one applies, if this is a lagging server.
    leader: Option<Leader>,
    /// The servers that lag behind this one.
    followers: Mutex<Vec<Weak<Core>>>,
}

impl ApiServer {
    /// Starts a server with default settings and without objects.
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// Configures a server before it starts.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    fn new(settings: ServerSettings, users: Users, clock: ServerClock) -> Self {
        let core = Arc::new(Core::new(settings, users, clock, None));
        Self { handle: Arc::new(CloseOnDrop { core }) }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.handle.core
    }

    /// The in-process transport, as a `tower` service.
    pub fn service(&self) -> InProcess {
        InProcess::new(Arc::clone(self.core()))
    }

    /// A kube client over the in-process transport, as an administrator.
    ///
    /// Call it inside a tokio runtime: kube's client spawns a worker task.
    pub fn client(&self) -> kube_client::Client {
        kube_client::Client::new(self.service(), "default")
    }

    /// A kube client over the in-process transport, with this bearer token.
    pub fn client_with_token(&self, token: &str) -> kube_client::Client {
        kube_client::Client::new(self.service().with_token(token), "default")
    }

    /// Fault injection.
    pub fn faults(&self) -> &Faults {
        &self.core().faults
    }

    /// The requests that the server received, oldest first, with their bodies.
    ///
    /// Bounded by [`recorded_requests_max`](ApiServerBuilder::recorded_requests_max) and
    /// [`recorded_body_bytes_max`](ApiServerBuilder::recorded_body_bytes_max). Bodies of Secrets are not recorded.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.core().request_log.all()
    }

    /// All recorded requests as text, one line each: who asked what, when, and what was answered. For the message of a
    /// failed test; clients of a socket get the same text at `/tidings/requests`.
    pub fn request_report(&self) -> String {
        self.core().request_log.report()
    }

    /// Clears the record of requests.
    pub fn clear_requests(&self) {
        self.core().request_log.clear();
    }

    /// The newest version that the server assigned.
    pub fn version(&self) -> u64 {
        self.core().store.version()
    }

    /// Assigns a version without a change, as a write to an unrelated resource does.
    pub fn skip_version(&self) -> u64 {
        self.core().store.skip_version()
    }

    /// Who deletes the dependents of a deleted object.
    pub fn garbage_collection(&self) -> GarbageCollection {
        self.core().settings.garbage_collection
    }

    /// The size of the store.
    pub fn size(&self) -> StoreSize {
        self.core().store.size()
    }

    /// Drops all history. A watch from any version assigned so far then gets a 410.
    pub fn expire_history(&self) {
        let core = self.core();
        core.store.skip_version();
        core.store.compact(None);
        core.followers().iter().for_each(|follower| follower.store.compact(None));
        core.faults.increment("expire-history");
    }

    /// A copy of the whole state, for [`restore`](Self::restore).
    pub fn save(&self) -> SavedState {
        self.core().store.save()
    }

    /// Goes back to a saved state and ends all watches, as an etcd that is restored from a backup does.
    ///
    /// The server then assigns versions again that it had assigned before.
    pub fn restore(&self, saved: &SavedState) {
        self.core().store.restore(saved);
        self.core().followers().iter().for_each(|follower| follower.follow_restored(saved));
        self.core().faults.increment("go-back");
    }

    /// Ends running requests and refuses new ones.
    pub fn close(&self) {
        self.core().close();
    }
}

impl Core {
    fn new(settings: ServerSettings, users: Users, clock: ServerClock, leader: Option<Leader>) -> Self {
        // A lagging server serves the same resources at once: only objects lag.
        let registry = leader.as_ref().map(|leader| Arc::clone(leader.registry()));
        let rng = SmallRng::seed_from_u64(settings.seed);
        // A generator of its own, so that uids do not depend on it.
        let secret = SmallRng::seed_from_u64(rng.clone().random::<u64>() ^ 0x5349_474e).random();
        Core {
            store: Store::new(settings.history),
            registry: registry.unwrap_or_else(|| Arc::new(ResourceRegistry::builtin())),
            clock,
            faults: Faults::new(),
            request_log: RequestLog::new(settings.recorded_requests_max, settings.recorded_body_bytes_max),
            users,
            signing_key: SigningKey::new(secret),
            root_ca: Mutex::default(),
            terminating_namespaces: TerminatingNamespaces::default(),
            foreground_deletions: ForegroundDeletions::default(),
            service_addresses: Mutex::new(1),
            rng: Mutex::new(rng),
            closed: watch::Sender::new(false),
            leader,
            followers: Mutex::default(),
            settings,
        }
    }

    /// How long a watch runs: as requested, else a random time between the minimum and twice the minimum, so that not
    /// all watches end at the same time.
    pub(crate) fn watch_timeout(&self, requested_seconds: Option<u64>) -> Duration {
        match requested_seconds {
            Some(seconds) => Duration::from_secs(seconds).min(YEAR),
            None => {
                let stretch = 1.0 + self.rng.lock().random::<f64>();
                self.settings.watch_timeout_min.min(YEAR).mul_f64(stretch)
            }
        }
    }

    pub(crate) fn bookmark_interval(&self) -> Duration {
        self.settings.bookmark_interval.min(YEAR)
    }

    /// A number for the cluster address of a Service that no Service had before.
    pub(crate) fn next_service_address(&self) -> u32 {
        let mut last = self.service_addresses.lock();
        *last = last.wrapping_add(1);
        *last
    }

    pub(crate) fn random(&self) -> u64 {
        self.rng.lock().random()
    }

    /// A new version 4 UUID from the server's seed.
    pub(crate) fn new_uid(&self) -> String {
        let bits: u128 = self.rng.lock().random();
        let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
        let hex = format!("{bits:032x}");
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    fn close(&self) {
        if !self.closed.send_replace(true) {
            self.faults.end_watches(Ending::Broken);
            self.followers().iter().for_each(|follower| follower.close());
        }
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.core.close();
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("version", &self.version())
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}
