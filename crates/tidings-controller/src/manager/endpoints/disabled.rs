//! No endpoints: what a manager has in its place when it is built without endpoints.

use std::sync::Arc;

use tidings_factory::SharedInformerFactory;

use crate::manager::ManagerError;
use crate::manager::controllers::ControllerSet;
use crate::manager::probes::ProbeState;

/// Nothing is to be answered.
#[derive(Default)]
pub(in crate::manager) struct EndpointOptions;

/// Nothing answers.
pub(in crate::manager) struct EndpointServer;

impl EndpointOptions {
    pub(in crate::manager) async fn open(
        self,
        _: &SharedInformerFactory,
        _: &ControllerSet,
        _: &Arc<ProbeState>,
    ) -> Result<EndpointServer, ManagerError> {
        Ok(EndpointServer)
    }
}

impl EndpointServer {
    pub(in crate::manager) async fn failed(&mut self) -> ManagerError {
        std::future::pending().await
    }

    pub(in crate::manager) async fn close(&mut self) {}
}
