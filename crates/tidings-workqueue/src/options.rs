//! What can be set: for a queue when it is built, for an item when it is added.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;

use crate::fair::Share;
use crate::item::Item;
use crate::limiter::{RateLimiter, default_for_controllers};
use crate::priority::{Allowances, Priority};
use crate::queue::WorkQueue;

/// How an item is added.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::{AddOptions, Priority, WorkQueue};
///
/// let queue = WorkQueue::new();
/// queue.add_with("web-0", AddOptions::new().priority(Priority::BACKGROUND).after(Duration::from_secs(60)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddOptions {
    pub(crate) priority: Priority,
    pub(crate) after: Option<Duration>,
    pub(crate) is_rate_limited: bool,
}

impl AddOptions {
    /// Live, at once, without a rate limit.
    pub fn new() -> Self {
        AddOptions::default()
    }

    /// How long it lets others pass.
    #[must_use]
    pub fn priority(self, priority: Priority) -> Self {
        AddOptions { priority, ..self }
    }

    /// Not before this time has passed.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        AddOptions { after: Some(delay), ..self }
    }

    /// Not before the queue's rate limiter allows it. With `after` too, the longer delay holds.
    #[must_use]
    pub fn rate_limited(self) -> Self {
        AddOptions { is_rate_limited: true, ..self }
    }
}

/// What makes a share of an item.
pub(crate) type ShareOf<T> = Arc<dyn Fn(&T) -> Share + Send + Sync>;

/// How a queue is built.
pub struct Builder<T> {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) limiter: Arc<dyn RateLimiter<T>>,
    pub(crate) allowances: Allowances,
    pub(crate) share_of: Option<ShareOf<T>>,
}

impl<T: Item> Builder<T> {
    pub(crate) fn new() -> Self {
        Builder {
            name: None,
            limiter: Arc::new(default_for_controllers()),
            allowances: Allowances::DEFAULT,
            share_of: None,
        }
    }

    /// The value of the label `name` in the queue's metrics. A queue without a name has no metrics, and keeps no
    /// times: its clock is read only where a delay or a priority asks for it.
    #[must_use]
    pub fn name(self, name: impl Into<Arc<str>>) -> Self {
        Builder { name: Some(name.into()), ..self }
    }

    /// What `add_rate_limited` asks; [`default_for_controllers`] otherwise.
    #[must_use]
    pub fn limiter(self, limiter: impl RateLimiter<T>) -> Self {
        Builder { limiter: Arc::new(limiter), ..self }
    }

    /// How long an item of [`Priority::BACKGROUND`] lets later ones pass, 30 s otherwise. Other ranks follow in
    /// proportion.
    #[must_use]
    pub fn background_allowance(self, allowance: Duration) -> Self {
        Builder { allowances: Allowances { background: allowance }, ..self }
    }

    /// Serves the items of each priority share by share, for instance by their namespaces: each share with waiting
    /// items has one turn before any has a second one.
    #[must_use]
    pub fn fair_by<S: Hash>(self, share_of: impl Fn(&T) -> S + Send + Sync + 'static) -> Self {
        let hasher = RandomState::default();
        let share_of: ShareOf<T> = Arc::new(move |item| hasher.hash_one(share_of(item)));
        Builder { share_of: Some(share_of), ..self }
    }

    /// An open queue without items.
    pub fn build(self) -> WorkQueue<T> {
        WorkQueue::of(self)
    }
}

impl<T> fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("name", &self.name).field("allowances", &self.allowances).finish()
    }
}
