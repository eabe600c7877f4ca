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

/// Writes a field of bytes whose length is known once they are written.
pub(crate) fn write_nested<E>(
    number: u32,
    out: &mut Vec<u8>,
    inside: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let start = out.len();
    inside(out)?;
    let end = out.len();
    write_bytes_head(number, end - start, out);
    // The head was written behind what it belongs before.
    let head_len = out.len() - end;
    out[start..].rotate_right(head_len);
    Ok(())
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

fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
