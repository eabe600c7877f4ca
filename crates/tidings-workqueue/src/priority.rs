//! How patient an item is, and the deadline that follows from it. Ageing lies in the deadline: it is fixed when an
//! item begins to wait, so that those who come later can overtake it only for so long.

use std::time::Duration;

/// How long an item lets later ones pass: the smaller the rank, the sooner its turn.
///
/// An item's deadline is the moment at which it began to wait plus the allowance of its priority, and the item with
/// the earliest deadline goes first. So a background item goes behind every live one at first, and before every
/// live one that was added after its allowance had passed: it is overtaken for no longer than that.
///
/// ```
/// use tidings_workqueue::Priority;
///
/// assert!(Priority::LIVE < Priority::new(64) && Priority::new(64) < Priority::BACKGROUND);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Priority(u8);

/// What each rank may wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowances {
    pub(crate) background: Duration,
}

impl Priority {
    /// For what just changed. Lets nobody pass who came later.
    pub const LIVE: Priority = Priority(0);

    /// For what can wait: an initial list, a resync. Lets later ones pass for 30 s, or as
    /// [`Builder::background_allowance`](crate::Builder::background_allowance) says.
    pub const BACKGROUND: Priority = Priority(128);

    /// A priority of one's own. Its allowance is that of [`BACKGROUND`](Priority::BACKGROUND) times
    /// `rank / 128`: 64 lets others pass half as long, 255 nearly twice as long.
    pub const fn new(rank: u8) -> Self {
        Priority(rank)
    }

    /// What `new` was given: 0 for `LIVE`, 128 for `BACKGROUND`.
    pub const fn rank(self) -> u8 {
        self.0
    }
}

impl Allowances {
    pub(crate) const DEFAULT: Allowances = Allowances { background: Duration::from_secs(30) };

    /// How long an item of this priority lets later ones pass.
    pub(crate) fn of(&self, priority: Priority) -> Duration {
        let nanos = self.background.as_nanos() * u128::from(priority.0) / u128::from(Priority::BACKGROUND.0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
