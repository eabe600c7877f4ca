//! List and watch: requests out; frames, pages and events in.
//!
//! [`ListWatch`] is the port that a reflector asks. [`KubeSource`] answers it over kube-client: it cuts frames
//! off the stream as they arrive and turns each into an object at once, so that the body of a list is never
//! held whole. This crate knows no cache.
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
//! // `client` is any `kube::Client`; `tidings_source::try_default()` makes one that suits.
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

mod asked;
pub mod client;
pub mod error;
mod event;
mod excerpt;
mod frames;

#[doc(hidden)]
pub mod fuzz;
mod gunzip;
mod held;
mod json;
pub mod kube_source;
mod list_head;
mod list_split;
mod network;
pub mod pager;
mod payload;
pub mod port;
mod protobuf;
pub mod query;
pub mod retry_watcher;
#[cfg(feature = "scripted")]
pub mod scripted;
pub mod shard_range;
mod status;
mod sync;
#[cfg(test)]
mod testing;
pub mod until;
mod watch_frame;
pub mod wire;

#[cfg(feature = "http2")]
pub use client::http2_client;
pub use client::{ClientError, client_from_config, try_default};
pub use error::{ErrorClass, SourceError, Trouble};
pub use kube_source::{BuildError, FRAME_BYTES_MAX_DEFAULT, KubeSource, KubeSourceBuilder};
pub use pager::{ListedEnd, ListedPart, PAGE_SIZE_DEFAULT, list_all};
pub use port::{
    Change, ListEnd, ListOptions, ListPart, ListStream, ListTurn, ListWatch, NamespaceError, Sharded,
    Skipped, StatusCause, StatusDetail, StreamScope, VersionMatch, WatchEvent, WatchOptions, WatchStream,
};
pub use query::Query;
pub use retry_watcher::{NoStart, ObjectEvent, retry_watch};
pub use shard_range::{ShardRange, fnv1a};
pub use until::{Condition, UntilError, list_then_watch, until, until_with_list};
pub use wire::WirePreference;
