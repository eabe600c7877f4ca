//! Writes numbered fields, one after another.

/// The fields of one message.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    bytes: Vec<u8>,
}

impl Fields {
    /// Fields that follow what is there.
    pub(crate) fn after(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// A text, bytes, or a message.
    pub(crate) fn bytes(&mut self, number: u32, content: &[u8]) {
        self.begin_bytes(number, content.len());
        self.bytes.extend_from_slice(content);
    }

    /// A field of so many bytes, which are still to come.
    pub(crate) fn begin_bytes(&mut self, number: u32, length: usize) {
        self.varint(u64::from(number << 3 | 2));
        self.varint(length as u64);
    }

    /// A number.
    pub(crate) fn number(&mut self, number: u32, value: u64) {
        self.varint(u64::from(number << 3));
        self.varint(value);
    }

    /// Leaves room for a length of four bytes.
    pub(crate) fn skip_length(&mut self) {
        self.bytes.extend_from_slice(&[0; 4]);
    }

    /// What was written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}
