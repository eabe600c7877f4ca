//! The state that all objects of one informer share: their resource, the budget, the kind and apiVersion that list
//! items lack, and counters of the memory that they take.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tidings_protobuf::{Message, TypeMeta};

use super::LabelKeyInterner;
use super::prefetched::PrefetchedPaths;
use crate::budget::DecodedGrowth;
use crate::sync::{AtomicU64, Ordering};
use crate::{Budget, FieldPath, Projection, ReadError, ResourceKind};

/// The state that all objects of one informer share.
#[doc(hidden)]
pub struct Origin {
    /// Their resource.
    pub resource: ResourceKind,
    /// The budget that keeps them decoded.
    pub budget: Arc<Budget>,
    /// How much of each object the server sends.
    pub projection: Projection,
    pub(super) growth: DecodedGrowth,
    /// The apiVersion in the objects that the server sends.
    sent_api_version: Box<str>,
    /// The table of their protobuf message, if it is known.
    message: Option<&'static Message>,
    /// The JSON text of each [`TypePrefix`].
    type_prefixes: [Box<str>; 4],
    pub(super) counters: ObjectCounters,
    on_unreadable: OnceLock<ReportUnreadable>,
    pub(crate) prefetched: PrefetchedPaths,
    pub(crate) label_keys: LabelKeyInterner,
}

/// The hook for objects that can't be decoded.
pub(crate) type ReportUnreadable = Box<dyn Fn(&ReadError) + Send + Sync>;

/// The members that are added before a stored JSON body because the body does not have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypePrefix {
    pub(crate) kind: bool,
    pub(crate) api_version: bool,
}

impl TypePrefix {
    /// Both members: a protobuf message has neither.
    pub(crate) const WHOLE: TypePrefix = TypePrefix { kind: true, api_version: true };
}

/// Counters of the live objects of one informer.
#[derive(Debug, Default)]
pub(super) struct ObjectCounters {
    objects: AtomicU64,
    raw_bytes: AtomicU64,
    packed_bytes: AtomicU64,
    memory_bytes: AtomicU64,
}

/// The memory of the live objects of one informer. An object counts until its last reference is dropped.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackStats {
    /// The number of objects.
    pub objects: u64,
    /// The bytes of their unpacked bodies.
    pub raw_bytes: u64,
    /// The bytes of their packed bodies.
    pub packed_bytes: u64,
    /// All their bytes: identities and packed bodies, without decoded values.
    pub memory_bytes: u64,
    /// The bytes of the dictionaries and references that their bodies need.
    pub dictionary_bytes: u64,
}

/// What one object adds to the counters.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectBytes {
    pub(super) raw_bytes: usize,
    pub(super) packed_bytes: usize,
    pub(super) memory_bytes: usize,
}

impl Origin {
    /// Reads this field of every object that arrives from now on, and stores its values beside the identity. An index
    /// does this for its field. There is room for a few fields and for short values; others are read from the body.
    pub fn prefetch_field(&self, path: &FieldPath) {
        self.prefetched.add(path);
    }

    pub(crate) fn on_unreadable(&self, report: ReportUnreadable) {
        // The first hook stays.
        let _ = self.on_unreadable.set(report);
    }

    pub(super) fn report_unreadable(&self, error: &ReadError) {
        if let Some(report) = self.on_unreadable.get() {
            report(error);
        }
    }

    pub(crate) fn new(resource: ResourceKind, projection: Projection, budget: Arc<Budget>) -> Origin {
        let sent_api_version = match projection {
            Projection::Full => resource.api_version().into(),
            Projection::Metadata => "meta.k8s.io/v1".into(),
        };
        let mut origin = Origin {
            growth: DecodedGrowth::of(&resource),
            sent_api_version,
            message: None,
            resource,
            budget,
            projection,
            type_prefixes: Default::default(),
            counters: ObjectCounters::default(),
            on_unreadable: OnceLock::new(),
            prefetched: PrefetchedPaths::default(),
            label_keys: LabelKeyInterner::default(),
        };
        let text = |value: &str| serde_json::Value::from(value).to_string();
        let kind = format!("\"kind\":{},", text(origin.sent_kind()));
        let api_version = format!("\"apiVersion\":{},", text(origin.sent_api_version()));
        origin.type_prefixes = [(false, false), (true, false), (false, true), (true, true)].map(
            |(has_kind, has_api_version)| {
                let (kind, api_version) =
                    (if has_kind { &*kind } else { "" }, if has_api_version { &*api_version } else { "" });
                format!("{{{kind}{api_version}").into()
            },
        );
        origin.message = message_of(origin.sent_type());
        origin
    }

    /// The kind in the objects that the server sends.
    pub(crate) fn sent_kind(&self) -> &str {
        match self.projection {
            Projection::Full => &self.resource.kind,
            Projection::Metadata => "PartialObjectMetadata",
        }
    }

    /// The apiVersion in the objects that the server sends.
    pub(crate) fn sent_api_version(&self) -> &str {
        &self.sent_api_version
    }

    /// Both, for protobuf messages, which lack them.
    pub(crate) fn sent_type(&self) -> TypeMeta<'_> {
        TypeMeta { api_version: Some(self.sent_api_version()), kind: Some(self.sent_kind()) }
    }

    /// The table of their protobuf message, if it is known.
    pub(crate) fn message(&self) -> Option<&'static Message> {
        self.message
    }

    /// The counters. `dictionary_bytes` is 0, because the packer knows the dictionaries.
    pub(crate) fn stats(&self) -> PackStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        PackStats {
            objects: read(&self.counters.objects),
            raw_bytes: read(&self.counters.raw_bytes),
            packed_bytes: read(&self.counters.packed_bytes),
            memory_bytes: read(&self.counters.memory_bytes),
            dictionary_bytes: 0,
        }
    }

    /// The text before a body of `rest_len` bytes. A body of one byte is only the closing brace.
    pub(crate) fn type_prefix(&self, prefix: TypePrefix, rest_len: usize) -> &str {
        let text = &*self.type_prefixes[usize::from(prefix.kind) + 2 * usize::from(prefix.api_version)];
        if rest_len == 1 { text.trim_end_matches(',') } else { text }
    }
}

/// The table of the protobuf message of a type, if it is known.
pub(crate) fn message_of(type_meta: TypeMeta<'_>) -> Option<&'static Message> {
    let (api_version, kind) = (type_meta.api_version?, type_meta.kind?);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    tidings_protobuf::message(group, version, kind)
}

impl ObjectCounters {
    pub(super) fn add(&self, object_bytes: ObjectBytes) {
        self.objects.fetch_add(1, Ordering::Relaxed);
        self.raw_bytes.fetch_add(object_bytes.raw_bytes as u64, Ordering::Relaxed);
        self.packed_bytes.fetch_add(object_bytes.packed_bytes as u64, Ordering::Relaxed);
        self.memory_bytes.fetch_add(object_bytes.memory_bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, object_bytes: ObjectBytes) {
        self.objects.fetch_sub(1, Ordering::Relaxed);
        self.raw_bytes.fetch_sub(object_bytes.raw_bytes as u64, Ordering::Relaxed);
        self.packed_bytes.fetch_sub(object_bytes.packed_bytes as u64, Ordering::Relaxed);
        self.memory_bytes.fetch_sub(object_bytes.memory_bytes as u64, Ordering::Relaxed);
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin")
            .field("resource", &self.resource)
            .field("projection", &self.projection)
            .finish_non_exhaustive()
    }
}
