//! zstd, with or without a dictionary. A packed body holds its codec, so that a dictionary lives as long as the last
//! body that was packed with it.

use std::sync::Arc;

use super::{Dictionary, PackPool};

/// Packs and unpacks bodies.
#[derive(Debug)]
pub(crate) struct Codec {
    pool: Arc<PackPool>,
    dictionary: Option<Dictionary>,
}

/// The packed bytes are invalid, or have another length.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnpackError;

/// The compression level without a dictionary. It is the fastest, because such bodies are repacked once there is a
/// dictionary.
const LEVEL: i32 = 1;

/// A shorter body has few repetitions, and to pack it takes as long as to pack a pod with a dictionary.
const BYTES_MIN_WITHOUT_DICTIONARY: usize = 1 << 10;

impl Codec {
    pub(crate) fn new(pool: Arc<PackPool>, dictionary: Option<Dictionary>) -> Codec {
        Codec { pool, dictionary }
    }

    /// A codec with the same contexts and another dictionary.
    pub(crate) fn with_dictionary(&self, dictionary: Dictionary) -> Codec {
        Codec::new(Arc::clone(&self.pool), Some(dictionary))
    }

    pub(crate) fn has_dictionary(&self) -> bool {
        self.dictionary.is_some()
    }

    /// The memory of its dictionary.
    pub(crate) fn dictionary_bytes(&self) -> usize {
        self.dictionary.as_ref().map_or(0, Dictionary::memory_bytes)
    }

    /// The packed bytes, if that saves at least a tenth. Without a dictionary, only long bodies are packed.
    pub(super) fn pack(&self, raw: &[u8]) -> Option<Box<[u8]>> {
        if self.dictionary.is_none() && raw.len() < BYTES_MIN_WITHOUT_DICTIONARY {
            return None;
        }
        let packed_max = raw.len() - raw.len().div_ceil(10);
        self.pool.with_compressor(|compressor| {
            // zstd fails if the output does not fit, so that the length of the buffer enforces the saving.
            compressor.scratch.clear();
            compressor.scratch.resize(packed_max, 0);
            let (context, output) = (&mut compressor.context, compressor.scratch.as_mut_slice());
            let packed = match &self.dictionary {
                Some(dictionary) => context.compress_using_cdict(output, raw, dictionary.for_packing()),
                None => context.compress(output, raw, LEVEL),
            };
            packed.ok().map(|len| compressor.scratch[..len].into())
        })
    }

    /// Unpacks into `raw`, which must have the exact length.
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
    fn a_body_unpacks_to_the_packed_bytes() {
        let raw = br#"{"a":"b"}"#.repeat(200);
        let packed = codec().pack(&raw).unwrap();
        assert!(packed.len() < raw.len() / 10);
        let mut out = vec![0; raw.len()];
        assert_eq!(codec().unpack(&packed, &mut out), Ok(()));
        assert_eq!(out, raw);
    }

    #[test]
    fn a_body_that_saves_less_than_a_tenth_is_not_packed() {
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
