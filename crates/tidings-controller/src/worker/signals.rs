//! The signals that end a controller, and how a worker waits for them while it works.
//!
//! A worker checks its signals each time it polls its work, so that it never misses one. It registers for a wake-up
//! only while the work is pending, with a future that is made once for each worker: most work is never pending, and
//! making such a future costs as much as the rest of a small reconcile.
//!
//! The time limit of a reconcile works in the same way. A worker has one timer. It is set when a reconcile is first
//! pending, and later reconciles leave it alone. Example with a limit of one hour:
//!
//! ```text
//! 00:00  reconcile A is pending     timer set to 01:00
//! 00:20  A is done, B is pending    B may run until 01:20; the timer stays at 01:00
//! 01:00  the timer fires            B has time left: the timer is reset to 01:20
//! 01:20  the timer fires            B has passed its deadline and is dropped
//! ```

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The two ways to end a [`ControllerTask`](crate::ControllerTask). They are named fields, so that they can't be
/// swapped by mistake. A single token converts to `stop`; then nothing is ever abandoned.
///
/// ```
/// use tidings_controller::Signals;
/// use tokio_util::sync::CancellationToken;
///
/// let stop = CancellationToken::new();
/// let gentle = Signals::from(stop.clone());
/// let strict = Signals { stop, abandon: CancellationToken::new() };
/// # drop((gentle, strict));
/// ```
#[derive(Debug, Clone)]
pub struct Signals {
    /// Take no new requests, and finish the reconciles that run.
    pub stop: CancellationToken,
    /// Drop the reconciles that run, at their next await.
    pub abandon: CancellationToken,
}

impl From<CancellationToken> for Signals {
    fn from(stop: CancellationToken) -> Self {
        Signals { stop, abandon: CancellationToken::new() }
    }
}

/// The signals of one worker.
pub(super) struct SignalWaits {
    signals: Signals,
    stop: CancellationWait,
    abandon: CancellationWait,
    /// The key of the current request moved to another replica.
    lost: Option<CancellationWait>,
    timer: Timer,
}

/// How work that can be cut short ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Completion<T> {
    /// It completed.
    Done(T),
    /// A signal ended it.
    Abandoned,
    /// It took too long.
    DeadlinePassed,
}

/// The timer of a worker. See the module's example.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

struct CancellationWait {
    signal: CancellationToken,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl SignalWaits {
    pub(super) fn new(signals: Signals) -> Self {
        let (stop, abandon) =
            (CancellationWait::new(signals.stop.clone()), CancellationWait::new(signals.abandon.clone()));
        SignalWaits { signals, stop, abandon, lost: None, timer: Timer::default() }
    }

    pub(super) fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Abandons the next work when this token is cancelled, too.
    pub(super) fn lose_with(&mut self, lost: Option<CancellationToken>) {
        self.lost = lost.map(CancellationWait::new);
    }

    /// The result of `work`. `None` if a signal is given first.
    pub(super) async fn unless_ended<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let waits = [Some(&mut self.stop), Some(&mut self.abandon), self.lost.as_mut()];
        unless(waits, work).await
    }

    /// The result of `work`, unless it is abandoned or passes its deadline first.
    pub(super) async fn finished_by<T>(
        &mut self,
        until: Option<Instant>,
        work: impl Future<Output = T>,
    ) -> Completion<T> {
        let (timer, mut work) = (&mut self.timer, pin!(work));
        let in_time = poll_fn(|cx| match (work.as_mut().poll(cx), until) {
            (Poll::Ready(value), _) => Poll::Ready(Completion::Done(value)),
            (Poll::Pending, Some(until)) => timer.poll(cx, until).map(|()| Completion::DeadlinePassed),
            (Poll::Pending, None) => Poll::Pending,
        });
        let finished = unless([Some(&mut self.abandon), self.lost.as_mut()], in_time).await;
        finished.unwrap_or(Completion::Abandoned)
    }
}

impl Timer {
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

impl CancellationWait {
    fn new(signal: CancellationToken) -> Self {
        CancellationWait { cancelled: Box::pin(signal.clone().cancelled_owned()), signal }
    }
}

async fn unless<T, const N: usize>(
    mut waits: [Option<&mut CancellationWait>; N],
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|cx| {
        if waits.iter().flatten().any(|wait| wait.signal.is_cancelled()) {
            return Poll::Ready(None);
        }
        if let Poll::Ready(value) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        let is_given = waits.iter_mut().flatten().any(|wait| wait.cancelled.as_mut().poll(cx).is_ready());
        if is_given { Poll::Ready(None) } else { Poll::Pending }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use std::time::Duration;

    use futures_util::FutureExt;
    use tokio::time::sleep;

    use super::*;

    fn signals() -> Signals {
        Signals { stop: CancellationToken::new(), abandon: CancellationToken::new() }
    }

    #[tokio::test]
    async fn a_signal_ends_pending_work_and_stays_given() {
        let signals = signals();
        let mut waits = SignalWaits::new(signals.clone());
        for round in 0..3 {
            assert_eq!(waits.unless_ended(ready(round)).await, Some(round));
            assert!(waits.unless_ended(pending::<()>()).now_or_never().is_none());
        }
        let (ended, ()) = tokio::join!(waits.unless_ended(pending::<()>()), async { signals.stop.cancel() });
        assert_eq!(ended, None);
        assert_eq!(waits.unless_ended(ready(())).await, None, "a signal stays given");
        assert_eq!(waits.finished_by(None, ready(())).await, Completion::Done(()), "a stop abandons nothing");
    }

    #[tokio::test]
    async fn a_lost_key_abandons_only_its_own_work() {
        let mut waits = SignalWaits::new(signals());
        let lost = CancellationToken::new();
        waits.lose_with(Some(lost.clone()));
        let (ended, ()) = tokio::join!(waits.finished_by(None, pending::<()>()), async { lost.cancel() });
        assert_eq!(ended, Completion::Abandoned);
        waits.lose_with(None);
        assert_eq!(waits.finished_by(None, ready(())).await, Completion::Done(()));
    }

    #[tokio::test(start_paused = true)]
    async fn each_work_has_its_own_deadline_with_one_shared_timer() {
        let (mut waits, second) = (SignalWaits::new(signals()), Duration::from_secs(1));
        for limit in [10, 3, 7, 7, 1, 20].map(|seconds| seconds * second) {
            let began = Instant::now();
            let finished = waits.finished_by(Some(began + limit), sleep(limit - second / 2)).await;
            assert_eq!(finished, Completion::Done(()));
            let began = Instant::now();
            assert_eq!(
                waits.finished_by(Some(began + limit), pending::<()>()).await,
                Completion::DeadlinePassed
            );
            assert_eq!(began.elapsed(), limit);
        }
    }
}
