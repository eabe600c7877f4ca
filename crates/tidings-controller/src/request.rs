//! The request of a reconciler: the key of an object, and nothing else. It does not contain what happened to the
//! object, because more may have happened before the reconcile starts.

use std::fmt;
use std::ops::Deref;

use tidings_object::{Key, KeyRef, ParseError};

/// The key of an object to reconcile.
///
/// ```
/// use tidings_controller::Request;
///
/// let request = Request::new(Some("shop"), "web-0")?;
/// assert_eq!((request.namespace(), request.name()), (Some("shop"), "web-0"));
/// assert_eq!(request.to_string(), "shop/web-0");
/// # Ok::<(), tidings_object::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request(Key);

impl Request {
    /// A request for the object of this name in `namespace`, or in cluster scope.
    pub fn new(namespace: Option<&str>, name: &str) -> Result<Self, ParseError> {
        Key::new(namespace, name).map(Request)
    }
}

/// A request can be passed as a key: `lister.get(&request)`.
impl Deref for Request {
    type Target = Key;
    fn deref(&self) -> &Key {
        &self.0
    }
}

impl From<Key> for Request {
    fn from(key: Key) -> Self {
        Request(key)
    }
}

impl From<KeyRef<'_>> for Request {
    fn from(key: KeyRef<'_>) -> Self {
        Request(key.to_key())
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
