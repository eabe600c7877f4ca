//! One page of a list, while it arrives: each item becomes an object as soon as its last byte is there.

use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use futures_util::stream::{self, StreamExt as _};
use http::header::HeaderMap;
use tidings_object::{Intake, IntakeError, KnownObjects};

use super::answer::Answer;
use super::chunks::Chunks;
use crate::list_head::Wrong;
use crate::list_split::{ListSplit, SplitError};
use crate::{ListPart, ListStream, Skipped, SourceError, Trouble, excerpt, network};

/// Reads one page.
pub(super) struct Listing {
    asked: String,
    headers: HeaderMap,
    chunks: Chunks,
    /// What came and is not split yet.
    chunk: Bytes,
    /// `None` once the page has ended, well or not.
    split: Option<ListSplit>,
    intake: Arc<Intake>,
    known: Arc<dyn KnownObjects>,
}

impl Listing {
    pub(super) fn new(
        asked: String,
        Answer { headers, chunks, .. }: Answer,
        split: ListSplit,
        intake: Arc<Intake>,
        known: Arc<dyn KnownObjects>,
    ) -> Listing {
        Listing { asked, headers, chunks, chunk: Bytes::new(), split: Some(split), intake, known }
    }

    pub(super) fn into_stream(self) -> ListStream {
        stream::unfold(self, |mut listing| async move {
            let part = listing.next().await?;
            Some((part, listing))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<ListPart, SourceError>> {
        self.split.as_ref()?;
        let part = self.part().await;
        if !matches!(part, Ok(ListPart::Object(_) | ListPart::Skipped(_))) {
            self.split = None;
        }
        Some(part.map_err(|trouble| SourceError { asked: self.asked.clone(), trouble }))
    }

    async fn part(&mut self) -> Result<ListPart, Trouble> {
        loop {
            if let Some(part) = self.split_chunk()? {
                return Ok(part);
            }
            match self.chunks.next().await? {
                Some(chunk) => self.chunk = chunk,
                None => return self.end(),
            }
        }
    }

    fn split_chunk(&mut self) -> Result<Option<ListPart>, Trouble> {
        let split = self.split.as_mut().expect("a page that has not ended is split");
        let mut rest: &[u8] = &self.chunk;
        let number = split.items();
        let part = match split.next(&mut rest) {
            Ok(None) => None,
            Ok(Some(item)) => Some(match item.object(&self.intake, &*self.known) {
                Ok(object) => ListPart::Object(object),
                Err(error @ IntakeError::Malformed(_)) => {
                    let message = network::message(&error);
                    return Err(Trouble::Malformed(format!("item {number}: {message}")));
                }
                Err(error) => ListPart::Skipped(Skipped::Object(error)),
            }),
            Err(error) => return Err(trouble(error, &self.headers, &self.chunk)),
        };
        let done = self.chunk.len() - rest.len();
        self.chunk.advance(done);
        Ok(part)
    }

    fn end(&mut self) -> Result<ListPart, Trouble> {
        let split = self.split.take().expect("a page ends once");
        match split.finish() {
            Ok(end) => Ok(ListPart::End(end)),
            Err(error) => Err(trouble(error, &self.headers, &[])),
        }
    }
}

fn trouble(error: SplitError, headers: &HeaderMap, chunk: &[u8]) -> Trouble {
    match error {
        SplitError::ItemTooLarge { limit_bytes } => Trouble::FrameTooLarge { limit_bytes },
        SplitError::Truncated { items } => Trouble::Truncated { objects: items },
        SplitError::NotAList => {
            Trouble::Malformed(format!("expected a list, got {}", excerpt::of_body(headers, chunk)))
        }
        SplitError::Wrong(Wrong::Status(status)) => Trouble::Status(status),
        SplitError::Wrong(wrong) => Trouble::Malformed(wrong.to_string()),
        error @ SplitError::Malformed { .. } => Trouble::Malformed(error.to_string()),
    }
}
