//! The key of an object in the cache of its informer: `namespace/name`, or `name` for cluster-scoped objects.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use crate::{ParseError, ParseTarget};

/// An owned key. Cloning it copies a pointer.
///
/// ```
/// use tidings_object::Key;
///
/// let key: Key = "shop/web-0".parse()?;
/// assert_eq!((key.namespace(), key.name()), (Some("shop"), "web-0"));
/// assert_eq!(Key::new(None, "node-1")?.as_str(), "node-1");
/// # Ok::<(), tidings_object::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Arc<str>);

/// A key borrowed from an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyRef<'a>(&'a str);

impl Key {
    /// The key of `name` in `namespace`, or of a cluster-scoped object.
    pub fn new(namespace: Option<&str>, name: &str) -> Result<Key, ParseError> {
        match namespace {
            Some(namespace) => Key::parse(&format!("{namespace}/{name}")),
            None => Key::parse(name),
        }
    }

    /// Parses `namespace/name` or `name`.
    pub fn parse(text: &str) -> Result<Key, ParseError> {
        let error = |at, expected| Err(ParseError::new(ParseTarget::Key, text, at, expected));
        let Some((namespace, name)) = text.split_once('/') else {
            return if text.is_empty() { error(0, "a name") } else { Ok(Key(text.into())) };
        };
        let name_at = namespace.len() + "/".len();
        if let Some(slash) = name.find('/') {
            return error(name_at + slash, "\"namespace/name\" or \"name\", with at most one slash");
        }
        if namespace.is_empty() {
            return error(0, "a namespace before the slash");
        }
        if name.is_empty() {
            return error(name_at, "a name after the slash");
        }
        Ok(Key(text.into()))
    }

    /// The key, borrowed.
    pub fn borrowed(&self) -> KeyRef<'_> {
        KeyRef(&self.0)
    }

    /// The namespace; `None` for a cluster-scoped object.
    pub fn namespace(&self) -> Option<&str> {
        KeyRef(&self.0).namespace()
    }

    /// The name within the namespace or cluster.
    pub fn name(&self) -> &str {
        KeyRef(&self.0).name()
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'a> KeyRef<'a> {
    /// Wraps a text that is known to be a key.
    pub(crate) fn trusted(text: &'a str) -> Self {
        KeyRef(text)
    }

    /// The namespace; `None` for a cluster-scoped object.
    pub fn namespace(self) -> Option<&'a str> {
        self.0.split_once('/').map(|(namespace, _)| namespace)
    }

    /// The name within the namespace or cluster.
    pub fn name(self) -> &'a str {
        self.0.split_once('/').map_or(self.0, |(_, name)| name)
    }

    /// The key as text.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// An owned copy.
    pub fn to_key(self) -> Key {
        Key(self.0.into())
    }
}

impl FromStr for Key {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Key::parse(text)
    }
}

impl Deref for Key {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Deref for KeyRef<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        self.0
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for KeyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // holds: S1, S2
    #[test]
    fn a_key_is_namespace_and_name_or_name_alone_and_nothing_else() {
        let key = Key::parse("default/web-0").unwrap();
        assert_eq!((key.namespace(), key.name()), (Some("default"), "web-0"));
        let key = Key::new(None, "node-1").unwrap();
        assert_eq!((key.namespace(), key.name()), (None, "node-1"));
        for (text, at) in [("a/b/c", 3), ("a//", 2), ("", 0), ("/", 0), ("a/", 2), ("/a", 0)] {
            let error = Key::parse(text).unwrap_err();
            assert_eq!((error.target, error.at), (ParseTarget::Key, at), "{text:?}");
        }
        assert_eq!(
            Key::parse("a/").unwrap_err().to_string(),
            r#"key "a/" at byte 2: expected a name after the slash"#
        );
    }
}
