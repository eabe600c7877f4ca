//! The port between a reflector and an API server: the trait [`ListWatch`], the options of its requests, and what they
//! yield.

mod events;
mod options;
pub(crate) mod request_text;
mod shard_range;
mod status;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tidings_object::{ResourceKind, Wire};

pub use self::events::{ChangeType, ListEnd, ListPart, Sharded, Skipped, WatchEvent};
pub use self::options::{ListOptions, VersionMatch, WatchOptions};
pub use self::shard_range::{ShardRange, fnv1a};
pub use self::status::{StatusCause, StatusDetail};
use crate::{ClientError, SourceError};

/// One resource in one scope that can be listed and watched.
///
/// The resource, the scope, the selectors and the tweaks belong to the source. The options of each request are passed
/// to [`list`](Self::list) and [`watch`](Self::watch).
///
/// [`KubeSource`](crate::KubeSource) implements it over kube-client. Implement it to feed an informer from somewhere
/// else, for example from a file or over another protocol:
///
/// ```
/// use futures_util::future::BoxFuture;
/// use futures_util::{FutureExt as _, StreamExt as _, stream};
/// use tidings_object::{ResourceKind, Version};
/// use tidings_source::{
///     ListEnd, ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope, WatchOptions, WatchStream,
/// };
///
/// /// A resource that never has an object.
/// struct Empty(ResourceKind);
///
/// impl ListWatch for Empty {
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

    /// The part of the resource that is listed and watched: one namespace, or all.
    fn scope(&self) -> &StreamScope;

    /// Whether a reflector may try streaming lists (`sendInitialEvents`).
    fn may_stream_lists(&self) -> bool {
        true
    }

    /// The wire of the last response; `None` before the first, and for sources without a wire.
    fn wire(&self) -> Option<Wire> {
        None
    }

    /// Waits until a list may start. The caller keeps the permit until the list is complete. A reflector does not count
    /// the time spent here as time in which the server was silent.
    fn list_permit(&self) -> BoxFuture<'_, ListPermit> {
        Box::pin(std::future::ready(ListPermit::unlimited()))
    }

    /// Requests one page of a list. The stream yields each object as it arrives and ends with exactly one
    /// [`ListPart::End`]. A stream that ends without it was truncated.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>>;

    /// Opens a watch.
    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>>;
}

/// The permission to list. Dropping it lets the next list start.
pub struct ListPermit {
    _permit: Option<Box<dyn Send>>,
}

impl ListPermit {
    /// A permit of a source that does not limit lists.
    pub fn unlimited() -> Self {
        ListPermit { _permit: None }
    }

    /// A permit that drops `permit` when it is dropped itself.
    pub fn new(permit: impl Send + 'static) -> Self {
        ListPermit { _permit: Some(Box::new(permit)) }
    }
}

/// The objects of one page, then its end.
pub type ListStream = BoxStream<'static, Result<ListPart, SourceError>>;

/// The events of one watch. It ends when the server closes the watch.
pub type WatchStream = BoxStream<'static, Result<WatchEvent, SourceError>>;

/// Which objects of a resource one stream lists and watches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StreamScope {
    /// All namespaces, or the cluster.
    All,
    /// One namespace.
    Namespace(Arc<str>),
}

impl StreamScope {
    /// The namespace; `None` for all.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            StreamScope::All => None,
            StreamScope::Namespace(namespace) => Some(namespace),
        }
    }

    /// Checks that the name of the namespace is valid.
    pub fn check(&self) -> Result<(), ClientError> {
        let StreamScope::Namespace(name) = self else { return Ok(()) };
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_valid = (1..=63).contains(&name.len())
            && name.bytes().all(is_inner)
            && !name.starts_with('-')
            && !name.ends_with('-');
        if is_valid { Ok(()) } else { Err(ClientError::InvalidNamespace { name: name.to_string() }) }
    }

    /// Whether an object of this namespace is in the scope.
    pub fn contains(&self, namespace: Option<&str>) -> bool {
        match self {
            StreamScope::All => true,
            StreamScope::Namespace(own) => namespace == Some(own),
        }
    }
}

impl fmt::Display for StreamScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamScope::All => f.write_str("all namespaces"),
            StreamScope::Namespace(namespace) => write!(f, "namespace {namespace}"),
        }
    }
}
