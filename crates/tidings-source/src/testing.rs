//! Helpers of several unit tests.

pub(crate) mod protobuf_fields;

use proptest::sample::Index;

/// `body` cut into chunks at these offsets.
pub(crate) fn chunks<'a>(body: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
    cuts.sort_unstable();
    let mut chunks = Vec::new();
    let mut start = 0;
    for cut in cuts {
        chunks.push(&body[start..cut]);
        start = cut;
    }
    chunks.push(&body[start..]);
    chunks
}
