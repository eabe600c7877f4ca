//! One factory for all informers of a program: who shares which watch and cache, and what starts them.
//!
//! It must never keep global state: clients, budgets, limits and names belong to a factory. The only thing here
//! that spawns is [`SharedInformerFactory::start`], into the [`Running`] that it returns.

mod factory;
mod gate;
mod metrics;
mod options;
mod report;
mod roster;
mod running;
mod sources;
mod sync;

pub use factory::{FactoryError, SharedInformerFactory};
pub use metrics::InformerMetrics;
pub use options::InformerOptions;
pub use report::InformerReport;
pub use running::Running;
