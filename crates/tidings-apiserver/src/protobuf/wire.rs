//! The wire format of protobuf: numbered fields, one after another.

use super::ProtobufError;

/// Reads the fields of one message.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

/// A field as it stands on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Raw<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

impl<'a> Reader<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// The next field and its number.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Raw<'a>)>, ProtobufError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).map_err(|_| ProtobufError::Malformed)?;
        let raw = match key & 7 {
            0 => Raw::Varint(self.varint()?),
            1 => Raw::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| ProtobufError::Malformed)?;
                Raw::Bytes(self.take(length)?)
            }
            5 => Raw::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(ProtobufError::Malformed),
        };
        Ok(Some((number, raw)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ProtobufError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ProtobufError::Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtobufError> {
        self.take(N)?.try_into().map_err(|_| ProtobufError::Malformed)
    }

    fn varint(&mut self) -> Result<u64, ProtobufError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ProtobufError::Malformed)
    }
}

impl<'a> Raw<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], ProtobufError> {
        match self {
            Raw::Bytes(bytes) => Ok(bytes),
            _ => Err(ProtobufError::Malformed),
        }
    }

    pub(super) fn text(self) -> Result<&'a str, ProtobufError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| ProtobufError::Malformed)
    }

    /// Negative numbers are written as their two's complement in 64 bits.
    pub(super) fn integer(self) -> Result<i64, ProtobufError> {
        match self {
            Raw::Varint(number) => Ok(number.cast_signed()),
            _ => Err(ProtobufError::Malformed),
        }
    }

    pub(super) fn double(self) -> Result<f64, ProtobufError> {
        match self {
            Raw::Fixed64(bits) => Ok(f64::from_bits(bits)),
            Raw::Fixed32(bits) => Ok(f64::from(f32::from_bits(bits))),
            _ => Err(ProtobufError::Malformed),
        }
    }
}

/// The bytes of a message's field 1, if it has them.
pub(super) fn first_bytes(message: &[u8]) -> Result<Option<&[u8]>, ProtobufError> {
    let mut reader = Reader::new(message);
    let mut found = None;
    while let Some((number, raw)) = reader.next()? {
        if number == 1 {
            found = Some(raw.bytes()?);
        }
    }
    Ok(found)
}
