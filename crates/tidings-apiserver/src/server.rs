//! The server itself: what it is made of, how it starts, and how a test reaches into it.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio::sync::watch;

use crate::auth::Users;
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

pub use builder::ApiServerBuilder;
pub use direct::LoadResult;
pub(crate) use in_process::ConnectionRefused;
pub use in_process::InProcess;
pub use lagging::LaggingServer;
pub use settings::{Kubelet, Namespaces, ProtobufAnswers, ServerSettings, WatchCache};

pub(crate) use route::{Authentication, handle};

use lagging::Leader;

/// The longest duration that is added to an instant.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A Kubernetes API server in this process.
///
/// Clones are handles on the same server. When the last one is dropped, running requests are cut and new ones refused.
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

/// What all handles share; its end is the server's.
struct CloseOnDrop {
    core: Arc<Core>,
}

/// What requests work on.
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) registry: ResourceRegistry,
    pub(crate) clock: ServerClock,
    pub(crate) settings: ServerSettings,
    pub(crate) faults: Faults,
    pub(crate) request_log: RequestLog,
    pub(crate) users: Users,
    pub(crate) terminating_namespaces: TerminatingNamespaces,
    pub(crate) foreground_deletions: ForegroundDeletions,
    rng: Mutex<SmallRng>,
    closed: watch::Sender<bool>,
    /// The server that this one lags behind.
    leader: Option<Leader>,
    /// Those that lag behind this one.
    followers: Mutex<Vec<Weak<Core>>>,
}

impl ApiServer {
    /// A server with the usual settings and nothing in it.
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// A server with settings of its own.
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

    /// The `tower` service: no socket, no task.
    pub fn service(&self) -> InProcess {
        InProcess::new(Arc::clone(self.core()))
    }

    /// A client that calls the server in this process, as an administrator.
    ///
    /// Must be called inside a tokio runtime: kube's client has a worker of its own.
    pub fn client(&self) -> kube_client::Client {
        kube_client::Client::new(self.service(), "default")
    }

    /// A client that calls the server in this process as the user of this token.
    pub fn client_with_token(&self, token: &str) -> kube_client::Client {
        kube_client::Client::new(self.service().with_token(token), "default")
    }

    /// What goes wrong, and how often it did.
    pub fn faults(&self) -> &Faults {
        &self.core().faults
    }

    /// The requests so far, oldest first, as far as they are kept.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.core().request_log.all()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.core().request_log.clear();
    }

    /// The newest version given out.
    pub fn version(&self) -> u64 {
        self.core().store.version()
    }

    /// Gives out a version without changing anything, as writes to other resources would.
    pub fn skip_version(&self) -> u64 {
        self.core().store.skip_version()
    }

    /// How large the store is.
    pub fn size(&self) -> StoreSize {
        self.core().store.size()
    }

    /// Forgets all history: every version given out so far is too old afterwards.
    pub fn expire_history(&self) {
        let core = self.core();
        core.store.skip_version();
        core.store.compact(None);
        core.followers().iter().for_each(|follower| follower.store.compact(None));
        core.faults.increment("expire-history");
    }

    /// The whole state, to go back to later.
    pub fn save(&self) -> SavedState {
        self.core().store.save()
    }

    /// Goes back to an earlier state and ends all watches; versions are given out again.
    pub fn restore(&self, saved: &SavedState) {
        self.core().store.restore(saved);
        self.core().followers().iter().for_each(|follower| follower.follow_restored(saved));
        self.core().faults.increment("go-back");
    }

    /// Cuts running requests and refuses new ones.
    pub fn close(&self) {
        self.core().close();
    }
}

impl Core {
    fn new(settings: ServerSettings, users: Users, clock: ServerClock, leader: Option<Leader>) -> Self {
        Core {
            store: Store::new(settings.history),
            registry: ResourceRegistry::builtin(),
            clock,
            faults: Faults::new(),
            request_log: RequestLog::new(settings.requests_recorded_max),
            users,
            terminating_namespaces: TerminatingNamespaces::default(),
            foreground_deletions: ForegroundDeletions::default(),
            rng: Mutex::new(SmallRng::seed_from_u64(settings.seed)),
            closed: watch::Sender::new(false),
            leader,
            followers: Mutex::default(),
            settings,
        }
    }

    /// How long a watch runs: as asked for, or at least the server's minimum, spread so that not all end at once.
    pub(crate) fn watch_timeout(&self, requested_seconds: Option<u64>) -> Duration {
        match requested_seconds {
            Some(seconds) => Duration::from_secs(seconds).min(YEAR),
            None => {
                let stretch = 1.0 + self.rng.lock().random::<f64>();
                self.settings.watch_timeout_min.min(YEAR).mul_f64(stretch)
            }
        }
    }

    /// How often a watch gets a bookmark. Capped, so that it can be added to any instant.
    pub(crate) fn bookmark_interval(&self) -> Duration {
        self.settings.bookmark_interval.min(YEAR)
    }

    /// A number from the server's seed.
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
