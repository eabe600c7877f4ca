//! The endpoints: what is shown, who is asked, and the task that answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::registry::Registry;
use tidings_endpoints::{Endpoints, Serving};
use tidings_factory::SharedInformerFactory;
use tidings_workqueue::QueueMetrics;
use tokio::task::JoinSet;

use crate::controller::ControllerMetrics;
use crate::election::ElectionMetrics;
use crate::manager::ManagerError;
use crate::manager::controllers::ControllerSet;
use crate::manager::probes::ProbeState;
use crate::worker::join_error_message;

/// How much longer than its lease a leader may go without a renewal before its health check fails.
const ELECTION_TOLERANCE: Duration = Duration::from_secs(20);

/// What is to be answered, and where.
#[derive(Default)]
pub(in crate::manager) struct EndpointOptions {
    pub(in crate::manager) address: Option<SocketAddr>,
    pub(in crate::manager) registry: Registry,
    pub(in crate::manager) health: Vec<(String, Check)>,
    pub(in crate::manager) readiness: Vec<(String, Check)>,
}

type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What answers an operator, if an address was given.
pub(in crate::manager) struct EndpointServer {
    serving: Option<Serving>,
    task: JoinSet<()>,
}

impl EndpointOptions {
    /// Begins to answer.
    pub(in crate::manager) async fn open(
        self,
        factory: &SharedInformerFactory,
        controllers: &ControllerSet,
        probe_state: &Arc<ProbeState>,
    ) -> Result<EndpointServer, ManagerError> {
        let EndpointOptions { address, registry, health, readiness } = self;
        let mut server = EndpointServer { serving: None, task: JoinSet::new() };
        let Some(address) = address else { return Ok(server) };
        let queues = QueueMetrics::new();
        for controller in &controllers.handles {
            queues.show(controller.queue());
        }
        let stopping = probe_state.stopping.clone();
        let [alive, ready] = [Arc::clone(probe_state), Arc::clone(probe_state)];
        let mut endpoints = Endpoints::new(factory)
            .registry(registry)
            .queues(queues)
            .health_check("manager", move || alive.check())
            .readiness_check("manager", move || ready.check())
            .readiness_check("shutdown", move || {
                if stopping.is_cancelled() { Err("the program is stopping") } else { Ok(()) }
            });
        endpoints = show(controllers, endpoints);
        if let Some(elector) = &controllers.elector {
            let leadership = elector.leadership.clone();
            endpoints =
                endpoints.health_check("leader-election", move || leadership.check(ELECTION_TOLERANCE));
        }
        endpoints = health.into_iter().fold(endpoints, |all, (name, check)| all.health_check(name, check));
        endpoints =
            readiness.into_iter().fold(endpoints, |all, (name, check)| all.readiness_check(name, check));
        let (serving, task) = endpoints.serve(address).await.map_err(ManagerError::Endpoints)?;
        tracing::info!(address = %serving.address(), "serving endpoints");
        server.task.spawn(task.run());
        server.serving = Some(serving);
        Ok(server)
    }
}

impl EndpointServer {
    /// Waits until nobody answers any more although nobody closed it; for ever, if there is no endpoints.
    pub(in crate::manager) async fn failed(&mut self) -> ManagerError {
        let message = match self.task.join_next().await {
            None => return std::future::pending().await,
            Some(Err(error)) => join_error_message(error),
            Some(Ok(())) => "it ended".to_owned(),
        };
        ManagerError::Panicked { name: "endpoints".to_owned(), message }
    }

    /// Finishes the answers that have begun, and ends.
    pub(in crate::manager) async fn close(&mut self) {
        drop(self.serving.take());
        while self.task.join_next().await.is_some() {}
    }
}

/// Shows controllers and election. Informers and queues are shown by the endpoints themselves.
fn show(set: &ControllerSet, endpoints: Endpoints) -> Endpoints {
    let (controllers, elections) = (ControllerMetrics::new(), ElectionMetrics::new());
    for controller in &set.handles {
        controllers.show(controller);
    }
    if let Some(elector) = &set.elector {
        elections.show(&elector.leadership);
    }
    endpoints.collector(controllers).collector(elections)
}
