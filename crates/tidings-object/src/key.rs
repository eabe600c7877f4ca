//! The name of an object in its informer's cache: `namespace/name`, or `name` alone in cluster scope.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An owned key. Cloning it copies a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Arc<str>);

/// A key borrowed from an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyRef<'a>(&'a str);

/// Why a text is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A name, or a namespace before a slash, is empty.
    #[error("a key needs a name: {0:?}")]
    Empty(String),
    /// More than one slash.
    #[error("unexpected key format {0:?}: use \"namespace/name\" or \"name\"")]
    TooManyParts(String),
}

impl Key {
    /// The key of `name` in `namespace`, or in cluster scope.
    pub fn new(namespace: Option<&str>, name: &str) -> Result<Key, KeyError> {
        match namespace {
            Some(namespace) => Key::parse(&format!("{namespace}/{name}")),
            None => Key::parse(name),
        }
    }

    /// Reads `namespace/name` or `name`.
    pub fn parse(text: &str) -> Result<Key, KeyError> {
        let mut parts = text.split('/');
        let (first, second, third) = (parts.next(), parts.next(), parts.next());
        if third.is_some() {
            return Err(KeyError::TooManyParts(text.to_owned()));
        }
        if first.is_none_or(str::is_empty) || second.is_some_and(str::is_empty) {
            return Err(KeyError::Empty(text.to_owned()));
        }
        Ok(Key(text.into()))
    }

    /// The key, borrowed.
    pub fn borrowed(&self) -> KeyRef<'_> {
        KeyRef(&self.0)
    }

    /// The namespace, unless in cluster scope.
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
    /// Takes a text that is known to be a key.
    pub(crate) fn trusted(text: &'a str) -> Self {
        KeyRef(text)
    }

    /// The namespace, unless in cluster scope.
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
        assert!(matches!(Key::parse("a/b/c"), Err(KeyError::TooManyParts(_))));
        for empty in ["", "/", "a/", "/a"] {
            assert!(matches!(Key::parse(empty), Err(KeyError::Empty(_))), "{empty:?}");
        }
    }
}
