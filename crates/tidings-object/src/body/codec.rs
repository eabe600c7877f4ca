//! One way of packing: zstd, with a dictionary or without. A packed body holds its codec, so that a
//! dictionary lives as long as the last body packed with it.

use std::sync::Arc;

use super::{Dictionary, PackPool};

/// Packs and unpacks bodies.
#[derive(Debug)]
pub(crate) struct Codec {
    pool: Arc<PackPool>,
    dictionary: Option<Dictionary>,
}

/// What came out is not what went in, by its length or for zstd.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnpackError;

/// Without a dictionary: fast, since such bodies are packed again once there is one.
const LEVEL: i32 = 1;

/// A shorter body has little that repeats, and packing it takes as long as packing a pod with a dictionary.
const BYTES_MIN_WITHOUT_DICTIONARY: usize = 1 << 10;

impl Codec {
    pub(crate) fn new(pool: Arc<PackPool>, dictionary: Option<Dictionary>) -> Codec {
        Codec { pool, dictionary }
    }

    /// The same contexts with another dictionary.
    pub(crate) fn with_dictionary(&self, dictionary: Dictionary) -> Codec {
        Codec::new(Arc::clone(&self.pool), Some(dictionary))
    }

    pub(crate) fn has_dictionary(&self) -> bool {
        self.dictionary.is_some()
    }

    /// How many bytes its dictionary takes.
    pub(crate) fn dictionary_bytes(&self) -> usize {
        self.dictionary.as_ref().map_or(0, Dictionary::memory_bytes)
    }

    /// The bytes packed, if that takes at least a tenth off them; without a dictionary only if they are many.
    pub(super) fn pack(&self, raw: &[u8]) -> Option<Box<[u8]>> {
        if self.dictionary.is_none() && raw.len() < BYTES_MIN_WITHOUT_DICTIONARY {
            return None;
        }
        let packed_max = raw.len() - raw.len().div_ceil(10);
        self.pool.with_compressor(|compressor| {
            // zstd gives up when it runs out of room: the bound on the gain is the room that it has.
            compressor.scratch.clear();
            compressor.scratch.resize(packed_max, 0);
            let (context, room) = (&mut compressor.context, compressor.scratch.as_mut_slice());
            let packed = match &self.dictionary {
                Some(dictionary) => context.compress_using_cdict(room, raw, dictionary.for_packing()),
                None => context.compress(room, raw, LEVEL),
            };
            packed.ok().map(|len| compressor.scratch[..len].into())
        })
    }

    /// Unpacks into all of `raw`.
    pub(crate) fn unpack(&self, packed: &[u8], raw: &mut [u8]) -> Result<(), UnpackError> {
        let unpacked = self.pool.with_decompressor(|context| match &self.dictionary {
            Some(dictionary) => context.decompress_using_ddict(raw, packed, dictionary.for_unpacking()),
            None => context.decompress(raw, packed),
        });
        if unpacked == Ok(raw.len()) { Ok(()) } else { Err(UnpackError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec() -> Codec {
        Codec::new(Arc::default(), None)
    }

    #[test]
    fn what_was_packed_comes_out_as_it_went_in() {
        let raw = br#"{"a":"b"}"#.repeat(200);
        let packed = codec().pack(&raw).unwrap();
        assert!(packed.len() < raw.len() / 10);
        let mut out = vec![0; raw.len()];
        assert_eq!(codec().unpack(&packed, &mut out), Ok(()));
        assert_eq!(out, raw);
    }

    #[test]
    fn a_body_that_gains_less_than_a_tenth_is_not_packed() {
        let mut noise = 1_u32;
        let raw: Vec<u8> = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        })
        .take(5_000)
        .collect();
        assert_eq!(codec().pack(&raw), None);
        assert_eq!(codec().pack(b""), None);
        assert_eq!(codec().pack(b"}"), None);
    }

    #[test]
    fn a_packed_body_never_unpacks_into_more_or_less_than_its_raw_length() {
        let raw = vec![b'x'; 2_000];
        let packed = codec().pack(&raw).unwrap();
        for length in [0, 1_999, 2_001] {
            assert_eq!(codec().unpack(&packed, &mut vec![0; length]), Err(UnpackError), "{length}");
        }
        assert_eq!(codec().unpack(b"no frame", &mut [0; 10]), Err(UnpackError));
        assert_eq!(codec().unpack(&packed[..packed.len() - 1], &mut vec![0; 2_000]), Err(UnpackError));
    }

    #[test]
    fn a_short_body_is_not_packed_without_a_dictionary() {
        let short = [b'x'; BYTES_MIN_WITHOUT_DICTIONARY - 1];
        assert_eq!(codec().pack(&short), None);
        assert!(codec().pack(&[b'x'; BYTES_MIN_WITHOUT_DICTIONARY]).is_some());
    }
}
