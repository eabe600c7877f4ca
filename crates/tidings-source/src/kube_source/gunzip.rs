//! Decompresses a gzip stream as it arrives, in steps of bounded size. A stream may have any number of members:
//! Kubernetes 1.37 sends a streaming list as one member for each flush.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::write::MultiGzDecoder;

/// How many compressed bytes one step takes. Deflate expands data at most 1032 times, so that one step produces at most
/// about 4 MiB.
const STEP_BYTES: usize = 4096;

/// Decompresses one body.
pub(crate) struct Gunzip {
    decoder: MultiGzDecoder<Vec<u8>>,
    compressed: Bytes,
    is_empty: bool,
}

impl Gunzip {
    pub(crate) fn new() -> Gunzip {
        Gunzip { decoder: MultiGzDecoder::new(Vec::new()), compressed: Bytes::new(), is_empty: true }
    }

    /// Takes a chunk of compressed bytes. [`next`](Self::next) must have consumed the previous chunk.
    pub(crate) fn push(&mut self, compressed: Bytes) {
        debug_assert!(self.compressed.is_empty(), "the previous chunk is consumed");
        self.compressed = compressed;
    }

    /// Decompresses more of the pushed chunk; `None` when all of it is consumed.
    pub(crate) fn next(&mut self) -> io::Result<Option<Bytes>> {
        while !self.compressed.is_empty() {
            self.is_empty = false;
            let step = self.compressed.split_to(self.compressed.len().min(STEP_BYTES));
            self.decoder.write_all(&step)?;
            // The content of a member must be available before the next member arrives.
            self.decoder.flush()?;
            let decompressed = std::mem::take(self.decoder.get_mut());
            if !decompressed.is_empty() {
                return Ok(Some(decompressed.into()));
            }
        }
        Ok(None)
    }

    /// Checks that the stream ended between two members, and returns the last decompressed bytes.
    pub(crate) fn finish(&mut self) -> io::Result<Bytes> {
        if !self.is_empty {
            self.decoder.try_finish()?;
        }
        Ok(std::mem::take(self.decoder.get_mut()).into())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(gunzip: &mut Gunzip, packed: &[u8]) -> io::Result<Vec<u8>> {
        gunzip.push(Bytes::copy_from_slice(packed));
        let mut all = Vec::new();
        while let Some(bytes) = gunzip.next()? {
            assert!(bytes.len() <= STEP_BYTES * 1100);
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }

    #[test]
    fn each_member_is_available_as_soon_as_it_has_arrived() {
        let mut gunzip = Gunzip::new();
        assert_eq!(unpack(&mut gunzip, &gzip(b"one")).unwrap(), b"one");
        assert_eq!(unpack(&mut gunzip, &gzip(b"two")).unwrap(), b"two");
        let both = [gzip(b"three"), gzip(b""), gzip(b"four")].concat();
        assert_eq!(unpack(&mut gunzip, &both).unwrap(), b"threefour");
        assert_eq!(gunzip.finish().unwrap(), Bytes::new());
    }

    #[test]
    fn what_is_flushed_is_available_before_its_member_ends() {
        let (mut gunzip, mut encoder) = (Gunzip::new(), GzEncoder::new(Vec::new(), Compression::fast()));
        for event in [&b"one"[..], b"two", b"three"] {
            encoder.write_all(event).unwrap();
            encoder.flush().unwrap();
            let flushed = std::mem::take(encoder.get_mut());
            assert_eq!(unpack(&mut gunzip, &flushed).unwrap(), event);
        }
    }

    #[test]
    fn a_stream_decompresses_the_same_however_it_is_cut() {
        let packed = [gzip(b"first member"), gzip(b"second member")].concat();
        for size in 1..packed.len() {
            let mut gunzip = Gunzip::new();
            let mut all = Vec::new();
            for chunk in packed.chunks(size) {
                all.extend(unpack(&mut gunzip, chunk).unwrap());
            }
            all.extend(gunzip.finish().unwrap());
            assert_eq!(all, b"first membersecond member", "chunks of {size}");
        }
    }

    #[test]
    fn a_stream_that_ends_within_a_member_is_an_error() {
        let packed = gzip(b"something");
        let mut gunzip = Gunzip::new();
        unpack(&mut gunzip, &packed[..packed.len() - 1]).unwrap();
        assert!(gunzip.finish().is_err());
        assert!(Gunzip::new().finish().unwrap().is_empty());
        assert!(unpack(&mut Gunzip::new(), b"no gzip at all").is_err());
    }

    #[test]
    fn a_gzip_bomb_is_decompressed_in_bounded_steps() {
        let bomb = gzip(&vec![0; 32 << 20]);
        assert_eq!(unpack(&mut Gunzip::new(), &bomb).unwrap().len(), 32 << 20);
    }
}
