//! The options of a queue, and of an add.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;

use crate::flows::FlowId;
use crate::item::Item;
use crate::limiter::{RateLimiter, default_for_controllers};
use crate::priority::{Allowances, Priority};
use crate::queue::WorkQueue;

/// The options of an add.
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
    /// Live, without a delay and without a rate limit.
    pub fn new() -> Self {
        AddOptions::default()
    }

    /// The priority.
    #[must_use]
    pub fn priority(self, priority: Priority) -> Self {
        AddOptions { priority, ..self }
    }

    /// Delays the item.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        AddOptions { after: Some(delay), ..self }
    }

    /// Delays the item by the queue's rate limiter. With `after` too, the longer delay applies.
    #[must_use]
    pub fn rate_limited(self) -> Self {
        AddOptions { is_rate_limited: true, ..self }
    }
}

/// Computes the flow of an item.
pub(crate) type FlowOf<T> = Arc<dyn Fn(&T) -> FlowId + Send + Sync>;

/// Builds a [`WorkQueue`].
pub struct WorkQueueBuilder<T> {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) limiter: Arc<dyn RateLimiter<T>>,
    pub(crate) allowances: Allowances,
    pub(crate) flow_of: Option<FlowOf<T>>,
}

impl<T: Item> WorkQueueBuilder<T> {
    pub(crate) fn new() -> Self {
        WorkQueueBuilder {
            name: None,
            limiter: Arc::new(default_for_controllers()),
            allowances: Allowances::DEFAULT,
            flow_of: None,
        }
    }

    /// The name of the queue, which is the label `name` of its metrics. A queue without a name has no metrics and measures
    /// no times: it reads the clock only for delays and priorities.
    #[must_use]
    pub fn named(self, name: impl Into<Arc<str>>) -> Self {
        WorkQueueBuilder { name: Some(name.into()), ..self }
    }

    /// The rate limiter of `add_rate_limited`, by default [`default_for_controllers`].
    #[must_use]
    pub fn limiter(self, limiter: impl RateLimiter<T>) -> Self {
        WorkQueueBuilder { limiter: Arc::new(limiter), ..self }
    }

    /// How long later items may overtake an item of [`Priority::BACKGROUND`], by default 30 s. The allowances of other ranks
    /// are proportional.
    #[must_use]
    pub fn background_allowance(self, allowance: Duration) -> Self {
        WorkQueueBuilder { allowances: Allowances { background: allowance }, ..self }
    }

    /// Fair queueing: the items of each priority are divided into flows, for instance by namespace, and the flows are
    /// served round robin. Each flow with waiting items has one turn before any has a second one.
    #[must_use]
    pub fn fair_by<S: Hash>(self, flow_of: impl Fn(&T) -> S + Send + Sync + 'static) -> Self {
        let hasher = RandomState::default();
        let flow_of: FlowOf<T> = Arc::new(move |item| hasher.hash_one(flow_of(item)));
        WorkQueueBuilder { flow_of: Some(flow_of), ..self }
    }

    /// Makes an empty queue.
    pub fn build(self) -> WorkQueue<T> {
        WorkQueue::of(self)
    }
}

impl<T> fmt::Debug for WorkQueueBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueBuilder")
            .field("name", &self.name)
            .field("allowances", &self.allowances)
            .finish()
    }
}
