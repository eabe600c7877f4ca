//! The options of a reflector. The defaults are those of client-go where it has the option.

use std::num::NonZeroU32;
use std::time::Duration;

use rand::Rng;
use tidings_util::backoff::BackoffConfig;

use super::liveness::LivenessConfig;

/// The options of a [`Reflector`](super::Reflector). Each field has a setter of the same name.
///
/// ```
/// use std::time::Duration;
/// use tidings_informer::reflector::{ListMode, ReflectorConfig};
///
/// let config = ReflectorConfig::default()
///     .list_mode(ListMode::Chunked)
///     .watch_timeout_min(Duration::from_secs(20 * 60));
/// assert_eq!(config.retry_after_max, Duration::from_secs(300));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReflectorConfig {
    /// How objects are listed. Default: streaming, and page by page where the server refuses that.
    pub list_mode: ListMode,
    /// The size of the pages of a list. Default: [`Paging::Auto`].
    pub paging: Paging,
    /// The minimum duration of a watch. Each watch requests a random duration between this and twice this. A value
    /// below `watch_timeout_floor` is ignored. Default 5 min.
    pub watch_timeout_min: Duration,
    /// The lower limit of `watch_timeout_min`. Lower it only in tests. Default 5 min.
    pub watch_timeout_floor: Duration,
    /// The delays after failures.
    pub backoff: BackoffConfig,
    /// The longest Retry-After of a server that is obeyed. Default 5 min.
    pub retry_after_max: Duration,
    /// For this long after the first internal error (500) inside a watch, internal errors do not cause a relist: the
    /// watch is reopened at once. After a minute without such errors the window can open again. Default zero: never.
    pub internal_error_window: Duration,
    /// The longest time without an initial event in a streaming list before its end marker. Other events do not count.
    /// Default 30 s.
    pub marker_silence_max: Duration,
    /// The longest time without data in a page of a list. Default 90 s: a server ends a request after 60 s.
    pub list_silence_max: Duration,
    /// After the server has refused a streaming list, none is tried for this long. Default 1 h.
    pub refusal_memory: Duration,
    /// When a silent watch is reopened; `None` never reopens one.
    pub liveness: Option<LivenessConfig>,
    /// When the reflector gives up. Default: never.
    pub stop_policy: StopPolicy,
}

/// How objects are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ListMode {
    /// As the initial events of a watch, whose stream then continues as the watch (KEP-3157).
    #[default]
    Streaming,
    /// Page by page.
    Chunked,
}

/// The size of the pages of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Paging {
    /// Pages of 500 objects for the first list and for lists of the most recent state. A later list requests everything
    /// in one response, so that the watch cache of the server can answer it. If the first list arrived in pages, the
    /// server has no watch cache, and later lists are paged too.
    #[default]
    Auto,
    /// Every list in pages of this many objects.
    Always(NonZeroU32),
}

/// After how many equal refusals in a row a reflector gives up; `None` is never.
///
/// ```
/// use std::num::NonZeroU32;
/// use tidings_informer::reflector::{ReflectorConfig, StopPolicy};
///
/// let policy = StopPolicy::default().not_found_max(NonZeroU32::new(5));
/// let config = ReflectorConfig::default().stop_policy(policy);
/// # assert_eq!(config.stop_policy.forbidden_max, None);
/// ```
///
/// The default is never, because rights may be granted and resources may be created later. A reflector of a resource
/// that may be deleted may want to end. An informer whose reflector gave up has failed: its probes fail, and a manager
/// ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct StopPolicy {
    /// How many answers 401 (Unauthorized).
    pub unauthorized_max: Option<NonZeroU32>,
    /// How many answers 403 (Forbidden).
    pub forbidden_max: Option<NonZeroU32>,
    /// How many answers 404 (NotFound).
    pub not_found_max: Option<NonZeroU32>,
}

/// The page size of [`Paging::Auto`].
const PAGE_OBJECTS: u32 = 500;

impl Default for ReflectorConfig {
    fn default() -> Self {
        ReflectorConfig {
            list_mode: ListMode::default(),
            paging: Paging::default(),
            watch_timeout_min: Duration::from_secs(300),
            watch_timeout_floor: Duration::from_secs(300),
            backoff: BackoffConfig::default(),
            retry_after_max: Duration::from_secs(300),
            internal_error_window: Duration::ZERO,
            marker_silence_max: Duration::from_secs(30),
            list_silence_max: Duration::from_secs(90),
            refusal_memory: Duration::from_secs(60 * 60),
            liveness: Some(LivenessConfig::default()),
            stop_policy: StopPolicy::default(),
        }
    }
}

macro_rules! setters {
    ($config:ident { $($field:ident: $kind:ty,)* }) => {
        impl $config {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

setters! {
    ReflectorConfig {
        list_mode: ListMode,
        paging: Paging,
        watch_timeout_min: Duration,
        watch_timeout_floor: Duration,
        backoff: BackoffConfig,
        retry_after_max: Duration,
        internal_error_window: Duration,
        marker_silence_max: Duration,
        list_silence_max: Duration,
        refusal_memory: Duration,
        liveness: Option<LivenessConfig>,
        stop_policy: StopPolicy,
    }
}

setters! {
    StopPolicy {
        unauthorized_max: Option<NonZeroU32>,
        forbidden_max: Option<NonZeroU32>,
        not_found_max: Option<NonZeroU32>,
    }
}

setters! {
    LivenessConfig {
        intervals: u32,
        silence_min: Duration,
        silence_max: Duration,
    }
}

impl ReflectorConfig {
    /// The duration to request for the next watch: random between the minimum and twice the minimum, so that watches
    /// that were opened together do not end together.
    pub(super) fn watch_timeout_seconds(&self, rng: &mut impl Rng) -> u32 {
        let min = self.watch_timeout_min.max(self.watch_timeout_floor).as_secs();
        let min = u32::try_from(min).unwrap_or(u32::MAX);
        rng.random_range(min..=min.saturating_mul(2))
    }
}

impl Paging {
    /// The number of objects per page of such a list; `None` for a list without pages.
    pub(super) fn limit(self, kind: PagedListKind) -> Option<u32> {
        match (self, kind) {
            (Paging::Always(objects), _) => Some(objects.get()),
            (Paging::Auto, PagedListKind::SinceVersionFromCache) => None,
            (Paging::Auto, _) => Some(PAGE_OBJECTS),
        }
    }
}

/// The kinds of lists that differ in paging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PagedListKind {
    /// A list of any version, or of the most recent state.
    AnyOrMostRecent,
    /// A list not older than a version, from a server with a watch cache.
    SinceVersionFromCache,
    /// A list not older than a version, from a server without a watch cache.
    SinceVersionInPages,
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::SmallRng;

    use super::*;

    // holds: R4, R5
    #[test]
    fn a_watch_requests_one_to_two_times_the_minimum_and_at_least_five_minutes() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        for (set, low) in [(minutes(5), 300), (minutes(1), 300), (Duration::ZERO, 300), (minutes(20), 1200)] {
            let config = ReflectorConfig::default().watch_timeout_min(set);
            let mut rng = SmallRng::seed_from_u64(7);
            let drawn: Vec<_> = (0..20_000).map(|_| config.watch_timeout_seconds(&mut rng)).collect();
            assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&low), Some(&(2 * low))), "{set:?}");
            let below_middle = drawn.iter().filter(|&&seconds| seconds < low * 3 / 2).count();
            assert!((9_500..10_500).contains(&below_middle), "not uniform: {below_middle}");
        }
    }
}
