//! What a reconciler asks for when it has ended well.

use std::time::Duration;

/// What shall happen to a request that was reconciled. A change to the object, or to anything that is watched for it, brings
/// the request back in every case.
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
#[must_use = "an action does something only when the reconciler returns it"]
pub enum Action {
    /// Nothing is left to do until something changes.
    AwaitChange,
    /// Once more, after a delay that grows each time until the request ends in another way.
    Requeue,
    /// Once more when so much time has passed.
    RequeueAfter(Duration),
}

impl Action {
    /// Nothing is left to do until something changes.
    pub fn await_change() -> Self {
        Action::AwaitChange
    }

    /// Once more, after a delay that grows each time until the request ends in another way.
    pub fn requeue() -> Self {
        Action::Requeue
    }

    /// Once more when so much time has passed.
    pub fn requeue_after(delay: Duration) -> Self {
        Action::RequeueAfter(delay)
    }
}
