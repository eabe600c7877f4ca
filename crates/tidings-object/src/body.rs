//! The body of an object: its bytes as the server sent them, packed.

use std::borrow::Cow;

use crate::TransformError;

/// The format of the bytes inside a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// JSON text.
    Json,
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
    /// The transform refused it: only its error is kept.
    Refused(TransformError),
}

impl Body {
    /// A body kept as it came.
    pub fn plain(wire: Wire, bytes: &[u8]) -> Body {
        Body { wire, content: Content::Plain(bytes.into()) }
    }

    /// A body whose transform ended in an error.
    pub fn refused(wire: Wire, error: TransformError) -> Body {
        Body { wire, content: Content::Refused(error) }
    }

    /// The format of its bytes.
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// The bytes, unpacked.
    pub fn unpacked(&self) -> Result<Cow<'_, [u8]>, TransformError> {
        match &self.content {
            Content::Plain(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::Refused(error) => Err(error.clone()),
        }
    }

    /// How many bytes it takes in memory.
    pub fn packed_len(&self) -> usize {
        match &self.content {
            Content::Plain(bytes) => bytes.len(),
            Content::Refused(error) => error.message.len(),
        }
    }
}
