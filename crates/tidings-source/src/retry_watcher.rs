//! A watch without a cache that survives broken connections, as client-go's `RetryWatcher`.
//!
//! It never lists. Therefore it ends when the server no longer has its version.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tidings_object::{RawObject, Version};
use tidings_util::backoff::exponential;
use tidings_util::clock;
use tokio::time::{Instant, sleep_until, timeout};

use crate::error::transport;
use crate::port::request_text;
use crate::{
    ChangeType, ErrorClass, ErrorKind, ListWatch, Skipped, SourceError, StatusDetail, WatchEvent,
    WatchOptions, WatchStream,
};

/// What happened to one object.
#[derive(Debug, Clone)]
pub struct ObjectEvent {
    /// Whether the object was added, modified or deleted.
    pub change: ChangeType,
    /// The object after the change; of a deletion, its last state.
    pub object: Arc<RawObject>,
}

/// The shortest time between two watches.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// The longest delay that a server can request.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// After this time without an event the watch is opened again. kube-apiserver sends a bookmark every minute.
const SILENCE_MAX: Duration = Duration::from_secs(3 * 60);

/// After this number of malformed responses in a row at one version, the watch ends. A network that damages one response
/// does not damage all of them, and a server that sends malformed responses continues to do so.
const MALFORMED_MAX: u32 = 5;

/// Watches from a version on. Whenever the watch ends (closed, broken, refused, failed, or silent for three minutes), it
/// is opened again at the last received version, at most once a second, or after the delay that the server requests.
///
/// Bookmarks advance the version and are not yielded. Every failure, also one that is retried, is a `tracing` event.
/// Dropping the stream ends the watch. The stream ends after one error:
///
/// - the version has expired (410, as a response or as an event);
/// - the server answers that the watch is forbidden or unauthorized;
/// - an event has no object of the resource, because continuing after it would lose a change;
/// - the response is malformed five times in a row at one version, with pauses of 1, 2, 4 and 8 s.
///
/// It returns [`ErrorKind::StartVersion`] if `from` is empty or `0`.
pub fn retry_watch(
    source: &dyn ListWatch,
    from: Version,
) -> Result<BoxStream<'_, Result<ObjectEvent, SourceError>>, SourceError> {
    let is_start = !from.is_empty() && from.number() != Some(0);
    let watcher = RetryWatcher {
        source,
        version: from,
        events: None,
        next_start: Instant::now(),
        malformed_in_a_row: 0,
        is_done: false,
    };
    if !is_start {
        let version = watcher.version.to_string();
        return Err(watcher.error(ErrorKind::StartVersion { version }));
    }
    let events = stream::unfold(watcher, |mut watcher| async move {
        let event = watcher.next().await?;
        Some((event, watcher))
    });
    Ok(events.boxed())
}

struct RetryWatcher<'a> {
    source: &'a dyn ListWatch,
    /// The last received version.
    version: Version,
    events: Option<WatchStream>,
    next_start: Instant,
    /// Counted since the version last changed.
    malformed_in_a_row: u32,
    is_done: bool,
}

