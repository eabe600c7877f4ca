//! A watch: hands each event to the sink, then records its version.
//!
//! The order matters: were the version recorded first, a stop between the two and a watch opened again would
//! skip the event. While the sink makes us wait, nothing is read and no clock runs.

use std::time::Duration;

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{
    ChangeType, ErrorClass, ListWatch, SourceError, StatusDetail, WatchEvent, WatchOptions, WatchStream,
};
use tokio::time::Instant;

use super::observer::ReflectorActivity;
use super::phase::{FailureStage, OperationEnd};
use super::run::{FinishedOperation, VERY_SHORT_WATCH, usable};
use super::sink::Sink;
use super::timer::{StreamTimer, WaitLimit};
use super::{EVENTS_PER_UNIT, Reflector};
use crate::coop_budget::CoopBudget;

/// One watch, as far as it has come.
pub(super) struct OpenWatch {
    pub(super) stream: Option<WatchStream>,
    pub(super) asked_at: Instant,
    /// When the server should long have closed it.
    overdue_at: Option<Instant>,
    /// Whether any event brought news since it was asked for.
    pub(super) has_events: bool,
    /// Opened without a version to go on from, it begins with `ADDED` events in no order of versions: none is
    /// recorded before another kind of event.
    is_unordered: bool,
}

/// How long after its time a watch that the server does not close is taken for dead.
const OVERDUE: Duration = Duration::from_secs(30);

/// After so long without one, the window in which internal errors are forgiven opens anew.
const INTERNAL_ERRORS_RESET: Duration = Duration::from_secs(60);

/// When internal errors inside watches are forgiven.
#[derive(Debug)]
pub(super) struct InternalErrors {
    window: Duration,
    first_and_last: Option<(Instant, Instant)>,
}

impl OpenWatch {
    pub(super) fn asked(options: &WatchOptions) -> OpenWatch {
        let asked_at = Instant::now();
        let timeout = options.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        OpenWatch {
            stream: None,
            asked_at,
            overdue_at: timeout.and_then(|timeout| asked_at.checked_add(timeout + OVERDUE)),
            has_events: false,
            is_unordered: !options.send_initial_events
                && options.version.as_ref().is_none_or(|version| *version == Version::from(0)),
        }
    }
}

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn watch(&mut self) -> FinishedOperation {
        if let Some(bookmark_interval) = &mut self.bookmark_interval {
            bookmark_interval.opening();
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => match self.open_watch().await {
                Ok(open) => open,
                Err(ended) => return *ended,
            },
        };
        self.observer.watching(self.last.as_ref());
        let mut stream = open.stream.take().expect("an open watch has a stream");
        let (mut timer, mut coop_budget, mut has_progressed) =
            (StreamTimer::default(), CoopBudget::<EVENTS_PER_UNIT>::default(), false);
        loop {
            // A stream that always has more must not keep a stop from being seen.
            coop_budget.step().await;
            let next = match timer.within(self.bound(&open), stream.next()).await {
                Ok(next) => next,
                Err(patience) => return self.silent(patience).having_progressed(has_progressed),
            };
            let ended = match next {
                Some(Ok(event)) => match self.take(event, &mut open).await {
                    Ok(moved_on) => {
                        has_progressed |= moved_on;
                        continue;
                    }
                    Err(status) => {
                        let asked = self.observer.asked("watch", self.last.as_ref());
                        self.failed(&open, SourceError::in_stream(asked, status))
                    }
                },
                Some(Err(error)) => self.failed(&open, error),
                None => self.closed(&open),
            };
            return ended.having_progressed(has_progressed);
        }
    }

    async fn open_watch(&mut self) -> Result<OpenWatch, Box<FinishedOperation>> {
        let options = WatchOptions {
            version: self.last.clone(),
            timeout_seconds: Some(self.config.watch_timeout_seconds(&mut self.rng)),
            allow_bookmarks: true,
            send_initial_events: false,
        };
        let mut open = OpenWatch::asked(&options);
        let opened = StreamTimer::default().within(self.bound(&open), self.source.watch(options)).await;
        match opened.map_err(|patience| Box::new(self.silent(patience)))? {
            Ok(stream) => {
                self.observer.answered(self.source.wire());
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

    /// How long the next event may take.
    fn bound(&self, open: &OpenWatch) -> WaitLimit {
        let Some(bookmark_interval) = &self.bookmark_interval else { return WaitLimit::default() };
        WaitLimit { patience: Some(bookmark_interval.patience()), overdue_at: open.overdue_at }
    }

    /// Hands one event over. Says whether the last version has moved on, or with what the server ends the watch.
    async fn take(&mut self, event: WatchEvent, open: &mut OpenWatch) -> Result<bool, StatusDetail> {
        if let Some(bookmark_interval) = &mut self.bookmark_interval {
            bookmark_interval.heard();
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
                    bookmark_interval.bookmark();
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
        // A server that repeats what we know and closes must not be asked again at once, for ever.
        let is_news = self.last.as_ref() != Some(&version);
        open.has_events |= is_news;
        match usable(version) {
            Some(version) if !open.is_unordered => {
                self.last = Some(version);
                Ok(is_news)
            }
            _ => Ok(false),
        }
    }

    fn silent(&mut self, silence: Duration) -> FinishedOperation {
        if let Some(bookmark_interval) = &mut self.bookmark_interval {
            bookmark_interval.fell_silent();
        }
        self.observer.reopened_for_silence(silence);
        FinishedOperation::quietly(OperationEnd::Silent)
    }

    fn failed(&mut self, open: &OpenWatch, error: SourceError) -> FinishedOperation {
        match error.class() {
            ErrorClass::Internal if self.internal_errors.is_forgiven() => {
                FinishedOperation::with(OperationEnd::Forgiven, error, ReflectorActivity::Watch)
            }
            // A broken connection is how some networks close one.
            ErrorClass::Network if classify_close(open.asked_at, open.has_events) == OperationEnd::Closed => {
                FinishedOperation::with(OperationEnd::Closed, error, ReflectorActivity::Watch)
            }
            _ => FinishedOperation::failed(FailureStage::Streaming, error, ReflectorActivity::Watch),
        }
    }

    fn closed(&self, open: &OpenWatch) -> FinishedOperation {
        match classify_close(open.asked_at, open.has_events) {
            OperationEnd::ClosedEarly => {
                let message = format!("closed within {VERY_SHORT_WATCH:?} and without an event");
                let error = self.observer.network("watch", self.last.as_ref(), message);
                FinishedOperation::with(OperationEnd::ClosedEarly, error, ReflectorActivity::Watch)
            }
            end => FinishedOperation::quietly(end),
        }
    }
}

/// What the end of a stream counts for. Its time runs from before the request was sent.
pub(super) fn classify_close(asked_at: Instant, has_events: bool) -> OperationEnd {
    match has_events || asked_at.elapsed() >= VERY_SHORT_WATCH {
        true => OperationEnd::Closed,
        false => OperationEnd::ClosedEarly,
    }
}

impl InternalErrors {
    pub(super) fn new(window: Duration) -> InternalErrors {
        InternalErrors { window, first_and_last: None }
    }

    fn is_forgiven(&mut self) -> bool {
        let now = Instant::now();
        let first = match self.first_and_last {
            Some((first, last)) if now - last < INTERNAL_ERRORS_RESET => first,
            _ => now,
        };
        self.first_and_last = Some((first, now));
        now - first < self.window
    }
}
