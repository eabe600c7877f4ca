//! A small cluster that lives: nodes, deployments and pods that come, change and go. What happens is drawn from a
//! seed; what keeps the pods of a deployment is a controller of ours, as in a real cluster.

mod faults;
mod replicas;
mod workload;

use std::time::Duration;

use tidings::SharedInformerFactory;
use tidings::controller::{ControllerHandle, ControllerTask};
use tidings_apiserver::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::failure::CliResult;

pub(crate) use faults::inject as inject_faults;
pub(crate) use replicas::controller;
pub(crate) use workload::run as run_workload;

/// What keeps the deployments and pods of this world apart from others.
const NAMESPACE: &str = "default";

/// An API server for such a cluster. Its bookmarks come often: whoever looks for a minute sees some.
pub(crate) async fn server(seed: u64) -> ApiServer {
    ApiServer::builder().seed(seed).bookmark_interval(Duration::from_secs(2)).start().await
}

/// A cluster with its controller, which says nothing.
pub(crate) struct DemoCluster {
    server: ApiServer,
    controller: ControllerHandle,
    working: ControllerTask,
    seed: u64,
}

impl DemoCluster {
    /// The controller's informers are the factory's, and whoever starts them starts the controller's too.
    pub(crate) fn over(server: &ApiServer, factory: &SharedInformerFactory, seed: u64) -> CliResult<Self> {
        let (controller, working) = controller(|_, _| {}).attach(factory)?;
        Ok(DemoCluster { server: server.clone(), controller, working, seed })
    }

    pub(crate) fn controller(&self) -> &ControllerHandle {
        &self.controller
    }

    /// Lives until it is dropped.
    pub(crate) async fn run(self) -> CliResult {
        let never = CancellationToken::new();
        tokio::select! {
            ended = self.working.run(never) => Ok(ended?),
            () =run_workload(&self.server, self.seed) => Ok(()),
        }
    }

    /// Lives until it is dropped, and now and then the watches break.
    pub(crate) async fn run_with_faults(self) -> CliResult {
        let (server, seed) = (self.server.clone(), self.seed);
        tokio::select! {
            ended = self.run() => ended,
            () = inject_faults(&server, seed, |_| {}) => Ok(()),
        }
    }
}
