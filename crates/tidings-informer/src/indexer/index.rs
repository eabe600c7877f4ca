//! What an index is: its name, and how it reads the values of an object.
//!
//! Values come from the identity (namespace, label, owner), from a field of the body, or from a function of
//! the user's. A function that fails or panics costs its object the place in that index and nothing else.

use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use smallvec::SmallVec;
use tidings_object::{FieldPath, FieldPathError, Key, RawObject, ReadError};
use tidings_util::panic_message;

use crate::sync::{AtomicBool, Ordering};

/// An index to be added to a cache: from a value to the objects that have it. An object may have no value or
/// several, and stands under each.
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
    values: Result<Values, FieldPathError>,
}

/// The name of the index that every cache has: by namespace. Objects of the cluster are not in it.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Why an index could not be added, removed or read. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// There is no index of this name.
    #[error("no index {name:?}; there are {known:?}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Which there are.
        known: Vec<String>,
    },
    /// There is an index of this name already.
    #[error("an index {name:?} exists already")]
    Taken {
        /// The name.
        name: String,
    },
    /// What is being read does not have the whole index yet: ask again later, or take a newer snapshot.
    #[error("the index {name:?} is still being built")]
    Building {
        /// The name.
        name: String,
    },
    /// An index needs a name.
    #[error("an index needs a name")]
    EmptyName,
    /// The field path of an index is none.
    #[error("reading the field path of the index {name:?}: {source}")]
    BadPath {
        /// The name.
        name: String,
        /// Why.
        r#source: FieldPathError,
    },
    /// The namespace index is needed by the cache itself.
    #[error("the index {name:?} is built in")]
    BuiltIn {
        /// The name.
        name: String,
    },
    /// Nobody writes to this cache any more, so that no index would ever be built.
    #[error("adding the index {name:?} to a cache that has stopped")]
    Stopped {
        /// The name.
        name: String,
    },
}

/// An object that is not in an index, because its values could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("reading the values of {key} for the index {index:?}: {error}")]
pub struct IndexFault {
    /// The index.
    pub index: Arc<str>,
    /// The object. It is stored all the same.
    pub key: Key,
    /// Why.
    pub error: IndexFaultError,
}

/// Why the values of an object could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum IndexFaultError {
    /// The object could not be read.
    #[error("{0}")]
    Read(ReadError),
    /// The index function panicked.
    #[error("the index function panicked: {0}")]
    Panicked(String),
}

/// Reads the values of an object.
enum Values {
    Namespace,
    Label(Box<str>),
    Owner,
    Field(FieldPath),
    Function(Box<Function>),
}

type Function = dyn Fn(&RawObject) -> Result<Vec<String>, ReadError> + Send + Sync;

/// Distinct and in order.
pub(super) type ValueList<'a> = SmallVec<[Cow<'a, str>; 2]>;

/// An index that was added: shared by whoever builds and reads it.
pub(super) struct IndexSpec {
    pub(super) name: Arc<str>,
    values: Values,
    is_removed: AtomicBool,
}

impl Index {
    /// By what stands at a field path, read from the bytes: strings as they are, other values as their JSON.
    /// Absent and null are no value.
    pub fn field(name: impl Into<String>, path: &str) -> Index {
        Index { name: name.into(), values: FieldPath::parse(path).map(Values::Field) }
    }

    /// By the value of one label.
    pub fn label(name: impl Into<String>, label_key: impl Into<String>) -> Index {
        Index { name: name.into(), values: Ok(Values::Label(label_key.into().into())) }
    }

    /// By the uids of the owners.
    pub fn owner(name: impl Into<String>) -> Index {
        Index { name: name.into(), values: Ok(Values::Owner) }
    }

    /// By a function of the decoded object, which decodes every object once.
    pub fn typed<K, F>(name: impl Into<String>, values: F) -> Index
    where
        K: DeserializeOwned + Send + Sync + 'static,
        F: Fn(&K) -> Vec<String> + Send + Sync + 'static,
    {
        let read = move |object: &RawObject| Ok(values(&*object.decoded::<K>()?));
        Index { name: name.into(), values: Ok(Values::Function(Box::new(read))) }
    }

    /// By a function of the object as it is.
    pub fn raw<F>(name: impl Into<String>, values: F) -> Index
    where
        F: Fn(&RawObject) -> Vec<String> + Send + Sync + 'static,
    {
        let read = move |object: &RawObject| Ok(values(object));
        Index { name: name.into(), values: Ok(Values::Function(Box::new(read))) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The field that it is by.
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
    /// The values of an object. The user's function runs here, and whatever it does ends here.
    pub(super) fn values<'a>(&self, object: &'a RawObject) -> Result<ValueList<'a>, IndexFaultError> {
        let mut values = match &self.values {
            Values::Namespace => object.namespace().map(Cow::Borrowed).into_iter().collect(),
            Values::Label(key) => object.labels().value(key).map(Cow::Borrowed).into_iter().collect(),
            Values::Owner => object.owner_uids().map(Cow::Borrowed).collect(),
            Values::Field(path) => match object.prefetched_texts(path) {
                Some(texts) => texts.map(Cow::Borrowed).collect(),
                None => {
                    let found = object.field_at(path).map_err(IndexFaultError::Read)?;
                    found.texts().map(|text| Cow::Owned(text.into_owned())).collect()
                }
            },
            Values::Function(function) => match catch_unwind(AssertUnwindSafe(|| function(object))) {
                Ok(Ok(values)) => values.into_iter().map(Cow::Owned).collect::<ValueList<'a>>(),
                Ok(Err(error)) => return Err(IndexFaultError::Read(error)),
                Err(panic) => return Err(IndexFaultError::Panicked(panic_message(&*panic))),
            },
        };
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// The key of the label that this index is by.
    pub(super) fn label_key(&self) -> Option<&str> {
        match &self.values {
            Values::Label(key) => Some(key),
            _ => None,
        }
    }

    /// Whether two versions of one object always have the same values.
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
