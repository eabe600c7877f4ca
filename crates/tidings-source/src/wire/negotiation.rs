//! Which wire a source requests, and what it remembers: the wire of the last response, and that the server refused
//! protobuf. After that, JSON is requested.

use tidings_object::Wire;

use crate::sync::{AtomicBool, Mutex, Ordering};

/// Which wire to request. The content type of the response decides how it is read, whatever was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WirePreference {
    /// Protobuf for kinds that have it, and JSON otherwise. Protobuf is smaller and cheaper to read.
    #[default]
    ProtobufFirst,
    /// JSON, which every proxy understands and people can read.
    JsonOnly,
}

/// The state of content negotiation, shared by the clones of a source.
#[derive(Debug, Default)]
pub(crate) struct Negotiation {
    is_protobuf_refused: AtomicBool,
    last_wire: Mutex<Option<Wire>>,
}

impl Negotiation {
    /// The wire to request. `has_protobuf` says whether the kind can be read from protobuf.
    pub(crate) fn preferred(&self, preference: WirePreference, has_protobuf: bool) -> Wire {
        let is_protobuf = preference == WirePreference::ProtobufFirst
            && has_protobuf
            && !self.is_protobuf_refused.load(Ordering::Relaxed);
        if is_protobuf { Wire::Protobuf } else { Wire::Json }
    }

    /// The wire of the last response.
    pub(crate) fn last_wire(&self) -> Option<Wire> {
        *self.last_wire.lock()
    }

    pub(crate) fn record(&self, wire: Wire) {
        *self.last_wire.lock() = Some(wire);
    }

    /// Records that the server refused protobuf. Returns `true` the first time.
    pub(crate) fn refuse_protobuf(&self) -> bool {
        !self.is_protobuf_refused.swap(true, Ordering::Relaxed)
    }
}
