//! What the objects of one informer object_bytes: their resource, the budget, the type_prefixes that list items lack, and the
//! counters of what they take.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tidings_protobuf::{Message, TypeMeta};

use super::LabelKeyInterner;
use super::prefetched::PrefetchedPaths;
use crate::budget::DecodedGrowth;
use crate::sync::{AtomicU64, Ordering};
use crate::{Budget, FieldPath, Projection, ReadError, ResourceKind};

/// What the objects of one informer object_bytes.
pub struct Origin {
    /// Their resource.
    pub resource: ResourceKind,
    /// The budget that keeps them decoded.
    pub budget: Arc<Budget>,
    /// How much of them is asked for.
    pub projection: Projection,
    pub(super) growth: DecodedGrowth,
    /// The apiVersion that the server writes into them.
    sent_api_version: Box<str>,
    /// What their protobuf messages consist of, if that is known.
    message: Option<&'static Message>,
    /// The text before an object's rest for each [`TypePrefix`].
    type_prefixes: [Box<str>; 4],
    pub(super) counters: ObjectCounters,
    on_unreadable: OnceLock<ReportUnreadable>,
    pub(crate) prefetched: PrefetchedPaths,
    pub(crate) label_keys: LabelKeyInterner,
}

/// What is told of objects that can't be decoded.
pub(crate) type ReportUnreadable = Box<dyn Fn(&ReadError) + Send + Sync>;

/// Which members are supplied before the stored rest of an object, because it does not have them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypePrefix {
    pub(crate) kind: bool,
    pub(crate) api_version: bool,
}

impl TypePrefix {
    /// BothWires: a protobuf message has neither.
    pub(crate) const WHOLE: TypePrefix = TypePrefix { kind: true, api_version: true };
}

/// What the living objects of one informer take.
#[derive(Debug, Default)]
pub(super) struct ObjectCounters {
    objects: AtomicU64,
    raw_bytes: AtomicU64,
    packed_bytes: AtomicU64,
    memory_bytes: AtomicU64,
}

/// What the living objects of one informer take. An object counts until its last holder lets go of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackStats {
    /// How many there are.
    pub objects: u64,
    /// Their bodies, unpacked.
    pub raw_bytes: u64,
    /// Their bodies as they are kept.
    pub packed_bytes: u64,
    /// All they take, identity and bodies; nothing decoded.
    pub memory_bytes: u64,
    /// The dictionaries that their bodies were packed with.
    pub dictionary_bytes: u64,
}

/// One object's object_bytes in the counters.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectBytes {
    pub(super) raw_bytes: usize,
    pub(super) packed_bytes: usize,
    pub(super) memory_bytes: usize,
}

impl Origin {
    /// Reads this field of every object that arrives from now on while its frame is at hand, and keeps what it equals:
    /// for whoever asks each object for it, as an index does. For a few fields of an informer, and short values; reads
    /// of others go into the body as ever.
    pub fn prefetch_field(&self, path: &FieldPath) {
        self.prefetched.add(path);
    }

    pub(crate) fn on_unreadable(&self, report: ReportUnreadable) {
        // Only the first counts.
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

    /// The kind that the server writes into its objects.
    pub(crate) fn sent_kind(&self) -> &str {
        match self.projection {
            Projection::Full => &self.resource.kind,
            Projection::Metadata => "PartialObjectMetadata",
        }
    }

    /// The apiVersion that the server writes into its objects.
    pub(crate) fn sent_api_version(&self) -> &str {
        &self.sent_api_version
    }

    /// BothWires, as a protobuf message lacks them.
    pub(crate) fn sent_type(&self) -> TypeMeta<'_> {
        TypeMeta { api_version: Some(self.sent_api_version()), kind: Some(self.sent_kind()) }
    }

    /// What the messages of its objects consist of, if that is known.
    pub(crate) fn message(&self) -> Option<&'static Message> {
        self.message
    }

    /// What their bodies take; the dictionaries are not among it.
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

    /// The text before a rest of `rest_len` bytes. A rest of one byte is the closing brace alone.
    pub(crate) fn type_prefix(&self, head: TypePrefix, rest_len: usize) -> &str {
        let text = &*self.type_prefixes[usize::from(head.kind) + 2 * usize::from(head.api_version)];
        if rest_len == 1 { text.trim_end_matches(',') } else { text }
    }
}

/// What the messages of this type consist of, if that is known.
pub(crate) fn message_of(said: TypeMeta<'_>) -> Option<&'static Message> {
    let (api_version, kind) = (said.api_version?, said.kind?);
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
