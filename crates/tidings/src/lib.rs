//! Informers and controllers for Kubernetes: one watch and one local cache of each resource, shared by the whole program.
//!
//! Other informers decode every object when it arrives and store the decoded form. **tidings stores the compressed bytes
//! that the server sent, and decodes an object when the program reads it.** The pods of a large cluster take megabytes
//! instead of gigabytes, and a handler that only reads keys never pays for decoding.
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
//! let factory = SharedInformerFactory::builder(client).resync(Duration::from_secs(30)).build();
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
//! Start with [`SharedInformerFactory`], which creates informers. [`SharedInformer`] states what an informer guarantees.
//! [`Lister`] reads the cache, [`Handler`] receives notifications, and [`Object`] decodes.
//!
//! # Features
//!
//! All are on by default except `http2`. An informer-only program sets `default-features = false`; then neither the
//! controller nor axum nor prometheus-client is compiled.
//!
//! - `controller`: [`controller`], with reconcilers, leader election and sharding.
//! - `derived`: [`derived`], incremental views over informers.
//! - `endpoints`: [`endpoints`], an HTTP server for `/metrics`, `/healthz`, `/readyz` and `/informers`.
//! - `metrics`: collectors for [`prometheus_client`].
//! - `http2`: one connection for all watches, if the server supports HTTP/2.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use tidings_factory::{FactoryBuilder, InformerOptions, Running, SharedInformerFactory};
pub use tidings_informer::delta::QueueOrder;
pub use tidings_informer::indexer::{Index, IndexError, Reader, Snapshot, SnapshotChange};
pub use tidings_informer::reflector::{
    BackoffConfig, ListMode, LivenessConfig, Paging, ReflectorConfig, StopPolicy,
};
pub use tidings_informer::{
    Handler, HandlerStats, Health, InformerConfig, InformerError, InformerFault, InformerStats, Lifecycle,
    Lister, NamespaceLister, Notification, Notifications, Publications, Registration, SharedInformer,
    StreamHealth, StreamState, Unsynced, WaitError,
};
pub use tidings_object::{
    Budget, FieldPath, FieldSelector, FieldValue, Key, KeyRef, Kind, LabelSelector, Object, Operator,
    ParseError, Projection, RawObject, ReadError, Requirement, ResourceKind, Scope, Transform, Version, Wire,
};
#[cfg(feature = "http2")]
pub use tidings_source::http2_client;
pub use tidings_source::{
    ClientError, ErrorClass, ErrorKind, ShardRange, Sharded, SourceError, WirePreference, client_from_config,
};
pub use tidings_util::WithCauses;

#[cfg(feature = "metrics")]
pub use prometheus_client;

/// Controllers: from a notification to a reconcile, with a manager, leader election and sharding.
#[cfg(feature = "controller")]
pub use tidings_controller as controller;
/// Derived collections: incremental views over informers, recomputed only where their inputs changed.
#[cfg(feature = "derived")]
pub use tidings_derived as derived;
/// HTTP endpoints for operators: `/metrics`, `/healthz`, `/readyz` and `/informers`.
#[cfg(feature = "endpoints")]
pub use tidings_endpoints as endpoints;
/// The work queue of controllers, for use without one.
pub use tidings_workqueue as workqueue;

/// The parts of an informer, for programs that assemble one by hand, in the order in which data flows:
/// source, reflector, delta queue, indexer, informer.
///
/// Most programs need none of these: [`SharedInformerFactory`] assembles an informer.
pub mod stages {
    /// Turns the bytes of the server into objects.
    pub mod object {
        pub use tidings_object::{Intake, KnownObjects, NothingKnown};
    }

    /// Lists and watches a resource.
    pub mod source {
        pub use tidings_source::{
            ChangeType, KubeSource, KubeSourceBuilder, ListOptions, ListPart, ListStream, ListWatch,
            StreamScope, WatchEvent, WatchOptions, WatchStream,
        };
    }

    /// Follows a source with lists and watches, and recovers from every failure.
    pub mod reflector {
        pub use tidings_informer::reflector::{Epoch, Observer, Reflector, Replacement, Sink};
    }

    /// The queue between reflector and cache.
    pub mod delta {
        pub use tidings_informer::delta::{
            Batch, Delta, DeltaFifo, DeltaKind, DeltaReceiver, DeltaSender, KnownInScope, StreamId,
            StreamSender, queue,
        };
    }

    /// The cache and its indexes.
    pub mod indexer {
        pub use tidings_informer::indexer::{Writer, indexer};
    }

    /// Joins the parts to an informer with handlers.
    pub mod informer {
        pub use tidings_informer::{InformerTask, Sources, informer};
    }
}

/// Runs the code of the documents as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../README.md")]
    struct CrateReadme;

    #[doc = include_str!("../../../docs/metrics.md")]
    struct Metrics;

    #[doc = include_str!("../../../docs/derived.md")]
    struct Derived;

    #[doc = include_str!("../../../docs/coming-from-krt.md")]
    struct ComingFromKrt;
}
