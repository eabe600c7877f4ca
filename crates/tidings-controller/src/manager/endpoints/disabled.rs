//! Stands in for the endpoints when the feature `endpoints` is off: it serves nothing and never fails.

use std::sync::Arc;

use tidings_factory::SharedInformerFactory;

use crate::manager::ManagerError;
use crate::manager::controllers::ControllerSet;
use crate::manager::probes::ProbeState;

#[derive(Default)]
pub(in crate::manager) struct EndpointOptions;

pub(in crate::manager) struct EndpointServer;

impl EndpointOptions {
    pub(in crate::manager) async fn serve(
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
