//! Simulation for controllers: finds stale-read, crash and ordering bugs in seconds, without a cluster.
//!
//! [`check`] runs a controller against an API server in the same process, first undisturbed, then once for each fault that
//! can happen to it: a crash before and after each write, a lost answer, a stale cache, skipped events, conflicts, two
//! leaders, edits of other clients. Each execution has its own thread and paused time, so it takes milliseconds and always
//! repeats.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_client::{Api, api::PostParams};
//! use tidings::controller::{Action, Context, Controller, Error, Request};
//!
//! async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
//!     if let Some(map) = context.get::<ConfigMap>(&request).await? && map.data.is_none() {
//!         let mut map = ConfigMap::clone(&map);
//!         map.data = Some([("greeting".to_owned(), "hello".to_owned())].into());
//!         context.api::<ConfigMap>().replace(&map).await?;
//!     }
//!     Ok(Action::await_change())
//! }
//!
//! // In a test:
//! tidings_sim::check(|sim| {
//!     sim.controller(|_factory| Controller::for_kind::<ConfigMap>("greeter").reconcile(reconcile));
//!     sim.scenario(|client| async move {
//!         let maps: Api<ConfigMap> = Api::default_namespaced(client);
//!         let map = serde_json::from_value(serde_json::json!({ "metadata": { "name": "hi" } })).expect("a ConfigMap");
//!         maps.create(&PostParams::default(), &map).await.map(drop)
//!     });
//!     sim.finally("hello is said", |state| {
//!         state.list::<ConfigMap>().iter().all(|map| map.data.as_ref().is_some_and(|data| data["greeting"] == "hello"))
//!     });
//! });
//! ```

mod sync;

mod progress;

mod target;

mod plan;

mod rule;

mod server_state;

mod sim;

mod settings;

mod panics;

mod execution_log;

mod normal;

mod cluster;

mod watch_interceptor;

mod link;

mod process;

mod scenario;

mod execution;

mod explore;

mod report;

mod worker;

mod runner;

mod shrink;

use std::sync::Arc;

pub use plan::FaultGroup;
pub use report::{Failure, Report};
pub use rule::{Rule, Verdict};
pub use server_state::ServerState;
pub use sim::Sim;

/// Explores a simulation and prints what was explored. `setup` is called for each execution.
///
/// The variables `SIM_SECONDS` (for how long), `SIM_SEED` (of random combinations), `SIM_THREADS` and `SIM_REPLAY` (one
/// execution again, with its timeline) take precedence over the builder.
///
/// # Panics
///
/// If a rule is broken, with the [report](Failure). Use [`explore`] to get it as a value.
#[allow(clippy::print_stdout, reason = "the harness of `cargo test` shows it with the test")]
pub fn check(setup: impl Fn(&mut Sim) + Send + Sync + 'static) {
    match explore(setup) {
        Ok(report) => println!("{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// As [`check`], with the result as a value.
///
/// # Errors
///
/// The first broken rule in the order of the exploration, with the fewest faults and the shortest scenario.
pub fn explore(setup: impl Fn(&mut Sim) + Send + Sync + 'static) -> Result<Report, Box<Failure>> {
    runner::explore(Arc::new(setup))
}