impl RetryWatcher<'_> {
    async fn next(&mut self) -> Option<Result<ObjectEvent, SourceError>> {
        while !self.is_done {
            let Some(events) = &mut self.events else {
                if let Err(error) = self.open().await {
                    return Some(Err(error));
                }
                continue;
            };
            let Ok(next) = timeout(SILENCE_MAX, events.next()).await else {
                self.silent();
                continue;
            };
            match next {
                Some(Ok(WatchEvent::Changed(change, object))) => {
                    self.advance_to(object.version().clone());
                    return Some(Ok(ObjectEvent { change, object }));
                }
                Some(Ok(WatchEvent::Bookmark { version, .. })) => self.advance_to(version),
                Some(Ok(WatchEvent::Error(status))) => {
                    if let Some(error) = self.failed(status) {
                        return Some(Err(error));
                    }
                }
                Some(Ok(WatchEvent::Skipped(skipped))) => {
                    return Some(Err(self.end(ErrorKind::Malformed(reason(&skipped)))));
                }
                Some(Err(error)) => {
                    if let Some(error) = self.broken(error) {
                        return Some(Err(error));
                    }
                }
                None => self.events = None,
            }
        }
        None
    }

    fn advance_to(&mut self, version: Version) {
        if self.version != version {
            self.version = version;
            self.malformed_in_a_row = 0;
        }
    }

    async fn open(&mut self) -> Result<(), SourceError> {
        sleep_until(self.next_start).await;
        self.next_start = Instant::now() + RESTART_PAUSE;
        let Ok(opened) = timeout(SILENCE_MAX, self.source.watch(self.options())).await else {
            self.silent();
            return Ok(());
        };
        match opened {
            Ok(events) => self.events = Some(events),
            Err(error) => match error.class() {
                ErrorClass::Expired | ErrorClass::Forbidden | ErrorClass::Unauthorized => {
                    self.is_done = true;
                    return Err(error);
                }
                _ => return self.broken(error).map_or(Ok(()), Err),
            },
        }
        Ok(())
    }

    /// Nothing was received for too long. This is not a failure, because a resource without changes is silent too.
    fn silent(&mut self) {
        self.events = None;
        let (resource, scope, version) = (self.source.resource(), self.source.scope(), &self.version);
        tracing::debug!(%resource, %scope, %version, silence = ?SILENCE_MAX, "reopening a silent watch");
    }

    /// Handles an error event: ends the watch if the version has expired, and otherwise restarts it.
    fn failed(&mut self, status: StatusDetail) -> Option<SourceError> {
        if status.class() == ErrorClass::Expired {
            return Some(self.end(ErrorKind::Status(status)));
        }
        self.broken(self.error(ErrorKind::Status(status)))
    }

    /// Handles a watch that did not open or broke: restarts it, or ends if it was malformed too often.
    fn broken(&mut self, error: SourceError) -> Option<SourceError> {
        self.events = None;
        let (resource, scope, version) = (self.source.resource(), self.source.scope(), &self.version);
        if error.class() == ErrorClass::Network {
            tracing::info!(%resource, %scope, %version, %error, "the connection of a watch broke, reopening it");
        } else {
            tracing::warn!(%resource, %scope, %version, %error, "a watch failed, reopening it");
        }
        if error.class() != ErrorClass::Malformed {
            self.wait_for(error.retry_after());
            return None;
        }
        self.wait_for(Some(exponential(RESTART_PAUSE, self.malformed_in_a_row, RETRY_AFTER_MAX)));
        self.malformed_in_a_row += 1;
        self.is_done = self.malformed_in_a_row >= MALFORMED_MAX;
        self.is_done.then_some(error)
    }

    fn wait_for(&mut self, retry_after: Option<Duration>) {
        let wait = retry_after.unwrap_or_default().min(RETRY_AFTER_MAX);
        self.next_start = self.next_start.max(clock::from_now(wait));
    }

    fn end(&mut self, kind: ErrorKind) -> SourceError {
        self.events = None;
        self.is_done = true;
        self.error(kind)
    }

    fn error(&self, kind: ErrorKind) -> SourceError {
        let request = request_text::watch(self.source.resource(), self.source.scope(), &self.options());
        SourceError { request, kind }
    }

    fn options(&self) -> WatchOptions {
        WatchOptions {
            version: Some(self.version.clone()),
            allow_bookmarks: true,
            timeout_seconds: None,
            send_initial_events: false,
        }
    }
}

fn reason(skipped: &Skipped) -> String {
    match skipped {
        Skipped::Object(error) => transport::message(error),
        Skipped::UnknownEvent { event_type } => format!("an event of the unknown type {event_type:?}"),
    }
}

#[cfg(test)]
mod tests;
