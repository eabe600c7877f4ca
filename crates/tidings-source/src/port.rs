//! The port between a reflector and an API server: what is asked, and what comes back.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tidings_object::{IntakeError, RawObject, ResourceKind, Version, Wire};

use crate::SourceError;

/// One resource in one scope that can be listed and watched. Resource, scope, selectors and tweaks are its
/// own; what changes from request to request is asked.
///
/// [`KubeSource`](crate::KubeSource) answers it over kube-client. A source of your own, say over a file or another
/// protocol, is an implementation of it:
///
/// ```
/// use futures_util::future::BoxFuture;
/// use futures_util::{FutureExt as _, StreamExt as _, stream};
/// use tidings_object::{ResourceKind, Version};
/// use tidings_source::{
///     ListEnd, ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope, WatchOptions, WatchStream,
/// };
///
/// /// A resource that has no objects and never will.
/// struct Nothing(ResourceKind);
///
/// impl ListWatch for Nothing {
///     fn resource(&self) -> &ResourceKind {
///         &self.0
///     }
///     fn scope(&self) -> &StreamScope {
///         &StreamScope::All
///     }
///     fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
///         let version = Version::from(1);
///         let end = ListEnd { version, continue_token: None, remaining_items: None, sharded: None };
///         async { Ok(stream::iter([Ok(ListPart::End(end))]).boxed()) }.boxed()
///     }
///     fn watch(&self, _: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
///         async { Ok(stream::pending().boxed()) }.boxed()
///     }
/// }
/// ```
pub trait ListWatch: Send + Sync {
    /// The resource.
    fn resource(&self) -> &ResourceKind;

    /// The part of the resource that it lists: one namespace, or all.
    fn scope(&self) -> &StreamScope;

    /// Whether streaming lists may be tried at all.
    fn may_stream_lists(&self) -> bool {
        true
    }

    /// The wire that the last answer came by; `None` before the first, and where there is none.
    fn wire(&self) -> Option<Wire> {
        None
    }

    /// Waits until a list may begin; whoever lists holds the turn until the list is whole. Time spent waiting is
    /// not the server's.
    fn list_turn(&self) -> BoxFuture<'_, ListTurn> {
        Box::pin(std::future::ready(ListTurn::free()))
    }

    /// Asks for one page of a list. The stream yields each object as it arrives and ends with exactly one
    /// [`ListPart::End`]; without it the page was cut off.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>>;

    /// Opens a watch.
    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>>;
}

/// The right to list, given back when it is dropped.
pub struct ListTurn {
    _held: Option<Box<dyn Send>>,
}

impl ListTurn {
    /// A turn that nobody waits for.
    pub fn free() -> Self {
        ListTurn { _held: None }
    }

    /// A turn that lasts as long as `held`.
    pub fn holding(held: impl Send + 'static) -> Self {
        ListTurn { _held: Some(Box::new(held)) }
    }
}

/// The objects of one page, then its end.
pub type ListStream = BoxStream<'static, Result<ListPart, SourceError>>;

/// The events of one watch. It ends when the server closes it.
pub type WatchStream = BoxStream<'static, Result<WatchEvent, SourceError>>;

/// Which objects of a resource one stream lists and watches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StreamScope {
    /// All namespaces, or the cluster.
    All,
    /// One namespace.
    Namespace(Arc<str>),
}

/// A name that no namespace can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no name of a namespace: use lower case letters, digits and '-', at most 63 of them")]
pub struct NamespaceError {
    /// The name.
    pub name: String,
}

/// What changes from one LIST to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListOptions {
    /// `resourceVersion`: `None` asks for the most recent, `0` for any.
    pub version: Option<Version>,
    /// `resourceVersionMatch`.
    pub version_match: Option<VersionMatch>,
    /// `limit`: how many objects a page may have.
    pub limit: Option<u32>,
    /// `continue`: the token of the page before.
    pub continue_token: Option<String>,
}

/// `resourceVersionMatch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionMatch {
    /// At least as new as the version.
    NotOlderThan,
    /// At the version exactly.
    Exact,
}

