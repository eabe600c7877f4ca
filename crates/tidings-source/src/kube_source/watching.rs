//! One watch, while it lasts: each frame becomes an event as soon as its last byte is there.

use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use futures_util::stream::{self, StreamExt as _};
use http::header::HeaderMap;
use tidings_object::{Intake, KnownObjects};

use super::answer::Answer;
use super::chunks::Chunks;
use crate::event::EventReader;
use crate::frames::{FrameError, Frames};
use crate::{SourceError, Trouble, WatchEvent, WatchStream, excerpt, network};

/// Reads one watch.
pub(super) struct Watching {
    asked: String,
    headers: HeaderMap,
    chunks: Chunks,
    /// What came and is not cut yet.
    chunk: Bytes,
    /// `None` once the watch has ended, well or not.
    frames: Option<Frames>,
    has_begun: bool,
    events: EventReader,
}

impl Watching {
    pub(super) fn new(
        asked: String,
        Answer { headers, wire, chunks }: Answer,
        frame_bytes_max: usize,
        intake: Arc<Intake>,
        known: Arc<dyn KnownObjects>,
    ) -> Watching {
        Watching {
            asked,
            headers,
            chunks,
            chunk: Bytes::new(),
            frames: Some(Frames::new(wire, frame_bytes_max)),
            has_begun: false,
            events: EventReader::new(wire, intake, known),
        }
    }

    pub(super) fn into_stream(self) -> WatchStream {
        stream::unfold(self, |mut watching| async move {
            let event = watching.next().await?;
            Some((event, watching))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<WatchEvent, SourceError>> {
        self.frames.as_ref()?;
        let event = self.event().await.transpose()?;
        if event.is_err() {
            self.frames = None;
        }
        Some(event.map_err(|trouble| SourceError { asked: self.asked.clone(), trouble }))
    }

    async fn event(&mut self) -> Result<Option<WatchEvent>, Trouble> {
        loop {
            if let Some(event) = self.cut_chunk()? {
                return Ok(Some(event));
            }
            match self.chunks.next().await? {
                Some(chunk) => self.chunk = chunk,
                None => return self.end(),
            }
        }
    }

    fn cut_chunk(&mut self) -> Result<Option<WatchEvent>, Trouble> {
        let frames = self.frames.as_mut().expect("a watch that has not ended is cut");
        let mut rest: &[u8] = &self.chunk;
        let event = match frames.next(&mut rest) {
            Ok(None) => None,
            Ok(Some(frame)) => {
                Some(self.events.read(frame).map_err(|e| Trouble::Malformed(network::message(&e)))?)
            }
            Err(FrameError::TooLarge { limit_bytes }) => return Err(Trouble::FrameTooLarge { limit_bytes }),
            // Later in the stream it may be a part of an object, which is not to be quoted.
            Err(error) => {
                return Err(Trouble::Malformed(if self.has_begun {
                    error.to_string()
                } else {
                    format!("expected a watch, got {}", excerpt::of_body(&self.headers, &self.chunk))
                }));
            }
        };
        let done = self.chunk.len() - rest.len();
        self.chunk.advance(done);
        self.has_begun |= event.is_some();
        Ok(event)
    }

    /// What is left may be a whole frame.
    fn end(&mut self) -> Result<Option<WatchEvent>, Trouble> {
        let mut frames = self.frames.take().expect("a watch ends once");
        let event = match frames.rest() {
            Ok(None) => return Ok(None),
            Ok(Some(rest)) => self.events.read(rest).ok(),
            Err(_) => None,
        };
        event
            .map(Some)
            .ok_or_else(|| Trouble::Network { message: FrameError::CutOff.to_string(), is_refused: false })
    }
}
