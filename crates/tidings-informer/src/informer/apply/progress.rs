//! The progress of the cache: the version of each stream, and the version up to which the cache contains all changes.

use tidings_object::Version;
use tidings_source::StreamScope;

use crate::delta::{ReachedBy, StreamId};
use crate::reflector::Epoch;

/// The streams of one informer, each with its version.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Sorted by id.
    streams: Vec<StreamProgress>,
    /// How often the versions of the server went back.
    epoch: u64,
    /// The newest version of the streams that have ended in this epoch.
    ended: Option<Version>,
}

#[derive(Debug, Clone)]
struct StreamProgress {
    id: StreamId,
    scope: StreamScope,
    version: Option<Version>,
    has_listed: bool,
}

/// Published after every batch. `clone_from` reuses the memory of the older copy.
impl Clone for Progress {
    fn clone(&self) -> Self {
        Progress { streams: self.streams.clone(), epoch: self.epoch, ended: self.ended.clone() }
    }

    fn clone_from(&mut self, newer: &Self) {
        self.streams.clone_from(&newer.streams);
        self.epoch = newer.epoch;
        self.ended.clone_from(&newer.ended);
    }
}

/// The newer of two versions.
fn newer(one: Option<Version>, other: Option<Version>) -> Option<Version> {
    match (one, other) {
        (Some(one), Some(other)) if one.is_older_than(&other) => Some(other),
        (one, other) => one.or(other),
    }
}

impl Progress {
    pub(crate) fn begin(&mut self, id: StreamId, scope: StreamScope) {
        self.streams.push(StreamProgress { id, scope, version: None, has_listed: false });
    }

    pub(crate) fn end(&mut self, id: StreamId) {
        let Some(at) = self.position(id) else { return };
        let reached = self.streams.remove(at).version;
        self.ended = newer(self.ended.take(), reached);
    }

    /// A stream has delivered every change up to `version`. Its version never goes back, except in a new epoch.
    pub(crate) fn reach(&mut self, id: StreamId, version: &Version, by: ReachedBy) {
        let Some(stream) = self.position(id).map(|at| &mut self.streams[at]) else { return };
        let is_new_epoch = by == ReachedBy::List(Epoch::New);
        if is_new_epoch {
            self.epoch += 1;
            self.ended = None;
        }
        if is_new_epoch || !stream.version.as_ref().is_some_and(|reached| version.is_older_than(reached)) {
            stream.version = Some(version.clone());
        }
        stream.has_listed |= matches!(by, ReachedBy::List(_));
    }

    /// The version that a new stream must not start before. Without it, a namespace that is followed again could be listed
    /// from an API server that lags, and a handler would receive an older state than it already had.
    pub(crate) fn newest(&self) -> Option<Version> {
        let reached = self.streams.iter().map(|stream| stream.version.clone());
        reached.fold(self.ended.clone(), newer)
    }

    /// Whether the first list of every stream has been applied.
    pub(crate) fn has_synced(&self) -> bool {
        self.streams.iter().all(|stream| stream.has_listed)
    }

