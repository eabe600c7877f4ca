//! Informers for Kubernetes: a watch and a local cache that everyone in a program shares.
//!
//! Others decode every object on arrival and keep the tree. **tidings caches what the server sent, and decodes it
//! when someone looks**: a cluster's worth of pods takes megabytes, not gigabytes, and most handlers never pay
//! for decoding at all.
//!
//! ```
//! use std::time::Duration;
//! use k8s_openapi::api::core::v1::Pod;
//! use tidings::{Handler, Index, SharedInformerFactory};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = tidings_apiserver::ApiServer::start().await;
//! # server.put("pods", serde_json::json!({
//! #     "metadata": { "namespace": "default", "name": "web-0" },
//! #     "spec": { "nodeName": "node-1", "containers": [{ "name": "web", "image": "nginx" }] },
//! # }));
//! # let client = server.client();
//! let factory = SharedInformerFactory::new(client).resync(Duration::from_secs(30));
//! let pods = factory.informer::<Pod>();
//! pods.add_index(Index::field("node", ".spec.nodeName"))?;
//! pods.add_handler(Handler::new().on_add(|pod, _is_initial| println!("[ADD] {}", pod.key())))?;
//!
//! let running = factory.start();
//! running.synced().await?;
//!
//! let on_node_1 = pods.lister().by_index("node", "node-1")?;
//! assert_eq!(on_node_1[0].name(), "web-0");
//! running.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! Where to go from here: [`SharedInformerFactory`] makes informers, [`SharedInformer`] says what they promise,
//! [`Lister`] reads, [`Handler`] hears, [`Object`] decodes.

pub use tidings_factory::{FactoryError, InformerOptions, Running, SharedInformerFactory};
pub use tidings_informer::delta::QueueOrder;
pub use tidings_informer::indexer::{Index, IndexError, Reader, Snapshot};
pub use tidings_informer::informer::{
    Fault, Handler, HandlerStats, Health, InformerConfig, InformerError, InformerStats, Lifecycle,
    Notification, Notifications, Registration, SharedInformer, StreamHealth, StreamState, Unsynced,
    WaitError,
};
pub use tidings_informer::lister::{Lister, NamespaceLister, NotFound};
pub use tidings_informer::reflector::{ListMode, ReflectorConfig, StopPolicy};
pub use tidings_object::{
    Budget, FieldPath, FieldSelector, FieldValue, Key, KeyRef, Kind, LabelSelector, Object, Operator,
    ParseError, Projection, RawObject, ReadError, Requirement, ResourceKind, Scope, Transform, Version, Wire,
};
pub use tidings_source::{ShardRange, Sharded, WirePreference};
pub use tidings_util::WithCauses;

/// From a notification to Reconcile: controllers, their manager, leader election.
pub use tidings_controller as controller;
/// What an operator asks: `/metrics`, `/healthz`, `/readyz`, `/informers`, to mount or to serve.
pub use tidings_endpoints as endpoints;
/// Keys to workers: the queue behind a controller, for those who want it by itself.
pub use tidings_workqueue as workqueue;

/// The stages behind the factory, for those who put an informer together by themselves.
pub mod stages {
    pub use tidings_informer::{delta, indexer, informer, lister, reflector};
    pub use tidings_object as object;
    pub use tidings_source as source;
}
