//! A Kubernetes API server that runs in the test's own process, for tests and demos without a cluster.
//!
//! It answers LIST, WATCH and writes as kube-apiserver 1.37 does wherever a client can observe it, and injects faults
//! on request: see [`Fault`]. The in-process transport has no socket and no task, so it works in tokio's paused time.
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

mod resource;
mod status;

mod admission;
mod auth;
mod bootstrap;
mod decode;
mod fault;
mod listen;
mod registry;
mod request;
mod request_log;
mod server;
mod server_clock;
mod store;
mod watch;

mod crd;
mod defaults;
mod discovery;
mod openapi;
mod patch;
mod protobuf;
mod schema;
mod table;
mod validate;

#[doc(hidden)]
pub mod fuzz;

mod body;
mod conversion;
mod convert;
mod read;
mod sync;
mod webhook_client;
mod wire;
mod write;

pub use auth::{ADMIN_TOKEN, NO_RIGHTS_TOKEN, READ_ONLY_TOKEN, Rights};
pub use body::{ConnectionLost, ResponseBody};
pub use fault::{Ending, EventFault, Fault, Faults, Injection};
pub use listen::{Listen, ListenError, Listening};
pub use request::RequestOptions;
pub use request_log::RecordedRequest;
pub use resource::Verb;
pub use server::{
    ApiServer, ApiServerBuilder, Bootstrap, GarbageCollection, InProcess, Kubelet, LaggingServer,
    NamespaceDeletion, Namespaces, ProtobufResponses, ShardSelectors, StateError, WatchCache,
};
pub use store::{HistoryLimits, SavedState, StoreSize};

/// Runs the Rust code of the page about tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/testing.md")]
struct TestingPage;
