//! How a body differs from its reference, as bytes: again and again some bytes of its literal and a copy, each behind its
//! length. A copy from reference is told by how far it is from where the copy before would go on, which is mostly nowhere.

/// Some bytes from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CopyInstruction {
    pub(super) source: CopySource,
    pub(super) len: usize,
}

/// Where a copy is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopySource {
    /// This place of the reference.
    Reference(usize),
    /// This far back in the body itself.
    Body { distance: usize },
}

/// Written one by one.
#[derive(Debug)]
pub(super) struct DeltaWriter {
    bytes: Vec<u8>,
    cursor: ReferenceCursor,
}

/// Where in the reference the last copy would go on.
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

    /// Where in the reference a copy most likely goes on after `literal_len` bytes that it lacks.
    pub(super) fn expected(&self, literal_len: usize) -> usize {
        self.cursor.0 + literal_len
    }

    /// Bytes of its literal, and then a copy.
    pub(super) fn push(&mut self, literal: &[u8], copy: CopyInstruction) {
        self.write_number(literal.len());
        let (is_own, place) = match copy.source {
            CopySource::Reference(at) => (0, self.cursor.told(literal.len(), at)),
            CopySource::Body { distance } => (1, distance),
        };
        self.cursor.pass(literal.len(), copy);
        self.write_number(copy.len << 1 | is_own);
        self.write_number(place);
        self.bytes.extend_from_slice(literal);
    }

    /// What is left, of which nothing is a copy.
    pub(super) fn end(&mut self, literal: &[u8]) {
        if !literal.is_empty() {
            self.push(literal, CopyInstruction { source: CopySource::Reference(0), len: 0 });
        }
    }

    /// Seven bits a byte, lowest first.
    fn write_number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

/// Every pair of own bytes and a copy; `None` ends them early, for what was not written by [`DeltaWriter`].
pub(super) fn read(packed: &[u8]) -> impl Iterator<Item = Option<(&[u8], CopyInstruction)>> {
    let (mut rest, mut cursor) = (packed, ReferenceCursor::default());
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let difference = read_one(&mut rest, &mut cursor);
        if difference.is_none() {
            rest = &[];
        }
        Some(difference)
    })
}

fn read_one<'p>(rest: &mut &'p [u8], cursor: &mut ReferenceCursor) -> Option<(&'p [u8], CopyInstruction)> {
    let literal_len = read_number(rest)?;
    let (len, place) = (read_number(rest)?, read_number(rest)?);
    let source = match len & 1 {
        0 => CopySource::Reference(cursor.place(literal_len, place)),
        _ => CopySource::Body { distance: place },
    };
    let copy = CopyInstruction { source, len: len >> 1 };
    cursor.pass(literal_len, copy);
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
    /// A place as it is told: how far from the expected one, forwards even and backwards odd.
    fn told(&self, literal_len: usize, at: usize) -> usize {
        let expected = self.0 + literal_len;
        if at >= expected { (at - expected) << 1 } else { (expected - at - 1) << 1 | 1 }
    }

    fn place(&self, literal_len: usize, told: usize) -> usize {
        let expected = self.0.wrapping_add(literal_len);
        match told & 1 {
            0 => expected.wrapping_add(told >> 1),
            _ => expected.wrapping_sub((told >> 1) + 1),
        }
    }

    fn pass(&mut self, literal_len: usize, copy: CopyInstruction) {
        let from = match copy.source {
            CopySource::Reference(at) => at,
            CopySource::Body { .. } => self.0.wrapping_add(literal_len),
        };
        self.0 = from.wrapping_add(copy.len);
    }
}