/// What changes from one WATCH to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WatchOptions {
    /// `resourceVersion`: events after it are sent.
    pub version: Option<Version>,
    /// `timeoutSeconds`: when the server shall close the watch.
    pub timeout_seconds: Option<u32>,
    /// `allowWatchBookmarks`.
    pub allow_bookmarks: bool,
    /// `sendInitialEvents` with `resourceVersionMatch=NotOlderThan`: a streaming list.
    pub send_initial_events: bool,
}

/// A part of a page.
#[derive(Debug, Clone)]
pub enum ListPart {
    /// One object; the cache's own `Arc` if it did not change.
    Object(Arc<RawObject>),
    /// Something that is no object of this resource: told, counted, left out.
    Skipped(Skipped),
    /// The page is whole.
    End(ListEnd),
}

/// What a page says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEnd {
    /// The version of the list.
    pub version: Version,
    /// The token of the next page, unless this was the last.
    pub continue_token: Option<String>,
    /// `remainingItemCount`, if the server tells.
    pub remaining_items: Option<u64>,
    /// Who chose the objects of a shard; `None` for a list of all.
    pub sharded: Option<Sharded>,
}

/// Who chose the objects of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharded {
    /// The server, which says so with the selector that it applied (`shardInfo`).
    ByServer(String),
    /// The source itself: the server sends everything, as those do that do not know `shardSelector`.
    ByClient,
}

/// What a watch yields.
#[derive(Debug, Clone)]
pub enum WatchEvent {
    /// An object came, changed or went.
    Changed(Change, Arc<RawObject>),
    /// A bookmark: every change up to this version has been sent.
    Bookmark {
        /// The version.
        version: Version,
        /// Whether it ends the initial events of a streaming list.
        is_initial_events_end: bool,
    },
    /// The server ends the watch with a Status. (Also as [`SourceError`] through [`SourceError::in_stream`].)
    Error(StatusDetail),
    /// An event without a usable object, or of a type that nobody knows: told, counted, left out.
    Skipped(Skipped),
}

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// `ADDED`.
    Added,
    /// `MODIFIED`.
    Modified,
    /// `DELETED`.
    Deleted,
}

/// A well-formed frame that is no object of this resource.
#[derive(Debug, Clone)]
pub enum Skipped {
    /// No usable identity, or another kind.
    Object(IntakeError),
    /// An event type that nobody knows, with the version of its object.
    UnknownEvent {
        /// The type, as sent.
        event_type: String,
    },
}

/// A Kubernetes `Status` that reports a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusDetail {
    /// The HTTP code.
    pub code: u16,
    /// The reason, such as `Expired`.
    pub reason: String,
    /// The message for people.
    pub message: String,
    /// The causes' reasons with their fields and messages.
    pub causes: Vec<StatusCause>,
    /// How long to wait: from the `Retry-After` header or `details.retryAfterSeconds`.
    pub retry_after: Option<Duration>,
}

/// One cause of a [`StatusDetail`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusCause {
    /// The cause's reason.
    pub reason: String,
    /// The field it is about.
    pub field: String,
    /// Its message.
    pub message: String,
}

impl fmt::Display for StreamScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamScope::All => f.write_str("all namespaces"),
            StreamScope::Namespace(namespace) => write!(f, "namespace {namespace}"),
        }
    }
}

impl StreamScope {
    /// The namespace, unless all.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            StreamScope::All => None,
            StreamScope::Namespace(namespace) => Some(namespace),
        }
    }

    /// Whether its namespace is a name that a namespace can have.
    pub fn check(&self) -> Result<(), NamespaceError> {
        let StreamScope::Namespace(name) = self else { return Ok(()) };
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = (1..=63).contains(&name.len())
            && name.bytes().all(is_inner)
            && !name.starts_with('-')
            && !name.ends_with('-');
        if is_name { Ok(()) } else { Err(NamespaceError { name: name.to_string() }) }
    }

    /// Whether an object of this namespace belongs to it.
    pub fn contains(&self, namespace: Option<&str>) -> bool {
        match self {
            StreamScope::All => true,
            StreamScope::Namespace(own) => namespace == Some(own),
        }
    }
}

impl fmt::Display for StatusDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.reason, self.message)
    }
}
