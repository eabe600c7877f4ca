//! A watch from one version that goes on when its connection does not: a small tool for those who need no
//! cache. It never lists, so that it ends when its version is no longer to be had.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tidings_object::{RawObject, Version};
use tidings_util::backoff::exponential;
use tidings_util::clock;
use tokio::time::{Instant, sleep_until, timeout};

use crate::{
    Change, ErrorClass, ListWatch, Skipped, SourceError, StatusDetail, Trouble, WatchEvent, WatchOptions,
    WatchStream, asked, network,
};

/// What happened to one object.
#[derive(Debug, Clone)]
pub struct ObjectEvent {
    /// Whether it came, changed or went.
    pub change: Change,
    /// The object as it was then.
    pub object: Arc<RawObject>,
}

/// Why a watch can't begin at a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a watch can't go on from version {version:?}: list first, and begin at the list's version")]
pub struct NoStart {
    /// The version.
    pub version: String,
}

/// No two watches are opened within this time.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// The longest wait that a server can ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// A watch that is silent for longer is opened again. kube-apiserver sends a bookmark every minute.
const SILENCE_MAX: Duration = Duration::from_secs(3 * 60);

/// So many malformed answers in a row, at one version, end the watch. A network that damaged one answer does not damage
/// all of them, and what the server itself writes wrong does not get better.
const MALFORMED_MAX: u32 = 5;

/// Watches from a version on, and opens the watch again at the last version that came whenever it ends: closed,
/// broken, refused, failed, or silent for three minutes, at most once a second, or after the wait that the server asks
/// for.
///
/// Bookmarks move the version and are not passed on. The stream ends after one error: when the version expired
/// (410, however it comes), when opening is forbidden or unauthorized, when something comes that is no
/// object of the resource, since it could not go on after it without a loss, and when the answer was malformed five
/// times in a row at one version, with pauses of 1, 2, 4 and 8 s. Every failure, also one that is retried, is a
/// `tracing` event. Dropping the stream ends the watch.
pub fn retry_watch(
    source: &dyn ListWatch,
    from: Version,
) -> Result<BoxStream<'_, Result<ObjectEvent, SourceError>>, NoStart> {
    if from.is_empty() || from.number() == Some(0) {
        return Err(NoStart { version: from.to_string() });
    }
    let watcher = Watcher {
        source,
        version: from,
        events: None,
        next_start: Instant::now(),
        malformed_in_a_row: 0,
        is_done: false,
    };
    let events = stream::unfold(watcher, |mut watcher| async move {
        let event = watcher.next().await?;
        Some((event, watcher))
    });
    Ok(events.boxed())
}

struct Watcher<'a> {
    source: &'a dyn ListWatch,
    /// The last version that came.
    version: Version,
    events: Option<WatchStream>,
    next_start: Instant,
    /// Since the version last moved.
    malformed_in_a_row: u32,
    is_done: bool,
}

impl Watcher<'_> {
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
                    self.move_to(object.version().clone());
                    return Some(Ok(ObjectEvent { change, object }));
                }
                Some(Ok(WatchEvent::Bookmark { version, .. })) => self.move_to(version),
                Some(Ok(WatchEvent::Error(status))) => {
                    if let Some(error) = self.failed(status) {
                        return Some(Err(error));
                    }
                }
                Some(Ok(WatchEvent::Skipped(skipped))) => {
                    return Some(Err(self.end(Trouble::Malformed(reason(&skipped)))));
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

    fn move_to(&mut self, version: Version) {
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

    /// Nothing was received for too long: a restart, which is no failure, since a quiet resource is silent too.
    fn silent(&mut self) {
        self.events = None;
        let (resource, scope, version) = (self.source.resource(), self.source.scope(), &self.version);
        tracing::debug!(%resource, %scope, %version, silence = ?SILENCE_MAX, "reopening a silent watch");
    }

    /// An error in the stream: the end if the version expired, else a restart.
    fn failed(&mut self, status: StatusDetail) -> Option<SourceError> {
        if status.class() == ErrorClass::Expired {
            return Some(self.end(Trouble::Status(status)));
        }
        let asked = asked::watch(self.source.resource(), self.source.scope(), &self.options());
        self.broken(SourceError { asked, trouble: Trouble::Status(status) })
    }

    /// A watch that did not open or did not go on: a restart, or the end if it was malformed too often.
    fn broken(&mut self, error: SourceError) -> Option<SourceError> {
        self.events = None;
        let (resource, scope, version) = (self.source.resource(), self.source.scope(), &self.version);
        if error.class() == ErrorClass::Network {
            tracing::info!(%resource, %scope, %version, %error, "a connection broke");
        } else {
            tracing::warn!(%resource, %scope, %version, %error, "a watch failed");
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

    fn end(&mut self, trouble: Trouble) -> SourceError {
        self.events = None;
        self.is_done = true;
        let asked = asked::watch(self.source.resource(), self.source.scope(), &self.options());
        SourceError { asked, trouble }
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
        Skipped::Object(error) => network::message(error),
        Skipped::UnknownEvent { event_type } => format!("an event of unknown type {event_type:?}"),
    }
}

#[cfg(test)]
mod tests;
