//! What is tested against a real kube-apiserver and etcd, and what those tests stand on.
//!
//! [`Built`] finds the server that `cargo run -p kubernetes-tests -- build` made; [`Cluster`] runs one on loopback and
//! kills it with itself; [`trials`] makes tests of it. Nothing here may build or download Kubernetes unless it is
//! asked to: by that command, or by `TIDINGS_E2E=1`.

pub mod agreement;
pub mod built;
pub mod cluster;
pub mod control;
pub mod link;
mod sync;
pub mod trials;

pub use agreement::Collection;
pub use built::Built;
pub use cluster::{Cluster, ClusterError, User};
pub use control::Copies;
pub use link::Link;
