//! The manager: runs controllers on one factory, from the first list to the last reconcile.
//!
//! It starts informers, leadership and workers in this order, and stops them in the opposite order. Nothing that it
//! started is still running when it returns.

mod controllers;
mod endpoints;
mod leader_elector;
mod probes;
mod run;
mod signals;
mod tasks;

use std::fmt;
use std::time::Duration;

use tidings_factory::SharedInformerFactory;
use tidings_informer::{InformerError, WaitError};
use tidings_util::WithCauses;
use tokio_util::sync::CancellationToken;

use crate::controller::{Controller, ControllerHandle};
use crate::election::{Election, OnOverrun};
use crate::error::ControllerError;
use crate::lease_error::LeaseError;
use controllers::ControllerSet;
use endpoints::EndpointOptions;
use tasks::Runnable;

/// The default of [`Manager::sync_timeout`].
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// The default of [`Manager::graceful_shutdown_timeout`]. Kubernetes kills a pod after 30 s by default, which leaves
/// 10 s for the rest of the stop.
const GRACEFUL_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// A longer timeout is shortened to this, so that adding it to an `Instant` can't overflow.
const GRACEFUL_SHUTDOWN_TIMEOUT_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Runs controllers together with their informers, leader election and endpoints.
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
/// # Start
///
/// 1. The endpoints answer and the [runnables](Self::runnable) start. `/readyz` fails.
/// 2. The informers start. Caches fill, and changes add requests to the queues, where they wait.
/// 3. All caches are filled and the handlers of all controllers have processed the first lists, within the
///    [sync timeout](Self::sync_timeout). `/readyz` passes, on every replica.
/// 4. With an [election](Self::election), the replica waits until it leads. Its caches follow the server meanwhile, so
///    it needs no list when it takes over.
/// 5. The workers of all controllers start.
///
/// # Stop
///
/// A stop runs in this order: workers finish their current request and take no new one, the lease is released,
/// runnables stop, informers stop, the endpoints stop. Work that has not ended after the
/// [graceful shutdown timeout](Self::graceful_shutdown_timeout) is dropped at its next await; the next process
/// reconciles those objects again. A reconcile that blocks its thread and never awaits can't be dropped. `run` waits
/// for it, because another replica must not work at the same time; a second signal ends the process.
///
/// # Failure
///
/// Nothing that the manager runs may end unless the manager stops it. If an informer, a controller, a runnable, the
/// election or the server of the endpoints ends or panics, then `/healthz` and `/readyz` fail with the cause, the
/// [error hook](Self::on_error) is called, everything else stops in the order above, and `run` returns the cause. One
/// exception: a runnable may end with `Ok`.
///
/// When leadership is lost, the workers end at their next await, and `run` returns [`ManagerError::LeadershipLost`]. If
/// work has still not ended at the time when another replica could take the lease, the process is aborted, or the
/// [overrun hook](Self::on_overrun) is called.
#[must_use = "a manager does nothing unless it runs"]
pub struct Manager {
    factory: SharedInformerFactory,
    controllers: ControllerSet,
    runnables: Vec<Runnable>,
    election: Option<Election>,
    on_overrun: OnOverrun,
    on_error: Option<ErrorHook>,
    endpoints: EndpointOptions,
    sync_timeout: Duration,
    graceful_shutdown_timeout: Duration,
}

type ErrorHook = Box<dyn Fn(&ManagerError) + Send + Sync>;

