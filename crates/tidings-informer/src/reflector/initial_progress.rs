//! Detects a streaming list that makes no progress, so that the reflector does not wait for its end marker for ever.
//!
//! In the first ten seconds every event is progress. If the marker has not arrived by then, a list of one object gives
//! the server's current version. The initial events show a state that is not newer than this version, because they were
//! requested earlier. From then on an event is progress only if it has a new object at a version up to this one.
//! Example, with a server that ignores `sendInitialEvents`, and an object created every second:
//!
//! ```text
//!  0 s  ADDED a@90, b@95 ...       progress, as every event in the first ten seconds
//! 10 s  list of one object: @105   the initial events end at or before 105
//! 11 s  ADDED k@106                newer than 105: a change, not an initial event
//! 40 s                             no progress for 30 s: list instead
//! ```
//!
//! A first list that takes minutes has objects at versions up to 105 all the time, and is never cut off. Until the
//! server answers the list of one object, every event is progress: if lists fail, there is nothing to fall back to.
//! After that, versions without an order are never progress.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tidings_object::Version;
use tidings_source::ListWatch;
use tokio::time::{Instant, sleep, sleep_until};

use super::config::ReflectorConfig;
use super::observer::{ReflectorActivity, TracedObserver};
use super::probe::most_recent_version;
use super::timer::{StreamTimer, WaitLimit};

/// The progress of one streaming list.
pub(super) struct InitialProgress<'a> {
    silence_max: Duration,
    timer: StreamTimer,
    waits: u32,
    server_version: ServerVersion<'a>,
}

/// The server's version, once it is known.
enum ServerVersion<'a> {
    /// The future requests it.
    Unknown(BoxFuture<'a, Version>),
    /// Initial events have versions up to `version`. The last progress was at `last_progress`.
    Known { version: Version, last_progress: Instant },
}

/// The initial events have stopped, and the marker has not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stalled;

/// For this long every event is progress. Also the delay before the server's version is requested again after a
/// failure. With 30 s without progress after it, and 4 s for the response, a server without streaming lists is detected
/// within 45 s.
const EVERY_EVENT_COUNTS: Duration = Duration::from_secs(10);

/// The version request is also polled after this many events, in case the stream is never pending.
const EVENTS_BETWEEN_POLLS: u32 = 64;

impl<'a> InitialProgress<'a> {
    pub(super) fn new<L: ListWatch + ?Sized>(
        source: &'a L,
        config: &'a ReflectorConfig,
        observer: &'a TracedObserver,
        requested_at: Instant,
    ) -> InitialProgress<'a> {
        let version = Box::pin(async move {
            sleep_until(requested_at + EVERY_EVENT_COUNTS).await;
            loop {
                match most_recent_version(source, config, observer).await {
                    Ok(version) => return version,
                    Err(error) => observer.failed(&error, ReflectorActivity::Probe),
                }
                sleep(EVERY_EVENT_COUNTS).await;
            }
        });
        InitialProgress {
            silence_max: config.marker_silence_max,
            timer: StreamTimer::default(),
            waits: 0,
            server_version: ServerVersion::Unknown(version),
        }
    }

    /// The output of `next`, unless the list stalls before.
    pub(super) async fn within<T>(&mut self, next: impl Future<Output = T>) -> Result<T, Stalled> {
        self.waits = self.waits.wrapping_add(1);
        let polls_version = self.waits.is_multiple_of(EVENTS_BETWEEN_POLLS);
        let limit = match &self.server_version {
            ServerVersion::Unknown(_) => WaitLimit::from(self.silence_max),
            ServerVersion::Known { last_progress, .. } => {
                WaitLimit { timeout: None, deadline: last_progress.checked_add(self.silence_max) }
            }
        };
        let (server_version, mut next) = (&mut self.server_version, pin!(next));
        let next = poll_fn(|cx| {
            let next = next.as_mut().poll(cx);
            if (next.is_pending() || polls_version)
                && let ServerVersion::Unknown(request) = server_version
                && let Poll::Ready(version) = request.as_mut().poll(cx)
            {
                *server_version = ServerVersion::Known { version, last_progress: Instant::now() };
            }
            next
        });
        self.timer.within(limit, next).await.map_err(|_| Stalled)
    }

    /// An event was received. `new_object` is the version of its object, if that is the first event of its key.
    pub(super) fn received(&mut self, new_object: Option<&Version>) -> Result<(), Stalled> {
        let ServerVersion::Known { version, last_progress } = &mut self.server_version else { return Ok(()) };
        let now = Instant::now();
        if new_object.is_some_and(|new_object| version.is_at_least(new_object)) {
            *last_progress = now;
        }
        if now - *last_progress < self.silence_max { Ok(()) } else { Err(Stalled) }
    }
}
