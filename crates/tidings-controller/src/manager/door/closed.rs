//! No door: what a manager has in its place when it is built without endpoints.

use std::sync::Arc;

use tidings_factory::SharedInformerFactory;

use crate::manager::ManagerError;
use crate::manager::vitals::Vitals;
use crate::manager::workforce::Workforce;

/// Nothing is to be answered.
#[derive(Default)]
pub(in crate::manager) struct Plan;

/// Nothing answers.
pub(in crate::manager) struct Door;

impl Plan {
    pub(in crate::manager) async fn open(
        self,
        _: &SharedInformerFactory,
        _: &Workforce,
        _: &Arc<Vitals>,
    ) -> Result<Door, ManagerError> {
        Ok(Door)
    }
}

impl Door {
    pub(in crate::manager) async fn failed(&mut self) -> ManagerError {
        std::future::pending().await
    }

    pub(in crate::manager) async fn close(&mut self) {}
}
