//! Packing against a relative: pods of one template differ in their names, addresses and times, so a body is told
//! by what it copies from one of its reference, and by the rest as it is.
//!
//! Faster than zstd, above all to unpack, and no larger where reference is near; where it is far, packing gives up early,
//! and zstd is better. What was packed is read with the same reference, which lives as long as the last such body.

mod instructions;

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use crate::sync::{AtomicU64, Ordering};
use instructions::{CopyInstruction, CopySource, DeltaWriter};

use super::codec::UnpackError;

/// A body that others are told by.
pub(crate) struct Reference {
    bytes: Box<[u8]>,
    /// Where in `bytes` a piece begins, by its hash; 0 is also where nothing was found.
    match_table: Box<[u16]>,
    /// How many bits of a hash do not count for its place.
    unused_bits: u32,
    /// What all reference of an informer takes.
    memory: Arc<AtomicU64>,
}

/// Places are kept in 16 bits.
const BYTES_MAX: usize = 1 << 16;

/// Shorter ones have little to share.
const BYTES_MIN: usize = 64;

/// As many bytes are hashed and must be the same before a copy is considered.
const MATCH_BYTES_MIN: usize = 6;

/// A piece of the body itself is found again among this many.
const BODY_TABLE_LEN: usize = 1 << BODY_TABLE_BITS;
const BODY_TABLE_BITS: u32 = 10;
const BODY_UNUSED_BITS: u32 = u64::BITS - BODY_TABLE_BITS;

/// After so many bytes without a copy every second is skipped, after twice as many two of three, and so on.
const MISSES_PER_SKIP: usize = 8;

impl Reference {
    /// A copy of this body as reference for others, unless it is too short or too long. What it takes is added to `memory`
    /// for its lifetime.
    pub(crate) fn new(bytes: &[u8], memory: Arc<AtomicU64>) -> Option<Reference> {
        if !(BYTES_MIN..BYTES_MAX).contains(&bytes.len()) {
            return None;
        }
        let mut match_table = vec![0; (bytes.len() / 4).next_power_of_two()].into_boxed_slice();
        let unused_bits = u64::BITS - match_table.len().trailing_zeros();
        // Backwards, so that of several the first counts: what follows it is most likely to follow here too.
        for at in (0..=bytes.len() - WORD_BYTES).rev() {
            match_table[(hash_of(word(bytes, at)) >> unused_bits) as usize] = u16::try_from(at).ok()?;
        }
        let reference = Reference { bytes: bytes.into(), match_table, unused_bits, memory };
        reference.memory.fetch_add(reference.memory_bytes(), Ordering::Relaxed);
        Some(reference)
    }

