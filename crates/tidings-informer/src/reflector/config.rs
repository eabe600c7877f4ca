//! What can be set on a reflector, with the defaults of client-go where it has them.

use std::num::NonZeroU32;
use std::time::Duration;

use rand::Rng;
use tidings_util::backoff::BackoffConfig;

use super::liveness::LivenessConfig;

/// What can be set on a [`Reflector`](super::Reflector). Each field has a setter of the same name, by value.
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
pub struct ReflectorConfig {
    /// How objects are listed. Default: streaming, with pages where the server refuses it.
    pub list_mode: ListMode,
    /// How large the pages of a list are. Default: [`Paging::Auto`].
    pub paging: Paging,
    /// The least time that a watch is asked to last; each is asked for a random time up to twice as long.
    /// A value below `watch_timeout_floor` is ignored. Default 5 min.
    pub watch_timeout_min: Duration,
    /// What `watch_timeout_min` can't go below. Only a test has reasons to lower it. Default 5 min.
    pub watch_timeout_floor: Duration,
    /// The ladder of waits after failures.
    pub backoff: BackoffConfig,
    /// The longest time that a server's Retry-After is obeyed. Default 5 min.
    pub retry_after_max: Duration,
    /// For how long after the first of them internal errors inside a watch are answered by watching on at once.
    /// The window opens again after a minute without. Default zero: never.
    pub internal_error_window: Duration,
    /// How long a streaming list may bring nothing of its initial events before its end marker; what else it brings
    /// does not count. Default 30 s.
    pub marker_silence_max: Duration,
    /// How long a page of a list may be silent. Default 90 s: a server ends what takes it longer than 60.
    pub list_silence_max: Duration,
    /// For how long streaming lists are not tried again after the server refused one. Default 1 h.
    pub refusal_memory: Duration,
    /// Whether and how a watch that falls silent is noticed.
    pub liveness: Option<LivenessConfig>,
    /// When to give up. Default: never.
    pub stop_policy: StopPolicy,
}

/// How objects are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ListMode {
    /// As the initial events of a watch, which then goes on (KEP-3157).
    #[default]
    Streaming,
    /// Page by page.
    Chunked,
}

/// How large the pages of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Paging {
    /// Pages of 500 where they help: on the first list and on lists of the most recent state. A later list is
    /// asked for whole, which lets the server's watch cache answer it, unless the first came in pages: then the
    /// server has no such cache.
    #[default]
    Auto,
    /// Pages of so many objects, always.
    Always(NonZeroU32),
}

/// After how many refusals in a row a reflector gives up, a kind of refusal each; `None` is never.
///
/// By default it never does: rights are granted and resources appear later. A reflector that watches a resource
/// which somebody deleted may want to end. An informer that gave up has failed: probe_schedule fail, and a manager ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StopPolicy {
    /// 401.
    pub unauthorized_max: Option<NonZeroU32>,
    /// 403.
    pub forbidden_max: Option<NonZeroU32>,
    /// 404.
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
    ($($field:ident: $kind:ty,)*) => {
        impl ReflectorConfig {
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

impl ReflectorConfig {
    /// How long the next watch is asked to last: anything from the minimum to twice as much, so that watches
    /// which were opened together do not end together.
    pub(super) fn watch_timeout_seconds(&self, rng: &mut impl Rng) -> u32 {
        let min = self.watch_timeout_min.max(self.watch_timeout_floor).as_secs();
        let min = u32::try_from(min).unwrap_or(u32::MAX);
        rng.random_range(min..=min.saturating_mul(2))
    }
}

impl Paging {
    /// How many objects a page of such a list may have.
    pub(super) fn limit(self, asked: PagedListKind) -> Option<u32> {
        match (self, asked) {
            (Paging::Always(objects), _) => Some(objects.get()),
            (Paging::Auto, PagedListKind::SinceVersionFromCache) => None,
            (Paging::Auto, _) => Some(PAGE_OBJECTS),
        }
    }
}

/// What kind of list is asked for, as far as paging cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PagedListKind {
    /// Anything will do, or the most recent state.
    AnyOrMostRecent,
    /// Not older than a version, of a server whose watch cache can answer.
    SinceVersionFromCache,
    /// Not older than a version, of a server that answers in pages.
    SinceVersionInPages,
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::SmallRng;

    use super::*;

    // holds: R4, R5
    #[test]
    fn a_watch_lasts_between_the_minimum_and_twice_as_long_and_never_less_than_five_minutes() {
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
