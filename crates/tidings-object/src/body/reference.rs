//! Delta compression: LZ77 against a reference body. RFC 3284 (VCDIFF) describes the idea, and `zstd --patch-from` does
//! the same. Pods of one template differ only in names, addresses and times, so a body is stored as copies from the
//! reference and from its own earlier bytes, with literal bytes between them.
//!
//! Example, with a reference that is shorter than allowed:
//!
//! ```text
//! reference   {"name":"web-a","ip":"10.0.0.7"}
//! body        {"name":"web-b","ip":"10.0.0.9"}
//!
//! literal ""      copy 13 bytes from the reference at 0      {"name":"web-
//! literal "b"     copy 15 bytes from the reference at 14     ","ip":"10.0.0.
//! literal 9"}
//! ```
//!
//! It is faster than zstd with a dictionary, most of all to unpack, and the result is no larger if the reference is
//! similar. If it is not, packing stops early and zstd is used. A body holds the reference that it was packed against,
//! so that a reference lives as long as the last such body.

mod instructions;

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use crate::sync::{AtomicU64, Ordering};
use instructions::{CopyInstruction, CopySource, DeltaWriter};

use super::codec::UnpackError;

/// A whole body that similar bodies are delta-compressed against.
pub(crate) struct Reference {
    bytes: Box<[u8]>,
    /// The offset in `bytes` of a match key, by its hash. An empty entry is 0, which is a valid offset: a lookup
    /// compares the bytes anyway.
    match_table: Box<[u16]>,
    /// A hash is shifted right by this many bits to get the index in `match_table`.
    unused_bits: u32,
    /// The bytes of all references of an informer.
    memory: Arc<AtomicU64>,
}

/// Offsets have 16 bits.
const BYTES_MAX: usize = 1 << 16;

/// Shorter bodies have little in common.
const BYTES_MIN: usize = 64;

/// The length of a match key: so many bytes are hashed, and must be equal before a copy is considered.
const MATCH_BYTES_MIN: usize = 6;

/// The number of entries in the table of match keys of the body itself.
const BODY_TABLE_LEN: usize = 1 << BODY_TABLE_BITS;
const BODY_TABLE_BITS: u32 = 10;
const BODY_UNUSED_BITS: u32 = u64::BITS - BODY_TABLE_BITS;

/// After so many misses in a row only every second offset is tried, after twice as many every third, and so on.
const MISSES_PER_SKIP: usize = 8;

/// After so many misses in a row [`Reference::aligned_distance`] is tried. Not after the first one: a value that occurs
/// twice in a body is found by its first bytes, which must be in the table.
const MISSES_BEFORE_ALIGNED: usize = 2;

/// How far ahead [`Reference::aligned_distance`] looks: a hash in hexadecimal has 64 bytes.
const ALIGNED_BYTES_MAX: usize = 96;

