//! The options of a reflector. The defaults are those of client-go where it has the option.

use std::num::NonZeroU32;
use std::time::Duration;

use rand::Rng;
use tidings_util::backoff::BackoffConfig;

/// Declares a struct of options: for each option its documentation, name, type and default, in one place. A setter of the
/// same name is the only public way to an option, so that an option can change its representation later.
macro_rules! options {
    (
        $(#[$about:meta])*
        $config:ident { $($(#[$option:meta])* $field:ident: $kind:ty = $default:expr,)* }
    ) => {
        $(#[$about])*
        #[non_exhaustive]
        pub struct $config {
            $(pub(super) $field: $kind,)*
        }

        impl Default for $config {
            fn default() -> Self {
                $config { $($field: $default,)* }
            }
        }

        impl $config {
            $(
                $(#[$option])*
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

options! {
    /// The options of a [`Reflector`](super::Reflector).
    ///
    /// ```
    /// use std::time::Duration;
    /// use tidings_informer::reflector::{ListMode, ReflectorConfig};
    ///
    /// let config = ReflectorConfig::default()
    ///     .list_mode(ListMode::Chunked)
    ///     .watch_timeout_min(Duration::from_secs(20 * 60));
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    ReflectorConfig {
        /// How objects are listed. Default: streaming, and page by page where the server refuses that.
        list_mode: ListMode = ListMode::default(),
        /// The size of the pages of a list. Default: [`Paging::Auto`].
        paging: Paging = Paging::default(),
        /// The minimum duration of a watch. Each watch requests a random duration between this and twice this. A value
        /// below `watch_timeout_floor` is ignored. Default 5 min.
        watch_timeout_min: Duration = Duration::from_secs(300),
        /// The lower limit of `watch_timeout_min`. Lower it only in tests. Default 5 min.
        watch_timeout_floor: Duration = Duration::from_secs(300),
        /// The delays after failures.
        backoff: BackoffConfig = BackoffConfig::default(),
        /// The longest Retry-After of a server that is obeyed. Default 5 min.
        retry_after_max: Duration = Duration::from_secs(300),
        /// For this long after the first internal error (500) inside a watch, internal errors do not cause a relist: the
        /// watch is reopened at once. After a minute without such errors the window can open again. Default zero: never.
        internal_error_window: Duration = Duration::ZERO,
        /// The longest time without an initial event in a streaming list before its end marker. Other events do not
        /// count. Default 30 s.
        marker_silence_max: Duration = Duration::from_secs(30),
        /// The longest time without data in a page of a list. Default 90 s: a server ends a request after 60 s.
        list_silence_max: Duration = Duration::from_secs(90),
        /// After the server has refused a streaming list, none is tried for this long. Default 1 h.
        refusal_memory: Duration = Duration::from_secs(60 * 60),
        /// When a silent watch is reopened; `None` never reopens one.
        liveness: Option<LivenessConfig> = Some(LivenessConfig::default()),
        /// When the reflector gives up. Default: never.
        stop_policy: StopPolicy = StopPolicy::default(),
    }
}

options! {
    /// When a silent watch is reopened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    LivenessConfig {
        /// A watch is reopened after this many bookmark intervals of silence. Default 3.
        intervals: u32 = 3,
        /// A watch is never reopened after a shorter silence. Default 5 s.
        silence_min: Duration = Duration::from_secs(5),
        /// A watch is always reopened after this silence, also before its first bookmark and after it was doubled.
        /// Default 3 min.
        silence_max: Duration = Duration::from_secs(3 * 60),
    }
}

options! {
    /// After how many equal refusals in a row a reflector gives up; `None` is never.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use tidings_informer::reflector::{ReflectorConfig, StopPolicy};
    ///
    /// let policy = StopPolicy::default().not_found_max(NonZeroU32::new(5));
    /// let config = ReflectorConfig::default().stop_policy(policy);
    /// ```
    ///
    /// The default is never, because rights may be granted and resources may be created later. A reflector of a resource
    /// that may be deleted may want to end. An informer whose reflector gave up has failed: its probes fail, and a
    /// manager ends.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    StopPolicy {
        /// How many answers 401 (Unauthorized).
        unauthorized_max: Option<NonZeroU32> = None,
        /// How many answers 403 (Forbidden).
        forbidden_max: Option<NonZeroU32> = None,
        /// How many answers 404 (NotFound).
        not_found_max: Option<NonZeroU32> = None,
    }
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

/// The page size of [`Paging::Auto`].
const PAGE_OBJECTS: u32 = 500;

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
