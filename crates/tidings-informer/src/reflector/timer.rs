//! Timeouts for consecutive waits of one stream, with one timer for all of them.
//!
//! Creating, setting and cancelling a timer for each event costs as much as reading a small event. So the timer of one
//! wait stays set for the next one. When it fires too early for the current wait, it is set to the current deadline;
//! this happens at most once per wait. If the next item is already there, neither the clock nor the timer is used.
//!
//! Example, with a timeout of 10 s per event:
//!
//! ```text
//!  0 s  wait begins: the timer is set to 10 s
//!  4 s  event; the next wait begins (deadline 14 s): the timer is not touched
//! 10 s  the timer fires too early: it is set to 14 s
//! 14 s  the timer fires: timeout
//! ```

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// The timer of one stream.
#[derive(Debug, Default)]
pub(super) struct StreamTimer(Option<Pin<Box<Sleep>>>);

/// The limits of one wait. Without either, it is unlimited.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WaitLimit {
    /// The longest duration of the wait.
    pub(super) timeout: Option<Duration>,
    /// The latest end of the wait.
    pub(super) deadline: Option<Instant>,
}

impl StreamTimer {
    /// The output of `next`, or on a timeout the duration that was waited.
    pub(super) async fn within<T>(
        &mut self,
        limit: WaitLimit,
        next: impl Future<Output = T>,
    ) -> Result<T, Duration> {
        let mut next = pin!(next);
        let mut wait = None;
        poll_fn(|cx| {
            if let Poll::Ready(next) = next.as_mut().poll(cx) {
                return Poll::Ready(Ok(next));
            }
            match *wait.get_or_insert_with(|| limit.starting_now()) {
                None => Poll::Pending,
                Some((timeout, deadline)) => self.poll(cx, deadline).map(|()| Err(timeout)),
            }
        })
        .await
    }

    fn poll(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if sleep.deadline() == deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl From<Duration> for WaitLimit {
    fn from(timeout: Duration) -> Self {
        WaitLimit { timeout: Some(timeout), deadline: None }
    }
}

impl WaitLimit {
    /// The duration and the deadline of a wait that starts now. `None` is unlimited, as is a deadline that overflows.
    fn starting_now(self) -> Option<(Duration, Instant)> {
        let WaitLimit { timeout, deadline } = self;
        if timeout.is_none() && deadline.is_none() {
            return None;
        }
        let now = Instant::now();
        let until_deadline = deadline.map(|at| at.saturating_duration_since(now));
        let timeout = [timeout, until_deadline].into_iter().flatten().min()?;
        Some((timeout, now.checked_add(timeout)?))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::time::{advance, sleep, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn every_wait_has_its_own_timeout_whatever_the_earlier_ones_had() {
        let mut timer = StreamTimer::default();
        for timeout in [10, 3, 7, 7, 1, 20].map(|seconds| seconds * SECOND) {
            let output = timer.within(timeout.into(), sleep(timeout - SECOND / 2)).await;
            assert_eq!(output, Ok(()));
            let began = Instant::now();
            assert_eq!(timer.within(timeout.into(), pending::<()>()).await, Err(timeout));
            assert_eq!(began.elapsed(), timeout);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_ready_item_is_returned_after_any_time_and_an_unlimited_wait_never_ends() {
        let mut timer = StreamTimer::default();
        assert!(timeout(SECOND / 2, timer.within(SECOND.into(), pending::<()>())).await.is_err());
        advance(5 * SECOND).await;
        assert_eq!(timer.within(SECOND.into(), ready(7)).await, Ok(7));
        for limit in [WaitLimit::default(), Duration::MAX.into()] {
            assert!(timeout(100 * SECOND, timer.within(limit, pending::<()>())).await.is_err());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_ends_a_wait_before_its_timeout() {
        let mut timer = StreamTimer::default();
        let limit = WaitLimit { timeout: Some(5 * SECOND), deadline: Some(Instant::now() + 7 * SECOND) };
        for seconds in [5, 2, 0] {
            assert_eq!(timer.within(limit, pending::<()>()).await, Err(seconds * SECOND));
        }
    }
}
