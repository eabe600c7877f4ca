//! The manager: several controllers on one factory, from the first list to the last reconcile.
//!
//! It starts what a controller needs in the order in which it is needed, and ends it in the opposite one: informers,
//! filled caches, leadership, workers. Nothing that it started runs any more when it returns.

mod controllers;
mod endpoints;
mod leader_elector;
mod probes;
mod run;
mod signals;
mod tasks;

use std::fmt;
use std::time::Duration;

use tidings_factory::{NotSynced, SharedInformerFactory};
use tidings_informer::informer::InformerFailure;
use tidings_util::WithCauses;
use tokio_util::sync::CancellationToken;

use crate::controller::Controller;
use crate::election::{Election, ElectionError, GuardError, OnOverrun};
use crate::error::ControllerError;
use endpoints::EndpointOptions;
use tasks::Runnable;

/// A clock reaches no further than it must.
const GRACEFUL_SHUTDOWN_TIMEOUT_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Runs controllers, with everything around them.
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_controller::{Action, Context, Controller, Election, Error, Manager, Request};
/// use tidings_factory::SharedInformerFactory;
///
/// async fn reconcile(request: Request, _context: Context) -> Result<Action, Error> {
///     println!("{request} has changed");
///     Ok(Action::await_change())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let factory = SharedInformerFactory::new(tidings_apiserver::ApiServer::start().await.client());
/// # let signal = std::future::ready(());
/// let manager = Manager::new(factory)
///     .controller(Controller::for_kind::<ConfigMap>("settings").reconcile(reconcile))
///     .election(Election::new("settings-controller").namespace("default"))
///     .endpoints(([127, 0, 0, 1], 0))
///     .graceful_shutdown_timeout(Duration::from_secs(10));
/// manager.run_until(signal).await?; // or run(), which waits for SIGTERM or Ctrl-C
/// # Ok(())
/// # }
/// ```
///
/// # The order of things
///
/// 1. Endpoints answer and [runnables](Self::runnable) start. `/readyz` fails.
/// 2. Informers start. Caches fill, and changes make requests that wait on the queues.
/// 3. Every cache is filled, within the [sync timeout](Self::sync_timeout). `/readyz` passes, on every replica.
/// 4. With an [election](Self::election), the replica waits until it leads. Its caches follow the server meanwhile: it
///    takes over warm.
/// 5. Workers work.
///
/// # How it ends
///
/// Whatever it runs is asked to end, and nothing ends without being asked: if an informer, a controller, a runnable, the
/// election or the server of the endpoints does so, by a panic or otherwise, `/healthz` and `/readyz` fail with the
/// cause, everything else is stopped in order, and `run` returns the cause as its error. A runnable may end with `Ok`.
///
/// Told to stop, workers take nothing new and finish what they have. What has not ended after the
/// [graceful stop](Self::graceful_shutdown_timeout) is dropped at its next await; its requests are made again by whoever starts
/// next. Then the lease is released, runnables end, informers stop, and last the endpoints. A reconcile that blocks its
/// thread and never awaits can't be ended: `run` waits for it, since somebody else must not work meanwhile, and a
/// second signal ends the process.
///
/// Losing leadership ends the workers at their next await, and `run` returns [`ManagerError::LeadershipLost`]. If one
/// has still not ended when the lease could be another's, the process is aborted, or [told](Self::on_overrun).
#[must_use = "a manager does nothing unless it runs"]
pub struct Manager {
    factory: SharedInformerFactory,
    controllers: Vec<Controller>,
    runnables: Vec<Runnable>,
    election: Option<Election>,
    on_overrun: OnOverrun,
    endpoints: EndpointOptions,
    sync_timeout: Duration,
    graceful_shutdown_timeout: Duration,
}

/// Why a manager did not start, or has ended before it was told to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// A controller is not as it should be, or has ended.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// Logs and metrics could not tell two controllers apart.
    #[error("two controllers are called {name:?}")]
    SameName {
        /// The name.
        name: String,
    },
    /// The election is not as it should be.
    #[error("holding the election: {0}")]
    Election(ElectionError),
    /// The endpoints can't be served.
    #[cfg(feature = "endpoints")]
    #[error("serving the endpoints: {0}")]
    Endpoints(tidings_endpoints::ServeError),
    /// The caches were not filled in time.
    #[error("the caches were not filled in {after:?}: {source}")]
    NotSynced {
        /// How long they were waited for.
        after: Duration,
        /// Which, and why.
        r#source: NotSynced,
    },
    /// The term could not be guarded.
    #[error("beginning to work as the leader: {0}")]
    Guard(GuardError),
    /// Another replica may lead now: start again as a candidate.
    #[error("leadership of {election:?} was lost")]
    LeadershipLost {
        /// The election.
        election: String,
    },
    /// A runnable gave an error.
    #[error("running {name:?}: {}", WithCauses(.source.as_ref()))]
    Runnable {
        /// The runnable.
        name: String,
        /// Why.
        r#source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A controller, a runnable, the election or the server of the endpoints panicked.
    #[error("{name:?} panicked: {message}")]
    Panicked {
        /// Which.
        name: String,
        /// The panic's message.
        message: String,
    },
    /// An informer no longer follows the server, although nobody stopped it: its task panicked, or one of its lists and
    /// watches panicked or gave up.
    #[error(transparent)]
    Informer(InformerFailure),
    /// No signals can be received.
    #[error("listening for signals: {0}")]
    Signals(std::io::Error),
}

