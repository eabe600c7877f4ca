//! Derived collections: incremental views over informers.
//!
//! A collection is computed by a function from the objects of informers, or from other collections. The function is
//! evaluated once for each input key, and again when something changes that this evaluation has read: an object by its
//! key, the objects under an index value or a selector, a whole collection, and of an object only the fields that were
//! read.
//!
//! ```
//! use k8s_openapi::api::core::v1::{Pod, Service};
//! use tidings_derived::Graph;
//! use tidings_factory::SharedInformerFactory;
//! use tidings_object::LabelSelector;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = tidings_apiserver::ApiServer::start().await;
//! # server.put("services", serde_json::json!({ "metadata": { "namespace": "shop", "name": "web" },
//! #     "spec": { "selector": { "app": "web" } } }));
//! # server.put("pods", serde_json::json!({ "metadata": { "namespace": "shop", "name": "web-0",
//! #     "labels": { "app": "web" } }, "spec": { "containers": [] }, "status": { "podIP": "10.0.0.7" } }));
//! # let client = server.client();
//! let factory = SharedInformerFactory::new(client);
//! let (graph, task) = Graph::new("endpoints");
//! let pods = graph.informer(&factory.informer::<Pod>());
//! let services = graph.informer(&factory.informer::<Service>());
//! let endpoints = services.map("endpoints", move |cx, service| {
//!     let app = service.field_text(".spec.selector.app")?;
//!     let selector = LabelSelector::from_iter([("app", app)]);
//!     let pods = cx.select_in(&pods, &service.namespace()?, &selector);
//!     let ips: Vec<String> = pods.iter().filter_map(|pod| pod.field_text(".status.podIP")).collect();
//!     Some((service.key().into_owned(), ips))
//! });
//! let running = factory.start();
//! let mut tasks = tokio::task::JoinSet::new();
//! tasks.spawn(task.run());
//! endpoints.synced().await?;
//! assert_eq!(endpoints.lister().get("shop/web").unwrap().1, ["10.0.0.7"]);
//! # graph.stop();
//! # running.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! `docs/derived.md` states the rules.

mod change;
mod collection;
mod dependency;
mod element;
mod error;
mod evaluation_context;
mod graph;
mod handler;
mod keys;
mod mailbox;
mod metrics;
mod node;
mod persistent_map;
mod reads;
mod recorder;
mod shared;
mod sorted_map;
mod state;
mod stats;
mod sync;
mod table;
mod task;
mod tracked;

pub use collection::{
    Collection, CollectionIndex, CollectionLister, CollectionSnapshot, IntoOutput, IntoOutputs,
    Transformation,
};
pub use element::{Element, Keyed, Value};
pub use error::{CollectionFault, DerivedError, FaultKind};
pub use evaluation_context::EvaluationContext;
pub use graph::{Feed, Graph, GraphBuilder, GraphSnapshot};
pub use handler::{CollectionNotification, CollectionNotifications, CollectionRegistration};
pub use mailbox::CollectionHandlerStats;
pub use metrics::GraphMetrics;
pub use node::transform::OnFailure;
pub use state::InputVersion;
pub use stats::{CollectionReads, CollectionStats, GraphReport, UnsyncedCollection};
pub use task::GraphTask;
pub use tracked::Tracked;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
