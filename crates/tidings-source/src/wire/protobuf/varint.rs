//! A protobuf varint that is decoded byte by byte, while it streams in. Code that has all bytes of a message uses
//! [`tidings_protobuf::wire`] instead.

/// A number of which some bytes have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Varint {
    number: u64,
    bits: u32,
}

/// The number has more than 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

impl Varint {
    /// A number of which no byte has arrived.
    pub(super) const NONE: Varint = Varint { number: 0, bits: 0 };

    /// Takes the next byte. Returns the number if it was the last byte.
    pub(super) fn take(&mut self, byte: u8) -> Result<Option<u64>, TooLong> {
        let bits = u64::from(byte & 0x7f);
        if self.bits == 63 && byte > 1 {
            return Err(TooLong);
        }
        self.number |= bits << self.bits;
        self.bits += 7;
        Ok((byte < 0x80).then_some(self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Option<u64>, TooLong> {
        let mut varint = Varint::NONE;
        bytes.iter().try_fold(None, |_, byte| varint.take(*byte))
    }

    #[test]
    fn a_number_has_ten_bytes_at_most() {
        assert_eq!(read(&[0]), Ok(Some(0)));
        assert_eq!(read(&[0xac, 0x02]), Ok(Some(300)));
        assert_eq!(read(&[0xac]), Ok(None));
        let mut largest = [0xff; 10];
        largest[9] = 1;
        assert_eq!(read(&largest), Ok(Some(u64::MAX)));
        for tenth in [2, 0x80, 0x81] {
            largest[9] = tenth;
            assert_eq!(read(&largest), Err(TooLong), "{tenth}");
        }
    }
}
