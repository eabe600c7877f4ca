//! Splits the body of a watch into frames: one JSON object per line, as API servers write them.
//!
//! Blank lines are skipped. Two objects on one line, or one object on two lines, are an error of the frame's reader.

use memchr::memchr;

use super::white_space::trim_start;
use crate::wire::FrameError;
use crate::wire::partial_buffer::{CompleteBytes, PartialBuffer};

/// Splits one body.
#[derive(Debug)]
pub(crate) struct JsonFrameSplitter {
    frame_bytes_max: usize,
    /// The first part of a line whose end has not arrived, without leading white space.
    partial: PartialBuffer,
}

impl JsonFrameSplitter {
    pub(crate) fn new(frame_bytes_max: usize) -> JsonFrameSplitter {
        JsonFrameSplitter { frame_bytes_max, partial: PartialBuffer::default() }
    }

    /// See [`FrameSplitter::next`](crate::wire::FrameSplitter::next).
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, FrameError> {
        let complete = self.find(input)?;
        Ok(complete.map(|complete| self.partial.bytes(complete)))
    }

    /// The bytes that are left at the end of the body: a last frame without a line end, or the first part of one.
    pub(crate) fn rest(&mut self) -> Option<&[u8]> {
        self.partial.clear_if_complete();
        self.partial.rest()
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<CompleteBytes<'i>>, FrameError> {
        self.partial.clear_if_complete();
        if self.partial.is_empty() {
            *input = trim_start(input);
        }
        let Some(first) = self.partial.first().or(input.first().copied()) else { return Ok(None) };
        if first != b'{' {
            return Err(FrameError::NotAFrame);
        }
        let line_end = memchr(b'\n', input);
        let (line, rest) = input.split_at(line_end.unwrap_or(input.len()));
        *input = rest;
        if self.partial.len() + line.len() > self.frame_bytes_max {
            return Err(FrameError::TooLarge { limit_bytes: self.frame_bytes_max });
        }
        if line_end.is_none() {
            self.partial.extend(line);
            return Ok(None);
        }
        Ok(Some(self.partial.complete(line)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frames of a body that arrives in these chunks, then what is left.
    fn split(chunks: &[&[u8]], limit: usize) -> Result<(Vec<String>, String), FrameError> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut splitter = JsonFrameSplitter::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            while let Some(frame) = splitter.next(&mut input)? {
                found.push(text(frame));
            }
            assert!(input.is_empty());
        }
        Ok((found, splitter.rest().map(text).unwrap_or_default()))
    }

    fn body(frames: &[&str], rest: &str) -> Result<(Vec<String>, String), FrameError> {
        Ok((frames.iter().map(|frame| (*frame).to_owned()).collect(), rest.to_owned()))
    }

    #[test]
    fn each_line_is_a_frame_and_blank_lines_are_skipped() {
        assert_eq!(split(&[b"{1}\n{2}\r\n\n \n{3"], 9), body(&["{1}", "{2}\r"], "{3"));
        assert_eq!(split(&[b"{", b"1}", b"\n", b"\n"], 9), body(&["{1}"], ""));
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_before_it_is_buffered() {
        assert_eq!(split(&[b"{1234}\n"], 6), body(&["{1234}"], ""));
        assert_eq!(split(&[b"{1234}\n"], 5), Err(FrameError::TooLarge { limit_bytes: 5 }));
        let mut splitter = JsonFrameSplitter::new(1000);
        let endless = [b'{'; 100];
        let refused = (0..100).find(|_| splitter.next(&mut &endless[..]).is_err());
        assert_eq!(refused, Some(10));
        assert!(splitter.partial.len() <= 1000);
    }

    #[test]
    fn a_body_that_is_not_json_is_refused_at_its_first_byte() {
        assert_eq!(split(&[b"  <!DOCTYPE html>"], 9), Err(FrameError::NotAFrame));
        assert_eq!(split(&[b"{1}\n", b"x"], 9), Err(FrameError::NotAFrame));
    }

    proptest! {
        #[test]
        fn frames_are_the_same_however_the_body_is_cut(
            lines in prop::collection::vec("(\\{[a-z ]{0,12})?[\r ]?", 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let body = lines.join("\n").into_bytes();
            let chunks = crate::testing::chunks(&body, &cuts);
            prop_assert_eq!(split(&chunks, 10), split(&[&body], 10));
        }
    }
}
