//! The encoding of a delta: instructions of literal bytes and one copy each.
//!
//! ```text
//! varint   length of the literal
//! varint   length of the copy * 2, plus 1 for a copy from the body itself
//! varint   offset of the copy
//! bytes    the literal
//! ```
//!
//! The offset of a copy from the body is the distance back. The offset of a copy from the reference is relative to
//! where the previous copy would continue (after as many bytes as the literal has), in zigzag encoding: it is usually
//! 0. Example: the delta in [`super`] is `0 26 0`, `1 30 0 'b'`, `3 0 63 '9' '"' '}'`, 13 bytes for 32.

/// A copy of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CopyInstruction {
    pub(super) source: CopySource,
    pub(super) len: usize,
}

/// Where a copy is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopySource {
    /// From this offset of the reference.
    Reference(usize),
    /// From this many bytes back in the body itself.
    Body { distance: usize },
}

/// Encodes instructions one by one.
#[derive(Debug)]
pub(super) struct DeltaWriter {
    bytes: Vec<u8>,
    cursor: ReferenceCursor,
}

/// The offset in the reference where the last copy would continue.
#[derive(Debug, Default)]
struct ReferenceCursor(usize);

impl DeltaWriter {
    pub(super) fn with_capacity(bytes: usize) -> DeltaWriter {
        DeltaWriter { bytes: Vec::with_capacity(bytes), cursor: ReferenceCursor::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The most likely offset in the reference of the next copy, after a literal of this length.
    pub(super) fn expected(&self, literal_len: usize) -> usize {
        self.cursor.0 + literal_len
    }

    pub(super) fn push(&mut self, literal: &[u8], copy: CopyInstruction) {
        self.write_number(literal.len());
        let (is_body, offset) = match copy.source {
            CopySource::Reference(at) => (0, self.cursor.relative(literal.len(), at)),
            CopySource::Body { distance } => (1, distance),
        };
        self.cursor.advance(literal.len(), copy);
        self.write_number(copy.len << 1 | is_body);
        self.write_number(offset);
        self.bytes.extend_from_slice(literal);
    }

    /// The literal bytes after the last copy.
    pub(super) fn end(&mut self, literal: &[u8]) {
        if !literal.is_empty() {
            self.push(literal, CopyInstruction { source: CopySource::Reference(0), len: 0 });
        }
    }

    /// A varint (LEB128): seven bits per byte, lowest first.
    fn write_number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

/// Decodes the instructions. `None` is an error, after which the iterator ends.
pub(super) fn read(packed: &[u8]) -> impl Iterator<Item = Option<(&[u8], CopyInstruction)>> {
    let (mut rest, mut cursor) = (packed, ReferenceCursor::default());
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let instruction = read_one(&mut rest, &mut cursor);
        if instruction.is_none() {
            rest = &[];
        }
        Some(instruction)
    })
}

fn read_one<'p>(rest: &mut &'p [u8], cursor: &mut ReferenceCursor) -> Option<(&'p [u8], CopyInstruction)> {
    let literal_len = read_number(rest)?;
    let (len, offset) = (read_number(rest)?, read_number(rest)?);
    let source = match len & 1 {
        0 => CopySource::Reference(cursor.absolute(literal_len, offset)),
        _ => CopySource::Body { distance: offset },
    };
    let copy = CopyInstruction { source, len: len >> 1 };
    cursor.advance(literal_len, copy);
    let (literal, behind) = rest.split_at_checked(literal_len)?;
    *rest = behind;
    Some((literal, copy))
}

fn read_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= usize::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

impl ReferenceCursor {
    /// The zigzag encoding of an offset relative to the expected one: even forwards, odd backwards.
    fn relative(&self, literal_len: usize, at: usize) -> usize {
        let expected = self.0 + literal_len;
        if at >= expected { (at - expected) << 1 } else { (expected - at - 1) << 1 | 1 }
    }

    fn absolute(&self, literal_len: usize, relative: usize) -> usize {
        let expected = self.0.wrapping_add(literal_len);
        match relative & 1 {
            0 => expected.wrapping_add(relative >> 1),
            _ => expected.wrapping_sub((relative >> 1) + 1),
        }
    }

    fn advance(&mut self, literal_len: usize, copy: CopyInstruction) {
        let from = match copy.source {
            CopySource::Reference(at) => at,
            CopySource::Body { .. } => self.0.wrapping_add(literal_len),
        };
        self.0 = from.wrapping_add(copy.len);
    }
}
