//! What is kept of a frame, item or field whose end has not come. What arrived in one chunk is lent from it;
//! only what is cut over chunks is copied, once. Whoever fills it bounds it.

/// The beginning of something whose end has not come, or the whole of it while it is lent.
#[derive(Debug, Default)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    /// Whether it was lent and is to be emptied.
    is_lent: bool,
}

/// Where something whole stands.
pub(crate) enum Found<'i> {
    InChunk(&'i [u8]),
    Held,
}

/// A larger buffer is given back once its content is done with.
pub(crate) const KEPT_BYTES_MAX: usize = 256 << 10;

impl Held {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn first(&self) -> Option<u8> {
        self.bytes.first().copied()
    }

    /// Keeps more of it.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the last bytes of it.
    pub(crate) fn complete<'i>(&mut self, last: &'i [u8]) -> Found<'i> {
        if self.is_empty() {
            return Found::InChunk(last);
        }
        self.extend(last);
        self.is_lent = true;
        Found::Held
    }

    /// Lends what was found, until [`give_back`](Self::give_back).
    pub(crate) fn lend<'a, 'i: 'a>(&'a self, found: Found<'i>) -> &'a [u8] {
        match found {
            Found::InChunk(bytes) => bytes,
            Found::Held => &self.bytes,
        }
    }

    /// What is left of something that never ended.
    pub(crate) fn rest(&self) -> Option<&[u8]> {
        (!self.is_empty()).then_some(&*self.bytes)
    }

    /// Empties it, if it was lent.
    pub(crate) fn give_back(&mut self) {
        if std::mem::take(&mut self.is_lent) {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_BYTES_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_large_does_not_leave_a_large_buffer() {
        let mut held = Held::default();
        let large = vec![0; 2 * KEPT_BYTES_MAX];
        held.extend(&large);
        let found = held.complete(b"x");
        assert_eq!(held.lend(found).len(), large.len() + 1);
        held.give_back();
        assert!(held.is_empty() && held.bytes.capacity() <= KEPT_BYTES_MAX);
    }

    #[test]
    fn what_stands_in_one_chunk_is_not_copied() {
        let chunk = *b"whole";
        let mut held = Held::default();
        let found = held.complete(&chunk);
        assert_eq!(held.lend(found).as_ptr(), chunk.as_ptr());
        assert_eq!(held.bytes.capacity(), 0);
    }
}
