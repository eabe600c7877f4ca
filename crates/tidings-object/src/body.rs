//! The body of an object, packed: of JSON what stands after a leading kind and apiVersion, of protobuf the
//! message without its envelope.
//!
//! A body holds no pointer into a frame. It knows its wire format. It is unpacked into exactly as many bytes as
//! went in, never more.

mod codec;
mod dictionary;
mod pool;
mod reference;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::TransformError;

pub(crate) use codec::Codec;
pub(crate) use dictionary::{Dictionary, TrainingToken};
pub use dictionary::{DictionaryTraining, TrainedDictionary};
pub use pool::PackPool;
pub(crate) use reference::Reference;

/// The format of the bytes inside a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// JSON text.
    Json,
    /// Kubernetes' protobuf.
    Protobuf,
}

/// One body.
#[derive(Debug)]
pub struct Body {
    wire: Wire,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Plain(Box<[u8]>),
    Packed {
        bytes: Box<[u8]>,
        /// How many bytes come out.
        raw_len: u32,
        codec: Arc<Codec>,
    },
    /// Told by how it differs from its reference.
    Delta {
        bytes: Box<[u8]>,
        /// How many bytes come out.
        raw_len: u32,
        reference: Arc<Reference>,
    },
    /// The transform refused it: only its error is kept.
    Refused(Box<TransformError>),
}

impl Body {
    /// A body kept as it came.
    pub fn plain(wire: Wire, bytes: &[u8]) -> Body {
        Body { wire, content: Content::Plain(bytes.into()) }
    }

    /// A body whose transform ended in an error.
    pub fn refused(wire: Wire, error: TransformError) -> Body {
        Body { wire, content: Content::Refused(Box::new(error)) }
    }

    /// A body packed by `codec`, or kept as it came if packing gains too little.
    pub(crate) fn packed(wire: Wire, bytes: &[u8], codec: &Arc<Codec>) -> Body {
        match (codec.pack(bytes), u32::try_from(bytes.len())) {
            (Some(packed), Ok(raw_len)) => {
                Body { wire, content: Content::Packed { bytes: packed, raw_len, codec: Arc::clone(codec) } }
            }
            _ => Body::plain(wire, bytes),
        }
    }

    /// A body told by its reference, if that takes at most `packed_max` bytes.
    pub(crate) fn delta(
        wire: Wire,
        raw: &[u8],
        reference: &Arc<Reference>,
        packed_max: usize,
    ) -> Option<Body> {
        let (bytes, raw_len) = (reference.pack(raw, packed_max)?, u32::try_from(raw.len()).ok()?);
        Some(Body { wire, content: Content::Delta { bytes, raw_len, reference: Arc::clone(reference) } })
    }

    /// The format of its bytes.
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// The bytes, unpacked.
    pub fn unpacked(&self) -> Result<Cow<'_, [u8]>, TransformError> {
        match &self.content {
            Content::Plain(bytes) => Ok(Cow::Borrowed(bytes)),
            _ => self.unpacked_after(b"").map(Cow::Owned),
        }
    }

    /// The bytes, unpacked, behind a head.
    pub(crate) fn unpacked_after(&self, head: &[u8]) -> Result<Vec<u8>, TransformError> {
        match &self.content {
            Content::Plain(bytes) => Ok([head, bytes].concat()),
            Content::Packed { bytes, raw_len, codec } => {
                let mut whole = vec![0; head.len() + *raw_len as usize];
                let (before, raw) = whole.split_at_mut(head.len());
                before.copy_from_slice(head);
                codec.unpack(bytes, raw).expect("a body unpacks with the codec that packed it");
                Ok(whole)
            }
            Content::Delta { bytes, raw_len, reference } => {
                let raw_len = *raw_len as usize;
                let mut whole = Vec::with_capacity(head.len() + raw_len);
                whole.extend_from_slice(head);
                reference
                    .unpack(bytes, raw_len, &mut whole)
                    .expect("a body unpacks with the reference that packed it");
                Ok(whole)
            }
            Content::Refused(error) => Err(TransformError::clone(error)),
        }
    }

    /// Why there are no bytes, if its transform refused it.
    pub fn refusal(&self) -> Option<&TransformError> {
        match &self.content {
            Content::Refused(error) => Some(error),
            Content::Plain(_) | Content::Packed { .. } | Content::Delta { .. } => None,
        }
    }

    /// How many bytes it takes in memory.
    pub fn packed_len(&self) -> usize {
        match &self.content {
            Content::Plain(bytes) | Content::Packed { bytes, .. } | Content::Delta { bytes, .. } => {
                bytes.len()
            }
            Content::Refused(error) => size_of::<TransformError>() + error.message.len(),
        }
    }

    /// How many bytes come out when it is unpacked; none of a refused one.
    pub fn raw_len(&self) -> usize {
        match &self.content {
            Content::Plain(bytes) => bytes.len(),
            Content::Packed { raw_len, .. } | Content::Delta { raw_len, .. } => *raw_len as usize,
            Content::Refused(_) => 0,
        }
    }

    /// Whether it is told by its reference.
    pub(crate) fn is_delta(&self) -> bool {
        matches!(self.content, Content::Delta { .. })
    }

    /// Whether this codec packed it.
    pub(crate) fn is_packed_by(&self, codec: &Arc<Codec>) -> bool {
        matches!(&self.content, Content::Packed { codec: own, .. } if Arc::ptr_eq(own, codec))
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
