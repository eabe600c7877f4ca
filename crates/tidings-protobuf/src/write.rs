//! Writes the wire format; the inverse of [`wire`](crate::wire).

/// Writes a field of bytes: a text or an embedded message.
pub fn write_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    write_bytes_head(number, bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Writes the tag and the length of a field of bytes. The caller appends the bytes.
pub fn write_bytes_head(number: u32, length: usize, out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3 | 2), out);
    write_varint(length as u64, out);
}

/// Begins a field of bytes whose length is not known yet. Returns the offset of its bytes, for [`end_nested`].
pub(crate) fn begin_nested(number: u32, out: &mut Vec<u8>) -> usize {
    write_varint(u64::from(number << 3 | 2), out);
    out.push(0);
    out.len()
}

/// Ends the field whose bytes begin at `start`, and writes its length. There is room for a length of one byte; a longer
/// content is moved.
pub(crate) fn end_nested(start: usize, out: &mut Vec<u8>) {
    let length = out.len() - start;
    if length < 0x80 {
        out[start - 1] = length as u8;
        return;
    }
    let length_bytes = length.ilog2() as usize / 7 + 1;
    out.resize(out.len() + length_bytes - 1, 0);
    out.copy_within(start..start + length, start + length_bytes - 1);
    let mut rest = length;
    for byte in &mut out[start - 1..][..length_bytes] {
        *byte = rest as u8 | 0x80;
        rest >>= 7;
    }
    out[start + length_bytes - 2] &= 0x7f;
}

/// Writes a field with an integer. A negative one is written as its two's complement in 64 bits.
pub fn write_number(number: u32, value: i64, out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3), out);
    write_varint(value as u64, out);
}

/// Writes a field with a floating point number.
pub fn write_double(number: u32, value: f64, out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3 | 1), out);
    out.extend_from_slice(&value.to_bits().to_le_bytes());
}

pub(crate) fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_unknown_length_is_written_as_one_of_known_length() {
        for length in [0, 1, 127, 128, 16_383, 16_384, 2_097_152] {
            let inside: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let (mut nested, mut known) = (b"before".to_vec(), b"before".to_vec());
            let start = begin_nested(17, &mut nested);
            nested.extend_from_slice(&inside);
            end_nested(start, &mut nested);
            write_bytes(17, &inside, &mut known);
            assert!(nested == known, "{length} bytes");
        }
    }
}