/// Why a manager did not start, or ended although it was not stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// A controller has wrong options, or has ended.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// Logs and metrics distinguish controllers by name.
    #[error("two controllers are called {name:?}: give each controller its own name")]
    SameName {
        /// The name.
        name: String,
    },
    /// The replica can't take part in the election, or can't guard the work of its term.
    #[error("taking part in the leader election: {0}")]
    Election(LeaseError),
    /// Two routes have the same path and method.
    #[cfg(feature = "endpoints")]
    #[error("adding routes to the endpoints: {reason}")]
    Routes {
        /// Which ones.
        reason: String,
    },
    /// The endpoints can't be served.
    #[cfg(feature = "endpoints")]
    #[error("serving the endpoints: {0}")]
    Endpoints(std::io::Error),
    /// The caches were not filled within the [sync timeout](Manager::sync_timeout).
    #[error("the caches were not filled in {after:?}: {source}")]
    NotSynced {
        /// How long the manager waited.
        after: Duration,
        /// Which informers or controllers are not synced, and why.
        r#source: WaitError,
    },
    /// Another replica may lead now. Start the manager again to become a candidate.
    #[error("leadership of {election:?} was lost")]
    LeadershipLost {
        /// The name of the election.
        election: String,
    },
    /// A runnable returned an error.
    #[error("running {name:?}: {}", WithCauses(.source.as_ref()))]
    Runnable {
        /// The name of the runnable.
        name: String,
        /// Its error.
        r#source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A controller, a runnable, the election or the server of the endpoints panicked.
    #[error("{name:?} panicked: {message}")]
    Panicked {
        /// Its name.
        name: String,
        /// The message of the panic.
        message: String,
    },
    /// The election or the server of the endpoints ended although the manager did not stop it.
    #[error("{name:?} ended although nothing stopped it")]
    Ended {
        /// Its name.
        name: String,
    },
    /// An informer no longer follows the server although nothing stopped it: its task panicked, or one of its streams
    /// panicked or gave up.
    #[error(transparent)]
    Informer(InformerError),
    /// The process can't receive signals.
    #[error("listening for signals: {0}")]
    Signals(std::io::Error),
}

impl Manager {
    /// A manager of controllers over this factory. It starts the factory: informers that others requested from it and
    /// did not start run too.
    pub fn new(factory: SharedInformerFactory) -> Self {
        Manager {
            factory,
            controllers: ControllerSet::default(),
            runnables: Vec::new(),
            election: None,
            on_overrun: OnOverrun::default(),
            on_error: None,
            endpoints: EndpointOptions::default(),
            sync_timeout: SYNC_TIMEOUT,
            graceful_shutdown_timeout: GRACEFUL_SHUTDOWN_TIMEOUT,
        }
    }

    /// Runs this controller. Its handlers are added to the informers of the factory now; wrong options are an error of
    /// [`run`](Self::run).
    pub fn controller(mut self, controller: Controller) -> Self {
        self.controllers.attach(controller, &self.factory);
        self
    }

    /// The handle of the controller with this name, if [`controller`](Self::controller) was called with it and its
    /// options are valid. It adds requests to the controller and reads its figures, before, while and after the manager
    /// runs.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use tidings_controller::{Action, Controller, Manager, Request};
    /// # use tidings_factory::SharedInformerFactory;
    /// # fn example(factory: SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let controller =
    ///     Controller::for_kind::<ConfigMap>("settings").reconcile(async |_, _| Ok(Action::await_change()));
    /// let manager = Manager::new(factory).controller(controller);
    /// let settings = manager.handle("settings").ok_or("no such controller")?;
    /// let manager = manager.runnable("webhook", |_stop| async move {
    ///     settings.request(Request::new(Some("default"), "from-a-webhook")?);
    ///     Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    /// });
    /// # Ok(())
    /// # }
    /// ```
    pub fn handle(&self, controller: &str) -> Option<ControllerHandle> {
        self.controllers.handle(controller).cloned()
    }

    /// The handles of all controllers that were added so far.
    pub fn handles(&self) -> &[ControllerHandle] {
        self.controllers.handles()
    }

    /// Runs the workers only while this replica leads. Without it, the workers of all replicas run.
    pub fn election(mut self, election: Election) -> Self {
        self.election = Some(election);
        self
    }

    /// What happens when work has not ended at the time when another replica could take the lease. By default the
    /// process is aborted.
    pub fn on_overrun(mut self, on_overrun: OnOverrun) -> Self {
        self.on_overrun = on_overrun;
        self
    }