    /// Whether the first list of this stream has been applied.
    pub(crate) fn has_listed(&self, id: StreamId) -> bool {
        self.position(id).is_some_and(|at| self.streams[at].has_listed)
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether deltas of this stream may still arrive.
    pub(crate) fn is_following(&self, id: StreamId) -> bool {
        self.position(id).is_some()
    }

    /// The version up to which every change of every stream can be read: the lowest version of all streams. `None`
    /// while a stream has not listed, or if the versions have no order.
    pub(crate) fn version(&self) -> Option<Version> {
        let mut lowest: Option<&Version> = None;
        for stream in &self.streams {
            let version = stream.version.as_ref()?;
            lowest = Some(match lowest {
                None => version,
                Some(other) if version.compare(other)?.is_lt() => version,
                Some(other) => other,
            });
        }
        lowest.cloned()
    }

    /// The version of the stream that contains a namespace. `None` if there is no such stream.
    pub(crate) fn responsible_for(&self, namespace: Option<&str>) -> Option<Option<&Version>> {
        let mut streams = self.streams.iter();
        streams.find(|stream| stream.scope.contains(namespace)).map(|stream| stream.version.as_ref())
    }

    fn position(&self, id: StreamId) -> Option<usize> {
        self.streams.binary_search_by_key(&id, |stream| stream.id).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(by: &[(u32, &str, ReachedBy)]) -> Progress {
        let mut progress = Progress::default();
        progress.begin(StreamId(0), StreamScope::Namespace("a".into()));
        progress.begin(StreamId(1), StreamScope::Namespace("b".into()));
        for (id, version, by) in by {
            progress.reach(StreamId(*id), &Version::new(version), *by);
        }
        progress
    }

    // holds: X16
    #[test]
    fn the_version_is_the_lowest_of_all_streams_and_never_goes_back_within_an_epoch() {
        use ReachedBy::{Bookmark, List};
        let check = |by: &[(u32, &str, ReachedBy)], version: Option<&str>, epoch| {
            let progress = reached(by);
            assert_eq!(progress.version(), version.map(Version::new), "{by:?}");
            assert_eq!(progress.epoch(), epoch, "{by:?}");
        };
        check(&[(0, "5", List(Epoch::Same))], None, 0);
        check(&[(0, "5", List(Epoch::Same)), (1, "9", List(Epoch::Same))], Some("5"), 0);
        check(&[(0, "5", List(Epoch::Same)), (1, "9", List(Epoch::Same)), (0, "12", Bookmark)], Some("9"), 0);
        check(&[(0, "5", List(Epoch::Same)), (1, "9", List(Epoch::Same)), (1, "3", Bookmark)], Some("5"), 0);
        check(
            &[(0, "5", List(Epoch::Same)), (1, "9", List(Epoch::Same)), (1, "3", List(Epoch::New))],
            Some("3"),
            1,
        );
        check(&[(0, "x", List(Epoch::Same)), (1, "9", List(Epoch::Same))], None, 0);
    }

    #[test]
    fn the_newest_version_is_of_any_stream_also_of_one_that_has_ended_in_this_epoch() {
        use ReachedBy::{Bookmark, List};
        let mut progress = reached(&[(0, "9", List(Epoch::Same)), (1, "5", List(Epoch::Same))]);
        let newest = |progress: &Progress| progress.newest().map(|version| version.to_string());
        assert_eq!(newest(&progress).as_deref(), Some("9"));
        progress.end(StreamId(0));
        assert_eq!(newest(&progress).as_deref(), Some("9"));
        assert_eq!(newest(&progress.clone()).as_deref(), Some("9"));
        progress.reach(StreamId(1), &Version::new("12"), Bookmark);
        assert_eq!(newest(&progress).as_deref(), Some("12"));
        progress.reach(StreamId(1), &Version::new("3"), List(Epoch::New));
        assert_eq!(newest(&progress).as_deref(), Some("3"));
    }

    #[test]
    fn a_stream_is_responsible_for_its_namespace_until_it_ends() {
        let mut progress = reached(&[(0, "9", ReachedBy::List(Epoch::Same))]);
        let nine = Version::new("9");
        assert!(progress.is_following(StreamId(0)) && !progress.is_following(StreamId(2)));
        assert!(progress.has_listed(StreamId(0)) && !progress.has_listed(StreamId(1)));
        assert_eq!(progress.responsible_for(Some("a")), Some(Some(&nine)));
        assert_eq!(progress.responsible_for(Some("b")), Some(None));
        assert_eq!(progress.responsible_for(Some("c")), None);
        progress.end(StreamId(0));
        assert!(!progress.is_following(StreamId(0)));
        assert_eq!(progress.responsible_for(Some("a")), None);
    }
}
