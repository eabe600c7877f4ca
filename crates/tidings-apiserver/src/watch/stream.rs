//! The response body of a watch: reads the store, asks the cursor what to do, waits, and sends frames.
//!
//! A watch has no task: the client drives it by polling the body. A frame is encoded once and shared by all watchers
//! that send the same event. Several small frames that are ready at the same time are sent as one chunk.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use std::vec;

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use tokio::time::{Instant, sleep_until};

use super::WatchRequest;
use super::batching::EventBatching;
use super::cursor::{WatchAction, WatchCursor, WatchEventType, WatchInput, WatchPhase};
use super::initial_state::InitialState;
use crate::body::{self, ResponseBody};
use crate::fault::{Ending, FrameOutcome};
use crate::server::Core;
use crate::status::ApiError;
use crate::store::{
    EventFrameKey, HistoryRead, KeyRange, ObjectChange, StoredObject, WatchRead, WatchSubscription,
};
use crate::wire::{EncodeError, EventPosition, ObjectEncoder};
use tidings_util::watch::Receiver;

/// The largest number of changes per read of the store.
const CHANGES_AT_ONCE: usize = 256;

/// The size up to which ready frames are joined into one chunk.
const CHUNK_BYTES: usize = 64 << 10;

/// How long before its timeout a watch sends a last bookmark, so that the client can resume from a recent version.
const LAST_BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);

/// The annotation of the bookmark after the initial events.
const INITIAL_EVENTS_END: &str = r#"{"k8s.io/initial-events-end":"true"}"#;

pub(super) fn body(
    core: Arc<Core>,
    watch: WatchRequest,
    encoder: ObjectEncoder,
    opening: InitialState,
) -> ResponseBody {
    let watcher = WatchStream::open(core, watch, encoder, opening);
    body::streamed(stream::unfold(Some(watcher), |watcher| async {
        let mut watcher = watcher?;
        // Yields to other tasks now and then: this stream may always have more to send.
        tokio::task::coop::consume_budget().await;
        match watcher.chunk().await {
            Ok(chunk) => Some((Ok(chunk), Some(watcher))),
            Err(Ending::Clean) => None,
            Err(Ending::Broken | Ending::Stalled) => body::connection_lost().await,
        }
    }))
}

struct WatchStream {
    core: Arc<Core>,
    watch: WatchRequest,
    range: KeyRange,
    encoder: ObjectEncoder,
    cursor: WatchCursor,
    subscription: WatchSubscription,
    cuts: Receiver<()>,
    initial: vec::IntoIter<Arc<StoredObject>>,
    /// The encoded events of the first of them.
    encoded: VecDeque<Bytes>,
    changes: VecDeque<Arc<ObjectChange>>,
    batching: EventBatching,
    /// Frames that are ready to send: bookmarks, errors, and frames from injected faults.
    ready: VecDeque<Bytes>,
    ending: Option<Ending>,
    bookmark_at: Instant,
    last_bookmark_at: Instant,
    end_at: Instant,
    position: EventPosition,
}

impl WatchStream {
    fn open(core: Arc<Core>, watch: WatchRequest, encoder: ObjectEncoder, opening: InitialState) -> Self {
        let InitialState { range, subscription, cursor, initial, encoded } = opening;
        let now = Instant::now();
        let timeout = core.watch_timeout(watch.options.timeout_seconds);
        let end_at = now + timeout;
        let bookmark_at = now + core.bookmark_interval();
        let last_bookmark_at = now + timeout.saturating_sub(LAST_BOOKMARK_BEFORE_END);
        let cuts = core.faults.cuts();
        let fault = watch.faults.opening(encoder.wire());
        let (ready, ending) = fault.map_or((Vec::new(), None), |(ready, end)| (ready, Some(end)));
        Self {
            core,
            watch,
            range,
            encoder,
            cursor,
            subscription,
            cuts,
            initial: initial.into_iter(),
            encoded,
            changes: VecDeque::new(),
            batching: EventBatching::new(now),
            ready: ready.into(),
            ending,
            bookmark_at,
            last_bookmark_at,
            end_at,
            position: EventPosition::First,
        }
    }

