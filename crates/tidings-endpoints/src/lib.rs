//! HTTP endpoints for operators: `/metrics`, `/healthz`, `/readyz`, `/informers`, `/controllers`.
//!
//! [`Endpoints`] makes an axum router to mount in a server of yours, or serves it on an address of its own. It never shows
//! data of objects, and keeps no state: each response is read from the live informers.
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use tidings_endpoints::Endpoints;
//! use tidings_factory::SharedInformerFactory;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let client = tidings_apiserver::ApiServer::start().await.client();
//! let factory = SharedInformerFactory::new(client);
//! let pods = factory.informer::<Pod>();
//! let endpoints = Endpoints::new(&factory).health_check("disk", || Ok::<(), String>(()));
//!
//! let (serving, task) = endpoints.serve(([127, 0, 0, 1], 0)).await?;
//! println!("http://{}/readyz?verbose", serving.address());
//! serving.stop();
//! task.run().await;
//! # Ok(())
//! # }
//! ```

mod check;
mod diagnostics;
mod endpoints;
mod serve;
mod sync;

/// The crate whose `Router` [`Endpoints::router`] returns.
pub use axum;
pub use endpoints::{Endpoints, ReconcileFilter};
/// The crate whose `Registry` [`Endpoints::registry`] takes.
#[cfg(feature = "metrics")]
pub use prometheus_client;
pub use serve::{ServeTask, Serving, serve};
