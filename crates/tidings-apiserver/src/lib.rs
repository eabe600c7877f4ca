//! A Kubernetes API server in the process, for tests and demos without a cluster.
//!
//! It answers LIST, WATCH and writes as kube-apiserver 1.36 does where a client can tell, and is hostile on demand: see
//! [`Fault`]. The door in the process has no socket and no task of its own, so it works in tokio's paused time.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_client::{Api, api::{ListParams, PostParams}};
//! use tidings_apiserver::{ApiServer, Fault};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ApiServer::start().await;
//! let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
//! let map = serde_json::from_value(serde_json::json!({"metadata": {"name": "greeting"}, "data": {"hello": "world"}}))?;
//! maps.create(&PostParams::default(), &map).await?;
//! assert_eq!(maps.list(&ListParams::default()).await?.items.len(), 1);
//!
//! server.faults().inject(Fault::Status { code: 503, retry_after_seconds: None }.once());
//! assert!(maps.list(&ListParams::default()).await.is_err());
//! assert_eq!(server.requests().last().and_then(|request| request.code), Some(503));
//! # Ok(())
//! # }
//! ```

pub mod resource;
pub mod status;

pub mod auth;
pub mod clock;
pub mod fault;
pub mod listen;
pub mod record;
pub mod registry;
pub mod request;
pub mod server;
pub mod signal;
pub mod store;
pub mod watch;

pub mod crd;
pub mod discovery;
pub mod openapi;
pub mod patch;
pub mod protobuf;
pub mod schema;
pub mod table;
pub mod validate;

#[doc(hidden)]
pub mod fuzz;

mod body;
mod convert;
mod read;
mod sync;
mod wire;
mod write;

pub use body::{Body, BrokenOff};
pub use fault::{Ending, EventFault, Fault, Faults};
pub use listen::{Listen, Listening};
pub use server::{ApiServer, Builder, LaggingServer};
