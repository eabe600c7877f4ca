//! How a controller is told to end, and how a worker waits for that beside its work.
//!
//! A signal is looked at before every step of a work, so that one which was given is never passed over; it is waited for only
//! while the work itself waits, and by a wait that was made once: most work never waits, and making a wait costs as much as
//! the rest of a small reconcile.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

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
pub(super) struct Waits {
    signals: Signals,
    stop: Wait,
    abandon: Wait,
    /// The key that is worked on was lost to another replica.
    lost: Option<Wait>,
}

struct Wait {
    signal: CancellationToken,
    given: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Waits {
    pub(super) fn new(signals: Signals) -> Self {
        let (stop, abandon) = (Wait::new(signals.stop.clone()), Wait::new(signals.abandon.clone()));
        Waits { signals, stop, abandon, lost: None }
    }

    pub(super) fn signals(&self) -> &Signals {
        &self.signals
    }

    /// What is worked on next is abandoned with this as well.
    pub(super) fn lose_with(&mut self, lost: Option<CancellationToken>) {
        self.lost = lost.map(Wait::new);
    }

    /// What `work` comes to, unless the controller is to stop or to abandon it before that.
    pub(super) async fn unless_ended<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let waits = [Some(&mut self.stop), Some(&mut self.abandon), self.lost.as_mut()];
        unless(waits, work).await
    }

    /// What `work` comes to, unless it is to be abandoned before that.
    pub(super) async fn unless_abandoned<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        unless([Some(&mut self.abandon), self.lost.as_mut()], work).await
    }
}

impl Wait {
    fn new(signal: CancellationToken) -> Self {
        Wait { given: Box::pin(signal.clone().cancelled_owned()), signal }
    }
}

async fn unless<T, const N: usize>(
    mut waits: [Option<&mut Wait>; N],
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

    use futures_util::FutureExt;

    use super::*;

    fn signals() -> Signals {
        Signals { stop: CancellationToken::new(), abandon: CancellationToken::new() }
    }

    #[tokio::test]
    async fn a_signal_ends_a_work_that_waits_each_time_anew() {
        let signals = signals();
        let mut waits = Waits::new(signals.clone());
        for round in 0..3 {
            assert_eq!(waits.unless_ended(ready(round)).await, Some(round));
            assert!(waits.unless_ended(pending::<()>()).now_or_never().is_none());
        }
        let (ended, ()) = tokio::join!(waits.unless_ended(pending::<()>()), async { signals.stop.cancel() });
        assert_eq!(ended, None);
        assert_eq!(waits.unless_ended(ready(())).await, None, "what was given stays given");
        assert_eq!(waits.unless_abandoned(ready(())).await, Some(()), "a stop abandons nothing");
    }

    #[tokio::test]
    async fn a_key_that_is_lost_abandons_its_own_work_only() {
        let mut waits = Waits::new(signals());
        let lost = CancellationToken::new();
        waits.lose_with(Some(lost.clone()));
        let (ended, ()) = tokio::join!(waits.unless_abandoned(pending::<()>()), async { lost.cancel() });
        assert_eq!(ended, None);
        waits.lose_with(None);
        assert_eq!(waits.unless_abandoned(ready(())).await, Some(()));
    }
}
