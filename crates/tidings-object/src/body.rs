//! The packed body of an object: JSON without a leading kind and apiVersion, or a protobuf message without its
//! envelope.
//!
//! A body never refers to a frame. It unpacks to exactly as many bytes as were packed, never more.

mod codec;
mod dictionary;
mod pool;
mod reference;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::transform::TransformError;

pub(crate) use codec::Codec;
pub(crate) use dictionary::{Dictionary, TrainingToken};
pub use dictionary::{DictionaryTraining, TrainedDictionary};
pub use pool::PackPool;
pub(crate) use reference::Reference;

/// The encoding of objects: as the server sends them, and as a body stores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// JSON text.
    Json,
    /// Kubernetes' protobuf.
    Protobuf,
}

/// One body.
// The wire is in each variant, where it takes no bytes: a field beside the enum would take eight.
#[derive(Debug)]
pub(crate) struct Body(Content);

#[derive(Debug)]
enum Content {
    Plain {
        wire: Wire,
        bytes: Box<[u8]>,
    },
    Packed {
        wire: Wire,
        bytes: Box<[u8]>,
        /// The length of the unpacked bytes.
        raw_len: u32,
        codec: Arc<Codec>,
    },
    /// Delta-compressed against a reference.
    Delta {
        wire: Wire,
        bytes: Box<[u8]>,
        /// The length of the unpacked bytes.
        raw_len: u32,
        reference: Arc<Reference>,
    },
    /// The transform failed: there is only its error.
    Refused {
        wire: Wire,
        error: Box<TransformError>,
    },
}

impl Body {
    /// A body that is not packed.
    pub(crate) fn plain(wire: Wire, bytes: &[u8]) -> Body {
        Body(Content::Plain { wire, bytes: bytes.into() })
    }

    /// A body whose transform failed.
    pub(crate) fn refused(wire: Wire, error: TransformError) -> Body {
        Body(Content::Refused { wire, error: Box::new(error) })
    }

    /// A body packed by `codec`, or a plain one if packing saves too little.
    pub(crate) fn packed(wire: Wire, bytes: &[u8], codec: &Arc<Codec>) -> Body {
        match (codec.pack(bytes), u32::try_from(bytes.len())) {
            (Some(packed), Ok(raw_len)) => {
                Body(Content::Packed { wire, bytes: packed, raw_len, codec: Arc::clone(codec) })
            }
            _ => Body::plain(wire, bytes),
        }
    }

    /// A delta against a reference, if it takes at most `packed_max` bytes.
    pub(crate) fn delta(
        wire: Wire,
        raw: &[u8],
        reference: &Arc<Reference>,
        packed_max: usize,
    ) -> Option<Body> {
        let (bytes, raw_len) = (reference.pack(raw, packed_max)?, u32::try_from(raw.len()).ok()?);
        Some(Body(Content::Delta { wire, bytes, raw_len, reference: Arc::clone(reference) }))
    }

    /// The encoding of its bytes.
    pub(crate) fn wire(&self) -> Wire {
        match self.0 {
            Content::Plain { wire, .. }
            | Content::Packed { wire, .. }
            | Content::Delta { wire, .. }
            | Content::Refused { wire, .. } => wire,
        }
    }

    /// The unpacked bytes.
    pub(crate) fn unpacked(&self) -> Result<Cow<'_, [u8]>, TransformError> {
        match &self.0 {
            Content::Plain { bytes, .. } => Ok(Cow::Borrowed(bytes)),
            _ => self.unpacked_after(b"").map(Cow::Owned),
        }
    }

    /// The unpacked bytes after a prefix.
    pub(crate) fn unpacked_after(&self, prefix: &[u8]) -> Result<Vec<u8>, TransformError> {
        match &self.0 {
            Content::Plain { bytes, .. } => Ok([prefix, bytes].concat()),
            Content::Packed { bytes, raw_len, codec, .. } => {
                let mut whole = vec![0; prefix.len() + *raw_len as usize];
                let (before, raw) = whole.split_at_mut(prefix.len());
                before.copy_from_slice(prefix);
                codec.unpack(bytes, raw).expect("a body unpacks with the codec that packed it");
                Ok(whole)
            }
            Content::Delta { bytes, raw_len, reference, .. } => {
                let raw_len = *raw_len as usize;
                let mut whole = Vec::with_capacity(prefix.len() + raw_len);
                whole.extend_from_slice(prefix);
                reference
                    .unpack(bytes, raw_len, &mut whole)
                    .expect("a body unpacks with the reference that packed it");
                Ok(whole)
            }
            Content::Refused { error, .. } => Err(TransformError::clone(error)),
        }
    }

    /// The error of the transform, if it failed.
    pub(crate) fn refusal(&self) -> Option<&TransformError> {
        match &self.0 {
            Content::Refused { error, .. } => Some(error),
            Content::Plain { .. } | Content::Packed { .. } | Content::Delta { .. } => None,
        }
    }

    /// The bytes that it takes in memory.
    pub(crate) fn packed_len(&self) -> usize {
        match &self.0 {
            Content::Plain { bytes, .. } | Content::Packed { bytes, .. } | Content::Delta { bytes, .. } => {
                bytes.len()
            }
            Content::Refused { error, .. } => size_of::<TransformError>() + error.message.len(),
        }
    }

    /// The length of the unpacked bytes; 0 if the transform failed.
    pub(crate) fn raw_len(&self) -> usize {
        match &self.0 {
            Content::Plain { bytes, .. } => bytes.len(),
            Content::Packed { raw_len, .. } | Content::Delta { raw_len, .. } => *raw_len as usize,
            Content::Refused { .. } => 0,
        }
    }

    /// Whether it is a delta against a reference.
    pub(crate) fn is_delta(&self) -> bool {
        matches!(self.0, Content::Delta { .. })
    }

    /// Whether this codec packed it.
    pub(crate) fn is_packed_by(&self, codec: &Arc<Codec>) -> bool {
        matches!(&self.0, Content::Packed { codec: own, .. } if Arc::ptr_eq(own, codec))
    }
}

/// `json`, or `protobuf`.
impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wire::Json => "json",
            Wire::Protobuf => "protobuf",
        })
    }
}
