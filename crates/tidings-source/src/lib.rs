//! Lists and watches of an API server, as streams of objects.
//!
//! [`ListWatch`] is the interface that a reflector uses. [`KubeSource`] implements it over kube-client. It splits each
//! response into frames as it arrives and makes an object of each frame at once, so that a list is never buffered as a
//! whole. This crate has no cache.
//!
//! ```
//! use futures_util::StreamExt as _;
//! use k8s_openapi::api::core::v1::Pod;
//! use tidings_object::Kind as _;
//! use tidings_source::{KubeSource, ListOptions, ListPart, ListWatch as _};
//! # use std::convert::Infallible;
//! # use kube_client::client::{Body, Client};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let answer = |_: http::Request<Body>| async {
//! #     let list = br#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},
//! #         "items":[{"metadata":{"namespace":"default","name":"web-0","resourceVersion":"3"}}]}"#;
//! #     Ok::<_, Infallible>(http::Response::new(Body::from(list.to_vec())))
//! # };
//! # let client = Client::new(tower::service_fn(answer), "default");
//! // `client` is any `kube::Client`; `tidings_source::try_default()` makes a suitable one.
//! let pods = KubeSource::builder(client, Pod::resource()).namespace("default").build()?;
//! let mut page = pods.list(ListOptions { limit: Some(500), ..ListOptions::default() }).await?;
//! while let Some(part) = page.next().await {
//!     match part? {
//!         ListPart::Object(pod) => assert_eq!(pod.key().as_str(), "default/web-0"),
//!         ListPart::Skipped(what) => eprintln!("skipped {what:?}"),
//!         ListPart::End(end) => assert_eq!(end.version.to_string(), "5"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod client;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod kube_source;
mod pager;
mod port;
mod retry_watcher;
#[cfg(feature = "scripted")]
pub mod scripted;
mod sync;
#[cfg(test)]
mod testing;
mod until;
mod wire;

#[cfg(feature = "http2")]
pub use client::http2_client;
pub use client::{ClientError, client_from_config, try_default};
pub use error::{ErrorClass, ErrorKind, SourceError};
pub use kube_source::{FRAME_BYTES_MAX_DEFAULT, KubeSource, KubeSourceBuilder, Query};
pub use pager::{PAGE_SIZE_DEFAULT, PagedEnd, PagedPart, list_all};
pub use port::{
    ChangeType, ListEnd, ListOptions, ListPart, ListPermit, ListStream, ListWatch, ShardRange, Sharded,
    Skipped, StatusCause, StatusDetail, StreamScope, VersionMatch, WatchEvent, WatchOptions, WatchStream,
    fnv1a,
};
pub use retry_watcher::{ObjectEvent, retry_watch};
pub use until::{EventCondition, list_then_watch, until, until_with_list};
pub use wire::negotiation::WirePreference;

#[cfg(test)]
use tidings_test_types as _;