    /// The next frames, joined if several small ones are ready; or the ending of the stream.
    async fn chunk(&mut self) -> Result<Bytes, Ending> {
        let first = self.frame().await?;
        if first.len() >= CHUNK_BYTES / 4 || !self.has_more_ready() {
            return Ok(first);
        }
        // An estimate: frames of one resource have similar lengths.
        let frames = 2 + self.ready.len() + self.changes.len() + self.initial.len();
        let mut joined = BytesMut::with_capacity(frames.saturating_mul(first.len()).min(CHUNK_BYTES));
        joined.extend_from_slice(&first);
        while joined.len() < CHUNK_BYTES - CHUNK_BYTES / 4 && self.has_more_ready() {
            match self.ready_frame() {
                Some(Ok(frame)) => joined.extend_from_slice(&frame),
                Some(Err(ending)) => self.ending = Some(ending),
                None => break,
            }
        }
        Ok(joined.freeze())
    }

    fn has_more_ready(&self) -> bool {
        let is_running = self.ending.is_none() && self.watch.faults.is_empty();
        is_running && (!self.ready.is_empty() || !self.changes.is_empty() || self.initial.len() > 0)
    }

    /// The next frame, or the ending of the stream.
    async fn frame(&mut self) -> Result<Bytes, Ending> {
        loop {
            if let Some(delay) = self.watch.faults.delay() {
                tokio::time::sleep(delay).await;
            }
            self.check_end().await?;
            match self.ready_frame() {
                Some(Err(Ending::Stalled)) => return Err(self.stall().await),
                Some(frame) => return frame,
                None => self.look_for_more().await?,
            }
        }
    }

    /// Ends a stream that was cut or timed out, even if there is more to send.
    async fn check_end(&mut self) -> Result<(), Ending> {
        if self.cuts.has_changed() {
            return Err(self.cut().await);
        }
        let is_time_up = self.ending.is_none() && Instant::now() >= self.end_at;
        if is_time_up {
            let action = self.cursor.next(WatchInput::TimedOut);
            self.action(action);
        }
        Ok(())
    }

