//! Cuts the body of a watch into frames: one JSON object a line, as API servers write them. Blank lines are
//! passed over; two objects on one line, or one on two, are malformed. A frame that arrived in one chunk is
//! lent from it and otherwise copied once, into a buffer that never outgrows `frame_bytes_max`.

use memchr::memchr;

use super::value_end::trim_start;
use crate::frames::FrameError;
use crate::held::{Found, Held};

/// Cuts one body.
#[derive(Debug)]
pub(crate) struct Frames {
    frame_bytes_max: usize,
    /// The beginning of a line whose end has not come, without leading white space.
    held: Held,
}

impl Frames {
    pub(crate) fn new(frame_bytes_max: usize) -> Frames {
        Frames { frame_bytes_max, held: Held::default() }
    }

    /// The next frame that ends within `input`, which is moved past it; `None` when more must come.
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, FrameError> {
        let found = self.find(input)?;
        Ok(found.map(|found| self.held.lend(found)))
    }

    /// What is left when the body has ended: a last frame without a line end, or the beginning of one.
    pub(crate) fn rest(&mut self) -> Option<&[u8]> {
        self.held.give_back();
        self.held.rest()
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<Found<'i>>, FrameError> {
        self.held.give_back();
        if self.held.is_empty() {
            *input = trim_start(input);
        }
        let Some(first) = self.held.first().or(input.first().copied()) else { return Ok(None) };
        if first != b'{' {
            return Err(FrameError::NotAFrame);
        }
        let line_end = memchr(b'\n', input);
        let (line, rest) = input.split_at(line_end.unwrap_or(input.len()));
        *input = rest;
        if self.held.len() + line.len() > self.frame_bytes_max {
            return Err(FrameError::TooLarge { limit_bytes: self.frame_bytes_max });
        }
        if line_end.is_none() {
            self.held.extend(line);
            return Ok(None);
        }
        Ok(Some(self.held.complete(line)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frames of a body that comes in these chunks, then what is left.
    fn cut(chunks: &[&[u8]], limit: usize) -> Result<(Vec<String>, String), FrameError> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut frames = Frames::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            while let Some(frame) = frames.next(&mut input)? {
                found.push(text(frame));
            }
            assert!(input.is_empty());
        }
        Ok((found, frames.rest().map(text).unwrap_or_default()))
    }

    fn body(frames: &[&str], rest: &str) -> Result<(Vec<String>, String), FrameError> {
        Ok((frames.iter().map(|frame| (*frame).to_owned()).collect(), rest.to_owned()))
    }

    #[test]
    fn a_frame_is_a_line_and_blank_lines_are_none() {
        assert_eq!(cut(&[b"{1}\n{2}\r\n\n \n{3"], 9), body(&["{1}", "{2}\r"], "{3"));
        assert_eq!(cut(&[b"{", b"1}", b"\n", b"\n"], 9), body(&["{1}"], ""));
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_before_it_is_held() {
        assert_eq!(cut(&[b"{1234}\n"], 6), body(&["{1234}"], ""));
        assert_eq!(cut(&[b"{1234}\n"], 5), Err(FrameError::TooLarge { limit_bytes: 5 }));
        let mut frames = Frames::new(1000);
        let endless = [b'{'; 100];
        let refused = (0..100).find(|_| frames.next(&mut &endless[..]).is_err());
        assert_eq!(refused, Some(10));
        assert!(frames.held.len() <= 1000);
    }

    #[test]
    fn a_body_that_is_no_json_is_refused_at_its_first_byte() {
        assert_eq!(cut(&[b"  <!DOCTYPE html>"], 9), Err(FrameError::NotAFrame));
        assert_eq!(cut(&[b"{1}\n", b"x"], 9), Err(FrameError::NotAFrame));
    }

    proptest! {
        #[test]
        fn frames_are_the_same_however_the_body_is_cut(
            lines in prop::collection::vec("(\\{[a-z ]{0,12})?[\r ]?", 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let body = lines.join("\n").into_bytes();
            let chunks = crate::testing::chunks(&body, &cuts);
            prop_assert_eq!(cut(&chunks, 10), cut(&[&body], 10));
        }
    }
}
