//! Finds the brackets of JSON that are outside of strings, 64 bytes at a time (see Langdale and Lemire, "Parsing
//! Gigabytes of JSON per Second", 2019). It checks nothing.
//!
//! Each class of bytes becomes a mask of 64 bits, in which the lowest bit is the first byte. Operations on these words
//! replace a branch for each byte. Example, with the first byte on the left:
//!
//! ```text
//! {"a":["}",1]}
//! .#.#..#.#....   quotes: none is escaped
//! .##...##.....   inside strings: the XOR of all quotes up to here (prefix XOR)
//! #....#.......   opening brackets outside of strings
//! ...........##   closing brackets outside of strings: the one in the string is gone
//! ```

use wide::u8x16;

/// The number of bytes that are examined at once: one bit each in a word.
pub(super) const BLOCK_BYTES: usize = u64::BITS as usize;

/// The state between two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StringState {
    /// All bits if the next block begins inside a string, otherwise no bit.
    inside: u64,
    /// 1 if a backslash at the end of the last block escapes the first byte of the next one.
    escaped: u64,
}

/// The brackets of one block that are outside of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brackets {
    pub(super) opening: u64,
    pub(super) closing: u64,
}

/// The classes of the bytes of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ByteClasses {
    quotes: u64,
    backslashes: u64,
    opening: u64,
    closing: u64,
}

impl StringState {
    /// The brackets of the next block, of which the first `len` bytes count. The other bytes must be spaces.
    #[inline(always)]
    pub(super) fn next_block(&mut self, block: &[u8; BLOCK_BYTES], len: usize) -> Brackets {
        let ByteClasses { mut quotes, backslashes, opening, closing } = ByteClasses::of(block);
        if backslashes | self.escaped != 0 {
            quotes &= !self.escaped_bytes(backslashes, len);
        }
        let inside = prefix_xor(quotes) ^ self.inside;
        self.inside = if inside >> 63 == 0 { 0 } else { u64::MAX };
        Brackets { opening: opening & !inside, closing: closing & !inside }
    }

    /// The bytes that a backslash escapes: those after a run of backslashes of odd length.
    ///
    /// Adding the first bits of the runs that begin at an odd position to all backslashes moves each of these runs to
    /// the bit after its end, with a carry through the run. So the bit after a run tells whether the run began at an
    /// odd position, and the position of that bit then tells whether the length is odd.
    fn escaped_bytes(&mut self, backslashes: u64, len: usize) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let backslashes = backslashes & !self.escaped;
        let after_backslash = backslashes << 1 | self.escaped;
        let odd_starts = backslashes & !EVEN & !after_backslash;
        let (even_runs, overflows) = odd_starts.overflowing_add(backslashes);
        let escaped = (EVEN ^ (even_runs << 1)) & after_backslash;
        self.escaped = if len < BLOCK_BYTES { escaped >> len & 1 } else { u64::from(overflows) };
        escaped
    }
}

/// In each bit the XOR of this bit and all lower ones.
#[inline(always)]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// `[` and `{` differ in this bit alone, and so do `]` and `}`. No other byte becomes a brace when the bit is set.
const BRACE_BIT: u8 = b'{' ^ b'[';

impl ByteClasses {
    /// Compares 16 bytes with one instruction, and turns the result into 16 bits with another one, on every processor
    /// that has such instructions (all of x86-64).
    #[inline(always)]
    fn of(block: &[u8; BLOCK_BYTES]) -> ByteClasses {
        let mut classes = ByteClasses { quotes: 0, backslashes: 0, opening: 0, closing: 0 };
        let (lanes, _) = block.as_chunks::<16>();
        for (number, lane) in lanes.iter().enumerate() {
            let bytes = u8x16::new(*lane);
            let braces = bytes | u8x16::splat(BRACE_BIT);
            let equal = |bytes: u8x16, byte| {
                u64::from(bytes.simd_eq(u8x16::splat(byte)).to_bitmask()) << (16 * number)
            };
            classes.quotes |= equal(bytes, b'"');
            classes.backslashes |= equal(bytes, b'\\');
            classes.opening |= equal(braces, b'{');
            classes.closing |= equal(braces, b'}');
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block() -> impl Strategy<Value = [u8; BLOCK_BYTES]> {
        let byte = prop_oneof![
            6 => prop::sample::select(b"\"\\{}[]".to_vec()),
            1 => any::<u8>(),
        ];
        prop::collection::vec(byte, BLOCK_BYTES).prop_map(|bytes| bytes.try_into().unwrap())
    }

    /// The brackets outside of strings, byte by byte.
    fn brackets_of_bytes(bytes: &[u8], is_inside: &mut bool, is_escaped: &mut bool) -> Brackets {
        let mut brackets = Brackets { opening: 0, closing: 0 };
        for (at, byte) in bytes.iter().enumerate() {
            let was_escaped = std::mem::take(is_escaped);
            match byte {
                b'\\' => *is_escaped = !was_escaped,
                b'"' if !was_escaped => *is_inside = !*is_inside,
                b'{' | b'[' if !*is_inside => brackets.opening |= 1 << at,
                b'}' | b']' if !*is_inside => brackets.closing |= 1 << at,
                _ => {}
            }
        }
        brackets
    }

    proptest! {
        #[test]
        fn each_byte_has_its_class(block in block()) {
            let class = |wanted: &[u8]| {
                let is_wanted = |at: usize| u64::from(wanted.contains(&block[at])) << at;
                (0..BLOCK_BYTES).map(is_wanted).sum::<u64>()
            };
            let expected = ByteClasses {
                quotes: class(b"\""),
                backslashes: class(b"\\"),
                opening: class(b"{["),
                closing: class(b"}]"),
            };
            prop_assert_eq!(ByteClasses::of(&block), expected);
        }

        #[test]
        fn brackets_are_those_that_a_scan_byte_by_byte_finds(
            blocks in prop::collection::vec((block(), 0..=BLOCK_BYTES), 1..6),
        ) {
            let (mut state, mut is_inside, mut is_escaped) = (StringState::default(), false, false);
            for (mut block, len) in blocks {
                block[len..].fill(b' ');
                let expected = brackets_of_bytes(&block[..len], &mut is_inside, &mut is_escaped);
                prop_assert_eq!(state.next_block(&block, len), expected);
                prop_assert_eq!(state.inside, if is_inside { u64::MAX } else { 0 });
                prop_assert_eq!(state.escaped, u64::from(is_escaped));
            }
        }
    }
}
