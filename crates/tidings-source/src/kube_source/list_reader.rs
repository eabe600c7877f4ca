//! Reads one page of a list while it arrives: each item becomes an object as soon as its last byte has arrived.

use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use futures_util::stream::{self, StreamExt as _};
use http::header::HeaderMap;
use tidings_object::{Intake, IntakeError, KnownObjects};

use super::body_chunks::BodyChunks;
use super::response::OpenResponse;
use crate::error::transport;
use crate::wire::list_head::ListHeadError;
use crate::wire::{ListSplitError, ListSplitter, excerpt};
use crate::{ErrorKind, ListPart, ListStream, Skipped, SourceError};

/// Reads one page.
pub(super) struct ListReader {
    request: String,
    headers: HeaderMap,
    chunks: BodyChunks,
    /// Bytes that have arrived and are not split yet.
    chunk: Bytes,
    /// `None` after the end of the page, or after an error.
    splitter: Option<ListSplitter>,
    intake: Arc<Intake>,
    known: Arc<dyn KnownObjects>,
}

impl ListReader {
    pub(super) fn new(
        request: String,
        OpenResponse { headers, chunks, .. }: OpenResponse,
        splitter: ListSplitter,
        intake: Arc<Intake>,
        known: Arc<dyn KnownObjects>,
    ) -> ListReader {
        ListReader { request, headers, chunks, chunk: Bytes::new(), splitter: Some(splitter), intake, known }
    }

    pub(super) fn into_stream(self) -> ListStream {
        stream::unfold(self, |mut reader| async move {
            let part = reader.next().await?;
            Some((part, reader))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<ListPart, SourceError>> {
        self.splitter.as_ref()?;
        let part = self.part().await;
        if !matches!(part, Ok(ListPart::Object(_) | ListPart::Skipped(_))) {
            self.splitter = None;
        }
        Some(part.map_err(|kind| SourceError { request: self.request.clone(), kind }))
    }

    async fn part(&mut self) -> Result<ListPart, ErrorKind> {
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

    fn split_chunk(&mut self) -> Result<Option<ListPart>, ErrorKind> {
        let splitter = self.splitter.as_mut().expect("the page has not ended");
        let mut rest: &[u8] = &self.chunk;
        let number = splitter.items();
        let part = match splitter.next(&mut rest) {
            Ok(None) => None,
            Ok(Some(item)) => Some(match item.object(&self.intake, &*self.known) {
                Ok(object) => ListPart::Object(object),
                Err(error @ IntakeError::Malformed(_)) => {
                    let message = transport::message(&error);
                    return Err(ErrorKind::Malformed(format!("item {number}: {message}")));
                }
                Err(error) => ListPart::Skipped(Skipped::Object(error)),
            }),
            Err(error) => return Err(split_error_kind(error, &self.headers, &self.chunk)),
        };
        let consumed = self.chunk.len() - rest.len();
        self.chunk.advance(consumed);
        Ok(part)
    }

    fn end(&mut self) -> Result<ListPart, ErrorKind> {
        let splitter = self.splitter.take().expect("a page ends once");
        match splitter.finish() {
            Ok(end) => Ok(ListPart::End(end)),
            Err(error) => Err(split_error_kind(error, &self.headers, &[])),
        }
    }
}

fn split_error_kind(error: ListSplitError, headers: &HeaderMap, chunk: &[u8]) -> ErrorKind {
    match error {
        ListSplitError::ItemTooLarge { limit_bytes } => ErrorKind::FrameTooLarge { limit_bytes },
        ListSplitError::Truncated { items } => ErrorKind::Truncated { objects: items },
        ListSplitError::NotAList => {
            ErrorKind::Malformed(format!("expected a list, got {}", excerpt::of_body(headers, chunk)))
        }
        ListSplitError::Head(ListHeadError::Status(status)) => ErrorKind::Status(status),
        ListSplitError::Head(error) => ErrorKind::Malformed(error.to_string()),
        error @ ListSplitError::Malformed { .. } => ErrorKind::Malformed(error.to_string()),
    }
}