    /// What it takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.bytes.len() + size_of_val(&*self.match_table)) as u64
    }

    /// The bytes told by their instructions, if that takes at most `packed_max`.
    pub(crate) fn pack(&self, raw: &[u8], packed_max: usize) -> Option<Box<[u8]>> {
        if raw.len() >= BYTES_MAX {
            return None;
        }
        self.load_into_cpu_cache();
        let mut instructions = DeltaWriter::with_capacity(packed_max);
        // Places in `raw`, one more than where a piece begins.
        let mut literal = [0_u16; BODY_TABLE_LEN];
        let (mut told, mut at, mut misses) = (0, 0, 0);
        while at + WORD_BYTES <= raw.len() {
            let Some(mut copy) = self.find_match(raw, at, instructions.expected(at - told), &mut literal)
            else {
                misses += 1;
                at += 1 + misses / MISSES_PER_SKIP;
                continue;
            };
            at -= self.extend_backwards(raw, at, told, &mut copy);
            instructions.push(&raw[told..at], copy);
            if instructions.len() > packed_max {
                return None;
            }
            at += copy.len;
            (told, misses) = (at, 0);
        }
        instructions.end(&raw[told..]);
        (instructions.len() <= packed_max).then(|| instructions.bytes().into())
    }

    /// Unpacks behind what `out` has, `raw_len` bytes and no more.
    pub(crate) fn unpack(&self, packed: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<(), UnpackError> {
        let begin = out.len();
        for difference in instructions::read(packed) {
            let (literal, copy) = difference.ok_or(UnpackError)?;
            let told = out.len() - begin;
            if literal.len() + copy.len > raw_len - told {
                return Err(UnpackError);
            }
            out.extend_from_slice(literal);
            match copy.source {
                CopySource::Reference(at) => {
                    let piece = at.checked_add(copy.len).and_then(|end| self.bytes.get(at..end));
                    out.extend_from_slice(piece.ok_or(UnpackError)?);
                }
                CopySource::Body { distance } => extend_from_body(out, begin, distance, copy.len)?,
            }
        }
        if out.len() - begin == raw_len { Ok(()) } else { Err(UnpackError) }
    }

    /// Reference of many families is rarely in the processor's cache: its lines are fetched side by side here, and not one
    /// by one where they are needed, each of which would be waited for.
    fn load_into_cpu_cache(&self) {
        let match_table = self
            .match_table
            .iter()
            .step_by(CACHE_LINE_BYTES / size_of::<u16>())
            .fold(0, |all, place| all ^ place);
        let bytes = self.bytes.iter().step_by(CACHE_LINE_BYTES).fold(0, |all, byte| all ^ byte);
        black_box((match_table, bytes));
    }

    /// What can be copied to `at`, and remembers the piece there.
    fn find_match(
        &self,
        raw: &[u8],
        at: usize,
        expected: usize,
        literal: &mut [u16; BODY_TABLE_LEN],
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
        let before = &mut literal[(hash >> BODY_UNUSED_BITS) as usize];
        let body_at = usize::from(std::mem::replace(before, (at + 1) as u16)).checked_sub(1);
        let from_reference =
            is_same_match_key(word(&self.bytes, reference_at), word_here).then(|| CopyInstruction {
                source: CopySource::Reference(reference_at),
                len: common_len(here, &self.bytes[reference_at..]),
            });
        let from_body =
            body_at.filter(|body_at| is_same_match_key(word(raw, *body_at), word_here)).map(|body_at| {
                CopyInstruction {
                    source: CopySource::Body { distance: at - body_at },
                    len: common_len(here, &raw[body_at..]),
                }
            });
        match (from_reference, from_body) {
            (Some(reference), Some(literal)) if literal.len > reference.len => Some(literal),
            (reference, literal) => reference.or(literal),
        }
    }

    /// By how many bytes a copy can begin earlier, as far as they are not told yet.
    fn extend_backwards(&self, raw: &[u8], at: usize, told: usize, copy: &mut CopyInstruction) -> usize {
        let before = match copy.source {
            CopySource::Reference(reference_at) => &self.bytes[..reference_at],
            CopySource::Body { distance } => &raw[..at - distance],
        };
        let pairs = before.iter().rev().zip(raw[told..at].iter().rev());
        let grown = pairs.take_while(|(theirs, ours)| theirs == ours).count();
        copy.len += grown;
        if let CopySource::Reference(reference_at) = &mut copy.source {
            *reference_at -= grown;
        }
        grown
    }
}

/// A copy may reach into what it writes: then it repeats.
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

/// Of the processor's cache.
const CACHE_LINE_BYTES: usize = 64;

const WORD_BYTES: usize = size_of::<u64>();

/// Eight bytes; a piece are the first of them.
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + WORD_BYTES].try_into().expect("as many bytes as were taken"))
}

/// What is left of a word of its piece.
fn match_key(word: u64) -> u64 {
    word << (8 * (WORD_BYTES - MATCH_BYTES_MIN))
}

fn is_same_match_key(one: u64, other: u64) -> bool {
    match_key(one) == match_key(other)
}

/// Its upper bits are the place of a piece.
fn hash_of(word: u64) -> u64 {
    match_key(word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn common_len(one: &[u8], other: &[u8]) -> usize {
    let words = one.chunks_exact(WORD_BYTES).zip(other.chunks_exact(WORD_BYTES));
    let mut len = 0;
    for (one, other) in words {
        let differ = word(one, 0) ^ word(other, 0);
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

/// Sizes only: it is a body.
impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference").field("bytes", &self.bytes.len()).finish()
    }
}

#[cfg(test)]
mod tests;
