//! Writing the wire format: the other way round of [`wire`](crate::wire).

/// Writes a field of bytes: a text, or an embedded message.
pub fn write_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    write_bytes_head(number, bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Writes what stands before the bytes of a field of so many.
pub fn write_bytes_head(number: u32, length: usize, out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3 | 2), out);
    write_varint(length as u64, out);
}

/// Begins a field of bytes whose length is known once they are written; says where they begin.
pub(crate) fn begin_nested(number: u32, out: &mut Vec<u8>) -> usize {
    write_varint(u64::from(number << 3 | 2), out);
    out.push(0);
    out.len()
}

/// Ends the field whose bytes begin there. There is room for a length of one byte; what is longer moves.
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

/// Writes a field that holds a number; what is negative is written as its two's complement in 64 bits.
pub fn write_number(number: u32, value: i64, out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3), out);
    write_varint(value as u64, out);
}

/// Writes a field of eight bytes.
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
    fn a_field_whose_length_is_known_last_is_written_as_if_it_was_known_first() {
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