impl Reference {
    /// A reference that is a copy of this body; `None` if the body is too short or too long. Its bytes are added to
    /// `memory` until it is dropped.
    pub(crate) fn new(bytes: &[u8], memory: Arc<AtomicU64>) -> Option<Reference> {
        if !(BYTES_MIN..BYTES_MAX).contains(&bytes.len()) {
            return None;
        }
        let mut match_table = vec![0; (bytes.len() / 4).next_power_of_two()].into_boxed_slice();
        let unused_bits = u64::BITS - match_table.len().trailing_zeros();
        // Backwards, so that the first of several equal keys stays: a copy from there is most likely the longest.
        for at in (0..=bytes.len() - WORD_BYTES).rev() {
            match_table[(hash_of(word(bytes, at)) >> unused_bits) as usize] = u16::try_from(at).ok()?;
        }
        let reference = Reference { bytes: bytes.into(), match_table, unused_bits, memory };
        reference.memory.fetch_add(reference.memory_bytes(), Ordering::Relaxed);
        Some(reference)
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.bytes.len() + size_of_val(&*self.match_table)) as u64
    }

    /// The delta of a body, if it takes at most `packed_max` bytes.
    pub(crate) fn pack(&self, raw: &[u8], packed_max: usize) -> Option<Box<[u8]>> {
        if raw.len() >= BYTES_MAX {
            return None;
        }
        self.load_into_cpu_cache();
        let mut delta = DeltaWriter::with_capacity(packed_max);
        // Offsets in `raw` by hash, plus one: 0 means an empty entry.
        let mut body_table = [0_u16; BODY_TABLE_LEN];
        let (mut encoded, mut at, mut misses) = (0, 0, 0);
        while at + WORD_BYTES <= raw.len() {
            let Some(mut copy) = self.find_match(raw, at, delta.expected(at - encoded), &mut body_table)
            else {
                misses += 1;
                let is_aligned_tried = misses == MISSES_BEFORE_ALIGNED;
                let aligned =
                    is_aligned_tried.then(|| self.aligned_distance(raw, at, delta.expected(at - encoded)));
                at += aligned.flatten().unwrap_or(1 + misses / MISSES_PER_SKIP);
                continue;
            };
            at -= self.extend_backwards(raw, at, encoded, &mut copy);
            delta.push(&raw[encoded..at], copy);
            if delta.len() > packed_max {
                return None;
            }
            at += copy.len;
            (encoded, misses) = (at, 0);
        }
        delta.end(&raw[encoded..]);
        (delta.len() <= packed_max).then(|| delta.bytes().into())
    }

    /// Appends exactly `raw_len` unpacked bytes to `out`.
    pub(crate) fn unpack(&self, packed: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<(), UnpackError> {
        let begin = out.len();
        for instruction in instructions::read(packed) {
            let (literal, copy) = instruction.ok_or(UnpackError)?;
            let unpacked_len = out.len() - begin;
            if literal.len() + copy.len > raw_len - unpacked_len {
                return Err(UnpackError);
            }
            out.extend_from_slice(literal);
            match copy.source {
                CopySource::Reference(at) => {
                    let copied = at.checked_add(copy.len).and_then(|end| self.bytes.get(at..end));
                    out.extend_from_slice(copied.ok_or(UnpackError)?);
                }
                CopySource::Body { distance } => extend_from_body(out, begin, distance, copy.len)?,
            }
        }
        if out.len() - begin == raw_len { Ok(()) } else { Err(UnpackError) }
    }

    /// Loads the whole reference into the processor's cache. With many references in use it is rarely there, and these
    /// loads run in parallel. Otherwise `pack` would wait for one cache line after the other.
    fn load_into_cpu_cache(&self) {
        let match_table = self
            .match_table
            .iter()
            .step_by(CACHE_LINE_BYTES / size_of::<u16>())
            .fold(0, |all, offset| all ^ offset);
        let bytes = self.bytes.iter().step_by(CACHE_LINE_BYTES).fold(0, |all, byte| all ^ byte);
        black_box((match_table, bytes));
    }

    /// Finds a copy for the bytes at `at`: first where the reference is expected to continue, then by the match key in
    /// the reference and in the body. Also enters the match key into the table of the body.
    fn find_match(
        &self,
        raw: &[u8],
        at: usize,
        expected: usize,
        body_table: &mut [u16; BODY_TABLE_LEN],
    ) -> Option<CopyInstruction> {
        let here = &raw[at..];
        let word_here = word(raw, at);
        if let Some(there) = self.bytes.get(expected..)
            && let Some(first) = there.first_chunk()
            && u32::from_le_bytes(*first) == word_here as u32
        {
            return Some(CopyInstruction {
                source: CopySource::Reference(expected),
                len: common_len(here, there),
            });
        }
        let hash = hash_of(word_here);
        let reference_at = usize::from(self.match_table[(hash >> self.unused_bits) as usize]);
        let entry = &mut body_table[(hash >> BODY_UNUSED_BITS) as usize];
        let body_at = usize::from(std::mem::replace(entry, (at + 1) as u16)).checked_sub(1);
        let from_reference =
            has_equal_match_key(word(&self.bytes, reference_at), word_here).then(|| CopyInstruction {
                source: CopySource::Reference(reference_at),
                len: common_len(here, &self.bytes[reference_at..]),
            });
        let from_body =
            body_at.filter(|body_at| has_equal_match_key(word(raw, *body_at), word_here)).map(|body_at| {
                CopyInstruction {
                    source: CopySource::Body { distance: at - body_at },
                    len: common_len(here, &raw[body_at..]),
                }
            });
        match (from_reference, from_body) {
            (Some(reference), Some(body)) if body.len > reference.len => Some(body),
            (reference, body) => reference.or(body),
        }
    }

    /// The distance from `at` to the end of a value that has the same length in the reference, such as a uid, a time or
    /// a hash: there the body is equal to the reference again, at the same distance from `expected`. To compare four
    /// bytes at each fourth offset is much cheaper than to look up a match key at each offset, and
    /// [`extend_backwards`](Self::extend_backwards) finds the equal bytes in between.
    fn aligned_distance(&self, raw: &[u8], at: usize, expected: usize) -> Option<usize> {
        let here = raw.get(at..at + ALIGNED_BYTES_MAX)?;
        let there = self.bytes.get(expected..expected + ALIGNED_BYTES_MAX)?;
        let mut words = here.as_chunks::<4>().0.iter().zip(there.as_chunks::<4>().0);
        // The first four bytes differ.
        words.next();
        words.position(|(here, there)| here == there).map(|skipped| 4 * (skipped + 1))
    }

    /// Extends a copy to equal bytes before it that are not encoded yet. Returns the number of added bytes.
    fn extend_backwards(&self, raw: &[u8], at: usize, encoded: usize, copy: &mut CopyInstruction) -> usize {
        let before = match copy.source {
            CopySource::Reference(reference_at) => &self.bytes[..reference_at],
            CopySource::Body { distance } => &raw[..at - distance],
        };
        let pairs = before.iter().rev().zip(raw[encoded..at].iter().rev());
        let added = pairs.take_while(|(theirs, ours)| theirs == ours).count();
        copy.len += added;
        if let CopySource::Reference(reference_at) = &mut copy.source {
            *reference_at -= added;
        }
        added
    }
}

