//! Priorities with aging, by earliest deadline first. The deadline of an item is fixed when it begins to wait, so that
//! later items can overtake it only for a limited time.

use std::time::Duration;

/// How long later items may overtake an item: the lower the rank, the earlier its turn.
///
/// The deadline of an item is the moment at which it began to wait plus the allowance of its priority. The item with the
/// earliest deadline is handed out first. A background item is therefore overtaken by live items that are added within
/// its allowance, and by none that are added later. For example, with the default allowance of 30 s:
///
/// ```text
/// background item added at 0 s   deadline 30 s
/// live item added at 10 s        deadline 10 s: first
/// live item added at 31 s        deadline 31 s: after the background item
/// ```
///
/// ```
/// use tidings_workqueue::Priority;
///
/// assert!(Priority::LIVE < Priority::new(64) && Priority::new(64) < Priority::BACKGROUND);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Priority(u8);

/// The allowance of each rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowances {
    pub(crate) background: Duration,
}

impl Priority {
    /// For recent changes. Later items never overtake it.
    pub const LIVE: Priority = Priority(0);

    /// For work that can wait: an initial list, a resync. Later items may overtake it for 30 s, or for
    /// [`WorkQueueBuilder::background_allowance`](crate::WorkQueueBuilder::background_allowance).
    pub const BACKGROUND: Priority = Priority(128);

    /// Any other priority. Its allowance is that of [`BACKGROUND`](Priority::BACKGROUND) times `rank / 128`: half of it
    /// for 64, nearly twice of it for 255.
    pub const fn new(rank: u8) -> Self {
        Priority(rank)
    }

    /// The rank: 0 for `LIVE`, 128 for `BACKGROUND`.
    pub const fn rank(self) -> u8 {
        self.0
    }
}

impl Allowances {
    pub(crate) const DEFAULT: Allowances = Allowances { background: Duration::from_secs(30) };

    /// How long later items may overtake an item of this priority.
    pub(crate) fn of(&self, priority: Priority) -> Duration {
        let nanos = self.background.as_nanos() * u128::from(priority.0) / u128::from(Priority::BACKGROUND.0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
