//! The manager's endpoints: one registry for everything that it runs, and its own checks. Without the feature
//! `endpoints` there is no door, and nothing is ever served.

#[cfg(feature = "endpoints")]
pub(super) use open::{Checks, Door};

#[cfg(not(feature = "endpoints"))]
pub(super) use closed::{Checks, Door};

#[cfg(feature = "endpoints")]
mod open {
    use std::time::Duration;

    use tidings_endpoints::{Endpoints, Serving};
    use tidings_workqueue::QueueMetrics;
    use tokio::task::JoinSet;
    use tokio_util::sync::CancellationToken;

    use crate::controller::ControllerMetrics;
    use crate::election::ElectionMetrics;
    use crate::manager::workforce::Workforce;
    use crate::manager::{Manager, ManagerError};

    /// How much longer than its lease a leader may go without a renewal before its health check fails.
    const ELECTION_TOLERANCE: Duration = Duration::from_secs(20);

    type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

    /// Checks of the user's.
    #[derive(Default)]
    pub(in crate::manager) struct Checks {
        health: Vec<(String, Check)>,
        readiness: Vec<(String, Check)>,
    }

    impl Checks {
        pub(in crate::manager) fn add_health(
            &mut self,
            name: String,
            check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
        ) {
            self.health.push((name, Box::new(check)));
        }

        pub(in crate::manager) fn add_readiness(
            &mut self,
            name: String,
            check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
        ) {
            self.readiness.push((name, Box::new(check)));
        }
    }

    /// What answers an operator, if an address was given.
    pub(in crate::manager) struct Door {
        serving: Option<Serving>,
        task: JoinSet<()>,
    }

    impl Door {
        /// Takes registry and checks out of the manager, and begins to answer.
        pub(in crate::manager) async fn open(
            manager: &mut Manager,
            workforce: &Workforce,
            stopping: &CancellationToken,
        ) -> Result<Door, ManagerError> {
            let mut door = Door { serving: None, task: JoinSet::new() };
            let Some(address) = manager.endpoints else { return Ok(door) };
            let mut registry = std::mem::take(&mut manager.registry);
            let (of_queues, of_controllers) = (QueueMetrics::new(), ControllerMetrics::new());
            for controller in &workforce.handles {
                of_queues.show(controller.queue());
                of_controllers.show(controller);
            }
            registry.register_collector(Box::new(of_queues));
            registry.register_collector(Box::new(of_controllers));
            let mut endpoints = Endpoints::new(&manager.factory);
            if let Some(office) = &workforce.office {
                let leadership = office.leadership.clone();
                let of_election = ElectionMetrics::new();
                of_election.show(&leadership);
                registry.register_collector(Box::new(of_election));
                endpoints = endpoints.health_check("leader-election", move || leadership.check(ELECTION_TOLERANCE));
            }
            let stopping = stopping.clone();
            endpoints = endpoints.registry(registry).readiness_check("shutdown", move || {
                if stopping.is_cancelled() { Err("the program is stopping") } else { Ok(()) }
            });
            let Checks { health, readiness } = std::mem::take(&mut manager.checks);
            endpoints = health.into_iter().fold(endpoints, |all, (name, check)| all.health_check(name, check));
            endpoints =
                readiness.into_iter().fold(endpoints, |all, (name, check)| all.readiness_check(name, check));
            let (serving, task) = endpoints.serve(address).await.map_err(ManagerError::Endpoints)?;
            tracing::info!(address = %serving.address(), "serving endpoints");
            door.task.spawn(task.run());
            door.serving = Some(serving);
            Ok(door)
        }

        /// Finishes the answers that have begun, and ends.
        pub(in crate::manager) async fn close(&mut self) {
            drop(self.serving.take());
            while self.task.join_next().await.is_some() {}
        }
    }
}

#[cfg(not(feature = "endpoints"))]
mod closed {
    use tokio_util::sync::CancellationToken;

    use crate::manager::workforce::Workforce;
    use crate::manager::{Manager, ManagerError};

    /// No checks.
    #[derive(Default)]
    pub(in crate::manager) struct Checks;

    /// Nothing answers.
    pub(in crate::manager) struct Door;

    impl Door {
        pub(in crate::manager) async fn open(
            _: &mut Manager,
            _: &Workforce,
            _: &CancellationToken,
        ) -> Result<Door, ManagerError> {
            Ok(Door)
        }

        pub(in crate::manager) async fn close(&mut self) {}
    }
}