/// Copies from earlier bytes of the body. As in LZ77, a copy may overlap with its own output, which repeats it.
fn extend_from_body(out: &mut Vec<u8>, begin: usize, distance: usize, len: usize) -> Result<(), UnpackError> {
    if distance == 0 || distance > out.len() - begin {
        return Err(UnpackError);
    }
    let from = out.len() - distance;
    if len <= distance {
        out.extend_from_within(from..from + len);
    } else {
        (from..from + len).for_each(|at| out.push(out[at]));
    }
    Ok(())
}

const CACHE_LINE_BYTES: usize = 64;

const WORD_BYTES: usize = size_of::<u64>();

/// So many bytes are compared at once while they are equal.
const BLOCK_BYTES: usize = 32;

/// Eight bytes, of which the first are the match key.
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + WORD_BYTES].try_into().expect("the slice has eight bytes"))
}

/// Keeps the low six bytes, which are the match key.
fn match_key(word: u64) -> u64 {
    word << (8 * (WORD_BYTES - MATCH_BYTES_MIN))
}

fn has_equal_match_key(one: u64, other: u64) -> bool {
    match_key(one) == match_key(other)
}

/// Multiplicative hashing (Knuth): the upper bits are the index in a table.
fn hash_of(word: u64) -> u64 {
    match_key(word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn common_len(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.as_chunks::<BLOCK_BYTES>().0.iter().zip(other.as_chunks().0);
    let mut len = BLOCK_BYTES * blocks.take_while(|(one, other)| one == other).count();
    let words = one[len..].as_chunks().0.iter().zip(other[len..].as_chunks().0);
    for (one, other) in words {
        let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differ != 0 {
            return len + differ.trailing_zeros() as usize / 8;
        }
        len += WORD_BYTES;
    }
    len + one[len..].iter().zip(&other[len..]).take_while(|(one, other)| one == other).count()
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.memory.fetch_sub(self.memory_bytes(), Ordering::Relaxed);
    }
}

/// Only the size: a reference is a body, which may hold secrets.
impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference").field("bytes", &self.bytes.len()).finish()
    }
}

#[cfg(test)]
mod tests;
