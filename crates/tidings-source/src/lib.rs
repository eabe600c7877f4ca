//! List and watch: requests out; frames, pages and events in.
//!
//! [`ListWatch`] is the port that a reflector asks. [`KubeSource`] answers it over kube-client: it cuts frames
//! off the stream as they arrive and turns each into an object at once, so that the body of a list is never
//! held whole. This crate knows no cache.

mod asked;
pub mod client;
pub mod error;
mod event;
mod excerpt;
mod frames;
mod gunzip;
pub mod kube_source;
mod list_split;
mod network;
pub mod pager;
pub mod port;
pub mod query;
pub mod retry_watcher;
#[cfg(feature = "scripted")]
pub mod scripted;
mod status;
#[cfg(feature = "scripted")]
mod sync;
#[cfg(test)]
mod testing;
pub mod until;
mod value_end;
mod watch_frame;

#[cfg(feature = "http2")]
pub use client::http2_client;
pub use client::{ClientError, client_from_config, try_default};
pub use error::{ErrorClass, SourceError, Trouble};
pub use kube_source::{BuildError, FRAME_BYTES_MAX_DEFAULT, KubeSource, KubeSourceBuilder};
pub use pager::{ListedEnd, ListedPart, PAGE_SIZE_DEFAULT, list_all};
pub use port::{
    Change, ListEnd, ListOptions, ListPart, ListStream, ListWatch, NamespaceError, Skipped, StatusCause,
    StatusDetail, StreamScope, VersionMatch, WatchEvent, WatchOptions, WatchStream,
};
pub use query::Query;
pub use retry_watcher::{NoStart, ObjectEvent, retry_watch};
pub use until::{Condition, UntilError, list_then_watch, until, until_with_list};
