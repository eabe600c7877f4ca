//! The door: what is shown, who is asked, and the task that answers.

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
use crate::manager::vitals::Vitals;
use crate::manager::workforce::Workforce;
use crate::worker::panic_message;

/// How much longer than its lease a leader may go without a renewal before its health check fails.
const ELECTION_TOLERANCE: Duration = Duration::from_secs(20);

/// What is to be answered, and where.
#[derive(Default)]
pub(in crate::manager) struct Plan {
    pub(in crate::manager) address: Option<SocketAddr>,
    pub(in crate::manager) registry: Registry,
    pub(in crate::manager) health: Vec<(String, Check)>,
    pub(in crate::manager) readiness: Vec<(String, Check)>,
}

type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What answers an operator, if an address was given.
pub(in crate::manager) struct Door {
    serving: Option<Serving>,
    task: JoinSet<()>,
}

impl Plan {
    /// Begins to answer.
    pub(in crate::manager) async fn open(
        self,
        factory: &SharedInformerFactory,
        workforce: &Workforce,
        vitals: &Arc<Vitals>,
    ) -> Result<Door, ManagerError> {
        let Plan { address, registry, health, readiness } = self;
        let mut door = Door { serving: None, task: JoinSet::new() };
        let Some(address) = address else { return Ok(door) };
        let queues = QueueMetrics::new();
        for controller in &workforce.handles {
            queues.show(controller.queue());
        }
        let stopping = vitals.stopping.clone();
        let [alive, ready] = [Arc::clone(vitals), Arc::clone(vitals)];
        let mut endpoints = Endpoints::new(factory)
            .registry(registry)
            .queues(queues)
            .health_check("manager", move || alive.check())
            .readiness_check("manager", move || ready.check())
            .readiness_check("shutdown", move || {
                if stopping.is_cancelled() { Err("the program is stopping") } else { Ok(()) }
            });
        endpoints = show(workforce, endpoints);
        if let Some(office) = &workforce.office {
            let leadership = office.leadership.clone();
            endpoints =
                endpoints.health_check("leader-election", move || leadership.check(ELECTION_TOLERANCE));
        }
        endpoints = health.into_iter().fold(endpoints, |all, (name, check)| all.health_check(name, check));
        endpoints =
            readiness.into_iter().fold(endpoints, |all, (name, check)| all.readiness_check(name, check));
        let (serving, task) = endpoints.serve(address).await.map_err(ManagerError::Endpoints)?;
        tracing::info!(address = %serving.address(), "serving endpoints");
        door.task.spawn(task.run());
        door.serving = Some(serving);
        Ok(door)
    }
}

impl Door {
    /// Waits until nobody answers any more although nobody closed it; for ever, if there is no door.
    pub(in crate::manager) async fn failed(&mut self) -> ManagerError {
        let message = match self.task.join_next().await {
            None => return std::future::pending().await,
            Some(Err(error)) => panic_message(error),
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
fn show(workforce: &Workforce, endpoints: Endpoints) -> Endpoints {
    let (controllers, elections) = (ControllerMetrics::new(), ElectionMetrics::new());
    for controller in &workforce.handles {
        controllers.show(controller);
    }
    if let Some(office) = &workforce.office {
        elections.show(&office.leadership);
    }
    endpoints.collector(controllers).collector(elections)
}
