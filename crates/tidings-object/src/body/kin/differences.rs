//! How a body differs from its kin, as bytes: again and again some bytes of its own and a copy, each behind its
//! length. A copy from kin is told by how far it is from where the copy before would go on, which is mostly nowhere.

/// Some bytes from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) source: Source,
    pub(super) len: usize,
}

/// Where a copy is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// This place of the kin.
    Kin(usize),
    /// This far back in the body itself.
    Own { distance: usize },
}

/// Written one by one.
#[derive(Debug)]
pub(super) struct Differences {
    bytes: Vec<u8>,
    cursor: Cursor,
}

/// Where in the kin the last copy would go on.
#[derive(Debug, Default)]
struct Cursor(usize);

impl Differences {
    pub(super) fn with_capacity(bytes: usize) -> Differences {
        Differences { bytes: Vec::with_capacity(bytes), cursor: Cursor::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the kin a copy most likely goes on after `own_len` bytes that it lacks.
    pub(super) fn expected(&self, own_len: usize) -> usize {
        self.cursor.0 + own_len
    }

    /// Bytes of its own, and then a copy.
    pub(super) fn push(&mut self, own: &[u8], copy: Copy) {
        self.write_number(own.len());
        let (is_own, place) = match copy.source {
            Source::Kin(at) => (0, self.cursor.told(own.len(), at)),
            Source::Own { distance } => (1, distance),
        };
        self.cursor.pass(own.len(), copy);
        self.write_number(copy.len << 1 | is_own);
        self.write_number(place);
        self.bytes.extend_from_slice(own);
    }

    /// What is left, of which nothing is a copy.
    pub(super) fn end(&mut self, own: &[u8]) {
        if !own.is_empty() {
            self.push(own, Copy { source: Source::Kin(0), len: 0 });
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

/// Every pair of own bytes and a copy; `None` ends them early, for what was not written by [`Differences`].
pub(super) fn read(packed: &[u8]) -> impl Iterator<Item = Option<(&[u8], Copy)>> {
    let (mut rest, mut cursor) = (packed, Cursor::default());
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

fn read_one<'p>(rest: &mut &'p [u8], cursor: &mut Cursor) -> Option<(&'p [u8], Copy)> {
    let own_len = read_number(rest)?;
    let (len, place) = (read_number(rest)?, read_number(rest)?);
    let source = match len & 1 {
        0 => Source::Kin(cursor.place(own_len, place)),
        _ => Source::Own { distance: place },
    };
    let copy = Copy { source, len: len >> 1 };
    cursor.pass(own_len, copy);
    let (own, behind) = rest.split_at_checked(own_len)?;
    *rest = behind;
    Some((own, copy))
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

impl Cursor {
    /// A place as it is told: how far from the expected one, forwards even and backwards odd.
    fn told(&self, own_len: usize, at: usize) -> usize {
        let expected = self.0 + own_len;
        if at >= expected { (at - expected) << 1 } else { (expected - at - 1) << 1 | 1 }
    }

    fn place(&self, own_len: usize, told: usize) -> usize {
        let expected = self.0.wrapping_add(own_len);
        match told & 1 {
            0 => expected.wrapping_add(told >> 1),
            _ => expected.wrapping_sub((told >> 1) + 1),
        }
    }

    fn pass(&mut self, own_len: usize, copy: Copy) {
        let from = match copy.source {
            Source::Kin(at) => at,
            Source::Own { .. } => self.0.wrapping_add(own_len),
        };
        self.0 = from.wrapping_add(copy.len);
    }
}
