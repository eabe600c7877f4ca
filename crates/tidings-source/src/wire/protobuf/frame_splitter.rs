//! Splits the body of a watch into frames: a length of four bytes in big-endian order, then as many bytes.
//!
//! The buffer never grows beyond `frame_bytes_max`, whatever length the server announces.

use super::envelope::MAGIC;
use crate::wire::FrameError;
use crate::wire::partial_buffer::{CompleteBytes, PartialBuffer};

/// Splits one body.
#[derive(Debug)]
pub(crate) struct ProtobufFrameSplitter {
    frame_bytes_max: usize,
    /// The length prefix of the next frame, of which `length_bytes` bytes have arrived.
    length: [u8; 4],
    length_bytes: usize,
    /// The first part of a frame whose end has not arrived.
    partial: PartialBuffer,
}

impl ProtobufFrameSplitter {
    pub(crate) fn new(frame_bytes_max: usize) -> ProtobufFrameSplitter {
        ProtobufFrameSplitter {
            frame_bytes_max,
            length: [0; 4],
            length_bytes: 0,
            partial: PartialBuffer::default(),
        }
    }

    /// See [`FrameSplitter::next`](crate::wire::FrameSplitter::next).
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, FrameError> {
        let complete = self.find(input)?;
        Ok(complete.map(|complete| self.partial.bytes(complete)))
    }

    /// Checks that nothing is left at the end of the body. Bytes that are left are never a whole frame.
    pub(crate) fn rest(&self) -> Result<(), FrameError> {
        if self.length_bytes == 0 { Ok(()) } else { Err(FrameError::Truncated) }
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<CompleteBytes<'i>>, FrameError> {
        self.partial.clear_if_complete();
        while self.length_bytes < self.length.len() {
            let Some((byte, rest)) = input.split_first() else { return Ok(None) };
            self.length[self.length_bytes] = *byte;
            self.length_bytes += 1;
            *input = rest;
        }
        let missing = self.checked_length()? - self.partial.len();
        let (bytes, rest) = input.split_at(missing.min(input.len()));
        *input = rest;
        if bytes.len() < missing {
            self.partial.extend(bytes);
            return Ok(None);
        }
        self.length_bytes = 0;
        Ok(Some(self.partial.complete(bytes)))
    }

    fn checked_length(&self) -> Result<usize, FrameError> {
        let length = usize::try_from(u32::from_be_bytes(self.length)).unwrap_or(usize::MAX);
        // Four bytes of text, or of a response that is not a watch, read as a length of half a gigabyte or more.
        let is_text = self.length.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        match length {
            0 => Err(FrameError::NotAFrame),
            _ if length <= self.frame_bytes_max => Ok(length),
            _ if is_text || self.length == MAGIC => Err(FrameError::NotAFrame),
            _ => Err(FrameError::TooLarge { limit_bytes: self.frame_bytes_max }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frames of a body that arrives in these chunks, then whether something is left.
    fn split(chunks: &[&[u8]], limit: usize) -> (Vec<Vec<u8>>, Result<(), FrameError>) {
        let mut splitter = ProtobufFrameSplitter::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            loop {
                match splitter.next(&mut input) {
                    Ok(Some(frame)) => found.push(frame.to_vec()),
                    Ok(None) => break,
                    Err(error) => return (found, Err(error)),
                }
            }
            assert!(input.is_empty());
        }
        (found, splitter.rest())
    }

    fn body(frames: &[Vec<u8>]) -> Vec<u8> {
        let framed =
            |frame: &Vec<u8>| [&u32::try_from(frame.len()).unwrap().to_be_bytes(), &**frame].concat();
        frames.iter().flat_map(framed).collect()
    }

    #[test]
    fn a_frame_has_the_length_of_its_prefix() {
        let frames = [b"a".to_vec(), b"bc\n".to_vec(), vec![0; 300]];
        let body = body(&frames);
        for cut_at in 0..=body.len() {
            let (first, second) = body.split_at(cut_at);
            assert_eq!(split(&[first, second], 300), (frames.to_vec(), Ok(())), "cut at {cut_at}");
        }
    }

    #[test]
    fn a_body_that_ends_within_a_frame_is_truncated() {
        let frames = [b"a".to_vec(), b"bc".to_vec()];
        let body = body(&frames);
        for length in 0..body.len() {
            let whole = match length {
                0..5 => 0,
                _ => 1,
            };
            let rest = if [0, 5].contains(&length) { Ok(()) } else { Err(FrameError::Truncated) };
            assert_eq!(split(&[&body[..length]], 9), (frames[..whole].to_vec(), rest), "{length} bytes");
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_before_it_is_buffered() {
        assert_eq!(split(&[&[0, 0, 0, 3], b"abc"], 3).1, Ok(()));
        for chunks in [&[&[0, 0, 0, 4][..], b"abcd"][..], &[&[0xff; 4]], &[&[0, 1, 0, 0], &[7; 99]]] {
            assert_eq!(split(chunks, 3), (vec![], Err(FrameError::TooLarge { limit_bytes: 3 })));
        }
    }

    #[test]
    fn a_length_of_zero_or_text_is_not_a_frame() {
        for body in [&[0; 4][..], b"<!DOCTYPE html>", b"{\"type\":\"ADDED\"}", b"k8s\0\n\x0c\n\x02v1"] {
            assert_eq!(split(&[body], 1 << 20), (vec![], Err(FrameError::NotAFrame)));
        }
    }

    proptest! {
        #[test]
        fn frames_are_the_same_however_the_body_is_cut(
            frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 0..6),
            garbage in prop::collection::vec(any::<u8>(), 0..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let body = [body(&frames), garbage].concat();
            let chunks = crate::testing::chunks(&body, &cuts);
            prop_assert_eq!(split(&chunks, 16), split(&[&body], 16));
        }
    }
}
