//! What happens to a request after a reconcile that succeeded.

use std::time::Duration;

/// What happens to a request after its reconcile. In every case, a change of the object, or of anything that is watched
/// for it, requests another reconcile.
///
/// ```
/// use std::time::Duration;
/// use tidings_controller::{Action, Context, Error, Request};
///
/// async fn reconcile(_request: Request, context: Context) -> Result<Action, Error> {
///     # let is_rolled_out = true;
///     if is_rolled_out {
///         Ok(Action::await_change())
///     } else {
///         Ok(Action::requeue_after(Duration::from_secs(10)))
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "an action has an effect only if the reconciler returns it"]
#[non_exhaustive]
pub enum Action {
    /// No reconcile until something changes.
    AwaitChange,
    /// Another reconcile, after the delay of the controller's rate limiter. The delay grows until the request ends in
    /// another way.
    Requeue,
    /// Another reconcile after this delay.
    RequeueAfter(Duration),
}

impl Action {
    /// No reconcile until something changes.
    pub fn await_change() -> Self {
        Action::AwaitChange
    }

    /// Another reconcile, after the delay of the controller's rate limiter. The delay grows until the request ends in
    /// another way.
    pub fn requeue() -> Self {
        Action::Requeue
    }

    /// Another reconcile after this delay.
    pub fn requeue_after(delay: Duration) -> Self {
        Action::RequeueAfter(delay)
    }
}
