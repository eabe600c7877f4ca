//! Entries of the text of an identity: a text after its length.

use super::{FIRST_INTERNED, LabelKeyInterner, WIDE};

/// The entries from one position on.
pub(super) struct Entries<'a>(pub(super) &'a str);

impl<'a> Entries<'a> {
    /// The count beside the text, or the one at this position if that is [`WIDE`].
    #[inline]
    pub(super) fn count_of(&mut self, narrow: u16) -> usize {
        if narrow == WIDE { self.length().unwrap_or(0) } else { narrow.into() }
    }

    /// Reads the length or count at this position.
    #[inline]
    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// Reads the number at this position.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let (mut number, mut digits) = (0, 0);
        loop {
            let digit = *self.0.as_bytes().get(digits)?;
            number |= u64::from(digit & !CONTINUATION) << (6 * digits);
            digits += 1;
            if digit & CONTINUATION == 0 {
                break;
            }
        }
        self.0 = &self.0[digits..];
        Some(number)
    }

    /// Reads the character of an interned key, if there is one at this position.
    pub(super) fn skip_interned(&mut self) -> Option<char> {
        let character = self.0.chars().next().filter(|character| *character >= FIRST_INTERNED)?;
        self.0 = &self.0[character.len_utf8()..];
        Some(character)
    }

    pub(super) fn next_key(&mut self, keys: &'a LabelKeyInterner) -> Option<&'a str> {
        match self.skip_interned() {
            Some(character) => keys.key(character),
            None => self.next(),
        }
    }
}

/// Lengths are varints with six bits per byte, lowest first. This bit means that another byte follows. So each byte is
/// an ASCII character, and the whole is valid UTF-8.
const CONTINUATION: u8 = 0x40;

impl<'a> Iterator for Entries<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        let (entry, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(entry)
    }
}

/// The bytes of an entry, including its length.
pub(super) fn entry_len(text_len: usize) -> usize {
    digits_of(text_len as u64) + text_len
}

pub(super) fn push_entry(text: &mut String, parts: &[&str; 2]) {
    push_number(text, (parts[0].len() + parts[1].len()) as u64);
    text.push_str(parts[0]);
    text.push_str(parts[1]);
}

/// Writes an entry with the generation as its only number; an empty one if there is none.
pub(super) fn push_generation(text: &mut String, generation: Option<i64>) {
    let Some(generation) = generation else { return push_number(text, 0) };
    let number = generation.cast_unsigned();
    push_number(text, digits_of(number) as u64);
    push_number(text, number);
}

/// The digits that a number takes.
pub(super) fn digits_of(mut number: u64) -> usize {
    let mut digits = 1;
    while number >= u64::from(CONTINUATION) {
        number >>= 6;
        digits += 1;
    }
    digits
}

pub(super) fn push_number(text: &mut String, mut number: u64) {
    while number >= u64::from(CONTINUATION) {
        text.push(char::from(number as u8 & (CONTINUATION - 1) | CONTINUATION));
        number >>= 6;
    }
    text.push(char::from(number as u8));
}
