//! One factory for all informers of a program: it decides which requests share a watch and a cache, and starts the
//! informers.
//!
//! There is no global state: clients, budgets, limits and names belong to a factory. [`SharedInformerFactory::start`]
//! is the only function here that spawns tasks, into the [`Running`] that it returns.

mod builder;
mod factory;
mod list_limit;
#[cfg(feature = "metrics")]
mod metrics;
mod options;
mod registry;
mod report;
mod running;
mod settings;
mod sources;
mod sync;

pub use builder::FactoryBuilder;
pub use factory::SharedInformerFactory;
#[cfg(feature = "metrics")]
pub use metrics::InformerMetrics;
pub use options::InformerOptions;
/// The crate whose `Registry` takes [`InformerMetrics`].
#[cfg(feature = "metrics")]
pub use prometheus_client;
pub use report::InformerReport;
pub use running::Running;