    /// A frame that can be sent without waiting; `None` if there is none.
    fn ready_frame(&mut self) -> Option<Result<Bytes, Ending>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(Ok(frame));
            }
            if let Some(ending) = self.ending {
                return Some(Err(ending));
            }
            let frame = self.next_event()?;
            match self.watch.faults.apply(frame, self.encoder.wire()) {
                FrameOutcome::Unchanged(frame) => return Some(Ok(frame)),
                FrameOutcome::Replaced(frames) => self.ready.extend(frames),
                FrameOutcome::ReplacedThenEnd(frames, ending) => {
                    self.ready.extend(frames);
                    self.ending = Some(ending);
                }
            }
        }
    }

    /// The next event from the objects and changes that were already read.
    fn next_event(&mut self) -> Option<Bytes> {
        if let WatchPhase::Initial(_) = self.cursor.phase() {
            if let Some(frame) = self.initial_frame() {
                return Some(frame);
            }
            if let WatchAction::SendMarker(version) = self.cursor.next(WatchInput::InitialEnd)
                && !self.watch.faults.hides_marker()
            {
                return Some(self.bookmark(version, INITIAL_EVENTS_END));
            }
        }
        while let Some(change) = self.changes.pop_front() {
            let event = self.event(&change);
            if let WatchAction::Send(event) =
                self.cursor.next(WatchInput::Change { version: change.version, event })
            {
                return Some(self.event_frame(&change, event));
            }
        }
        None
    }

    fn initial_frame(&mut self) -> Option<Bytes> {
        loop {
            let object = self.initial.next()?;
            if self.watch.selects(&object) {
                let WatchAction::Send(event) = self.cursor.next(WatchInput::InitialObject) else { continue };
                let position = self.next_position();
                let encoded = self.encoded.pop_front();
                let frame = encoded.map_or_else(|| self.encoder.event(event.as_str(), &object, position), Ok);
                return Some(self.frame_or_error(frame));
            }
        }
    }

    fn event(&self, change: &ObjectChange) -> Option<WatchEventType> {
        if !self.range.contains(change.key()) {
            return None;
        }
        let selection = &self.watch.selection;
        WatchEventType::of(
            selection.membership(change.old.as_deref()),
            selection.membership(change.new.as_deref()),
        )
    }

    fn next_position(&mut self) -> EventPosition {
        std::mem::replace(&mut self.position, EventPosition::Later)
    }

    fn bookmark(&mut self, version: u64, annotations: &str) -> Bytes {
        let position = self.next_position();
        self.encoder.bookmark(version, annotations, position)
    }

    fn event_frame(&mut self, change: &ObjectChange, event: WatchEventType) -> Bytes {
        let key = EventFrameKey { event: event.as_str(), head: Arc::clone(self.encoder.head()) };
        let position = self.next_position();
        let encode = || match (event, &change.old, &change.new) {
            // An object that was deleted, or that left the selection, is sent in its old state with the version of the
            // change.
            (WatchEventType::Deleted, Some(old), _) => {
                self.encoder.event(event.as_str(), &old.with_version(change.version), position)
            }
            (_, _, Some(new)) => self.encoder.event(event.as_str(), new, position),
            (_, _, None) => unreachable!("only a deletion has no new state"),
        };
        let frame = if self.encoder.is_shared() { change.frame(&key, encode) } else { encode() };
        self.frame_or_error(frame)
    }

    /// The frame; or an ERROR event with which the stream ends, because an event that can't be encoded must not be
    /// skipped.
    fn frame_or_error(&mut self, frame: Result<Bytes, EncodeError>) -> Bytes {
        frame.unwrap_or_else(|refusal| {
            self.ending = Some(Ending::Clean);
            self.encoder.error_event(&refusal.into())
        })
    }

    /// Reads more changes from the store, or waits for one.
    async fn look_for_more(&mut self) -> Result<(), Ending> {
        if let Some(at) = self.batching.next_read_at() {
            sleep_until(at).await;
        }
        let reading =
            if self.cursor.phase() == WatchPhase::Opened { WatchRead::First } else { WatchRead::Next };
        let read =
            self.core.store.read_history(&self.subscription, self.cursor.read(), reading, CHANGES_AT_ONCE);
        let input = match read {
            HistoryRead::Changes(changes) => {
                self.batching.read(changes.len(), changes.len() == CHANGES_AT_ONCE, Instant::now());
                self.changes = changes.into();
                return Ok(());
            }
            HistoryRead::UpToDate { newest } => WatchInput::UpToDate { newest },
            HistoryRead::Compacted { oldest } => WatchInput::Compacted { oldest },
            HistoryRead::WatchEnded => WatchInput::WatchEnded,
        };
        match self.cursor.next(input) {
            WatchAction::Wait => self.wait().await,
            action => {
                self.action(action);
                Ok(())
            }
        }
    }

    fn action(&mut self, action: WatchAction) {
        match action {
            WatchAction::SendBookmark(version) => {
                let frame = self.bookmark(version, "");
                self.ready.push_back(frame);
            }
            WatchAction::SendExpired { requested, oldest } => {
                let error = ApiError::expired(format!("too old resource version: {requested} ({oldest})"));
                self.ready.push_back(self.encoder.error_event(&error));
                self.ending = Some(Ending::Clean);
            }
            WatchAction::End => self.ending = Some(Ending::Clean),
            WatchAction::Send(_) | WatchAction::SendMarker(_) | WatchAction::Continue | WatchAction::Wait => {
            }
        }
    }

    async fn wait(&mut self) -> Result<(), Ending> {
        let due_at = self.bookmark_at.min(self.last_bookmark_at).min(self.end_at);
        tokio::select! {
            biased;
            () = self.subscription.changed() => {}
            Ok(()) = self.cuts.changed() => return Err(self.cut().await),
            () = sleep_until(due_at) => self.time_passed(),
        }
        Ok(())
    }

    /// The ending of a stream that was cut. A stalled stream sends nothing until it is cut again.
    async fn cut(&mut self) -> Ending {
        self.cuts.mark_unchanged();
        match self.core.faults.cut_ending() {
            Ending::Stalled => self.stall().await,
            ending => ending,
        }
    }

    /// Waits for a cut with another ending than a stall.
    async fn stall(&mut self) -> Ending {
        loop {
            if self.cuts.changed().await.is_err() {
                // The server is gone: nothing cuts this stream any more.
                return std::future::pending().await;
            }
            match self.core.faults.cut_ending() {
                Ending::Stalled => {}
                ending => return ending,
            }
        }
    }

    fn time_passed(&mut self) {
        let now = Instant::now();
        if now >= self.end_at {
            return;
        }
        if now >= self.bookmark_at {
            self.bookmark_at = now + self.core.bookmark_interval();
        }
        if now >= self.last_bookmark_at {
            self.last_bookmark_at = self.end_at;
        }
        // Reads again, under the store's lock: there must be no unsent change up to the version of the bookmark.
        let news = self.core.store.read_history(&self.subscription, self.cursor.read(), WatchRead::Next, 1);
        if let HistoryRead::UpToDate { newest } = news {
            let action = self.cursor.next(WatchInput::BookmarkDue { newest });
            self.action(action);
        }
    }
}
