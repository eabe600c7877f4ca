//! How far a cache may be behind the server, and what a controller does about it.
//!
//! A server sends events and, about once a minute, a bookmark. Each says that the cache had everything up to that
//! moment. So the time since the last one bounds how old the cache can be. A stream that fails is certainly behind.

use std::time::Duration;

use tidings_informer::{Health, SharedInformer, StreamState};
use tidings_object::{Kind, Projection, ResourceKind};

use super::Context;
use crate::caches::ControllerCaches;
use crate::error::ControllerError;

/// A server that works sends at least a bookmark in this time: one a minute, with some delay.
const SILENCE_MAX: Duration = Duration::from_secs(75);

/// How far a cache may be behind the server. See [`Context::staleness`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Staleness {
    /// The time since the server last sent an event, a bookmark or a list: the cache contains everything from before.
    /// With a server that works it stays below about a minute. `None` before the first list.
    pub silent_for: Option<Duration>,
    /// How long a stream of the cache has been down. Zero if all of them watch.
    pub down_for: Duration,
}

/// What a controller does while a cache is stale. See [`stale_after`](crate::ControllerBuilder::stale_after).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenStale {
    /// Requests wait on the queue until the caches follow the server again.
    Wait,
    /// [`Context::get`] and [`Context::list`] read from the server. Reads by index are an error that is retried.
    ReadLive,
    /// Reconciles go on. [`Context::staleness`] says how stale a cache is.
    Continue,
}

/// The limit of a controller, and what happens above it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StalenessLimit {
    pub(crate) limit: Duration,
    pub(crate) when: WhenStale,
}

impl Staleness {
    fn of(health: &Health) -> Self {
        let mut staleness = Staleness::default();
        for stream in &health.streams {
            staleness.silent_for = staleness.silent_for.max(stream.last_event_age);
            let failing = stream.failing.as_ref().map(|failing| failing.for_duration);
            let is_down = matches!(stream.state, StreamState::Stopped | StreamState::Waiting);
            let down_for = failing.or(is_down.then_some(stream.for_duration)).unwrap_or_default();
            staleness.down_for = staleness.down_for.max(down_for);
        }
        staleness
    }

    /// Whether the cache may be behind by more than this. Up to about a minute without events is normal, so that a
    /// silent stream counts only above that.
    pub fn exceeds(&self, limit: Duration) -> bool {
        let silent_for = self.silent_for.unwrap_or_default().saturating_sub(SILENCE_MAX);
        self.down_for > limit || silent_for > limit
    }
}

impl StalenessLimit {
    /// The first cache that is too stale.
    pub(crate) fn exceeded_by<'a>(&self, caches: &'a ControllerCaches) -> Option<&'a SharedInformer<()>> {
        let informers = caches.iter().map(|cache| &cache.informer);
        let mut stale = informers.filter(|informer| Staleness::of(&informer.health()).exceeds(self.limit));
        stale.next()
    }
}

impl Context {
    /// How far the cache of a kind may be behind the server.
    ///
    /// ```
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use tidings_controller::{Context, Error};
    ///
    /// fn check(context: &Context) -> Result<(), Error> {
    ///     if context.staleness::<Pod>()?.exceeds(Duration::from_secs(60)) {
    ///         return Err("not deleting anything by what a stale cache shows".into());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`lister`](Self::lister).
    pub fn staleness<K: Kind>(&self) -> Result<Staleness, ControllerError> {
        let cache = match self.shared.caches.find(&K::resource(), Projection::Metadata) {
            Some(metadata) => self.cache_of::<K>(Projection::Full, "reads").unwrap_or(metadata),
            None => self.cache_of::<K>(Projection::Full, "reads")?,
        };
        Ok(Staleness::of(&cache.informer.health()))
    }

    /// As [`staleness`](Self::staleness), for a resource that is known only at run time.
    pub fn staleness_of(&self, resource: &ResourceKind) -> Result<Staleness, ControllerError> {
        Ok(Staleness::of(&self.informer_of(resource)?.health()))
    }
}
