//! Reads one watch while it lasts: each frame becomes an event as soon as its last byte has arrived.

use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use futures_util::stream::{self, StreamExt as _};
use http::header::HeaderMap;
use tidings_object::{Intake, KnownObjects};

use super::body_chunks::BodyChunks;
use super::response::OpenResponse;
use crate::error::transport;
use crate::wire::event_reader::EventReader;
use crate::wire::{FrameError, FrameSplitter, excerpt};
use crate::{ErrorKind, SourceError, WatchEvent, WatchStream};

/// Reads one watch.
pub(super) struct WatchReader {
    request: String,
    headers: HeaderMap,
    chunks: BodyChunks,
    /// Bytes that have arrived and are not split yet.
    chunk: Bytes,
    /// `None` after the end of the watch, or after an error.
    splitter: Option<FrameSplitter>,
    has_begun: bool,
    events: EventReader,
}

impl WatchReader {
    pub(super) fn new(
        request: String,
        OpenResponse { headers, wire, chunks }: OpenResponse,
        frame_bytes_max: usize,
        intake: Arc<Intake>,
        known: Arc<dyn KnownObjects>,
    ) -> WatchReader {
        WatchReader {
            request,
            headers,
            chunks,
            chunk: Bytes::new(),
            splitter: Some(FrameSplitter::new(wire, frame_bytes_max)),
            has_begun: false,
            events: EventReader::new(wire, intake, known),
        }
    }

    pub(super) fn into_stream(self) -> WatchStream {
        stream::unfold(self, |mut reader| async move {
            let event = reader.next().await?;
            Some((event, reader))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<WatchEvent, SourceError>> {
        self.splitter.as_ref()?;
        let event = self.event().await.transpose()?;
        if event.is_err() {
            self.splitter = None;
        }
        Some(event.map_err(|kind| SourceError { request: self.request.clone(), kind }))
    }

    async fn event(&mut self) -> Result<Option<WatchEvent>, ErrorKind> {
        loop {
            if let Some(event) = self.split_chunk()? {
                return Ok(Some(event));
            }
            match self.chunks.next().await? {
                Some(chunk) => self.chunk = chunk,
                None => return self.end(),
            }
        }
    }

    fn split_chunk(&mut self) -> Result<Option<WatchEvent>, ErrorKind> {
        let splitter = self.splitter.as_mut().expect("the watch has not ended");
        let mut rest: &[u8] = &self.chunk;
        let event = match splitter.next(&mut rest) {
            Ok(None) => None,
            Ok(Some(frame)) => {
                Some(self.events.read(frame).map_err(|e| ErrorKind::Malformed(transport::message(&e)))?)
            }
            Err(FrameError::TooLarge { limit_bytes }) => {
                return Err(ErrorKind::FrameTooLarge { limit_bytes });
            }
            // Later in the stream the bytes may be a part of an object, which must not be quoted.
            Err(error) => {
                return Err(ErrorKind::Malformed(if self.has_begun {
                    error.to_string()
                } else {
                    format!("expected a watch, got {}", excerpt::of_body(&self.headers, &self.chunk))
                }));
            }
        };
        let consumed = self.chunk.len() - rest.len();
        self.chunk.advance(consumed);
        self.has_begun |= event.is_some();
        Ok(event)
    }

    /// The bytes that are left may be a whole frame.
    fn end(&mut self) -> Result<Option<WatchEvent>, ErrorKind> {
        let mut splitter = self.splitter.take().expect("a watch ends once");
        let event = match splitter.rest() {
            Ok(None) => return Ok(None),
            Ok(Some(rest)) => self.events.read(rest).ok(),
            Err(_) => None,
        };
        event.map(Some).ok_or_else(|| ErrorKind::Network {
            message: FrameError::Truncated.to_string(),
            is_refused: false,
        })
    }
}
