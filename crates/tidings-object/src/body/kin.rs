//! Packing against a relative: pods of one template differ in their names, addresses and times, so a body is told
//! by what it copies from one of its kin, and by the rest as it is.
//!
//! Faster than zstd, above all to unpack, and no larger where kin is near; where it is far, packing gives up early,
//! and zstd is better. What was packed is read with the same kin, which lives as long as the last such body.

mod differences;

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use crate::sync::{AtomicU64, Ordering};
use differences::{Copy, Differences, Source};

use super::codec::NotUnpacked;

/// A body that others are told by.
pub(crate) struct Kin {
    bytes: Box<[u8]>,
    /// Where in `bytes` a piece begins, by its hash; 0 is also where nothing was found.
    places: Box<[u16]>,
    /// How many bits of a hash do not count for its place.
    unused_bits: u32,
    /// What all kin of an informer takes.
    memory: Arc<AtomicU64>,
}

/// Places are kept in 16 bits.
const BYTES_MAX: usize = 1 << 16;

/// Shorter ones have little to share.
const BYTES_MIN: usize = 64;

/// As many bytes are hashed and must be the same before a copy is considered.
const PIECE_BYTES: usize = 6;

/// A piece of the body itself is found again among this many.
const OWN_PLACES: usize = 1 << OWN_PLACE_BITS;
const OWN_PLACE_BITS: u32 = 10;
const OWN_UNUSED_BITS: u32 = u64::BITS - OWN_PLACE_BITS;

/// After so many bytes without a copy every second is skipped, after twice as many two of three, and so on.
const PATIENCE: usize = 8;

impl Kin {
    /// A copy of this body as kin for others, unless it is too short or too long. What it takes is added to `memory`
    /// for its lifetime.
    pub(crate) fn new(bytes: &[u8], memory: Arc<AtomicU64>) -> Option<Kin> {
        if !(BYTES_MIN..BYTES_MAX).contains(&bytes.len()) {
            return None;
        }
        let mut places = vec![0; (bytes.len() / 4).next_power_of_two()].into_boxed_slice();
        let unused_bits = u64::BITS - places.len().trailing_zeros();
        // Backwards, so that of several the first counts: what follows it is most likely to follow here too.
        for at in (0..=bytes.len() - WORD_BYTES).rev() {
            places[(hash_of(word(bytes, at)) >> unused_bits) as usize] = u16::try_from(at).ok()?;
        }
        let kin = Kin { bytes: bytes.into(), places, unused_bits, memory };
        kin.memory.fetch_add(kin.memory_bytes(), Ordering::Relaxed);
        Some(kin)
    }

