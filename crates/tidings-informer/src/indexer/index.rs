//! The definition of an index: its name, and how it reads the values of an object.
//!
//! Values come from the identity (namespace, label, owners), from a field of the body, or from a user's function. If a
//! function fails or panics, its object is missing from that index; nothing else happens.

use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use smallvec::SmallVec;
use tidings_object::{FieldPath, Key, ParseError, RawObject, ReadError};
use tidings_util::panic_message;

use crate::sync::{AtomicBool, Ordering};

/// The definition of an index, from a value to the objects that have it. An object has no value, one, or several, and
/// is found by each of them.
///
/// ```
/// use tidings_informer::indexer::{Index, indexer};
///
/// let (_writer, reader) = indexer();
/// reader.add_index(Index::field("node", ".spec.nodeName"))?;
/// reader.add_index(Index::label("app", "app.kubernetes.io/name"))?;
/// reader.add_index(Index::raw("initial", |object| object.name().chars().take(1).map(String::from).collect()))?;
/// # Ok::<(), tidings_informer::indexer::IndexError>(())
/// ```
pub struct Index {
    name: String,
    values: Result<Values, ParseError>,
}

/// The name of the index by namespace, which every cache has. Cluster-scoped objects are not in it.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Why an index could not be added, removed or read. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// No index has this name.
    #[error("no index {name:?}; there are {known:?}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The names of all indexes.
        known: Vec<String>,
    },
    /// An index of this name exists already.
    #[error("adding the index {name:?}: an index of this name exists already")]
    Taken {
        /// The name.
        name: String,
    },
    /// The index is not complete yet in the state that was read. Read it again later, or take a newer snapshot.
    #[error("reading the index {name:?}: it is still being built, read it again later")]
    Building {
        /// The name.
        name: String,
    },
    /// The name of an index is empty.
    #[error("adding an index: its name is empty")]
    EmptyName,
    /// The field path of an index is invalid.
    #[error("reading the field path of the index {name:?}: {source}")]
    BadPath {
        /// The name.
        name: String,
        /// What is wrong with the path.
        r#source: ParseError,
    },
    /// The namespace index can't be removed: the cache itself needs it.
    #[error("removing the index {name:?}: it is built in")]
    BuiltIn {
        /// The name.
        name: String,
    },
    /// The cache has no writer any more, so the index would never be built.
    #[error("adding the index {name:?}: the cache has stopped")]
    Stopped {
        /// The name.
        name: String,
    },
}

/// An object that is cached but missing from an index, because its values could not be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexFault {
    /// The name of the index.
    pub index: Arc<str>,
    /// The key of the object.
    pub key: Key,
    /// Why its values could not be read.
    pub cause: IndexFaultCause,
}

/// Why the index values of an object could not be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum IndexFaultCause {
    /// The object could not be decoded.
    Read(ReadError),
    /// The index function panicked, with this message.
    Panicked(String),
}

/// How the values of an object are read.
enum Values {
    Namespace,
    Label(Box<str>),
    Owner,
    Field(FieldPath),
    Function(Box<Function>),
}

type Function = dyn Fn(&RawObject) -> Result<Vec<String>, ReadError> + Send + Sync;

/// The values of one object, distinct and sorted.
pub(super) type ValueList<'a> = SmallVec<[Cow<'a, str>; 2]>;

/// A valid definition, shared by the writer, the registry and all published states.
pub(super) struct IndexSpec {
    pub(super) name: Arc<str>,
    values: Values,
    is_removed: AtomicBool,
}

impl Index {
    /// By a field, read from the bytes of the object: a string as it is, any other value as its JSON. An absent field
    /// and null are no value.
    pub fn field(name: impl Into<String>, path: &str) -> Index {
        Index { name: name.into(), values: FieldPath::parse(path).map(Values::Field) }
    }

    /// By the value of one label.
    pub fn label(name: impl Into<String>, label_key: impl Into<String>) -> Index {
        Index { name: name.into(), values: Ok(Values::Label(label_key.into().into())) }
    }