    /// Calls this with the error that ends the manager, before anything is stopped. [`run`](Self::run) returns the same
    /// error, but only after the stop, which can take as long as the [graceful shutdown
    /// timeout](Self::graceful_shutdown_timeout).
    ///
    /// ```
    /// # use tidings_controller::Manager;
    /// # fn example(manager: Manager) -> Manager {
    /// manager.on_error(|error| eprintln!("stopping: {error}"))
    /// # }
    /// ```
    pub fn on_error(mut self, hook: impl Fn(&ManagerError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Box::new(hook));
        self
    }

    /// Serves `/metrics`, `/healthz`, `/readyz` and `/informers` on this address, over plain HTTP. Everything that
    /// reaches the address can read them.
    #[cfg(feature = "endpoints")]
    pub fn endpoints(mut self, address: impl Into<std::net::SocketAddr>) -> Self {
        self.endpoints.address = Some(address.into());
        self
    }

    /// Serves these routes too, on the address of the [endpoints](Self::endpoints). The manager's own paths take
    /// precedence. A second call adds more routes. If two calls have a route with the same path and method, the manager
    /// does not start ([`ManagerError::Routes`]).
    ///
    /// ```
    /// use tidings_controller::Manager;
    /// use tidings_endpoints::axum::{Router, routing};
    ///
    /// # fn example(manager: Manager) -> Manager {
    /// manager
    ///     .endpoints(([127, 0, 0, 1], 8080))
    ///     .routes(Router::new().route("/version", routing::get(|| async { "1.2.3" })))
    /// # }
    /// ```
    #[cfg(feature = "endpoints")]
    pub fn routes(mut self, routes: tidings_endpoints::axum::Router) -> Self {
        self.endpoints.add_routes(routes);
        self
    }

    /// Changes the [endpoints](Self::endpoints) before they are served, for what has no method of its own here:
    /// `manager.endpoints_with(|endpoints| endpoints.graphs(graphs))`.
    #[cfg(feature = "endpoints")]
    pub fn endpoints_with(
        mut self,
        change: impl FnOnce(tidings_endpoints::Endpoints) -> tidings_endpoints::Endpoints + Send + 'static,
    ) -> Self {
        self.endpoints.changes.push(Box::new(change));
        self
    }

    /// Adds these metrics to `/metrics`. A prefix or labels of this registry apply to the metrics registered in it; the
    /// metrics of informers, queues, controllers and the election keep their documented names.
    #[cfg(feature = "endpoints")]
    pub fn registry(mut self, registry: prometheus_client::registry::Registry) -> Self {
        self.endpoints.registry = registry;
        self
    }

    /// Makes `/healthz` fail while this check fails, so that Kubernetes restarts the program: use it only for what a
    /// restart would repair. The check must return at once.
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

    /// Makes `/readyz` fail while this check fails. The check must return at once.
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

    /// Runs something beside the controllers, such as the server of a webhook or the task of a
    /// [`Sharding`](crate::Sharding). It runs on every replica, from the start until the token is cancelled. It may end
    /// earlier with `Ok`; an error or a panic ends the manager.
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

    /// How long the caches may take to fill before the manager gives up; 120 s by default.
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.sync_timeout = timeout;
        self
    }

    /// How long workers may take to finish their current request when the manager stops; 20 s by default, at most a
    /// year.
    pub fn graceful_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.graceful_shutdown_timeout = timeout.min(GRACEFUL_SHUTDOWN_TIMEOUT_MAX);
        self
    }

    /// Runs until SIGTERM or Ctrl-C. A second signal ends the process at once with exit code 143 or 130, even if all
    /// threads are blocked; the lease then expires by itself.
    pub async fn run(self) -> Result<(), ManagerError> {
        let signals = signals::SignalListener::listen().map_err(ManagerError::Signals)?;
        self.run_until(signals.first()).await
    }

    /// Runs until this future ends. Dropping the returned future drops everything at once, and the lease then expires
    /// by itself.
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> Result<(), ManagerError> {
        run::RunningManager::start(self).await?.run_until(stop).await
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("controllers", &self.controllers.handles())
            .field("election", &self.election)
            .finish_non_exhaustive()
    }
}
