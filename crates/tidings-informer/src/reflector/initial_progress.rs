//! Whether a streaming list still brings initial events, so that its end marker may be waited for.
//!
//! The first ten seconds any event will do. If the marker has not come by then, the server is asked for its current
//! version, by a list of one object. The initial events show a state that is not newer than that one, since they were
//! asked for earlier. So from then on an event is progress only if it brings an object that had not come before, at a
//! version up to that one. An example, on a server that ignores `sendInitialEvents`, and where an object is created
//! every second:
//!
//! ```text
//!  0 s  ADDED a@90, b@95 ...       progress, as any event in the first ten seconds
//! 10 s  list of one object: @105   the initial events end at or before 105
//! 11 s  ADDED k@106                newer than 105: a change, and no initial event
//! 40 s                             no progress for 30 s: list instead
//! ```
//!
//! A first list that takes minutes brings objects at versions up to 105 all the time, and is never cut off. As long as
//! the server does not answer the list of one object, any event is progress: where lists fail, there is nothing to
//! fall back to. Versions without an order are never progress once it has answered.

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
    known: Known<'a>,
}

/// What is known of the server's version.
enum Known<'a> {
    /// It is being asked for, or will be.
    Nothing(BoxFuture<'a, Version>),
    /// Initial events have versions up to this one. The last of them came at `last_at`.
    Newest { newest: Version, last_at: Instant },
}

/// The initial events have stopped, and no marker has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stalled;

/// For how long any event is progress, and how long after a failure the server's version is asked for again. With
/// 30 s for the progress after it, and four for the answer, a server without streaming lists is left within 45 s.
const ANY_EVENT: Duration = Duration::from_secs(10);

/// A stream that always has more is looked at after so many events.
const EVENTS_BETWEEN_LOOKS: u32 = 64;

impl<'a> InitialProgress<'a> {
    pub(super) fn new<L: ListWatch + ?Sized>(
        source: &'a L,
        config: &'a ReflectorConfig,
        observer: &'a TracedObserver,
        asked_at: Instant,
    ) -> InitialProgress<'a> {
        let version = Box::pin(async move {
            sleep_until(asked_at + ANY_EVENT).await;
            loop {
                match most_recent_version(source, config, observer).await {
                    Ok(version) => return version,
                    Err(error) => observer.failed(&error, ReflectorActivity::Probe),
                }
                sleep(ANY_EVENT).await;
            }
        });
        InitialProgress {
            silence_max: config.marker_silence_max,
            timer: StreamTimer::default(),
            waits: 0,
            known: Known::Nothing(version),
        }
    }

    /// What `next` brings, unless the list stalls before.
    pub(super) async fn within<T>(&mut self, next: impl Future<Output = T>) -> Result<T, Stalled> {
        self.waits = self.waits.wrapping_add(1);
        let looks = self.waits.is_multiple_of(EVENTS_BETWEEN_LOOKS);
        let bound = match &self.known {
            Known::Nothing(_) => WaitLimit::from(self.silence_max),
            Known::Newest { last_at, .. } => {
                WaitLimit { patience: None, overdue_at: last_at.checked_add(self.silence_max) }
            }
        };
        let (known, mut next) = (&mut self.known, pin!(next));
        let next = poll_fn(|cx| {
            let next = next.as_mut().poll(cx);
            if (next.is_pending() || looks)
                && let Known::Nothing(version) = known
                && let Poll::Ready(newest) = version.as_mut().poll(cx)
            {
                *known = Known::Newest { newest, last_at: Instant::now() };
            }
            next
        });
        self.timer.within(bound, next).await.map_err(|_| Stalled)
    }

    /// An event was received, with an object at this version that had not come before, or with none.
    pub(super) fn received(&mut self, new_object: Option<&Version>) -> Result<(), Stalled> {
        let Known::Newest { newest, last_at } = &mut self.known else { return Ok(()) };
        let now = Instant::now();
        if new_object.is_some_and(|version| newest.is_at_least(version)) {
            *last_at = now;
        }
        if now - *last_at < self.silence_max { Ok(()) } else { Err(Stalled) }
    }
}
