//! A small simulated cluster in this process: nodes, deployments and pods that are created, changed and deleted. A seed
//! determines what happens. A controller keeps the pods of each deployment, as in a real cluster.

mod faults;
mod placement;
mod replicas;
mod workload;

use std::time::Duration;

use tidings::SharedInformerFactory;
use tidings::controller::{ControllerHandle, ControllerTask};
use tidings_apiserver::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::failure::CliResult;

pub(crate) use faults::inject as inject_faults;
pub(crate) use placement::placement;
pub(crate) use replicas::controller;
pub(crate) use workload::run as run_workload;

/// The namespace of all deployments and pods.
const NAMESPACE: &str = "default";

/// An API server for the demo cluster. It sends bookmarks every two seconds, so that a short demo shows some.
pub(crate) async fn server(seed: u64) -> ApiServer {
    ApiServer::builder().seed(seed).bookmark_interval(Duration::from_secs(2)).start().await
}

/// The demo cluster with its controller.
pub(crate) struct DemoCluster {
    server: ApiServer,
    controller: ControllerHandle,
    controller_task: ControllerTask,
    seed: u64,
}

impl DemoCluster {
    /// Attaches the controller to the factory. The caller starts the factory, and with it the informers of the
    /// controller.
    pub(crate) fn over(server: &ApiServer, factory: &SharedInformerFactory, seed: u64) -> CliResult<Self> {
        let (controller, controller_task) = controller(|_, _| {}).attach(factory)?;
        Ok(DemoCluster { server: server.clone(), controller, controller_task, seed })
    }

    pub(crate) fn controller(&self) -> &ControllerHandle {
        &self.controller
    }

    /// Runs workload and controller until it is dropped.
    pub(crate) async fn run(self) -> CliResult {
        let never = CancellationToken::new();
        tokio::select! {
            result = self.controller_task.run(never) => Ok(result?),
            () =run_workload(&self.server, self.seed) => Ok(()),
        }
    }

    /// As [`run`](Self::run), and breaks the watches now and then.
    pub(crate) async fn run_with_faults(self) -> CliResult {
        let (server, seed) = (self.server.clone(), self.seed);
        tokio::select! {
            ended = self.run() => ended,
            () = inject_faults(&server, seed, |_| {}) => Ok(()),
        }
    }
}
