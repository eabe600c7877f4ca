//! The wire format of protobuf: a sequence of numbered fields. It knows no message types, and reading does not
//! allocate.

pub use crate::write::{write_bytes, write_bytes_head, write_double, write_number};

/// Reads the fields of one message, in order.
///
/// ```
/// use tidings_protobuf::wire::{FieldReader, Value};
///
/// let mut fields = FieldReader::new(&[0x0a, 3, b'w', b'e', b'b', 0x10, 7]);
/// assert_eq!(fields.next()?, Some((1, Value::Bytes(b"web"))));
/// assert_eq!(fields.next()?, Some((2, Value::Varint(7))));
/// assert_eq!(fields.next()?, None);
/// # Ok::<(), tidings_protobuf::wire::WireError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FieldReader<'a> {
    rest: &'a [u8],
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// An integer or a boolean.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// A text, bytes, an embedded message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes.
    Fixed32(u32),
}

/// The bytes are not a protobuf message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes end inside a field.
    #[error("the message ends inside a field")]
    Cut,
    /// A number has more than 64 bits.
    #[error("a number has more than 64 bits")]
    Varint,
    /// The number of a field is 0, or 2^29 or more.
    #[error("a field has an invalid number")]
    Number,
    /// The wire type of a field is a group, which Kubernetes does not use, or invalid.
    #[error("a field has the unsupported wire type {0}")]
    WireType(u8),
}

const NUMBER_MAX: u64 = (1 << 29) - 1;

impl<'a> FieldReader<'a> {
    /// A reader of this message.
    pub fn new(message: &'a [u8]) -> Self {
        FieldReader { rest: message }
    }

    /// The number and the value of the next field.
    #[allow(clippy::should_implement_trait, reason = "it can fail, so that it is no iterator")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<(u32, Value<'a>)>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 || number > NUMBER_MAX {
            return Err(WireError::Number);
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| WireError::Cut)?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            wire_type => return Err(WireError::WireType(wire_type as u8)),
        };
        Ok(Some((number as u32, value)))
    }

    /// The bytes that are not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(WireError::Cut)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(WireError::Cut)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// The next number without a tag, as in packed fields.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, WireError> {
        // Nearly every tag and length has one byte.
        if let [byte @ 0..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(u64::from(*byte));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(WireError::Varint);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireError::Varint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>, WireError> {
        let mut reader = FieldReader::new(bytes);
        let mut fields = Vec::new();
        while let Some(field) = reader.next()? {
            fields.push(field);
        }
        Ok(fields)
    }

    #[test]
    fn each_wire_type_that_kubernetes_uses_is_read() {
        let bytes = [
            &[0x08, 0x96, 0x01, 0x11, 1, 0, 0, 0, 0, 0, 0, 0][..],
            &[0x1a, 2, b'a', b'b', 0x25, 2, 0, 0, 0],
            &[0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        ]
        .concat();
        let fields = [
            (1, Value::Varint(150)),
            (2, Value::Fixed64(1)),
            (3, Value::Bytes(b"ab")),
            (4, Value::Fixed32(2)),
            (5, Value::Varint(u64::MAX)),
        ];
        assert_eq!(all(&bytes), Ok(fields.to_vec()));
    }

    #[test]
    fn bytes_that_are_not_a_message_are_an_error_with_the_reason() {
        let cases: &[(&[u8], WireError)] = &[
            (&[0x08], WireError::Cut),
            (&[0x08, 0x80], WireError::Cut),
            (&[0x0a, 5, b'a'], WireError::Cut),
            (&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], WireError::Cut),
            (&[0x11, 1, 2, 3], WireError::Cut),
            (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], WireError::Varint),
            (&[0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], WireError::Varint),
            (&[0x00, 0x00], WireError::Number),
            (&[0x80, 0x80, 0x80, 0x80, 0x10, 0x00], WireError::Number),
            (&[0x0b], WireError::WireType(3)),
            (&[0x0c], WireError::WireType(4)),
            (&[0x0e], WireError::WireType(6)),
        ];
        for (bytes, error) in cases {
            assert_eq!(all(bytes), Err(*error), "{bytes:x?}");
        }
    }
}
