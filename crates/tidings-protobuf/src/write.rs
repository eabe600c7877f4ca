//! Writing the wire format: the other way round of [`wire`](crate::wire).

/// Writes a field of bytes: a text, or an embedded message.
pub(crate) fn write_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3 | 2), out);
    write_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Writes a field that holds a number; what is negative is written as its two's complement in 64 bits.
pub(crate) fn write_number(number: u32, value: i64, out: &mut Vec<u8>) {
    write_varint(u64::from(number << 3), out);
    write_varint(value as u64, out);
}

/// Writes a field of eight bytes.
pub(crate) fn write_double(number: u32, value: f64, out: &mut Vec<u8>) {
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
