//! One version of one object, as the server sent it: its identity, readable at once, and its packed body.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::body::{Body, Wire};
use crate::identity::Identity;
use crate::{Budget, FieldPath, FieldPathError, FieldValue, KeyRef, ResourceKind, TransformError, Version};

/// One version of one object.
pub struct RawObject {
    origin: Arc<Origin>,
    key: Box<str>,
    uid: Box<str>,
    version: Version,
    generation: Option<i64>,
    deletion_timestamp: Option<Box<str>>,
    labels: Box<[(Box<str>, Box<str>)]>,
    owners: Box<[(Box<str>, bool)]>,
    body_hash: u64,
    body: Body,
}

/// What the objects of one informer share.
#[derive(Debug)]
pub struct Origin {
    /// Their resource.
    pub resource: ResourceKind,
    /// The budget that keeps them decoded.
    pub budget: Arc<Budget>,
}

/// Why an object's body could not be read. It concerns its reader and nobody else.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The body does not decode into the type that was asked for.
    #[error("decoding {resource} {key} as {into}")]
    Decode {
        /// The resource.
        resource: String,
        /// The object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// Why.
        #[source]
        source: Arc<serde_json::Error>,
    },
    /// Its transform refused the object when it arrived.
    #[error("reading {resource} {key}")]
    Transform {
        /// The resource.
        resource: String,
        /// The object.
        key: String,
        /// What the transform said.
        #[source]
        source: TransformError,
    },
    /// The type's `Deserialize` panicked.
    #[error("decoding {resource} {key} as {into} panicked: {message}")]
    Panicked {
        /// The resource.
        resource: String,
        /// The object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// The panic's message.
        message: String,
    },
    /// The field path is none.
    #[error("reading a field")]
    Path(#[from] FieldPathError),
}

impl RawObject {
    pub(crate) fn new(origin: Arc<Origin>, identity: &Identity<'_>, body_hash: u64, body: Body) -> RawObject {
        let key = match identity.namespace.as_ref() {
            "" => identity.name.as_ref().into(),
            namespace => format!("{namespace}/{}", identity.name).into(),
        };
        RawObject {
            origin,
            key,
            uid: identity.uid.as_ref().into(),
            version: identity.version.clone().unwrap_or_else(|| Version::new("")),
            generation: identity.generation,
            deletion_timestamp: identity.deletion_timestamp.as_deref().map(Into::into),
            labels: identity.labels.iter().map(|(k, v)| (k.as_ref().into(), v.as_ref().into())).collect(),
            owners: identity
                .owners
                .iter()
                .map(|(uid, controller)| (uid.as_ref().into(), *controller))
                .collect(),
            body_hash,
            body,
        }
    }

    /// `namespace/name`, or `name` in cluster scope.
    pub fn key(&self) -> KeyRef<'_> {
        KeyRef::trusted(&self.key)
    }

    /// The namespace, unless in cluster scope.
    pub fn namespace(&self) -> Option<&str> {
        self.key().namespace()
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.key().name()
    }

    /// The uid; empty where the server gives none.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// The resourceVersion.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// `metadata.generation`.
    pub fn generation(&self) -> Option<i64> {
        self.generation
    }

    /// `metadata.deletionTimestamp`, as sent.
    pub fn deletion_timestamp(&self) -> Option<&str> {
        self.deletion_timestamp.as_deref()
    }

    /// The labels, read from identity: nothing is decoded.
    pub fn labels(&self) -> Labels<'_> {
        Labels(self)
    }

    /// The uids of its owners.
    pub fn owner_uids(&self) -> impl Iterator<Item = &str> {
        self.owners.iter().map(|(uid, _)| &**uid)
    }

    /// The uid of the owner that controls it.
    pub fn controller_uid(&self) -> Option<&str> {
        self.owners.iter().find(|(_, is_controller)| *is_controller).map(|(uid, _)| &**uid)
    }

    /// A hash of the body as it arrived, after a leading kind and apiVersion.
    pub fn body_hash(&self) -> u64 {
        self.body_hash
    }

    /// Whether `other` is the same version of the same object with the same body. Versions alone do not prove
    /// it: a restored server gives them out again. An empty uid or version is never the same.
    pub fn is_unchanged(&self, other: &RawObject) -> bool {
        !self.uid.is_empty()
            && !self.version.is_empty()
            && self.uid == other.uid
            && self.version == other.version
            && self.body_hash == other.body_hash
    }

    /// What it shares with the other objects of its informer.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// The wire format of its body.
    pub fn wire(&self) -> Wire {
        self.body.wire()
    }

    /// The object as JSON, with the kind and apiVersion that list items lack.
    pub fn json(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        self.body.unpacked().map_err(|source| ReadError::Transform {
            resource: self.origin.resource.to_string(),
            key: self.key.to_string(),
            source,
        })
    }

    /// Reads what stands at a field path such as `.status.phase`, without building the object.
    pub fn field(&self, path: &str) -> Result<FieldValue, ReadError> {
        self.field_at(&FieldPath::parse(path)?)
    }

    /// As [`field`](Self::field), with a path that was parsed before.
    pub fn field_at(&self, path: &FieldPath) -> Result<FieldValue, ReadError> {
        path.read(&self.json()?).map_err(|e| self.undecodable::<FieldValue>(e))
    }

    /// Reads a part of the object into a struct of your own; nothing is kept.
    pub fn view<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        serde_json::from_slice(&self.json()?).map_err(|e| self.undecodable::<T>(e))
    }

    /// The whole object, decoded. It is kept decoded within the budget.
    pub fn decoded<K: DeserializeOwned + Send + Sync + 'static>(&self) -> Result<Arc<K>, ReadError> {
        self.view().map(Arc::new)
    }

    /// How many bytes its packed body takes.
    pub fn packed_bytes(&self) -> usize {
        self.body.packed_len()
    }

    /// How many bytes it takes in all, nothing decoded.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.key.len() + self.uid.len() + self.packed_bytes()
    }

    fn undecodable<T>(&self, error: serde_json::Error) -> ReadError {
        ReadError::Decode {
            resource: self.origin.resource.to_string(),
            key: self.key.to_string(),
            into: std::any::type_name::<T>(),
            source: Arc::new(error),
        }
    }
}

/// The labels of an object.
#[derive(Clone, Copy)]
pub struct Labels<'a>(&'a RawObject);

impl<'a> Labels<'a> {
    /// The value of one label.
    pub fn value(self, key: &str) -> Option<&'a str> {
        self.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }

    /// Every label with its value.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.labels.iter().map(|(k, v)| (&**k, &**v))
    }
}

/// Identity only: a body may hold secrets.
impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawObject")
            .field("resource", &format_args!("{}", self.origin.resource))
            .field("key", &self.key)
            .field("uid", &self.uid)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
