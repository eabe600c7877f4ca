//! List and watch: requests out; frames, pages and events in.
//!
//! [`ListWatch`] is the port that a reflector asks. [`KubeSource`] answers it over kube-client: it cuts frames
//! off the stream as they arrive and turns each into an object at once, so that the body of a list is never
//! held whole. This crate knows no cache.

pub mod error;
pub mod port;

pub use error::{ErrorClass, SourceError};
pub use port::{
    Change, ListEnd, ListOptions, ListPart, ListStream, ListWatch, Skipped, StatusDetail, StreamScope,
    VersionMatch, WatchEvent, WatchOptions, WatchStream,
};
