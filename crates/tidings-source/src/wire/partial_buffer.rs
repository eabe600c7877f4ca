//! A buffer for a frame, item or field whose end has not arrived yet.
//!
//! What arrives within one chunk is borrowed from the chunk. Only what spans chunks is copied, once. The user of the
//! buffer limits its size.
//!
//! ```text
//! chunk 1: {"a":1}\n{"b    -> complete() returns InChunk({"a":1}); extend({"b)
//! chunk 2: ":2}\n          -> complete() returns Buffered, bytes() returns {"b":2}
//! next frame               -> clear_if_complete() empties the buffer
//! ```

/// The first part of something whose end has not arrived, or all of it until the next call of
/// [`clear_if_complete`](Self::clear_if_complete).
#[derive(Debug, Default)]
pub(crate) struct PartialBuffer {
    bytes: Vec<u8>,
    is_complete: bool,
}

/// Where the bytes of something complete are.
pub(crate) enum CompleteBytes<'i> {
    InChunk(&'i [u8]),
    Buffered,
}

/// The capacity that the buffer keeps after a larger content was released.
const KEPT_BYTES_MAX: usize = 256 << 10;

impl PartialBuffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn first(&self) -> Option<u8> {
        self.bytes.first().copied()
    }

    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the last bytes.
    pub(crate) fn complete<'i>(&mut self, last: &'i [u8]) -> CompleteBytes<'i> {
        if self.is_empty() {
            return CompleteBytes::InChunk(last);
        }
        self.extend(last);
        self.is_complete = true;
        CompleteBytes::Buffered
    }

    /// All bytes of what [`complete`](Self::complete) returned.
    pub(crate) fn bytes<'a, 'i: 'a>(&'a self, complete: CompleteBytes<'i>) -> &'a [u8] {
        match complete {
            CompleteBytes::InChunk(bytes) => bytes,
            CompleteBytes::Buffered => &self.bytes,
        }
    }

    /// The bytes of something that never became complete.
    pub(crate) fn rest(&self) -> Option<&[u8]> {
        (!self.is_empty()).then_some(&*self.bytes)
    }

    /// Empties the buffer if its content is complete.
    pub(crate) fn clear_if_complete(&mut self) {
        if std::mem::take(&mut self.is_complete) {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_BYTES_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_content_does_not_leave_a_large_buffer() {
        let mut buffer = PartialBuffer::default();
        let large = vec![0; 2 * KEPT_BYTES_MAX];
        buffer.extend(&large);
        let complete = buffer.complete(b"x");
        assert_eq!(buffer.bytes(complete).len(), large.len() + 1);
        buffer.clear_if_complete();
        assert!(buffer.is_empty() && buffer.bytes.capacity() <= KEPT_BYTES_MAX);
    }

    #[test]
    fn bytes_within_one_chunk_are_not_copied() {
        let chunk = *b"whole";
        let mut buffer = PartialBuffer::default();
        let complete = buffer.complete(&chunk);
        assert_eq!(buffer.bytes(complete).as_ptr(), chunk.as_ptr());
        assert_eq!(buffer.bytes.capacity(), 0);
    }
}
