//! What lists and watches yield.

use std::sync::Arc;

use tidings_object::{IntakeError, RawObject, Version};

use super::StatusDetail;

/// A part of one page of a list.
#[derive(Debug, Clone)]
pub enum ListPart {
    /// One object. If it did not change, this is the `Arc` that the cache already has.
    Object(Arc<RawObject>),
    /// An item that is not an object of this resource. It is reported, counted and left out.
    Skipped(Skipped),
    /// The page is complete.
    End(ListEnd),
}

/// The metadata of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEnd {
    /// The version of the list.
    pub version: Version,
    /// The token of the next page; `None` for the last page.
    pub continue_token: Option<String>,
    /// `remainingItemCount`, if the server sends it.
    pub remaining_items: Option<u64>,
    /// Who selected the objects of a shard; `None` for a list without a shard.
    pub sharded: Option<Sharded>,
}

/// Who selected the objects of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharded {
    /// The server. It reports the selector that it applied (`shardInfo`).
    ByServer(String),
    /// The source, because the server did not report a selector: it ignores `shardSelector` and sends everything, or it
    /// applied the selector to a list that can't report it. In Kubernetes 1.37 those are lists of custom resources and
    /// of metadata alone.
    ByClient,
}

/// One event of a watch.
#[derive(Debug, Clone)]
pub enum WatchEvent {
    /// An object was added, modified or deleted.
    Changed(ChangeType, Arc<RawObject>),
    /// A bookmark: the server has sent every change up to this version.
    Bookmark {
        /// The version.
        version: Version,
        /// Whether it ends the initial events of a streaming list.
        is_initial_events_end: bool,
    },
    /// The server ends the watch with a Status.
    /// [`SourceError::in_stream`](crate::SourceError::in_stream) makes an error of it.
    Error(StatusDetail),
    /// An event without a usable object, or of an unknown type. It is reported, counted and left out.
    Skipped(Skipped),
}

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeType {
    /// `ADDED`.
    Added,
    /// `MODIFIED`.
    Modified,
    /// `DELETED`.
    Deleted,
}

/// A well-formed frame that is not an object of this resource.
#[derive(Debug, Clone)]
pub enum Skipped {
    /// An object without a usable identity, or of another kind.
    Object(IntakeError),
    /// An event of an unknown type.
    UnknownEvent {
        /// The type, as sent.
        event_type: String,
    },
}
