//! How a controller is told to end, and how a worker waits for that beside its work.
//!
//! A signal is looked at before every step of a work, so that one which was given is never passed over; it is waited for only
//! while the work itself waits, and by a wait that was made once: most work never waits, and making a wait costs as much as
//! the rest of a small reconcile.
//!
//! The limit on the time of a reconcile is kept in the same way. A worker has one timer, which is set when a reconcile
//! first waits and then left alone: with a limit of an hour it fires about once an hour, finds that the reconcile of
//! that moment has time left, and is set to the end of that time.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The two ways to end a [`ControllerTask`](crate::ControllerTask). They have names, so that they can't be swapped by
/// mistake. A single token is a `stop`: then nothing is ever abandoned.
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
    /// Take nothing new, and finish what runs.
    pub stop: CancellationToken,
    /// Drop what runs, at its next await.
    pub abandon: CancellationToken,
}

impl From<CancellationToken> for Signals {
    fn from(stop: CancellationToken) -> Self {
        Signals { stop, abandon: CancellationToken::new() }
    }
}

/// The signals as one worker waits for them.
pub(super) struct SignalWaits {
    signals: Signals,
    stop: CancellationWait,
    abandon: CancellationWait,
    /// The key that is worked on was lost to another replica.
    lost: Option<CancellationWait>,
    timer: Timer,
}

/// How a work ended that may be cut short.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Completion<T> {
    /// By itself.
    Done(T),
    /// It was to be abandoned.
    Abandoned,
    /// Its time was over.
    DeadlinePassed,
}

/// The one timer of a worker.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

struct CancellationWait {
    signal: CancellationToken,
    given: Pin<Box<WaitForCancellationFutureOwned>>,
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

    /// What is worked on next is abandoned with this as well.
    pub(super) fn lose_with(&mut self, lost: Option<CancellationToken>) {
        self.lost = lost.map(CancellationWait::new);
    }

    /// What `work` comes to, unless the controller is to stop or to abandon it before that.
    pub(super) async fn unless_ended<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let waits = [Some(&mut self.stop), Some(&mut self.abandon), self.lost.as_mut()];
        unless(waits, work).await
    }

    /// What `work` comes to, unless it is to be abandoned or its time is over before that. Without a time it has all
    /// the time there is.
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
        CancellationWait { given: Box::pin(signal.clone().cancelled_owned()), signal }
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
        let is_given = waits.iter_mut().flatten().any(|wait| wait.given.as_mut().poll(cx).is_ready());
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
    async fn a_signal_ends_a_work_that_waits_each_time_anew() {
        let signals = signals();
        let mut waits = SignalWaits::new(signals.clone());
        for round in 0..3 {
            assert_eq!(waits.unless_ended(ready(round)).await, Some(round));
            assert!(waits.unless_ended(pending::<()>()).now_or_never().is_none());
        }
        let (ended, ()) = tokio::join!(waits.unless_ended(pending::<()>()), async { signals.stop.cancel() });
        assert_eq!(ended, None);
        assert_eq!(waits.unless_ended(ready(())).await, None, "what was given stays given");
        assert_eq!(waits.finished_by(None, ready(())).await, Completion::Done(()), "a stop abandons nothing");
    }

    #[tokio::test]
    async fn a_key_that_is_lost_abandons_its_own_work_only() {
        let mut waits = SignalWaits::new(signals());
        let lost = CancellationToken::new();
        waits.lose_with(Some(lost.clone()));
        let (ended, ()) = tokio::join!(waits.finished_by(None, pending::<()>()), async { lost.cancel() });
        assert_eq!(ended, Completion::Abandoned);
        waits.lose_with(None);
        assert_eq!(waits.finished_by(None, ready(())).await, Completion::Done(()));
    }

    #[tokio::test(start_paused = true)]
    async fn every_work_has_its_own_time_whatever_the_works_before_it_had() {
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
