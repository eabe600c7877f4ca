//! A watch: passes each event to the sink, then records its version.
//!
//! The order matters. If the version were recorded first, a cancellation between the two steps followed by a new watch
//! would skip the event. While the sink makes the reflector wait, nothing is read and no timeout runs.

use std::time::Duration;

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{
    ChangeType, ErrorClass, ListWatch, SourceError, StatusDetail, WatchEvent, WatchOptions, WatchStream,
};
use tokio::time::Instant;

use super::observer::ReflectorActivity;
use super::phase::{FailureStage, OperationEnd};
use super::run::{FinishedOperation, VERY_SHORT_WATCH, non_empty};
use super::sink::Sink;
use super::timer::{StreamTimer, WaitLimit};
use super::{EVENTS_PER_UNIT, Reflector};
use crate::coop_budget::CoopBudget;

/// One watch and its state.
pub(super) struct OpenWatch {
    pub(super) stream: Option<WatchStream>,
    pub(super) requested_at: Instant,
    /// When a watch that the server has not closed counts as dead.
    deadline: Option<Instant>,
    /// Whether an event with a new version was received.
    pub(super) has_events: bool,
    /// A watch that was opened without a version begins with `ADDED` events that are not ordered by version. No version
    /// is recorded before an event of another type.
    is_unordered: bool,
}

/// A watch that the server does not close counts as dead this long after its requested duration.
const CLOSE_DELAY_MAX: Duration = Duration::from_secs(30);

/// The longest wait for the head of the response. kube-apiserver sends it before the first event, so a longer wait means
/// that the server, or something in front of it, does not respond. A new request may reach another server.
const OPEN_MAX: Duration = Duration::from_secs(60);

/// After this time without an internal error, the window in which they are tolerated can open again.
const INTERNAL_ERRORS_RESET: Duration = Duration::from_secs(60);

/// Decides whether an internal error inside a watch is tolerated, see
/// [`internal_error_window`](super::ReflectorConfig::internal_error_window).
#[derive(Debug)]
pub(super) struct InternalErrors {
    window: Duration,
    first_and_last: Option<(Instant, Instant)>,
}

