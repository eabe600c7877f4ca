//! Waits for what comes one after the other, each for a bounded time, with one timer for all of it.
//!
//! A timer that is made, set and taken back for each event costs as much as reading a small one. So the timer that one wait
//! has set stays, and rings at most once in vain: whoever waits then sets it to its own time. What has come already is not
//! waited for, and no clock is read.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// The timer of one stream.
#[derive(Debug, Default)]
pub(super) struct StreamTimer(Option<Pin<Box<Sleep>>>);

/// How long something may take: from when it is waited for, and in any case. Without either, for ever.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WaitLimit {
    pub(super) patience: Option<Duration>,
    pub(super) overdue_at: Option<Instant>,
}

impl StreamTimer {
    /// What `next` brings, or how long it was waited for in vain.
    pub(super) async fn within<T>(
        &mut self,
        bound: WaitLimit,
        next: impl Future<Output = T>,
    ) -> Result<T, Duration> {
        let mut next = pin!(next);
        let mut wait = None;
        poll_fn(|cx| {
            if let Poll::Ready(next) = next.as_mut().poll(cx) {
                return Poll::Ready(Ok(next));
            }
            match *wait.get_or_insert_with(|| bound.beginning_now()) {
                None => Poll::Pending,
                Some((silence, until)) => self.poll(cx, until).map(|()| Err(silence)),
            }
        })
        .await
    }

    fn poll(&mut self, cx: &mut Context<'_>, until: Instant) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if sleep.deadline() > until {
            sleep.as_mut().reset(until);
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if sleep.deadline() == until {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(until);
        }
        Poll::Pending
    }
}

impl From<Duration> for WaitLimit {
    fn from(patience: Duration) -> Self {
        WaitLimit { patience: Some(patience), overdue_at: None }
    }
}

impl WaitLimit {
    /// How long a wait that begins now may last, and until when. Longer than a clock can say is for ever.
    fn beginning_now(self) -> Option<(Duration, Instant)> {
        let WaitLimit { patience, overdue_at } = self;
        if patience.is_none() && overdue_at.is_none() {
            return None;
        }
        let now = Instant::now();
        let overdue = overdue_at.map(|at| at.saturating_duration_since(now));
        let silence = [patience, overdue].into_iter().flatten().min()?;
        Some((silence, now.checked_add(silence)?))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::time::{advance, sleep, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn every_wait_has_its_own_time_whatever_the_waits_before_it_had() {
        let mut timer = StreamTimer::default();
        for patience in [10, 3, 7, 7, 1, 20].map(|seconds| seconds * SECOND) {
            let brought = timer.within(patience.into(), sleep(patience - SECOND / 2)).await;
            assert_eq!(brought, Ok(()));
            let began = Instant::now();
            assert_eq!(timer.within(patience.into(), pending::<()>()).await, Err(patience));
            assert_eq!(began.elapsed(), patience);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_is_taken_however_late_and_without_patience_one_waits_for_ever() {
        let mut timer = StreamTimer::default();
        assert!(timeout(SECOND / 2, timer.within(SECOND.into(), pending::<()>())).await.is_err());
        advance(5 * SECOND).await;
        assert_eq!(timer.within(SECOND.into(), ready(7)).await, Ok(7));
        for bound in [WaitLimit::default(), Duration::MAX.into()] {
            assert!(timeout(100 * SECOND, timer.within(bound, pending::<()>())).await.is_err());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_overdue_is_not_waited_for_longer_whatever_the_patience() {
        let mut timer = StreamTimer::default();
        let bound = WaitLimit { patience: Some(5 * SECOND), overdue_at: Some(Instant::now() + 7 * SECOND) };
        for seconds in [5, 2, 0] {
            assert_eq!(timer.within(bound, pending::<()>()).await, Err(seconds * SECOND));
        }
    }
}