    /// By the uid of each owner.
    pub fn owner(name: impl Into<String>) -> Index {
        Index { name: name.into(), values: Ok(Values::Owner) }
    }

    /// By a function of the decoded object. It decodes every object once.
    pub fn typed<K, F>(name: impl Into<String>, values: F) -> Index
    where
        K: DeserializeOwned + Send + Sync + 'static,
        F: Fn(&K) -> Vec<String> + Send + Sync + 'static,
    {
        let read = move |object: &RawObject| Ok(values(&*object.decoded::<K>()?));
        Index { name: name.into(), values: Ok(Values::Function(Box::new(read))) }
    }

    /// By a function of the undecoded object.
    pub fn raw<F>(name: impl Into<String>, values: F) -> Index
    where
        F: Fn(&RawObject) -> Vec<String> + Send + Sync + 'static,
    {
        let read = move |object: &RawObject| Ok(values(object));
        Index { name: name.into(), values: Ok(Values::Function(Box::new(read))) }
    }

    /// The name of the index.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path of an index by a field.
    pub(crate) fn field_path(&self) -> Option<&FieldPath> {
        match &self.values {
            Ok(Values::Field(path)) => Some(path),
            _ => None,
        }
    }

    pub(super) fn namespace() -> Index {
        Index { name: NAMESPACE_INDEX.to_owned(), values: Ok(Values::Namespace) }
    }

    pub(super) fn into_spec(self) -> Result<IndexSpec, IndexError> {
        if self.name.is_empty() {
            return Err(IndexError::EmptyName);
        }
        match self.values {
            Ok(values) => {
                Ok(IndexSpec { name: self.name.into(), values, is_removed: AtomicBool::new(false) })
            }
            Err(source) => Err(IndexError::BadPath { name: self.name, source }),
        }
    }
}

impl IndexSpec {
    /// The values of an object. The user's function runs here; its error or panic is returned as an error.
    pub(super) fn values<'a>(&self, object: &'a RawObject) -> Result<ValueList<'a>, IndexFaultCause> {
        let mut values = match &self.values {
            Values::Namespace => object.namespace().map(Cow::Borrowed).into_iter().collect(),
            Values::Label(key) => object.labels().value(key).map(Cow::Borrowed).into_iter().collect(),
            Values::Owner => object.owner_uids().map(Cow::Borrowed).collect(),
            Values::Field(path) => match object.prefetched_texts(path) {
                Some(texts) => texts.map(Cow::Borrowed).collect(),
                None => {
                    let found = object.field_at(path).map_err(IndexFaultCause::Read)?;
                    found.texts().map(|text| Cow::Owned(text.into_owned())).collect()
                }
            },
            Values::Function(function) => match catch_unwind(AssertUnwindSafe(|| function(object))) {
                Ok(Ok(values)) => values.into_iter().map(Cow::Owned).collect::<ValueList<'a>>(),
                Ok(Err(error)) => return Err(IndexFaultCause::Read(error)),
                Err(panic) => return Err(IndexFaultCause::Panicked(panic_message(&*panic))),
            },
        };
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// The label key of an index by a label.
    pub(super) fn label_key(&self) -> Option<&str> {
        match &self.values {
            Values::Label(key) => Some(key),
            _ => None,
        }
    }

    /// Whether all versions of one object have the same values, because these depend on its key alone.
    pub(super) fn is_by_key(&self) -> bool {
        matches!(self.values, Values::Namespace)
    }

    pub(super) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Acquire)
    }

    pub(super) fn set_removed(&self) {
        self.is_removed.store(true, Ordering::Release);
    }
}

impl fmt::Display for IndexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reading the values of {} for the index {:?}: {}", self.key, self.index, self.cause)
    }
}

impl fmt::Display for IndexFaultCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexFaultCause::Read(error) => error.fmt(f),
            IndexFaultCause::Panicked(message) => write!(f, "the index function panicked: {message}"),
        }
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for IndexSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexSpec").field("name", &self.name).finish_non_exhaustive()
    }
}