    /// What it takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.bytes.len() + size_of_val(&*self.places)) as u64
    }

    /// The bytes told by their differences, if that takes at most `packed_max`.
    pub(crate) fn pack(&self, raw: &[u8], packed_max: usize) -> Option<Box<[u8]>> {
        if raw.len() >= BYTES_MAX {
            return None;
        }
        self.come_near();
        let mut differences = Differences::with_capacity(packed_max);
        // Places in `raw`, one more than where a piece begins.
        let mut own = [0_u16; OWN_PLACES];
        let (mut told, mut at, mut misses) = (0, 0, 0);
        while at + WORD_BYTES <= raw.len() {
            let Some(mut copy) = self.copy_at(raw, at, differences.expected(at - told), &mut own) else {
                misses += 1;
                at += 1 + misses / PATIENCE;
                continue;
            };
            at -= self.grow_backwards(raw, at, told, &mut copy);
            differences.push(&raw[told..at], copy);
            if differences.len() > packed_max {
                return None;
            }
            at += copy.len;
            (told, misses) = (at, 0);
        }
        differences.end(&raw[told..]);
        (differences.len() <= packed_max).then(|| differences.bytes().into())
    }

    /// Unpacks behind what `out` has, `raw_len` bytes and no more.
    pub(crate) fn unpack(&self, packed: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<(), NotUnpacked> {
        let begin = out.len();
        for difference in differences::read(packed) {
            let (own, copy) = difference.ok_or(NotUnpacked)?;
            let told = out.len() - begin;
            if own.len() + copy.len > raw_len - told {
                return Err(NotUnpacked);
            }
            out.extend_from_slice(own);
            match copy.source {
                Source::Kin(at) => {
                    let piece = at.checked_add(copy.len).and_then(|end| self.bytes.get(at..end));
                    out.extend_from_slice(piece.ok_or(NotUnpacked)?);
                }
                Source::Own { distance } => extend_from_own(out, begin, distance, copy.len)?,
            }
        }
        if out.len() - begin == raw_len { Ok(()) } else { Err(NotUnpacked) }
    }

    /// Kin of many families is rarely in the processor's cache: its lines are fetched side by side here, and not one
    /// by one where they are needed, each of which would be waited for.
    fn come_near(&self) {
        let places =
            self.places.iter().step_by(LINE_BYTES / size_of::<u16>()).fold(0, |all, place| all ^ place);
        let bytes = self.bytes.iter().step_by(LINE_BYTES).fold(0, |all, byte| all ^ byte);
        black_box((places, bytes));
    }

    /// What can be copied to `at`, and remembers the piece there.
    fn copy_at(&self, raw: &[u8], at: usize, expected: usize, own: &mut [u16; OWN_PLACES]) -> Option<Copy> {
        let here = &raw[at..];
        let word_here = word(raw, at);
        if let Some(there) = self.bytes.get(expected..)
            && let Some(first) = there.first_chunk()
            && u32::from_le_bytes(*first) == word_here as u32
        {
            return Some(Copy { source: Source::Kin(expected), len: common_len(here, there) });
        }
        let hash = hash_of(word_here);
        let kin_at = usize::from(self.places[(hash >> self.unused_bits) as usize]);
        let before = &mut own[(hash >> OWN_UNUSED_BITS) as usize];
        let own_at = usize::from(std::mem::replace(before, (at + 1) as u16)).checked_sub(1);
        let from_kin = is_same_piece(word(&self.bytes, kin_at), word_here)
            .then(|| Copy { source: Source::Kin(kin_at), len: common_len(here, &self.bytes[kin_at..]) });
        let from_own = own_at.filter(|own_at| is_same_piece(word(raw, *own_at), word_here)).map(|own_at| {
            Copy { source: Source::Own { distance: at - own_at }, len: common_len(here, &raw[own_at..]) }
        });
        match (from_kin, from_own) {
            (Some(kin), Some(own)) if own.len > kin.len => Some(own),
            (kin, own) => kin.or(own),
        }
    }

    /// By how many bytes a copy can begin earlier, as far as they are not told yet.
    fn grow_backwards(&self, raw: &[u8], at: usize, told: usize, copy: &mut Copy) -> usize {
        let before = match copy.source {
            Source::Kin(kin_at) => &self.bytes[..kin_at],
            Source::Own { distance } => &raw[..at - distance],
        };
        let pairs = before.iter().rev().zip(raw[told..at].iter().rev());
        let grown = pairs.take_while(|(theirs, ours)| theirs == ours).count();
        copy.len += grown;
        if let Source::Kin(kin_at) = &mut copy.source {
            *kin_at -= grown;
        }
        grown
    }
}

/// A copy may reach into what it writes: then it repeats.
fn extend_from_own(out: &mut Vec<u8>, begin: usize, distance: usize, len: usize) -> Result<(), NotUnpacked> {
    if distance == 0 || distance > out.len() - begin {
        return Err(NotUnpacked);
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
const LINE_BYTES: usize = 64;

const WORD_BYTES: usize = size_of::<u64>();

/// Eight bytes; a piece are the first of them.
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + WORD_BYTES].try_into().expect("as many bytes as were taken"))
}

/// What is left of a word of its piece.
fn piece(word: u64) -> u64 {
    word << (8 * (WORD_BYTES - PIECE_BYTES))
}

fn is_same_piece(one: u64, other: u64) -> bool {
    piece(one) == piece(other)
}

/// Its upper bits are the place of a piece.
fn hash_of(word: u64) -> u64 {
    piece(word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
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

impl Drop for Kin {
    fn drop(&mut self) {
        self.memory.fetch_sub(self.memory_bytes(), Ordering::Relaxed);
    }
}

/// Sizes only: it is a body.
impl fmt::Debug for Kin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kin").field("bytes", &self.bytes.len()).finish()
    }
}

#[cfg(test)]
mod tests;
