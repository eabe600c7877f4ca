//! Support for tests against a real kube-apiserver and etcd.
//!
//! [`Built`] finds the programs that `cargo run -p kubernetes-tests -- build` has built. [`Cluster`] runs the server on
//! loopback and kills it when it is dropped, [`ControllerManager`] does so with kube-controller-manager. [`trials`] defines tests with it. Kubernetes is only built or downloaded by that
//! command or with `TIDINGS_E2E=1`.

pub mod agreement;
pub mod built;
pub mod cluster;
pub mod control;
pub mod controller_manager;
pub mod link;
mod sync;
pub mod trials;

pub use agreement::Collection;
pub use built::Built;
pub use cluster::{Cluster, ClusterError, User};
pub use control::Copies;
pub use controller_manager::ControllerManager;
pub use link::Link;

use tidings_test_types as _;