impl OpenWatch {
    pub(super) fn requested(options: &WatchOptions) -> OpenWatch {
        let requested_at = Instant::now();
        let timeout = options.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        OpenWatch {
            stream: None,
            requested_at,
            deadline: timeout.and_then(|timeout| requested_at.checked_add(timeout + CLOSE_DELAY_MAX)),
            has_events: false,
            is_unordered: !options.send_initial_events
                && options.version.as_ref().is_none_or(|version| *version == Version::from(0)),
        }
    }
}

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn watch(&mut self) -> FinishedOperation {
        if let Some(bookmark_interval) = &mut self.bookmark_interval {
            bookmark_interval.watch_opened();
        }
        let mut open = match self.open_watch.take() {
            Some(open) => open,
            None => match self.request_watch().await {
                Ok(open) => open,
                Err(finished) => return *finished,
            },
        };
        self.observer.watching(self.last_version.as_ref());
        let mut stream = open.stream.take().expect("an open watch has a stream");
        let (mut timer, mut coop_budget, mut has_progressed) =
            (StreamTimer::default(), CoopBudget::<EVENTS_PER_UNIT>::default(), false);
        loop {
            // Yields regularly, so that a stream that is never pending can still be cancelled.
            coop_budget.step().await;
            let next = match timer.within(self.wait_limit(&open), stream.next()).await {
                Ok(next) => next,
                Err(silence) => return self.silent(silence).having_progressed(has_progressed),
            };
            let finished = match next {
                Some(Ok(event)) => match self.handle(event, &mut open).await {
                    Ok(is_progress) => {
                        has_progressed |= is_progress;
                        continue;
                    }
                    Err(status) => {
                        let request = self.observer.request("watch", self.last_version.as_ref());
                        self.failed(&open, SourceError::in_stream(request, status))
                    }
                },
                Some(Err(error)) => self.failed(&open, error),
                None => self.closed(&open),
            };
            return finished.having_progressed(has_progressed);
        }
    }

    async fn request_watch(&mut self) -> Result<OpenWatch, Box<FinishedOperation>> {
        let options = WatchOptions {
            version: self.last_version.clone(),
            timeout_seconds: Some(self.config.watch_timeout_seconds(&mut self.rng)),
            allow_bookmarks: true,
            send_initial_events: false,
        };
        let mut open = OpenWatch::requested(&options);
        let mut limit = self.wait_limit(&open);
        limit.timeout = limit.timeout.map(|timeout| timeout.min(OPEN_MAX));
        let opened = StreamTimer::default().within(limit, self.source.watch(options)).await;
        match opened.map_err(|silence| Box::new(self.silent(silence)))? {
            Ok(stream) => {
                self.observer.response_received(self.source.wire());
                open.stream = Some(stream);
                Ok(open)
            }
            Err(error) => Err(Box::new(FinishedOperation::failed(
                FailureStage::Opening,
                error,
                ReflectorActivity::WatchOpen,
            ))),
        }
    }

    /// The limits of the wait for the next event.
    fn wait_limit(&self, open: &OpenWatch) -> WaitLimit {
        let Some(bookmark_interval) = &self.bookmark_interval else { return WaitLimit::default() };
        WaitLimit { timeout: Some(bookmark_interval.idle_timeout()), deadline: open.deadline }
    }

    /// Passes one event to the sink. Returns whether the last version has changed, or the error event of the server.
    async fn handle(&mut self, event: WatchEvent, open: &mut OpenWatch) -> Result<bool, StatusDetail> {
        if let Some(bookmark_interval) = &mut self.bookmark_interval {
            bookmark_interval.received();
        }
        let version = match event {
            WatchEvent::Changed(change, object) => {
                let version = object.version().clone();
                self.sink.change(change, object).await;
                self.observer.event(change, &version);
                open.is_unordered &= change == ChangeType::Added;
                version
            }
            WatchEvent::Bookmark { version, .. } => {
                if let Some(bookmark_interval) = &mut self.bookmark_interval {
                    bookmark_interval.bookmark_received();
                }
                self.sink.bookmark(version.clone()).await;
                self.observer.bookmark(&version);
                open.is_unordered = false;
                version
            }
            WatchEvent::Skipped(skipped) => {
                self.observer.skipped(&skipped);
                return Ok(false);
            }
            WatchEvent::Error(status) => return Err(status),
        };
        // A server that only repeats the last version and closes must not cause requests in a tight loop.
        let is_new = self.last_version.as_ref() != Some(&version);
        open.has_events |= is_new;
        match non_empty(version) {
            Some(version) if !open.is_unordered => {
                self.last_version = Some(version);
                Ok(is_new)
            }
            _ => Ok(false),
        }
    }

    fn silent(&mut self, silence: Duration) -> FinishedOperation {
        if let Some(bookmark_interval) = &mut self.bookmark_interval {
            bookmark_interval.timed_out();
        }
        self.observer.reopened_for_silence(silence);
        FinishedOperation::without_error(OperationEnd::Silent)
    }

    fn failed(&mut self, open: &OpenWatch, error: SourceError) -> FinishedOperation {
        match error.class() {
            ErrorClass::Internal if self.internal_errors.is_tolerated() => {
                FinishedOperation::with_error(OperationEnd::Tolerated, error, ReflectorActivity::Watch)
            }
            // Some networks close a connection by breaking it.
            ErrorClass::Network
                if classify_close(open.requested_at, open.has_events) == OperationEnd::Closed =>
            {
                FinishedOperation::with_error(OperationEnd::Closed, error, ReflectorActivity::Watch)
            }
            _ => FinishedOperation::failed(FailureStage::Streaming, error, ReflectorActivity::Watch),
        }
    }

    fn closed(&self, open: &OpenWatch) -> FinishedOperation {
        match classify_close(open.requested_at, open.has_events) {
            OperationEnd::ClosedEarly => {
                let message =
                    format!("the watch was closed within {VERY_SHORT_WATCH:?} and without an event");
                let error = self.observer.network("watch", self.last_version.as_ref(), message);
                FinishedOperation::with_error(OperationEnd::ClosedEarly, error, ReflectorActivity::Watch)
            }
            end => FinishedOperation::without_error(end),
        }
    }
}

/// Whether the end of a stream is a normal close, or too early. The time counts from before the request was sent.
pub(super) fn classify_close(requested_at: Instant, has_events: bool) -> OperationEnd {
    match has_events || requested_at.elapsed() >= VERY_SHORT_WATCH {
        true => OperationEnd::Closed,
        false => OperationEnd::ClosedEarly,
    }
}

impl InternalErrors {
    pub(super) fn new(window: Duration) -> InternalErrors {
        InternalErrors { window, first_and_last: None }
    }

    fn is_tolerated(&mut self) -> bool {
        let now = Instant::now();
        let first = match self.first_and_last {
            Some((first, last)) if now - last < INTERNAL_ERRORS_RESET => first,
            _ => now,
        };
        self.first_and_last = Some((first, now));
        now - first < self.window
    }
}
