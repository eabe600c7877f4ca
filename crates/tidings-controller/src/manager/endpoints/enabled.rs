//! Builds the endpoints of a manager and serves them.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::registry::Registry;
use tidings_endpoints::axum::Router;
use tidings_endpoints::{Endpoints, Serving, serve};
use tidings_factory::SharedInformerFactory;
use tidings_util::panic_message;
use tidings_workqueue::QueueMetrics;
use tokio_util::sync::CancellationToken;

use crate::controller::{ControllerHandle, ControllerMetrics};
use crate::election::ElectionMetrics;
use crate::manager::ManagerError;
use crate::manager::controllers::{ControllerSet, are_synced};
use crate::manager::probes::ProbeState;
use crate::manager::tasks::NamedTasks;

#[cfg(test)]
mod tests;

/// `/healthz` fails when a leader has not renewed its lease for the lease duration and this time.
const ELECTION_TOLERANCE: Duration = Duration::from_secs(20);

#[derive(Default)]
pub(in crate::manager) struct EndpointOptions {
    pub(in crate::manager) address: Option<SocketAddr>,
    pub(in crate::manager) routes: Router,
    /// Why some routes could not be added. It is an error of the start, not of the builder.
    pub(in crate::manager) routes_error: Option<String>,
    pub(in crate::manager) registry: Registry,
    pub(in crate::manager) changes: Vec<Change>,
    pub(in crate::manager) health: Vec<(String, Check)>,
    pub(in crate::manager) readiness: Vec<(String, Check)>,
}

type Change = Box<dyn FnOnce(Endpoints) -> Endpoints + Send>;
type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// The server of the endpoints. It does nothing if no address was given.
#[derive(Default)]
pub(in crate::manager) struct EndpointServer {
    pub(in crate::manager) serving: Option<Serving>,
    pub(in crate::manager) tasks: NamedTasks,
    stop: CancellationToken,
}

impl EndpointOptions {
    pub(in crate::manager) fn add_routes(&mut self, routes: Router) {
        let before = std::mem::take(&mut self.routes);
        // `merge` panics if both have a handler for the same path and method.
        match catch_unwind(AssertUnwindSafe(|| before.merge(routes))) {
            Ok(merged) => self.routes = merged,
            Err(panic) => self.routes_error = Some(panic_message(&*panic)),
        }
    }

    /// Binds to the address and starts the server.
    pub(in crate::manager) async fn serve(
        self,
        factory: &SharedInformerFactory,
        controllers: &ControllerSet,
        probe_state: &Arc<ProbeState>,
    ) -> Result<EndpointServer, ManagerError> {
        if let Some(reason) = self.routes_error {
            return Err(ManagerError::Routes { reason });
        }
        let mut server = EndpointServer::default();
        let Some(address) = self.address else { return Ok(server) };
        let router = self.router(factory, controllers, probe_state);
        let (serving, task) = serve(router, address).await.map_err(ManagerError::Endpoints)?;
        tracing::info!(address = %serving.address(), "the endpoints are served");
        server.tasks.spawn_until("endpoints", server.stop.clone(), task.run());
        server.serving = Some(serving);
        Ok(server)
    }

    fn router(
        self,
        factory: &SharedInformerFactory,
        controllers: &ControllerSet,
        probe_state: &Arc<ProbeState>,
    ) -> Router {
        let EndpointOptions { routes, registry, changes, health, readiness, .. } = self;
        let stopping = probe_state.stopping.clone();
        let [alive, ready] = [Arc::clone(probe_state), Arc::clone(probe_state)];
        let handles = controllers.handles().to_vec();
        let shown = handles.clone();
        shown.iter().for_each(ControllerHandle::record_history);
        let mut endpoints = Endpoints::new(factory)
            .registry(registry)
            .health_check("manager", move || alive.check())
            .readiness_check("manager", move || ready.check())
            .readiness_check("controllers", move || are_synced(&handles))
            .controllers(move |filter| shown.iter().map(|handle| handle.status(filter)).collect())
            .readiness_check("shutdown", move || {
                if stopping.is_cancelled() { Err("the program is stopping") } else { Ok(()) }
            });
        endpoints = add_metrics(controllers, endpoints);
        if let Some(elector) = &controllers.elector {
            let leadership = elector.leadership.clone();
            endpoints =
                endpoints.health_check("leader-election", move || leadership.check(ELECTION_TOLERANCE));
        }
        endpoints = health.into_iter().fold(endpoints, |all, (name, check)| all.health_check(name, check));
        endpoints =
            readiness.into_iter().fold(endpoints, |all, (name, check)| all.readiness_check(name, check));
        endpoints = changes.into_iter().fold(endpoints, |all, change| change(all));
        // A fallback instead of `merge`, which panics if the user has a route with one of our paths.
        endpoints.router().fallback_service(routes)
    }
}

impl EndpointServer {
    /// Waits until the server ends although [`close`](Self::close) was not called; for ever, if there is no server.
    pub(in crate::manager) async fn failed(&mut self) -> ManagerError {
        self.tasks.failed().await
    }

    /// Finishes responses that have begun, then stops the server.
    pub(in crate::manager) async fn close(&mut self) {
        self.stop.cancel();
        drop(self.serving.take());
        self.tasks.ended().await;
    }
}

/// Adds the metrics of queues, controllers and the election. `Endpoints` itself adds those of informers.
fn add_metrics(controllers: &ControllerSet, endpoints: Endpoints) -> Endpoints {
    let (queues, figures, elections) =
        (QueueMetrics::new(), ControllerMetrics::new(), ElectionMetrics::new());
    for handle in controllers.handles() {
        queues.show(handle.queue());
        figures.show(handle);
    }
    if let Some(elector) = &controllers.elector {
        elections.show(&elector.leadership);
    }
    endpoints.queues(queues).collector(figures).collector(elections)
}