impl Manager {
    /// How long the caches may take to be filled, unless told otherwise.
    pub const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

    /// How long workers may take to finish, unless told otherwise: within the 30 s that a pod is given by default, there
    /// is time for the rest.
    pub const GRACEFUL_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

    /// A manager of controllers over this factory. Informers that were asked of it, and not started, are started too.
    pub fn new(factory: SharedInformerFactory) -> Self {
        Manager {
            factory,
            controllers: Vec::new(),
            runnables: Vec::new(),
            election: None,
            on_overrun: OnOverrun::default(),
            endpoints: EndpointOptions::default(),
            sync_timeout: Self::SYNC_TIMEOUT,
            graceful_shutdown_timeout: Self::GRACEFUL_SHUTDOWN_TIMEOUT,
        }
    }

    /// Runs this controller.
    pub fn controller(mut self, controller: Controller) -> Self {
        self.controllers.push(controller);
        self
    }

    /// Lets workers work only while this replica leads. Without it, every replica works.
    pub fn election(mut self, election: Election) -> Self {
        self.election = Some(election);
        self
    }

    /// What happens if work outlasts the lease; the process is aborted unless told otherwise.
    pub fn on_overrun(mut self, on_overrun: OnOverrun) -> Self {
        self.on_overrun = on_overrun;
        self
    }

    /// Serves `/metrics`, `/healthz`, `/readyz` and `/informers` on this address. It is plain HTTP that everyone who
    /// reaches it can read.
    #[cfg(feature = "endpoints")]
    pub fn endpoints(mut self, address: impl Into<std::net::SocketAddr>) -> Self {
        self.endpoints.address = Some(address.into());
        self
    }

    /// Shows these metrics at `/metrics` as well, runnables those of informers, queues, controllers and election, which keep
    /// their documented names: a prefix or labels of this registry are for what is registered in it.
    #[cfg(feature = "endpoints")]
    pub fn registry(mut self, registry: prometheus_client::registry::Registry) -> Self {
        self.endpoints.registry = registry;
        self
    }

    /// Fails `/healthz` while this fails: say so only of what a restart would mend. It must answer at once.
    #[cfg(feature = "endpoints")]
    pub fn health_check<E: fmt::Display>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let check = move || check().map_err(|error| error.to_string());
        self.endpoints.health.push((name.into(), Box::new(check)));
        self
    }

    /// Fails `/readyz` while this fails. It must answer at once.
    #[cfg(feature = "endpoints")]
    pub fn readiness_check<E: fmt::Display>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let check = move || check().map_err(|error| error.to_string());
        self.endpoints.readiness.push((name.into(), Box::new(check)));
        self
    }

    /// Runs something else runnables the controllers, such as a webhook's server or the task of a
    /// [`Sharding`](crate::Sharding): from the first moment, on every replica, until the token is cancelled. It may end
    /// before; an error or a panic ends the manager.
    pub fn runnable<F, E>(
        mut self,
        name: impl Into<String>,
        run: impl FnOnce(CancellationToken) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.runnables.push(Runnable::new(name.into(), run));
        self
    }

    /// How long the caches may take to be filled before the manager gives up; two minutes if not given.
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.sync_timeout = timeout;
        self
    }

    /// How long workers may take to finish what they have when the manager stops; 20 s if not given, a year at most.
    pub fn graceful_shutdown_timeout(mut self, deadline: Duration) -> Self {
        self.graceful_shutdown_timeout = deadline.min(GRACEFUL_SHUTDOWN_TIMEOUT_MAX);
        self
    }

    /// Runs until SIGTERM or Ctrl-C. A second signal ends the process at once, with exit code 143 or 130, whatever its
    /// threads do; the lease is then left to expire.
    pub async fn run(self) -> Result<(), ManagerError> {
        let signals = signals::SignalListener::listen().map_err(ManagerError::Signals)?;
        self.run_until(signals.first()).await
    }

    /// Runs until this future ends. Dropping it before cuts everything off: the lease is not released then.
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> Result<(), ManagerError> {
        run::run(self, stop).await
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("controllers", &self.controllers)
            .field("election", &self.election)
            .finish_non_exhaustive()
    }
}
